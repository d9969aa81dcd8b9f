"""Actuators: marker interfaces that say what drives a joint, or several.

Joints and their coordinates are named as in couplings, `arm/elbow` and `arm/wrist:turnZ`; several
have commas between them, `left,right`, and so have their ratios. PartCAD's own `maxEffort` and
`maxVelocity` are the joint's; those here are on the actuator's side of its gear.
"""

from __future__ import annotations

from collections.abc import Sequence

from robocompiler.errors import BadValueError
from robocompiler.model.mechanism import Actuator, Transmission
from robocompiler.read.partcad_connections import Known
from robocompiler.read.partcad_couplings import Coordinate, named_coordinate
from robocompiler.read.partcad_findings import Findings, Names
from robocompiler.read.partcad_markers import NOTHING, Marker, listed
from robocompiler.read.partcad_values import (
    Quantity,
    expected_ratio,
    expected_speed,
    parse_number,
    parse_ratio,
    parse_speed,
)

EFFORTS = {Quantity.ANGLE: "N m", Quantity.LENGTH: "N"}
INERTIAS = {Quantity.ANGLE: "kg m²", Quantity.LENGTH: "kg"}
"""Units of an effort and of an armature: SI, as PartCAD has efforts."""


def read_actuator(
    marker: Marker, names: Names, known: Sequence[Known], findings: Findings
) -> Actuator | None:
    """The actuator of a marker; None where it is at fault.

    One without a name of its own is called after the coordinate it moves.

    Faults: no such joint or coordinate, or several; other than one ratio for each; a number that
    cannot be read, is of another dimension, or cannot be.
    """
    said = listed(marker.values["joint"])
    named = [named_coordinate(marker, "joint", text, known, findings) for text in said]
    moved = [coordinate for coordinate in named if coordinate is not None]
    if len(moved) < len(said):
        return None
    faults = len(findings.faults)
    turns = _quantity(marker, moved)
    ratios = _ratios(marker, moved, turns, findings)
    effort = _positive(marker, "effort", EFFORTS[turns], findings)
    armature = _positive(marker, "armature", INERTIAS[turns], findings)
    velocity = _velocity(marker, turns, findings)
    if len(findings.faults) > faults:
        return None
    called = marker.instance or (moved[0].name if len(moved) == 1 else "-".join(said))
    return Actuator(
        name=names.claim(called),
        transmissions=tuple(
            Transmission(coordinate=coordinate.name, ratio=ratio)
            for coordinate, ratio in zip(moved, ratios, strict=True)
        ),
        effort=effort,
        velocity=velocity,
        armature=armature or 0.0,
        source=marker.source,
    )


def _quantity(marker: Marker, moved: Sequence[Coordinate]) -> Quantity:
    """Whether it turns or slides: as the first ratio with units says, else as what it moves does.

    A spindle that turns and moves a slide says so: `ratio=72deg/mm`.
    """
    for text, coordinate in zip(listed(marker.values.get("ratio") or ""), moved, strict=False):
        if parse_number(text) is None:  # so it has units: `20/40` has none
            for quantity in Quantity:
                if parse_ratio(text, quantity, coordinate.quantity) is not None:
                    return quantity
    return moved[0].quantity


def _ratios(
    marker: Marker, moved: Sequence[Coordinate], turns: Quantity, findings: Findings
) -> list[float]:
    """The ratio of each coordinate, in SI units; 1 for one of like dimension without any."""
    said = marker.values.get("ratio") or ""
    if not said and len(moved) == 1:
        return [1.0]
    texts = listed(said)
    if len(texts) != len(moved):
        many = f"each of the {len(moved)} joints, in their order, with commas between"
        expected = f"a ratio for {many if len(moved) > 1 else 'the one joint'}"
        findings.faults.append(BadValueError(marker.source, "ratio", said or NOTHING, expected))
        return []
    ratios: list[float] = []
    for coordinate, text in zip(moved, texts, strict=True):
        ratio = parse_ratio(text, turns, coordinate.quantity)
        if not ratio:
            expected = f"{expected_ratio(turns, coordinate.quantity)}, and not 0"
            findings.faults.append(BadValueError(marker.source, "ratio", text or NOTHING, expected))
        else:
            ratios.append(ratio)
    return ratios


def _positive(marker: Marker, parameter: str, unit: str, findings: Findings) -> float | None:
    """A number in SI units; None where it is not stated, or at fault."""
    text = marker.values.get(parameter) or ""
    number = parse_number(text) if text else None
    if text and not (number and number > 0.0):
        expected = f"a positive number in {unit}, without a unit: leave it out where there is none"
        findings.faults.append(BadValueError(marker.source, parameter, text, expected))
        return None
    return number


def _velocity(marker: Marker, turns: Quantity, findings: Findings) -> float | None:
    """[rad/s or m/s]; None where it is not stated, or at fault."""
    text = marker.values.get("velocity") or ""
    speed = parse_speed(text, turns) if text else None
    if text and not (speed and speed > 0.0):
        expected = expected_speed(turns)
        findings.faults.append(BadValueError(marker.source, "velocity", text, expected))
        return None
    return speed
