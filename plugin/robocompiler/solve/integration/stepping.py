"""A step of an integration: u by its rates, q by u, the loops closed at every stage.

All of q is moved on as the loops let it, to second order within a step, so that little is left for
Newton; independent coordinates exactly as the method has them. Rotations are turned on by rotation
vectors from where the step began (Munthe-Kaas), so that the order holds for them too, and for a
ball of which only some speeds are independent.

Source: Hairer, Lubich, Wanner, Geometric Numerical Integration (2006), IV.8.
"""

from __future__ import annotations

import numpy as np

from robocompiler.solve.bound_dynamics.bound import BoundDynamics
from robocompiler.solve.dynamics.support import Supported
from robocompiler.solve.integration.advance import Advance
from robocompiler.solve.integration.charts import Hold
from robocompiler.solve.integration.drive import Drive
from robocompiler.solve.integration.moment import Moment
from robocompiler.solve.integration.work import Stages
from robocompiler.spatial import Array

METHODS = {"semi-implicit": (0.5, 0.5), "rk4": (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0)}
"""Names of methods, and the weights of the stages whose powers are summed to work: of the
semi-implicit one, where a step begins and where it ends."""


class Stepping:
    """Bound dynamics carried on step by step.

    Attributes:
        dynamics: what it is done by. Its buffers are of the last stage.
        hold: how well its dependent speeds follow.
        moment: the same for what acts.
    """

    def __init__(
        self,
        held: Supported,
        dynamics: BoundDynamics,
        drive: Drive,
        stages: Stages,
        first: tuple[int, ...],
    ) -> None:
        """From where the dynamics' `q` and `v` are; `first` are the speeds that u has."""
        self.dynamics, self._drive, self._stages = dynamics, drive, stages
        self.moment = Moment(held, dynamics, first)
        bound = dynamics.bound
        self._q, self._v, self._c, self._a = bound.q, bound.v, bound.c, dynamics.v_dot
        self._advance = Advance(bound.compiled)
        self._start, self._delta = bound.q.copy(), np.zeros(bound.compiled.nv)
        self._other, self._spare = (np.zeros((4, bound.compiled.nv)) for _ in range(2))
        wrenches = dynamics.code.places.rows("wrench")
        self._wrenches = bound.buffer[wrenches, 0]
        bound.motion()
        self.hold = Hold(dynamics)

    @property
    def start(self) -> tuple[Array, Array]:
        """q (nq,) and v (nv,) where the step that is being done began."""
        return self._start, self._stages.v[self._stages.at, 0]

    def begin(self, step: int, time: float) -> None:
        """Evaluate where the first step begins."""
        self._drive.at_step(self.dynamics, step)
        self._evaluate(time)

    def _evaluate(self, time: float) -> None:
        if not self._drive.functions:
            self.dynamics.forward()
            return
        self.dynamics.bound.motion()
        self._drive.at_stage(self.dynamics, time, self.moment)
        self.dynamics.accelerate()

    def _keep(self, stage: int) -> None:
        """Note a stage for the ledger."""
        kept, at = self._stages, self._stages.at
        kept.q[at, stage] = self._q
        kept.v[at, stage] = self._v
        kept.efforts[at, stage] = self.dynamics.efforts
        if self._wrenches.size:
            kept.wrenches[at, stage] = self._wrenches

    def semi_implicit(self, step: int, time: float, h: float) -> None:
        """u ← u + h u̇, then q ← q ⊕ h u."""
        kept, at, v, d = self._stages, self._stages.at, self._v, self._delta
        self._keep(0)
        self._start[...] = self._q
        v += np.multiply(self._a, h, self._spare[0])
        np.multiply(v, h, d)
        self._advance(self._start, d, self._q)
        f, w = kept.efforts[at], kept.wrenches[at]
        f[1], w[1] = f[0], w[0]  # what acted during the step
        if self._drive.tables:
            self._drive.at_step(self.dynamics, step + 1)
        self._evaluate(time + h)
        kept.q[at, 1] = self._q
        kept.v[at, 1] = v
        kept.step_over()

    def rk4(self, step: int, time: float, h: float) -> None:
        """The classical fourth-order method."""
        kept, at = self._stages, self._stages.at
        self._start[...] = self._q
        V, A = kept.v[at], self._other
        self._keep(0)
        A[0] = self._a
        v, a, c = V[0], A[0], 0.5 * h * self._c
        slopes = V
        if self._advance.rotations:
            slopes = self._spare
            slopes[0] = v
        # Dependent ones to second order, by E v and c where the step begins.
        half, middle = 0.5 * h, time + 0.5 * h
        self._stage(1, middle, half * (v + 0.5 * c), v + half * a, slopes)
        d = half * (v + half * a - 0.5 * c)
        self._stage(2, middle, d, v + half * A[1], slopes, half)
        self._stage(3, time + h, h * (v + half * A[1]), v + h * A[2], slopes, h)
        d = (h / 6.0) * (slopes[0] + 2.0 * (slopes[1] + slopes[2]) + slopes[3])
        self._advance(self._start, d, self._q)
        self._v[...] = v + (h / 6.0) * (A[0] + 2.0 * (A[1] + A[2]) + A[3])
        if self._drive.tables:
            self._drive.at_step(self.dynamics, step + 1)
        self._evaluate(time + h)
        kept.step_over()

    def _stage(
        self, stage: int, time: float, d: Array, v: Array, slopes: Array, bent: float = 0.0
    ) -> None:
        """Go to a stage, and note its slopes there.

        Args:
            stage: its number.
            time: [s].
            d: how far it is from where the step began, shape (nv,).
            v: speeds, of which the independent ones are minded, shape (nv,).
            slopes: of rotations as of everything, shape (4, nv); `Stages.v` where there are none.
            bent: for how long [s] what the stage before has bent of its rotations acts on this.
        """
        V, rotations = self._stages.v[self._stages.at], self._advance.rotations
        if bent:
            for _, own in rotations:
                d[own] += bent * (slopes[stage - 1, own] - V[stage - 1, own])
        self._advance(self._start, d, self._q)
        self._v[...] = v
        self._evaluate(time)
        self._keep(stage)
        self._other[stage] = self._a
        if rotations:
            slopes[stage] = self._v
            self._advance.bend(d, self._v, slopes[stage])
