"""Pass: merge what is welded. Afterwards there are no fixed joints but those to be cut."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from robocompiler.compiler.compiled import Edge, Welded
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Body, Inertia, Joint, Mechanism, Shape
from robocompiler.model.validity import inertia_tensor, welded_groups
from robocompiler.model.welds import poses_in_groups
from robocompiler.spatial import Pose


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """Bodies after merging, and the joints that are left, with their frames on them."""

    bodies: tuple[Body, ...]
    welded: tuple[Welded, ...]
    edges: tuple[Edge, ...]


def merge_welded(mechanism: Mechanism, kept: Collection[str] = ()) -> Graph:
    """Merge every group of bodies that fixed joints hold together into its first body.

    The merged body has the name and the frame of the first of the group (the world's, where the
    world is in it), the group's mass, centre of mass and inertia, and all its shapes.

    Args:
        mechanism: as it was read.
        kept: names of fixed joints that are left as joints, to be cut; not where other fixed
            joints hold the same.
    """
    welds = replace(mechanism, joints=tuple(j for j in mechanism.joints if j.name not in kept))
    hosts = welded_groups(welds)
    poses = poses_in_groups(welds, hosts)
    members: dict[str, list[Body]] = {WORLD: []}
    for body in mechanism.bodies:
        members.setdefault(hosts[body.name], []).append(body)
    index = {host: i for i, host in enumerate(members)}
    bodies = tuple(
        _merged(host, [(body, poses[body.name]) for body in group])
        for host, group in members.items()
    )
    welded = tuple(
        Welded(body.name, index[hosts[body.name]], poses[body.name]) for body in mechanism.bodies
    )
    frames = {frame.name: frame for frame in mechanism.frames}

    def edge(joint: Joint) -> Edge:
        F, M = frames[joint.parent], frames[joint.child]
        return Edge(
            joint=joint,
            parent=index[hosts[F.body]],
            child=index[hosts[M.body]],
            X_PF=poses[F.body] @ F.pose(),
            X_CM=poses[M.body] @ M.pose(),
        )

    edges = (
        edge(joint)
        for joint in mechanism.joints
        if joint.kind is not JointKind.FIXED or joint.name in kept
    )
    edges = (e for e in edges if e.joint.kind is not JointKind.FIXED or e.parent != e.child)
    return Graph(bodies=bodies, welded=welded, edges=tuple(edges))


def _merged(host: str, group: list[tuple[Body, Pose]]) -> Body:
    shapes = tuple(_moved_shape(shape, X) for body, X in group for shape in body.shapes)
    weights = [(body.inertia, X) for body, X in group if body.inertia and body.inertia.mass > 0.0]
    if len(weights) == 1 and np.array_equal(weights[0][1].R, np.eye(3)):
        alone, X = weights[0]
        center = X.R @ np.array(alone.center) + X.p
        inertia = replace(alone, center=(float(center[0]), float(center[1]), float(center[2])))
        return Body(name=host, inertia=inertia, shapes=shapes)
    return Body(name=host, inertia=_combined(weights), shapes=shapes)


def _moved_shape(shape: Shape, X: Pose) -> Shape:
    if np.array_equal(X.R, np.eye(3)) and not X.p.any():
        return shape
    moved = X @ shape.pose()
    return replace(shape, position=moved.position, rotation=moved.quaternion)


def _combined(weights: list[tuple[Inertia, Pose]]) -> Inertia | None:
    """One inertia for several, by the parallel-axis theorem; None for none."""
    if not weights:
        return None
    masses = np.array([inertia.mass for inertia, _ in weights])
    centers = np.array([X.R @ np.array(inertia.center) + X.p for inertia, X in weights])
    center = masses @ centers / masses.sum()
    tensor = np.zeros((3, 3))
    for (inertia, X), mass, c in zip(weights, masses, centers, strict=True):
        d = c - center
        tensor += X.R @ inertia_tensor(inertia) @ X.R.T
        tensor += mass * (d @ d * np.eye(3) - np.outer(d, d))
    entries = tensor.tolist()
    return Inertia(
        mass=float(masses.sum()),
        center=tuple(center.tolist()),
        moments=(entries[0][0], entries[1][1], entries[2][2]),
        products=(entries[0][1], entries[0][2], entries[1][2]),
    )
