"""Loops beside the tree: URDF+, Drake's points that meet, and the Extended URDF's list."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from robocompiler.compiler.compiled import Closure
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.closure import scaled_jacobian
from robocompiler.solve.mobility.moves import null_space
from robocompiler.spatial import Pose
from robocompiler.write.comments import HEADER, comment
from robocompiler.write.links import LinkJoint
from robocompiler.write.numbers import numbers
from robocompiler.write.urdf.drives import DRAKE, Drive
from robocompiler.write.urdf.mimics import Mimic
from robocompiler.write.urdf.names import closure_ends
from robocompiler.write.urdf.robot import Robot, origin

LOOP_TYPES = {JointKind.REVOLUTE: "revolute", JointKind.BALL: "spherical"}
"""As URDF+ calls the kinds that are cut here."""
# Singular values of a Jacobian below this share of the greatest hold nothing.
CUT = 1e-8


def loop_elements(robot: Robot) -> Iterator[Element | Element[Any]]:
    """URDF+: a `<loop>` for each closure, at its frames F and M, after why it is cut there."""
    for closure in robot.closures:
        chord = closure.chord
        kind, name = LOOP_TYPES[closure.kind], robot.names.loops[closure.name]
        yield comment(
            f"loop {closure.name}: cut at {chord.joint.name} ({closure.kind.value}): "
            f"{closure.reason}"
        )
        element = Element("loop", name=name, type=kind)
        for tag, body, X in (
            ("predecessor", chord.parent, chord.X_PF),
            ("successor", chord.child, chord.X_CM),
        ):
            origin(SubElement(element, tag, link=robot.link(body)), robot.X_LB(body) @ X)
        SubElement(element, "axis", xyz="0 0 1")
        yield element


def ball_constraints(robot: Robot) -> Iterator[Element]:
    """Drake: the points that meet, one for a ball and in a planar loop, two along other axes."""
    for closure in robot.closures:
        for along in _points(robot, closure):
            element = Element(f"{DRAKE}ball_constraint")
            chord = closure.chord
            for tag, at, body, X in (
                ("A", "AP", chord.parent, chord.X_PF),
                ("B", "BQ", chord.child, chord.X_CM),
            ):
                p = (robot.X_LB(body) @ X @ along).position
                own = f"{DRAKE}ball_constraint_"
                SubElement(element, f"{own}body_{tag}", name=robot.link(body))
                SubElement(element, f"{own}p_{at}", value=numbers(p))
            yield element


def robot_yaml(robot: Robot, drives: Sequence[Drive]) -> str:
    """The Extended URDF: pairs of frames whose origins meet, and the joints that are driven."""
    pairs: list[list[str]] = []
    for closure in robot.closures:
        ends = [robot.names.ends.get(name) for name in closure_ends(closure)]
        named = [end for end in ends if end is not None]
        pairs += [named[i : i + 2] for i in range(0, len(named), 2)]
    motors = dict.fromkeys(robot.names.joints[drive.joint.name] for drive in drives)
    lines = {"closed_loop": pairs, "type": ["3d"] * len(pairs), "name_mot": list(motors)}
    # JSON's lists and texts are YAML's.
    told = "".join(f"{key}: {json.dumps(value)}\n" for key, value in lines.items())
    return f"# {HEADER}\n{told}"


def _points(robot: Robot, closure: Closure) -> list[Pose]:
    """The points that meet, seen from F, and as well from M."""
    reach = robot.levers.get(closure.name)
    along = [0.0] if reach is None else [0.0, reach]
    return [Pose(np.eye(3), np.array([0.0, 0.0, z])) for z in along]


def independent_joints(
    robot: Robot, drives: Sequence[Drive], mimics: Mapping[str, Mimic]
) -> dict[str, bool]:
    """Of each joint on a loop, by `link_tree`'s name: whether others follow from it and its like.

    Those that are driven come first, then those nearer the root, and followers last, as long as
    each adds a freedom.
    """
    driven = {drive.joint.name for drive in drives}
    chosen: dict[str, bool] = {}
    for module in robot.compiled.modules:
        if not module.closures:
            continue
        free = null_space(scaled_jacobian(robot.compiled, robot.export.q, module), CUT)
        kept: list[int] = []
        on = [joint for joint in robot.joints if joint.source in module.joints]
        for joint in sorted(on, key=lambda joint: (joint.name in mimics, joint.name not in driven)):
            speed = _speed(robot, joint)
            adds = speed is not None and np.linalg.matrix_rank(free[[*kept, speed]], CUT)
            chosen[joint.name] = adds > len(kept)
            if speed is not None and chosen[joint.name]:
                kept.append(speed)
    return chosen


def _speed(robot: Robot, joint: LinkJoint) -> int | None:
    """The mechanism's speed that is a joint's; None of what floats, and of a screw's advance."""
    tree_joint, part = robot.compiled.tree[joint.source], joint.part or 0
    if joint.kind is JointKind.FREE or part >= tree_joint.edge.joint.kind.dof:
        return None
    return int(tree_joint.v.start) + part
