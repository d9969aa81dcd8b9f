"""Triangles: what a mesh's geometry is once it has been tessellated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robocompiler.model.mechanism import Mesh
from robocompiler.spatial import Array


@dataclass(frozen=True, slots=True, eq=False)
class Triangles:
    """A triangulated surface, in the frame of its mesh."""

    vertices: Array
    """[m], shape (n, 3)."""
    faces: NDArray[np.int64]
    """Indices into the vertices, counter-clockwise seen from outside, shape (m, 3)."""

    def volume(self) -> float:
        """What the surface encloses [m³]: the sum of its signed tetrahedra."""
        a, b, c = (self.vertices[self.faces[:, i]] for i in range(3))
        return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


Geometry = Callable[[Mesh, float], Triangles | None]
"""Gives a mesh's triangles at a coarseness (1 as asked for, 2 twice as coarse, …); None where it
has no geometry."""
