"""What PartCAD hands an exporter, as a mechanism.

The only reader of PartCAD's envelope. Which parts are one body, what each weighs and what a joint
is, PartCAD's own modules say (`kinematics`, `mass_properties`, on the path of its sandbox).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from robocompiler.errors import BadValueError, DuplicateNameError, FormatError, raise_all
from robocompiler.model.mechanism import Actuator, Coupling, Environment, Mechanism
from robocompiler.model.validity import faults_of
from robocompiler.parameters import EXPORT
from robocompiler.read.partcad_actuators import read_actuator
from robocompiler.read.partcad_bodies import read_bodies, vector
from robocompiler.read.partcad_connections import Graph, Known, hold_roots, read_connections
from robocompiler.read.partcad_couplings import read_coupling, read_mimic
from robocompiler.read.partcad_findings import Findings, Names
from robocompiler.read.partcad_hosts import mended_tree
from robocompiler.read.partcad_loops import read_loop
from robocompiler.read.partcad_markers import (
    ACTUATOR,
    COUPLING,
    LOOP,
    Marker,
    find_markers,
    listed,
    mounts,
)
from robocompiler.read.partcad_meetings import warn_of_meetings
from robocompiler.read.partcad_tree import Link, link_tree
from robocompiler.read.partcad_values import Quantity, parse_number

# How far apart the ports of a loop may be drawn [mm, deg], where neither it nor the request says.
CLOSURE_TOLERANCE = 0.5


def read_partcad(request: Mapping[str, Any]) -> Mechanism:
    """The mechanism of an export request.

    Args:
        request: as PartCAD hands it to an exporter that declares `properties: true`, live or
            dumped as JSON. Read are `shape_tree`, `properties`, `world`, `shape_name` and the
            parameters `static`, `closure_tolerance` [mm] and `closure_angle_tolerance` [deg].

    Raises:
        MechanismError: everything that is wrong with it, as one error.
    """
    tree, properties = request.get("shape_tree"), request.get("properties")
    if not isinstance(tree, Mapping):
        raise FormatError("The request has no `shape_tree`: this is not a request to an exporter.")
    findings = Findings()
    tree, bodies, root = _tree(tree, properties, findings)
    read, meshes = read_bodies(bodies, tree, properties, mounts(root), findings)
    graph = Graph()
    read_connections(bodies, root, graph, findings)
    _read_loops(root, _allowed(request), graph, findings)
    # A scene says of each of its elements whether it is fixed.
    static = bool(request.get("static")) and tree.get("kind") != "scene"
    hold_roots(bodies, static, graph, findings)
    _tell_renamed(graph, findings)
    if not findings.faults:
        warn_of_meetings(root, graph, findings)
    mechanism = Mechanism(
        name=str(request.get("shape_name") or root.object_name or "mechanism"),
        bodies=read,
        frames=tuple(graph.frames),
        joints=tuple(graph.joints),
        couplings=_read_couplings(root, graph, findings),
        actuators=_read_actuators(root, graph, findings),
        meshes=meshes,
        environment=_environment(request.get("world")),
        warnings=tuple(findings.warnings),
    )
    raise_all([*findings.faults, *faults_of(mechanism)])
    return mechanism


def _tree(
    tree: Mapping[str, Any], properties: Mapping[str, Any] | None, findings: Findings
) -> tuple[Mapping[str, Any], Any, Link]:
    """The tree, PartCAD's bodies of it, and its links; mended where PartCAD welds wrongly."""
    import kinematics

    bodies = kinematics.bodies(tree, properties)
    root = link_tree(tree, bodies)
    mended = mended_tree(root, findings)
    if mended is not tree:
        bodies = kinematics.bodies(mended, properties)
        root = link_tree(mended, bodies)
    for problem in bodies.problems:
        findings.warn(f"PartCAD: {problem}.")
    return mended, bodies, root


def _allowed(request: Mapping[str, Any]) -> tuple[float, float]:
    """How far apart [m, rad] the ports of a loop may be drawn."""
    gap, angle = (
        CLOSURE_TOLERANCE if request.get(key) is None else _positive(key, request[key])
        for key in ("closure_tolerance", "closure_angle_tolerance")
    )
    return gap * Quantity.LENGTH.si, angle * Quantity.ANGLE.si


def _positive(parameter: str, value: Any) -> float:
    number = parse_number(str(value))
    if number is None or not 0.0 < number < math.inf:
        raise BadValueError(EXPORT, parameter, str(value), "a positive number")
    return number


def _read_loops(root: Link, allowed: tuple[float, float], graph: Graph, findings: Findings) -> None:
    """The loop markers' joints. One named as a connection of its assembly is at fault."""
    for marker in find_markers(root, LOOP, findings):
        called = marker.instance or _between(marker)
        for known in graph.known:
            if known.container is marker.link and known.name == called:
                sources = (known.joint.source, marker.source)
                findings.faults.append(DuplicateNameError("joints", called, sources))
        name = graph.joint_name(called, marker.link)
        loop = read_loop(marker, allowed, name, graph.frame_names, findings)
        if loop is not None:
            graph.add(*loop)
            graph.known.append(Known(marker.link, called, loop[0]))


def _tell_renamed(graph: Graph, findings: Findings) -> None:
    """Joints of one name in several assemblies: what each is called from here on."""
    if graph.renamed:
        said = "; ".join(
            f"joint '{called}' of '{where}' is reported as '{name}'"
            for called, where, name in graph.renamed
        )
        findings.warn(f"Several joints of one name: {said}.")


def _between(marker: Marker) -> str:
    """What a loop without a name of its own is called: its two links."""
    links = (marker.values[end].rpartition(".")[0].rpartition("/")[2] for end in ("a", "b"))
    return "-".join(links)


def _read_couplings(root: Link, graph: Graph, findings: Findings) -> tuple[Coupling, ...]:
    """Those of the markers, and of the joints that mimic others."""
    names = Names()
    couplings: list[Coupling | None] = []
    for marker in find_markers(root, COUPLING, findings):
        between = (*listed(marker.values["leader"]), marker.values["follower"])
        name = names.claim(marker.instance or "-".join(between))
        couplings.append(read_coupling(marker, name, graph.known, findings))
    for known in graph.known:
        if isinstance(known.mimic, Mapping) and known.mimic.get("joint"):
            name = names.claim(known.joint.name)
            couplings.append(read_mimic(known, name, known.mimic, graph.known, findings))
    return tuple(coupling for coupling in couplings if coupling is not None)


def _read_actuators(root: Link, graph: Graph, findings: Findings) -> tuple[Actuator, ...]:
    names = Names()
    markers = find_markers(root, ACTUATOR, findings)
    read = [read_actuator(marker, names, graph.known, findings) for marker in markers]
    return tuple(actuator for actuator in read if actuator is not None)


def _environment(world: Mapping[str, Any] | None) -> Environment:
    """What a scene says of gravity [m/s²] and of what it is filled with."""
    world = world or {}
    medium = world.get("medium") or {}
    gravity = world.get("gravity")
    return Environment(
        gravity=None if gravity is None else vector(gravity),
        density=float(medium.get("density") or 0.0),
        viscosity=float(medium.get("viscosity") or 0.0),
    )
