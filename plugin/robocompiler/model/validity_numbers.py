"""Faults of single records, which do not depend on what a name refers to.

Values of the wrong type, texts that cannot be written, numbers that cannot be.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from robocompiler.errors import (
    BadValueError,
    FormatError,
    LimitsError,
    MechanismError,
    StartOutsideLimitsError,
)
from robocompiler.model.joint_kinds import Factor, JointKind
from robocompiler.model.joint_motion import swing_of
from robocompiler.model.mechanism import (
    OPEN,
    Actuator,
    Environment,
    Frame,
    Joint,
    Mechanism,
    Shape,
    Surface,
)
from robocompiler.model.records import Leaf, is_name, shown
from robocompiler.units import degrees, shown_in

# Beyond this, in SI units, squares and products of numbers leave the range of a float.
LARGEST = 1e30
# How far from length 1 a quaternion of a frame may be: rounded to three digits it still says which
# rotation is meant, since only its direction counts.
ROUNDED_QUATERNION = 1e-3
# A start is a coordinate: its length counts as well.
UNIT_QUATERNION = 1e-6
# A start this far [m or rad] outside its limits is at them, rounded.
AT_LIMIT = 1e-9
NAMES = ("name", "labels", "file")
"""Fields that hold names: of records, of coordinates, of files."""
TEXTS = ("source", "warnings")
"""Fields that hold what a person reads."""


@dataclass(frozen=True, slots=True)
class Range:
    """Where a number may be."""

    low: float
    high: float = math.inf
    open: bool = False
    """Whether it may not be `low` itself."""

    def holds(self, value: float) -> bool:
        """Whether a number is in it."""
        return self.low < value <= self.high if self.open else self.low <= value <= self.high

    def __str__(self) -> str:
        if self.high < math.inf:
            return f"from {self.low:g} to {self.high:g}"
        return "more than 0: leave it out where nothing limits it" if self.open else "0 or more"


NOT_NEGATIVE, POSITIVE, SHARE = Range(0.0), Range(0.0, open=True), Range(0.0, 1.0)

RANGES: dict[tuple[type, str], Range] = {
    (Joint, "damping"): NOT_NEGATIVE,
    (Joint, "friction"): NOT_NEGATIVE,
    (Joint, "stiffness"): NOT_NEGATIVE,
    (Joint, "effort"): POSITIVE,
    (Joint, "velocity"): POSITIVE,
    (Joint, "swing_limit"): POSITIVE,
    (Joint, "armature"): NOT_NEGATIVE,
    (Joint, "closure_tolerance"): NOT_NEGATIVE,
    (Actuator, "effort"): POSITIVE,
    (Actuator, "velocity"): POSITIVE,
    (Actuator, "armature"): NOT_NEGATIVE,
    (Surface, "friction"): NOT_NEGATIVE,
    (Surface, "torsional_friction"): NOT_NEGATIVE,
    (Surface, "rolling_friction"): NOT_NEGATIVE,
    (Surface, "restitution"): SHARE,
    (Shape, "color"): SHARE,
    (Environment, "density"): NOT_NEGATIVE,
    (Environment, "viscosity"): NOT_NEGATIVE,
}


def type_faults(values: Iterable[Leaf]) -> list[MechanismError]:
    """Values that are not what their field holds; only code can make such a mechanism."""
    return [
        BadValueError(leaf.where, leaf.path, shown(leaf.value), leaf.expected)
        for leaf in values
        if leaf.expected
    ]


def value_faults(
    mechanism: Mechanism, values: Iterable[Leaf]
) -> list[tuple[object, MechanismError]]:
    """Texts and numbers that cannot be, each with the record that it is in."""
    found: list[tuple[object, MechanismError]] = []
    for leaf in values:
        expected = _expected(leaf)
        if expected:
            error = BadValueError(leaf.where, leaf.path, shown(leaf.value), expected)
            found.append((leaf.record, error))
    wrong = {id(record) for record, _ in found}
    for frame in mechanism.frames:
        if id(frame) not in wrong:
            found += [(frame, e) for e in _rotation(f"Frame '{frame.name}'", frame)]
    for shape in (shape for body in mechanism.bodies for shape in body.shapes):
        if id(shape) not in wrong:
            found += [(shape, e) for e in _rotation(f"Shape '{shape.name}'", shape)]
    for joint in mechanism.joints:
        if id(joint) not in wrong:
            found += [(joint, e) for e in (*_counts(joint), *_terms(joint))]
    return found


def _expected(leaf: Leaf) -> str | None:
    """What a value should be, where it is not; the empty text and None where it is."""
    value = leaf.value.item() if isinstance(leaf.value, np.generic) else leaf.value
    if isinstance(value, str):
        if leaf.field in NAMES:
            return None if is_name(value) else "a name: it must have characters, all printable"
        if leaf.field in TEXTS and not _can_be_written(value):
            return "text: it has half a surrogate pair"
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if (leaf.owner, leaf.field) == (Joint, "limits") and math.inf in (value, -value):
        return None
    if not abs(value) <= LARGEST:
        finite = value == value and abs(value) != math.inf
        return f"a number in SI units of at most {LARGEST:g}" if finite else "a finite number"
    range_ = RANGES.get((leaf.owner, leaf.field))
    return None if range_ is None or range_.holds(value) else str(range_)


def _can_be_written(text: str) -> bool:
    return not any("\ud800" <= c <= "\udfff" for c in text)


def _rotation(where: str, placed: Frame | Shape) -> Iterator[MechanismError]:
    length = math.hypot(*placed.rotation)
    if abs(length - 1.0) > ROUNDED_QUATERNION:
        yield _not_unit(where, "rotation", placed.rotation, length)


def _not_unit(
    where: str, path: str, quaternion: tuple[float, ...], length: float
) -> MechanismError:
    said = ", ".join(f"{x:.9g}" for x in quaternion)
    expected = (
        f"a unit quaternion w, x, y, z: its length is {length:.9g}, not 1 "
        "(no rotation is 1, 0, 0, 0)"
    )
    return BadValueError(where, path, f"({said})", expected)


def _counts(joint: Joint) -> Iterator[MechanismError]:
    """Whether the joint's numbers are as many as its kind has coordinates."""
    kind = joint.kind
    if joint.start and len(joint.start) != kind.nq:
        yield FormatError(
            f"Joint '{joint.name}': a {kind.value} joint starts at {kind.nq} "
            f"coordinates, not {len(joint.start)}."
        )
    for what, given in (("limits", len(joint.limits)), ("labels", len(joint.labels))):
        if given and given != len(kind.factors):
            yield FormatError(
                f"Joint '{joint.name}': a {kind.value} joint has "
                f"{len(kind.factors)} {what}, not {given}."
            )


