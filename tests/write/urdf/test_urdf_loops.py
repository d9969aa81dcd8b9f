"""The loops beside the tree, and the SRDF."""

import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

import robocompiler as rc
from arms import arm
from linkages.overconstrained import bennett
from linkages.stewart import stewart, task_pose
from mechanisms import four_bar
from robocompiler.model.joint_kinds import JointKind
from robocompiler.spatial import Pose, exp_rotation
from robocompiler.write.base import base_name
from robocompiler.write.links import link_tree
from robocompiler.write.urdf.names import URDF_NATIVE, legal
from urdfs import DRAKE, Written, pose, vector

TILT = (0.3, -0.5, 0.2)
MECHANISMS = {
    "planar": lambda: four_bar(tilt=TILT),
    "ball": lambda: four_bar(tilt=TILT, kinds={"C": JointKind.BALL}),
    "spatial": bennett,
    "Stewart": lambda: stewart(task_pose(0.4)),
}
POINTS = {"planar": 1, "ball": 1, "spatial": 2, "Stewart": 1}


@pytest.fixture(params=MECHANISMS)
def case(request):
    own = Written(MECHANISMS[request.param](), intermediate_mass=0.0)
    return own, POINTS[request.param]


def link_poses(own):
    """Where each link stands, by the joints of the file and the SRDF's coordinates."""
    values = {e.get("name"): e.get("value") for e in own.srdf.findall("group_state/joint")}
    poses = {"world": Pose.identity()}
    waiting = list(own.root.findall("joint"))
    while waiting:
        for joint in list(waiting):
            parent = joint.find("parent").get("link")
            if parent in poses:
                X = poses[parent] @ pose(joint.find("origin"))
                poses[joint.find("child").get("link")] = X @ motion(joint, values)
                waiting.remove(joint)
    return poses


def motion(joint, values):
    if joint.get("type") == "fixed":
        return Pose.identity()
    by = float(values[joint.get("name")]) * vector(joint.find("axis").get("xyz"))
    if joint.get("type") == "prismatic":
        return Pose(np.eye(3), by)
    return Pose(exp_rotation(by), np.zeros(3))


def test_frames_of_loops_meet_where_the_srdf_says_that_it_stands(case):
    own, points = case
    poses = link_poses(own)
    assert own.compiled.closures
    for closure in own.compiled.closures:
        ends = [poses[legal(f"{closure.name}_{end}")] for end in ("parent", "child")]
        np.testing.assert_allclose(ends[0].p, ends[1].p, atol=1e-12)
        if closure.kind is JointKind.REVOLUTE:
            np.testing.assert_allclose(ends[0].R[:, 2], ends[1].R[:, 2], atol=1e-12)
        if points == 2:
            ends = [poses[legal(f"{closure.name}_axis_{end}")] for end in ("parent", "child")]
            np.testing.assert_allclose(ends[0].p, ends[1].p, atol=1e-12)


def test_bodies_stand_where_ours_do(case):
    own, _ = case
    poses, state = link_poses(own), own.export.state
    for index, body in enumerate(own.compiled.bodies[1:], 1):
        X = state.poses[index] @ own_tree(own).of_body(index).X_BL
        np.testing.assert_allclose(poses[legal(body.name)].p, X.p, atol=1e-12)
        np.testing.assert_allclose(poses[legal(body.name)].R, X.R, atol=1e-12)


def own_tree(own):
    return link_tree(own.compiled, own.export.q, URDF_NATIVE, zero=True)


def test_urdf_plus_says_each_loop_at_these_frames(case):
    own, _ = case
    poses = link_poses(own)
    loops = own.root.findall("loop")
    assert [e.get("name") for e in loops] == [legal(c.name) for c in own.compiled.closures]
    kinds = {JointKind.REVOLUTE: "revolute", JointKind.BALL: "spherical"}
    for loop, closure in zip(loops, own.compiled.closures, strict=True):
        assert loop.get("type") == kinds[closure.kind]
        X = [
            poses[loop.find(side).get("link")] @ pose(loop.find(f"{side}/origin"))
            for side in ("predecessor", "successor")
        ]
        np.testing.assert_allclose(X[0].p, X[1].p, atol=1e-12)
        axis = vector(loop.find("axis").get("xyz"))
        if closure.kind is JointKind.REVOLUTE:
            np.testing.assert_allclose(X[0].R @ axis, X[1].R @ axis, atol=1e-12)


def test_drake_is_told_the_points_that_meet_and_no_more_than_it_takes(case):
    own, points = case
    poses = link_poses(own)
    balls = own.root.findall(f"{DRAKE}ball_constraint")
    assert len(balls) == points * len(own.compiled.closures)
    for ball in balls:
        places = []
        for side, at in (("A", "AP"), ("B", "BQ")):
            body = ball.find(f"{DRAKE}ball_constraint_body_{side}").get("name")
            p = vector(ball.find(f"{DRAKE}ball_constraint_p_{at}").get("value"))
            places.append(poses[body].R @ p + poses[body].p)
        np.testing.assert_allclose(places[0], places[1], atol=1e-12)


