"""The tree of a URDF: what MuJoCo's own importer makes of it, and closed forms."""

import math
from dataclasses import replace

import mujoco
import numpy as np
import pytest

import robocompiler as rc
from arms import MOVING, arm
from mechanisms import four_bar
from robocompiler.compiler.steps import step
from robocompiler.errors import UnwritableError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Body, Frame, Inertia, Joint, Mechanism
from robocompiler.solve.state import evaluate
from robocompiler.spatial import Pose, exp_rotation, quaternion_of
from robocompiler.write.fidelity import Fidelity, Property
from robocompiler.write.inertias import BALL_DENSITY
from robocompiler.write.links import axis_names, axis_values
from robocompiler.write.options import WriteOptions
from robocompiler.write.urdf.format import URDF
from robocompiler.write.urdf.names import URDF_NATIVE, legal
from urdfs import Written, inertia, pose, vector

LOWERED = [kind for kind in MOVING if kind not in URDF_NATIVE]


def turned(x, y, z):
    return tuple(quaternion_of(exp_rotation(np.array([x, y, z]))).tolist())


# ----------------------------------------------------------------------------------- kinds


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", MOVING)
def test_mujoco_puts_bodies_where_our_kinematics_does_for_any_coordinates(kind, reverse):
    own = Written(arm(kind, reverse), intermediate_mass=1e-3)
    model, data = own.mujoco()
    random = np.random.default_rng(3)
    for _ in range(3):
        q = step(own.compiled, own.export.q, random.uniform(-0.5, 0.5, own.compiled.nv))
        for t in own.compiled.tree:
            joint = t.edge.joint
            values = axis_values(joint, q[t.q])
            for name, value in zip(axis_names(joint), values, strict=True):
                data.joint(legal(name)).qpos[0] = value
        mujoco.mj_kinematics(model, data)
        state = evaluate(own.compiled, q)
        for index, body in enumerate(own.compiled.bodies[1:], 1):
            center = state.poses[index].R @ np.array(body.inertia.center) + state.poses[index].p
            np.testing.assert_allclose(data.body(body.name).xipos, center, atol=1e-12)


@pytest.mark.parametrize("kind", LOWERED)
def test_joints_of_several_axes_are_refused_by_name_unless_links_between_are_allowed(kind):
    with pytest.raises(UnwritableError, match=f"'J' \\({kind.value}\\).*intermediate_mass"):
        Written(arm(kind))


def test_all_that_need_links_between_axes_are_named_at_once():
    compiled = rc.compile(arm(JointKind.BALL))
    other = replace(compiled.mechanism.joints[0], kind=JointKind.UNIVERSAL, start=(0.0, 0.0))
    mechanism = replace(compiled.mechanism, joints=(other, compiled.mechanism.joints[1]))
    with pytest.raises(UnwritableError, match=r"'S' \(universal\), 'J' \(ball\)"):
        Written(mechanism)


@pytest.mark.parametrize("kind", LOWERED)
def test_links_between_axes_have_no_inertia_where_their_mass_is_0(kind):
    own = Written(arm(kind), intermediate_mass=0.0)
    between = [name for name in own.links if name.startswith("J") and name.endswith("_link")]
    assert len(between) == {"screw": 1, "cylindrical": 1, "universal": 1}.get(kind.value, 2)
    assert all(own.link(name).find("inertial") is None for name in between)
    assert own.ledger.unsupported == []
    assert own.entry(URDF_PROPERTY[kind], "J").fidelity is Fidelity.EXACT


URDF_PROPERTY = {kind: Property(f"{kind.value} joint") for kind in JointKind if kind.dof}


def test_links_between_axes_weigh_as_asked_and_are_balls_and_the_ledger_says_how_much():
    own = Written(arm(JointKind.BALL), intermediate_mass=0.002)
    mass, center, tensor = inertia(own.link("J_rotation.x_link"))
    radius = (0.002 / BALL_DENSITY / (4.0 / 3.0 * math.pi)) ** (1.0 / 3.0)
    assert mass == 0.002
    np.testing.assert_array_equal(center, 0.0)
    np.testing.assert_allclose(tensor, 0.4 * 0.002 * radius**2 * np.eye(3))
    entry = own.entry(Property.BALL_JOINT, "J")
    assert entry.fidelity is Fidelity.APPROXIMATED
    assert (entry.error, entry.unit) == (0.004, "kg")


