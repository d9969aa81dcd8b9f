"""The convex QP over speeds: tasks met, limits kept, at least cost; or what contradicts what.

Unknowns are y with v = v₀ + B y, where B = E L⁻ᵀ, W = L Lᵀ, and v₀ costs the least of all: so their
metric is 1, in which lengths and ranks mean something whatever the units of joints, and are the
same for every choice of independent speeds. Tasks leave y = y₀ + N z with N orthonormal, and z is
the `shortest` that limits allow. Rounding is judged by what was added up, not by what came out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.solve.selection.least import Shortest, shortest
from robocompiler.solve.selection.rows import Row
from robocompiler.spatial import Array

NOTHING = 1e-11
"""What is left of a row, of what it adds up, where it cannot be moved."""
DEPENDENT = 1e-10
"""The least singular value of tasks, of the largest, their rows made one length."""
MET = 1e-9
"""How far what is determined otherwise may be off, of what its row adds up."""


@dataclass(frozen=True, slots=True, eq=False)
class Least:
    """The least of all motions, with Wu - g + Eᵀ(Σ task · row + Σ limit · row) = 0."""

    y: Array
    tasks: Array
    """The multiplier of each task."""
    limits: Array
    """Of each limit: positive where its high end is reached, negative at its low end, else 0."""
    redundant: tuple[int, ...]
    """Tasks that follow from those before them."""


@dataclass(frozen=True, slots=True, eq=False)
class Conflict:
    """Multipliers under which all rows cancel, and numbers stated for them do not."""

    tasks: Array
    limits: Array
    """As in `Least`."""
    short: float
    """By how much: a number whose multiplier is m must change by short / m, or others must."""


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Rows over y, each with a number that it is to be, or not to exceed."""

    rows: Array
    room: Array
    """The number less what the row is at v₀."""
    added: Array
    """What the row adds up, in the metric."""
    known: Array
    """And beside it, at v₀."""

    @classmethod
    def of(cls, over: Array, numbers: Array, v: Array, lift: Array) -> _Rows:
        added = np.abs(over) @ np.linalg.norm(lift, axis=1)
        rows = over @ lift
        rows[np.linalg.norm(rows, axis=1) <= NOTHING * added] = 0.0
        return cls(rows, numbers - over @ v, added, np.abs(numbers) + np.abs(over) @ np.abs(v))

    @property
    def scale(self) -> Array:
        """What makes the rows one length; 0 for a row of zeros."""
        size = np.linalg.norm(self.rows, axis=1)
        return np.asarray(np.divide(1.0, size, out=np.zeros(len(size)), where=size > 0.0))

    def noise(self, y: Array) -> Array:
        """What rounding may do at y."""
        return np.asarray(MET * (self.known + self.added * float(np.linalg.norm(y))))


def least(tasks: Sequence[Row], limits: Sequence[Row], v: Array, lift: Array) -> Least | Conflict:
    """The shortest y for which v + lift · y meets tasks and keeps limits.

    Args:
        tasks: rows of which both ends are one.
        limits: rows with a low and a high end, infinite where open.
        v: the speeds that cost the least, shape (nv,).
        lift: how speeds follow y, shape (nv, m).
    """
    over = np.array([own.row for own in tasks]).reshape(len(tasks), len(v))
    own = _Rows.of(over, np.array([task.high for task in tasks], dtype=float), v, lift)
    which, signs, held = _one_sided(limits, v, lift)
    scaled = own.scale[:, None] * own.rows
    U, s, Vt = np.linalg.svd(scaled)
    rank = int(np.sum(s > DEPENDENT * np.max(s, initial=0.0)))
    start = Vt[:rank].T @ ((U[:, :rank].T @ (own.scale * own.room)) / s[:rank])
    off = np.abs(own.room - own.rows @ start) > own.noise(start)
    if off.any():
        against = _against(own, off, U[:, rank:])
        return Conflict(against, np.zeros(len(limits)), -float(against @ own.room))
    y, pressing = _inside(held, start, Vt[rank:].T)
    toward = held.rows.T @ pressing + (0.0 if y is None else y)
    against = -own.scale * (U[:, :rank] @ ((Vt[:rank] @ toward) / s[:rank]))
    signed = np.bincount(which, signs * pressing, minlength=len(limits))
    if y is None:
        return Conflict(against, signed, -float(against @ own.room + pressing @ held.room))
    return Least(y, against, signed, _following(scaled))


def _one_sided(limits: Sequence[Row], v: Array, lift: Array) -> tuple[Array, Array, _Rows]:
    """Every finite end as a row that must not exceed a number: of which limit, and its sign."""
    ends = [(i, sign) for i in range(len(limits)) for sign in (1.0, -1.0)]
    stated = [limits[i].high if sign > 0.0 else -limits[i].low for i, sign in ends]
    kept = [end for end, number in zip(ends, stated, strict=True) if np.isfinite(number)]
    over = np.array([sign * limits[i].row for i, sign in kept]).reshape(len(kept), len(v))
    numbers = np.array([number for number in stated if np.isfinite(number)], dtype=float)
    which = np.array([i for i, _ in kept], dtype=int)
    return which, np.array([sign for _, sign in kept]), _Rows.of(over, numbers, v, lift)


def _against(own: _Rows, off: Array, beside: Array) -> Array:
    """Multipliers of tasks that are off: of one that cannot be moved at all, else of a combination
    of which nothing can move.
    """
    still = np.flatnonzero(off & (own.scale == 0.0))
    if still.size:
        multipliers = np.zeros(len(off))
        multipliers[still[0]] = -np.sign(own.room[still[0]])
        return multipliers
    return np.asarray(-own.scale * (beside @ (beside.T @ (own.scale * own.room))))


def _inside(held: _Rows, start: Array, beside: Array) -> tuple[Array | None, Array]:
    """The shortest start + beside · z within limits, and their multipliers; None, and those of a
    contradiction, where there is none.

    What tasks determine may touch a limit: only there may rounding take it past.
    """
    rows, room, noise = held.rows @ beside, held.room - held.rows @ start, held.noise(start)
    size = np.linalg.norm(rows, axis=1)
    free = size > NOTHING * held.added
    pressing = np.zeros(len(room))
    wrong = np.flatnonzero(~free & (room < -noise))
    if wrong.size:
        pressing[wrong[0]] = 1.0
        return None, pressing
    G = rows[free] / size[free][:, None]
    found = shortest(G, room[free] / size[free])
    if not isinstance(found, Shortest):
        found = shortest(G, (room + noise)[free] / size[free])
    pressing[free] = found.multipliers / size[free]
    return start + beside @ found.z if isinstance(found, Shortest) else None, pressing


def _following(scaled: Array) -> tuple[int, ...]:
    """Rows of one length, or of none, that are combinations of those before them."""
    basis, found = np.zeros((0, scaled.shape[1])), list[int]()
    for at, row in enumerate(scaled):
        left = row - basis.T @ (basis @ row)
        left = left - basis.T @ (basis @ left)
        size = float(np.linalg.norm(left))
        if size > DEPENDENT:
            basis = np.vstack([basis, left / size])
        else:
            found.append(at)
    return tuple(found)
