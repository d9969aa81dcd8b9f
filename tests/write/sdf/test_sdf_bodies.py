"""Links: what they weigh, what is seen of them and collides, and what stands on them."""

import math
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from sdf_reading import files, link_pose, model_of, number, pose_of, written

from arms import arm
from mechanisms import four_bar
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Body, Frame, Inertia, Mesh, Shape, Surface
from robocompiler.model.text import from_json, to_json
from robocompiler.solve.state import evaluate
from solids import box

LINK = Inertia(
    mass=0.1 + 0.2,
    center=(1.0 / 3.0, 0.02, -0.07),
    moments=(0.011, 0.0123456789012345, 0.013),
    products=(1e-4, -2e-4, 3e-4),
)


def with_shapes(*shapes, inertia=LINK):
    mechanism = arm(JointKind.REVOLUTE)
    meshes = tuple(Mesh(name=name) for name in dict.fromkeys(shape.mesh for shape in shapes))
    lower = Body(name="lower", inertia=inertia, shapes=shapes)
    return replace(mechanism, bodies=(mechanism.bodies[0], lower), meshes=meshes)


def cube(mesh, coarseness):
    return box(0.02, 0.03, 0.04)


def test_an_inertia_is_along_the_link_s_axes_and_its_numbers_are_those_given():
    model, export = written(with_shapes())
    inertial = model.find("link[@name='lower']/inertial")
    assert number(inertial, "mass") == 0.1 + 0.2
    entries = [
        number(inertial, f"inertia/{tag}") for tag in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    ]
    assert entries == [*LINK.moments, *LINK.products]
    np.testing.assert_array_equal(pose_of(inertial).R, np.eye(3))
    state = evaluate(export.compiled, export.q)
    center = link_pose(model, "lower") @ pose_of(inertial)
    expected = state.poses[2].R @ np.array(LINK.center) + state.poses[2].p
    np.testing.assert_allclose(center.p, expected, atol=1e-15)


def test_a_flat_body_s_moments_stay_those_of_a_body():
    """a + b = c, which rounding breaks: the least that mends it, in whatever direction it lies."""
    flat = replace(LINK, moments=(0.1, 0.2, 0.3 + 3e-16), products=(0.0, 0.0, 0.0))
    model, _ = written(with_shapes(inertia=flat))
    inertia = model.find("link[@name='lower']/inertial/inertia")
    a, b, c = (number(inertia, tag) for tag in ("ixx", "iyy", "izz"))
    assert a + b > c
    assert (a, b, c) == pytest.approx((0.1, 0.2, 0.3), rel=1e-11)


def test_what_weighs_nothing_is_no_kilogram():
    """As SDFormat takes a link without `inertial` for."""
    mechanism = four_bar()
    bodies = tuple(replace(b, inertia=None) if b.name == "ground" else b for b in mechanism.bodies)
    model, _ = written(replace(mechanism, bodies=bodies))
    assert number(model, "link[@name='ground']/inertial/mass") == 0.0
    assert model.find("joint[@name='ground_to_world']").get("type") == "fixed"


def test_a_model_without_a_base_hangs_on_the_world_itself():
    model, _ = written(arm(JointKind.REVOLUTE))
    assert {link.get("name") for link in model.findall("link")} == {"upper", "lower"}
    assert model.find("joint[@name='S']/parent").text == "world"


def test_a_shape_is_seen_and_collides_where_it_is():
    shape = Shape(
        name="cap",
        mesh="cube",
        position=(0.1, 0.2, 0.3),
        rotation=(math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0),
        color=(0.1, 0.2, 0.3, 0.4),
    )
    contents, export = files(with_shapes(shape), geometry=cube)
    model = model_of(contents)
    for tag in ("visual", "collision"):
        own = model.find(f"link[@name='lower']/{tag}")
        assert own.get("name") == f"cap_{tag}"
        assert own.find("geometry/mesh/uri").text == "arm_meshes/cube.obj"
        found = link_pose(model, "lower") @ pose_of(own)
        expected = evaluate(export.compiled, export.q).poses[2] @ shape.pose()
        np.testing.assert_allclose(found.p, expected.p, atol=1e-15)
        np.testing.assert_allclose(found.R, expected.R, atol=1e-15)
    assert model.find("link/visual/material/diffuse").text == "0.1 0.2 0.3 0.4"
    assert model.find("link/collision/material") is None


