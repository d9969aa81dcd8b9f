"""The ways a mechanism can be assembled with some joints at given values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.modules import leaders_first
from robocompiler.errors import BadValueError, MechanismError, raise_all
from robocompiler.model.configuration import Configuration
from robocompiler.model.joint_kinds import Factor, JointKind
from robocompiler.solve.assembly.assemble import assemble, put_loop_free
from robocompiler.solve.assembly.bringing import excess_faults
from robocompiler.solve.assembly.carrying import carry_over, keeping
from robocompiler.solve.continuation.constants import MISFIT
from robocompiler.solve.continuation.corrector import correct, polish
from robocompiler.solve.continuation.holding import held_place
from robocompiler.solve.describe import coordinates, describe
from robocompiler.solve.elimination import followed
from robocompiler.solve.state import evaluate
from robocompiler.solve.system import System, systems_of
from robocompiler.solve.values import Numbers, Values, read_values
from robocompiler.spatial import Array

Progress = Callable[[int, int], None]

TURN = 2.0 * np.pi
SAME = 1e-6
"""Motion in one unit by which two assemblies are told apart."""
MOST = 4096
"""So many combinations of the modules' assemblies are given at most."""
REACH = 3.0
"""Sliding joints start within this many sizes of their module from where they stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Branches:
    """Assemblies of a mechanism."""

    configurations: tuple[Configuration, ...]
    """Those found, the one on the drawn branch first where the values are in its reach."""
    starts: int
    """How many starts were tried."""
    converged: int
    """How many of them closed, those counted that ended on an assembly found before."""
    beyond_limits: int
    """Assemblies found that no limit of a joint allows, and that are left out."""
    complete: bool
    """Whether these are all there are: claimed only where a closed form says how many."""
    held: tuple[str, ...]
    """Independent joints, held at their values or where they stand."""
    tried: str
    """What was tried, in words."""


def branches(
    compiled: CompiledMechanism,
    values: Values | None = None,
    *,
    starts: int = 256,
    progress: Progress | None = None,
) -> Branches:
    """Find assemblies with the independent joints at their values.

    Every module by itself: damped Newton from many starts of the dependent joints at once, spread
    by Kronecker's sequence of the generalized golden ratio, and from each assembly found with its
    joints mirrored. The same starts on every call.

    Args:
        compiled: the mechanism.
        values: coordinates of joints [m, rad, quaternion], by name; other independent joints stay
            where they are as drawn.
        starts: how many starts for each module.
        progress: told how many modules of how many are done.

    Raises:
        OverdeterminedError: more values than the loops have freedoms.
        UnreachableError: a value of a joint on no loop that is outside its limits.
        UnknownNameError, BadValueError: as `assemble`, or a number of starts that is none.
    """
    if not isinstance(starts, int) or starts < 1:
        raise BadValueError("branches", "starts", str(starts), "a whole number, 1 or more")
    wanted = keeping(compiled, values or {})
    if wanted is not compiled:
        other = branches(wanted, values, starts=starts, progress=progress)
        carried = tuple(carry_over(compiled, own) for own in other.configurations)
        return replace(other, configurations=carried)
    must, want = read_values(compiled, values or {})
    asked = {**want, **must}
    drawn = coordinates(compiled, assemble(compiled))
    faults = list[MechanismError]()
    q = put_loop_free(compiled, drawn, must, want, faults, [])
    raise_all(faults)
    for tree_joint in (compiled.tree[i] for m in compiled.modules for i in m.joints):
        if tree_joint.edge.joint.name in asked:
            q[tree_joint.q] = asked[tree_joint.edge.joint.name]
    q = followed(compiled, q)
    found = list[_Found]()
    for s in systems_of(compiled):
        found.append(_of_module(s, s.of(drawn), s.of(q), asked, starts))
        if progress is not None:
            progress(len(found), len(compiled.modules))
    gaps = {c.name: (0.0, 0.0) for c in compiled.closures}
    configurations = []
    for choice in itertools.islice(itertools.product(*(f.assemblies for f in found)), MOST):
        for f, own in zip(found, choice, strict=True):
            q = f.system.into(q, own)
        configurations.append(describe(compiled, q, gaps))
    return Branches(
        configurations=tuple(configurations),
        starts=sum(f.starts for f in found),
        converged=sum(f.converged for f in found),
        beyond_limits=sum(f.beyond for f in found),
        complete=_ways(found) <= MOST and all(f.complete for f in found),
        held=tuple(dict.fromkeys(name for f in found for name in f.held)),
        tried=_said(found),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """What was found for one module."""

    system: System
    assemblies: tuple[Array, ...]
    starts: int
    converged: int
    beyond: int
    complete: bool
    held: tuple[str, ...]


def _said(found: Sequence[_Found]) -> str:
    lines = [
        f"loop '{f.system.module.name}': {f.starts} starts, {f.converged} closed, "
        f"{len(f.assemblies)} assemblies"
        + (f", {f.beyond} more beyond limits" if f.beyond else "")
        + (", which are all" if f.complete else ", there may be more")
        for f in found
    ]
    if _ways(found) > MOST:
        lines.append(f"of their {_ways(found):.6g} combinations only {MOST} are given")
    return "; ".join(lines)


def _ways(found: Sequence[_Found]) -> int:
    """In how many ways the modules' assemblies combine."""
    return math.prod(len(f.assemblies) for f in found)


