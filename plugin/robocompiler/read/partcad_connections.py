"""The joints of a PartCAD tree, and how its root bodies are held."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from robocompiler.errors import UnsupportedJointError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Frame, Joint
from robocompiler.read.partcad_findings import Findings, Names
from robocompiler.read.partcad_hosts import WELD, Host, host_of
from robocompiler.read.partcad_joints import motion_of
from robocompiler.read.partcad_physics import joint_physics
from robocompiler.read.partcad_tree import Link, Port, pose_from_packed, pose_of, same_place
from robocompiler.spatial import Pose, Vec3


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """A joint where the description names it."""

    container: Link
    """The assembly in whose list of links it is made, or that has the marker."""
    name: str
    """As the assembly calls it."""
    joint: Joint
    mimic: Mapping[str, Any] | None = None
    """What it says it follows."""


@dataclass(slots=True)
class Graph:
    """Joints and frames as they are read, with the names in use."""

    joints: list[Joint] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    known: list[Known] = field(default_factory=list)
    joint_names: Names = field(default_factory=Names)
    frame_names: Names = field(default_factory=Names)
    mates: dict[tuple[str, str], JointKind] = field(default_factory=dict)
    """The kind of joint that two interfaces make, the parent's first."""
    taken: list[tuple[str, Vec3]] = field(default_factory=list)
    """The ports that a connection has used: their bodies, and where on them."""
    renamed: list[tuple[str, str, str]] = field(default_factory=list)
    """Joints that are not called as their assembly does: that name, the assembly, our name."""

    def add(self, joint: Joint, *frames: Frame) -> None:
        """Take over a joint and its frames, their names claimed before."""
        self.joints.append(joint)
        self.frames += frames

    def joint_name(self, called: str, container: Link) -> str:
        """The name of a joint in every report: as its assembly calls it, or made unique."""
        name = self.joint_names.claim(called)
        if name != called:
            self.renamed.append((called, "/".join(container.path) or container.object_name, name))
        return name

    def frame(self, name: str, body: str, X: Pose) -> Frame:
        """A frame of a name made unique."""
        free = self.frame_names.claim(name)
        return Frame(name=free, body=body, position=X.position, rotation=X.quaternion)


def read_connections(bodies: Sequence[Any], root: Link, graph: Graph, findings: Findings) -> None:
    """Every joint that a connection makes, in the order of the bodies they move."""
    starts = _starting_links(bodies, root)
    links = list(root.walk())
    for body in bodies:
        if body.joint is None or body.is_floating:
            continue
        link = starts[body.name]
        if body.joint.record.get(WELD):
            _weld(body, [links[i] for i in body.joint.record[WELD]], graph, findings)
        else:
            _connect(body, link, graph, findings)


def _starting_links(bodies: Sequence[Any], root: Link) -> dict[str, Link]:
    """The link that begins each body: the first of the walk that is on it."""
    starts: dict[str, Link] = {}
    for link in root.walk():
        starts.setdefault(link.body, link)
    return starts


def _connect(body: Any, link: Link, graph: Graph, findings: Findings) -> None:
    """A joint of PartCAD's between the bodies its two ports are really on."""
    joint, container = body.joint, link.container or link
    called = str(joint.name or f"{joint.child_link}-{joint.parent_link}")
    source = f"{container.place}: joint {called}"
    name = graph.joint_name(called, container)
    sides = _sides(joint, link, source, findings)
    graph.taken += [(side.body, side.place) for side in sides if side.place is not None]
    try:
        motion = motion_of(joint)
    except UnsupportedJointError as fault:
        findings.faults.append(fault)
        _hold(name, sides, graph)
        return
    X_PF, X_CM = motion.frames(joint)
    F = _frame_on(sides[1] if motion.exchanged else sides[0], X_PF, graph)
    M = _frame_on(sides[0] if motion.exchanged else sides[1], X_CM, graph)
    start = motion.start(joint)
    read = Joint(
        name=name,
        kind=motion.kind,
        parent=F.name,
        child=M.name,
        start=start if start != motion.kind.zero else (),
        limits=motion.limits(joint),
        swing_limit=motion.swing_limit(joint),
        pitch=motion.pitch,
        labels=motion.labels(joint),
        source=source,
        **joint_physics(joint, name, motion.kind, findings),
    )
    graph.add(read, F, M)
    graph.mates[sides[0].interface, sides[1].interface] = motion.kind
    graph.known.append(Known(container, called, read, joint.mimic))


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """One side of a joint: what its frame is called, and the body that it is on."""

    name: str
    body: str
    X_BA: Pose
    """The frame of the body that PartCAD has there, seen from this body's."""
    interface: str = ""
    """The full name of its port's, without parameters; empty where no port is known."""
    place: Vec3 | None = None
    """Where the port is on the body."""


