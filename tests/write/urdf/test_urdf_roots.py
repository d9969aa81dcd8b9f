"""Roots, names and shapes of a URDF."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

import robocompiler as rc
from arms import MOVING, arm
from mechanisms import bar, four_bar
from robocompiler.errors import OutputError, UnwritableError
from robocompiler.model.geometry import Triangles
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Body, Frame, Joint, Mechanism, Mesh, Shape
from robocompiler.spatial import Pose, exp_rotation, quaternion_of
from robocompiler.write.base import base_name
from robocompiler.write.fidelity import Fidelity, Property
from urdfs import Written, pose, vector

SOLID = Triangles(
    np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.3]]),
    np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
)


def turned(x, y, z):
    return tuple(quaternion_of(exp_rotation(np.array([x, y, z]))).tolist())


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


@pytest.mark.parametrize("name", ["m.srdf", "m.SRDF"])
def test_a_model_is_not_written_over_by_its_srdf(name, tmp_path):
    with pytest.raises(OutputError, match="its SRDF is called so"):
        rc.write(rc.compile(four_bar()), tmp_path / name, format="urdf")
    assert not [*tmp_path.iterdir()]


def test_no_link_has_the_name_that_drake_gives_a_frame_of_a_joint():
    """As an end of a loop would, where another joint is cut than the one that it is called by."""
    own = Written(four_bar(joint={"C": {"effort": 1.0}}))
    links = {link.get("name") for link in own.root.iter("link")}
    joints = {joint.get("name") for joint in own.root.findall("joint")}
    assert "C" in joints
    assert not links & {f"{name}_{side}" for name in joints for side in ("parent", "child")}
    assert own.export.names["end of a loop"]["C_parent"] in links
