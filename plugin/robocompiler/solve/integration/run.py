"""An integration as it goes: step after step, with what to do where one cannot be done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from robocompiler.errors import (
    BadValueError,
    ClosureError,
    CouplingError,
    DivergedError,
    IllConditionedError,
    MechanismError,
    SingularError,
    StepError,
)
from robocompiler.solve.bound_dynamics.bound import BoundDynamics
from robocompiler.solve.dynamics.massless import MasslessError
from robocompiler.solve.dynamics.support import Supported
from robocompiler.solve.integration.charts import Binding
from robocompiler.solve.integration.drive import Drive
from robocompiler.solve.integration.integrated import Change
from robocompiler.solve.integration.moment import Moment
from robocompiler.solve.integration.stepping import Stepping
from robocompiler.solve.integration.work import Stages
from robocompiler.solve.reduction.partition import speed_names
from robocompiler.spatial import Array

FASTEST = 1e9
"""Speeds [rad/s, m/s] that nothing has: what reaches them has diverged."""
CANNOT = (ClosureError, CouplingError, SingularError, IllConditionedError, MasslessError)
"""What says that a step cannot be done by the speeds that are independent, or at all."""

Until = Callable[[float, Moment], bool]
"""Whether to stop, at a time [s], by how the mechanism moves then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """How far to go, and how."""

    method: str
    timestep: float
    """[s]"""
    steps: int
    every: int
    """How many steps there are from sample to sample."""
    until: Until | None


@dataclass(slots=True, eq=False)
class Samples:
    """What is kept of a motion, a row each."""

    steps: list[int] = field(default_factory=list)
    q: list[Array] = field(default_factory=list)
    v: list[Array] = field(default_factory=list)
    v_dot: list[Array] = field(default_factory=list)
    efforts: list[Array] = field(default_factory=list)


class Run:
    """An integration.

    Attributes:
        samples: kept so far.
        changes: of what was independent.
        stopped: whether `until` said so.
    """

    def __init__(
        self,
        held: Supported,
        binding: Binding,
        dynamics: BoundDynamics,
        drive: Drive,
        stages: Stages,
        course: Course,
    ) -> None:
        """From where the dynamics' `q` and `v` are."""
        self._held, self._binding, self._drive, self._stages = held, binding, drive, stages
        self._course, self._dynamics = course, dynamics
        self._first = dynamics.bound.code.layout.partition.independent
        self._bound = {frozenset(dynamics.independent): dynamics}
        self.samples, self.changes, self.stopped = Samples(), list[Change](), False

    def go(self) -> None:
        """All of its steps.

        Raises:
            StepError: one that cannot be done.
            DivergedError: speeds that nothing has.
            BadValueError, UnknownNameError: what acts makes no sense.
        """
        course = self._course
        stepping = self._stepping(self._dynamics)
        stepping.begin(0, 0.0)
        self._sample(stepping, 0)
        for k in range(1, course.steps + 1):
            stepping = self._stepped(stepping, k - 1)
            if course.until is not None:
                self.stopped = bool(course.until(k * course.timestep, stepping.moment))
            if self.stopped or not k % course.every:
                self._sample(stepping, k)
            if self.stopped:
                return
            if stepping.hold.lost() and k < course.steps:
                stepping = self._held_better(stepping, k)

    def _stepping(self, dynamics: BoundDynamics) -> Stepping:
        return Stepping(self._held, dynamics, self._drive, self._stages, self._first)

    def _stepped(self, stepping: Stepping, k: int) -> Stepping:
        """Do a step, by other independent speeds where those that are do not let it."""
        try:
            self._step(stepping, k)
        except CANNOT as cause:
            q, v = (own.copy() for own in stepping.start)
            names = stepping.hold.other(q)
            if names is None:
                raise self._stuck(k, q, v, cause) from cause
        else:
            return stepping
        stepping = self._changed(names, q, v, k)
        try:
            self._step(stepping, k)
        except CANNOT as cause:
            raise self._stuck(k, q, v, cause) from cause
        return stepping

    def _step(self, stepping: Stepping, k: int) -> None:
        """A step, and whether what it ends with is physical."""
        h, semi = self._course.timestep, self._course.method == "semi-implicit"
        try:
            (stepping.semi_implicit if semi else stepping.rk4)(k, k * h, h)
        except (BadValueError, *CANNOT):
            # The others are no numbers where they were not found.
            self._refuse_diverged(stepping, stepping.dynamics.independent_speeds, (k + 1) * h)
            raise
        v = stepping.dynamics.v
        if not v @ v < FASTEST**2:
            self._refuse_diverged(stepping, slice(None), (k + 1) * h)

    def _refuse_diverged(self, stepping: Stepping, own: slice | list[int], time: float) -> None:
        """An error where one of some speeds is no number, or such as nothing has."""
        v = np.abs(stepping.dynamics.v[own])
        if np.all(v < FASTEST):
            return
        self._drive.refuse_infinite(stepping.dynamics, time)
        worst = int(np.argmax(np.where(np.isnan(v), np.inf, v)))
        joint = np.array(speed_names(self._held.compiled))[own][worst]
        raise DivergedError(time, self._course.timestep, str(joint), float(v[worst]))

    def _stuck(self, k: int, q: Array, v: Array, cause: MechanismError) -> StepError:
        h, u = self._course.timestep, v[list(self._first)]
        return StepError(k * h, h, (q[self._held.q].tolist(), u.tolist()), cause)

    def _held_better(self, stepping: Stepping, k: int) -> Stepping:
        """The motion by speeds that others follow better, where there are such."""
        q, v = stepping.dynamics.q.copy(), stepping.dynamics.v.copy()
        names = stepping.hold.other(q)
        if names is None:
            stepping.hold.bear()
            return stepping
        return self._changed(names, q, v, k)

    def _changed(self, names: tuple[str, ...], q: Array, v: Array, k: int) -> Stepping:
        """The motion by other independent speeds, where a step begins."""
        key = frozenset(names)
        if key not in self._bound:
            self._bound[key] = self._binding.at(q, names)
        dynamics, time = self._bound[key], k * self._course.timestep
        dynamics.q, dynamics.v = q, v
        stepping = self._stepping(dynamics)
        stepping.begin(k, time)
        self.changes.append(Change(time, dynamics.independent))
        return stepping

    def _sample(self, stepping: Stepping, k: int) -> None:
        kept, dynamics = self.samples, stepping.dynamics
        kept.steps.append(k)
        kept.q.append(dynamics.q.copy())
        kept.v.append(dynamics.v.copy())
        kept.v_dot.append(dynamics.v_dot.copy())
        kept.efforts.append(dynamics.efforts.copy())
