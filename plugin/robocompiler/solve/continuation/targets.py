"""What is left of a motion to a target, and where its next step ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from robocompiler.solve.continuation.constants import SAME_TURN
from robocompiler.solve.system import System
from robocompiler.spatial import Array


def still_to_move(
    system: System, q: Array, target: Array, drivers: Sequence[int]
) -> tuple[Array, float]:
    """How the driven speeds are still to move, shape (nv,), and the most of any."""
    left = np.zeros(system.compiled.nv)
    left[list(drivers)] = system.apart(q, target)[list(drivers)]
    # Where some of a rotation's speeds are free, no step ends on its target to the last bit.
    turning = [i for coordinates, own in _motions(system) if len(coordinates) > 1 for i in own]
    left[turning] *= np.abs(left[turning]) >= SAME_TURN
    return left, float(np.max(np.abs(left), initial=0.0))


def goal_of(system: System, q: Array, delta: Array, target: Array | None) -> Array:
    """q with the driven joints moved; exactly on the target with the last step."""
    goal = system.move(q, delta)
    if target is not None:
        moved = set(np.flatnonzero(delta).tolist())
        for coordinates, speeds in _motions(system):
            own = list(coordinates)
            # Of a rotation some speeds may be free: then it is elsewhere than on the target.
            if not moved.isdisjoint(speeds) and _is_same(goal[own], target[own]):
                goal[own] = target[own]
    return goal


def _motions(system: System) -> Iterator[tuple[range, range]]:
    """Coordinates and speeds of every elementary motion."""
    return (factor for joint in system.compiled.tree for factor in joint.factors)


def _is_same(a: Array, b: Array) -> bool:
    """Whether quaternions, of either sign, are one but for rounding; so are single coordinates."""
    return len(a) == 1 or min(np.max(np.abs(a - b)), np.max(np.abs(a + b))) < SAME_TURN
