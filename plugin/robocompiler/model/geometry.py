"""Triangles: what a mesh's geometry is once it has been tessellated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from robocompiler.model.mechanism import Mesh
from robocompiler.spatial import Array

FLAT = 4.0 * float(np.finfo(np.float32).eps)
"""Thickness over distance from the origin below which a mesh is flat: single precision makes up
such a thickness by itself, and MuJoCo fails to find a hull or finds one of noise."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Triangles:
    """A triangulated surface, in the frame of its mesh."""

    vertices: Array
    """[m], shape (n, 3)."""
    faces: NDArray[np.int64]
    """Indices into the vertices, counter-clockwise seen from outside, shape (m, 3)."""
    hull: float | None = None
    """Volume of its convex hull [m³], where that was measured with it (see `hull_volume`)."""

    def volume(self) -> float:
        """What the surface encloses [m³]: the sum of its signed tetrahedra."""
        a, b, c = (self.vertices[self.faces[:, i]] for i in range(3))
        return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def hull_volume(triangles: Triangles) -> float:
    """Volume of a surface's convex hull [m³]; 0 for a flat or empty one."""
    points = triangles.vertices[np.unique(triangles.faces)]
    if len(points) < 4 or is_flat(points):
        return 0.0
    from scipy.spatial import ConvexHull  # a quarter of a second, so only where there is a mesh

    return float(ConvexHull(points - points.mean(axis=0)).volume)


def is_flat(points: Array) -> bool:
    """Whether points lie in a plane, to what single precision tells of where they are."""
    centred = points - points.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    thickness = np.ptp(centred @ axes[:, 0])
    return bool(thickness <= FLAT * np.abs(points).max())


Measured = TypeVar("Measured")


def remembered(measure: Callable[[Triangles], Measured]) -> Callable[[Triangles], Measured]:
    """A function that is not asked twice of the same triangles while these are kept.

    Four formats of one mechanism write the same meshes, which costs more than the rest.
    """
    known: WeakKeyDictionary[Triangles, Measured] = WeakKeyDictionary()

    @wraps(measure)
    def remembering(triangles: Triangles) -> Measured:
        if triangles not in known:
            known[triangles] = measure(triangles)
        return known[triangles]

    return remembering


Geometry = Callable[[Mesh, float], Triangles | None]
"""Gives a mesh's triangles at a coarseness (1 as asked for, 2 twice as coarse, …); None where it
has no geometry."""
