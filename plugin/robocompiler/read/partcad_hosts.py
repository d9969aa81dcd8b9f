"""Which body a port is on, where an assembly maps it from a part that moves inside.

PartCAD knows a mapped port only by where it is, and welds what is connected to it to the root
body of the assembly that maps it. The port it was mapped from is at the same place, on the body
that is meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from robocompiler.errors import MappedPortError
from robocompiler.read.partcad_findings import Findings
from robocompiler.read.partcad_tree import SAME_PLACE, Link, Node, Port, same_place
from robocompiler.spatial import Pose

WELD = "weld"
"""Key, in a joint record of ours, of the two links that a rigid connection really joins: their
places in the order of `Link.walk`."""


@dataclass(frozen=True, slots=True, eq=False)
class Host:
    """The body that a port is fixed to."""

    link: Link

    @property
    def body(self) -> str:
        """Its name."""
        return self.link.body

    @property
    def X_BW(self) -> Pose:
        """The tree's frame seen from the body's, as drawn."""
        return self.link.X_BL @ self.link.X_WL.inverse()


def host_of(port: Port, source: str, findings: Findings) -> Host | None:
    """The body that a port is on: its link's, or that of the part it is mapped from.

    Faults: ports of several bodies are where it is, so that it could be mapped from any of them.
    Warnings: no port is there at all, while parts move inside.
    """
    origins = {origin.body: origin for origin in _origins(port)}
    if len(origins) > 1:
        fault = MappedPortError(source, f"port '{port.path}'", sorted(origins))
        findings.faults.append(fault)
        return None
    if not origins and _moves_inside(port.link):
        findings.warn(
            f"{source}: port '{port.path}' is where no part inside '{port.link.label}' has one, so "
            f"it is taken to be on '{port.link.body}', as PartCAD does. If a part that moves is "
            "meant, give that part the port, and map it without an offset."
        )
    host = next(iter(origins.values()), port.link)
    return Host(port.link if host.body == port.link.body else host)


def _origins(port: Port) -> list[Link]:
    """The links below a port's own that have it, those of its interface before others."""
    for interface in (port.interface, ""):
        found = list(_at_place(port.link, port.X_WP, interface))
        if found:
            return found
    return []


def _at_place(link: Link, X_WP: Pose, interface: str) -> Iterator[Link]:
    """The links below with a port at a place, deepest first: mapped ones do not count."""
    for child in link.children:
        deeper = list(_at_place(child, X_WP, interface))
        if deeper:
            yield from deeper
        elif any(
            interface in ("", own.interface) and same_place(own.X_WP, X_WP) for own in child.ports
        ):
            yield child


def mended_tree(root: Link, findings: Findings) -> Node:
    """The tree, with every rigid connection to a part that moves inside an assembly made a joint.

    PartCAD welds the connected object to the assembly's root body. The record put in its place
    makes it a body of its own, and says in `WELD` what it is fixed to.

    Faults: a connection of which it cannot be told what it is to.
    """
    links = list(root.walk())
    places = {id(link): i for i, link in enumerate(links)}
    records: dict[int, dict[str, Any]] = {}
    for link in links:
        sibling = attached_to(link)
        if sibling is None or not (_moves_inside(sibling) or _moves_inside(link)):
            continue
        ends = _welded(sibling, link, findings)
        if ends is not None and (ends[0].body, ends[1].body) != (sibling.body, link.body):
            records[id(link.node)] = {
                "name": f"{link.label}-{sibling.label}",
                "parent": sibling.label,
                "child": link.label,
                "steps": [],
                WELD: tuple(places[id(end)] for end in ends),
            }
    return _replaced(root.node, records) if records else root.node


def attached_to(link: Link) -> Link | None:
    """The sibling a link is rigidly connected to."""
    label = link.node.get("attached")
    if link.container is None or label is None or link.node.get("joint"):
        return None
    return next((s for s in link.container.children if s.label == label and s is not link), None)


def _moves_inside(link: Link) -> bool:
    return any(below.body != link.body for below in link.walk())


def _welded(sibling: Link, link: Link, findings: Findings) -> tuple[Link, Link] | None:
    """The links, on either side or below, whose ports meet; the two themselves where none do."""
    source = f"{link.container.place if link.container else ''}: {link.label} on {sibling.label}"
    found: dict[tuple[str, str], tuple[Link, Link]] = {}
    for a, b in [(a, b) for a in sibling.ports for b in link.ports if _meet(a, b)]:
        host_a, host_b = (host_of(port, source, findings) for port in (a, b))
        if host_a is None or host_b is None:
            return None
        found[host_a.body, host_b.body] = (host_a.link, host_b.link)
    if len(found) == 1:
        return next(iter(found.values()))
    mapped = {origin.body for port in (*sibling.ports, *link.ports) for origin in _origins(port)}
    bodies = mapped | {sibling.body, link.body}
    if found or len(bodies) > 1:
        what = f"the port of '{sibling.label}' that it is connected to"
        findings.faults.append(MappedPortError(source, what, sorted(bodies)))
        return None
    return sibling, link


def _meet(a: Port, b: Port) -> bool:
    """Whether two ports face each other at one place, at any angle about their axis."""
    A, B = a.X_WP, b.X_WP
    opposed = float(A.R[:, 2] @ B.R[:, 2]) < SAME_PLACE - 1.0
    return opposed and float(np.abs(A.p - B.p).max()) < SAME_PLACE


def _replaced(node: Node, records: Mapping[int, Mapping[str, Any]]) -> Node:
    """A copy of the tree with joint records put in, which shares what it can."""
    children = node.get("assembly")
    changed: dict[str, Any] = {}
    if children:
        below = [_replaced(child, records) for child in children]
        if any(new is not old for new, old in zip(below, children, strict=True)):
            changed["assembly"] = below
    if id(node) in records:
        changed["joint"] = records[id(node)]
    return {**node, **changed} if changed else node
