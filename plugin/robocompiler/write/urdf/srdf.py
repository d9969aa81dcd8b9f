"""The SRDF: named configurations, and what never collides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD
from robocompiler.solve.describe import coordinates
from robocompiler.solve.state import State, evaluate
from robocompiler.spatial import Array, Pose
from robocompiler.write.comments import HEADER, comment
from robocompiler.write.links import LinkJoint, axis_values
from robocompiler.write.numbers import numbers
from robocompiler.write.urdf.drives import Drive
from robocompiler.write.urdf.mimics import Mimic
from robocompiler.write.urdf.robot import Robot

ALL = "all"
"""The group of all joints that move: a state is one of a group."""
FLOATING = "root_joint"
"""The joint by which a root floats: Pinocchio's name for it."""


def srdf(robot: Robot, drives: Sequence[Drive], mimics: Mapping[str, Mimic], name: str) -> Element:
    """The semantic description beside the URDF."""
    root: Element[Any] = Element("robot", name=name)
    root.append(comment(HEADER))
    group = SubElement(root, "group", name=ALL)
    joints = [robot.names.joints[joint.name] for joint in robot.joints]
    for joint in [*([FLOATING] if robot.floating is not None else []), *joints]:
        SubElement(group, "joint", name=joint)
    for called, configuration in robot.export.configurations.items():
        state_name = robot.names.states[called]
        state = SubElement(root, "group_state", name=state_name, group=ALL)
        for joint, values in _values(robot, coordinates(robot.compiled, configuration)):
            SubElement(state, "joint", name=joint, value=numbers(values))
    root.extend(_held(robot))
    driven = {drive.joint.name for drive in drives} | mimics.keys()
    for own in robot.joints:
        if own.name not in driven:
            SubElement(root, "passive_joint", name=robot.names.joints[own.name])
    root.extend(_adjacent(robot))
    return root


def _held(robot: Robot) -> Iterator[Element]:
    """How the root is held, where the root is not the world itself."""
    if robot.floating is not None:
        child = robot.root or robot.link(robot.floating)
        yield _virtual(FLOATING, "floating", child)
    elif robot.root != WORLD:
        yield _virtual("fixed_base", "fixed", str(robot.root))


def _virtual(name: str, kind: str, child: str) -> Element:
    return Element("virtual_joint", name=name, type=kind, parent_frame=WORLD, child_link=child)


def _values(robot: Robot, q: Array) -> Iterator[tuple[str, Sequence[float]]]:
    """The coordinates of the file's joints; of what floats its place and quaternion x y z w."""
    state = evaluate(robot.compiled, q)
    if robot.floating is not None:
        yield FLOATING, _place(state.poses[robot.floating])
    for joint in robot.joints:
        name, own = robot.names.joints[joint.name], robot.compiled.tree[joint.source]
        if joint.kind is JointKind.FREE:
            yield name, _place(_motion(robot, joint, state))
        else:
            yield name, (axis_values(own.edge.joint, q[own.q])[joint.part or 0],)


def _motion(robot: Robot, joint: LinkJoint, state: State) -> Pose:
    """How far a floating joint is from its origin."""
    own = robot.compiled.tree[joint.source]
    parents = [link.X_BL for link in robot.tree.links if link.name == joint.parent]
    X_WP = state.poses[own.inboard] @ parents[0]
    X_WC = state.poses[own.outboard] @ robot.tree.of_body(own.outboard).X_BL
    return joint.X_PC.inverse() @ X_WP.inverse() @ X_WC


def _place(X: Pose) -> tuple[float, ...]:
    w, x, y, z = X.quaternion
    return (*X.position, x, y, z, w)


def _adjacent(robot: Robot) -> Iterator[Element]:
    """Bodies that a joint or a closure holds together."""
    edges = [tree_joint.edge for tree_joint in robot.compiled.tree]
    edges += [closure.chord for closure in robot.compiled.closures]
    pairs: dict[tuple[str, str], None] = {}
    for edge in edges:
        first, second = robot.link(edge.parent), robot.link(edge.child)
        if edge.joint.kind is not JointKind.FREE and (second, first) not in pairs:
            pairs[first, second] = None
    for first, second in pairs:
        yield Element("disable_collisions", link1=first, link2=second, reason="Adjacent")