def test_a_screw_is_a_hinge_and_a_slide_that_follows_it():
    own = Written(arm(JointKind.SCREW, limits=((-1.0, 3.0),), damping=0.5), intermediate_mass=0.0)
    slide, hinge = own.joint("J_advance"), own.joint("J")
    mimic = slide.find("mimic")
    assert (mimic.get("joint"), mimic.get("multiplier")) == ("J", "0.01")
    assert vector(mimic.get("offset")) == 0.0
    assert [float(slide.find("limit").get(end)) for end in ("lower", "upper")] == [-0.01, 0.03]
    assert [float(hinge.find("limit").get(end)) for end in ("lower", "upper")] == [-1.0, 3.0]
    assert hinge.find("dynamics").get("damping") == "0.5"
    assert slide.find("dynamics") is None


def test_what_acts_on_a_ball_is_lost_but_for_what_its_hinges_can_have():
    own = Written(
        arm(JointKind.BALL, damping=0.1, friction=0.2, armature=0.1, effort=2.0, swing_limit=1.0),
        intermediate_mass=0.0,
    )
    lost = {entry.property for entry in own.ledger.unsupported}
    assert lost == {Property.SWING, Property.ARMATURE, Property.EFFORT}
    assert "transmission" not in own.text
    dynamics = own.root.findall("joint/dynamics")
    assert [e.attrib for e in dynamics] == [{"damping": "0.1", "friction": "0.2"}] * 3


def test_how_far_a_ball_s_hinges_are_from_square_is_what_its_damping_is_off_by():
    """As the product of the two outer axes, from MuJoCo's."""
    own = Written(arm(JointKind.BALL, damping=0.1), intermediate_mass=1e-3)
    model, data = own.mujoco()
    for joint in own.srdf.findall("group_state/joint"):
        data.joint(joint.get("name")).qpos[0] = float(joint.get("value"))
    mujoco.mj_kinematics(model, data)
    first, second, third = (data.joint(f"J_rotation.{axis}").xaxis for axis in "xyz")
    assert abs(first @ second) < 1e-12
    entry = own.entry(Property.DAMPING, "J")
    assert entry.fidelity is Fidelity.APPROXIMATED
    assert entry.error == pytest.approx(abs(first @ third))
    assert entry.error > 0.01
    square = replace(arm(JointKind.BALL, damping=0.1).joints[1], start=(1.0, 0.0, 0.0, 0.0))
    mechanism = arm(JointKind.BALL)
    own = Written(replace(mechanism, joints=(mechanism.joints[0], square)), intermediate_mass=1e-3)
    assert own.entry(Property.DAMPING, "J").fidelity is Fidelity.EXACT


# ------------------------------------------------------------------------------- the ledger


@pytest.mark.parametrize("mass", [None, 0.0, 0.001])
def test_every_property_has_its_cell(mass):
    assert set(URDF.carries(WriteOptions(intermediate_mass=mass))) == set(Property)


@pytest.mark.parametrize("kind", MOVING)
def test_all_that_is_noted_is_something_that_the_mechanism_says(kind):
    terms = {"damping": 0.1, "friction": 0.1, "armature": 0.01, "effort": 1.0, "velocity": 2.0}
    mechanism = arm(kind, stiffness=1.0, **terms)
    own = Written(mechanism, intermediate_mass=0.001)
    assert set(own.ledger.noted) <= set(own.ledger.statements)
    assert Property.SPRING in {entry.property for entry in own.ledger.unsupported}


def test_the_same_mechanism_gives_the_same_bytes():
    assert Written(four_bar()).files == Written(four_bar()).files


# --------------------------------------------------------------------------- mass and frames


def test_inertia_stands_along_the_link_s_axes_of_a_turned_base_too():
    """As a closed form: the tensor of the body, turned with it; its origin is never turned."""
    own = inertia_of_turned_base()
    link = own.link("base_link")
    mass, center, tensor = inertia(link)
    assert link.find("inertial/origin").get("rpy") == "0 0 0"
    assert mass == 2.0
    np.testing.assert_allclose(center, (0.1, 0.2, 0.3), atol=1e-15)
    expected = np.array([[0.03, 0.001, 0.002], [0.001, 0.04, 0.003], [0.002, 0.003, 0.05]])
    np.testing.assert_allclose(tensor, expected, atol=1e-15)
    X = pose(own.joint("base_link_joint").find("origin"))
    np.testing.assert_allclose(X.R, Pose.of((0, 0, 0), turned(0.3, -0.4, 1.2)).R, atol=1e-15)
    np.testing.assert_allclose(X.p, (0.5, -0.2, 0.1), atol=1e-15)


