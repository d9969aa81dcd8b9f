"""Joints: of the tree, and those that were cut, which close its loops as they are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from robocompiler.compiler.compiled import Closure, TreeJoint
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import OPEN, WORLD, Joint
from robocompiler.spatial import Pose
from robocompiler.write.links import LinkJoint, joint_of
from robocompiler.write.sdf.couplings import Ties
from robocompiler.write.sdf.elements import coordinate, nested, pose, scalar, value, vector
from robocompiler.write.sdf.scene import Scene

SDF_JOINTS = {
    JointKind.REVOLUTE: "revolute",
    JointKind.PRISMATIC: "prismatic",
    JointKind.SCREW: "screw",
    JointKind.UNIVERSAL: "universal",
    JointKind.BALL: "ball",
}
AXIS_TAGS = ("axis", "axis2")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Axis:
    """One axis of a joint, in the joint's frame."""

    name: str
    """Of its coordinate, among all: `joint` or `joint/coordinate`."""
    direction: tuple[float, float, float]
    at: float
    """Its coordinate where the links stand [m or rad]: 0 in the file."""
    limits: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SdfJoint:
    """A joint as an SDFormat model has it."""

    name: str
    kind: JointKind
    joint: Joint
    """The mechanism's, that it is or is part of."""
    parent: str
    child: str
    X_CJ: Pose
    """Its frame seen from the child's."""
    axes: tuple[Axis, ...]


def tree_joints(scene: Scene) -> Iterator[SdfJoint]:
    """Those of the tree, inboard before outboard."""
    for own in scene.tree.joints:
        if own.kind is JointKind.FREE:
            continue
        joint = joint_of(scene.compiled, own)
        X_CJ, axes = _placed(own, joint, scene.compiled.tree[own.source])
        yield SdfJoint(
            name=scene.names.joints[own.name],
            kind=own.kind,
            joint=joint,
            parent=scene.names.links.get(own.parent, WORLD),
            child=scene.names.links[own.child],
            X_CJ=X_CJ,
            axes=axes,
        )


def _placed(own: LinkJoint, joint: Joint, tree_joint: TreeJoint) -> tuple[Pose, tuple[Axis, ...]]:
    if own.kind is JointKind.UNIVERSAL:
        return _universal(own.X_CM, joint, own.at, tree_joint.reversed)
    if own.kind is JointKind.BALL:
        return own.X_CM, ()
    x, y, z = (float(part) for part in np.round(own.X_CM.R.T @ np.array(own.axis)))
    name = joint.full_names[0] if own.part is None else own.name
    axis = Axis(name=name, direction=(x, y, z), at=own.at[0], limits=own.limits)
    return own.X_CM, (axis,)


def closing_joint(scene: Scene, closure: Closure, at: tuple[float, ...]) -> SdfJoint | None:
    """The cut joint, as a second one that leads to its child; None where it holds nothing.

    Args:
        scene: what it is written into.
        closure: whose joint.
        at: the joint's coordinates where the links stand [m, rad, quaternion].
    """
    edge, joint = closure.chord, closure.chord.joint
    if joint.kind is JointKind.FREE:
        return None
    X_CJ, axes = scene.frame(edge, child=True), tuple[Axis, ...]()
    if joint.kind is JointKind.UNIVERSAL:
        X_CJ, axes = _universal(X_CJ, joint, at, reverse=False)
    elif joint.kind is not JointKind.BALL:
        limits = joint.limits[0] if joint.limits else OPEN
        axes = (Axis(name=joint.name, direction=(0.0, 0.0, 1.0), at=at[0], limits=limits),)
    return SdfJoint(
        name=scene.names.joints[joint.name],
        kind=joint.kind,
        joint=joint,
        parent=scene.link_name(edge.parent),
        child=scene.link_name(edge.child),
        X_CJ=X_CJ,
        axes=axes,
    )


