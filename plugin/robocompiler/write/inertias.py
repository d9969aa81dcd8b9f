"""Inertias as strict consumers take them."""

from __future__ import annotations

import numpy as np

from robocompiler.spatial import Array

MARGIN = 1e-12
"""By how much a + b exceeds c at least, over c, so that no rounding of MuJoCo's undoes it."""


def writable_tensor(tensor: Array) -> Array:
    """The tensor that MuJoCo takes for one that is valid to our tolerance, shape (3, 3).

    The principal moments of a flat body obey a + b = c, so rounding breaks a + b ≥ c. Then a and b
    are lifted by one factor, the least that mends it; by 1e-6 of them at most, since `validity`
    refuses worse. Any other tensor stays as it is.
    """
    (a, b, c), axes = np.linalg.eigh(tensor)
    factor = c * (1.0 + MARGIN) / (a + b)
    if factor <= 1.0:
        return tensor
    lift = axes[:, :2] * ((factor - 1.0) * np.array([a, b])) @ axes[:, :2].T
    return np.asarray(tensor + (lift + lift.T) / 2.0)
