"""Which coordinates can keep the values they are given while the loops are closed."""

from __future__ import annotations

import math
from collections.abc import Container, Sequence

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism, Module
from robocompiler.solve.closing import close_module, module_speeds
from robocompiler.solve.closure import (
    RANK_TOLERANCE,
    length_scale,
    scaled_jacobian,
    speed_scales,
)
from robocompiler.solve.state import difference, evaluate, step
from robocompiler.spatial import Array

# Joints are moved in steps of at most this [rad, or m over the module's size].
LONGEST_STEP = math.radians(2.0)
# Steps are halved this often at most before a value counts as out of reach.
HALVINGS = 12
# A step in which another joint moves this many times as far is halved: near a toggle the
# corrector could land on the other branch.
LEVERAGE = 20.0


def holdable_speeds(
    compiled: CompiledMechanism, q: Array, module: Module, first: Container[str]
) -> list[int]:
    """Speeds of a module that can be prescribed together at a closed q, as many as there are.

    Joints named in `first` are taken first, then actuated joints, then the others from the world
    outward; each that the rest of the module can still follow. A speed can be prescribed where
    its row of the null space of K is independent of those of the speeds prescribed already.
    """
    own = module_speeds(compiled, module)
    K = scaled_jacobian(compiled, q, module)[:, own]
    _, s, Vt = np.linalg.svd(K)
    rank = int(np.sum(s > RANK_TOLERANCE * s[0])) if s.size and s[0] > 0.0 else 0
    freedom = Vt[rank:].T
    order = sorted(range(len(own)), key=lambda i: (_priority(compiled, own[i], first), i))
    held: list[int] = []
    basis = np.zeros((0, freedom.shape[1]))
    for i in order:
        row = freedom[i] - basis.T @ (basis @ freedom[i])
        row = row - basis.T @ (basis @ row)
        size = float(np.linalg.norm(row))
        if size > 1e-4:
            held.append(own[i])
            basis = np.vstack([basis, row / size])
    return held


def _priority(compiled: CompiledMechanism, speed: int, first: Container[str]) -> int:
    joint = next(t.edge.joint for t in compiled.tree if t.v.start <= speed < t.v.stop)
    if joint.name in first:
        return 0
    return 1 if joint.effort is not None else 2


def move_held(
    compiled: CompiledMechanism, q: Array, module: Module, held: Sequence[int], target: Array
) -> Array:
    """Move the held speeds from a closed q towards their target, the rest of the module following.

    Short steps, halved where the loops do not close or another joint leaps, so that the branch is
    kept. Returns as near the target as the loops let them come.
    """
    if not held:
        return q
    free = [speed for speed in module_speeds(compiled, module) if speed not in set(held)]
    scales = speed_scales(compiled, length_scale(compiled, evaluate(compiled, q), module))
    before = close_module(compiled, q, module, free)
    longest = LONGEST_STEP
    while True:
        left = np.zeros(compiled.nv)
        left[list(held)] = difference(compiled, before.q, target)[list(held)]
        size = float(np.max(np.abs(left * scales)))
        if size == 0.0 or longest < LONGEST_STEP / 2**HALVINGS:
            return before.q
        share = min(1.0, longest / size)
        trial = close_module(compiled, step(compiled, before.q, share * left), module, free)
        leap = np.abs(difference(compiled, before.q, trial.q) * scales)[free].max(initial=0.0)
        if trial.misfit > max(10.0 * before.misfit, 1e-10) or leap > LEVERAGE * share * size:
            longest = min(longest, size) / 2.0
            continue
        before, longest = trial, min(2.0 * longest, LONGEST_STEP)
        if share == 1.0:
            return before.q
