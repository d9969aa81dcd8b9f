"""Generated code against the reference that it was traced from, at states that the reference made.

Relative: the largest difference of an array over its largest entry in the reference, or over 1
where that is greater; so an array of small entries is judged by rounding of numbers near 1. The
curvature is quadratic in the speeds, so that its scale is also the square of the largest of them;
and it is a sum of products with the inverse of the dependent block, so that its scale is also the
largest sum of their absolute values. Where the condition of that block is below a tenth, whoever
computes with it loses that many digits: the difference is then judged as a tenth would have it.
What it is otherwise is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from figure import Figure, at_most, shown, skipped

import robocompiler as rc
from linkages.known import MOVES, TABLE
from linkages.robots import FEET, go2, kangaroo
from linkages.stewart import stewart
from robocompiler.codegen.llvm.target import available
from robocompiler.compiler.rows import curvature_rows, linearize
from robocompiler.compiler.steps import step
from robocompiler.solve.continuation.corrector import close_module
from robocompiler.solve.reduction.reduce import reduce
from robocompiler.spatial import Array

MOST = 1e-14
"""Relative."""
ARRAYS = ("residual", "Jacobian", "lift", "curvature")
OPEN, ELSEWHERE = 0.1, 0.05
"""How far [m, rad] open states are off, and how far independent speeds go to other closed ones."""
CLOSED = 1e-14
"""The largest row [m, rad] of a closed state: the lift changes by as much."""
STATES = 3
"""Closed states around each that is given, and open ones."""
ROBOTS: Mapping[str, Callable[[], rc.Mechanism]] = {
    "Kangaroo": kangaroo,
    "Go2": lambda: go2(FEET),
}


@dataclass
class Worst:
    """The largest difference of each array, and of which mechanism."""

    found: dict[str, tuple[float, str]] = field(default_factory=dict)
    mechanisms: int = 0
    states: int = 0
    left: float = 0.0
    """The largest row of any closed state."""

    def see(
        self,
        array: str,
        mechanism: str,
        ours: Array,
        theirs: Array,
        scale: float = 1.0,
        share: float = 1.0,
    ) -> None:
        """One array at one state; `share` is what of the difference counts."""
        size = max(1.0, scale, float(np.max(np.abs(theirs), initial=0.0)))
        value = share * float(np.max(np.abs(ours - theirs), initial=0.0)) / size
        if not value <= self.found.get(array, (-1.0, ""))[0]:  # NaN is kept
            self.found[array] = value, mechanism

    def figures(self, title: str) -> Iterator[Figure]:
        """A row for each array."""
        for array in ARRAYS:
            value, mechanism = self.found[array]
            yield at_most(f"{title}: {array}", value, MOST, f"worst: {mechanism}")
        for array in self.found.keys() - set(ARRAYS):
            value, mechanism = self.found[array]
            yield shown(f"{title}: {array}", value, f"worst: {mechanism}")


def emitters() -> tuple[str, ...]:
    """Those that there are."""
    return ("machine", "python") if available() else ("python",)


def mechanisms() -> Iterator[Figure]:
    """Every mechanism of the tests, as drawn and where it is driven to."""
    for emitter in emitters():
        worst = Worst()
        for name, (mechanism, _) in TABLE.items():
            judge(worst, name, mechanism, emitter)
        for name, (drawings, driven) in MOVES.items():
            judge(worst, name, drawings[0], emitter, _driven(drawings[1], driven), driven)
        judge(worst, "Stewart, 24 coordinates", stewart(chart=True), emitter)
        title = f"{emitter}, {worst.mechanisms} mechanisms, {worst.states} states"
        yield from worst.figures(title)
        yield shown(f"{title}: largest row where they are closed [m, rad]", worst.left)


def robots() -> Iterator[Figure]:
    """Kangaroo, and Go2 on its feet."""
    for name, make in ROBOTS.items():
        try:
            mechanism = make()
        except pytest.skip.Exception:
            yield skipped(f"{name} against the reference", "no record")
            continue
        for emitter in emitters():
            worst = Worst()
            judge(worst, name, mechanism, emitter)
            yield from worst.figures(f"{emitter}, {name}, {worst.states} states")


def _driven(mechanism: rc.Mechanism, names: Sequence[str]) -> dict[str, float]:
    """Where some joints stand in a drawing."""
    drawn = rc.assemble(rc.compile(mechanism))
    return {name: drawn.of(name)[0] for name in names}


def judge(
    worst: Worst,
    name: str,
    mechanism: rc.Mechanism,
    emitter: str,
    driven: Mapping[str, float] | None = None,
    independent: Sequence[str] = (),
) -> None:
    """One mechanism, drawn and driven, and around both."""
    compiled = rc.compile(mechanism)
    here = rc.assemble(compiled)
    there = [rc.assemble(compiled, driven, near=here)] if driven else []
    bound = rc.bind(compiled, near=here, independent=independent, emitter=emitter)
    random = np.random.default_rng(4)
    worst.mechanisms += 1
    for given in (here, *there):
        q = rc.coordinates(compiled, given)
        for closed in _closed_states(bound, q, random):
            _at_closed(worst, name, bound, closed, random)
            ajar = step(compiled, closed, random.uniform(-OPEN, OPEN, compiled.nv))
            _at_any(worst, name, bound, closed)
            _at_any(worst, name, bound, ajar)


def _closed_states(bound: rc.Bound, q: Array, random: np.random.Generator) -> Iterator[Array]:
    """One that is given, and others nearby, all closed by the reference to rounding."""
    compiled, independent = bound.compiled, list(bound.code.layout.partition.independent)
    drawn = _closed(bound, q)
    if drawn is None:
        raise RuntimeError("what was assembled is not closed to rounding")
    yield drawn
    for _ in range(STATES - 1):
        delta = np.zeros(compiled.nv)
        delta[independent] = random.uniform(-ELSEWHERE, ELSEWHERE, len(independent))
        found = None
        while found is None:
            found, delta = _closed(bound, step(compiled, q, delta)), delta / 2.0
        yield found


def _closed(bound: rc.Bound, q: Array) -> Array | None:
    """With its independent coordinates kept; None where they cannot be there."""
    for block in bound.code.layout.partition.blocks:
        q = close_module(bound.compiled, q, block.module, block.dependent).q
    row = np.max(np.abs(linearize(bound.compiled, q).residual), initial=0.0)
    return q if row <= CLOSED else None


def _at_closed(
    worst: Worst, name: str, bound: rc.Bound, q: Array, random: np.random.Generator
) -> None:
    """The lift, and the curvature at random speeds."""
    compiled, partition = bound.compiled, bound.code.layout.partition
    theirs = reduce(compiled, q, partition)
    bound.q[:] = q
    bound.lift()
    worst.see("lift", name, bound.E, theirs.E)
    u = random.uniform(-1.0, 1.0, len(partition.independent))
    bound.v[list(partition.independent)] = u
    bound.motion()
    v = theirs.speeds(u)
    worst.see("lift", name, bound.v, v)
    speed = float(np.max(np.abs(v), initial=0.0))
    terms = np.abs(theirs.inverse) @ np.abs(curvature_rows(compiled, q, v))
    scale = max(speed**2, float(np.max(terms, initial=0.0)))
    c = rc.curvature(compiled, q, v, theirs)
    worst.see("curvature", name, bound.c, c, scale, min(1.0, 10.0 * float(theirs.condition)))
    worst.see("curvature, whatever the condition", name, bound.c, c, speed**2)
    if bound.recovered:
        raise RuntimeError(f"{name}: the reference was compared with itself")
    row = float(np.max(np.abs(linearize(compiled, q).residual), initial=0.0))
    worst.left, worst.states = max(worst.left, row), worst.states + 1


def _at_any(worst: Worst, name: str, bound: rc.Bound, q: Array) -> None:
    """Residual and Jacobian, closed or not."""
    theirs = linearize(bound.compiled, q)
    bound.q[:] = q
    bound.evaluate()
    worst.see("residual", name, bound.residual, theirs.residual)
    worst.see("Jacobian", name, bound.jacobian, theirs.jacobian)
