"""The triangles of a MuJoCo scene, so that it can be drawn without MuJoCo's renderer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from robocompiler.spatial import Array

VISIBLE_GROUPS = 3
"""Geoms of the groups below this one are shown, as in MuJoCo's own viewer."""
SEGMENTS = 32


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """Where every geom is at one moment."""

    positions: Array
    rotations: Array


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """The triangles of one geom, in the world."""

    triangles: Array
    """[m], shape (n, 3, 3): triangle, corner, coordinate."""
    color: tuple[float, float, float]
    endless: bool
    """A floor: it has no end that a picture could be fitted to."""


def stage_of(model: Any, data: Any) -> Stage:
    """Where the geoms are in data whose poses are current."""
    return Stage(data.geom_xpos.copy(), data.geom_xmat.reshape(model.ngeom, 3, 3).copy())


def surfaces_of(model: Any, stage: Stage) -> Iterator[Surface]:
    """What is to be seen of the scene at that moment, geom by geom."""
    import mujoco

    for geom in range(model.ngeom):
        color = _color(model, geom)
        if model.geom_group[geom] >= VISIBLE_GROUPS or color[3] == 0.0:
            continue
        local = _local_triangles(model, geom)
        placed = local @ stage.rotations[geom].T + stage.positions[geom]
        endless = model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_PLANE
        yield Surface(placed, (color[0], color[1], color[2]), bool(endless))


def _color(model: Any, geom: int) -> list[float]:
    material = model.geom_matid[geom]
    color = model.mat_rgba[material] if material >= 0 else model.geom_rgba[geom]
    return [float(c) for c in color]


def _local_triangles(model: Any, geom: int) -> Array:
    """A geom's triangles in its own frame; none for a kind that has no surface of its own."""
    import mujoco

    kind, size = model.geom_type[geom], model.geom_size[geom]
    shapes = mujoco.mjtGeom
    if kind == shapes.mjGEOM_MESH:
        return _mesh_triangles(model, model.geom_dataid[geom])
    if kind == shapes.mjGEOM_PLANE:
        half = np.where(size[:2] > 0.0, size[:2], np.inf)
        return np.asarray(_plane() * np.append(np.minimum(half, 1e3), 1.0))
    if kind == shapes.mjGEOM_BOX:
        return np.asarray(_box() * size)
    if kind == shapes.mjGEOM_SPHERE:
        return np.asarray(_ball(0.0) * size[0])
    if kind == shapes.mjGEOM_ELLIPSOID:
        return np.asarray(_ball(0.0) * size)
    if kind == shapes.mjGEOM_CAPSULE:
        return np.asarray(_ball(float(size[1] / size[0])) * size[0])
    if kind == shapes.mjGEOM_CYLINDER:
        return np.asarray(_cylinder() * np.array([size[0], size[0], size[1]]))
    return np.zeros((0, 3, 3))


def _mesh_triangles(model: Any, mesh: int) -> Array:
    vertices = model.mesh_vert[model.mesh_vertadr[mesh] :][: model.mesh_vertnum[mesh]]
    faces = model.mesh_face[model.mesh_faceadr[mesh] :][: model.mesh_facenum[mesh]]
    return np.asarray(vertices[faces], dtype=float)


def _plane() -> Array:
    a, b, c, d = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], dtype=float)
    return np.array([[a, b, c], [a, c, d]])


def _box() -> Array:
    """The cube from -1 to 1: its top face, turned onto each side."""
    top = _plane() + np.array([0.0, 0.0, 1.0])
    turned = [np.roll(top, shift, axis=2) for shift in range(3)]
    return np.concatenate([*turned, *(-face[:, ::-1] for face in turned)])


def _ball(stretch: float) -> Array:
    """The unit sphere, its halves moved apart along z by `stretch` each: a capsule."""
    heights = np.linspace(-np.pi / 2.0, np.pi / 2.0, SEGMENTS // 2 + 1)
    # The equator twice, once for each half.
    heights = np.insert(heights, SEGMENTS // 4, 0.0)
    lift = np.where(np.arange(len(heights)) <= SEGMENTS // 4, -stretch, stretch)
    return _lathe(np.cos(heights), np.sin(heights) + lift)


def _cylinder() -> Array:
    return _lathe(np.array([0.0, 1.0, 1.0, 0.0]), np.array([-1.0, -1.0, 1.0, 1.0]))


def _lathe(radii: Array, heights: Array) -> Array:
    """The surface that a profile sweeps about z."""
    turn = np.linspace(0.0, 2.0 * np.pi, SEGMENTS + 1)
    rings = np.stack(
        [
            np.outer(radii, np.cos(turn)),
            np.outer(radii, np.sin(turn)),
            np.outer(heights, np.ones_like(turn)),
        ],
        axis=2,
    )
    a, b, c, d = rings[:-1, :-1], rings[:-1, 1:], rings[1:, 1:], rings[1:, :-1]
    lower, upper = np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)
    return np.concatenate([lower.reshape(-1, 3, 3), upper.reshape(-1, 3, 3)])
