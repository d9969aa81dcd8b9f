"""Triangulated surfaces: where they are open, which way they face, what they enclose."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from robocompiler.model.geometry import Triangles
from robocompiler.spatial import Array

Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]

ENCLOSES_NOTHING = 1e-12
"""Volume over area to the 3/2, of a surface that is no solid's: what rounding makes up."""
INSIDE = 0.5
"""Share of all directions that a surface covers at least, seen from a point inside it: all of them;
none from outside, and either from a point on one of its faces."""
SAMPLES = 7
"""Points of a piece that tell where it is."""


@dataclass(frozen=True, slots=True, eq=False)
class _Sides:
    """The sides of all triangles, three each: which edge a side lies on, and which way it runs."""

    edge: Indices
    along: Indices
    """1 along the edge, -1 against it."""
    face: Indices

    def pairs(self) -> tuple[Indices, Indices, Mask]:
        """The two faces at each edge that has two, and whether they face one way there."""
        number = np.bincount(self.edge)
        first = (np.cumsum(number) - number)[number == 2]
        order = np.argsort(self.edge, kind="stable")
        one, other = order[first], order[first + 1]
        return self.face[one], self.face[other], self.along[one] != self.along[other]

    def open_in(self, piece: Indices, turned: Mask) -> Mask:
        """Which pieces of the surface have an edge that runs along more triangles than against.

        Or fewer. A piece is judged by its own: where four meet at an edge, two may be another's.
        """
        along = np.where(turned[self.face], -1, 1) * self.along
        pieces = piece.max(initial=-1) + 1
        keys, number = np.unique(self.edge * pieces + piece[self.face], return_inverse=True)
        is_open: Mask = np.zeros(pieces, dtype=bool)
        is_open[(keys % pieces)[np.bincount(number, weights=along) != 0.0]] = True
        return is_open


def _sides(triangles: Triangles) -> _Sides:
    a, b, c = triangles.faces.T
    start, end = np.concatenate([a, b, c]), np.concatenate([b, c, a])
    keys = np.minimum(start, end) * len(triangles.vertices) + np.maximum(start, end)
    _, edge = np.unique(keys, return_inverse=True)
    along = np.where(start < end, 1, -1)
    return _Sides(edge.astype(np.int64), along, np.tile(np.arange(len(a)), 3))


def open_edges(triangles: Triangles) -> int:
    """How many edges of a mesh bound a hole: a triangle along them has none on the other side."""
    sides = _sides(triangles)
    return int(np.count_nonzero(np.bincount(sides.edge, weights=sides.along)))


def encloses_nothing(triangles: Triangles) -> bool:
    """Whether a closed surface bounds no solid: a sheet with two sides."""
    volumes, areas = _measures(triangles)
    return bool(abs(volumes.sum()) <= ENCLOSES_NOTHING * areas.sum() ** 1.5)


def facing_outwards(triangles: Triangles) -> tuple[Triangles, int]:
    """The surface with triangles counter-clockwise seen from outside, and how many were turned.

    Each closed piece of the surface is made to face one way, and outwards where nothing surrounds
    it. What it surrounds turns with it, since the wall of a cavity faces inwards. Open pieces have
    no outside, and strips with one side no sense: they stay as they are.
    """
    sides = _sides(triangles)
    piece, turned = _pieces(*sides.pairs(), len(triangles.faces))
    is_open = sides.open_in(piece, turned)
    turned &= ~is_open[piece]
    turned ^= _inside_out(_with_turned(triangles, turned), piece, is_open)[piece]
    return _with_turned(triangles, turned), int(np.count_nonzero(turned))


def _with_turned(triangles: Triangles, turned: Mask) -> Triangles:
    if not np.any(turned):
        return triangles
    faces = np.where(turned[:, None], triangles.faces[:, ::-1], triangles.faces)
    return replace(triangles, faces=faces)


