"""Small moves of a closed mechanism along its independent speeds, its loops closed again."""

from __future__ import annotations

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.rows import linearize
from robocompiler.compiler.steps import step
from robocompiler.solve.reduction.partition import Partition
from robocompiler.solve.reduction.reduce import Reduction, block_inverse
from robocompiler.spatial import Array, apply

STEPS = 12
CLOSED = 1e-13
"""Correction [m or rad] below which loops are as closed as they get."""
CONTRACTS = 0.5
"""Share of a move above which what closes the loops again may have led to another branch."""


def moved_along(reduction: Reduction, u: Array, tiny: bool = False) -> tuple[Array, Array]:
    """Where a mechanism comes to from a configuration by small moves.

    Args:
        reduction: where it stands, at one configuration.
        u: by how much independent speeds are moved [m or rad], shape (…, m).
        tiny: whether they are so small that the inverse at the start closes the loops as well.

    Returns:
        q, shape (…, nq), and whether the loops were closed there by a correction that is small
        beside the move, shape (…).
    """
    compiled, move = reduction.compiled, apply(reduction.E, u)
    q = step(compiled, np.broadcast_to(reduction.q, (*u.shape[:-1], compiled.nq)), move)
    corrected, last = np.zeros_like(move), np.full(u.shape[:-1], np.inf)
    for _ in range(STEPS):
        delta = _nearby(reduction, q) if tiny else _correction(compiled, q, reduction.partition)
        size = np.max(np.abs(delta), axis=-1, initial=0.0)
        q, corrected = step(compiled, q, delta), corrected + delta
        last = size
        if np.all(size <= CLOSED):
            break
    near = np.max(np.abs(corrected), axis=-1, initial=0.0)
    far = CONTRACTS * np.max(np.abs(move), axis=-1, initial=0.0)
    return q, (last <= 10.0 * CLOSED) & (near <= far + CLOSED)


def _nearby(reduction: Reduction, q: Array) -> Array:
    """`_correction` by the inverse where the reduction was taken."""
    return -apply(reduction.inverse, linearize(reduction.compiled, q).residual)


def _correction(compiled: CompiledMechanism, q: Array, partition: Partition) -> Array:
    """The dependent speeds' step that closes the loops to first order, shape (…, nv)."""
    found = linearize(compiled, q)
    delta = np.zeros((*q.shape[:-1], compiled.nv))
    for block in partition.blocks:
        inverse = block_inverse(found.jacobian, block)[0]
        delta[..., list(block.dependent)] = -apply(inverse, found.residual[..., list(block.rows)])
    return delta
