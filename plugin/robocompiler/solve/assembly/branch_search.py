"""Assemblies of one module, searched for from many starts at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.elimination import followed
from robocompiler.compiler.modules import leaders_first
from robocompiler.errors import raise_all
from robocompiler.model.joint_kinds import Factor
from robocompiler.solve.assembly.bringing import excess_faults
from robocompiler.solve.assembly.closed_form import assemblies_known
from robocompiler.solve.continuation.constants import MISFIT
from robocompiler.solve.continuation.corrector import correct, polish
from robocompiler.solve.continuation.holding import held_place
from robocompiler.solve.system import System
from robocompiler.solve.values import Numbers
from robocompiler.spatial import Array

TURN = 2.0 * np.pi
SAME = 1e-6
"""Motion in one unit by which two assemblies are told apart."""
REACH = 3.0
"""Sliding joints start within this many sizes of their module from where they stand."""
MIRRORED = 4096
"""At most so many mirrored starts are tried: each assembly found has three for every free speed."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What was found for one module."""

    system: System
    assemblies: tuple[Array, ...]
    starts: int
    converged: int
    beyond: int
    complete: bool
    held: tuple[str, ...]


def search(system: System, drawn: Array, q: Array, asked: Numbers, starts: int) -> Found:
    """Assemblies with the independent joints where they are at q, that from the drawn one first.

    Args:
        system: the module.
        drawn: closed, as drawn, shape (nq,).
        q: the same with joints at their values.
        asked: values by joint name; what they leave undetermined is held as drawn.
        starts: how many starts to spread.
    """
    own = [name for name in asked if system.speeds_of(name)]
    place = held_place(system, drawn, own)
    raise_all(excess_faults(system, place, own))
    hold = place.hold
    seen = _Seen(system, q, hold.free)
    begun = _held_at(system, drawn, q, hold.held)[None]
    tried = seen.close(np.concatenate([begun, _spread(system, q, hold.free, starts)]))
    if seen.count:  # those mirrored from what the spread starts found
        tried += seen.close(_mirrored(system, seen.found, q, hold.free)[:MIRRORED])
    inside = [at for at in seen.found if _allowed(system, at)]
    known = assemblies_known(system, q, hold.held)
    return Found(
        system=system,
        assemblies=tuple(inside),
        starts=tried,
        converged=seen.converged,
        beyond=seen.count - len(inside),
        complete=known is not None and seen.count == known,
        held=system.own_joints(hold.held),
    )


class _Seen:
    """The different assemblies that starts ended on, in the order they were found."""

    def __init__(self, system: System, near: Array, free: Sequence[int]) -> None:
        self.system, self.near, self.free = system, near, free
        self.turning = [speed for _, speed in _turning(system)]
        self.found = np.zeros((0, len(near)))
        self.converged = 0

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.found)

    def close(self, batch: Array) -> int:
        """Close a batch of starts, shape (n, nq), and keep what is new: n."""
        closed = correct(self.system, batch, self.free)
        for at in closed.q[np.atleast_1d(closed.misfit) <= MISFIT]:
            # Most end on one found before, which the polish need not tell.
            if self._known(at):
                self.converged += 1
            elif not self.system.turned_over(at):
                self.converged += 1
                self._keep(polish(self.system, at, self.free).q)
        return len(batch)

    def _keep(self, at: Array) -> None:
        wound = _wound(self.system, at, self.near, self.free)
        if not self._known(wound):
            self.found = np.concatenate([self.found, wound[None]])

    def _known(self, at: Array) -> bool:
        """Whether it is one of those found, but for whole turns."""
        apart = self.system.apart(np.broadcast_to(at, self.found.shape), self.found)
        turned = apart[:, self.turning]
        apart[:, self.turning] = np.remainder(turned + np.pi, TURN) - np.pi
        return bool(np.any(np.max(np.abs(apart), axis=-1, initial=0.0) <= SAME))


def _allowed(system: System, q: Array) -> bool:
    """Whether every joint, in the tree or cut, is within its limits."""
    return not np.any(system.beyond(q) > MISFIT) and system.cut_at_limit(q, MISFIT) is None


