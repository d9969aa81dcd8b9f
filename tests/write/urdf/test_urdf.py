"""The tree of a URDF: what MuJoCo's own importer makes of it, and closed forms."""

import math
from dataclasses import replace

import mujoco
import numpy as np
import pytest

import robocompiler as rc
from arms import MOVING, arm
from mechanisms import bar, four_bar
from robocompiler.compiler.steps import step
from robocompiler.errors import UnwritableError
from robocompiler.model.geometry import Triangles
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Body, Frame, Inertia, Joint, Mechanism, Mesh, Shape
from robocompiler.solve.state import evaluate
from robocompiler.spatial import Pose, exp_rotation, quaternion_of
from robocompiler.write.base import base_name
from robocompiler.write.fidelity import Fidelity, Property
from robocompiler.write.inertias import BALL_DENSITY
from robocompiler.write.links import axis_names, axis_values
from robocompiler.write.options import WriteOptions
from robocompiler.write.urdf.format import URDF
from robocompiler.write.urdf.names import URDF_NATIVE, legal
from robocompiler.write.urdf.robot import roll_pitch_yaw
from urdfs import Written, inertia, pose, vector

LOWERED = [kind for kind in MOVING if kind not in URDF_NATIVE]
SOLID = Triangles(
    np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.3]]),
    np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
)


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


@pytest.mark.parametrize("pitch", [0.4, math.pi / 2, -math.pi / 2, math.pi / 2 - 1e-9])
def test_roll_pitch_and_yaw_say_a_rotation_to_rounding(pitch):
    x, y, z = np.eye(3)
    R = exp_rotation(1.1 * z) @ exp_rotation(pitch * y) @ exp_rotation(-2.2 * x)
    roll, tilt, yaw = roll_pitch_yaw(R)
    again = exp_rotation(yaw * z) @ exp_rotation(tilt * y) @ exp_rotation(roll * x)
    np.testing.assert_allclose(again, R, atol=2e-15)


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


# ------------------------------------------------------------------------------------ roots


def floating(count=1):
    """Bodies that nothing holds."""
    names = [f"body{i}" for i in range(count)]
    frames = [Frame(name=f"W{name}", body=WORLD) for name in names]
    frames += [Frame(name=f"B{name}", body=name) for name in names]
    joints = [
        Joint(
            name=f"float {name}",
            kind=JointKind.FREE,
            parent=f"W{name}",
            child=f"B{name}",
            start=(0.1, 0.2, 0.3, *turned(0.1, 0.2, 0.3)),
        )
        for name in names
    ]
    bodies = [Body(name=name, inertia=bar(1.0, 0.3)) for name in names]
    return Mechanism(
        name="floating", bodies=tuple(bodies), frames=tuple(frames), joints=tuple(joints)
    )


def test_one_floating_tree_has_its_body_as_the_root_and_the_srdf_says_that_it_floats():
    own = Written(floating())
    assert own.links == ["body0"]
    assert own.joints == []
    virtual = own.srdf.find("virtual_joint")
    assert (virtual.get("type"), virtual.get("child_link")) == ("floating", "body0")
    value = vector(own.srdf.find("group_state/joint").get("value"))
    w, *xyz = turned(0.1, 0.2, 0.3)
    np.testing.assert_allclose(value, [0.1, 0.2, 0.3, *xyz, w], atol=1e-15)
    assert "root link" in own.entry(Property.FREE_JOINT, "float body0").how
    assert own.ledger.unsupported == []


def test_a_floating_root_that_counts_from_elsewhere_is_said_to():
    mechanism = floating()
    frames = (replace(mechanism.frames[0], position=(0.0, 0.0, 1.0)), mechanism.frames[1])
    own = Written(replace(mechanism, frames=frames))
    assert own.entry(Property.ZERO, "float body0").fidelity is Fidelity.DROPPED


def test_a_frame_on_the_world_needs_a_world_that_a_floating_body_hangs_on():
    mechanism = floating()
    marker = Frame(name="marker", body=WORLD, position=(1.0, 2.0, 3.0))
    own = Written(replace(mechanism, frames=(*mechanism.frames, marker)))
    assert own.links == ["world", "body0", "marker"]
    assert own.joint("float_body0").get("type") == "floating"
    joint = own.joint("marker_joint")
    assert joint.find("parent").get("link") == "world"
    np.testing.assert_array_equal(pose(joint.find("origin")).p, (1.0, 2.0, 3.0))


