"""Motions that move nothing that weighs anything: no effort has an acceleration there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robocompiler.errors import MechanismError
from robocompiler.solve.dynamics.reduced import ReducedDynamics
from robocompiler.solve.reduction.partition import speed_names
from robocompiler.spatial import Array

WEIGHTLESS = 1e-14
"""What a motion may weigh, of what it would if its own joints' motions did not cancel."""
TAKES_PART = 0.1
"""Share of the largest speed of a motion above which a joint is named."""


class MasslessError(MechanismError):
    """A motion that no mass resists, so that forces have no answer."""

    def __init__(self, joints: Sequence[str], mass: float) -> None:
        self.joints, self.mass = tuple(joints), mass
        names = ", ".join(f"'{name}'" for name in self.joints)
        super().__init__(
            f"Moving {names} moves nothing that weighs enough: the mass it has is {mass:.3g} of "
            "what its bodies would have. Give the bodies that move there mass or inertia, or the "
            "joint an `armature`."
        )


def masslessness(dynamics: ReducedDynamics, M: Array, motions: Array | None = None) -> None:
    """Refuse a reduced mass matrix (…, m, m) that is not positive definite.

    Args:
        dynamics: whose it is.
        M: over the independent speeds, or over some motions.
        motions: these as independent speeds, shape (…, m, motions); None for each speed by itself.

    Raises:
        MasslessError: with the joints that move.
    """
    if not M.shape[-1]:
        return
    lift = dynamics.E if motions is None else dynamics.E @ motions
    # Not by M's own diagonal: where a motion's own parts cancel, that is rounding itself.
    by_speed = np.diagonal(dynamics.tree_mass, axis1=-2, axis2=-1)
    size = np.sqrt(np.sum(lift * lift * np.abs(by_speed)[..., None], axis=-2))
    scale = np.where(size <= 0.0, 1.0, size)
    values, vectors = np.linalg.eigh(M / (scale[..., :, None] * scale[..., None, :]))
    least = np.min(values, axis=-1)
    if float(np.min(least)) > WEIGHTLESS * M.shape[-1]:
        return
    at = np.unravel_index(int(np.argmin(least)), least.shape)
    E = np.broadcast_to(lift, (*M.shape[:-2], *lift.shape[-2:]))[at]
    scale = np.broadcast_to(scale, M.shape[:-1])
    v = np.abs(E @ (vectors[at][:, 0] / scale[at]))
    names = speed_names(dynamics.reduction.compiled)
    moving = [name for name, x in zip(names, v, strict=True) if x > TAKES_PART * v.max()]
    raise MasslessError(list(dict.fromkeys(moving)), float(least[at]))
