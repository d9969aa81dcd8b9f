"""Newton that must contract, and the homotopy that takes a defect away by and by.

A branch is a configuration plus continuation: determinant signs do not tell branches apart. So a
step counts only where Newton contracts, where what it corrects is small against what was
predicted, and where the dependent block changes so little that it is regular all the way between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from robocompiler.solve.continuation.constants import (
    BALANCED,
    CONTROL,
    MISFIT,
    NEAR,
    NUDGE,
    NUDGES,
    Control,
)
from robocompiler.solve.continuation.corrector import Closed, correct, polish, retained_rows
from robocompiler.solve.system import System
from robocompiler.spatial import Array


@dataclass(frozen=True, slots=True, eq=False)
class Hold:
    """Which speeds of a module are prescribed, and which follow."""

    held: tuple[int, ...]
    free: tuple[int, ...]
    rows: Array
    """Combinations of the rows that are solved, W of shape (rows, rank)."""


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """A state of a module with what a step from it needs."""

    q: Array
    phi: Array
    """All rows, in one unit."""
    K: Array
    """Jacobian of all rows, in one unit."""
    block: Array
    """D = Wᵀ K of the free speeds."""
    inverse: Array
    """D⁻¹, or D⁺ where more speeds are free than rows; NaN where D is singular."""
    correction: float = 0.0
    """What Newton moved from the prediction, largest of any speed."""

    @property
    def misfit(self) -> float:
        """Largest row left."""
        return float(np.max(np.abs(self.phi), initial=0.0))


def hold_speeds(system: System, q: Array, held: Sequence[int], K: Array | None = None) -> Hold:
    """Prescribe some speeds; all others that can follow do, by the rows the loops hold at q."""
    K = system.linear(q)[1] if K is None else K
    free = [i for i in system.compiled.movable if i not in set(held)]
    return Hold(tuple(held), tuple(free), retained_rows(K[:, free]))


def point_at(system: System, hold: Hold, q: Array) -> Point:
    """The state at q as it is, closed or not."""
    phi, K = system.linear(q)
    return _point(hold, q, phi, K)


def _point(hold: Hold, q: Array, phi: Array, K: Array, correction: float = 0.0) -> Point:
    D = hold.rows.T @ K[:, list(hold.free)]
    return Point(q, phi, K, D, inverse_of(D), correction)


def inverse_of(D: Array) -> Array:
    """D⁻¹, or D⁺ where it is wide; NaN where it has none."""
    if D.shape[0] > D.shape[1] or not np.all(np.isfinite(D)):
        return np.full(D.shape[::-1], np.nan)
    try:
        return np.linalg.inv(D) if D.shape[0] == D.shape[1] else np.linalg.pinv(D)
    except np.linalg.LinAlgError:
        return np.full(D.shape[::-1], np.nan)


def land(
    system: System,
    hold: Hold,
    q: Array,
    offset: Array | float = 0.0,
    control: Control = CONTROL,
) -> Point | None:
    """Newton on Wᵀφ = offset from a predicted q, the held speeds kept; None if it is not near.

    A correction whose square is nothing is the last: its residual is not evaluated again, and the
    Jacobian is that of just before it.
    """
    total, last = np.zeros(system.compiled.nv), np.inf
    for _ in range(control.iterations):
        phi, K = system.linear(q)
        left = hold.rows.T @ phi - offset
        moved = float(np.max(np.abs(total), initial=0.0))
        point = _point(hold, q, phi, K, moved)
        if float(np.max(np.abs(left), initial=0.0)) <= control.closed:
            return point
        delta = np.zeros(system.compiled.nv)
        delta[list(hold.free)] = -point.inverse @ left
        now = float(np.max(np.abs(delta)))
        if not now <= max(control.contraction * last, control.noise) or now > np.pi:
            return None  # NaN as well
        q, total, last = system.move(q, delta), total + delta, now
        if now * now * max(1.0, float(np.linalg.norm(point.inverse, np.inf))) <= control.left:
            moved = float(np.max(np.abs(total)))
            return replace(point, q=q, phi=phi + K @ delta, correction=moved)
    return None


def kept_branch(before: Point, after: Point, predicted: float, control: Control = CONTROL) -> bool:
    """Whether a step is so tame that both states are on one branch."""
    if after.correction > control.leap * predicted + control.noise:
        return False
    change = after.block @ before.inverse - np.eye(len(after.block))
    return bool(np.all(np.isfinite(change)) and np.linalg.norm(change, 2) <= control.change)


def trace_defect(
    system: System, hold: Hold, q: Array, control: Control = CONTROL, limited: bool = False
) -> Point | None:
    """From q, close what is open by ever less: Wᵀ(φ(q) - (1-λ) φ(q₀)) = 0, λ from 0 to 1.

    The predictor is of first order, dq/dλ = -D⁻¹ Wᵀ φ(q₀), and λ's step doubles or halves. The
    free speeds alone move. None where some λ cannot be passed.

    Args:
        system: the module.
        hold: what moves and by which rows.
        q: where it starts, shape (nq,).
        control: its constants.
        limited: whether steps beyond a joint's limits are refused.
    """
    system.work.homotopies += 1
    point = point_at(system, hold, q)
    defect = hold.rows.T @ point.phi
    done, share = 0.0, control.first_share
    while done < 1.0:
        share = min(share, 1.0 - done)
        delta = np.zeros(system.compiled.nv)
        delta[list(hold.free)] = -share * (point.inverse @ defect)
        size = float(np.max(np.abs(delta), initial=0.0))
        offset = (1.0 - done - share) * defect
        trial = None
        if size <= 2.0 * control.longest:  # NaN is not
            trial = land(system, hold, system.move(point.q, delta), offset, control)
        fits = trial is not None and not (
            limited and bool(np.any(system.beyond(trial.q) > control.slack))
        )
        if trial is not None and fits and kept_branch(point, trial, size, control):
            point, done = trial, done + share if done + share < 1.0 - 1e-12 else 1.0
            share = min(2.0 * share, control.most_share)
        else:
            share /= 2.0
            if share < control.least_share:
                return None
    return point if point.misfit <= MISFIT else None


def acquire(
    system: System, q: Array, held: Sequence[int] = (), control: Control = CONTROL
) -> Closed:
    """Close a module from anywhere, the speeds in `held` kept; see `is_closed`.

    The damped corrector first, within the joints' limits. Where it fails, or ends up further away
    than its first step promised, so that it may have changed branch, the defect homotopy from the
    same start, whose result counts if it closes. Then a polish to rounding.
    """
    free = [i for i in system.compiled.movable if i not in set(held)]
    if _is_balanced(system, q, free):
        q = _nudged(system, q, free)
    closed = polish(system, correct(system, q, free, limited=True).q, free)
    found = is_closed(system, closed)
    if found and _is_near(system, q, closed.q, free):
        return closed
    traced = trace_defect(system, hold_speeds(system, q, held), q, control, limited=True)
    if traced is not None:
        other = polish(system, traced.q, free)
        if is_closed(system, other):
            return other
    return closed


def _is_balanced(system: System, q: Array, free: Sequence[int]) -> bool:
    """Whether an open q is one from which no small motion closes anything: a dead centre."""
    phi, K = system.linear(q)
    K = K[:, list(free)]
    size = float(np.linalg.norm(phi))
    pull = float(np.linalg.norm(K.T @ phi))
    return size > MISFIT and pull <= BALANCED * size * float(np.linalg.norm(K))


def _nudged(system: System, q: Array, free: Sequence[int]) -> Array:
    """A dead centre left to the side on which it closes best: the best of some fixed directions."""
    random, best = np.random.default_rng(46), (np.inf, q)
    for _ in range(NUDGES):
        delta = np.zeros(system.compiled.nv)
        delta[list(free)] = NUDGE * random.standard_normal(len(free))
        start = system.within(system.move(q, delta))
        misfit = float(correct(system, start, free, limited=True).misfit)
        best = min(best, (misfit, start), key=lambda found: found[0])
        if misfit <= MISFIT:
            break
    return best[1]


def is_closed(system: System, closed: Closed) -> bool:
    """Whether all rows are met, no axis is turned over and every joint is within its limits."""
    return bool(
        closed.misfit <= MISFIT
        and not system.turned_over(closed.q)
        and not np.any(system.beyond(closed.q) > MISFIT * max(1.0, system.length))
    )


def _is_near(system: System, q: Array, closed: Array, free: Sequence[int]) -> bool:
    """Whether a corrector went about as far as its first step would have."""
    went = float(np.max(np.abs(system.apart(q, closed)), initial=0.0))
    if went <= NEAR:
        return True
    phi, K = system.linear(q)
    first = float(np.max(np.abs(np.linalg.pinv(K[:, list(free)], rcond=1e-10) @ phi), initial=0.0))
    return went <= 2.0 * first <= 1.0
