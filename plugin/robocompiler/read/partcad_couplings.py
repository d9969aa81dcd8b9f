"""Couplings: marker interfaces, and what a PartCAD joint says it mimics.

A marker names a joint as the assembly calls it, `elbow`, and one inside a sub-assembly by the way
there, `arm/elbow`. A coordinate of a joint with several is named after a colon, `arm/wrist:turnZ`:
a slash only ever leads into an assembly. Several leaders have commas between them, `left,right`,
and so have their ratios.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from robocompiler.errors import (
    AmbiguousNameError,
    BadValueError,
    CouplingError,
    MechanismError,
    UnknownNameError,
)
from robocompiler.model.mechanism import Coupling, Joint, Leader
from robocompiler.read.partcad_connections import Known
from robocompiler.read.partcad_findings import Findings
from robocompiler.read.partcad_markers import NOTHING, Marker, listed
from robocompiler.read.partcad_tree import Link
from robocompiler.read.partcad_values import (
    Quantity,
    expected_quantity,
    expected_ratio,
    parse_quantity,
    parse_ratio,
)


@dataclass(frozen=True, slots=True)
class Coordinate:
    """One coordinate of a joint, as a marker refers to it."""

    name: str
    quantity: Quantity


def read_coupling(
    marker: Marker, name: str, known: Sequence[Known], findings: Findings
) -> Coupling | None:
    """The coupling of a marker; None where it is at fault.

    Faults: no such joint or coordinate, or several; other than one ratio for each leader; a ratio
    or offset that cannot be read or is of another dimension than the coordinates have.
    """
    names = listed(marker.values["leader"])
    leaders = [named_coordinate(marker, "leader", text, known, findings) for text in names]
    follower = named_coordinate(marker, "follower", marker.values["follower"], known, findings)
    found = [leader for leader in leaders if leader is not None]
    if follower is None or len(found) < len(leaders):
        return None
    ratios = _ratios(marker, found, follower, findings)
    text = marker.values.get("offset") or "0"
    offset = parse_quantity(text, follower.quantity)
    if offset is None:
        expected = expected_quantity(follower.quantity)
        findings.faults.append(BadValueError(marker.source, "offset", text, expected))
    if ratios is None or offset is None:
        return None
    return Coupling(
        name=name,
        follower=follower.name,
        leaders=tuple(
            Leader(coordinate=leader.name, ratio=ratio)
            for leader, ratio in zip(found, ratios, strict=True)
        ),
        offset=offset,
        source=marker.source,
    )


def _ratios(
    marker: Marker, leaders: Sequence[Coordinate], follower: Coordinate, findings: Findings
) -> list[float] | None:
    """The ratio of each leader, in SI units. Only one leader of like dimension may have none."""
    of, said = follower.quantity, marker.values.get("ratio") or ""
    if not said and len(leaders) == 1 and leaders[0].quantity is of:
        return [1.0]
    texts = listed(said)
    if len(texts) != len(leaders):
        many = f"each of the {len(leaders)} leaders, in their order, with commas between"
        expected = f"a ratio for {many if len(leaders) > 1 else 'the one leader'}"
        findings.faults.append(BadValueError(marker.source, "ratio", said or NOTHING, expected))
        return None
    ratios: list[float] = []
    for leader, text in zip(leaders, texts, strict=True):
        ratio = parse_ratio(text, of, leader.quantity)
        if ratio is None:
            expected = expected_ratio(of, leader.quantity)
            findings.faults.append(BadValueError(marker.source, "ratio", text or NOTHING, expected))
        else:
            ratios.append(ratio)
    return ratios if len(ratios) == len(leaders) else None


def read_mimic(
    follower: Known,
    name: str,
    mimic: Mapping[str, object],
    known: Sequence[Known],
    findings: Findings,
) -> Coupling | None:
    """The coupling of a joint that mimics another; both have one coordinate.

    Faults: no such joint, or several; a joint of several coordinates.
    """
    source = f"{follower.joint.source}, mimic"
    leader = _mimicked(follower, str(mimic.get("joint")), known)
    if isinstance(leader, MechanismError):
        findings.faults.append(leader)
        return None
    ends = [_coordinates(leader.joint), _coordinates(follower.joint)]
    for joint, coordinates in zip((leader, follower), ends, strict=True):
        if len(coordinates) != 1:
            what = f"{source}: joint '{joint.name}' has {len(coordinates)} coordinates of its own"
            advice = "State the two that are coupled by an `rc:coupling` on the assembly."
            findings.faults.append(CouplingError(f"{what}, where a mimic needs one. {advice}"))
            return None
    lead, follow = (next(iter(coordinates.values())) for coordinates in ends)
    ratio = _number(mimic, "multiplier", 1.0, source, findings)
    offset = _number(mimic, "offset", 0.0, source, findings)
    if ratio is None or offset is None:
        return None
    return Coupling.gear(
        name=name,
        leader=lead.name,
        follower=follow.name,
        ratio=ratio * follow.quantity.si / lead.quantity.si,
        offset=offset * follow.quantity.si,
        source=source,
    )


def _number(
    mimic: Mapping[str, object], key: str, default: float, source: str, findings: Findings
) -> float | None:
    value = mimic.get(key, default)
    if isinstance(value, (int, float)) and math.isfinite(value):
        return float(value)
    findings.faults.append(BadValueError(source, key, str(value), "a finite number"))
    return None


def _mimicked(follower: Known, name: str, known: Sequence[Known]) -> Known | MechanismError:
    """The joint of that name nearest to the follower: in its assembly, below it, further out."""
    around: Link | None = follower.container
    where = f"{follower.joint.source}, mimic"
    while around is not None:
        for links in (around.scope(), list(around.walk())):
            scope = set(map(id, links))
            found = [k for k in known if k.name == name and id(k.container) in scope]
            if len(found) > 1:
                return AmbiguousNameError(where, "joint", name, len(found))
            if found:
                return found[0]
        around = around.container
    return UnknownNameError(where, "joint", name, [k.name for k in known])


def named_coordinate(
    marker: Marker, end: str, text: str, known: Sequence[Known], findings: Findings
) -> Coordinate | None:
    """The coordinate that a marker names as an end, below the object that carries it."""
    where = f"{marker.source}, {end}"
    path, colon, label = text.rpartition(":")
    joints = _joints(marker.link, path if colon else text, known)
    if not joints:
        names = _names_below(marker.link, known)
        findings.faults.append(UnknownNameError(where, "joint", path if colon else text, names))
        return None
    if len(joints) > 1:
        findings.faults.append(AmbiguousNameError(where, "joint", text, len(joints)))
        return None
    coordinates = _coordinates(joints[0].joint)
    if not colon and len(coordinates) == 1:
        return next(iter(coordinates.values()))
    for said, coordinate in coordinates.items():
        if colon and label in (said, said.partition("+")[0]):
            return coordinate
    choices = [f"{path if colon else text}:{said}" for said in coordinates]
    findings.faults.append(UnknownNameError(where, "joint coordinate", text, choices))
    return None


def _joints(link: Link, path: str, known: Sequence[Known]) -> list[Known]:
    """Every joint that `path` names: the links that lead to its assembly, and its name."""
    found: list[Known] = []
    ends = [i for i, c in enumerate(path) if c == "/"]
    ways = [(path, [link]), *((path[i + 1 :], link.find(path[:i])) for i in ends)]
    for name, containers in ways:
        scope = {id(link) for container in containers for link in container.scope()}
        found += [k for k in known if k.name == name and id(k.container) in scope]
    return found


def _names_below(link: Link, known: Sequence[Known]) -> list[str]:
    depth = len(link.path)
    inside = set(map(id, link.walk()))
    return [
        "/".join((*k.container.path[depth:], k.name)) for k in known if id(k.container) in inside
    ]


def _coordinates(joint: Joint) -> dict[str, Coordinate]:
    """What can be coupled of a joint: its single coordinates, as the description calls them."""
    named = zip(joint.kind.factors, joint.names, joint.full_names, strict=True)
    return {
        label: Coordinate(name, Quantity.ANGLE if factor.is_turn else Quantity.LENGTH)
        for factor, label, name in named
        if factor.nq == 1
    }
