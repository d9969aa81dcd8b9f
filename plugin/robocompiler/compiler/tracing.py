"""Run the equations of a block on symbols: rows, what follows from what, and by which pivots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.codegen.elimination import Eliminated, eliminate
from robocompiler.codegen.graph import Graph, Symbol
from robocompiler.codegen.kernels import STATE
from robocompiler.compiler.block_types import BlockPlan, BlockType, with_constants
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.elimination import followed
from robocompiler.compiler.rows import linearize
from robocompiler.compiler.steps import step
from robocompiler.equations.loops import around
from robocompiler.equations.residuals import holds_one_axis
from robocompiler.errors import GenerationError
from robocompiler.spatial import Array

SPREAD, SAMPLES = 0.15, 4
"""How far [rad, or m over the size] sample states are moved, and how many there are of a block."""
MOST_BLOCKS = 4
"""Of how many blocks of a type pivots are judged."""


@dataclass(frozen=True, slots=True, eq=False)
class Traced:
    """A type of block as symbols. Its input slots begin with coordinates, then parameters."""

    type: BlockType
    graph: Graph
    compiled: CompiledMechanism
    """Of one block, with symbols where the blocks differ."""
    q: Array
    """Its coordinates, followers where their leaders put them, shape (nq,)."""
    slots: Array
    """The input slots of all its coordinates, shape (nq,)."""
    row_scales: Array
    """What makes rows of lengths and angles one unit, shape (rows,)."""
    speed_scales: Array
    """Likewise speeds, shape (nv,)."""
    phi: Array
    """All rows, shape (rows,)."""
    K: Array
    """Their Jacobian where they are closed, shape (rows, nv), a follower's columns with its
    leaders'."""
    retained: tuple[int, ...]
    """Rows that are solved, as many as there are dependent speeds."""
    eliminated: Eliminated
    """K of these rows and the dependent speeds."""
    upright: tuple[Symbol, ...]
    """Of each cut joint that holds one axis: positive where it is the right way round."""

    @property
    def plan(self) -> BlockPlan:
        """Of the first of its blocks."""
        return self.type.first

    def solved(self, right: Array) -> Array:
        """x with K x = right, over the retained rows and the dependent speeds."""
        return np.array(self.eliminated.solve(list(right)), dtype=object)


def trace(kind: BlockType) -> Traced:
    """Trace a type of block, and order its elimination.

    Raises:
        GenerationError: what follows is not determined where its blocks stand.
    """
    graph, plan = Graph(), kind.first
    varying, nq = kind.varying, plan.compiled.nq
    constants = kind.constants[0].astype(object)
    constants[varying] = [graph.input(STATE, nq + i) for i in range(len(varying))]
    own = with_constants(plan.compiled, constants)
    slots = graph.inputs(STATE, nq)
    q = followed(own, slots)
    found = linearize(own, q, closed=True)
    phi, K = as_symbols(graph, found.residual), as_symbols(graph, found.jacobian)
    values = _scaled(kind, graph, K)
    retained = _retained_rows(values, plan.dependent)
    columns = list(plan.dependent)
    block = K[list(retained)][:, columns]
    return Traced(
        type=kind,
        graph=graph,
        compiled=own,
        q=q,
        slots=slots,
        row_scales=_scales(graph, plan.long_rows, constants[-1]),
        speed_scales=_scales(graph, plan.long_speeds, constants[-1]),
        phi=phi,
        K=K,
        retained=retained,
        eliminated=eliminate(graph, block, values[:, list(retained)][:, :, columns]),
        upright=tuple(_upright(graph, own, q)),
    )


def _scales(graph: Graph, long: Sequence[bool], one_over_size: Symbol | float) -> Array:
    return as_symbols(graph, np.array([one_over_size if is_length else 1.0 for is_length in long]))


def as_symbols(graph: Graph, array: Array) -> Array:
    """An array of symbols and numbers as one of symbols."""
    made = np.empty(array.shape, dtype=object)
    for at, entry in np.ndenumerate(array):
        made[at] = entry if isinstance(entry, Symbol) else graph.constant(float(entry))
    return made


def _scaled(kind: BlockType, graph: Graph, K: Array) -> Array:
    """K in one unit where the first blocks stand, and around there: (states, rows, nv)."""
    random = np.random.default_rng(46)
    rows, scales = list[Array](), list[Array]()
    for plan, parameters in zip(kind.plans[:MOST_BLOCKS], kind.parameters, strict=False):
        delta = random.uniform(-SPREAD, SPREAD, (SAMPLES, plan.compiled.nv)) / plan.speed_scales
        delta[0] = 0.0
        q = step(plan.compiled, np.tile(plan.q, (SAMPLES, 1)), delta)
        rows.append(np.concatenate([q, np.tile(parameters, (SAMPLES, 1))], axis=1))
        own = plan.row_scales[:, None] / plan.speed_scales
        scales.append(np.broadcast_to(own, (SAMPLES, *own.shape)))
    there = [at for at, entry in np.ndenumerate(K) if entry.constant != 0.0]
    values = np.zeros((sum(map(len, rows)), *K.shape))
    if there:
        entries: list[Symbol] = [entry for _, entry in np.ndenumerate(K) if entry.constant != 0.0]
        i, j = zip(*there, strict=True)
        values[:, i, j] = graph.evaluate(entries, {STATE: np.concatenate(rows)})
    return np.asarray(np.concatenate(scales) * values)


def _retained_rows(values: Array, dependent: Sequence[int]) -> tuple[int, ...]:
    """As many rows as there are dependent speeds, each the one with the most left of its own.

    Judged where the first block stands, closed: elsewhere redundant rows would count. A row of
    half the most is as good, so that the first of them is taken.
    """
    left, taken = np.array(values[0][:, list(dependent)]), list[int]()
    for _ in dependent:
        sizes = np.linalg.norm(left, axis=1)
        if not sizes.size or sizes.max() <= 1e-6:
            raise GenerationError("what follows is not determined where it stands")
        row = int(np.flatnonzero(sizes >= 0.5 * sizes.max())[0])
        taken.append(row)
        along = left[row] / sizes[row]
        left = left - np.outer(left @ along, along)
    return tuple(taken)


def _upright(graph: Graph, compiled: CompiledMechanism, q: Array) -> Iterator[Symbol]:
    for closure in compiled.closures:
        if holds_one_axis(closure.kind):
            entry = around(closure.loop, q).X_FM.R[2, 2]
            yield entry if isinstance(entry, Symbol) else graph.constant(float(entry))
