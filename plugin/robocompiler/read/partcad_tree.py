"""PartCAD's tree of placed objects: which rigid body each is part of, and where its ports are."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from robocompiler.model.mechanism import WORLD
from robocompiler.spatial import Pose, rotation_of
from robocompiler.units import METRES_PER_MM

Node = Mapping[str, Any]

ANONYMOUS = "link#"
"""How the label of a `links:` container begins that the user gave no name."""

# Two ports are one place below this distance [m] and angle [rad]: PartCAD packs a rotation as axis
# and angle, which costs half the digits of a small one.
SAME_PLACE = 1e-6


@dataclass(slots=True, eq=False)
class Link:
    """A placed object: what a `connect:` calls a link."""

    label: str
    node: Node
    container: Link | None
    body: str
    """The rigid body it is part of, or the world for a scene."""
    X_BL: Pose
    """Its frame seen from the body's."""
    X_WL: Pose
    """Its frame seen from the tree's, as drawn."""
    children: list[Link] = field(default_factory=list)

    @property
    def path(self) -> tuple[str, ...]:
        """The labels from below the root down to it."""
        return () if self.container is None else (*self.container.path, self.label)

    @property
    def object_name(self) -> str:
        """What it is, without its package and parameters."""
        return str(self.node.get("name") or self.label).partition(";")[0].rpartition(":")[2]

    @property
    def place(self) -> str:
        """Which object it is, and where, for messages."""
        where = "/".join(self.path)
        return f"{self.object_name} ({where})" if where else self.object_name

    @property
    def anonymous(self) -> bool:
        """Whether it is a `links:` container without a name, through which names reach."""
        return self.label.startswith(ANONYMOUS)

    def walk(self) -> Iterator[Link]:
        """It and all below, depth first, in list order."""
        yield self
        for child in self.children:
            yield from child.walk()

    def members(self) -> Iterator[Link]:
        """Its children, and those of its containers that have no name of their own."""
        for child in self.children:
            yield child
            if child.anonymous:
                yield from child.members()

    def scope(self) -> list[Link]:
        """It, and its containers that have no name: what is in their lists is all its own."""
        return [self, *(member for member in self.members() if member.anonymous)]

    def find(self, path: str) -> list[Link]:
        """Every link below that `path` names: labels joined by `/`."""
        found: list[Link] = []
        for child in self.members():
            if child.label == path:
                found.append(child)
            elif path.startswith(f"{child.label}/"):
                found += child.find(path[len(child.label) + 1 :])
        return found

    @property
    def ports(self) -> list[Port]:
        """Its own ports."""
        return [Port(self, entry) for entry in self.node.get("ports") or ()]


@dataclass(frozen=True, slots=True, eq=False)
class Port:
    """A frame that an object declares."""

    link: Link
    entry: Mapping[str, Any]

    @property
    def name(self) -> str:
        """As the object calls it."""
        return str(self.entry.get("name"))

    @property
    def interface(self) -> str:
        """The bare name of the interface it is of; empty for none."""
        return bare_name(self.entry.get("interface"))

    @property
    def full_interface(self) -> str:
        """The interface it is of, with its package and without its parameters; empty for none."""
        return str(self.entry.get("interface") or "").partition(";")[0]

    @property
    def X_LP(self) -> Pose:
        """Its frame seen from the link's."""
        return pose_from_packed(self.entry.get("location"))

    @property
    def X_WP(self) -> Pose:
        """Its frame seen from the tree's, as drawn."""
        return self.link.X_WL @ self.X_LP

    @property
    def path(self) -> str:
        """`<link>.<port>`, from below the root."""
        return f"{'/'.join(self.link.path) or self.link.label}.{self.name}"


def bare_name(interface: object) -> str:
    """An interface's name without its package, which depends on who mounted it, and parameters."""
    return str(interface or "").partition(";")[0].rpartition(":")[2]


def pose_of(pose: tuple[Sequence[float], Sequence[float]]) -> Pose:
    """A pose of PartCAD's, a quaternion and millimetres."""
    w, x, y, z = pose[0]
    return Pose(rotation_of((w, x, y, z)), np.array(pose[1], dtype=float) * METRES_PER_MM)


def pose_from_packed(packed: object) -> Pose:
    """A placement as PartCAD packs it: millimetres, axis, degrees; None for none."""
    import kinematics

    return pose_of(kinematics.pose_of(packed))


def same_place(a: Pose, b: Pose) -> bool:
    """Whether two frames are one to PartCAD's rounding."""
    return bool(np.abs(a.p - b.p).max() < SAME_PLACE and np.abs(a.R - b.R).max() < SAME_PLACE)


def link_tree(tree: Node, bodies: Sequence[Any]) -> Link:
    """The tree with the body of every node.

    PartCAD's own rule (`kinematics.bodies`) says which nodes begin a body; what begins none is
    part of the sibling it is attached to, or of its container.

    Args:
        tree: the request's shape tree.
        bodies: what `kinematics.bodies` made of it, in its order.
    """
    starts: dict[int, deque[Any]] = defaultdict(deque)
    for body in bodies:
        starts[id(body.node)].append(body)
    X_WL = pose_from_packed(tree.get("location"))
    root = Link(str(tree.get("label") or ""), tree, None, WORLD, X_WL, X_WL)
    if starts[id(tree)]:
        body = starts[id(tree)].popleft()
        root.body, root.X_BL, root.X_WL = body.name, Pose.identity(), pose_of(body.world)
    _add_children(root, starts)
    return root


def _add_children(link: Link, starts: Mapping[int, deque[Any]]) -> None:
    for node in link.node.get("assembly") or ():
        X_LC = pose_from_packed(node.get("location"))
        child = Link(str(node.get("label") or ""), node, link, WORLD, X_LC, link.X_WL @ X_LC)
        waiting = starts.get(id(node))
        if waiting:
            body = waiting.popleft()
            child.body, child.X_BL, child.X_WL = body.name, Pose.identity(), pose_of(body.world)
        elif link.node.get("kind") == "scene" and node.get("kind") == "scene":
            child.X_BL = child.X_WL
        else:
            host = _attached_to(link, node)
            child.body = host.body
            child.X_BL = host.X_BL @ host.X_WL.inverse() @ child.X_WL
        link.children.append(child)
        _add_children(child, starts)


def _attached_to(container: Link, node: Node) -> Link:
    """The sibling that a rigid connection welds a node to, or its container."""
    attached = node.get("attached")
    siblings = (link for link in container.children if link.label == attached)
    return container if attached is None else next(siblings, container)
