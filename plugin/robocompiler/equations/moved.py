"""What moves with each speed of a tree: the diagonal of its mass matrix, and nothing else of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robocompiler.equations.dynamics import BASE, Limb, Motions
from robocompiler.equations.inertia import added, momentum, seen_from
from robocompiler.spatial import Array


def moved_masses(limbs: Sequence[Limb], at: Motions, nv: int) -> Array:
    """[kg, kg m²] of each speed, shape (nv,), by composite bodies: linear in their number.

    Args:
        limbs: inboard before outboard.
        at: their joints, where they stand: at one state.
        nv: number of speeds.
    """
    composite, found = [limb.inertia for limb in limbs], np.zeros(nv)
    for index in reversed(range(len(limbs))):
        own, inboard = composite[index], limbs[index].inboard
        if own is None:
            continue
        for motion in reversed(at[index]):
            for k in range(motion.axes.shape[-1]):
                axis = motion.axes[..., k]
                found[motion.v.start + k] = np.sum(axis * momentum(own, axis))
            own = seen_from(motion.X, own)
        if inboard != BASE:
            before = composite[inboard]
            composite[inboard] = own if before is None else added(before, own)
    return found
