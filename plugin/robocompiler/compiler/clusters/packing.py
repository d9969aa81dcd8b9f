"""Articulated inertias as the numbers that clusters tell each other: L and J by upper halves."""

from __future__ import annotations

import numpy as np

from robocompiler.equations.inertia import Articulated
from robocompiler.equations.inertia import articulated as in_blocks
from robocompiler.spatial import Array

__all__ = ["ARTICULATED", "articulated", "in_blocks", "packed", "packed_matrix"]

ARTICULATED = 21
"""How many numbers an articulated inertia has."""
_UPPER = np.triu_indices(3)


def articulated(numbers: Array) -> Articulated:
    """From its numbers."""
    L, B, J = numbers[:6], numbers[6:15], numbers[15:21]
    return Articulated(_full(L), B.reshape(3, 3), _full(J))


def _full(upper: Array) -> Array:
    matrix = np.empty((3, 3), dtype=object)
    matrix[_UPPER] = upper
    matrix.T[_UPPER] = upper
    return matrix


def packed(inertia: Articulated) -> Array:
    """Its numbers."""
    return np.concatenate([inertia.L[_UPPER], inertia.B.ravel(), inertia.J[_UPPER]])


def packed_matrix(matrix: Array) -> Array:
    """The numbers of one that is a matrix (6, 6)."""
    return packed(Articulated(matrix[:3, :3], matrix[:3, 3:], matrix[3:, 3:]))
