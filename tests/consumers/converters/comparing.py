"""Two stages of one mechanism, property by property: where they differ, and by how much."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from usd_records import ReadBody, ReadJoint, ReadShape, ReadStage

CLOSE = 2e-6
"""Stages hold poses of bodies in doubles, but frames of joints, masses and meshes in floats."""


@dataclass(frozen=True)
class Difference:
    """Something that two stages do not say alike."""

    of: str
    """The property: `joint limits`; of something that only one has, what it is: `joint`."""
    where: str
    said: str

    def __str__(self) -> str:
        return f"{self.of}, {self.where}: {self.said}"


def differences(ours: ReadStage, theirs: ReadStage) -> list[Difference]:
    """All of them, in a fixed order."""
    return [
        *_of_stage(ours, theirs),
        *_of_all("body", ours.bodies, theirs.bodies, _of_body),
        *_of_all("joint", ours.joints, theirs.joints, _of_joint),
        *_of_all("shape", ours.shapes, theirs.shapes, _of_shape),
        *_of_all("color", ours.colors, theirs.colors, _of_color),
        *_of_all("frame", ours.frames, theirs.frames, _of_frame),
    ]


def _of_stage(ours, theirs) -> Iterator[Difference]:
    yield from _unlike("units", "stage", ours.units, theirs.units)
    yield from _unlike("default prim", "stage", ours.default, theirs.default)
    yield from _apart("gravity", "stage", ours.gravity, theirs.gravity, 9.81)
    one, other = ours.filtered(), theirs.filtered()
    for pair in sorted(one ^ other, key=sorted):
        said = "only ours" if pair in one else "only theirs"
        yield Difference("filtered pair", " and ".join(sorted(pair)), said)


def _of_all(kind, ours: Mapping, theirs: Mapping, compare) -> Iterator[Difference]:
    for name in sorted(ours.keys() | theirs.keys()):
        if name not in theirs:
            yield Difference(kind, name, "only ours")
        elif name not in ours:
            yield Difference(kind, name, "only theirs")
        else:
            for own in compare(name, ours[name], theirs[name]):
                yield replace(own, of=f"{kind} {own.of}")


def _of_body(name: str, ours: ReadBody, theirs: ReadBody) -> Iterator[Difference]:
    yield from _apart("orientation", name, ours.X_WB[:3, :3], theirs.X_WB[:3, :3])
    yield from _apart("origin", name, ours.X_WB[:3, 3], theirs.X_WB[:3, 3])
    yield from _apart("mass", name, ours.mass, theirs.mass, ours.mass)
    yield from _apart("center", name, ours.center, theirs.center)
    size = float(np.abs(ours.inertia).max())
    yield from _apart("inertia", name, ours.inertia, theirs.inertia, size)
    if ours.exact_inertia is not None and theirs.exact_inertia is not None:
        # Seen from the world, through poses in single precision.
        yield from _apart("exact inertia", name, ours.exact_inertia, theirs.exact_inertia, size)
    yield from _unlike("articulation", name, ours.articulation, theirs.articulation)


def _of_joint(name: str, ours: ReadJoint, theirs: ReadJoint) -> Iterator[Difference]:
    yield from _unlike("kind", name, ours.kind, theirs.kind)
    yield from _unlike("bodies", name, ours.bodies, theirs.bodies)
    if ours.kind != "Fixed":
        yield from _apart("place", name, ours.frames[1][:3, 3], theirs.frames[1][:3, 3])
        yield from _apart("axis", name, ours.axis, theirs.axis)
    yield from _apart("gap", name, ours.gap, theirs.gap)
    yield from _unlike("excluded", name, ours.excluded, theirs.excluded)
    if ours.kind in ("Revolute", "Prismatic") and ours.kind == theirs.kind:
        yield from _turned("zero", name, ours.coordinate, theirs.coordinate)
        with_reference = (j.coordinate + j.reference for j in (ours, theirs))
        yield from _turned("coordinate", name, *with_reference)
    yield from _limits(name, ours.limits, theirs.limits)
    yield from _unlike("drives", name, ours.drives, theirs.drives)
    yield from _mimic(name, ours.mimic, theirs.mimic)
    for of in ("damping", "friction", "armature", "velocity"):
        one, other = getattr(ours, of), getattr(theirs, of)
        if one != other:
            yield from _apart(of, name, one, other, max(abs(one), abs(other)))


def _turned(of: str, name: str, ours: float, theirs: float) -> Iterator[Difference]:
    """Coordinates, but for whole turns."""
    apart = math.remainder(ours - theirs, 2.0 * math.pi)
    if abs(apart) > 4 * CLOSE:
        yield Difference(of, name, f"{ours:.9g} and {theirs:.9g}")


def _limits(name: str, ours: Mapping, theirs: Mapping) -> Iterator[Difference]:
    for axis in sorted(ours.keys() | theirs.keys()):
        one, other = ours.get(axis), theirs.get(axis)
        if one is None or other is None:
            yield Difference("limits", name, f"{axis} {one} and {other}")
        elif one != other:
            yield from _apart("limits", name, np.array(one), np.array(other))


def _mimic(name: str, ours, theirs) -> Iterator[Difference]:
    if ours is None or theirs is None:
        if ours is not theirs:
            yield Difference("mimic", name, f"{ours} and {theirs}")
        return
    yield from _unlike("mimic", name, ours[0], theirs[0])
    yield from _apart("mimic", name, np.array(ours[1:]), np.array(theirs[1:]))


def _of_shape(name: str, ours: ReadShape, theirs: ReadShape) -> Iterator[Difference]:
    yield from _unlike("body", name, ours.body, theirs.body)
    yield from _unlike("triangles", name, len(ours.points), len(theirs.points))
    for of, ends in (("low corner", np.min), ("high corner", np.max)):
        yield from _apart(of, name, ends(ours.points, (0, 1)), ends(theirs.points, (0, 1)))
    yield from _apart("volume", name, ours.volume, theirs.volume, abs(ours.volume))
    yield from _unlike("approximation", name, ours.approximation, theirs.approximation)
    for of in ("friction", "restitution"):
        one, other = getattr(ours, of), getattr(theirs, of)
        if one is None or other is None:
            yield from _unlike(of, name, one, other)
        else:
            yield from _apart(of, name, one, other)


def _of_color(name: str, ours, theirs) -> Iterator[Difference]:
    yield from _apart("value", name, np.array(ours), np.array(theirs))


def _of_frame(name: str, ours, theirs) -> Iterator[Difference]:
    yield from _unlike("body", name, ours[0], theirs[0])
    yield from _apart("place", name, ours[1], theirs[1])


def _unlike(of: str, where: str, ours: object, theirs: object) -> Iterator[Difference]:
    if ours != theirs:
        yield Difference(of, where, f"{ours} and {theirs}")


def _apart(of: str, where: str, ours, theirs, size: float = 1.0) -> Iterator[Difference]:
    off = float(np.abs(np.asarray(ours) - np.asarray(theirs)).max())
    if not off <= CLOSE * size:
        shown = (np.array2string(np.asarray(own), precision=6) for own in (ours, theirs))
        yield Difference(of, where, f"{' and '.join(shown)}, {off:.3g} apart")