def _held_at(system: System, drawn: Array, q: Array, held: Sequence[int]) -> Array:
    """The drawn state with the held joints at their values."""
    moved = np.array(drawn)
    for t in system.compiled.tree:
        if set(range(t.v.start, t.v.stop)) & set(held):
            moved[t.q] = q[t.q]
    return followed(system.compiled, moved)


def _spread(system: System, q: Array, free: Sequence[int], count: int) -> Array:
    """Starts of the free speeds, all over their range: shape (count, nq).

    Kronecker's sequence of the root of x^(d+1) = x + 1 (M. Roberts), which leaves no hole.
    """
    root = 2.0
    for _ in range(40):
        root = (1.0 + root) ** (1.0 / (len(free) + 1))
    steps = root ** -np.arange(1.0, len(free) + 1.0)
    shares = (0.5 + np.arange(1, count + 1)[:, None] * steps) % 1.0
    delta = np.zeros((count, system.compiled.nv))
    turns = [
        factor.is_turn
        for t in system.compiled.tree
        for factor in t.edge.joint.kind.factors
        for _ in range(factor.nv)
    ]
    reach = np.where(turns, np.pi, REACH)[list(free)]
    delta[:, list(free)] = (2.0 * shares - 1.0) * reach
    return system.move(np.broadcast_to(q, (count, len(q))), delta)


def _mirrored(system: System, found: Array, q: Array, free: Sequence[int]) -> Array:
    """Starts opposite assemblies (n, nq): all free joints turned round, and each by itself.

    First one of each assembly, then the next of each: where the last are left out, none lacks all.
    """
    away = system.apart(np.broadcast_to(q, found.shape), found)
    opposite = np.zeros_like(away)
    opposite[:, list(free)] = -2.0 * away[:, list(free)]
    starts = [system.move(found, opposite)]
    for i in free:
        for turn in (np.pi / 2.0, -np.pi / 2.0, np.pi):
            one = np.zeros_like(away)
            one[:, i] = turn
            starts.append(system.move(found, one))
    return np.concatenate(starts)


def _turning(system: System) -> list[tuple[int, int]]:
    """Coordinate and speed of everything that is an angle of one number."""
    pairs = []
    for t in system.compiled.tree:
        q, v = t.q.start, t.v.start
        for factor in t.edge.joint.kind.factors:
            if factor.is_turn and factor not in (Factor.ROTATION, Factor.HELIX_Z):
                pairs.append((q, v))
            q, v = q + factor.nq, v + factor.nv
    return pairs


def _wound(system: System, at: Array, near: Array, free: Sequence[int]) -> Array:
    """The same state with whole turns of its free angles taken off, nearest to `near`.

    As it is where only so it is within limits.
    """
    own = set(free)
    turns = {q: np.round((at[q] - near[q]) / TURN) for q, v in _turning(system) if v in own}
    wound = np.array(at)
    for q, count in _with_followers(system, turns).items():
        wound[q] -= TURN * count
    return wound if _allowed(system, wound) or not _allowed(system, at) else at


def _with_followers(system: System, turns: dict[int, float]) -> dict[int, float]:
    """Whole turns by coordinate that keep every coupling: followers turn by what leaders do.

    None of what is coupled where some follower would not turn by a whole number.
    """
    couplings = leaders_first((*system.compiled.couplings, *system.compiled.eliminated))
    able = {*turns, *(c.follower.q for c in system.compiled.eliminated if c.follower.turns)}
    kept = dict(turns)
    for coupling in couplings:
        led = zip(coupling.leaders, coupling.ratios, strict=True)
        follows = float(sum(ratio * kept.get(ref.q, 0.0) for ref, ratio in led))
        whole = abs(follows - np.round(follows)) <= SAME and coupling.follower.q in able
        if follows and not whole:
            tied = {ref.q for c in couplings for ref, _ in c.terms}
            return {q: count for q, count in turns.items() if q not in tied}
        kept[coupling.follower.q] = float(np.round(follows))
    return kept
