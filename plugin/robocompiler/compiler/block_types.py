"""Pass: which blocks are alike, so that one code serves them all.

Alike are blocks of the same joints, in the same order, with the same speeds independent. Numbers
that differ from one to the next, such as lengths, become inputs of their code; those that all have
in common are constants in it, and vanish where they are zero or one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from robocompiler.compiler.alike import Alike, grouped, size_pattern, turn_pattern
from robocompiler.compiler.compiled import CompiledCoupling, CompiledMechanism
from robocompiler.equations.loops import Loop
from robocompiler.spatial import Array, Pose

MISFIT, EXACT_MISFIT, SPARE = 1e-5, 1e-9, 100.0
"""What rows that are not solved may be left with [rad, or m over the size]: the first where the
geometry is rounded, else the second, at least; and how many times what is left where it stands."""


@dataclass(frozen=True, slots=True, eq=False)
class BlockPlan:
    """Closures and couplings that are solved together, over their own coordinates and speeds."""

    name: str
    compiled: CompiledMechanism
    """Of the block's joints alone."""
    inputs: tuple[int, ...]
    """Independent speeds."""
    dependent: tuple[int, ...]
    """Those that follow, as many as the rank of the rows."""
    length: float
    """Size of the block [m]: what makes a length a number."""
    long_rows: tuple[bool, ...]
    """Which rows are lengths; the others are angles."""
    long_speeds: tuple[bool, ...]
    """Which speeds are."""
    q: Array
    """Where it stands closed, shape (nq,)."""
    coordinates: Array
    """Where its coordinates are in those of the whole mechanism."""
    whole: Array
    """Where its speeds are."""
    rows: tuple[int, ...]
    """Where its rows are."""
    misfit: float
    """Largest row that rounded geometry leaves at `q`, in one unit."""

    @property
    def allowed(self) -> float:
        """What rows that are not solved may be left with."""
        return min(MISFIT, max(EXACT_MISFIT, SPARE * self.misfit))

    @property
    def row_scales(self) -> Array:
        """What makes rows of lengths and angles one unit."""
        return np.where(self.long_rows, 1.0 / self.length, 1.0)

    @property
    def speed_scales(self) -> Array:
        """Likewise speeds."""
        return np.where(self.long_speeds, 1.0 / self.length, 1.0)

    @property
    def followers(self) -> tuple[int, ...]:
        """Speeds of joints whose couplings are eliminated."""
        return tuple(coupling.follower.v for coupling in self.compiled.eliminated)

    @property
    def known(self) -> tuple[int, ...]:
        """Speeds that are known beforehand: the independent ones, then those of tasks' places."""
        return (*self.inputs, *self.compiled.prescribed)

    @property
    def moving(self) -> tuple[int, ...]:
        """Speeds that are made of the independent ones."""
        return (*self.dependent, *self.followers)


BlockType = Alike[BlockPlan]
"""Blocks that one code serves. The constants of each are the entries of its loops' poses, one after
the other, then one over its size."""


def block_types(plans: Sequence[BlockPlan]) -> tuple[BlockType, ...]:
    """The types of some blocks, in the order of their first ones."""
    return grouped(plans, _constants, _structure)


def content_of(kind: BlockType) -> bytes:
    """All that code for a type is made of: what is the same has the same code."""
    numbers = [*kind.constants, *(np.append(p.q, p.misfit) for p in kind.plans)]
    shape = repr(_structure(kind.first, kind.constants[0])).encode()
    return shape + b"".join(np.ascontiguousarray(x, dtype=float).tobytes() for x in numbers)


def _structure(plan: BlockPlan, constants: Array) -> object:
    """What blocks of one type have in common, which of their constants are 0, 1 or -1 too, or are
    so nearly that only rounding can tell: those are inputs where blocks differ.
    """
    own = plan.compiled
    return (
        own.nq,
        tuple((t.edge.joint.kind, t.edge.joint.pitch, t.prescribed) for t in own.tree),
        tuple(
            (closure.kind, closure.chord.joint.pitch, _way(closure.loop))
            for closure in own.closures
        ),
        tuple(_terms(coupling) for coupling in own.couplings),
        tuple(_terms(coupling) for coupling in own.eliminated),
        plan.inputs,
        plan.dependent,
        plan.long_rows,
        plan.long_speeds,
        _pattern(constants),
    )


def _pattern(constants: Array) -> bytes:
    """Where a block's constants are 0, and entries of rotations 1 or -1, all but for rounding."""
    poses = np.array(constants[:-1], dtype=float).reshape(-1, 12)
    return turn_pattern(poses[:, :9]) + size_pattern(poses[:, 9:])


def _way(loop: Loop) -> object:
    return tuple((c.kind, c.pitch, c.backwards, c.q.start, c.v.start) for c in loop.crossings)


def _terms(coupling: CompiledCoupling) -> object:
    return tuple((ref.q, ref.v, c) for ref, c in coupling.terms), coupling.offset


def _poses(compiled: CompiledMechanism) -> Iterator[Pose]:
    for closure in compiled.closures:
        yield from (crossing.before for crossing in closure.loop.crossings)
        yield closure.loop.after


def _constants(plan: BlockPlan) -> Array:
    """The entries of all poses of the loops."""
    poses = [np.concatenate([X.R.ravel(), X.p]) for X in _poses(plan.compiled)]
    return np.concatenate([*poses, [1.0 / plan.length]])


def with_constants(compiled: CompiledMechanism, constants: Array) -> CompiledMechanism:
    """A block with other entries in the poses of its loops, numbers or symbols."""
    entries = iter(np.reshape(constants[:-1], (-1, 12)))

    def pose() -> Pose:
        own = next(entries)
        return Pose(_plain(own[:9]).reshape(3, 3), _plain(own[9:]))

    def loop(old: Loop) -> Loop:
        crossings = tuple(replace(crossing, before=pose()) for crossing in old.crossings)
        return Loop(crossings, pose())

    return replace(
        compiled, closures=tuple(replace(c, loop=loop(c.loop)) for c in compiled.closures)
    )


def _plain(entries: Array) -> Array:
    """Floats where all entries are."""
    return entries.astype(float) if all(isinstance(x, float) for x in entries) else entries
