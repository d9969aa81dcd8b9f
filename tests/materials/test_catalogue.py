"""The material catalogue: PartCAD reads what the surface data states, and both obey physics."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

FOLDER = Path(__file__).parents[2] / "materials"
PACKAGE = yaml.safe_load((FOLDER / "partcad.yaml").read_text(encoding="utf-8"))
SURFACES = json.loads((FOLDER / "surfaces.json").read_text(encoding="utf-8"))
MATERIALS: dict[str, dict[str, Any]] = PACKAGE["materials"]
ENTRIES: dict[str, dict[str, Any]] = SURFACES["materials"]

MATERIAL_KEYS = {"formal", "full", "desc", "url", "density", "viscosity", "mu", "tags"}
"""PartCAD's schema of a material, which is closed."""
VALUE_KEYS = {"value", "source", "counterface", "range", "note", "checked"}
OF_A_PAIR = {"restitution", "static_friction", "kinetic_friction", "rolling_friction"}
FLUIDS = {"water", "air"}

FAMILIES: dict[str, tuple[float, float, set[str]]] = {
    "steel": (
        7700,
        8100,
        {
            "steel-s235",
            "steel-1018",
            "steel-4140",
            "steel-304",
            "steel-316",
            "steel-spring",
            "steel-tool-d2",
            "steel-bearing",
        },
    ),
    "cast iron": (6800, 7400, {"cast-iron-grey"}),
    "aluminium": (2600, 2850, {"aluminium-6061", "aluminium-7075", "aluminium-2024"}),
    "brass": (8300, 8800, {"brass"}),
    "bronze": (8700, 8950, {"bronze"}),
    "copper": (8850, 8970, {"copper"}),
    "titanium": (4400, 4550, {"titanium-6al4v"}),
    "magnesium": (1700, 1850, {"magnesium-az31"}),
    "PLA": (1200, 1300, {"pla"}),
    "PETG": (1200, 1300, {"petg"}),
    "ABS and ASA": (1000, 1100, {"abs", "asa"}),
    "PA 6": (1120, 1160, {"pa6"}),
    "PA 12, sintered or moulded": (900, 1050, {"pa12"}),
    "acetal": (1390, 1440, {"pom"}),
    "polycarbonate": (1180, 1220, {"pc"}),
    "PMMA": (1170, 1200, {"pmma"}),
    "PTFE": (2100, 2250, {"ptfe"}),
    "PE-UHMW": (920, 950, {"uhmwpe"}),
    "PVC, rigid": (1300, 1600, {"pvc"}),
    "PEEK": (1260, 1330, {"peek"}),
    "TPU": (1050, 1260, {"tpu-55d"}),
    "rubber, unfilled": (900, 1050, {"rubber-natural", "rubber-nitrile"}),
    "wood": (350, 800, {"pine", "oak", "plywood-birch"}),
    "glass": (2400, 2600, {"glass"}),
    "concrete": (2200, 2500, {"concrete"}),
    "carbon laminate": (1450, 1700, {"carbon-fibre-laminate"}),
    "water": (990, 1000, {"water"}),
    "air": (1.1, 1.3, {"air"}),
}
"""Lowest and highest density of a family [kg/m^3], from general physics and not from the catalogue,
and the materials that belong to it."""


