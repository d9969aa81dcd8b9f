"""Claims F1 and F2: what motors miss of a request in MuJoCo, by PD alone and with feed-forward.

The papers used MuJoCo 3.3.7, which left J̇ v out of `connect`; since 3.7 it is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from figure import Figure, at_most, equal, near, skipped

import robocompiler as rc
from dynamics_figures.requests import (
    Drive,
    drive,
    fed_forward,
    kangaroo_request_at_knots,
    stewart_request,
    taken,
)
from dynamics_figures.simulated import inverse_efforts, model_of, simulate
from linkages.kangaroo_request import held_kangaroo
from linkages.stewart import stewart, task_pose, variants
from robocompiler.model.mechanism import Mechanism
from robocompiler.spatial import Array

SHARE = 0.02
"""How near the papers' figures ours are to be."""
PULSES = ((5.5, 0.35, 0, 80.0), (11.2, 0.35, 1, 120.0), (14.2, 0.4, 3, 12.0))
"""Half a sine each: when, for how long [s], which row of the wrench, how much [N, N m]."""


def kangaroo() -> Iterator[Figure]:
    """F1: 4 s, the pelvis held; RMS over 12 motors and 40 001 steps."""
    try:
        mechanism = held_kangaroo()
    except pytest.skip.Exception:
        yield skipped("F1, Kangaroo", "no record")
        return
    compiled, request = rc.compile(mechanism), kangaroo_request_at_knots()
    found = taken(compiled, request)
    forward = drive(request, fed_forward(found, request), 1e-4, 4e4, 600.0, 5000.0)
    model = model_of(compiled, 1e-4, 4e-4, smooth=True)
    yield against_mujoco("F1, Kangaroo", model, found)
    without, with_it = simulate(model, forward.alone()), simulate(model, forward)
    before, after = rms(without.missed, axis=0), rms(with_it.missed, axis=0)
    name = "F1, Kangaroo"
    yield near(f"{name}: PD alone [mm]", 1e3 * rms(without.missed), 1.653, SHARE, "paper 1.653")
    yield near(f"{name}: feed-forward [um]", 1e6 * rms(with_it.missed), 0.647, SHARE, "paper 0.647")
    yield near(f"{name}: peak, PD alone [N]", without.peak, 250.70, SHARE, "paper 250.70")
    yield near(f"{name}: peak, feed-forward [N]", with_it.peak, 239.84, SHARE, "paper 239.84")
    yield equal(f"{name}: motors it helps", int(np.sum(after < before)), 12, "paper: every one")


def stewart_platform() -> Iterator[Figure]:
    """F2: 22 s, three pushes; RMS of the platform's place over 11 001 steps."""
    forward, wanted = stewart_drive(2e-3)
    nominal, heavy = rc.compile(stewart()), rc.compile(heavier())
    runs = {
        "PD alone": (nominal, forward.alone(), 2.375),
        "feed-forward": (nominal, forward, 0.717),
        "14 kg, feed-forward of 8 kg": (heavy, forward, 0.960),
    }
    yield against_mujoco(
        "F2, Stewart",
        model_of(nominal, 2e-3, 4e-3),
        taken(nominal, stewart_request()),
    )
    peaks = []
    for name, (compiled, driven, paper) in runs.items():
        found = simulate(model_of(compiled, 2e-3, 4e-3), driven, "platform", pushed)
        missed = missed_place(found.places, wanted)
        yield near(f"F2, Stewart: {name} [mm]", 1e3 * missed, paper, SHARE, f"paper {paper}")
        peaks.append(found.peak)
    reference = f"{max(peaks):.6g}; paper < 152"
    yield at_most("F2, Stewart: peak [N]", max(peaks), 152.0, reference)


def against_mujoco(name: str, model: Any, found: rc.InverseDynamics) -> Figure:
    """Efforts along the motors at all knots, against Eᵀ of those on MuJoCo's tree."""
    theirs = inverse_efforts(model, found)
    off = np.max(np.abs(found.generalized - theirs)) / np.max(np.abs(theirs))
    reference = "MuJoCo's mj_inverse, no constraints"
    return at_most(f"{name}: efforts fed forward, relative", off, 1e-13, reference)


def heavier() -> Mechanism:
    """The platform with 14 kg on it instead of 8, to be driven as if it had 8."""
    return stewart(dimensions=variants()["payload 14 kg"])


def stewart_drive(dt: float) -> tuple[Drive, Array]:
    """The mission of 8 kg at steps of dt [s], and where the platform is to be at each [m]."""
    request = stewart_request()
    efforts = fed_forward(taken(rc.compile(stewart()), request), request)
    driven = drive(request, efforts, dt, 24000.0, 650.0, 900.0)
    return driven, np.array([task_pose(float(t))[:3] for t in driven.times])


def pushed(t: float) -> Array:
    """The wrench on the platform at a time [s]: at its own centre of mass, its frame's origin."""
    wrench = np.zeros(6)
    for start, length, row, most in PULSES:
        if start <= t <= start + length:
            wrench[row] = most * np.sin(np.pi * (t - start) / length)
    return wrench


def rms(values: Array, axis: int | None = None) -> Array:
    """The root of the mean square."""
    return np.sqrt(np.mean(np.square(values), axis=axis))


def missed_place(places: Array, wanted: Array) -> float:
    """The root mean square of how far points [m] are from others."""
    return float(rms(np.linalg.norm(places - wanted, axis=1)))
