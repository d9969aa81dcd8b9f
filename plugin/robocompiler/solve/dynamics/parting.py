"""Speeds with which loops cannot stay closed: where branches meet, motions go on one at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robocompiler.errors import MechanismError
from robocompiler.solve.reduction.partition import names_of
from robocompiler.solve.reduction.reduce import Reduction
from robocompiler.spatial import Array

PARTS = 1e-3
"""Share of a loop's largest column times speed², in one unit, above which it opens: rounded
geometry leaves 1e-6 of it."""
NOTHING = 1e-12
"""What a loop may part by [1/s²], in one unit, that stands still but for rounding."""


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
    for block in reduction.partition.blocks:
        rows, speeds = list(block.rows), [*block.dependent, *block.inputs]
        columns = reduction.jacobian[..., rows, :][..., speeds] / block.speed_scales[speeds]
        largest = np.max(np.abs(block.row_scales[:, None] * columns), (-2, -1), initial=0.0)
        moving = np.max((v[..., speeds] * block.speed_scales[speeds]) ** 2, -1, initial=0.0)
        left = np.abs(rest[..., rows]) * block.row_scales
        over = left - (PARTS * largest * moving + NOTHING)[..., None]
        if np.any(over > 0.0):
            at = np.unravel_index(int(np.argmax(over)), over.shape)
            joints = names_of(reduction.compiled, block.inputs)
            raise PartingError(block.name, joints, float(np.abs(rest[..., rows][at])))