def test_the_extended_urdf_names_frames_that_are_there(case):
    own, points = case
    (path,) = [path for path in own.files if path.endswith(".robot.yaml")]
    _, *lines = own.files[path].decode().splitlines()
    said = {key: json.loads(value) for key, value in (line.split(": ", 1) for line in lines)}
    assert list(said) == ["closed_loop", "type", "name_mot"]
    assert len(said["closed_loop"]) == points * len(own.compiled.closures)
    assert said["type"] == ["3d"] * len(said["closed_loop"])
    assert {name for pair in said["closed_loop"] for name in pair} <= set(own.links)
    assert set(said["name_mot"]) <= set(own.joints)


def test_joints_of_loops_say_which_move_the_others(case):
    own, _ = case
    said = [e.get("independent") for e in own.root.findall("joint")]
    assert said.count("true") == int(rc.mobility(own.compiled, own.export.q))


def test_driven_joints_are_the_independent_ones():
    own = Written(four_bar(joint={"D": {"effort": 1.0}}))
    assert own.joint("D").get("independent") == "true"
    assert own.joint("A").get("independent") == "false"


def test_without_loops_there_is_no_list_of_them():
    own = Written(arm(JointKind.REVOLUTE))
    assert not any(path.endswith(".yaml") for path in own.files)
    assert all(e.get("independent") is None for e in own.root.findall("joint"))


def test_a_loop_is_never_a_joint(case):
    own, _ = case
    moving = [e for e in own.root.findall("joint") if e.get("type") != "fixed"]
    cut = {closure.chord.joint.name for closure in own.compiled.closures}
    assert cut.isdisjoint(e.get("name") for e in moving)


# ------------------------------------------------------------------------------------- SRDF


def test_named_configurations_are_states_of_all_joints(tmp_path):
    mechanism = four_bar()
    compiled = rc.compile(mechanism)
    bent = rc.assemble(compiled, {"A": 1.0})
    path = tmp_path / "a.urdf"
    result = rc.write(compiled, path, configurations={"bent": bent})
    root = ElementTree.parse(tmp_path / "a.srdf").getroot()
    states = {
        state.get("name"): {j.get("name"): float(j.get("value")) for j in state}
        for state in root.findall("group_state")
    }
    assert list(states) == ["assembled", "bent"]
    assert states["bent"]["A"] == pytest.approx(1.0)
    assert states["assembled"]["A"] == pytest.approx(0.7)
    joints = {j.get("name") for j in root.find("group")}
    assert joints == set(states["bent"])
    # Both are closed: the ends of the loop meet by the file's own joints.
    own = Written(mechanism)
    for values in states.values():
        for e in own.srdf.findall("group_state/joint"):
            e.set("value", repr(values[e.get("name")]))
        poses = link_poses(own)
        np.testing.assert_allclose(poses["C_parent"].p, poses["C_child"].p, atol=1e-12)
    assert [p.name for p in result.files[:3]] == ["a.urdf", "a.srdf", "a.robot.yaml"]


def test_bodies_that_joints_and_loops_hold_together_do_not_collide(case):
    own, _ = case
    pairs = {
        frozenset((e.get("link1"), e.get("link2"))) for e in own.srdf.findall("disable_collisions")
    }
    names = [base_name(own.compiled), *(body.name for body in own.compiled.bodies[1:])]
    edges = [t.edge for t in own.compiled.tree] + [c.chord for c in own.compiled.closures]
    assert pairs == {frozenset((legal(names[e.parent]), legal(names[e.child]))) for e in edges}
    assert {e.get("reason") for e in own.srdf.findall("disable_collisions")} == {"Adjacent"}


def test_a_loop_says_where_it_is_cut_and_why(case):
    own, _ = case
    for closure in own.compiled.closures:
        said = f"<!-- loop {closure.name}: cut at {closure.chord.joint.name} "
        assert f"{said}({closure.kind.value}): {closure.reason} -->" in own.text


def test_names_of_loops_and_states_are_legal_and_unique():
    mechanism = four_bar()
    joints = tuple(replace(j, name="c/ü") if j.name == "C" else j for j in mechanism.joints)
    mechanism = replace(mechanism, joints=joints)
    standing = rc.assemble(rc.compile(mechanism))
    own = Written(mechanism, configurations={"a b": standing, "a_b": standing})
    (closure,) = own.compiled.closures
    assert closure.name == "c/ü"
    assert own.root.find("loop").get("name") == "c__"
    assert [f"c___{end}" in own.links for end in ("parent", "child")] == [True, True]
    states = [e.get("name") for e in own.srdf.findall("group_state")]
    assert states == ["assembled", "a_b_2", "a_b"]
    assert own.export.names["configuration"] == {"a b": "a_b_2"}
    assert own.export.names["loop"] == {"c/ü": "c__"}
