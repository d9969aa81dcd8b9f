"""Mass, shapes and surfaces of bodies; what surrounds them."""

import json
import math

import numpy as np
import pytest
from partcad_drawing import CUBE, assembly, at, jointed, part, request, turn

from robocompiler.errors import BadValueError, FormatError, InertiaError, MassError
from robocompiler.model.mechanism import Environment
from robocompiler.model.text import to_json
from robocompiler.model.validity import inertia_tensor
from robocompiler.read import materials
from robocompiler.read.partcad import read_partcad

STEEL, PLASTIC = "rc/materials:steel-s235", "rc/materials:pom"


def one_part(physics=None, location=None, **stated):
    """A part alone in an assembly, what it states, and what PartCAD derived."""
    cube = part("cube", location or at())
    properties = {"//:cube": {"physics": {**CUBE, **(physics or {})}, **stated}}
    return read_partcad(request(assembly("box", [cube]), properties))


def shape(physics=None, **stated):
    return one_part(physics, **stated).bodies[0].shapes[0]


def test_inertia_is_about_the_centre_of_mass_in_metres():
    tensor = {"ixx": 1e-4, "ixy": 1e-5, "ixz": 2e-5, "iyy": 2e-4, "iyz": 3e-5, "izz": 2.5e-4}
    inertia = one_part({"mass": 2.0, "inertia": tensor}).bodies[0].inertia
    assert inertia.mass == 2.0
    assert inertia.center == pytest.approx((0.001, 0.002, 0.003))
    assert inertia.moments == (1e-4, 2e-4, 2.5e-4)
    assert inertia.products == (1e-5, 2e-5, 3e-5)


def test_a_stated_orientation_turns_the_inertia():
    """A quarter turn about x takes the y moment to z."""
    tensor = {"ixx": 3e-4, "iyy": 1e-4, "izz": 2.5e-4}
    physics = {"inertia": tensor, "inertiaOrientation": [90.0, 0.0, 0.0]}
    mine = inertia_tensor(one_part(physics).bodies[0].inertia)
    np.testing.assert_allclose(mine, np.diag([3e-4, 2.5e-4, 1e-4]), atol=1e-18)


def test_parts_of_one_body_are_combined():
    """Two points of half a kilogram, 200 mm apart: mass · (100 mm)² each."""
    cubes = [part("left", at(-101.0, -2.0, -3.0)), part("right", at(99.0, -2.0, -3.0))]
    point = {**CUBE, "inertia": {"ixx": 1e-9, "iyy": 1e-9, "izz": 1e-9}}
    properties = {name: {"physics": point} for name in ("//:left", "//:right")}
    (body,) = read_partcad(request(assembly("box", cubes), properties)).bodies
    assert (body.name, body.inertia.mass) == ("box", 1.0)
    assert body.inertia.center == pytest.approx((0.0, 0.0, 0.0), abs=1e-15)
    assert body.inertia.moments == pytest.approx((2e-9, 0.01, 0.01), rel=1e-6)


def test_a_mesh_is_of_a_distinct_solid_and_placed_by_each_part():
    bolts = [part(f"bolt-{i}", at(10.0 * i), name="bolt") for i in range(3)]
    mechanism = read_partcad(request(assembly("plate", [part("plate"), *bolts])))
    assert [mesh.name for mesh in mechanism.meshes] == ["plate", "bolt"]
    shapes = mechanism.bodies[0].shapes
    assert [(s.name, s.mesh) for s in shapes] == [
        ("plate", "plate"),
        *((f"bolt-{i}", "bolt") for i in range(3)),
    ]
    assert shapes[3].position == pytest.approx((0.02, 0.0, 0.0))


def test_shapes_are_named_by_where_they_are():
    twins = [assembly(label, [part("plate")]) for label in ("left", "right")]
    (body,) = read_partcad(request(assembly("pair", twins))).bodies
    assert [s.name for s in body.shapes] == ["left/plate", "right/plate"]


def test_a_colour_is_between_0_and_1():
    assert shape(color="#FF000080").color == pytest.approx((1.0, 0.0, 0.0, 128 / 255))
    assert shape(color="#0000ff").color == (0.0, 0.0, 1.0, 1.0)
    assert shape().color is None


def test_an_assembly_colours_what_states_no_colour():
    tree = assembly("box", [part("lid"), part("cube")])
    stated = {"//:box": {"color": "#0000FF"}, "//:lid": {"physics": CUBE, "color": "#FF0000"}}
    lid, cube = read_partcad(request(tree, stated)).bodies[0].shapes
    assert (lid.color, cube.color) == ((1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0))


def test_without_an_index_a_node_says_what_it_is_itself():
    cube = part("cube", properties={"physics": CUBE, "color": "#FF0000"})
    mechanism = read_partcad({"shape_tree": assembly("box", [cube])})
    assert mechanism.bodies[0].inertia.mass == CUBE["mass"]
    assert mechanism.bodies[0].shapes[0].color == (1.0, 0.0, 0.0, 1.0)


def test_a_colour_that_is_none_is_refused():
    with pytest.raises(BadValueError, match="Part 'cube': color=red is not #RRGGBB or #RRGGBBAA"):
        shape(color="red")


