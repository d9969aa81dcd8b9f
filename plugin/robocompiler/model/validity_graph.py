"""Faults of the graph: joints that hold nothing or hold it twice, pieces, couplings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from robocompiler.errors import (
    CouplingCycleError,
    CouplingError,
    DisconnectedError,
    DuplicateJointError,
    MechanismError,
    SameBodyError,
)
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Coupling, Joint, Mechanism
from robocompiler.model.welds import bodies_of, poses_in_groups, weld
from robocompiler.spatial import Pose, cross

# Frames nearer than this [m, and rad between their axes] are one place said twice.
SAME_PLACE = 1e-6


def same_body_faults(mechanism: Mechanism) -> Iterator[MechanismError]:
    """Joints with both ends on what is welded together, welds of it included."""
    groups, again = weld(mechanism)
    ends = bodies_of(mechanism)
    for joint in mechanism.joints:
        a, b = (groups[end] for end in ends[joint.name])
        if joint in again or (joint.kind is not JointKind.FIXED and a == b):
            yield SameBodyError(joint.name, a, joint.source)


def repeated_joint_faults(mechanism: Mechanism) -> Iterator[MechanismError]:
    """Declared loop joints that sit where another joint between the same welded bodies sits.

    On both sides: of two bearings on one rail only the rail's side may be one frame. Of two
    declared loop joints it is the later one that repeats.
    """
    pairs = _joints_by_groups(mechanism)
    if not pairs:
        return
    bodies, places = bodies_of(mechanism), _places(mechanism)
    for joints in pairs:
        for at, loop in enumerate(joints):
            before = [other for i, other in enumerate(joints) if i < at or not other.closes_loop]
            same = (other for other in before if _same_place(loop, other, places))
            if loop.closes_loop and (repeated := next(same, None)):
                yield DuplicateJointError(loop.name, repeated.name, bodies[loop.name])


def _joints_by_groups(mechanism: Mechanism) -> list[list[Joint]]:
    """Joints that move the same two groups of welded bodies, one of them a declared loop joint."""
    groups = weld(mechanism)[0]
    ends = bodies_of(mechanism)
    between: dict[frozenset[str], list[Joint]] = {}
    for joint in mechanism.joints:
        pair = frozenset(groups[body] for body in ends[joint.name])
        if len(pair) == 2:
            between.setdefault(pair, []).append(joint)
    return [js for js in between.values() if len(js) > 1 and any(j.closes_loop for j in js)]


def _places(mechanism: Mechanism) -> dict[str, tuple[str, Pose]]:
    """For every frame, the group of welded bodies that it is on, and where it is there."""
    groups = weld(mechanism)[0]
    poses = poses_in_groups(mechanism, groups)
    return {
        frame.name: (groups[frame.body], poses[frame.body] @ frame.pose())
        for frame in mechanism.frames
    }


def _same_place(loop: Joint, other: Joint, places: dict[str, tuple[str, Pose]]) -> bool:
    """Whether two joints sit at one place on both sides, the axes of all but a ball along."""
    there = dict(places[end] for end in (other.parent, other.child))
    for group, X in (places[end] for end in (loop.parent, loop.child)):
        Y = there[group]
        across = np.linalg.norm(cross(X.R[:, 2], Y.R[:, 2]))
        if np.linalg.norm(X.p - Y.p) > SAME_PLACE:
            return False
        if loop.kind is not JointKind.BALL and across > SAME_PLACE:
            return False
    return True


def piece_faults(mechanism: Mechanism) -> Iterator[MechanismError]:
    """Bodies that no joint leads to from the world. Names are sound."""
    near: dict[str, set[str]] = {
        name: set() for name in (WORLD, *(b.name for b in mechanism.bodies))
    }
    for a, b in bodies_of(mechanism).values():
        near[a].add(b)
        near[b].add(a)
    reached, waiting = {WORLD}, [WORLD]
    while waiting:
        for body in near[waiting.pop()] - reached:
            reached.add(body)
            waiting.append(body)
    if lost := [body for body in near if body not in reached]:
        yield DisconnectedError(lost)


def coupling_faults(mechanism: Mechanism) -> Iterator[MechanismError]:
    """A coordinate follows once, and none is led in a circle: then all couplings can be met."""
    led: dict[str, tuple[str, ...]] = {}
    for coupling in mechanism.couplings:
        said = f"Coupling '{coupling.name}'"
        yield from (CouplingError(f"{said}{fault}") for fault in _leader_faults(coupling))
        follower, leaders = coupling.follower, coupling.coordinates[1:]
        if follower in led:
            yield CouplingError(
                f"{said}: '{follower}' follows {_quoted(led[follower])} already, and cannot "
                f"follow {_quoted(leaders)} too. Remove one of the two couplings, or state one "
                "that has all the leaders."
            )
        led.setdefault(follower, leaders)
    yield from _circles(led)


def _leader_faults(coupling: Coupling) -> Iterator[str]:
    leaders = coupling.coordinates[1:]
    if not leaders:
        yield f" has no leader. State what '{coupling.follower}' follows, or remove it."
    for name in sorted({name for name in leaders if leaders.count(name) > 1}):
        yield f" names the leader '{name}' twice. State it once, with the sum of the ratios."
    for leader in coupling.leaders:
        if leader.coordinate == coupling.follower:
            yield f": '{coupling.follower}' cannot follow itself. Take it out of the leaders."
        if leader.ratio == 0.0:
            yield (
                f": a ratio of {leader.ratio:g} to '{leader.coordinate}' couples nothing. "
                f"State how far '{coupling.follower}' moves per unit of it, or leave it out."
            )


def _quoted(names: Sequence[str]) -> str:
    return " and ".join(f"'{name}'" for name in names)


def _circles(led: Mapping[str, Sequence[str]]) -> Iterator[MechanismError]:
    """A shortest circle through each follower that is on one, and on none named before."""
    seen: set[str] = set()
    for start in sorted(led):
        circle = [] if start in seen else _circle(start, led)
        if circle:
            seen |= set(circle)
            yield CouplingCycleError([*circle, start])


def _circle(start: str, led: Mapping[str, Sequence[str]]) -> list[str]:
    """The shortest way from a follower over its leaders until one is led by it; [] for none."""
    came_from = {start: ""}
    waiting = [start]
    for name in waiting:
        for leader in led.get(name, ()):
            if leader == start != name:
                way = [name]
                while way[-1] != start:
                    way.append(came_from[way[-1]])
                return way[::-1]
            if leader not in came_from:
                came_from[leader] = name
                waiting.append(leader)
    return []
