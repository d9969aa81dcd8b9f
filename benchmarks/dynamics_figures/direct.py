"""Claim F3: the Stewart mission by semi-implicit Euler in the leg lengths, by generated code."""

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
    ran = went(nominal, driven)
    runs = {
        "feed-forward": (ran, 0.717),
        "PD alone": (went(nominal, driven.alone()), 2.375),
        "14 kg, feed-forward of 8 kg": (went(heavy, driven), 0.959),
    }
    for name, (run, paper) in runs.items():
        missed = 1e3 * missed_place(run.places, wanted)
        yield near(f"F3, Stewart directly: {name} [mm]", missed, paper, SHARE, f"paper {paper}")
    coarse, fine = (went(nominal, stewart_drive(dt)[0]) for dt in (4e-3, 1e-3))
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


def went(compiled: rc.CompiledMechanism, drive: Drive) -> Run:
    """The mission of semi-implicit Euler, the platform pushed."""
    values = dict(zip(drive.motors, drive.values[0].tolist(), strict=True))
    start = rc.assemble(compiled, values)
    bound = rc.bind_dynamics(compiled, near=start, independent=drive.motors, loads=["platform"])
    if not bound.independent == bound.ports == drive.motors:
        raise RuntimeError(f"{drive.motors} are driven, {bound.ports} are the ports")
    joints = [compiled.tree_joint(name) for name in drive.motors]
    lengths, rates = ([getattr(joint, at).start for joint in joints] for at in "qv")
    wrench = bound.wrenches["platform"]
    q = np.empty((len(drive.times), compiled.nq))

    def forward(k: int, x: Array, v: Array, efforts: Array) -> Array:
        bound.q[lengths], bound.v[rates], bound.efforts[:] = x, v, efforts
        wrench[:] = pushed(float(drive.times[k]))
        bound.forward()
        q[k] = bound.q
        return bound.u_dot

    return Run(drive.times, *integrated(drive, forward), _places(compiled, q))


def _places(compiled: rc.CompiledMechanism, q: Array) -> Array:
    """Where the platform's frame is [m], shape (steps, 3)."""
    index = [body.name for body in compiled.bodies].index("platform")
    return evaluate(compiled, q).poses[index].p
