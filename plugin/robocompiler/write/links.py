"""The spanning tree as links and joints of one axis each, for URDF, SDFormat and USD.

In these a joint stands at the frame of the link it leads to, so a body's link has its origin on the
joint's axis; the link's axes stay the body's. A joint of several freedoms that the format lacks is
a chain of joints of one, with links between that are no bodies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism, TreeJoint
from robocompiler.equations.kinematics import joint_motion
from robocompiler.model.joint_kinds import Factor, JointKind
from robocompiler.model.mechanism import OPEN, Joint
from robocompiler.spatial import Array, Pose, rotation_of

AXES = {
    Factor.MOVE_X: (1.0, 0.0, 0.0),
    Factor.MOVE_Y: (0.0, 1.0, 0.0),
    Factor.MOVE_Z: (0.0, 0.0, 1.0),
    Factor.TURN_X: (1.0, 0.0, 0.0),
    Factor.TURN_Y: (0.0, 1.0, 0.0),
    Factor.TURN_Z: (0.0, 0.0, 1.0),
    Factor.HELIX_Z: (0.0, 0.0, 1.0),
}
LOWERED: dict[JointKind, tuple[Factor, ...]] = {
    JointKind.SCREW: (Factor.TURN_Z, Factor.MOVE_Z),
    JointKind.BALL: (Factor.TURN_X, Factor.TURN_Y, Factor.TURN_Z),
}
"""Motions of single axes that a kind is made of, where these are not its factors."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Link:
    """A body of the tree, or what stands between two axes of a joint."""

    name: str
    """The body's; of what stands between, the joint's with its part: `slide/moveZ link`."""
    body: int | None
    """Index of the compiled body; None for one between axes."""
    X_BL: Pose
    """Its frame seen from the body's; of one between axes, that of the axis before it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinkJoint:
    """A joint from one link to another, inboard to outboard."""

    name: str
    """The mechanism's joint's, or of one axis of it as `Joint.full_names` has it; a screw's second
    is `<name>/advance`, a ball's are `<name>/rotation.x`, …"""
    kind: JointKind
    """One that the format has."""
    source: int
    """The tree joint it is, or is part of."""
    part: int | None
    """Which axis of it; None where it is all of it."""
    parent: str
    child: str
    X_PC: Pose
    """The child link's frame seen from the parent link's, where the coordinate is `at`."""
    axis: tuple[float, float, float]
    """Unit vector along or about which its coordinate grows, in the child link's frame; of a kind
    of several freedoms, the axis that is F's z."""
    X_CM: Pose
    """The joint's own frame on the child link's side, seen from the child link's frame: its
    coordinates' axes. Its origin is the link's, but for kinds that only move."""
    at: tuple[float, ...]
    """Its coordinates where the links stand as `X_PC` says [m, rad, quaternion]."""
    limits: tuple[float, float] = OPEN
    """Of a joint of one axis [m or rad]."""

    @property
    def turns(self) -> bool:
        """Whether it is a hinge."""
        return self.kind is JointKind.REVOLUTE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinkTree:
    """Links and joints, inboard before outboard; the first link is what does not move, if any."""

    links: tuple[Link, ...]
    joints: tuple[LinkJoint, ...]

    def of_body(self, body: int) -> Link:
        """The link of a compiled body."""
        return next(link for link in self.links if link.body == body)


def link_tree(
    compiled: CompiledMechanism, q: Array, native: frozenset[JointKind], zero: bool
) -> LinkTree:
    """The tree in a format's joints.

    Args:
        compiled: the mechanism.
        q: where it stands.
        native: kinds that the format has; revolute and prismatic are, always.
        zero: whether links are placed where all coordinates are 0, as in URDF; else where the
            mechanism stands, as in SDFormat.

    Returns:
        Links in the order of the bodies, the world's first; each joint's direction is outward, its
        coordinate the mechanism's own whichever way it is crossed.
    """
    links = [Link(name=compiled.bodies[0].name, body=0, X_BL=Pose.identity())]
    frames: dict[int, Pose] = {0: Pose.identity()}
    joints: list[LinkJoint] = []
    for index, tree_joint in enumerate(compiled.tree):
        own = q[tree_joint.q]
        inner, outer = _ends(tree_joint)
        X_BL = _link_frame(tree_joint.edge.joint.kind, outer)
        frames[tree_joint.outboard] = X_BL
        whole = tree_joint.edge.joint.kind in native
        parts = _whole(tree_joint, own, zero) if whole else _axes(tree_joint, own, zero)
        link = links_name(compiled, tree_joint.inboard)
        X_LJ = frames[tree_joint.inboard].inverse() @ inner
        for number, part in enumerate(parts):
            last = number == len(parts) - 1
            child = compiled.bodies[tree_joint.outboard].name if last else f"{part.name} link"
            X_JC = outer.inverse() @ X_BL if last else Pose.identity()
            links.append(
                Link(
                    name=child,
                    body=tree_joint.outboard if last else None,
                    X_BL=X_BL if last else Pose.identity(),
                )
            )
            X_CM = X_JC.inverse()
            joints.append(
                LinkJoint(
                    name=part.name,
                    kind=part.kind,
                    source=index,
                    part=None if whole else part.index,
                    parent=link,
                    child=child,
                    X_PC=X_LJ @ part.motion @ X_JC,
                    axis=_tuple(X_CM.R @ part.axis),
                    X_CM=X_CM,
                    at=part.at,
                    limits=part.limits,
                )
            )
            link, X_LJ = child, Pose.identity()
    return LinkTree(links=tuple(links), joints=tuple(joints))


