"""Faults of names: two things called alike, and names that refer to nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

from robocompiler.errors import DuplicateNameError, MechanismError, UnknownNameError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Body, Frame, Joint, Mechanism

Named = TypeVar("Named", Body, Frame, Joint)


def name_faults(mechanism: Mechanism) -> list[MechanismError]:
    """Duplicate names, then ambiguous ones, then unknown ones."""
    return [
        *_duplicate_names(mechanism),
        *_ambiguous_coordinates(mechanism),
        *_unknown_names(mechanism),
    ]


def coordinate_names(mechanism: Mechanism) -> dict[str, tuple[Joint, int]]:
    """What a coupling or an actuator may name: the joint and the factor of each single coordinate.

    A free joint has none: no format gives its coordinates names of their own.
    """
    return {
        name: (joint, index)
        for joint in mechanism.joints
        for index, name in enumerate(_names_of_factors(joint))
        if joint.kind.factors[index].nq == 1
    }


def _names_of_factors(joint: Joint) -> tuple[str, ...]:
    """What each of a joint's factors is called in a coupling, an actuator, a drive or a result."""
    return () if joint.kind is JointKind.FREE else joint.full_names


def sound_part(mechanism: Mechanism, wrong: Iterable[object]) -> Mechanism:
    """The part of a mechanism in which every name refers to one thing.

    Args:
        mechanism: any.
        wrong: records that are at fault for another reason, left out as well.

    A weld that it has, the whole has too; bodies may hang on what is left out.
    """
    out = set(map(id, wrong))
    bodies = [body for body in _single(mechanism.bodies) if body.name != WORLD]
    hosts = {WORLD, *(body.name for body in bodies)}
    frames = [f for f in _single(mechanism.frames) if f.body in hosts and id(f) not in out]
    ends = {frame.name for frame in frames}
    joints = [j for j in _single(mechanism.joints) if {j.parent, j.child} <= ends]
    return replace(
        mechanism,
        bodies=tuple(bodies),
        frames=tuple(frames),
        joints=tuple(joint for joint in joints if id(joint) not in out),
    )


def _single(records: Iterable[Named]) -> list[Named]:
    """Those whose name no other has."""
    kept = list(records)
    count = Counter(record.name for record in kept)
    return [record for record in kept if count[record.name] == 1]


def _repeated(names: Iterable[str]) -> list[str]:
    return sorted(name for name, count in Counter(names).items() if count > 1)


def _duplicate_names(mechanism: Mechanism) -> Iterator[MechanismError]:
    sources = [(joint.name, joint.source) for joint in mechanism.joints]
    for what, names in {
        "bodies": [WORLD, *(body.name for body in mechanism.bodies)],
        "frames": [frame.name for frame in mechanism.frames],
        "joints": [joint.name for joint in mechanism.joints],
        "couplings": [coupling.name for coupling in mechanism.couplings],
        "actuators": [actuator.name for actuator in mechanism.actuators],
        "meshes": [mesh.name for mesh in mechanism.meshes],
        "shapes": [shape.name for body in mechanism.bodies for shape in body.shapes],
    }.items():
        for name in _repeated(names):
            said = [source for joint, source in sources if joint == name and what == "joints"]
            if name == WORLD and what == "bodies":
                said = ["one is the world itself, whose name is reserved"]
            yield DuplicateNameError(what, name, said)


def _ambiguous_coordinates(mechanism: Mechanism) -> Iterator[MechanismError]:
    """`a/turnZ` may be a joint, or a coordinate of joint `a`; two labels of a joint may agree."""
    said: list[tuple[str, str]] = []
    for joint in mechanism.joints:
        for label in _repeated(joint.labels):
            yield DuplicateNameError(f"coordinates of joint '{joint.name}'", label)
        said += [(name, joint.name) for name in {joint.name, *_names_of_factors(joint)}]
    for name in _repeated(name for name, _ in set(said)):
        joints = sorted(f"joint '{joint}'" for called, joint in set(said) if called == name)
        yield DuplicateNameError("joint coordinates", name, joints)


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
    for body in mechanism.bodies:
        for shape in body.shapes:
            if shape.mesh not in meshes:
                yield UnknownNameError(f"Body '{body.name}'", "mesh", shape.mesh, meshes)
    coordinates = coordinate_names(mechanism)
    for coupling in mechanism.couplings:
        for name in coupling.coordinates:
            if name not in coordinates:
                where = coupling.source or f"Coupling '{coupling.name}'"
                yield UnknownNameError(where, "joint coordinate", name, coordinates)
