"""The corrector: damped Newton on the closures of one module, then a polish to rounding.

Levenberg-Marquardt on all rows, over angles and lengths made one unit. All rows, since off the
closed states an overconstrained loop has more rank than on them; damped, since it passes
singularities. It takes a batch of starts as it takes one.

The polish is plain Newton on the retained rows: the combinations that the loops hold at the
tolerance of ranks. It converges quadratically, rounded geometry and redundant rows or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism, Module
from robocompiler.model.joint_motion import swing_of
from robocompiler.solve.closure import RANK_TOLERANCE, count_above, length_scale
from robocompiler.solve.continuation.constants import AT_SWING, DAMPING, ROUNDING, Damping
from robocompiler.solve.state import evaluate
from robocompiler.solve.system import System, system_of
from robocompiler.spatial import Array


@dataclass(frozen=True, slots=True, eq=False)
class Closed:
    """What the corrector reached."""

    q: Array
    """Shape (…, nq)."""
    misfit: float | Array
    """Largest row of the residual left, lengths over the module's size, shape (…)."""


def module_speeds(compiled: CompiledMechanism, module: Module) -> list[int]:
    """Indices of the speeds of a module's joints that are the mechanism's own."""
    movable = set(compiled.movable)
    return [
        i
        for index in module.joints
        for i in range(compiled.tree[index].v.start, compiled.tree[index].v.stop)
        if i in movable
    ]


def close_module(
    compiled: CompiledMechanism, q: Array, module: Module, free: Sequence[int]
) -> Closed:
    """Move the speeds in `free` from q until the module's closures are met, or best met.

    Each step is the least one, so that the solution is the one next to q. Limits are not minded.
    """
    length = length_scale(compiled, evaluate(compiled, q, module.joints), module)
    system = system_of(compiled, module, length)
    wanted = set(free)
    own = [i for i, speed in enumerate(system.whole) if speed in wanted]
    closed = polish(system, correct(system, system.of(q), own).q, own)
    return Closed(system.into(q, closed.q), closed.misfit)


def correct(
    system: System, q: Array, free: Sequence[int], limited: bool = False, damping: Damping = DAMPING
) -> Closed:
    """Move the speeds in `free` from q, shape (…, nq), until all rows are met, or best met.

    With `limited`, joints are kept within their limits: one that comes to a stop stays there until
    it is pushed back.
    """
    batch = q.shape[:-1]
    at = np.array(q.reshape(-1, q.shape[-1]), dtype=float)
    if limited:
        at = system.within(at)
    phi, K = system.linear(at)
    share, running = np.full(len(at), damping.first), np.ones(len(at), dtype=bool)
    for _ in range(damping.iterations):
        running &= np.max(np.abs(phi), axis=-1, initial=0.0) > ROUNDING
        if not running.any() or not len(free):
            break
        i = np.flatnonzero(running)
        delta = _damped_step(system, at[i], phi[i], K[i], free, share[i], limited)
        trial = system.move(at[i], delta)
        trial = system.within(trial) if limited else trial
        phi_trial, K_trial = system.linear(trial)
        better = np.linalg.norm(phi_trial, axis=-1) < np.linalg.norm(phi[i], axis=-1)
        done = i[better]
        at[done], phi[done], K[done] = trial[better], phi_trial[better], K_trial[better]
        easier = np.maximum(share[i] / damping.factor, damping.least)
        share[i] = np.where(better, easier, share[i] * damping.factor)
        still = np.max(np.abs(delta), axis=-1) < damping.no_step
        running[i] &= (share[i] <= damping.most) & ~still
    misfit = np.max(np.abs(phi), axis=-1, initial=0.0).reshape(batch)
    return Closed(at.reshape(q.shape), misfit if batch else float(misfit))


def _damped_step(
    system: System,
    q: Array,
    phi: Array,
    K: Array,
    free: Sequence[int],
    share: Array,
    limited: bool,
) -> Array:
    """The damped least-squares step of each of a batch, shape (n, nv)."""
    moving = np.zeros(system.compiled.nv, dtype=bool)
    moving[list(free)] = True
    K = K * moving
    delta = _least_squares(phi, K, share)
    if not limited:
        return delta * moving  # singular vectors of rounding must not move what is held
    for _ in range(2):  # what would push a joint through its stop does not move
        K = _without_stopped(system, q, delta, K)
        delta = _least_squares(phi, K, share)
    return delta * moving


def _without_stopped(system: System, q: Array, delta: Array, K: Array) -> Array:
    """K, shape (n, rows, nv), without the motions that would leave limits joints stand at."""
    able = np.ones(delta.shape, dtype=bool)
    for coordinate, speed in single_speeds(system):
        x, dx = q[:, coordinate], delta[:, speed]
        low, high = system.least[coordinate], system.most[coordinate]
        able[:, speed] = ~(((x <= low) & (dx < 0.0)) | ((x >= high) & (dx > 0.0)))
    K = K * able[:, None, :]
    for swing in system.swings:  # of a ball only the turn about its own axis is stopped
        turn = q[:, swing.q]
        axis = turn[:, 1:] * np.copysign(1.0, turn[:, :1])
        axis /= np.maximum(np.linalg.norm(axis, axis=-1, keepdims=True), np.finfo(float).tiny)
        outward = np.sum(axis * delta[:, swing.v], axis=-1) > 0.0
        stopped = outward & (swing_of(turn) >= swing.limit - AT_SWING)
        axis *= stopped[:, None]
        K[..., swing.v] -= (K[..., swing.v] @ axis[..., None]) * axis[:, None, :]
    return K


def single_speeds(system: System) -> list[tuple[int, int]]:
    """Coordinate and speed of everything that is not a rotation's quaternion."""
    factors = [factor for joint in system.compiled.tree for factor in joint.factors]
    return [(q.start, v.start) for q, v in factors if len(q) == 1]


def _least_squares(phi: Array, K: Array, share: Array) -> Array:
    U, s, Vt = np.linalg.svd(K, full_matrices=False)
    # Against one at least: a Jacobian of nothing but rounding must not make a step.
    largest = np.max(s, axis=-1, initial=1.0)[:, None]
    spread = s**2 + (share[:, None] * largest) ** 2
    gains = np.divide(s, spread, out=np.zeros_like(s), where=spread > 0.0)
    along = gains * np.einsum("nij,ni->nj", U, phi)
    return np.asarray(-np.einsum("nij,ni->nj", Vt, along))


def retained_rows(K: Array) -> Array:
    """Combinations of the rows that the loops hold at the tolerance of ranks, (rows, rank)."""
    U, s, _ = np.linalg.svd(K, full_matrices=False)
    return np.asarray(U[:, : count_above(s)])


def polish(system: System, q: Array, free: Sequence[int]) -> Closed:
    """Newton on the retained rows from a nearly closed q, shape (nq,), to rounding."""
    own = list(free)
    phi, K = system.linear(q)
    W = retained_rows(K[:, own])
    best = float(np.max(np.abs(W.T @ phi), initial=0.0))
    for _ in range(8):
        if best <= ROUNDING:
            break
        delta = np.zeros(system.compiled.nv)
        delta[own] = -np.linalg.pinv(W.T @ K[:, own], rcond=RANK_TOLERANCE) @ (W.T @ phi)
        trial = system.move(q, delta)
        phi_trial, K_trial = system.linear(trial)
        left = float(np.max(np.abs(W.T @ phi_trial), initial=0.0))
        if left >= best:
            break
        q, phi, K, best = trial, phi_trial, K_trial, left
    return Closed(q, float(np.max(np.abs(phi), initial=0.0)))
