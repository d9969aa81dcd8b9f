"""Sparse elimination, ordered once: what is not zero at any state is all that is computed.

Pivots are chosen before anything runs, at sample states: of those that are large enough at every
sample, against what stands in their column, the one that fills in least (Markowitz). So no state is
searched, and whether the pivots are as large where it runs has to be watched (`pivots`).

Source: H. Markowitz, Management Science 3 (1957); threshold pivoting as I. Duff, A. Erisman,
J. Reid, Direct Methods for Sparse Matrices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.codegen.graph import Graph, Symbol
from robocompiler.errors import GenerationError
from robocompiler.spatial import Array

THRESHOLD = 0.1
"""What a pivot must be of the largest in its column, at every sample."""


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """A pivot and what it eliminates."""

    row: int
    column: int
    pivot: Symbol
    inverse: Symbol
    below: tuple[tuple[int, Symbol], ...]
    """Rows it is taken out of, and how many times its row is subtracted there."""
    beside: tuple[tuple[int, Symbol], ...]
    """Columns that are solved after it, and what they have in its row."""


@dataclass(frozen=True, slots=True, eq=False)
class Eliminated:
    """A square matrix of symbols, ready to be solved with."""

    stages: tuple[Stage, ...]
    typical: Array
    """How large each pivot is at a middling sample, in the unit of the samples, shape (n,)."""

    @property
    def pivots(self) -> tuple[Symbol, ...]:
        """In the order they are taken."""
        return tuple(stage.pivot for stage in self.stages)

    def solve(self, right: Sequence[Symbol]) -> list[Symbol]:
        """x with A x = right."""
        b: list[Symbol] = list(right)
        for stage in self.stages:
            for row, factor in stage.below:
                b[row] = b[row] - factor * b[stage.row]
        x: list[Symbol] = list(right)
        for stage in reversed(self.stages):
            total = b[stage.row]
            for column, entry in stage.beside:
                total = total - entry * x[column]
            x[stage.column] = total * stage.inverse
        return x


def eliminate(graph: Graph, matrix: Array, samples: Array) -> Eliminated:
    """Order the elimination of a square matrix.

    Args:
        graph: of its symbols.
        matrix: symbols or numbers, shape (n, n).
        samples: what it is at some states, rows and columns in one unit, shape (states, n, n).

    Raises:
        GenerationError: it is singular at a sample.
    """
    n = len(matrix)
    A = [[_symbol(graph, entry) for entry in row] for row in matrix]
    there = np.array([[entry.constant != 0.0 for entry in row] for row in A]).reshape(n, n)
    values, left = np.array(samples, dtype=float), (list(range(n)), list(range(n)))
    stages, typical = list[Stage](), np.zeros(n)
    for at in range(n):
        i, j = _pivot(values, there, A, left)
        typical[at] = float(np.median(np.abs(values[:, i, j])))
        for indices, own in zip(left, (i, j), strict=True):
            indices.remove(own)
        stages.append(_stage(graph, A, there, values, (i, j), left))
    return Eliminated(tuple(stages), typical)


def _symbol(graph: Graph, entry: Symbol | float) -> Symbol:
    return entry if isinstance(entry, Symbol) else graph.constant(float(entry))


def _pivot(
    values: Array, there: Array, A: list[list[Symbol]], left: tuple[list[int], list[int]]
) -> tuple[int, int]:
    """Row and column of the next pivot: the least fill, then a constant, then the largest."""
    rows, columns = left
    own = np.abs(values[:, rows][:, :, columns])
    here = there[np.ix_(rows, columns)]
    largest = own.max(axis=1, keepdims=True)
    share = np.min(own / np.maximum(largest, np.finfo(float).tiny), axis=0)
    able = here & (share >= THRESHOLD)
    if not able.any():
        able = here & (share == share.max(initial=0.0, where=here)) & (share > 0.0)
    if not able.any():
        raise GenerationError("what follows is not determined at the states it is generated for")
    fill = (here.sum(axis=1)[:, None] - 1) * (here.sum(axis=0)[None, :] - 1)
    best = np.argwhere(able & (fill == fill[able].min()))
    key = max(((A[rows[i]][columns[j]].constant is not None, share[i, j], -i, -j) for i, j in best))
    return rows[-key[2]], columns[-key[3]]


def _stage(
    graph: Graph,
    A: list[list[Symbol]],
    there: Array,
    values: Array,
    at: tuple[int, int],
    left: tuple[list[int], list[int]],
) -> Stage:
    """Take a pivot out of the rows that are left, which it changes."""
    i, j = at
    rows, columns = left
    pivot = A[i][j]
    inverse = graph.constant(1.0) / pivot
    beside = [c for c in columns if there[i, c]]
    below: list[tuple[int, Symbol]] = []
    for r in (r for r in rows if there[r, j]):
        factor = A[r][j] * inverse
        below.append((r, factor))
        for c in beside:
            A[r][c] = A[r][c] - factor * A[i][c]
            there[r, c] = A[r][c].constant != 0.0
        values[:, r, :] -= (values[:, r, j] / values[:, i, j])[:, None] * values[:, i, :]
    return Stage(i, j, pivot, inverse, tuple(below), tuple((c, A[i][c]) for c in beside))
