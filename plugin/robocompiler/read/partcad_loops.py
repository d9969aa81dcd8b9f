"""Loop markers: the joints that close what PartCAD's tree of connections leaves open."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from robocompiler.errors import (
    BadValueError,
    PortsApartError,
    SameBodyError,
    UnknownKindError,
)
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.joint_motion import closure_gap, joint_coordinates
from robocompiler.model.mechanism import OPEN, Frame, Joint
from robocompiler.read.partcad_findings import Findings, Names
from robocompiler.read.partcad_hosts import host_of
from robocompiler.read.partcad_markers import NOTHING, Marker, resolve_port
from robocompiler.read.partcad_tree import Port
from robocompiler.read.partcad_values import (
    Quantity,
    expected_quantity,
    parse_number,
    parse_quantity,
    parse_ratio,
)
from robocompiler.spatial import Pose

KINDS = tuple(kind for kind in JointKind if kind is not JointKind.FREE)

# PartCAD's half turn about (1, 1, 0), by which ports that meet face each other.
FACING = Pose(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]]), np.zeros(3))

# A universal joint turns first about the contact frame's z and then about its x; ours about x
# and then y.
CROSS = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a loop marker says besides its ends."""

    kind: JointKind
    limits: tuple[tuple[float, float], ...] = ()
    swing_limit: float | None = None
    pitch: float = 0.0
    tolerance: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """The two ports of a loop, and the frames on their bodies."""

    a: Port
    b: Port
    bodies: tuple[str, str]
    X_AF: Pose
    X_BM: Pose
    X_FM: Pose
    """As drawn."""


def read_loop(
    marker: Marker, allowed: tuple[float, float], name: str, frames: Names, findings: Findings
) -> tuple[Joint, Frame, Frame] | None:
    """The joint of a loop marker, with its two frames; None where it is at fault.

    Args:
        marker: the marker.
        allowed: how far apart [m, rad] the ports may be drawn where the marker does not say.
        name: of the joint.
        frames: the names of frames in use.
        findings: takes the faults: the ends', the values', both ends on one body, and ports
            that do not meet.
    """
    ports = [resolve_port(marker, end, findings) for end in ("a", "b")]
    terms = read_terms(marker, findings)
    a, b = ports
    if a is None or b is None or terms is None:
        return None
    ends = _ends(marker, a, b, terms.kind, findings)
    if ends is None:
        return None
    if ends.bodies[0] == ends.bodies[1]:
        findings.faults.append(SameBodyError(name, ends.bodies[0], marker.source))
        return None
    start = _start(marker, name, ends, terms, allowed, findings)
    if start is None:
        return None
    F, M = frames.claim(a.path), frames.claim(b.path)
    joint = Joint(
        name=name,
        kind=terms.kind,
        parent=F,
        child=M,
        closes_loop=True,
        start=start if start != terms.kind.zero else (),
        limits=terms.limits,
        swing_limit=terms.swing_limit,
        pitch=terms.pitch,
        closure_tolerance=terms.tolerance or allowed,
        source=marker.source,
    )
    return joint, frame_at(F, ends.bodies[0], ends.X_AF), frame_at(M, ends.bodies[1], ends.X_BM)


def _start(
    marker: Marker,
    name: str,
    ends: Ends,
    terms: Terms,
    allowed: tuple[float, float],
    findings: Findings,
) -> tuple[float, ...] | None:
    """The coordinates as drawn; None where the ports are drawn too far apart."""
    start = joint_coordinates(terms.kind, ends.X_FM, _near(terms), terms.pitch)
    turn = start[0] if terms.kind is JointKind.SCREW else 0.0
    gap, angle = (float(x) for x in closure_gap(terms.kind, ends.X_FM, terms.pitch, turn))
    limit = terms.tolerance or allowed
    if gap <= limit[0] and angle <= limit[1]:
        return start
    said = (marker.values["a"], marker.values["b"])
    findings.faults.append(PortsApartError(name, said, gap, angle, limit))
    return None


def frame_at(name: str, body: str, X: Pose) -> Frame:
    """A frame of a body."""
    return Frame(name=name, body=body, position=X.position, rotation=X.quaternion)


