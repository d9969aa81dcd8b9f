"""The joints of a URDF."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import OPEN, Joint
from robocompiler.write.links import LinkJoint
from robocompiler.write.numbers import exact, number, numbers
from robocompiler.write.urdf.drives import Drive
from robocompiler.write.urdf.mimics import UNLIMITED, Limits, Mimic
from robocompiler.write.urdf.robot import Robot, origin

TYPES = {
    JointKind.REVOLUTE: "revolute",
    JointKind.PRISMATIC: "prismatic",
    JointKind.FREE: "floating",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What is said of the joints beyond where they are."""

    drives: Sequence[Drive]
    mimics: Mapping[str, Mimic]
    limits: Mapping[str, Limits]
    independent: Mapping[str, bool]
    """Of joints on loops: whether the others follow from it and its like."""


def joint_elements(robot: Robot, terms: Terms) -> Iterator[Element]:
    """The joints that move, inboard before outboard."""
    for joint in robot.joints:
        yield _joint_element(robot, joint, terms)


def _joint_element(robot: Robot, joint: LinkJoint, terms: Terms) -> Element:
    parent, X_PC = robot.parent(joint)
    limits = terms.limits[joint.name]
    endless = joint.turns and limits == OPEN
    kind = "continuous" if endless else TYPES[joint.kind]
    element = Element("joint", name=robot.names.joints[joint.name], type=kind)
    if joint.name in terms.independent:
        element.set("independent", "true" if terms.independent[joint.name] else "false")
    origin(element, X_PC)
    SubElement(element, "parent", link=parent)
    SubElement(element, "child", link=robot.names.link(joint.child))
    if joint.kind is JointKind.FREE:
        return element
    SubElement(element, "axis", xyz=numbers(joint.axis))
    own = robot.joint(joint)
    _limit(element, own, joint, limits, terms.drives)
    if _says(own, joint) and (own.damping or own.friction):
        dynamics = {"damping": number(own.damping), "friction": number(own.friction)}
        SubElement(element, "dynamics", dynamics)
    if mimic := terms.mimics.get(joint.name):
        SubElement(
            element,
            "mimic",
            joint=robot.names.joints[mimic.leader],
            multiplier=exact([mimic.multiplier]),
            offset=exact([mimic.offset]),
        )
    return element


def _says(own: Joint, joint: LinkJoint) -> bool:
    """Whether what acts on the mechanism's joint acts on this one, coordinate by coordinate.

    A screw has one coordinate, its turn.
    """
    return own.kind is not JointKind.SCREW or joint.part == 0


def _limit(
    element: Element, own: Joint, joint: LinkJoint, limits: Limits, drives: Sequence[Drive]
) -> None:
    """The `<limit>`: left out where nothing is stated and URDF lets it be."""
    effort = velocity = None
    if own.kind is not JointKind.BALL and _says(own, joint):
        effort, velocity = _most(own, joint, drives)
    bounds = {}
    if not (joint.turns and limits == OPEN):
        low, high = max(limits[0], -UNLIMITED), min(limits[1], UNLIMITED)
        bounds = {"lower": exact([low]), "upper": exact([high])}
    elif effort is None and velocity is None:
        return
    most = {
        "effort": exact([UNLIMITED if effort is None else effort]),
        "velocity": exact([UNLIMITED if velocity is None else velocity]),
    }
    SubElement(element, "limit", {**bounds, **most})


def _most(
    own: Joint, joint: LinkJoint, drives: Sequence[Drive]
) -> tuple[float | None, float | None]:
    """The largest effort and speed: the joint's, or else what its actuators add up to."""
    mine = [drive for drive in drives if drive.joint is joint]
    efforts = [drive.effort for drive in mine]
    known = [effort for effort in efforts if effort is not None]
    total = sum(known) if known and len(known) == len(efforts) else None
    effort = total if own.effort is None else own.effort
    speeds = [drive.velocity for drive in mine if drive.velocity is not None]
    velocity = min(speeds, default=None) if own.velocity is None else own.velocity
    return effort, velocity
