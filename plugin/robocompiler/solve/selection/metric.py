"""What independent speeds cost: a metric, or an error with the motion that costs nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from robocompiler.errors import BadValueError, MechanismError
from robocompiler.solve.reduction.checks import floats, one_number
from robocompiler.solve.reduction.reduce import Reduction
from robocompiler.solve.selection.rows import WHERE, Speeds
from robocompiler.spatial import Array

SYMMETRIC = 1e-9
"""How far entries may be from those across, of the root of both diagonals."""
POSITIVE = 1e-14
"""The least eigenvalue, per speed, once the diagonal is made ones."""
SHARE = 0.1
"""Of a motion, what a speed in it must be to be named."""


class MetricError(MechanismError):
    """A metric of speeds that measures none: not symmetric, or some motion costs nothing."""

    def __init__(self, reason: str, eigenvalue: float, motion: Sequence[tuple[str, float]]) -> None:
        self.eigenvalue, self.motion = eigenvalue, tuple(motion)
        super().__init__(
            f"The metric of speeds is not positive definite: {reason}. Give every motion a cost: "
            "the reduced mass matrix has one for each that moves a mass, weights one for each "
            "joint that is named."
        )


def metric_of(
    reduction: Reduction,
    given: Array | None,
    weights: Mapping[str, object],
    speeds: Speeds,
) -> Array:
    """W of independent speeds, shape (m, m): an array, and weights of single speeds.

    Raises:
        BadValueError: an array of another shape, numbers that are not finite, or a weight below 0.
        MetricError: it is not symmetric, or not positive definite.
    """
    m, names = len(reduction.independent), reduction.names
    W = (
        np.zeros((m, m))
        if given is None
        else np.array(floats(given, WHERE, "metric", f"an array of shape {(m, m)}"))
    )
    if W.shape != (m, m):
        raise BadValueError(WHERE, "metric", f"an array of shape {W.shape}", f"of shape {(m, m)}")
    if not np.all(np.isfinite(W)):
        raise BadValueError(WHERE, "metric", "an array", "of finite numbers")
    for name, own in weights.items():
        weight = one_number(own, WHERE, f"weight of '{name}'")
        if not 0.0 <= weight < np.inf:
            raise BadValueError(WHERE, f"weight of '{name}'", str(weight), "a number from 0 up")
        for speed in speeds.names(name):
            row = speeds.row(speed, 0.0, 0.0).row @ reduction.E
            W += weight * np.outer(row, row)
    _check(W, names)
    return np.asarray((W + W.T) / 2.0)


def _check(W: Array, names: Sequence[str]) -> None:
    diagonal = np.diag(W)
    if diagonal.size and diagonal.min() <= 0.0:
        at = int(np.argmin(diagonal))
        reason = f"moving '{names[at]}' alone costs {diagonal[at]:.3g}"
        raise MetricError(reason, float(diagonal[at]), [(names[at], 1.0)])
    size = np.sqrt(diagonal)
    scaled = W / np.outer(size, size)
    off = np.abs(scaled - scaled.T)
    if off.size and off.max() > SYMMETRIC:
        i, j = divmod(int(np.argmax(off)), len(names))
        entry = f"its entry of '{names[i]}' and '{names[j]}' is {W[i, j]:.6g}"
        reason = f"it is not symmetric: {entry}, the one across {W[j, i]:.6g}"
        raise MetricError(reason, math.nan, ())
    values, vectors = np.linalg.eigh((scaled + scaled.T) / 2.0)
    if values.size and values[0] <= POSITIVE * len(names):
        motion = vectors[:, 0] / size
        motion = motion / np.abs(motion).max()
        shown = [(n, float(x)) for n, x in zip(names, motion, strict=True) if abs(x) >= SHARE]
        said = ", ".join(f"'{name}' at {x:.3g}" for name, x in shown)
        cost = float(motion @ W @ motion)
        raise MetricError(f"moving {said} costs {cost:.3g}", cost, shown)