def inertia_of_turned_base():
    inertial = Inertia(
        mass=2.0, center=(0.1, 0.2, 0.3), moments=(0.03, 0.04, 0.05), products=(1e-3, 2e-3, 3e-3)
    )
    return Written(
        Mechanism(
            name="turned",
            bodies=(Body(name="base_link", inertia=inertial),),
            frames=(
                Frame(
                    name="F", body=WORLD, position=(0.5, -0.2, 0.1), rotation=turned(0.3, -0.4, 1.2)
                ),
                Frame(name="M", body="base_link"),
            ),
            joints=(Joint(name="weld", kind=JointKind.FIXED, parent="F", child="M"),),
        )
    )


def test_a_tiny_mass_keeps_all_its_digits():
    mechanism = arm(JointKind.REVOLUTE)
    small = Inertia(mass=1.234567890123e-9, moments=(1.1e-17, 1.2e-17, 1.3e-17))
    bodies = (mechanism.bodies[0], Body(name="lower", inertia=small))
    mass, _, tensor = inertia(Written(replace(mechanism, bodies=bodies)).link("lower"))
    assert mass == 1.234567890123e-9
    np.testing.assert_array_equal(np.diag(tensor), (1.1e-17, 1.2e-17, 1.3e-17))


def test_a_flat_body_s_tensor_still_obeys_the_triangle_inequality():
    mechanism = arm(JointKind.REVOLUTE)
    flat = Inertia(mass=1.0, moments=(0.01 / 3.0, 0.02 / 3.0, 0.03 / 3.0 * (1.0 + 1e-9)))
    bodies = (mechanism.bodies[0], Body(name="lower", inertia=flat))
    _, _, tensor = inertia(Written(replace(mechanism, bodies=bodies)).link("lower"))
    a, b, c = np.sort(np.diag(tensor))
    assert a + b > c


def test_welded_bodies_and_named_frames_are_links_without_mass_in_their_places():
    mechanism = arm(JointKind.REVOLUTE)
    rotation = turned(0.1, 0.2, 0.3)
    mechanism = replace(
        mechanism,
        bodies=(*mechanism.bodies, Body(name="sensor")),
        frames=(
            *mechanism.frames,
            Frame(name="sensor.S", body="sensor"),
            Frame(name="lower.S", body="lower", position=(0.05, 0.06, 0.07), rotation=rotation),
            Frame(name="tip", body="sensor", position=(0.0, 0.0, 0.01)),
            Frame(name="marker", body=WORLD, position=(1.0, 2.0, 3.0)),
        ),
        joints=(
            *mechanism.joints,
            Joint(name="weld", kind=JointKind.FIXED, parent="lower.S", child="sensor.S"),
        ),
    )
    own = Written(mechanism)
    for name in ("sensor", "tip", "marker"):
        assert list(own.link(name)) == []
    model, data = own.mujoco()
    state = own.export.state
    for t in own.compiled.tree:
        data.joint(t.edge.joint.name).qpos[0] = own.export.q[t.q][0]
    mujoco.mj_kinematics(model, data)
    index = next(i for i, body in enumerate(own.compiled.bodies) if body.name == "lower")
    sensor = state.poses[index] @ Pose.of((0.05, 0.06, 0.07), rotation)
    np.testing.assert_allclose(data.body("sensor").xpos, sensor.p, atol=1e-14)
    np.testing.assert_allclose(data.body("sensor").xmat.reshape(3, 3), sensor.R, atol=1e-14)
    tip = sensor @ Pose(np.eye(3), np.array([0.0, 0.0, 0.01]))
    np.testing.assert_allclose(data.body("tip").xpos, tip.p, atol=1e-14)
    np.testing.assert_allclose(data.body("marker").xpos, (1.0, 2.0, 3.0), atol=1e-14)