def test_several_floating_bodies_hang_on_the_world():
    own = Written(floating(2))
    assert own.links == ["world", "body0", "body1"]
    assert [e.get("type") for e in own.root.findall("joint")] == ["floating", "floating"]
    model, data = own.mujoco()
    for state in own.srdf.findall("group_state/joint"):
        x, y, z, qx, qy, qz, w = vector(state.get("value"))
        data.joint(state.get("name")).qpos[:] = x, y, z, w, qx, qy, qz
    mujoco.mj_kinematics(model, data)
    X = own.export.state.poses[1]
    np.testing.assert_allclose(data.body("body0").xpos, X.p, atol=1e-15)
    np.testing.assert_allclose(data.body("body0").xmat.reshape(3, 3), X.R, atol=1e-15)


def test_a_body_that_floats_beside_a_fixed_base_hangs_on_the_world_wherever_it_counts_from():
    """MuJoCo takes nothing that floats below a body, even one that does not move."""
    arm_, free = arm(JointKind.REVOLUTE), floating()
    place = {"position": (0.3, -0.2, 0.1), "rotation": turned(0.4, 0.5, -0.6)}
    other = {"position": (0.0, 0.1, 0.7), "rotation": turned(-0.1, 0.2, 0.9)}
    frames = (replace(free.frames[0], **place), replace(free.frames[1], **other))
    own = Written(
        replace(
            arm_,
            bodies=(*arm_.bodies, *free.bodies),
            frames=(*arm_.frames, *frames),
            joints=(*arm_.joints, *free.joints),
        )
    )
    assert own.joint("float_body0").find("parent").get("link") == "world"
    assert own.joint("S").find("parent").get("link") == "base"
    model, _ = own.mujoco()
    (state,) = [e for e in own.srdf.findall("group_state/joint") if e.get("name") == "float_body0"]
    x, y, z, qx, qy, qz, w = vector(state.get("value"))
    origin = pose(own.joint("float_body0").find("origin"))
    X = origin @ Pose.of((x, y, z), (w, qx, qy, qz))
    index = next(i for i, body in enumerate(own.compiled.bodies) if body.name == "body0")
    expected = own.export.state.poses[index]
    np.testing.assert_allclose(X.p, expected.p, atol=1e-15)
    np.testing.assert_allclose(X.R, expected.R, atol=1e-15)
    assert model.joint("float_body0").type[0] == mujoco.mjtJoint.mjJNT_FREE


@pytest.mark.parametrize(
    ("mechanism", "first"), [(floating(), "body0"), (arm(JointKind.REVOLUTE), "base")]
)
def test_a_base_footprint_without_mass_is_the_root_above_the_first_link(mechanism, first):
    own = Written(mechanism, root="base_footprint")
    assert own.links[:2] == ["base_footprint", first]
    assert list(own.link("base_footprint")) == []
    joint = own.joint(f"{first}_joint")
    assert joint.get("type") == "fixed"
    assert joint.find("parent").get("link") == "base_footprint"
    children = [e.get("link") for e in own.root.findall("joint/child")]
    assert set(own.links) - set(children) == {"base_footprint"}


@pytest.mark.parametrize("mechanism", [four_bar(), arm(JointKind.REVOLUTE), floating(2)])
def test_the_static_base_has_the_name_that_it_has_in_mjcf(mechanism):
    own = Written(mechanism)
    base = base_name(own.compiled)
    children = {
        e.find("child").get("link")
        for e in own.root.findall("joint")
        if e.find("parent").get("link") == "world" and e.get("type") == "fixed"
    }
    assert children == ({base} if base else set())


@pytest.mark.parametrize("kind", [*MOVING, JointKind.FREE])
def test_every_link_but_the_root_has_one_parent(kind):
    joint = arm(kind) if kind is not JointKind.FREE else floating(3)
    own = Written(joint, intermediate_mass=0.0)
    children = [e.get("link") for e in own.root.findall("joint/child")]
    assert len(children) == len(set(children)) == len(own.links) - 1
    assert own.links[0] not in children


# ------------------------------------------------------------------------------------ names


