"""Followers that are no unknowns: q = S x + s₀ and v = S ẋ, by what their leaders do."""

from __future__ import annotations

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.spatial import Array


def followed(compiled: CompiledMechanism, q: Array) -> Array:
    """q, shape (…, nq), with every eliminated follower where its leaders put it."""
    if not compiled.eliminated:
        return q
    put = np.array(q)
    for coupling in compiled.eliminated:  # leaders first
        led = zip(coupling.leaders, coupling.ratios, strict=True)
        said = sum(ratio * put[..., ref.q] for ref, ratio in led)
        put[..., coupling.follower.q] = said + coupling.offset
    return put


def folded(compiled: CompiledMechanism, columns: Array) -> Array:
    """K S of columns for every speed, (…, rows, nv): a follower's go to its leaders."""
    if not compiled.eliminated:
        return columns
    folded = np.array(columns)
    for coupling in reversed(compiled.eliminated):
        own = folded[..., coupling.follower.v]
        for ref, ratio in zip(coupling.leaders, coupling.ratios, strict=True):
            folded[..., ref.v] = folded[..., ref.v] + ratio * own
        folded[..., coupling.follower.v] = 0.0 * own
    return folded


def carried(compiled: CompiledMechanism, rows: Array) -> Array:
    """S applied to a row for every speed, (…, nv, k): a follower's is made of its leaders'."""
    if not compiled.eliminated:
        return rows
    made = np.array(rows)
    for coupling in compiled.eliminated:
        led = zip(coupling.leaders, coupling.ratios, strict=True)
        made[..., coupling.follower.v, :] = sum(ratio * made[..., ref.v, :] for ref, ratio in led)
    return made