def published(name, key):
    entry = json.loads(materials.CATALOGUE.read_text())["materials"][name][key]
    return entry["value"] if entry else None


def test_a_material_of_ours_has_its_colour_and_surface():
    mine = shape({"density": published("steel-s235", "density")}, material=STEEL)
    red, green, blue = bytes.fromhex(published("steel-s235", "colour")[1:])
    assert mine.color == pytest.approx((red / 255, green / 255, blue / 255, 1.0))
    assert mine.surface.rolling_friction == published("steel-s235", "rolling_friction")
    assert mine.surface.friction == published("steel-s235", "kinetic_friction")


def test_what_a_part_states_comes_before_its_material():
    density = published("steel-s235", "density")
    physics = {"density": density, "friction": 0.11, "restitution": 0.22}
    mine = shape(physics, material=STEEL, color="#00FF00")
    assert (mine.surface.friction, mine.surface.restitution) == (0.11, 0.22)
    assert mine.color == (0.0, 1.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("material", "density"),
    [
        ("other:steel-s235", 7850.0),
        ("//factory/metals:steel-s235", 7850.0),
        (":steel-s235", 7850.0),
        (STEEL, 3000.0),
        ("rc/materials:unobtainium", 7850.0),
    ],
)
def test_somebody_elses_material_of_that_name_is_none_of_ours(material, density):
    mine = shape({"density": density}, material=material)
    assert mine.color is None
    assert mine.surface.rolling_friction is None


def test_what_a_part_cannot_carry_is_named_once():
    cubes = [part("a", name="cube"), part("b", at(50.0), name="cube")]
    stated = {"physics": {**CUBE, "friction2": 0.1, "contactStiffness": 1e5, "friction": 0.3}}
    mechanism = read_partcad(request(assembly("box", cubes), {"//:cube": stated}))
    assert mechanism.warnings == (
        "Part '//:cube': 'contactStiffness' is not carried over.",
        "Part '//:cube': 'friction2' is not carried over.",
    )


def test_what_partcad_ignores_is_told():
    mechanism = read_partcad(request(assembly("box", [part("base"), part("cube", fixed=True)])))
    assert "'cube' is marked 'fixed'" in mechanism.warnings[0]


@pytest.mark.parametrize(
    ("physics", "message"),
    [
        ({}, "Body 'arm' has no mass"),
        ({"mass": 0.0}, "Body 'arm' has no mass"),
        ({"mass": -2.0}, "Body 'arm' has a mass of -2 kg"),
    ],
)
def test_a_body_of_no_mass_or_less_is_refused(physics, message):
    tree = assembly("pair", [part("base"), jointed("arm", "base", "j", [turn()])])
    with pytest.raises(MassError, match=message):
        read_partcad(request(tree, {"//:arm": {"physics": physics}}))


def test_a_negative_mass_is_not_hidden_by_the_rest_of_its_body():
    tree = assembly("box", [part("base"), part("lid")])
    with pytest.raises(MassError, match="Body 'box' has a mass of -2 kg"):
        read_partcad(request(tree, {"//:lid": {"physics": {"mass": -2.0}}}))


def test_an_inertia_of_no_body_is_refused_with_the_inequality_that_fails():
    tensor = {"ixx": 1e-4, "iyy": 1e-4, "izz": 3e-4}
    with pytest.raises(InertiaError, match=r"Body 'box': .* 0\.0001 \+ 0\.0001 ≥ 0\.0003 fails"):
        one_part({"inertia": tensor})


def test_a_scene_says_what_surrounds_it():
    world = {
        "gravity": [0, 0, -1.62],
        "medium": {"material": "//:water", "density": 998.0, "viscosity": 0.001},
    }
    mine = read_partcad(request(assembly("box", [part("cube")]), world=world)).environment
    assert mine == Environment(gravity=(0.0, 0.0, -1.62), density=998.0, viscosity=0.001)
    assert read_partcad(request(assembly("box", [part("cube")]))).environment == Environment()


def test_a_mechanism_is_called_as_the_object_is():
    tree = assembly("box", [part("cube")])
    assert read_partcad(request(tree, shape_name="box;size=3")).name == "box;size=3"
    assert read_partcad({"shape_tree": tree, "properties": {"//:cube": {"physics": CUBE}}}).name


def test_the_same_request_makes_the_same_mechanism():
    tree = assembly("pair", [part("base"), jointed("arm", "base", "j", [turn(value=30.0)])])
    assert to_json(read_partcad(request(tree))) == to_json(read_partcad(request(tree)))


def test_a_request_of_another_kind_is_refused():
    with pytest.raises(FormatError, match="The request has no `shape_tree`"):
        read_partcad({"subject": "//:box"})


def test_a_part_without_a_solid_is_told():
    mesh = part("scan")
    del mesh["brep"]
    mechanism = read_partcad(request(assembly("box", [part("cube"), {**mesh, "gltf": "AAAA"}])))
    assert mechanism.warnings == ("Part '//:scan' has no solid geometry: not written.",)
    assert math.isclose(mechanism.bodies[0].inertia.mass, CUBE["mass"])