def test_names_are_legal_and_unique_and_what_changed_is_said():
    mechanism = arm(JointKind.REVOLUTE)
    names = {"upper": "arm/ö 1", "lower": "arm:_ 1"}
    bodies = tuple(replace(b, name=names[b.name]) for b in mechanism.bodies)
    frames = tuple(replace(f, body=names.get(f.body, f.body)) for f in mechanism.frames)
    joints = (
        replace(mechanism.joints[0], name="a b"),
        replace(mechanism.joints[1], name="a_b", effort=1.0),
    )
    own = Written(replace(mechanism, bodies=bodies, frames=frames, joints=joints))
    assert own.links == ["world", "base", "arm___1", "arm___1_2"]
    assert own.joints == ["base_joint", "a_b_2", "a_b"]
    assert own.export.names["link"] == {"arm/ö 1": "arm___1", "arm:_ 1": "arm___1_2"}
    assert own.export.names["joint"] == {"a b": "a_b_2"}


def test_a_name_of_which_nothing_can_be_written_is_refused():
    mechanism = arm(JointKind.REVOLUTE)
    joints = (replace(mechanism.joints[0], name="…"), mechanism.joints[1])
    with pytest.raises(UnwritableError, match="URDF can hold nothing of the name of joint '…'"):
        Written(replace(mechanism, joints=joints))


def test_a_body_whose_name_becomes_world_is_not_the_world():
    mechanism = arm(JointKind.REVOLUTE)
    bodies = tuple(replace(b, name="wörld") if b.name == "lower" else b for b in mechanism.bodies)
    frames = tuple(replace(f, body="wörld") if f.body == "lower" else f for f in mechanism.frames)
    own = Written(replace(mechanism, bodies=bodies, frames=frames))
    assert own.links.count("world") == 1
    assert "w_rld" in own.links


def test_no_frame_is_the_world_even_where_the_world_is_no_link():
    """Drake would weld a link of that name to its world."""
    mechanism = floating()
    named = Frame(name="world", body="body0")
    own = Written(replace(mechanism, frames=(*mechanism.frames, named)))
    assert own.links == ["body0", "world_2"]


# ----------------------------------------------------------------------------------- shapes


def with_shapes(*colors):
    mechanism = arm(JointKind.REVOLUTE)
    shapes = tuple(
        Shape(
            name=f"part {i}",
            mesh="solid",
            position=(0.01 * i, 0.0, 0.0),
            rotation=turned(0.0, 0.0, 0.1 * i),
            color=color,
        )
        for i, color in enumerate(colors)
    )
    bodies = (replace(mechanism.bodies[0], shapes=shapes), mechanism.bodies[1])
    mechanism = replace(mechanism, bodies=bodies, meshes=(Mesh(name="solid"),))
    return Written(mechanism, geometry=lambda mesh, coarseness: SOLID)


def test_a_colour_is_defined_once_and_colours_that_look_alike_keep_apart():
    near = (0.5, 0.25, 0.75, 1.0), (0.5, 0.25, 0.7500001, 1.0)
    own = with_shapes(near[0], near[1], near[0], None)
    defined = {m.get("name"): m.find("color").get("rgba") for m in own.root.findall("material")}
    used = [v.find("material") for v in own.root.findall("link/visual")]
    assert [vector(defined[m.get("name")]).tolist() for m in used[:3]] == [
        list(near[0]),
        list(near[1]),
        list(near[0]),
    ]
    assert len(defined) == 2
    assert used[3] is None


def test_a_mesh_is_seen_and_collides_in_metres_beside_the_model():
    own = with_shapes((1.0, 0.0, 0.0, 1.0))
    for tag, name in (("visual", "part_0"), ("collision", "part_0_collision")):
        element = own.link("upper").find(tag)
        assert element.get("name") == name
        mesh = element.find("geometry/mesh")
        assert mesh.get("filename") == "arm_meshes/solid.obj"
        assert mesh.get("scale") is None
    own = with_shapes(None, None)
    X = pose(own.link("upper").findall("visual")[1].find("origin"))
    np.testing.assert_allclose(X.R, Pose.of((0, 0, 0), turned(0.0, 0.0, 0.1)).R, atol=1e-15)
    np.testing.assert_allclose(X.p, (0.01, 0.0, 0.0), atol=1e-15)
