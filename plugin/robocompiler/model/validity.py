"""What a valid mechanism is: every fault of one, found together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from robocompiler.errors import (
    CouplingCycleError,
    CouplingError,
    DisconnectedError,
    DuplicateJointError,
    DuplicateNameError,
    FormatError,
    InertiaError,
    MassError,
    MechanismError,
    SameBodyError,
    StartOutsideLimitsError,
    UnknownNameError,
)
from robocompiler.model.joint_kinds import Factor, JointKind
from robocompiler.model.mechanism import OPEN, WORLD, Body, Inertia, Joint, Mechanism
from robocompiler.spatial import Array

# Rounded moments of a flat plate miss a + b = c by their last digit.
TRIANGLE_TOLERANCE = 1e-6
# Frames nearer than this [m, and 1 for directions] are one place said twice.
SAME_PLACE = 1e-9


def faults_of(mechanism: Mechanism) -> list[MechanismError]:
    """All that is wrong with a mechanism, in a fixed order; empty for a valid one.

    What refers to nothing hides what depends on it, so those faults come alone.
    """
    named = [*_duplicate_names(mechanism), *_unknown_names(mechanism)]
    if named:
        return named
    groups = welded_groups(mechanism)
    return [
        *_same_body(mechanism),
        *_repeated_joints(mechanism),
        *_masses(mechanism, groups),
        *_inertias(mechanism),
        *_starts(mechanism),
        *_pieces(mechanism),
        *_couplings(mechanism),
    ]


def inertia_tensor(inertia: Inertia) -> Array:
    """The tensor [kg m²] about the centre of mass, along the body's axes, shape (3, 3)."""
    (xx, yy, zz), (xy, xz, yz) = inertia.moments, inertia.products
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def bodies_of(mechanism: Mechanism) -> dict[str, tuple[str, str]]:
    """The parent's and the child's body of every joint, by the joint's name."""
    body = {frame.name: frame.body for frame in mechanism.frames}
    return {joint.name: (body[joint.parent], body[joint.child]) for joint in mechanism.joints}


def welded_groups(mechanism: Mechanism) -> dict[str, str]:
    """For every body, and the world, the one that stands for all it is welded to.

    The world stands for its group; elsewhere the body declared first does.
    """
    return _weld(mechanism)[0]


def _weld(mechanism: Mechanism) -> tuple[dict[str, str], list[Joint]]:
    """The groups, and the fixed joints that weld again what is already welded."""
    order = {name: i for i, name in enumerate([WORLD, *(b.name for b in mechanism.bodies)])}
    group = {name: name for name in order}
    ends = bodies_of(mechanism)
    again: list[Joint] = []
    for joint in mechanism.joints:
        if joint.kind is not JointKind.FIXED:
            continue
        a, b = (group[end] for end in ends[joint.name])
        if a == b:
            again.append(joint)
        kept = min(a, b, key=order.__getitem__)
        group = {n: kept if g in (a, b) else g for n, g in group.items()}
    return group, again


def _repeated(names: Iterable[str]) -> list[str]:
    return sorted(name for name, count in Counter(names).items() if count > 1)


def _duplicate_names(mechanism: Mechanism) -> Iterator[MechanismError]:
    sources = [(joint.name, joint.source) for joint in mechanism.joints]
    for what, names in {
        "bodies": [WORLD, *(body.name for body in mechanism.bodies)],
        "frames": [frame.name for frame in mechanism.frames],
        "joints": [joint.name for joint in mechanism.joints],
        "couplings": [coupling.name for coupling in mechanism.couplings],
        "meshes": [mesh.name for mesh in mechanism.meshes],
        "shapes": [shape.name for body in mechanism.bodies for shape in body.shapes],
    }.items():
        for name in _repeated(names):
            said = [source for joint, source in sources if joint == name and what == "joints"]
            yield DuplicateNameError(what, name, said)