def test_a_surface_is_what_the_material_states_of_it():
    surface = Surface(friction=0.6, torsional_friction=0.003, restitution=0.7, rolling_friction=0.1)
    contents, export = files(
        with_shapes(Shape(name="cap", mesh="cube", surface=surface)), geometry=cube
    )
    own = model_of(contents).find("link/collision/surface")
    assert [number(own, f"friction/ode/{tag}") for tag in ("mu", "mu2")] == [0.6, 0.6]
    torsional = own.find("friction/torsional")
    assert torsional.find("use_patch_radius").text == "true"
    # Torque per normal force of a round patch, its pressure that of two spheres that touch.
    radius, coefficient = number(torsional, "patch_radius"), number(torsional, "coefficient")
    assert 3.0 * math.pi / 16.0 * radius * coefficient == pytest.approx(0.003, rel=1e-15)
    assert number(own, "bounce/restitution_coefficient") == 0.7
    assert number(own, "bounce/threshold") == 0.0
    lost = [(entry.where, entry.what) for entry in export.ledger.unsupported]
    assert lost == [("cap", "its surface's rolling friction")]


def test_a_surface_of_which_nothing_is_stated_is_sdformat_s_own():
    contents, _ = files(with_shapes(Shape(name="cap", mesh="cube")), geometry=cube)
    assert model_of(contents).find("link/collision/surface") is None


def test_a_shape_whose_mesh_could_not_be_written_is_left_out():
    contents, export = files(
        with_shapes(Shape(name="cap", mesh="cube")), geometry=lambda mesh, coarseness: None
    )
    assert model_of(contents).find("link[@name='lower']/visual") is None
    assert {entry.where for entry in export.ledger.unsupported} == {"mesh cube"}


def test_bodies_that_are_welded_and_frames_that_someone_named_are_frames_where_they_are():
    mechanism = four_bar()
    handle = Frame(name="handle", body="knob", position=(0.0, 0.0, 0.02))
    ends = (
        Frame(name="crank.K", body="crank", position=(0.03, 0.01, 0.0)),
        Frame(name="knob.K", body="knob"),
    )
    weld = replace(
        mechanism.joints[0],
        name="K",
        kind=JointKind.FIXED,
        parent="crank.K",
        child="knob.K",
        start=(),
        closes_loop=False,
    )
    mark = Frame(name="mark", body=WORLD, position=(1.0, 2.0, 3.0))
    whole = replace(
        mechanism,
        bodies=(*mechanism.bodies, Body(name="knob")),
        frames=(*mechanism.frames, *ends, handle, mark),
        joints=(*mechanism.joints, weld),
    )
    model, export = written(whole)
    X = evaluate(export.compiled, export.q).poses
    crank = next(i for i, body in enumerate(export.compiled.bodies) if body.name == "crank")
    places = {
        "knob": X[crank].R @ (0.03, 0.01, 0.0) + X[crank].p,
        "handle": X[crank].R @ (0.03, 0.01, 0.02) + X[crank].p,
        "mark": np.array([1.0, 2.0, 3.0]),
    }
    for name, expected in places.items():
        frame = model.find(f"frame[@name='{name}']")
        found = link_pose(model, frame.get("attached_to")) @ pose_of(frame)
        np.testing.assert_allclose(found.p, expected, atol=1e-15)


@pytest.mark.parametrize("asked", [{}, {"light": True}, {"ground_plane": True}])
def test_there_is_a_floor_and_a_light_where_they_are_asked_for_and_names_of_their_own(asked):
    mechanism = replace(arm(JointKind.REVOLUTE), name="ground_plane")
    contents, _ = files(mechanism, **asked)
    world = ElementTree.fromstring(contents["ground_plane.sdf"].decode()).find("world")
    assert (world.find("light[@type='directional']") is not None) == ("light" in asked)
    names = [model.get("name") for model in world.findall("model")]
    assert len(names) == len(set(names)) == 1 + ("ground_plane" in asked)
    if "ground_plane" in asked:
        assert world.find("model[static]/link/collision/geometry/plane/normal").text == "0 0 1"


def test_the_same_mechanism_gives_the_same_bytes():
    first, _ = files(four_bar())
    again, _ = files(from_json(to_json(four_bar())))
    assert first == again