def values() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every stated value: material, quantity, entry."""
    for name, entry in ENTRIES.items():
        for quantity, stated in entry.items():
            if stated is not None:
                yield name, quantity, stated


def value(name: str, quantity: str) -> Any:
    """What the surface data states, or None."""
    stated = ENTRIES[name][quantity]
    return None if stated is None else stated["value"]


def test_there_are_at_least_twenty_five_materials():
    assert len(MATERIALS) >= 25


@pytest.mark.parametrize("family", FAMILIES)
def test_the_required_families_are_present(family):
    assert FAMILIES[family][2] <= MATERIALS.keys()


def test_every_material_belongs_to_one_family_so_its_density_is_judged():
    judged = [name for *_, members in FAMILIES.values() for name in members]
    assert sorted(judged) == sorted(MATERIALS)


@pytest.mark.parametrize("family", FAMILIES)
def test_densities_are_physical(family):
    lowest, highest, members = FAMILIES[family]
    assert all(lowest <= MATERIALS[name]["density"] <= highest for name in members)


def test_names_are_lowercase_words_joined_by_dashes():
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) for name in MATERIALS)


def test_partcad_and_the_surface_data_name_the_same_materials():
    assert list(MATERIALS) == list(ENTRIES)


def test_materials_use_the_keys_of_partcads_schema_only():
    assert all(material.keys() <= MATERIAL_KEYS for material in MATERIALS.values())


@pytest.mark.parametrize("key", ["formal", "full", "desc"])
def test_every_material_is_described(key):
    assert all(material[key].strip() for material in MATERIALS.values())


@pytest.mark.parametrize("name", MATERIALS)
@pytest.mark.parametrize(
    ("key", "quantity"),
    [("mu", "kinetic_friction"), ("density", "density"), ("viscosity", "viscosity")],
)
def test_what_both_files_state_is_equal(name, key, quantity):
    assert MATERIALS[name].get(key) == value(name, quantity)


def test_every_entry_states_every_quantity_or_null():
    assert all(entry.keys() == SURFACES["units"].keys() for entry in ENTRIES.values())


def test_values_use_the_documented_keys_only():
    assert all(stated.keys() <= VALUE_KEYS for *_, stated in values())


def test_every_value_has_a_source_that_is_listed():
    assert all(stated["source"] in SURFACES["sources"] for *_, stated in values())


def test_every_source_is_complete_and_used():
    used = {stated["source"] for *_, stated in values()}
    assert used == SURFACES["sources"].keys()
    for source in SURFACES["sources"].values():
        assert source.keys() == {"author", "title", "where"}
        assert all(text.strip() for text in source.values())


def test_only_colours_are_chosen_by_the_catalogue():
    chosen = {quantity for _, quantity, stated in values() if stated["source"] == "chosen"}
    assert chosen == {"colour"}


def test_values_of_a_pair_name_the_other_side():
    for name, quantity, stated in values():
        assert ("counterface" in stated) == (quantity in OF_A_PAIR), f"{name}: {quantity}"


def test_a_value_from_a_range_is_its_middle():
    ranges = [(stated["value"], stated["range"]) for *_, stated in values() if "range" in stated]
    assert ranges
    for middle, (lowest, highest) in ranges:
        assert lowest < highest
        assert middle == pytest.approx((lowest + highest) / 2, rel=1e-9)


@pytest.mark.parametrize("name", ENTRIES)
def test_static_friction_is_not_below_kinetic(name):
    static, kinetic = value(name, "static_friction"), value(name, "kinetic_friction")
    assert static is None or kinetic is None or static >= kinetic > 0


def test_restitution_lies_between_nothing_and_everything():
    stated = [stated["value"] for _, quantity, stated in values() if quantity == "restitution"]
    assert stated
    assert all(0 <= restitution <= 1 for restitution in stated)


def test_contact_lengths_are_lengths_of_a_contact():
    """In metres: between a micrometre and a centimetre, so a value in millimetres is caught."""
    for _, quantity, stated in values():
        if quantity in {"torsional_friction", "rolling_friction"}:
            assert 1e-6 <= stated["value"] <= 1e-2


@pytest.mark.parametrize("name", ENTRIES)
def test_solids_are_stiff_and_fluids_viscous(name):
    """Between soft rubber and tungsten carbide, so a modulus in MPa or GPa is caught."""
    modulus, viscosity = value(name, "youngs_modulus"), value(name, "viscosity")
    if name in FLUIDS:
        assert modulus is None
        assert 1e-6 < viscosity < 1e-1
    else:
        assert viscosity is None
        assert 5e5 <= modulus <= 7e11


def test_fluids_have_no_surface():
    surface = OF_A_PAIR | {"torsional_friction"}
    assert all(value(name, quantity) is None for name in FLUIDS for quantity in surface)


@pytest.mark.parametrize("name", ENTRIES)
def test_colours_are_six_hexadecimal_digits(name):
    assert re.fullmatch(r"#[0-9A-F]{6}", value(name, "colour"))


def test_the_surface_data_states_its_version():
    assert SURFACES["version"] == 1