def _universal(
    X_C: Pose, joint: Joint, at: tuple[float, ...], reverse: bool
) -> tuple[Pose, tuple[Axis, ...]]:
    """The frame of a universal joint's cross, whose x the parent holds and whose y the child.

    The cross turns about F's x, and M about its y. Crossed backwards it is the child that holds
    the first axis, and both turn the other way: then the frame's x is -y of the cross, and so on.

    Args:
        X_C: frame M seen from the child link's, or F where it is crossed backwards.
        joint: the mechanism's.
        at: both angles [rad].
        reverse: whether it is crossed backwards.
    """
    limits = joint.limits or (OPEN, OPEN)
    x, y = (
        Axis(name=name, direction=direction, at=angle, limits=ends)
        for name, direction, angle, ends in zip(
            joint.full_names, ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), at, limits, strict=True
        )
    )
    if not reverse:
        return X_C @ _turn_y(-at[1]), (x, y)
    swapped = np.array([[0.0, -1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
    first = Axis(name=y.name, direction=x.direction, at=y.at, limits=y.limits)
    second = Axis(name=x.name, direction=y.direction, at=x.at, limits=x.limits)
    return X_C @ _turn_x(at[0]) @ Pose(swapped, np.zeros(3)), (first, second)


def _turn_x(angle: float) -> Pose:
    c, s = math.cos(angle), math.sin(angle)
    return Pose(np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]), np.zeros(3))


def _turn_y(angle: float) -> Pose:
    c, s = math.cos(angle), math.sin(angle)
    return Pose(np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]), np.zeros(3))


def joint_element(scene: Scene, own: SdfJoint, ties: Ties, closes: bool = False) -> Element:
    """The `<joint>`; one that closes a loop says so to who must cut the graph there."""
    hinge = own.kind is JointKind.REVOLUTE and own.axes[0].limits == OPEN
    kind = "continuous" if hinge else SDF_JOINTS[own.kind]
    element = Element("joint", name=own.name, type=kind)
    element.append(value("parent", own.parent))
    element.append(value("child", own.child))
    element.append(pose(own.X_CJ))
    if own.kind is JointKind.SCREW:
        element.extend(_threads(own.joint.pitch, scene, ties))
    if own.kind is JointKind.BALL and own.joint.damping:
        damping = nested("dynamics", scalar("damping", own.joint.damping))
        effort = nested("limit", value("effort", "0"))  # Drake's balls have no actuators
        element.append(nested("axis", vector("xyz", (0.0, 0.0, 1.0)), effort, damping))
    for tag, axis in zip(AXIS_TAGS, own.axes, strict=False):
        element.append(axis_element(scene, tag, own, axis, ties))
    if closes:
        must = value("must_be_loop_joint", "true")
        element.append(nested("physics", nested("simbody", must)))
    elif len(own.axes) == 1:
        element.extend(_drake_elements(scene, own.axes[0], ties))
    return element


def _threads(pitch: float, scene: Scene, ties: Ties) -> Iterator[Element]:
    """Advance per turn [m], and how 1.9 has it: radians per metre, left-handed [rad/m]."""
    if pitch and not ties.mimics and not scene.for_drake:
        yield scalar("thread_pitch", -1.0 / pitch)
    yield scalar("screw_thread_pitch", 2.0 * math.pi * pitch)


def axis_element(scene: Scene, tag: str, own: SdfJoint, axis: Axis, ties: Ties) -> Element:
    """The `<axis>`, its coordinate counted from where the links stand."""
    element = nested(tag, vector("xyz", axis.direction))
    if axis.name in ties.mimics:
        element.append(ties.mimics[axis.name])
    drive = scene.drives[axis.name]
    low, high = axis.limits
    limit = Element("limit")
    for end, told in (("lower", low), ("upper", high)):
        if math.isfinite(told):
            limit.append(coordinate(end, told - axis.at))
    for what, most in (("effort", drive.effort), ("velocity", drive.velocity)):
        if most is not None:
            limit.append(scalar(what, most))
    if len(limit):
        element.append(limit)
    dynamics = _dynamics(own.joint, axis.at)
    if len(dynamics):
        element.append(dynamics)
    return element


def _dynamics(joint: Joint, at: float) -> Element:
    element = Element("dynamics")
    for tag, told in (("damping", joint.damping), ("friction", joint.friction)):
        if told:
            element.append(scalar(tag, told))
    if joint.stiffness:
        element.append(coordinate("spring_reference", joint.spring_reference - at))
        element.append(scalar("spring_stiffness", joint.stiffness))
    return element


def _drake_elements(scene: Scene, axis: Axis, ties: Ties) -> Iterator[Element]:
    """What Drake reads beside: the rotor on the joint's side of its gear, and the coupling."""
    inertia = scene.drives[axis.name].inertia
    if inertia:
        yield scalar("drake:rotor_inertia", inertia)
    if axis.name in ties.drake_mimics:
        yield ties.drake_mimics[axis.name]


def fixed_element(name: str, base: str) -> Element:
    """What holds the base to the world."""
    element = Element("joint", name=name, type="fixed")
    SubElement(element, "parent").text = WORLD
    SubElement(element, "child").text = base
    return element