def _pieces(one: Indices, other: Indices, agree: Mask, faces: int) -> tuple[Indices, Mask]:
    """Which connected piece each face is of, and whether it faces against the first of its piece.

    Every face is a node twice, as it is and turned; neighbours that disagree are joined crosswise.
    Then the lowest node that a face reaches is its piece's first, as it is or turned. (On a strip
    with one side it reaches both, and nothing is against it.)
    """
    crossed = np.where(agree, 0, faces)
    ends = (
        np.concatenate([one, one + faces]),
        np.concatenate([other + crossed, other + faces - crossed]),
    )
    lowest = _lowest_reached(*ends, 2 * faces)
    first = np.minimum(lowest[:faces], lowest[faces:])
    return renumbered(first, faces)[1], lowest[:faces] > first


def renumbered(indices: Indices, count: int) -> tuple[Mask, Indices]:
    """Which of so many things indices name, and the indices as they count among these."""
    used = np.zeros(count, dtype=bool)
    used[indices] = True
    return used, (np.cumsum(used) - 1)[indices]


def _lowest_reached(one: Indices, other: Indices, nodes: int) -> Indices:
    """The lowest node that each node of a graph reaches, by pointers that are jumped along."""
    lowest = np.arange(nodes)
    while True:
        a, b = lowest[one], lowest[other]
        if np.array_equal(a, b):
            return lowest
        np.minimum.at(lowest, np.maximum(a, b), np.minimum(a, b))
        while not np.array_equal(lowest, jumped := lowest[lowest]):
            lowest = jumped


def _inside_out(triangles: Triangles, piece: Indices, is_open: Mask) -> Mask:
    """Which pieces are to be turned: outermost ones that face inwards, and what they surround."""
    volumes, areas = (np.bincount(piece, weights=own) for own in _measures(triangles))
    inwards: Mask = ~is_open & (volumes < -ENCLOSES_NOTHING * areas**1.5)
    if not np.any(inwards):
        return inwards
    around = _surrounding(triangles.vertices[triangles.faces], piece, is_open)
    hosts = [[other for other in others if not around[other]] for others in around]
    return np.array([any(inwards[own or [p]]) for p, own in enumerate(hosts)])


def _surrounding(corners: Array, piece: Indices, is_open: Mask) -> list[list[int]]:
    """The closed pieces that each closed piece is inside of; an open one is inside of none."""
    pieces = len(is_open)
    low, high = np.full((pieces, 3), np.inf), np.full((pieces, 3), -np.inf)
    np.minimum.at(low, piece, corners.min(axis=1))
    np.maximum.at(high, piece, corners.max(axis=1))
    around: list[list[int]] = [[] for _ in range(pieces)]
    for p in np.flatnonzero(~is_open).tolist():
        points = _spread(corners[piece == p].mean(axis=1))
        boxed = ((low <= points[0]) & (points[0] <= high)).all(axis=1) & ~is_open
        around[p] = [
            other
            for other in np.flatnonzero(boxed).tolist()
            if other != p and _surrounds(corners[piece == other], points)
        ]
    return around


def _spread(points: Array) -> Array:
    """A few of many points: of a piece's, not all can lie where it touches another."""
    return np.asarray(points[np.linspace(0, len(points) - 1, SAMPLES).astype(int)])


def _surrounds(corners: Array, points: Array) -> bool:
    """Whether a closed surface is around all of some points."""
    return all(_covered(corners - point) > INSIDE for point in points)


def _covered(rays: Array) -> float:
    """Share of all directions that a closed surface covers, given its corners from a point.

    Source: Van Oosterom, Strackee (1983), the solid angle of a plane triangle.
    """
    a, b, c = (rays[:, i] for i in range(3))
    la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    ab, bc, ca = (np.einsum("ij,ij->i", *two) for two in ((a, b), (b, c), (c, a)))
    angles = 2.0 * np.arctan2(volume, la * lb * lc + ab * lc + bc * la + ca * lb)
    return abs(float(angles.sum())) / (4.0 * np.pi)


def _measures(triangles: Triangles) -> tuple[Array, Array]:
    """The signed volume under each triangle, seen from the middle [m³], and its area [m²]."""
    a, b, c = (triangles.vertices[triangles.faces[:, i]] for i in range(3))
    middle = triangles.vertices.mean(axis=0)
    normals = np.cross(b - a, c - a)
    return np.einsum("ij,ij->i", a - middle, normals) / 6.0, np.linalg.norm(normals, axis=1) / 2.0
