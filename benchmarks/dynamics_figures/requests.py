"""What motors are asked to do, and the efforts that this takes: with PD beside them, a drive."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import robocompiler as rc
from linkages import kangaroo_request
from linkages.robots import KANGAROO_MOTORS
from linkages.stewart import leg_values, task_pose
from robocompiler.spatial import Array

LENGTHS = tuple(f"leg {i} length" for i in range(6))


@dataclass(frozen=True, eq=False)
class Request:
    """Motors' values [m], speeds and their rates at knots, each of shape (knots, motors)."""

    motors: tuple[str, ...]
    times: Array
    """Of the knots [s]."""
    values: Array
    speeds: Array
    rates: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class Drive:
    """What motors are told at each step: efforts fed forward, and PD on what is missed."""

    motors: tuple[str, ...]
    times: Array
    """Of the steps [s], shape (steps,)."""
    values: Array
    """[m], shape (steps, motors)"""
    speeds: Array
    efforts: Array
    """[N]: fed forward."""
    stiffness: float
    """[N/m]"""
    damping: float
    """[N s/m]"""
    most: float
    """[N]: what commands are cut off at."""

    def effort(self, k: int, values: Array, speeds: Array) -> Array:
        """The command at step k, for motors that are at these values and speeds."""
        command = self.efforts[k] + self.stiffness * (self.values[k] - values)
        command += self.damping * (self.speeds[k] - speeds)
        return np.clip(command, -self.most, self.most)

    def alone(self) -> Drive:
        """The same with nothing fed forward."""
        return replace(self, efforts=np.zeros_like(self.efforts))


def stewart_request() -> Request:
    """The reference motion's leg lengths every 20 ms of its 22 s; a cubic spline's derivatives."""
    from scipy.interpolate import CubicSpline

    times = np.linspace(0.0, 22.0, 1101)
    legs = [leg_values(task_pose(float(t))) for t in times]
    values = np.array([[leg[name] for name in LENGTHS] for leg in legs])
    spline = CubicSpline(times, values)
    return Request(LENGTHS, times, values, spline(times, 1), spline(times, 2))


def kangaroo_request_at_knots() -> Request:
    """Kangaroo's request every 5 ms of its 4 s."""
    times = np.linspace(0.0, kangaroo_request.DURATION, 801)
    return Request(KANGAROO_MOTORS, times, *kangaroo_request.requested(times))


def taken(compiled: rc.CompiledMechanism, request: Request) -> rc.InverseDynamics:
    """What the request takes at every knot, by reduced inverse dynamics."""
    path = dict(zip(request.motors, request.values.T, strict=True))
    bound = rc.bind(compiled, independent=request.motors)
    order = [request.motors.index(name) for name in bound.independent]
    return rc.inverse_dynamics(
        compiled,
        bound.follow(path).q,
        request.speeds[:, order],
        request.rates[:, order],
        independent=request.motors,
    )


def fed_forward(found: rc.InverseDynamics, request: Request) -> Array:
    """The efforts of the request's motors in its order, shape (knots, motors)."""
    return np.stack([found.of(name) for name in request.motors], axis=1)


def drive(
    request: Request,
    efforts: Array,
    dt: float,
    stiffness: float,
    damping: float,
    most: float,
) -> Drive:
    """Values, speeds and efforts at every step, by cubic splines of those at the knots."""
    from scipy.interpolate import CubicSpline

    times = np.arange(round(float(request.times[-1]) / dt) + 1) * dt
    values, speeds, forces = (
        CubicSpline(request.times, knots)(times)
        for knots in (request.values, request.speeds, efforts)
    )
    return Drive(
        motors=request.motors,
        times=times,
        values=values,
        speeds=speeds,
        efforts=forces,
        stiffness=stiffness,
        damping=damping,
        most=most,
    )
