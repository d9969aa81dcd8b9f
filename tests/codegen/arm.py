"""Kernels with a closed form: an arm of two links that reaches for a point.

Slots: the point's x and y, then the angles of both links. The rows are where the tip is, less the
point; what follows from the point's x and y is solved for both angles.
"""

from __future__ import annotations

import numpy as np

from robocompiler.codegen.graph import Graph
from robocompiler.codegen.kernels import Continued, Iterated, Settings, Straight

UPPER, FORE = 0.7, 0.5
SETTINGS = Settings(
    tolerance=1e-12, contraction=0.25, noise=1e-11, longest=0.5, most=12, reach=0.5, leap=0.5
)


def _tip(a, b):
    rows = [UPPER * np.cos(a) + FORE * np.cos(a + b), UPPER * np.sin(a) + FORE * np.sin(a + b)]
    columns = [[-rows[1], -FORE * np.sin(a + b)], [rows[0], FORE * np.cos(a + b)]]
    return rows, columns


def _solved(graph):
    """Where it points, the rows, the inverse of their Jacobian, and its determinant."""
    x = graph.inputs("x", 4)
    rows, J = _tip(x[2], x[3])
    phi = [rows[0] - x[0], rows[1] - x[1]]
    det = J[0][0] * J[1][1] - J[0][1] * J[1][0]
    inverse = [[J[1][1] / det, -J[0][1] / det], [-J[1][0] / det, J[0][0] / det]]
    return x, phi, inverse, det


def straight():
    """The rows, and an angle in several ways: by `atan2`, rounded, and by a choice."""
    graph = Graph()
    x, phi, _, det = _solved(graph)
    turn = np.arctan2(x[1], x[0])
    whole = np.rint(x[3] / (2.0 * np.pi))
    chosen = (det < 0.0).select(np.sqrt(x[0] * x[0] + x[1] * x[1]), x[2] ** 3)
    return Straight(
        name="arm_rows", graph=graph, inputs=4, results=(*phi, turn, whole, chosen, 1.0 / x[0])
    )


def iterated():
    """Newton; the results are how both angles follow the point, row by row."""
    graph = Graph()
    x, phi, inverse, det = _solved(graph)
    step = [-(row[0] * phi[0] + row[1] * phi[1]) for row in inverse]
    return Iterated(
        name="arm",
        graph=graph,
        inputs=4,
        size=np.sqrt(phi[0] * phi[0] + phi[1] * phi[1]),
        moved=np.sqrt(step[0] * step[0] + step[1] * step[1]),
        following=(x[0], x[1], x[2] + step[0], x[3] + step[1]),
        sound=det * det > 1e-4,
        results=tuple(inverse[0] + inverse[1]),
    )


def continued():
    """The point led along a table."""
    kernel = iterated()
    graph = kernel.graph
    x, y, t = graph.inputs("x", 4), graph.inputs("y", 4), graph.inputs("t", 2)
    dx, dy = t[0] - x[0], t[1] - x[1]
    step = [y[0] * dx + y[1] * dy, y[2] * dx + y[3] * dy]
    return Continued(
        iterated=kernel,
        targets=2,
        predicted=(t[0], t[1], x[2] + step[0], x[3] + step[1]),
        ahead=np.sqrt(step[0] * step[0] + step[1] * step[1]),
    )


def closed_form(x, y, elbow=1.0):
    """Both angles where the tip is at a point, the elbow bent one way or the other."""
    cosine = (x * x + y * y - UPPER**2 - FORE**2) / (2.0 * UPPER * FORE)
    b = elbow * np.arccos(cosine)
    return np.arctan2(y, x) - np.arctan2(FORE * np.sin(b), UPPER + FORE * np.cos(b)), b


def inverse_at(a, b):
    """How both angles follow the point, (…, 2, 2), by NumPy."""
    _, J = _tip(a, b)
    return np.linalg.inv(np.moveaxis(np.array(J), (0, 1), (-2, -1)))
