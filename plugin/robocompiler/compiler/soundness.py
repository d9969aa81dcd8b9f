"""What is tested of a block's state before generated code vouches for it."""

from __future__ import annotations

from functools import reduce

from robocompiler.codegen.graph import Symbol
from robocompiler.compiler.tracing import Traced
from robocompiler.spatial import Array

GUARD = 1e-3
"""What a pivot may shrink to, of what it is where it was chosen."""
FASTEST = 1e100
"""Speeds that are faster, or no numbers, are not vouched for."""
AGREES = 1e-4
"""Share of its speeds [rad/s, or sizes a second] by which a block may be torn where places move."""


def norm(own: Traced, vector: Array) -> Symbol:
    """Root sum of squares."""
    total: Symbol = reduce(lambda a, b: a + b * b, vector, own.graph.constant(0.0))
    return total.sqrt()


def closes_soundly(own: Traced, misfit: float) -> Symbol:
    """Whether pivots have kept their size, all other rows are met and no axis is turned over."""
    rows, shrunk = list(own.retained), own.graph.constant(0.0)
    for share in pivot_shares(own):
        shrunk = shrunk + share * share
    test = shrunk <= len(rows) / GUARD**2
    left = _left(own, own.phi)
    for held in (left <= misfit, *(entry > 0.0 for entry in own.upright)):
        test = test.both(held)
    return test


def moves_soundly(own: Traced, known: Array, speeds: Array) -> Symbol:
    """Whether speeds known beforehand are numbers, and no row is torn by places of tasks that move
    as nothing can follow: rows that are solved never are.
    """
    test = norm(own, known) <= FASTEST
    if not own.plan.compiled.prescribed:
        return test
    moving = [*own.plan.known, *own.plan.dependent]
    torn = _left(own, own.K[:, moving] @ speeds[moving])
    return test.both(torn <= AGREES * norm(own, speeds * own.speed_scales))


def _left(own: Traced, values: Array) -> Symbol:
    """What the rows that are not solved have, of a value of every row."""
    others = [i for i in range(len(own.phi)) if i not in own.retained]
    return norm(own, values[others] * own.row_scales[others])


def pivot_shares(own: Traced) -> list[Symbol]:
    """One over each pivot, over what that typically is."""
    dependent, retained = list(own.plan.dependent), list(own.retained)
    speeds, rows = own.speed_scales[dependent], own.row_scales[retained]
    return [
        stage.inverse * (typical * speeds[stage.column] / rows[stage.row])
        for stage, typical in zip(own.eliminated.stages, own.eliminated.typical, strict=True)
    ]
