"""Marker interfaces: what an assembly states through this package that PartCAD has no word for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from robocompiler.errors import (
    AmbiguousNameError,
    BadValueError,
    DuplicateNameError,
    UnknownNameError,
)
from robocompiler.read.partcad_findings import Findings
from robocompiler.read.partcad_tree import Link, Port, bare_name

LOOP = "loop"
COUPLING = "coupling"
ACTUATOR = "actuator"

PARAMETERS: dict[str, frozenset[str]] = {
    LOOP: frozenset({"joint", "a", "b", "lower", "upper", "tolerance", "pitch"}),
    COUPLING: frozenset({"leader", "follower", "ratio", "offset"}),
    ACTUATOR: frozenset({"joint", "ratio", "effort", "velocity", "armature"}),
}
ENDS: dict[str, tuple[str, ...]] = {
    LOOP: ("a", "b"),
    COUPLING: ("leader", "follower"),
    ACTUATOR: ("joint",),
}
"""The parameters without which a marker says nothing."""
NOTHING = "(nothing)"
"""What an error quotes of a parameter that is not stated."""


@dataclass(frozen=True, slots=True, eq=False)
class Marker:
    """One marker on one placed object."""

    kind: str
    instance: str
    """What the user calls it; empty where it has no name."""
    values: Mapping[str, str]
    link: Link
    """The object that carries it: names are below it."""
    source: str
    """Such as `fourbar: rc:loop C`."""
    package: str
    """Whose marker it is, such as `//rc`."""


def find_markers(root: Link, kind: str, findings: Findings) -> list[Marker]:
    """The markers of one kind in the tree, outer objects first.

    Faults: an end that is not stated; two of one name on one object.
    """
    markers: list[Marker] = []
    for link in root.walk():
        seen: dict[str, Marker] = {}
        for marker in _markers_of(link, kind):
            if marker.instance and marker.instance in seen:
                sources = tuple(_told(found) for found in (seen[marker.instance], marker))
                findings.faults.append(DuplicateNameError(f"{kind}s", marker.instance, sources))
                continue
            seen[marker.instance] = marker
            missing = [end for end in ENDS[kind] if not marker.values.get(end)]
            for end in missing:
                what = "`<link>.<port>`" if kind == LOOP else "the name of a joint"
                findings.faults.append(BadValueError(marker.source, end, NOTHING, what))
            if not missing:
                markers.append(marker)
    return markers


def _told(marker: Marker) -> str:
    """A marker with all it says, where its name does not tell it from another."""
    values = ", ".join(f"{key}={value}" for key, value in marker.values.items() if value)
    return f"{marker.source} with {values}"


def mounts(root: Link) -> frozenset[str]:
    """The packages that this one is mounted as, as far as markers in the tree show it."""
    links = list(root.walk())
    markers = [m for kind in PARAMETERS for link in links for m in _markers_of(link, kind)]
    return frozenset(marker.package for marker in markers)


def _markers_of(link: Link, kind: str) -> Iterator[Marker]:
    """A link's markers of one kind.

    Recognized by the bare name, since any package may mount this one, and by the parameters, since
    any package may have an interface of that name; one that says nothing, by its port's name.
    """
    for entry in link.node.get("interfaces") or ():
        values = _parameters(str(entry.get("name")))
        if bare_name(entry.get("name")) != kind or not values.keys() <= PARAMETERS[kind]:
            continue
        named = re.compile(rf"(.*-)?{kind}/.*")
        marked = any(named.fullmatch(str(port)) for port in entry.get("ports") or ())
        if marked or values.keys() & set(ENDS[kind]):
            instance = str(entry.get("instance") or "")
            source = _source(link, entry, instance, values)
            yield Marker(kind, instance, values, link, source, _package(entry))


def _parameters(interface: str) -> dict[str, str]:
    """Those of `<package>:<name>;<parameter>=<value>,…`, as text.

    As PartCAD has it, what follows a comma and has no `=` goes on with the value before.
    """
    said: list[tuple[str, str]] = []
    for item in interface.partition(";")[2].split(","):
        name, equals, value = item.partition("=")
        if equals or not said:
            said.append((name.strip(), value.strip()))
        else:
            said[-1] = (said[-1][0], f"{said[-1][1]},{item.strip()}")
    return {name: value for name, value in said if name}


def listed(value: str) -> list[str]:
    """The entries of a parameter that may have several, `left,right`."""
    return [entry.strip() for entry in value.split(",")]


def _package(entry: Mapping[str, Any]) -> str:
    return str(entry.get("name")).partition(";")[0].rpartition(":")[0]


def _source(link: Link, entry: Mapping[str, Any], instance: str, values: Mapping[str, str]) -> str:
    package = _package(entry).rpartition("/")[2]
    kind = bare_name(entry.get("name"))
    called = instance or " - ".join(values[end] for end in ENDS[kind] if end in values)
    return f"{link.place}: {package}:{kind} {called}".rstrip()


def resolve_port(marker: Marker, parameter: str, findings: Findings) -> Port | None:
    """The port that `<link>.<port>` names, below the object with the marker.

    Faults: of another form; no such link, or several; no such port.
    """
    text = marker.values[parameter]
    where = f"{marker.source}, {parameter}={text}"
    splits = [i for i, c in enumerate(text) if c == "." and i > text.rfind("/")]
    if not splits:
        findings.faults.append(BadValueError(marker.source, parameter, text, "`<link>.<port>`"))
        return None
    named = [(marker.link.find(text[:i]), text[i + 1 :]) for i in splits]
    known = [(links, port) for links, port in named if links]
    if not known:
        paths = _paths_below(marker.link)
        findings.faults.append(UnknownNameError(where, "link", text[: splits[0]], paths))
        return None
    for links, name in known:
        ports = [port for link in links for port in link.ports if port.name == name]
        if len(links) > 1:
            path = text[: -len(name) - 1]
            findings.faults.append(AmbiguousNameError(where, "link", path, len(links)))
            return None
        if ports:
            return ports[0]
    links, name = known[0]
    names = [port.name for port in links[0].ports]
    findings.faults.append(UnknownNameError(where, "port", name, names))
    return None


def _paths_below(link: Link) -> list[str]:
    """What `Link.find` takes, for a suggestion."""
    depth = len(link.path)
    return ["/".join(below.path[depth:]) for below in link.walk() if below is not link]
