"""States that a C program tests itself with, as the Python emitter has them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from robocompiler.codegen.c.records import CSample
from robocompiler.codegen.python.emitter import PythonEmitter
from robocompiler.compiler.steps import step
from robocompiler.errors import MechanismError
from robocompiler.solve.generated.bound import Bound
from robocompiler.solve.generated.c_arrays import ARGUMENTS, there
from robocompiler.solve.generated.code import Code
from robocompiler.solve.generated.layout import Layout
from robocompiler.solve.generated.settings import TOLERANCE
from robocompiler.spatial import Array

SAMPLES, NEAR = 4, (0.02, 2e-3, 2e-4)
"""How many there are, and how far [rad, or m over the size] they are open: the first at which the
reference need not help, since C has none.
"""


def samples(bound: Bound, functions: set[str]) -> Iterator[CSample]:
    """States near where it is bound, of what these functions make something."""
    layout, random = bound.code.layout, np.random.default_rng(46)
    code, nv = Code(layout, PythonEmitter()), layout.compiled.nv
    for _ in range(SAMPLES):
        moved, v = random.uniform(-1.0, 1.0, (2, nv))
        if layout.rows > layout.pivots:  # places cannot move as they like
            v[list(layout.compiled.prescribed)] = 0.0
        for near in NEAR:
            own = Bound(code, bound.home, TOLERANCE, None, 1)
            try:
                found = list(_sampled(own, functions, near * moved / _scales(layout), v))
            except MechanismError:
                continue
            if not own.recovered:
                yield from found
                break


def _scales(layout: Layout) -> Array:
    """What makes speeds one unit, each that of a module which determines it, or moves by it."""
    scales = np.ones(layout.compiled.nv)
    for kind in layout.types:
        for plan in kind.plans:
            scales[plan.whole] = np.maximum(scales[plan.whole], plan.speed_scales)
    return scales


def _sampled(bound: Bound, functions: set[str], delta: Array, v: Array) -> Iterator[CSample]:
    """What each function makes of a state that is open by a little, and led by as little."""
    layout = bound.code.layout
    free = [i in layout.partition.dependent for i in range(layout.compiled.nv)]
    q = step(layout.compiled, bound.home, delta * free)
    arrays = {"q": bound.q, "v": bound.v, "c": bound.c, "E": bound.E.ravel()}

    def values(names: tuple[str, ...]) -> dict[str, tuple[float, ...]]:
        return {name: tuple(arrays[name].tolist()) for name in names}

    for name in ("correct", "motion"):
        bound.q[:], bound.v[:] = q, v
        taken = there(layout, tuple(dict.fromkeys(sum(ARGUMENTS[name], ()))))
        taken = tuple(own for own in taken if own in arrays)
        before = values(taken)
        before.update({own: (0.0,) * len(before[own]) for own in taken if own in ("c", "E")})
        (bound.correct if name == "correct" else bound.motion)()
        yield CSample(function=name, before=before, after=values(taken))
    closed = values(there(layout, ("q", "E")))
    if "evaluate" in functions:
        bound.q[:] = q
        bound.evaluate()
        arrays |= {"residual": bound.residual, "jacobian": bound.jacobian.ravel()}
        after = values(("residual", "jacobian"))
        empty = {name: (0.0,) * len(entries) for name, entries in after.items()}
        yield CSample(function="evaluate", before={"q": tuple(q.tolist()), **empty}, after=after)
    if "follow" in functions:
        bound.q[:] = closed["q"]
        yield from _led(bound, closed, delta)


def _led(bound: Bound, closed: dict[str, tuple[float, ...]], delta: Array) -> Iterator[CSample]:
    """What `follow` makes of a closed state whose independent coordinates are to move a little."""
    layout, q = bound.code.layout, np.array(closed["q"])
    known = set(layout.partition.independent)
    target = step(layout.compiled, q, delta * [i in known for i in range(len(delta))])
    driven = [t for t in layout.compiled.tree if set(range(t.v.start, t.v.stop)) <= known]
    if not driven:
        return
    led = bound.follow({t.edge.joint.name: target[None, t.q] for t in driven}, lifts=True)
    after = {"q": tuple(led.q[0].tolist())}
    if led.E is not None and "E" in closed:
        after["E"] = tuple(led.E[0].ravel().tolist())
    pivots = {"pivots": (0.0,) * layout.pivots} if layout.pivots else {}
    before = {"target": tuple(target.tolist()), **closed, **pivots}
    yield CSample(function="follow", before=before, after=after)
