"""Symmetric positive definite matrices of symbols, as L D Lᵀ: no pivots are sought or needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from robocompiler.codegen.graph import Symbol
from robocompiler.spatial import Array

DEFINITE = 1e-13
"""What a pivot must be at least of what stands on the diagonal there, for its answer to have any
digit."""
LOST = 1e-14
"""What a pivot must be at least of what was taken from its diagonal before, which rounding left."""


@dataclass(frozen=True, slots=True, eq=False)
class Definite:
    """A matrix that is factored."""

    lower: tuple[tuple[tuple[int, Symbol], ...], ...]
    """Of each column what of L is below the diagonal and not zero, and its row."""
    inverse: tuple[Symbol, ...]
    """One over each entry of D."""
    sound: Symbol | None
    """A test: whether it is positive definite. None for a matrix of no entries."""

    @staticmethod
    def of(matrix: Array, whole: Sequence[Symbol | float] = ()) -> Definite:
        """Factor a symmetric matrix of symbols (n, n).

        Args:
            matrix: the matrix.
            whole: how large each entry of its diagonal was before most of it was taken away; () for
                nothing.
        """
        left, lower, inverse = matrix.copy(), list[tuple[tuple[int, Symbol], ...]](), list[Symbol]()
        sound: Symbol | None = None
        for k in range(len(matrix)):
            pivot = left[k, k]
            test = pivot > DEFINITE * matrix[k, k]
            if whole:
                test = test.both(pivot > LOST * whole[k])
            sound = test if sound is None else sound.both(test)
            inverse.append(1.0 / pivot)
            column = [(i, left[i, k]) for i in range(k + 1, len(matrix))]
            there = [(i, entry) for i, entry in column if entry.constant != 0.0]
            factors = [(i, entry * inverse[k]) for i, entry in there]
            for i, factor in factors:
                for j, entry in there:
                    if j <= i:
                        left[i, j] = left[i, j] - factor * entry
            lower.append(tuple(factors))
        return Definite(tuple(lower), tuple(inverse), sound)

    def solve(self, right: Sequence[Symbol]) -> list[Symbol]:
        """x with A x = right."""
        x: list[Symbol] = list(right)
        for k, column in enumerate(self.lower):
            for i, factor in column:
                x[i] = x[i] - factor * x[k]
        x = [entry * inverse for entry, inverse in zip(x, self.inverse, strict=True)]
        for k in reversed(range(len(x))):
            for i, factor in self.lower[k]:
                x[k] = x[k] - factor * x[i]
        return x