def links_name(compiled: CompiledMechanism, body: int) -> str:
    """What the link of a compiled body is called."""
    return compiled.bodies[body].name


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """One joint of the chain that a tree joint becomes."""

    name: str
    kind: JointKind
    index: int
    axis: Array
    motion: Pose
    at: tuple[float, ...]
    limits: tuple[float, float]


def _ends(tree_joint: TreeJoint) -> tuple[Pose, Pose]:
    """The joint's frames on the inboard and on the outboard body."""
    edge = tree_joint.edge
    return (edge.X_CM, edge.X_PF) if tree_joint.reversed else (edge.X_PF, edge.X_CM)


def _link_frame(kind: JointKind, outer: Pose) -> Pose:
    """A link's frame on its body: on the joint, along the body's axes; the body's own where the
    joint turns about nothing, or about everything.
    """
    held = kind is JointKind.FREE or not any(factor.is_turn for factor in kind.factors)
    return Pose.identity() if held else Pose(np.eye(3), outer.p)


def _whole(tree_joint: TreeJoint, q: Array, zero: bool) -> list[_Part]:
    joint = tree_joint.edge.joint
    at = joint.kind.zero if zero else tuple(float(value) for value in q)
    X_FM = joint_motion(joint.kind, np.array(at), joint.pitch)
    motion = X_FM.inverse() if tree_joint.reversed else X_FM
    sign = -1.0 if tree_joint.reversed else 1.0
    single = len(joint.kind.factors) == 1 and joint.kind.factors[0].nq == 1
    limits = joint.limits[0] if single and joint.limits else OPEN
    return [_Part(joint.name, joint.kind, 0, np.array([0.0, 0.0, sign]), motion, at, limits)]


def _axes(tree_joint: TreeJoint, q: Array, zero: bool) -> list[_Part]:
    """A chain of hinges and slides, from inboard to outboard.

    A screw's hinge comes first whichever way it is crossed: its advance follows it, consumers want
    a leader before what follows, and on one axis the order is free.
    """
    joint = tree_joint.edge.joint
    factors = axis_factors(joint.kind)
    names = axis_names(joint)
    values = [0.0] * len(factors) if zero else axis_values(joint, q)
    backwards = tree_joint.reversed and joint.kind is not JointKind.SCREW
    order = range(len(factors))[:: -1 if backwards else 1]
    sign = -1.0 if tree_joint.reversed else 1.0
    parts = []
    for index in order:
        factor, value = factors[index], float(values[index])
        axis = sign * np.array(AXES[factor])
        kind = JointKind.REVOLUTE if factor.is_turn else JointKind.PRISMATIC
        motion = _about(axis, value) if factor.is_turn else Pose(np.eye(3), value * axis)
        limits = axis_limits(joint, index)
        parts.append(_Part(names[index], kind, index, axis, motion, (value,), limits))
    return parts


def axis_factors(kind: JointKind) -> tuple[Factor, ...]:
    """The motions of one axis each that a kind is made of, from F to M."""
    return LOWERED.get(kind, kind.factors)


def axis_names(joint: Joint) -> tuple[str, ...]:
    """What each of these is called."""
    if joint.kind is JointKind.SCREW:
        return (joint.name, f"{joint.name}/advance")
    return joint.speed_names if joint.kind is JointKind.BALL else joint.full_names


def axis_values(joint: Joint, q: Array) -> list[float]:
    """Their coordinates [m or rad]; a ball's are the angles about x, then y, then z that turn it.

    Args:
        joint: the joint.
        q: its coordinates.
    """
    if joint.kind is JointKind.SCREW:
        return [float(q[0]), joint.pitch * float(q[0])]
    if joint.kind is JointKind.BALL:
        return turns_xyz(rotation_of(np.asarray(q)))
    return [float(value) for value in q]


def axis_limits(joint: Joint, index: int) -> tuple[float, float]:
    """The limits of one of them; of a ball's none, since its swing is no single angle."""
    if joint.kind is JointKind.SCREW and joint.limits:
        low, high = joint.limits[0]
        ends = sorted((joint.pitch * low, joint.pitch * high))
        return (low, high) if index == 0 else (ends[0], ends[1])
    if joint.kind is JointKind.BALL or not joint.limits:
        return OPEN
    return joint.limits[index]


def turns_xyz(R: Array) -> list[float]:
    """Angles a, b, c with R = Rx(a) Ry(b) Rz(c); b within ±90°."""
    b = float(np.arctan2(R[0, 2], np.hypot(R[0, 0], R[0, 1])))
    a = float(np.arctan2(-R[1, 2], R[2, 2]))
    c = float(np.arctan2(-R[0, 1], R[0, 0]))
    return [a, b, c]


def _about(axis: Array, angle: float) -> Pose:
    q = np.concatenate([[np.cos(angle / 2.0)], np.sin(angle / 2.0) * axis])
    return Pose(rotation_of(q), np.zeros(3))


def _tuple(v: Array) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in v)
    return (x, y, z)


def joint_of(compiled: CompiledMechanism, link_joint: LinkJoint) -> Joint:
    """The mechanism's joint that a link joint is, or is part of."""
    return compiled.tree[link_joint.source].edge.joint


def intermediate(tree: LinkTree) -> Iterator[Link]:
    """The links that are no bodies."""
    return (link for link in tree.links if link.body is None)