def _sides(joint: Any, link: Link, source: str, findings: Findings) -> tuple[_Side, _Side]:
    """The parent's side and the child's."""
    siblings = link.container.children if link.container else []
    parent = next((s for s in siblings if s.label == joint.parent_link), link.container or link)
    steps = joint.record.get("steps") or ()
    contact = _port_at(parent, _location(steps, "port"))
    own = _port_at(link, _location(steps, "sourcePort", inverse=True))
    return (
        _side(joint.parent, contact, f"{joint.name}/parent", source, findings),
        _side(joint.child, own, f"{joint.name}/child", source, findings),
    )


def _side(body: Any, port: Port | None, name: str, source: str, findings: Findings) -> _Side:
    host = host_of(port, source, findings) if port else None
    if host is None or port is None:
        return _Side(port.path if port else name, body.name, Pose.identity())
    place = (host.X_BW @ port.X_WP).position
    if host.body == body.name or host.link is port.link:
        return _Side(port.path, body.name, Pose.identity(), port.full_interface, place)
    findings.warn(
        f"{source}: '{port.path}' is mapped from a part that moves inside '{port.link.label}', so "
        f"it joins body '{host.body}'; PartCAD by itself joins '{body.name}'."
    )
    X_BA = host.X_BW @ pose_of(body.world)
    return _Side(port.path, host.body, X_BA, port.full_interface, place)


def _location(steps: Sequence[Mapping[str, Any]], role: str, inverse: bool = False) -> Pose | None:
    found = next((step for step in steps if step.get("role") == role), None)
    if found is None:
        return None
    X = pose_from_packed(found.get("location"))
    return X.inverse() if inverse else X


def _port_at(link: Link, X_LP: Pose | None) -> Port | None:
    """The link's port at a place, one of an interface before others.

    A joint's record says where its ports are, not what they are called.
    """
    if X_LP is None:
        return None
    there = [port for port in link.ports if same_place(port.X_LP, X_LP)]
    return min(there, key=lambda port: not port.interface, default=None)


def _frame_on(side: _Side, X_AF: Pose, graph: Graph) -> Frame:
    return graph.frame(side.name, side.body, side.X_BA @ X_AF)


def _hold(name: str, sides: tuple[_Side, _Side], graph: Graph) -> None:
    """In place of a joint at fault, so that what it holds is not reported as loose as well."""
    F, M = (_frame_on(side, Pose.identity(), graph) for side in sides)
    graph.add(Joint(name=name, kind=JointKind.FIXED, parent=F.name, child=M.name), F, M)


def _weld(body: Any, ends: Sequence[Link], graph: Graph, findings: Findings) -> None:
    """A rigid connection to a part that moves inside an assembly; see `mended_tree`."""
    parent, child = (Host(link) for link in ends)
    called = str(body.joint.name)
    X_WM = child.link.X_WL
    F = graph.frame(f"{called}/parent", parent.body, parent.X_BW @ X_WM)
    M = graph.frame(f"{called}/child", child.body, child.X_BW @ X_WM)
    name = graph.joint_names.claim(called)
    graph.add(Joint(name=name, kind=JointKind.FIXED, parent=F.name, child=M.name), F, M)
    findings.warn(
        f"'{called}': attached to body '{parent.body}', from which the port it is connected to is "
        "mapped; PartCAD by itself attaches it to the root body of the assembly."
    )


def hold_roots(bodies: Sequence[Any], static: bool, graph: Graph, findings: Findings) -> None:
    """Every body that nothing in the tree holds: fixed to the world, or free where it is drawn.

    Args:
        bodies: PartCAD's.
        static: whether root bodies are fixed though nothing says so. A floating one is not.
        graph: takes the joints.
        findings: takes what a floating joint says that a free body cannot.
    """
    for body in bodies:
        if not body.is_root:
            continue
        fixed = body.fixed_to_world or (static and not body.is_floating)
        called = str(body.joint.name) if body.is_floating else f"{body.name}-world"
        name = graph.joint_names.claim(called)
        X_WB = pose_of(body.world)
        F = graph.frame(f"{name}/parent", WORLD, X_WB if fixed else Pose.identity())
        M = graph.frame(f"{name}/child", body.name, Pose.identity())
        start = () if fixed else (*X_WB.position, *X_WB.quaternion)
        kind = JointKind.FIXED if fixed else JointKind.FREE
        if start == kind.zero:
            start = ()
        if body.is_floating:
            said = {*body.joint.physics, *(["limits"] if _limited(body.joint) else [])}
            findings.not_carried(f"Floating joint '{name}'", said)
        joint = Joint(name=name, kind=kind, parent=F.name, child=M.name, start=start)
        graph.add(joint, F, M)


def _limited(joint: Any) -> bool:
    return any(freedom.limited for freedom in joint.freedoms)
