"""What is left of a motion to a target, and where its next step ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from robocompiler.errors import BadValueError
from robocompiler.model.shown import show_coordinates
from robocompiler.solve.continuation.constants import FURTHEST, SAME_TURN
from robocompiler.solve.system import System
from robocompiler.spatial import Array


def refuse_far(system: System, q: Array, target: Array, drivers: Sequence[int]) -> None:
    """Refuse to walk a thousand turns, or as many lengths, to a target.

    Limits end the way: a value beyond them is as far as they are.

    Raises:
        BadValueError: the driven joint that is to go furthest, and from where.
    """
    left, size = still_to_move(system, q, system.within(target), drivers)
    if size <= FURTHEST:
        return
    worst = int(np.argmax(np.abs(left)))
    own = next(t for t in system.compiled.tree if t.v.start <= worst < t.v.stop)
    joint = own.edge.joint
    stands, wanted = (show_coordinates(joint, x[own.q].tolist()) for x in (q, target))
    most = "within 1000 turns, or 6283 times the size of its loops, of where it stands"
    remedy = "take whole turns off it, or go there in several moves"
    raise BadValueError("Value to move to", joint.name, wanted, f"{most}, {stands}: {remedy}")


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
