"""Speeds with which loops cannot stay closed: where branches meet, motions go on one at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robocompiler.errors import MechanismError
from robocompiler.solve.reduction.partition import names_of
from robocompiler.solve.reduction.reduce import Reduction
from robocompiler.spatial import Array

PARTS = 1e-3
"""Share of a row's columns times speed² above which it opens; rounded geometry leaves 1e-6."""


class PartingError(MechanismError):
    """Speeds at which a loop opens, whatever its joints' accelerations."""

    def __init__(self, loop: str, joints: Sequence[str], apart: float) -> None:
        self.loop, self.joints, self.apart = loop, tuple(joints), apart
        names = ", ".join(f"'{name}'" for name in self.joints)
        super().__init__(
            f"Loop '{loop}' is singular where it stands: {names} may each begin to move, but not "
            f"at these speeds together. No acceleration keeps it closed: it parts by {apart:.3g} "
            "m/s² or rad/s². Give the speeds of one motion that goes on, 0 where it stands still, "
            "or another configuration."
        )


def refuse_parting(reduction: Reduction, v: Array, rest: Array) -> None:
    """Refuse a motion at v (…, nv) that leaves K c + γ (…, rows) that is more than rounding.

    Raises:
        PartingError: with the loop and the independent joints that move it.
    """
    most = np.max(np.abs(reduction.jacobian), axis=-1, initial=0.0)
    size = most * np.max(v * v, axis=-1, initial=0.0)[..., None]
    over = np.abs(rest) - PARTS * size
    if not np.any(over > 0.0):
        return
    at = np.unravel_index(int(np.argmax(over)), over.shape)
    block = next(own for own in reduction.partition.blocks if at[-1] in own.rows)
    joints = names_of(reduction.compiled, block.inputs)
    raise PartingError(block.name, joints, float(np.abs(rest[at])))
