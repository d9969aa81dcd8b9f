"""Along a branch by its own length, past where a driven joint turns back.

The curve of closed states on which only one driven direction moves. By its arc length it is smooth
at a toggle, so that the toggle can be found, and its gap be brought, to rounding: there the
tangent has no driven part. It is then the w of K_p w = 0, wᵀw = 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from robocompiler.solve.continuation.constants import CONTROL, MISFIT
from robocompiler.solve.continuation.homotopy import Hold
from robocompiler.solve.system import System
from robocompiler.spatial import Array


@dataclass(frozen=True, slots=True, eq=False)
class Ray:
    """What moves along an arc: the free speeds, and the held ones in one direction."""

    hold: Hold
    direction: Array
    """Of the held speeds, shape (nv,), its largest entry ± 1."""

    def jacobian(self, K: Array) -> Array:
        """Wᵀ K of the free speeds, then of the driven direction, shape (rank, free + 1)."""
        rows = self.hold.rows.T @ K
        driven = rows @ self.direction
        return np.asarray(np.concatenate([rows[:, list(self.hold.free)], driven[:, None]], axis=1))

    def step(self, x: Array) -> Array:
        """The speeds (nv,) of a step along the arc's own coordinates, shape (free + 1,)."""
        delta = np.array(x[-1] * self.direction)
        delta[list(self.hold.free)] += x[:-1]
        return delta


@dataclass(frozen=True, slots=True, eq=False)
class ArcPoint:
    """A state on an arc."""

    q: Array
    tangent: Array
    """Unit, shape (free + 1,); its last entry is how the driven direction moves."""
    K: Array
    length: float = 0.0
    """How far along the arc from where it was begun."""
    driven: float = 0.0
    """How far the driven direction is from where it was begun, in one unit."""
    crossed: bool = False
    """Whether a change point, where two branches meet, was just passed straight on."""


def begin(system: System, ray: Ray, q: Array) -> ArcPoint:
    """At a closed q, facing the way in which the driven direction moves ahead."""
    K = system.linear(q)[1]
    facing = np.zeros(len(ray.hold.free) + 1)
    facing[-1] = 1.0
    return ArcPoint(q, _tangent(ray, K, facing), K)


def _tangent(ray: Ray, K: Array, facing: Array) -> Array:
    null = np.linalg.svd(ray.jacobian(K))[2][-1]
    return np.asarray(null if null @ facing >= 0.0 else -null)


def along(
    system: System, ray: Ray, at: ArcPoint, length: float, straight: bool = False
) -> ArcPoint | None:
    """A step of the arc; None where Newton does not contract, another branch is too near, or
    rows that are not retained open.

    `straight` passes what is singular by the tangent alone.
    """
    x = length * at.tangent
    q, last = system.move(at.q, ray.step(x)), np.inf
    for _ in range(CONTROL.iterations):
        phi, K = system.linear(q)
        left = np.append(ray.hold.rows.T @ phi, at.tangent @ x - length)
        size = float(np.max(np.abs(left)))
        if size <= CONTROL.closed or last <= CONTROL.noise / 10.0:
            if float(np.max(np.abs(phi), initial=0.0)) > MISFIT:
                return None
            tangent = _tangent(ray, K, at.tangent)
            if tangent @ at.tangent < 0.9 or not (straight or _tame(ray, at, K)):
                return None
            far, driven = at.length + length, at.driven + float(x[-1])
            return ArcPoint(q, tangent, K, far, driven, straight)
        A = np.concatenate([ray.jacobian(K), at.tangent[None]])
        try:
            delta = -np.linalg.solve(A, left)
        except np.linalg.LinAlgError:
            return None
        now = float(np.max(np.abs(delta)))
        if not now <= max(CONTROL.contraction * last, CONTROL.noise):
            return None
        if last == np.inf and now > CONTROL.leap * abs(length) + CONTROL.noise:
            return None
        x, q, last = x + delta, system.move(q, ray.step(delta)), now
    return None


def _tame(ray: Ray, at: ArcPoint, K: Array) -> bool:
    """Whether the bordered block is regular all the way between two states."""
    before, after = (np.concatenate([ray.jacobian(own), at.tangent[None]]) for own in (at.K, K))
    try:
        change = np.linalg.solve(before.T, after.T) - np.eye(len(before))
    except np.linalg.LinAlgError:
        return False
    return bool(np.linalg.norm(change, 2) <= CONTROL.change)


def march(
    system: System, ray: Ray, at: ArcPoint, longest: float = 0.1
) -> Iterator[tuple[ArcPoint, ArcPoint]]:
    """Pairs of neighbouring states along an arc, for as long as it can be followed."""
    length = longest / 4.0
    while length > CONTROL.shortest:
        ahead = along(system, ray, at, length)
        if ahead is None and length / 2.0 <= CONTROL.shortest:
            ahead, length = along(system, ray, at, 1e-3, straight=True), 1e-3
            if ahead is None:
                return
        if ahead is None:
            length /= 2.0
            continue
        yield at, ahead
        at, length = ahead, min(2.0 * length, longest)


def toggle_between(system: System, ray: Ray, at: ArcPoint, ahead: ArcPoint) -> ArcPoint:
    """Where the driven direction turns back, its part of the tangent of one sign before.

    Secants that keep the bracket (Illinois), to where the tangent's driven part is rounding.
    """
    (a, fa), (b, fb) = (0.0, at.tangent[-1]), (ahead.length - at.length, ahead.tangent[-1])
    best = at if abs(fa) < abs(fb) else ahead
    for _ in range(60):
        if abs(best.tangent[-1]) <= 1e-15 or abs(b - a) <= 1e-15 or fa == fb:
            break
        s = b - fb * (b - a) / (fb - fa)
        middle = along(system, ray, at, s)
        if middle is None:
            break
        f = middle.tangent[-1]
        if abs(f) < abs(best.tangent[-1]):
            best = middle
        if f == 0.0:
            break
        if (f > 0.0) != (fb > 0.0):
            a, fa = b, fb
        else:
            fa /= 2.0
        b, fb = s, f
    return best
