"""Many states: a batch, a path of 1101 knots, a chain of modules."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

import numpy as np
from figure import Figure, at_most, shown
from timing import interleaved

import robocompiler as rc
from generated_figures.alone import measured
from generated_figures.problems import OFF, TOLERANCE, Problem, calls, stewart_problem
from linkages.many_loops import module_chain
from linkages.stewart import leg_values, task_pose
from robocompiler.compiler.steps import step

STATES, THREADS, WALLS = 8192, 2, 30
KNOTS, EVERY = 1101, 0.02
"""The reference motion: how many knots, and how long apart [s]."""
LENGTHS = tuple(f"leg {i} length" for i in range(6))
MODULES = (8, 16, 32, 64, 128, 256)
MEGABYTES = 100.0


def batch() -> Iterator[Figure]:
    """The same starts in a batch, over and over; its coordinates written into the buffer first."""
    problem = stewart_problem()
    run = _batch(problem, 1)
    times = interleaved({"batch": run, "single": calls(problem.bound, problem.starts)}, rounds=30)
    each = times["batch"] / STATES
    single = times["single"] / len(problem.starts)
    title = f"Stewart, correct + E, batch of {STATES}"
    yield at_most(f"{title}: a state over a single call", each / single, 0.4, "prototype 0.28")
    yield shown(f"{title}, a state [us]", 1e6 * each, problem.bound.emitter)
    yield shown(f"{title}: single call [us]", 1e6 * single, "")
    walls = [_wall(_batch(problem, threads)) for threads in (1, THREADS)]
    title = f"{title}, {THREADS} threads: times as fast by the wall clock"
    yield shown(title, walls[0] / walls[1], f"{os.cpu_count()} processors, shared")


def _batch(problem: Problem, threads: int) -> Callable[[], None]:
    bound = problem.bound.batch(STATES, threads)
    starts = np.tile(problem.starts, (STATES // len(problem.starts), 1)).T.copy()

    def run() -> None:
        bound.q[:] = starts
        bound.correct()
        if bound.recovered:
            raise RuntimeError("the reference had to help")

    return run


def _wall(run: Callable[[], None]) -> float:
    """The least time by the clock on the wall [s]."""
    found = []
    for _ in range(WALLS):
        began = time.perf_counter()
        run()
        found.append(time.perf_counter() - began)
    return min(found)


def path() -> Iterator[Figure]:
    """The reference motion within one call, E at each knot, against a call for each start."""
    problem = stewart_problem()
    bound = rc.bind(problem.compiled, tolerance=TOLERANCE)
    legs = [leg_values(task_pose(k * EVERY)) for k in range(KNOTS)]
    table = {name: np.array([leg[name] for leg in legs]) for name in LENGTHS}
    home = np.array(bound.q)
    bound.q[:] = home
    led = bound.follow(table, lifts=True)
    swings = [joint for joint in problem.compiled.tree if joint.edge.joint.name in legs[0]]
    names = [joint.edge.joint.name for joint in swings]
    expected = np.array([[leg[name] for name in names] for leg in legs])
    apart = np.max(np.abs(led.q[:, [joint.q.start for joint in swings]] - expected))
    yield at_most("Stewart, 1101 knots: legs against the closed form [rad, m]", apart, 1e-9, "")

    def follow() -> None:
        bound.q[:] = home
        bound.follow(table, lifts=True)

    times = interleaved({"path": follow, "single": calls(problem.bound, problem.starts)}, rounds=30)
    each, single = times["path"] / KNOTS, times["single"] / len(problem.starts)
    title = "Stewart, 1101 knots with predictor and E in one call"
    yield at_most(f"{title}: a knot over a single call", each / single, 0.8, "prototype 0.6")
    yield shown(f"{title}, a knot [us]", 1e6 * each, f"{led.recovered} by the reference")


def chain() -> Iterator[Figure]:
    """Four-bars in a row, each with its own crank angle: one bound call closes and lifts all."""
    bounds, candidates = {}, {}
    for modules in MODULES:
        bound = bounds[modules] = rc.bind(rc.compile(module_chain(modules)))
        candidates[str(modules)] = _call(bound)
    times = interleaved(candidates, rounds=30)
    each = {modules: 1e9 * times[str(modules)] / modules for modules in MODULES}
    for modules in MODULES:
        yield shown(f"Chain of {modules} four-bars, correct + E, a module [ns]", each[modules], "")
    ratio = max(each.values()) / min(each.values())
    title = f"Chain of {MODULES[0]} to {MODULES[-1]}: a module's longest time over its shortest"
    yield at_most(title, ratio, 2.0, "prototype: flat to 64")
    if any(bound.recovered for bound in bounds.values()):
        raise RuntimeError("the reference had to help")


def memory() -> Iterator[Figure]:
    """Peak memory of fresh processes."""
    title = f"Chain of {MODULES[-1]}: peak memory, bound and run, over compiled [MB]"
    yield at_most(title, measured("chain-run") - measured("chain"), MEGABYTES, "fresh processes")
    title = "Stewart: peak memory, bound and run, over compiled [MB]"
    yield shown(title, measured("stewart-run") - measured("stewart"), "fresh processes")


def _call(bound: rc.Bound) -> Callable[[], None]:
    """From a start that is off, where the mechanism is drawn."""
    compiled, random = bound.compiled, np.random.default_rng(1)
    dependent = list(bound.code.layout.partition.dependent)
    delta = np.zeros(compiled.nv)
    delta[dependent] = random.uniform(-OFF, OFF, len(dependent))
    start = step(compiled, np.array(bound.q), delta)
    q, correct = bound.q, bound.correct

    def call() -> None:
        q[:] = start
        correct()

    return call
