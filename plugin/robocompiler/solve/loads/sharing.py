"""Loads that loops leave undetermined: which they are, and the least share in stated weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from robocompiler.errors import BadValueError, UnknownNameError, raise_all
from robocompiler.solve.closure import RANK_TOLERANCE
from robocompiler.solve.loads.multipliers import Holds
from robocompiler.solve.reduction.checks import one_number, read_mapping
from robocompiler.spatial import Array, apply


def load_sizes(holds: Holds) -> Array:
    """What makes loads one unit [N]: 1 for a force, and for a torque the size of what is tied
    together there. Of every joint's wrench, then of couplings, shape (6 · joints + couplings,).
    """
    compiled = holds.compiled
    own = [i for i, joint in enumerate(compiled.tree) if not joint.prescribed]
    lengths = np.ones(len(own) + len(compiled.closures))
    rows = np.ones(holds.K.shape[-2])
    for group in holds.groups:
        lengths[[own.index(i) for i in group.joints]] = group.length
        lengths[[len(own) + i for i in group.closures]] = group.length
        rows[group.rows] = np.where(holds.is_force[group.rows], 1.0, group.length)
    joints = np.repeat(lengths[:, None], 6, axis=1)
    joints[:, :3] = 1.0
    return np.concatenate([joints.ravel(), rows[len(rows) - len(holds.couplings) :]])


def load_weights(
    joints: Sequence[str], couplings: Sequence[str], weights: Mapping[str, float] | None
) -> Array:
    """The weight of every load, by the name of its joint or coupling, in the order of `load_sizes`.

    Raises:
        UnknownNameError: no joint or coupling is called so.
        BadValueError: a weight that is not above zero.
    """
    names = [*joints, *couplings]
    given = read_mapping(weights, "Joint loads", "weights", "joints or couplings to numbers")
    raise_all(
        UnknownNameError("Joint loads", "joint or coupling", name, names)
        for name in given
        if name not in names
    )
    stated = dict.fromkeys(names, 1.0)
    for name, own in given.items():
        weight = one_number(own, "Joint loads", f"weight of '{name}'")
        stated[name] = weight
        if not (np.isfinite(weight) and weight > 0.0):
            raise BadValueError("Joint loads", "weights", f"{weight:g} of '{name}'", "above zero")
    found = [stated[name] for name in joints for _ in range(6)]
    return np.array([*found, *(stated[name] for name in couplings)], dtype=float)


def least_share(loads: Array, free: Array, weights: Array) -> Array:
    """How much of each combination that does nothing to add, so that Σ weight · load² is least.

    Args:
        loads: that balance the motion, of one unit, shape (…, loads).
        free: that balance nothing, or are zero, shape (combinations, …, loads).
        weights: shape (loads,).

    Returns:
        Shape (combinations, …).
    """
    T = np.moveaxis(free, 0, -1)
    Tt = np.swapaxes(T, -1, -2)
    none = np.max(np.abs(T), axis=-2, initial=0.0) == 0.0
    normal = (Tt * weights) @ T + none[..., None] * np.eye(T.shape[-1])
    share = -np.linalg.solve(normal, apply(Tt, weights * loads)[..., None])[..., 0]
    return np.moveaxis(share, -1, 0)


def are_determinate(free: Array) -> Array:
    """Which loads no combination (combinations, …, loads) changes, shape (loads,)."""
    most = np.max(np.abs(free), axis=tuple(range(free.ndim - 1)), initial=0.0)
    return np.asarray(most < RANK_TOLERANCE)
