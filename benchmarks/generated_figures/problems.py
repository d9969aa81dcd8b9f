"""What is timed: closing from nearby and the lift there, the same for us and for others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import robocompiler as rc
from linkages.planar import four_bar_of
from linkages.stewart import stewart
from robocompiler.compiler.steps import step
from robocompiler.spatial import Array

OFF = 0.01
"""How far [m, rad] each dependent coordinate is off at most."""
TOLERANCE = 1e-10
"""Root sum of squares of the rows [m over the size, rad] that is closed."""
STARTS = 8
"""States from which it is closed, one after the other."""


@dataclass(frozen=True)
class Problem:
    """A mechanism, and states that are nearly closed."""

    compiled: rc.CompiledMechanism
    bound: rc.Bound
    starts: Array
    """Shape (STARTS, nq): independent coordinates as drawn, the others off."""

    def emitted(self, emitter: str) -> rc.Bound:
        """Bound by an emitter."""
        return rc.bind(self.compiled, tolerance=TOLERANCE, emitter=emitter)

    @property
    def size(self) -> float:
        """What makes a length a number in its rows [m]."""
        return 1.0 / float(self.bound.code.layout.types[0].first.row_scales[0])


def problem_of(mechanism: rc.Mechanism) -> Problem:
    """Closing a mechanism of one block."""
    compiled = rc.compile(mechanism)
    bound = rc.bind(compiled, tolerance=TOLERANCE)
    dependent, random = list(bound.code.layout.partition.dependent), np.random.default_rng(1)
    delta = np.zeros((STARTS, compiled.nv))
    delta[:, dependent] = random.uniform(-OFF, OFF, (STARTS, len(dependent)))
    starts = step(compiled, np.tile(bound.q, (STARTS, 1)), delta)
    return Problem(compiled, bound, starts)


def stewart_problem() -> Problem:
    """The platform in 24 coordinates."""
    return problem_of(stewart(chart=True))


def four_bar_problem() -> Problem:
    """A crank-rocker."""
    return problem_of(four_bar_of())


def calls(bound: rc.Bound, starts: Array) -> Callable[[], None]:
    """A bound call for each start, its coordinates written into the buffer first."""
    q, correct, each = bound.q, bound.correct, list(starts)

    def call() -> None:
        for start in each:
            q[:] = start
            correct()

    return call
