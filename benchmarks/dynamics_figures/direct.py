"""Claim F3: the Stewart mission by semi-implicit Euler in the leg lengths, by our dynamics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from figure import Figure, near

import robocompiler as rc
from dynamics_figures.missions import SHARE, heavier, missed_place, pushed, stewart_drive
from dynamics_figures.requests import Drive
from linkages.stewart import stewart
from robocompiler.solve.state import evaluate
from robocompiler.spatial import Array

Forward = Callable[[int, Array, Array, Array], Array]
"""The rates of the motors' speeds at a step, for values, speeds and efforts of theirs."""
AT_ONCE = 1000
"""States that are evaluated in one batch."""
STILL = 1e-8
"""Sweeps are over where they move no motor by more [m]: the next would by a fiftieth of it."""
SWEEPS = 12


@dataclass(frozen=True, eq=False)
class Run:
    """A mission as it went: motors' values [m] and speeds, and where the platform was [m]."""

    times: Array
    values: Array
    speeds: Array
    places: Array


def direct() -> Iterator[Figure]:
    """RMS of the platform's place over 22 s at 2 ms, and what halving the step changes."""
    nominal, heavy = rc.compile(stewart()), rc.compile(heavier())
    driven, wanted = stewart_drive(2e-3)
    ran = swept(nominal, driven)
    runs = {
        "feed-forward": (ran, 0.717),
        "PD alone": (swept(nominal, driven.alone()), 2.375),
        "14 kg, feed-forward of 8 kg": (swept(heavy, driven, ran), 0.959),
    }
    for name, (run, paper) in runs.items():
        missed = 1e3 * missed_place(run.places, wanted)
        yield near(f"F3, Stewart directly: {name} [mm]", missed, paper, SHARE, f"paper {paper}")
    coarse, fine = (swept(nominal, stewart_drive(dt)[0], ran) for dt in (4e-3, 1e-3))
    for name, (a, b), paper in (
        ("4 to 2 ms", (coarse, ran), 32.541),
        ("2 to 1 ms", (ran, fine), 16.337),
    ):
        apart = 1e6 * float(np.max(np.linalg.norm(a.places - b.places[::2], axis=1)))
        yield near(f"F3, Stewart directly: {name} [um]", apart, paper, SHARE, f"paper {paper}")


def integrated(drive: Drive, forward: Forward) -> tuple[Array, Array]:
    """Motors' values and speeds at each step: v += v̇ dt, then x += v dt."""
    values, speeds = np.empty_like(drive.values), np.empty_like(drive.values)
    x, v, dt = drive.values[0], drive.speeds[0], drive.times[1] - drive.times[0]
    for k in range(len(drive.times)):
        values[k], speeds[k] = x, v
        v = v + dt * forward(k, x, v, drive.effort(k, x, v))
        x = x + dt * v
    return values, speeds


def swept(compiled: rc.CompiledMechanism, drive: Drive, near: Run | None = None) -> Run:
    """The mission of semi-implicit Euler, all of its steps at once, again and again.

    Each sweep takes M and h of M v̇ + h = f where the last one went, at all steps in a batch, and
    integrates with these: what it ends at is what a loop over single states gives, at a hundredth
    of the time that the reference takes for them.
    """
    values, speeds = (drive.values, drive.speeds) if near is None else _at(near, drive.times)
    for _ in range(SWEEPS):
        M, h = _reduced(compiled, drive, values, speeds)
        inverse = np.linalg.inv(M)
        before = values
        values, speeds = integrated(drive, lambda k, x, v, f: inverse[k] @ (f - h[k]))  # noqa: B023
        moved = np.max(np.abs(values - before))
        if moved <= STILL:
            break
    else:
        raise RuntimeError(f"The mission still moves by {moved:.2g} m after {SWEEPS} sweeps.")
    return Run(drive.times, values, speeds, _places(compiled, _closed(compiled, drive, values)))


def _at(run: Run, times: Array) -> tuple[Array, Array]:
    """About what another run's values and speeds are at some times."""
    from scipy.interpolate import make_interp_spline

    tables = (run.values, run.speeds)
    values, speeds = (make_interp_spline(run.times, table, k=1)(times) for table in tables)
    return values, speeds


def _reduced(
    compiled: rc.CompiledMechanism, drive: Drive, values: Array, speeds: Array
) -> tuple[Array, Array]:
    """M and h at every step, shapes (steps, motors, motors) and (steps, motors)."""
    q = _closed(compiled, drive, values)
    wrenches = np.array([pushed(float(t)) for t in drive.times])
    parts = []
    for at in range(0, len(q), AT_ONCE):
        some = slice(at, at + AT_ONCE)
        found = rc.reduced_dynamics(
            compiled,
            q[some],
            speeds[some],
            independent=drive.motors,
            wrenches={"platform": wrenches[some]},
        )
        parts.append((found.M, found.h))
    return np.concatenate([M for M, _ in parts]), np.concatenate([h for _, h in parts])


def _closed(compiled: rc.CompiledMechanism, drive: Drive, values: Array) -> Array:
    """The coordinates of all joints, shape (steps, nq)."""
    bound = rc.bind(compiled, independent=drive.motors)
    return bound.follow(dict(zip(drive.motors, values.T, strict=True))).q


def _places(compiled: rc.CompiledMechanism, q: Array) -> Array:
    """Where the platform's frame is [m], shape (steps, 3)."""
    index = [body.name for body in compiled.bodies].index("platform")
    return evaluate(compiled, q).poses[index].p