def _unknown_names(mechanism: Mechanism) -> Iterator[MechanismError]:
    bodies = {WORLD, *(body.name for body in mechanism.bodies)}
    frames = {frame.name for frame in mechanism.frames}
    meshes = {mesh.name for mesh in mechanism.meshes}
    for frame in mechanism.frames:
        if frame.body not in bodies:
            yield UnknownNameError(f"Frame '{frame.name}'", "body", frame.body, bodies)
    for joint in mechanism.joints:
        for end in (joint.parent, joint.child):
            if end not in frames:
                yield UnknownNameError(f"Joint '{joint.name}'", "frame", end, frames)
        yield from _shape_of(joint)
    for body in mechanism.bodies:
        for shape in body.shapes:
            if shape.mesh not in meshes:
                yield UnknownNameError(f"Body '{body.name}'", "mesh", shape.mesh, meshes)
    coordinates = coordinate_names(mechanism)
    for coupling in mechanism.couplings:
        for name in (coupling.leader, coupling.follower):
            if name not in coordinates:
                where = coupling.source or f"Coupling '{coupling.name}'"
                yield UnknownNameError(where, "joint coordinate", name, coordinates)


def _shape_of(joint: Joint) -> Iterator[MechanismError]:
    """Whether the joint's numbers are as many as its kind has coordinates."""
    if joint.start and len(joint.start) != joint.kind.nq:
        yield FormatError(
            f"Joint '{joint.name}': a {joint.kind.value} joint starts at {joint.kind.nq} "
            f"coordinates, not {len(joint.start)}."
        )
    for what, given in (("limits", len(joint.limits)), ("labels", len(joint.labels))):
        if given and given != len(joint.kind.factors):
            yield FormatError(
                f"Joint '{joint.name}': a {joint.kind.value} joint has "
                f"{len(joint.kind.factors)} {what}, not {given}."
            )


def coordinate_names(mechanism: Mechanism) -> dict[str, tuple[Joint, int]]:
    """What a coupling may name: the joint and the factor of each single coordinate."""
    named: dict[str, tuple[Joint, int]] = {}
    for joint in mechanism.joints:
        factors = joint.kind.factors
        for index, label in enumerate(joint.names[: len(factors)]):
            if factors[index].nq == 1:
                name = joint.name if len(factors) == 1 else f"{joint.name}/{label}"
                named[name] = (joint, index)
    return named


def _same_body(mechanism: Mechanism) -> Iterator[MechanismError]:
    groups, again = _weld(mechanism)
    ends = bodies_of(mechanism)
    for joint in mechanism.joints:
        a, b = (groups[end] for end in ends[joint.name])
        if joint in again or (joint.kind is not JointKind.FIXED and a == b):
            yield SameBodyError(joint.name, a, joint.source)


def _repeated_joints(mechanism: Mechanism) -> Iterator[MechanismError]:
    """A declared loop joint that sits where another joint between the same bodies sits."""
    ends = bodies_of(mechanism)
    frames = {frame.name: frame for frame in mechanism.frames}
    for loop in (joint for joint in mechanism.joints if joint.closes_loop):
        for joint in mechanism.joints:
            if joint.closes_loop or set(ends[joint.name]) != set(ends[loop.name]):
                continue
            X, Y = (
                frames[j.parent if ends[j.name][0] == ends[loop.name][0] else j.child].pose()
                for j in (loop, joint)
            )
            if np.linalg.norm(X.p - Y.p) < SAME_PLACE and _same_axis(loop, X.R, Y.R):
                yield DuplicateJointError(loop.name, joint.name, ends[loop.name])


def _same_axis(loop: Joint, R: Array, S: Array) -> bool:
    parallel = 1.0 - abs(float(R[:, 2] @ S[:, 2])) < SAME_PLACE
    return loop.kind is JointKind.BALL or parallel