def _terms(joint: Joint) -> Iterator[MechanismError]:
    """What a joint states that its kind does not have, or that leaves it no freedom."""
    where, kind = f"Joint '{joint.name}'", joint.kind
    if kind is JointKind.SCREW and joint.pitch == 0.0:
        yield BadValueError(
            where,
            "pitch",
            "0",
            "a screw's pitch [m/rad]: make a joint that does not advance revolute",
        )
    if kind is not JointKind.SCREW and joint.pitch != 0.0:
        expected = f"something a {kind.value} joint has: only a screw advances as it turns"
        yield BadValueError(where, "pitch", f"{joint.pitch:g}", expected)
    if kind is not JointKind.BALL and joint.swing_limit is not None:
        expected = f"something a {kind.value} joint has: only a ball swings"
        yield BadValueError(where, "swing_limit", f"{joint.swing_limit:g}", expected)
    yield from _limits(joint)
    yield from _start_rotation(joint)


def _limits(joint: Joint) -> Iterator[MechanismError]:
    if len(joint.limits) != len(joint.kind.factors):
        return
    for factor, label, limits in zip(joint.kind.factors, joint.names, joint.limits, strict=False):
        if factor is Factor.ROTATION and limits != OPEN:
            yield FormatError(
                f"Joint '{joint.name}': the rotation of a {joint.kind.value} joint takes no "
                "lowest and highest value. State how far a ball turns from its zero as its "
                "`swing_limit`."
            )
        elif not limits[0] < limits[1]:
            (low, high), unit = _in_units(factor, limits)
            yield LimitsError(joint.name, label, (low, high), unit)


def _start_rotation(joint: Joint) -> Iterator[MechanismError]:
    """The quaternion is the last of the coordinates, where there is one."""
    has_rotation = Factor.ROTATION in joint.kind.factors
    if has_rotation and len(joint.start) == joint.kind.nq:
        length = math.hypot(*joint.start[-4:])
        if abs(length - 1.0) > UNIT_QUATERNION:
            yield _not_unit(f"Joint '{joint.name}'", "start", joint.start[-4:], length)


def start_faults(joint: Joint) -> Iterator[MechanismError]:
    """A start outside the limits of a joint that has no other fault."""
    for factor, label, value, limits in _single_coordinates(joint):
        if not limits[0] - AT_LIMIT <= value <= limits[1] + AT_LIMIT:
            (said,), unit = _in_units(factor, (value,))
            low, high = _in_units(factor, limits)[0]
            yield StartOutsideLimitsError(joint.name, label, said, (low, high), unit)
    if joint.swing_limit is not None:
        turned = float(swing_of(np.array(joint.initial)))
        if turned > joint.swing_limit + AT_LIMIT:
            shown_limits = (0.0, degrees(joint.swing_limit))
            yield StartOutsideLimitsError(joint.name, "swing", degrees(turned), shown_limits, "deg")


def _in_units(factor: Factor, values: tuple[float, ...]) -> tuple[tuple[float, ...], str]:
    """Coordinates as people say them, and the unit."""
    said, unit = shown_in(factor.is_turn)
    return tuple(said(value) for value in values), unit


def _single_coordinates(
    joint: Joint,
) -> Iterator[tuple[Factor, str, float, tuple[float, float]]]:
    """Factor, name, start and limits of each coordinate but a rotation's quaternion."""
    at = 0
    for index, factor in enumerate(joint.kind.factors):
        if factor.nq == 1:
            limits = joint.limits[index] if joint.limits else OPEN
            yield factor, joint.names[index], joint.initial[at], limits
        at += factor.nq
