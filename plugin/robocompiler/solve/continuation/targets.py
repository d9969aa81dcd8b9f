"""What is left of a motion to a target, and where its next step ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robocompiler.solve.continuation.corrector import single_speeds
from robocompiler.solve.system import System
from robocompiler.spatial import Array

ROUNDED = 1e-14
"""A rotation this near [rad] to where it is to be is there."""


def still_to_move(
    system: System, q: Array, target: Array, drivers: Sequence[int]
) -> tuple[Array, float]:
    """How the driven speeds are still to move, shape (nv,), and the most of any.

    Where only some speeds of a rotation are driven, its quaternion cannot be put to the target, and
    what rounding leaves would be chased for ever.
    """
    left = np.zeros(system.compiled.nv)
    left[list(drivers)] = system.apart(q, target)[list(drivers)]
    size = float(np.max(np.abs(left), initial=0.0))
    if 0.0 < size <= ROUNDED and not np.any(left[[v for _, v in single_speeds(system)]]):
        return np.zeros_like(left), 0.0
    return left, size


def goal_of(system: System, q: Array, delta: Array, target: Array | None) -> Array:
    """q with the driven joints moved; exactly on the target with the last step."""
    goal = system.move(q, delta)
    if target is not None:
        moved = set(np.flatnonzero(delta).tolist())
        for coordinates, speeds in (f for joint in system.compiled.tree for f in joint.factors):
            own = list(coordinates)
            # Of a rotation some speeds may be free: then it is elsewhere than on the target.
            there = len(own) == 1 or _is_same_rotation(goal[own], target[own])
            if there and not moved.isdisjoint(speeds):
                goal[own] = target[own]
    return goal


def _is_same_rotation(a: Array, b: Array) -> bool:
    """Whether two quaternions, of either sign, differ by rounding alone."""
    return min(float(np.max(np.abs(a - s * b))) for s in (1.0, -1.0)) < ROUNDED