def _masses(mechanism: Mechanism, groups: dict[str, str]) -> Iterator[MechanismError]:
    total: dict[str, float] = {}
    for body in mechanism.bodies:
        mass = body.inertia.mass if body.inertia else 0.0
        total[groups[body.name]] = total.get(groups[body.name], 0.0) + mass
        if mass < 0.0 or not math.isfinite(mass):
            yield MassError(body.name, mass)
    for body in mechanism.bodies:
        if groups[body.name] == body.name and total[body.name] == 0.0:
            yield MassError(body.name, body.inertia.mass if body.inertia else None)


def _inertias(mechanism: Mechanism) -> Iterator[MechanismError]:
    for body in mechanism.bodies:
        if body.inertia is None or body.inertia.mass <= 0.0:
            continue
        tensor = inertia_tensor(body.inertia)
        if not np.all(np.isfinite(tensor)):
            yield FormatError(f"Body '{body.name}': its inertia is not a number.")
            continue
        moments = np.linalg.eigvalsh(tensor)
        if moments[0] <= 0.0 or moments[0] + moments[1] < moments[2] * (1.0 - TRIANGLE_TOLERANCE):
            yield InertiaError(body.name, tuple(float(m) for m in moments))


def _starts(mechanism: Mechanism) -> Iterator[MechanismError]:
    for joint in mechanism.joints:
        for factor, label, value, limits in single_coordinates(joint):
            low, high = limits
            if not low <= value <= high:
                scale, unit = (math.degrees(1.0), "deg") if factor.is_turn else (1e3, "mm")
                shown = (low * scale, high * scale)
                yield StartOutsideLimitsError(joint.name, label, value * scale, shown, unit)
        if joint.swing_limit is not None:
            turned = 2.0 * math.acos(min(1.0, abs(joint.initial[0])))
            if turned > joint.swing_limit:
                shown = (0.0, math.degrees(joint.swing_limit))
                yield StartOutsideLimitsError(
                    joint.name, "swing", math.degrees(turned), shown, "deg"
                )


def single_coordinates(
    joint: Joint,
) -> Iterator[tuple[Factor, str, float, tuple[float, float]]]:
    """Factor, name, start and limits of each coordinate but a rotation's quaternion."""
    at = 0
    for index, factor in enumerate(joint.kind.factors):
        if factor.nq == 1:
            limits = joint.limits[index] if joint.limits else OPEN
            yield factor, joint.names[index], joint.initial[at], limits
        at += factor.nq


def _pieces(mechanism: Mechanism) -> Iterator[MechanismError]:
    near: dict[str, set[str]] = {name: set() for name in (WORLD, *names_of(mechanism.bodies))}
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


def names_of(bodies: Iterable[Body]) -> list[str]:
    """The names of bodies, in their order."""
    return [body.name for body in bodies]


def _couplings(mechanism: Mechanism) -> Iterator[MechanismError]:
    """A follower has one leader, and leaders are not led in a circle: then all can be met."""
    leaders: dict[str, str] = {}
    for coupling in mechanism.couplings:
        if not math.isfinite(coupling.ratio) or coupling.ratio == 0.0:
            yield CouplingError(
                f"Coupling '{coupling.name}': a ratio of {coupling.ratio} couples nothing. "
                "State how far the follower moves per unit of the leader."
            )
        if coupling.follower in leaders:
            yield CouplingError(
                f"Coupling '{coupling.name}': '{coupling.follower}' follows "
                f"'{leaders[coupling.follower]}' already, and cannot follow '{coupling.leader}' "
                "too. Remove one of the two couplings."
            )
        leaders.setdefault(coupling.follower, coupling.leader)
    seen: set[str] = set()
    for start in sorted(leaders):
        path = [start]
        while path[-1] in leaders and leaders[path[-1]] not in path:
            path.append(leaders[path[-1]])
        if path[-1] in leaders and not seen & set(path):
            circle = path[path.index(leaders[path[-1]]) :]
            seen |= set(path)
            yield CouplingCycleError([*circle, circle[0]])
