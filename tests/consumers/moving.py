"""A second of motion of each example by our own reduced dynamics, to compare simulators with.

Without contact, and without dry friction: that is not integrated here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from truth import Array, Truth

import robocompiler as rc

SPEEDS: dict[str, dict[str, float]] = {
    "fourbar": {"crank-ground": 5.0},
    "gate": {"hinge": 1.0},
    "gripper": {"left-driver": 0.4},
    "pendulum": {},
    "slider_crank": {"crank-frame": 8.0},
    "stewart": {},
}
"""Of the drivers at the beginning [m/s or rad/s]; 0 of those that are not named."""
PUSHES: dict[str, dict[str, float]] = {
    "stewart": {"slide-1": 0.3, "slide-3": -0.3, "slide-5": 0.2},
}
"""Efforts of drivers beyond what holds the example up [N]; none where nothing is said."""
DURATION = 1.0
SAMPLES = 10
STEP = 1e-3
"""[s] of a Runge-Kutta method of fourth order: half of it changes nothing by more than 1e-9."""


@dataclass(frozen=True, eq=False)
class Moving:
    """How an example moves, by names."""

    speeds: dict[str, float]
    """Of the tree's single coordinates at the beginning [m/s or rad/s]."""
    efforts: dict[str, float]
    """Of drivers, all the time [N or N m]."""
    drivers: tuple[str, ...]
    coordinates: Array
    """Of the drivers [m or rad], every tenth of a second, the beginning first: (11, drivers)."""

    def off(self, coordinates: Array) -> float:
        """How far another motion is from this one at worst, over how far this one goes."""
        travel = float(np.ptp(self.coordinates, axis=0).max())
        return float(np.abs(np.asarray(coordinates) - self.coordinates).max()) / travel


@cache
def moving(truth: Truth) -> Moving:
    """A second from where the example is assembled."""
    compiled, drivers = truth.compiled, truth.drivers
    q = rc.coordinates(compiled, rc.assemble(compiled))
    u = np.array([SPEEDS[truth.name].get(name, 0.0) for name in drivers])
    efforts = _efforts(truth, q)
    ours = rc.integrate(
        compiled,
        q,
        u,
        DURATION,
        STEP,
        independent=drivers,
        efforts=efforts or None,
        method="rk4",
        samples=SAMPLES,
    )
    at = [compiled.tree_joint(name).q.start for name in drivers]
    singles = zip(truth.speeds, ours.v[0].tolist(), strict=True)
    return Moving(
        speeds={name: speed for name, speed in singles if name in truth.limits},
        efforts=efforts,
        drivers=drivers,
        coordinates=ours.q[:, at],
    )


def _efforts(truth: Truth, q: Array) -> dict[str, float]:
    """What holds the drivers where they are, and a push."""
    pushes = PUSHES.get(truth.name)
    if pushes is None:
        return {}
    rest = np.zeros(len(truth.drivers))
    held = rc.inverse_dynamics(truth.compiled, q, rest, rest, independent=truth.drivers)
    return {
        name: float(effort) + pushes.get(name, 0.0)
        for name, effort in zip(held.ports, held.efforts, strict=True)
    }
