"""The chain of links and joints of one axis moves as the mechanism does."""

from dataclasses import replace

import numpy as np
import pytest

import robocompiler as rc
from arms import MOVING, arm
from mechanisms import four_bar
from robocompiler.equations.kinematics import joint_motion
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.state import evaluate
from robocompiler.spatial import Pose, exp_rotation
from robocompiler.write.links import axis_values, link_tree

SINGLE = frozenset({JointKind.REVOLUTE, JointKind.PRISMATIC})


def moved(link_joint, by):
    """The child link's motion in its own frame when the coordinate grows by so much."""
    axis = np.array(link_joint.axis)
    if link_joint.turns:
        return Pose(exp_rotation(by * axis), np.zeros(3))
    return Pose(np.eye(3), by * axis)


def values_at(compiled, link_joint, q):
    tree_joint = compiled.tree[link_joint.source]
    return axis_values(tree_joint.edge.joint, q[tree_joint.q])[link_joint.part or 0]


@pytest.mark.parametrize("zero", [True, False])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", MOVING)
def test_links_lowered_to_single_axes_stand_where_the_bodies_do(kind, reverse, zero):
    compiled = rc.compile(arm(kind, reverse))
    configuration = rc.assemble(compiled)
    q = rc.coordinates(compiled, configuration)
    tree = link_tree(compiled, q, SINGLE, zero)
    there = rc.coordinates(compiled, rc.assemble(compiled, {"S": 1.1}))
    for at in (q, there):
        state = evaluate(compiled, at)
        poses = {tree.links[0].name: Pose.identity()}
        for joint in tree.joints:
            by = values_at(compiled, joint, at) - joint.at[0]
            poses[joint.child] = poses[joint.parent] @ joint.X_PC @ moved(joint, by)
        for link in tree.links:
            if link.body is not None:
                expected = state.poses[link.body] @ link.X_BL
                np.testing.assert_allclose(poses[link.name].p, expected.p, atol=1e-14)
                np.testing.assert_allclose(poses[link.name].R, expected.R, atol=1e-14)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", MOVING)
def test_a_native_joint_of_several_freedoms_moves_in_its_own_frame(kind, reverse):
    compiled = rc.compile(arm(kind, reverse))
    q = rc.coordinates(compiled, rc.assemble(compiled))
    state = evaluate(compiled, q)
    tree = link_tree(compiled, q, frozenset(JointKind), zero=True)
    (joint,) = [joint for joint in tree.joints if joint.kind is kind and joint.name == "J"]
    own = compiled.tree[joint.source]
    X_FM = joint_motion(kind, q[own.q], own.edge.joint.pitch)
    motion = X_FM.inverse() if own.reversed else X_FM
    inner, outer = tree.of_body(own.inboard), tree.of_body(own.outboard)
    X_WP = state.poses[own.inboard] @ inner.X_BL
    X_WC = X_WP @ joint.X_PC @ joint.X_CM @ motion @ joint.X_CM.inverse()
    expected = state.poses[own.outboard] @ outer.X_BL
    np.testing.assert_allclose(X_WC.p, expected.p, atol=1e-14)
    np.testing.assert_allclose(X_WC.R, expected.R, atol=1e-14)


def test_a_hinge_s_link_has_its_origin_on_the_axis_and_the_body_s_axes():
    mechanism = four_bar()
    shifted = tuple(
        replace(f, position=(f.position[0] + 0.03, 0.01, 0.02)) if f.body == "crank" else f
        for f in mechanism.frames
    )
    compiled = rc.compile(replace(mechanism, frames=shifted))
    q = rc.coordinates(compiled, rc.assemble(compiled))
    link = next(x for x in link_tree(compiled, q, SINGLE, True).links if x.name == "crank")
    np.testing.assert_allclose(link.X_BL.p, (0.03, 0.01, 0.02), atol=1e-15)
    np.testing.assert_array_equal(link.X_BL.R, np.eye(3))
