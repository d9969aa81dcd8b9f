"""Ports that meet though nothing joins them: most likely a loop that was not stated.

PartCAD checks by `alsoConnectPorts` that two ports meet, and tells no exporter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Joint
from robocompiler.read.partcad_connections import Graph
from robocompiler.read.partcad_findings import Findings
from robocompiler.read.partcad_hosts import host_of
from robocompiler.read.partcad_tree import Link, Port
from robocompiler.spatial import Pose, Vec3

# As PartCAD has it for `alsoConnectPorts`: how far apart [m] ports may be that meet.
MEETING = 1e-5
# How far [rad] their z axes may be from opposed.
FACING = 0.01

PIN, BORE = "-pin", "-bore"
"""How the names of this package's interfaces end; the bore is the parent."""


@dataclass(frozen=True, slots=True, eq=False)
class _Free:
    """A port that no joint uses."""

    port: Port
    body: str
    X_WP: Pose


def warn_of_meetings(root: Link, graph: Graph, findings: Findings) -> None:
    """Warn of every two bodies that no joint joins though ports of theirs meet.

    Only ports that would make a joint count: of a pin and a bore of this package, or of two
    interfaces that made one elsewhere in the tree. The first port of a body, in the order of the
    tree, speaks for it. Said once for each two bodies.
    """
    body_of = {frame.name: frame.body for frame in graph.frames}
    rigid = _rigid_groups(graph.joints, body_of)
    ends = [(body_of[joint.parent], body_of[joint.child]) for joint in graph.joints]
    joined = {frozenset(rigid.get(body, body) for body in pair) for pair in ends}
    free = sorted(_free_ports(root, graph), key=lambda f: float(f.X_WP.p[0]))
    for i, one in enumerate(free):
        for other in free[i + 1 :]:
            if other.X_WP.p[0] - one.X_WP.p[0] > MEETING:
                break
            pair = frozenset(rigid.get(free.body, free.body) for free in (one, other))
            kind, a, b = _mated(one, other, graph.mates)
            if kind is None or len(pair) < 2 or pair in joined or not _meet(one.X_WP, other.X_WP):
                continue
            joined.add(pair)
            findings.warn(_told(kind, a.port, b.port))


def _told(kind: JointKind, a: Port, b: Port) -> str:
    """Says which marker would close the loop, and on which assembly: the innermost with both."""
    around = [link for link in _containers(a.link) if link in _containers(b.link)]
    within = next((link for link in around if not link.anonymous), around[-1])
    depth = len(within.path)
    ends = ("/".join(port.link.path[depth:]) + f".{port.name}" for port in (a, b))
    return (
        f"Ports '{a.path}' and '{b.path}' meet, but no joint or `rc:loop` joins them: the loop "
        "stays open. To close it, state `rc:loop;joint={},a={},b={}` on '{}'.".format(
            kind.value, *ends, within.object_name
        )
    )


def _containers(link: Link) -> list[Link]:
    """What a link is in, innermost first."""
    return [] if link.container is None else [link.container, *_containers(link.container)]


def _free_ports(root: Link, graph: Graph) -> Iterator[_Free]:
    """Those of interfaces that make joints, at places of their bodies where none is made."""
    frames = {frame.name: frame for frame in graph.frames}
    loops = [joint for joint in graph.joints if joint.closes_loop]
    ends = [frames[name] for joint in loops for name in (joint.parent, joint.child)]
    taken: dict[str, list[Vec3]] = defaultdict(list)
    for body, place in [*graph.taken, *((end.body, end.position) for end in ends)]:
        taken[body].append(place)
    making = {interface for mates in graph.mates for interface in mates}
    for link in root.walk():
        for port in link.ports:
            name = port.full_interface
            if not name or not (name in making or name.endswith((PIN, BORE))):
                continue
            host = host_of(port, "", Findings())
            if host is None:
                continue
            place = (host.X_BW @ port.X_WP).position
            if not any(_near(place, there) for there in taken[host.body]):
                yield _Free(port, host.body, port.X_WP)


def _mated(
    one: _Free, other: _Free, mates: Mapping[tuple[str, str], JointKind]
) -> tuple[JointKind | None, _Free, _Free]:
    """The joint that two ports would make, the parent's first; None where they make none."""
    for a, b in ((one, other), (other, one)):
        parent, child = a.port.full_interface, b.port.full_interface
        if parent and (parent, child) in mates:
            return mates[parent, child], a, b
        stem = child.removesuffix(PIN)
        if child.endswith(PIN) and parent == f"{stem}{BORE}":
            for kind in JointKind:
                if kind.value == stem.rpartition(":")[2]:
                    return kind, a, b
    return None, one, other


def _meet(A: Pose, B: Pose) -> bool:
    opposed = float(A.R[:, 2] @ B.R[:, 2]) < -np.cos(FACING)
    return opposed and float(np.linalg.norm(A.p - B.p)) <= MEETING


def _near(a: Vec3, b: Vec3) -> bool:
    return max(abs(x - y) for x, y in zip(a, b, strict=True)) <= MEETING


def _rigid_groups(joints: Sequence[Joint], body_of: Mapping[str, str]) -> dict[str, str]:
    """For each body that a rigid joint holds, a body that speaks for all that move with it."""
    group: dict[str, str] = {}
    for joint in joints:
        if joint.kind is JointKind.FIXED:
            ends = body_of[joint.parent], body_of[joint.child]
            one, other = (group.get(body, body) for body in ends)
            kept = WORLD if WORLD in (one, other) else min(one, other)
            group |= {body: kept for body, g in group.items() if g in (one, other)}
            group |= dict.fromkeys((one, other), kept)
    return group
