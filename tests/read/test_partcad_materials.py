"""What is said of a part whose weight does not follow from what it states."""

import pytest
from partcad_drawing import CUBE, assembly, jointed, part, request, turn
from partcad_fourbar import fourbar

from robocompiler.read.partcad import read_partcad


def warnings(material, density, own=None, tree=None, name="//:cube"):
    """Of one part that states a material, and weighs what PartCAD hands over."""
    physics = {**CUBE, **({} if density is None else {"density": density})}
    stated = {"physics": physics, **({"material": material} if material else {})}
    own = {**({"material": material} if material else {}), **({"physics": own} if own else {})}
    cube = {**part("cube", properties=own), "name": name}
    tree = tree or assembly("box", [])
    tree["assembly"].append(cube)
    return read_partcad(request(tree, {name: stated})).warnings


def test_a_density_that_is_not_its_materials_is_told():
    assert warnings("rc/materials:pom", 7850.0) == (
        "Part '//:cube': material rc/materials:pom has 1410 kg/m³, but PartCAD hands over 7850: a "
        "stale cache? Stop the daemon (`pc daemon stop --all`) and delete the folder `cache` of "
        "PartCAD's state.",
    )


@pytest.mark.parametrize("own", [{"density": 1500.0}, {"mass": 0.5}])
def test_a_part_that_overrides_its_material_is_not_told(own):
    assert warnings("rc/materials:pom", own.get("density", 7850.0), own) == ()


def test_a_material_that_is_what_the_part_weighs_is_not_told():
    assert warnings("rc/materials:pom", 1410.0) == ()


@pytest.mark.parametrize("density", [None, 2700.0, 7850.0])
def test_a_material_that_does_not_exist_suggests_the_nearest(density):
    assert warnings("rc/materials:pomm", density) == (
        "Part '//:cube': there is no material rc/materials:pomm. Did you mean 'pom'?",
    )


def test_another_packages_material_is_not_told():
    """Nothing like ours, and PartCAD found it: `materials` is not a rare name."""
    assert warnings("factory/materials:unobtainium", 5000.0) == ()
    assert warnings("metals:pomm", 2700.0) == ()


@pytest.mark.parametrize(
    ("material", "name", "told"),
    [
        ("rc/materials:granite-7", "//:cube", True),
        ("other/materials:pomm", "//:cube", False),
        ("//rc/materials:granite-7", "//robot:cube", True),
        ("rc/materials:granite-7", "//robot:cube", False),
    ],
)
def test_a_marker_shows_which_package_is_ours(material, name, told):
    """It is mounted as `//rc`, and a relative name is seen from the part's package."""
    found = warnings(material, 5000.0, tree=fourbar(), name=name)
    assert (f"Part '{name}': there is no material {material}" in "".join(found)) is told


def test_a_part_that_states_nothing_is_told():
    assert warnings(None, 2700.0) == (
        "Part '//:cube' states no material: PartCAD's default of 2700 kg/m³ is used.",
    )


def test_all_that_state_nothing_are_told_at_once():
    index = {f"//:{name}": {"physics": {**CUBE, "density": 2700.0}} for name in ("a", "b")}
    tree = assembly("box", [part("b"), part("a"), jointed("c", "a", "j", [turn()])])
    assert read_partcad(request(tree, index)).warnings == (
        "Parts '//:a', '//:b' state no material: PartCAD's default of 2700 kg/m³ is used.",
    )


@pytest.mark.parametrize("own", [{"density": 2700.0}, {"mass": 0.5}])
def test_a_part_that_states_what_it_weighs_is_not_told(own):
    assert warnings(None, 2700.0, own) == ()


def test_a_part_of_an_assembly_that_states_its_mass_is_not_told():
    """As an imported robot description does: PartCAD takes the link at its word."""
    index = {"//:hull": {"physics": {**CUBE, "density": 2700.0}}}
    link = assembly("link", [part("hull")], properties={"physics": CUBE})
    assert read_partcad(request(assembly("box", [link]), index)).warnings == ()
