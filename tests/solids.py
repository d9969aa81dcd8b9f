"""Triangulated solids and surfaces with closed forms."""

import math

import numpy as np

from robocompiler.model.geometry import Triangles


def prism(outline, height):
    """A prism over a star-shaped polygon (about its first corner), counter-clockwise."""
    outline = np.asarray(outline, dtype=float)
    n = len(outline)
    bottom = np.column_stack([outline, np.zeros(n)])
    faces = []
    for i in range(n):
        j = (i + 1) % n
        faces += [(i, j, n + j), (i, n + j, n + i)]
    for i in range(1, n - 1):
        faces += [(0, i + 1, i), (n, n + i, n + i + 1)]
    top = np.column_stack([outline, np.full(n, float(height))])
    return Triangles(np.vstack([bottom, top]), np.array(faces))


def box(x, y, z):
    return prism([(0, 0), (x, 0), (x, y), (0, y)], z)


def tube(outer, inner, height, sides):
    angles = np.arange(sides) * 2 * math.pi / sides
    ring = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(sides)])
    up = np.array([0, 0, height])
    points = np.vstack([outer * ring, outer * ring + up, inner * ring, inner * ring + up])
    faces = []
    for i in range(sides):
        a, b, c, d = (k * sides + i for k in range(4))
        e, f, g, h = (k * sides + (i + 1) % sides for k in range(4))
        for p, q, r, s in ((a, e, f, b), (c, d, h, g), (b, f, h, d), (a, c, g, e)):
            faces += [(p, q, r), (p, r, s)]
    return Triangles(points, np.array(faces))


def moved(triangles, offset, turn=0.0):
    c, s = math.cos(turn), math.sin(turn)
    R = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]) @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    return Triangles(triangles.vertices @ R.T + offset, triangles.faces)


def sheet(bumps, height=0.0):
    """An open square of 2 bumps² triangles, flat where the height is 0."""
    x, y = np.meshgrid(np.linspace(0, 1, bumps + 1), np.linspace(0, 1, bumps + 1), indexing="ij")
    points = np.stack([x, y, height * np.sin(9 * x * y)], axis=-1).reshape(-1, 3)
    a = (np.arange(bumps)[:, None] * (bumps + 1) + np.arange(bumps)).reshape(-1)
    b, c, d = a + bumps + 1, a + bumps + 2, a + 1
    return Triangles(points, np.vstack([np.column_stack([a, b, c]), np.column_stack([a, c, d])]))


def joined(*pieces):
    """Several surfaces as one mesh."""
    starts = np.cumsum([0, *(len(piece.vertices) for piece in pieces)])
    faces = [piece.faces + start for piece, start in zip(pieces, starts, strict=False)]
    return Triangles(np.vstack([piece.vertices for piece in pieces]), np.vstack(faces))


def turned(triangles, which=slice(None)):
    """With all its triangles, or some of them, facing the other way."""
    faces = triangles.faces.copy()
    faces[which] = faces[which, ::-1]
    return Triangles(triangles.vertices, faces)


def mirrored(triangles):
    """In the plane x = 0, vertices only: what a negative scale makes of a mesh."""
    return Triangles(triangles.vertices * [-1.0, 1.0, 1.0], triangles.faces)


def bracket():
    """An L of 3 x 2 less 2 x 1 [m], half as high: a volume of 2, and its hull's is 3."""
    return prism([(0, 0), (3, 0), (3, 1), (1, 1), (1, 2), (0, 2)], 0.5)
