"""One call: against Newton on Pinocchio, against the reference and against the papers' way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np
from closure_figures.papers import Papers
from figure import Figure, at_least, at_most, shown, skipped
from timing import interleaved

from generated_figures.pinocchio_newton import Peer, missing, runs
from generated_figures.problems import (
    TOLERANCE,
    Problem,
    calls,
    four_bar_problem,
    stewart_problem,
)
from robocompiler.codegen.llvm.target import available
from robocompiler.solve.continuation.constants import CONTROL
from robocompiler.solve.continuation.homotopy import hold_speeds, land
from robocompiler.solve.reduction.logarithm import chart_coordinates
from robocompiler.solve.reduction.reduce import reduce
from robocompiler.solve.system import systems_of
from robocompiler.spatial import Array

SQUARE = "numpy.linalg.solve"
PROBLEMS: Mapping[str, tuple[Callable[[], Problem], int | None, str, float]] = {
    "Stewart, 24 coordinates": (stewart_problem, None, SQUARE, 60.0),
    "four-bar": (four_bar_problem, 2, SQUARE, 80.0),
}
"""Each with the rows of a point that Pinocchio solves, the peer that is gated, and how many times
faster ours is to be.

Gated is what one writes by Pinocchio's documentation and NumPy, on rows that are known to be
independent. The same with what Pinocchio returns kept hold of, with LAPACK called directly, and
with all rows, are shown.
"""


def pinocchio() -> Iterator[Figure]:
    """Correct and E, from 8 starts one after the other."""
    for name, (make, rows, gated, least) in PROBLEMS.items():
        title = f"{name}, correct + E: Pinocchio's time over ours"
        if reason := missing():
            yield skipped(title, reason)
            continue
        problem = make()
        peer = Peer(problem, rows)
        ways = peer.ways()
        apart = max(peer.agreement(newton) for newton in ways.values())
        yield at_most(f"{name}: q and E, Pinocchio's against ours", apart, 1e-9, "")
        candidates = {way: runs(newton, peer.starts) for way, newton in ways.items()}
        times = interleaved({**candidates, "ours": calls(problem.bound, problem.starts)})
        for way in ways:
            ratio = times[way] / times["ours"]
            theirs = f"{1e6 * times[way] / len(peer.starts):.0f} us"
            reference = f"Pinocchio 4.1, {way}: {theirs}"
            judged = at_least(title, ratio, least, reference)
            yield judged if way == gated else shown(title, ratio, reference)
        ours = 1e6 * times["ours"] / len(problem.starts)
        yield shown(f"{name}, correct + E, bound call [us]", ours, problem.bound.emitter)


def reference() -> Iterator[Figure]:
    """Generated Python, machine code and the papers' formulation against the reference."""
    problem = stewart_problem()
    python = problem.emitted("python")
    candidates: dict[str, Callable[[], object]] = {
        "python": calls(python, problem.starts),
        "reference": _reference(problem),
        "papers": _papers(problem),
    }
    if available():
        candidates["machine"] = calls(problem.bound, problem.starts)
    times = interleaved(candidates, rounds=30)
    title = "Stewart, correct + E"
    ratio = times["python"] / times["reference"]
    yield at_most(f"{title}: generated Python over the reference", ratio, 0.125, "land, reduce")
    each = 1e6 / len(problem.starts)
    for name, seconds in times.items():
        yield shown(f"{title}, {name} [us]", each * seconds, "")
    fastest = times.get("machine", times["python"])
    ratio = times["papers"] / fastest
    yield shown(f"{title}: the papers' formulation over ours", ratio, "prototype 6,600")


def _reference(problem: Problem) -> Callable[[], None]:
    """Newton of the reference to the same tolerance, and its lift for the same choice."""
    (system,) = systems_of(problem.compiled)
    partition = problem.bound.code.layout.partition
    control = replace(CONTROL, closed=TOLERANCE)
    bound = problem.bound
    bound.q[:] = problem.starts[0]
    bound.correct()
    hold = hold_speeds(system, system.of(bound.q), partition.independent)

    def call() -> None:
        for start in problem.starts:
            point = land(system, hold, system.of(start), control=control)
            if point is None:
                raise RuntimeError("the reference did not converge")
            reduce(problem.compiled, system.into(start, point.q), partition)

    return call


def _papers(problem: Problem) -> Callable[[], None]:
    """Six rows of a logarithm for each cut, the cut joints' coordinates unknowns, to 1e-9."""
    (system,) = systems_of(problem.compiled)
    bound = problem.bound
    bound.q[:] = problem.starts[0]
    bound.correct()
    papers = Papers(system, list(bound.code.layout.partition.independent))
    papers.begin(system.of(bound.q))

    def lifted(start: Array) -> Array:
        q = system.of(start)
        place = papers.evaluate(q, chart_coordinates(system.compiled, q))
        R = papers.correct(place, 8).jacobian[papers.rows]
        return -np.linalg.solve(R[:, papers.free], R[:, papers.held])

    def call() -> None:
        for start in problem.starts:
            lifted(start)

    return call


def operations() -> Iterator[Figure]:
    """Of a Newton pass and with E, counted in the graph; sines, roots and quotients as one."""
    code = stewart_problem().bound.code
    graph, kernel = code.traced(0).graph, code.kernel(0, "correct")
    step = [kernel.size, kernel.moved, *kernel.following]
    every = [*step, *kernel.results]
    alone = [kernel.size, kernel.sound, *kernel.results]
    title, count = "Stewart, 24 coordinates, operations", graph.operations
    passes, lifted = count(step), count(every)
    yield at_most(f"{title} of a Newton pass", passes, 1600, f"{passes}; prototype 1,300")
    yield at_most(f"{title} with E", lifted, 2900, f"{lifted}; prototype 2,416")
    yield shown(f"{title} with E and the guard", count([*every, kernel.sound]), "")
    yield shown(f"{title} of residual, guard and E, no step", count(alone), "")
