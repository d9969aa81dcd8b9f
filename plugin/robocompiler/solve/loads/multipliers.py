"""What loops and couplings hold with: Kᵀ λ = r, and what of λ nothing determines.

Couplings that are eliminated are rows here as the others are, so that λ does not depend on how the
mechanism was compiled. Speeds that are prescribed take what comes, and have no equation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.compiled import CompiledCoupling, CompiledMechanism, Module
from robocompiler.compiler.modules import connected
from robocompiler.equations.loops import around, loop_columns
from robocompiler.equations.residuals import closure_gradient, row_is_length
from robocompiler.solve.closure import RANK_TOLERANCE, length_scale, speed_scales
from robocompiler.solve.reduction.checks import first_of
from robocompiler.solve.state import evaluate
from robocompiler.spatial import Array, Pose, apply


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """A cut joint: where it stands, and how it holds."""

    X_FM: Pose
    gradient: Array
    """How its rows follow from M's motion against F, shape (…, rows, 6)."""
    rows: slice
    """Among those of `Holds`."""


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Closures and couplings that share speeds."""

    rows: list[int]
    joints: tuple[int, ...]
    """Of the tree."""
    closures: tuple[int, ...]
    speeds: list[int]
    length: float
    """Size of what they tie together [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class Holds:
    """All rows of a mechanism at some configurations: closures, couplings, eliminated ones."""

    compiled: CompiledMechanism
    closures: tuple[Held, ...]
    couplings: tuple[CompiledCoupling, ...]
    """Their rows are the last ones, one each."""
    K: Array
    """Shape (…, rows, nv)."""
    is_force: Array
    """Which multipliers are forces [N]; the others are torques [N m]. Shape (rows,)."""
    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Multipliers:
    """λ of Kᵀ λ = r."""

    some: Array
    """One of them, shape (…, rows)."""
    free: Array
    """Combinations that do nothing, each of size one as forces, and zeros where a configuration of
    a batch has fewer, shape (combinations, …, rows)."""


def holds_at(compiled: CompiledMechanism, q: Array) -> Holds:
    """What holds a mechanism at q, shape (…, nq)."""
    closures: list[Held] = []
    rows, lengths = list[Array](), list[bool]()
    for closure in compiled.closures:
        at, kind = around(closure.loop, q), closure.kind
        G = closure_gradient(kind, at.X_FM, closure.chord.joint.pitch)
        start = len(lengths)
        lengths += row_is_length(kind)
        closures.append(Held(at.X_FM, G, slice(start, len(lengths))))
        rows.append(G @ loop_columns(at, compiled.nv))
    couplings = (*compiled.couplings, *compiled.eliminated)
    for coupling in couplings:
        row = np.zeros((*q.shape[:-1], 1, compiled.nv))
        for ref, coefficient in coupling.terms:
            row[..., 0, ref.v] = coefficient
        rows.append(row)
        lengths.append(not coupling.follower_turns)
    K = np.concatenate([np.zeros((*q.shape[:-1], 0, compiled.nv)), *rows], axis=-2)
    groups = _groups(compiled, q, closures, couplings)
    return Holds(compiled, tuple(closures), couplings, K, np.array(lengths, dtype=bool), groups)


def _groups(
    compiled: CompiledMechanism,
    q: Array,
    closures: list[Held],
    couplings: tuple[CompiledCoupling, ...],
) -> tuple[Group, ...]:
    """Closures and couplings by the speeds they share; sizes are those at the first of a batch."""
    joints = [set(closure.path) for closure in compiled.closures]
    joints += [{ref.tree_joint for ref, _ in coupling.terms} for coupling in couplings]
    free = {i for i, joint in enumerate(compiled.tree) if not joint.prescribed}
    state = evaluate(compiled, first_of(q, "Joint loads"))
    first = closures[-1].rows.stop if closures else 0
    rows = [*(range(held.rows.start, held.rows.stop) for held in closures)]
    rows += [range(first + i, first + i + 1) for i in range(len(couplings))]
    found = []
    for touched, items in connected([each & free for each in joints]):
        chords = tuple(i for i in items if i < len(closures))
        size = length_scale(compiled, state, Module("", chords, (), tuple(sorted(touched))))
        tree = (compiled.tree[i] for i in sorted(touched))
        speeds = [i for joint in tree for i in range(joint.v.start, joint.v.stop)]
        own = [row for i in items for row in rows[i]]
        found.append(Group(own, tuple(sorted(touched)), chords, speeds, size))
    return tuple(found)


def multipliers(holds: Holds, needed: Array) -> Multipliers:
    """λ of Kᵀ λ = r, for r of shape (…, nv), and what may be added to it."""
    some = np.zeros((*needed.shape[:-1], holds.K.shape[-2]))
    free = [np.zeros((0, *some.shape))]
    for group in holds.groups:
        some[..., group.rows], nothing = _solved(holds, group, needed)
        own = np.zeros((len(nothing), *some.shape))
        own[..., group.rows] = nothing
        free.append(own)
    return Multipliers(some, np.concatenate(free))


def _solved(holds: Holds, group: Group, needed: Array) -> tuple[Array, Array]:
    """λ of a group's rows (…, rows), and combinations that do nothing (combinations, …, rows)."""
    size = np.where(holds.is_force[group.rows], 1.0, group.length)  # λ = size · force
    turns = speed_scales(holds.compiled, 2.0)[group.speeds] == 1.0
    arm = np.where(turns, group.length, 1.0)
    K = holds.K[..., group.rows, :][..., group.speeds] * size[:, None] / arm
    U, s, Vt = np.linalg.svd(K, full_matrices=True)
    count = s.shape[-1]
    kept = s > RANK_TOLERANCE * np.max(s, axis=-1, initial=1.0, keepdims=True)
    inverse = np.where(kept, 1.0 / np.where(kept, s, 1.0), 0.0)

    def solved(right: Array) -> Array:
        along = inverse * apply(Vt[..., :count, :], right)
        return apply(U[..., :, :count], along)

    r = needed[..., group.speeds] / arm
    y = solved(r)
    y = y + solved(r - apply(np.swapaxes(K, -1, -2), y))  # less what rounding leaves
    held = np.zeros((*kept.shape[:-1], len(group.rows)), dtype=bool)
    held[..., :count] = kept
    first = int(np.min(np.sum(held, axis=-1), initial=len(group.rows)))
    N = U[..., :, first:] * ~held[..., None, first:]
    nothing = np.moveaxis(N * size[:, None], -1, 0)
    return y * size, np.broadcast_to(nothing, (len(nothing), *needed.shape[:-1], len(size)))