def _of_module(system: System, drawn: Array, q: Array, asked: Numbers, starts: int) -> _Found:
    own = [name for name in asked if system.speeds_of(name)]
    place = held_place(system, drawn, own)
    raise_all(excess_faults(system, place, own))
    hold = place.hold
    names = system.own_joints(hold.held)
    found: list[Array] = []
    tried = converged = 0
    batch = np.concatenate(
        [_held_at(system, drawn, q, hold.held)[None], _spread(system, q, hold.free, starts)]
    )
    for _ in range(2):  # the spread starts, then those mirrored from what they found
        closed = correct(system, batch, hold.free)
        tried += len(batch)
        for at, misfit in zip(closed.q, np.atleast_1d(closed.misfit), strict=True):
            if misfit > MISFIT or system.turned_over(at):
                continue
            at = _wound(system, polish(system, at, hold.free).q, q, hold.free)
            converged += 1
            if not any(_alike(system, at, other) for other in found):
                found.append(at)
        if not found:
            break
        batch = np.array([m for at in found for m in _mirrored(system, at, q, hold.free)])
    inside = [at for at in found if _allowed(system, at)]
    count = _closed_form(system, q, hold.held)
    complete = count is not None and len(found) == count
    return _Found(
        system, tuple(inside), tried, converged, len(found) - len(inside), complete, names
    )


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


def _mirrored(system: System, at: Array, q: Array, free: Sequence[int]) -> list[Array]:
    """Starts opposite an assembly: all free joints turned round, and each by itself."""
    away = system.apart(q, at)
    opposite = np.zeros_like(away)
    opposite[list(free)] = -2.0 * away[list(free)]
    starts = [system.move(at, opposite)]
    for i in free:
        one = np.zeros_like(away)
        one[i] = np.pi / 2.0
        starts += [system.move(at, one), system.move(at, -one), system.move(at, 2.0 * one)]
    return starts


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


def _alike(system: System, a: Array, b: Array) -> bool:
    apart = system.apart(a, b)
    for _, v in _turning(system):
        apart[v] = np.remainder(apart[v] + np.pi, TURN) - np.pi
    return bool(np.max(np.abs(apart)) <= SAME)


def _closed_form(system: System, q: Array, held: Sequence[int]) -> int | None:
    """How many assemblies a planar four-bar or slider-crank has: two, where a closed form says so.

    One loop of four joints, all about one direction or sliding across it, one of them held: what
    is left is a triangle of three pins, or of two and a slide.
    """
    own = system.compiled
    edges = [t.edge for t in own.tree] + [c.chord for c in own.closures]
    kinds = sorted(edge.joint.kind.value for edge in edges)
    planar = kinds in (["revolute"] * 4, ["prismatic", *["revolute"] * 3])
    if len(own.closures) != 1 or own.couplings or len(held) != 1 or not planar:
        return None
    state = evaluate(own, q)
    axes = {e.joint.name: (state.poses[e.parent] @ e.X_PF).R[:, 2] for e in edges}
    pins = [axes[e.joint.name] for e in edges if e.joint.kind is JointKind.REVOLUTE]
    slides = [axes[e.joint.name] for e in edges if e.joint.kind is JointKind.PRISMATIC]
    flat = all(np.linalg.norm(np.cross(pins[0], p)) < 1e-9 for p in pins)
    across = all(abs(pins[0] @ s) < 1e-9 for s in slides)
    return 2 if flat and across else None
