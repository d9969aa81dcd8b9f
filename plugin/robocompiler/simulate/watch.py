"""Everything that a run has to hold, and how far off it was: loops, couplings and screws."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from robocompiler.simulate.closures import ClosureMonitor
from robocompiler.simulate.scene import Scene
from robocompiler.simulate.ties import TieMonitor
from robocompiler.spatial import Array
from robocompiler.units import degrees, millimetres

ALLOWED_GAP = 1e-4
"""What a loop or a coupling may be off in motion [m]."""
ALLOWED_ANGLE = math.radians(0.1)
"""Likewise [rad]."""


@dataclass(frozen=True, slots=True)
class Watched:
    """One thing that must stay small."""

    what: str
    """Such as `loop 'C' gaped`, to be followed by how far."""
    turns: bool
    """Whether it is an angle."""

    @property
    def allowed(self) -> float:
        """How far off it may be [m or rad]."""
        return ALLOWED_ANGLE if self.turns else ALLOWED_GAP

    def shown(self, value: float) -> str:
        """A value of it [m or rad], as people say it."""
        return f"{degrees(value):.3g}°" if self.turns else f"{millimetres(value):.3g} mm"


class Watch:
    """The closures and ties of a run; keeps count of what was largest."""

    def __init__(self, scene: Scene) -> None:
        self.closures, self.ties = ClosureMonitor(scene), TieMonitor(scene)
        names = [closure.name for closure in self.closures.closures]
        self.watched = (
            *(Watched(f"loop '{name}' gaped", False) for name in names),
            *(Watched(f"loop '{name}' was tilted", True) for name in names),
            *(
                Watched(
                    f"{'screw' if tie.is_screw else 'coupling'} '{tie.source}' was off", tie.turns
                )
                for tie in self.ties.ties.values()
            ),
        )
        self._allowed = np.array([watched.allowed for watched in self.watched])

    def observe(self, data: Any) -> Array:
        """Count what the data show in; returns everything watched, over what is allowed.

        To be called at every step: a cut joint's turns are counted from one to the next.
        """
        gaps = self.closures.observe(data)
        now = np.concatenate([gaps[:, 0], gaps[:, 1], self.ties.observe(data)])
        return np.asarray(now / self._allowed)

    @property
    def largest(self) -> Array:
        """Everything watched [m or rad], at its largest over all that was observed."""
        gaps = self.closures.largest
        return np.concatenate([gaps[:, 0], gaps[:, 1], self.ties.largest])
