"""Kangaroo: what is local to a cycle against what goes through the whole robot (C11, T6)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from figure import Figure, at_most, shown, skipped
from timing import interleaved

import robocompiler as rc
from generated_figures.exactness import emitters
from generated_figures.world import Whole, dense, folded
from linkages.robots import kangaroo
from robocompiler.codegen.emitters import emitter_named
from robocompiler.compiler.steps import step
from robocompiler.spatial import Array

STATES = 8
OFF = 0.05
"""How far [m, rad] each coordinate is from the closed state."""
EQUAL = 1e-12
LEAST = -0.97
"""Change of time, at least."""


def evaluation() -> Iterator[Figure]:
    """Residual and Jacobian by each emitter, at states off the closed one; the fastest is gated."""
    try:
        compiled = rc.compile(kangaroo())
    except pytest.skip.Exception:
        yield skipped("Kangaroo: cycle-local against whole-robot evaluation", "no record")
        return
    here = rc.assemble(compiled)
    q = rc.coordinates(compiled, here)
    delta = np.random.default_rng(2026092607).uniform(-OFF, OFF, (STATES, compiled.nv))
    states = step(compiled, np.tile(q, (STATES, 1)), delta)
    for emitter in emitters():
        yield from _by(rc.bind(compiled, near=here, emitter=emitter), emitter, states)


def _by(bound: rc.Bound, emitter: str, states: Array) -> Iterator[Figure]:
    compiled = bound.compiled
    whole = dense(compiled, emitter_named(emitter))
    known = folded(compiled, emitter_named(emitter))
    apart = max(_apart(bound, other, states) for other in (whole, known))
    yield at_most(f"Kangaroo, {emitter}: both ways to evaluate, apart", apart, EQUAL, "")
    candidates = {"whole": whole, "known": known, "local": bound.evaluate}
    times = interleaved(candidates, rounds=30)
    code = bound.code
    own = sum(
        len(kind.plans) * code.traced(i).graph.operations(code.kernel(i, "evaluate").results)
        for i, kind in enumerate(code.layout.types)
    )
    title = f"Kangaroo, {emitter}: residual and Jacobian, cycle-local over whole robot"
    for name, other in (("dense", whole), ("zeros dropped", known)):
        change = times["local"] / times["whole" if other is whole else "known"] - 1.0
        reference = f"paper -0.967; operations {own} for {other.operations}"
        judged = at_most(f"{title}, {name}", change, LEAST, reference)
        gated = other is whole and emitter == emitters()[0]
        yield judged if gated else shown(f"{title}, {name}", change, reference)
    for name, seconds in times.items():
        yield shown(f"Kangaroo, {emitter}: evaluation, {name} [us]", 1e6 * seconds, "")


def _apart(bound: rc.Bound, other: Whole, states: Array) -> float:
    """The largest difference of an entry."""
    worst = 0.0
    for q in states:
        bound.q[:] = other.q[:] = q
        bound.evaluate()
        other()
        worst = max(worst, float(np.max(np.abs(bound.residual - other.residual))))
        worst = max(worst, float(np.max(np.abs(bound.jacobian - other.jacobian))))
    return worst