def _ends(marker: Marker, a: Port, b: Port, kind: JointKind, findings: Findings) -> Ends | None:
    """Port a seen from the other side is the contact frame, in which the joint moves."""
    host_a, host_b = (host_of(port, marker.source, findings) for port in (a, b))
    if host_a is None or host_b is None:
        return None
    turned = Pose(CROSS if kind is JointKind.UNIVERSAL else np.eye(3), np.zeros(3))
    X_WF, X_WM = a.X_WP @ FACING @ turned, b.X_WP @ turned
    return Ends(
        a=a,
        b=b,
        bodies=(host_a.body, host_b.body),
        X_AF=host_a.X_BW @ X_WF,
        X_BM=host_b.X_BW @ X_WM,
        X_FM=X_WF.inverse() @ X_WM,
    )


def _near(terms: Terms) -> tuple[float, ...]:
    """The middle of the limits, or zero: angles are drawn only up to whole turns."""
    if not terms.limits or not all(map(math.isfinite, terms.limits[0])):
        return terms.kind.zero
    return (sum(terms.limits[0]) / 2.0,)


def read_terms(marker: Marker, findings: Findings) -> Terms | None:
    """Kind, limits, pitch and tolerance of a loop; None where one of them is at fault."""
    before = len(findings.faults)
    kind = _kind(marker, findings)
    tolerance = _tolerance(marker, findings)
    if kind is None:
        return None
    pitch = _pitch(marker, kind, findings)
    limits, swing = _limits(marker, kind, findings)
    if len(findings.faults) > before:
        return None
    return Terms(kind=kind, limits=limits, swing_limit=swing, pitch=pitch, tolerance=tolerance)


def _kind(marker: Marker, findings: Findings) -> JointKind | None:
    text = marker.values.get("joint") or JointKind.REVOLUTE.value
    for kind in KINDS:
        if kind.value == text:
            return kind
    known = [kind.value for kind in KINDS]
    findings.faults.append(UnknownKindError(marker.source, text, known))
    return None


def _tolerance(marker: Marker, findings: Findings) -> tuple[float, float] | None:
    """One number, both millimetres and degrees."""
    text = marker.values.get("tolerance")
    if not text:
        return None
    number = parse_number(text)
    if number is None or number <= 0.0:
        expected = "a positive number (of mm and of degrees)"
        findings.faults.append(BadValueError(marker.source, "tolerance", text, expected))
        return None
    return number * Quantity.LENGTH.si, number * Quantity.ANGLE.si


def _pitch(marker: Marker, kind: JointKind, findings: Findings) -> float:
    """[m/rad]. A bare number is in mm per turn."""
    text = marker.values.get("pitch", "")
    if kind is not JointKind.SCREW:
        if text:
            expected = f"something a {kind.value} joint has"
            findings.faults.append(BadValueError(marker.source, "pitch", text, expected))
        return 0.0
    bare = parse_number(text)
    said = f"{text}mm/turn" if bare is not None else text
    pitch = parse_ratio(said, Quantity.LENGTH, Quantity.ANGLE)
    if pitch is None or pitch == 0.0:
        expected = "a screw's pitch: a number in mm per turn, or one with units, such as 2mm/turn"
        findings.faults.append(BadValueError(marker.source, "pitch", text or NOTHING, expected))
        return 0.0
    return pitch


def _limits(
    marker: Marker, kind: JointKind, findings: Findings
) -> tuple[tuple[tuple[float, float], ...], float | None]:
    """Limits of the one coordinate there is, or how far a ball turns."""
    stated = {side: marker.values[side] for side in ("lower", "upper") if marker.values.get(side)}
    if not stated:
        return (), None
    if kind is JointKind.BALL and "lower" in stated:
        expected = "something a ball joint has: `upper` is how far it turns from its zero"
        findings.faults.append(BadValueError(marker.source, "lower", stated["lower"], expected))
        return (), None
    if kind is not JointKind.BALL and (len(kind.factors) != 1):
        for side, text in stated.items():
            expected = f"something a {kind.value} joint has: limit one of a single coordinate"
            findings.faults.append(BadValueError(marker.source, side, text, expected))
        return (), None
    quantity = Quantity.ANGLE if kind.factors[0].is_turn else Quantity.LENGTH
    values: dict[str, float] = {}
    for side, text in stated.items():
        value = parse_quantity(text, quantity)
        if value is None:
            expected = expected_quantity(quantity)
            findings.faults.append(BadValueError(marker.source, side, text, expected))
        else:
            values[side] = value
    if kind is JointKind.BALL:
        return (), values.get("upper")
    return ((values.get("lower", OPEN[0]), values.get("upper", OPEN[1])),), None
