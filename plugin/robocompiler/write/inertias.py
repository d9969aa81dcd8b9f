"""Inertias as strict consumers take them."""

from __future__ import annotations

import numpy as np

from robocompiler.model.mechanism import Inertia
from robocompiler.spatial import Array

BALL_DENSITY = 1000.0
"""[kg/m³] of the balls that links between axes are taken for: of water, and plastics."""
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


def ball(mass: float) -> Inertia:
    """Of a link that is no body and has to weigh something [kg]: the same in every format."""
    radius = (3.0 * mass / (4.0 * np.pi * BALL_DENSITY)) ** (1.0 / 3.0)
    moment = float(0.4 * mass * radius**2)
    return Inertia(mass=mass, moments=(moment, moment, moment))
