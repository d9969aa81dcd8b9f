"""How a mechanism moves at an instant of an integration, as what acts on it may ask."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robocompiler.solve.bound_dynamics.bound import BoundDynamics
from robocompiler.solve.dynamics.support import Supported
from robocompiler.spatial import Array


class Moment:
    """Where a mechanism is and how it moves, its loops closed; of the instant it is asked for.

    Attributes:
        q: coordinates, shape (nq,).
        v: all speeds, shape (nv,).
        u: those that were independent when the integration began, shape (m,).
    """

    def __init__(
        self, held: Supported, dynamics: BoundDynamics, independent: Sequence[int]
    ) -> None:
        """What the mechanism is held by, what it moves by, and which speeds u has."""
        self._q, self._v = dynamics.q.view(), dynamics.v.view()
        for own in (self._q, self._v):  # views of buffers that the next stage overwrites
            own.flags.writeable = False
        self._held = held if held.support else None
        self._independent = np.array(independent, dtype=int)

    @property
    def q(self) -> Array:
        """Coordinates, as `Integrated.q`."""
        return self._q if self._held is None else self._q[self._held.q]

    @property
    def v(self) -> Array:
        """All speeds, as `Integrated.v`."""
        return self._v if self._held is None else self._v[self._held.v]

    @property
    def u(self) -> Array:
        """Independent speeds, as `Integrated.u`."""
        return np.asarray(self._v[self._independent])
