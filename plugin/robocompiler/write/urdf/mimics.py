"""Joints that follow one other: couplings of one leader, and the advance of screws.

Consumers look no further than the leader that is named, so a chain of followers names its first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from robocompiler.compiler.compiled import CoordinateRef
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import OPEN
from robocompiler.write.links import LinkJoint
from robocompiler.write.urdf.robot import Robot

Limits = tuple[float, float]

# What URDF asks for and nobody states [m, rad, N, N m, m/s, rad/s]. Consumers take no infinity, and
# 0 for none at all; this is more than anything reaches, and Newton's own number for no limit.
UNLIMITED = 1e10


@dataclass(frozen=True, slots=True)
class Mimic:
    """follower = multiplier · leader + offset."""

    leader: str
    """As `link_tree` calls the joint."""
    multiplier: float
    offset: float
    """[m or rad] of the follower."""

    def __call__(self, value: float) -> float:
        """Where the follower is."""
        return self.multiplier * value + self.offset

    def inverse(self, value: float) -> float:
        """Where the leader is."""
        return (value - self.offset) / self.multiplier


def mimics_of(robot: Robot) -> dict[str, Mimic]:
    """What each follower follows, by names of `link_tree`."""
    found: dict[str, Mimic] = {}
    for coupling in robot.compiled.couplings:
        if len(coupling.leaders) == 1:
            leader = joint_at(robot, coupling.leaders[0]).name
            follower = joint_at(robot, coupling.follower).name
            found[follower] = Mimic(leader, coupling.ratios[0], coupling.offset)
    for joint in robot.joints:
        if robot.joint(joint).kind is JointKind.SCREW and joint.part == 1:
            found[joint.name] = Mimic(robot.joint(joint).name, robot.joint(joint).pitch, 0.0)
    return {name: _first(found, name) for name in found}


def note_order(robot: Robot, mimics: Mapping[str, Mimic]) -> None:
    """Pinocchio walks the tree depth first, joints of one link by their names, and takes no
    follower as such whose leader it has not met. Names and sides are the user's to choose.
    """
    found: dict[str, tuple[str, ...]] = {}
    ways = {robot.base: (robot.names.fixed[robot.base],)} if robot.base else {}
    for joint in robot.joints:
        name = robot.names.joints[joint.name]
        way = (*ways.get(robot.parent(joint)[0], ()), name)
        ways[robot.names.link(joint.child)] = found[joint.name] = way
    for follower, mimic in mimics.items():
        if found[follower] < found[mimic.leader]:
            robot.export.ledger.warn(
                f"Pinocchio refuses to couple joint '{follower}' to '{mimic.leader}' (with "
                "`mimic=True`), since by its name it meets the follower first; without, it reads "
                "the file and leaves both free. A coupling stated from the other side is one that "
                "it takes"
            )


def joint_at(robot: Robot, ref: CoordinateRef) -> LinkJoint:
    """The joint of one axis that is a coordinate."""
    part = ref.v - int(robot.compiled.tree[ref.tree_joint].v.start)
    return next(
        joint
        for joint in robot.joints
        if joint.source == ref.tree_joint and (joint.part or 0) == part
    )


def _first(found: Mapping[str, Mimic], name: str) -> Mimic:
    """What leads a joint in the end, itself if nothing does; none leads itself in a circle."""
    own = found.get(name)
    if own is None:
        return Mimic(name, 1.0, 0.0)
    first = _first(found, own.leader)
    return Mimic(first.leader, own.multiplier * first.multiplier, own(first.offset))


def limits_of(robot: Robot, mimics: Mapping[str, Mimic]) -> dict[str, Limits]:
    """The limits of each joint of one axis; followers and leaders get each other's.

    Where neither has any they are `UNLIMITED`: Isaac Sim takes no follower without limits, and
    Pinocchio no slide that follows a hinge without; then there is a warning.
    """
    limits = {joint.name: joint.limits for joint in robot.joints}
    screws = {joint.name for joint in robot.joints if robot.joint(joint).kind is JointKind.SCREW}
    for follower, mimic in mimics.items():
        if limits[mimic.leader] == OPEN and limits[follower] != OPEN:
            limits[mimic.leader] = _sorted(mimic.inverse(end) for end in limits[follower])
    for follower, mimic in mimics.items():
        if limits[follower] == OPEN and limits[mimic.leader] != OPEN:
            limits[follower] = _sorted(mimic(end) for end in limits[mimic.leader])
    for follower, mimic in mimics.items():
        if limits[follower] == OPEN:
            limits[follower] = limits[mimic.leader] = (-UNLIMITED, UNLIMITED)
            if follower not in screws:
                robot.export.ledger.warn(
                    f"joint '{follower}' follows '{mimic.leader}', and neither has limits: both "
                    f"are written with ±{UNLIMITED:.0e}, which stops nothing, since Isaac Sim and "
                    "Pinocchio take no follower without. Give one of the two `limits` to have "
                    "limits that stop it"
                )
    return limits


def _sorted(ends: Iterable[float]) -> Limits:
    low, high = sorted(ends)
    return (low, high)
