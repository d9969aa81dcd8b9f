"""The shortest vector under linear equations and inequalities: a convex QP whose metric is 1.

By `scipy.optimize.nnls`, to which Lawson and Hanson reduce it (LDP): finite, and where nothing
satisfies the inequalities its answer is the proof, multipliers under which they contradict each
other, as few as there can be. So no solver of QPs need be installed: `quadprog` is as exact, but
says "inconsistent" with no reason, and that of sets of one motion too, which rounding leaves none;
interior and first-order ones stop at 1e-6 or so. What is active is found by it; the answer is then
solved for anew by least squares, to rounding.

Source: C. L. Lawson, R. J. Hanson (1974), Solving Least Squares Problems, chapter 23.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robocompiler.spatial import Array

INCONSISTENT = 1e-9
"""What nonnegative least squares leaves, of 1, where inequalities contradict each other."""
EXACT, REPAIRS = 1e-11, 100
"""What an inequality or the sign of a multiplier may be off, of the whole; changes of what is
active that rounding may ask for."""


@dataclass(frozen=True, slots=True, eq=False)
class Shortest:
    """z with G z ≤ h, and multipliers λ ≥ 0 with z + Gᵀ λ = 0."""

    z: Array
    multipliers: Array


@dataclass(frozen=True, slots=True, eq=False)
class Contradiction:
    """Multipliers λ ≥ 0 with Gᵀ λ = 0 and hᵀ λ < 0, or so nearly that rounding decides."""

    multipliers: Array


def shortest(G: Array, h: Array) -> Shortest | Contradiction:
    """The shortest z with G z ≤ h, whose rows have unit length, shape (rows, n)."""
    z, unit = np.zeros(G.shape[1]), float(np.max(-h, initial=0.0))
    if unit <= 0.0:
        return Shortest(z, np.zeros(len(h)))
    found, left = _nonnegative(np.vstack([-G.T, -h / unit]))
    if left <= INCONSISTENT:
        return Contradiction(found)
    return settled(G, h, found > 0.0) or Contradiction(found)


def _nonnegative(A: Array) -> tuple[Array, float]:
    """x ≥ 0 for which A x is as near (0, …, 0, 1) as it can be, and how far it stays away."""
    from scipy.optimize import nnls

    aim = np.zeros(len(A))
    aim[-1] = 1.0
    x, left = nnls(A, aim, maxiter=30 * A.shape[1] + 100)
    return np.asarray(x), float(left)


def settled(G: Array, h: Array, active: Array) -> Shortest | None:
    """Where active inequalities are equations, these changed while one is off; None if no end.

    One at a time: the multiplier that is the most negative, then the inequality that is the most
    wrong.
    """
    active = active.copy()
    for _ in range(REPAIRS):
        own = np.flatnonzero(active)
        z = np.linalg.lstsq(G[own], h[own], rcond=None)[0]
        pressing = np.linalg.lstsq(G[own].T, -z, rcond=None)[0]
        allowed = EXACT * max(float(np.linalg.norm(z)), float(np.max(np.abs(h[own]), initial=0.0)))
        if pressing.size and pressing.min() < -allowed:
            active[own[int(np.argmin(pressing))]] = False
            continue
        past = G @ z - h
        if past.max() > allowed:
            active[int(np.argmax(past))] = True
            continue
        multipliers = np.zeros(len(h))
        multipliers[own] = np.maximum(pressing, 0.0)
        return Shortest(z, multipliers)
    return None
