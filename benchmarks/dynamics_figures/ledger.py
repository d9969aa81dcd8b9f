"""Claim F5: energy gained less work of an integration, and how it falls with the step."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pytest
from figure import Figure, at_most, near, shown, skipped

import robocompiler as rc
from linkages.in_motion import ACROSS, CASES, by_scipy, compiled_at, sprung_four_bar
from linkages.kangaroo_request import held_kangaroo
from linkages.robots import KANGAROO_MOTORS
from robocompiler.spatial import Array

HALVES, SIXTEENTH = 0.1, 0.25
"""Shares by which what is left by half the step may miss a half, and a sixteenth."""
STEPS = {"semi-implicit": (5e-4, 2.5e-4), "rk4": (4e-3, 2e-3)}
KANGAROO_STEPS = (5e-5, 2.5e-5)
"""Its dampers on light bodies let no explicit method take longer ones."""
TIMED = 2000
"""Steps that are timed together."""


def ledgers() -> Iterator[Figure]:
    """Every mechanism in motion: how its residual falls, and where it ends."""
    for name, case in CASES.items():
        (compiled, q), u, efforts, others = case()
        given = {"efforts": efforts, **others}
        for method, steps in STEPS.items():
            coarse, fine = (_left(compiled, q, u, 0.1, h, method, given) for h in steps)
            yield _fell(name, method, coarse, fine)
        left = _left(compiled, q, u, 0.1, 1e-4, "rk4", given)
        yield at_most(f"{name}: rk4 at 0.1 ms [J]", left, 1e-8)


def kangaroo() -> Iterator[Figure]:
    """Kangaroo, its pelvis held, driven by half of what would hold it up."""
    try:
        compiled, q = compiled_at(held_kangaroo())
    except pytest.skip.Exception:
        yield skipped("F5, Kangaroo", "no record")
        return
    still = np.zeros(len(KANGAROO_MOTORS))
    holding = rc.inverse_dynamics(compiled, q, still, still, independent=KANGAROO_MOTORS)
    given = {"independent": KANGAROO_MOTORS, "efforts": 0.5 * holding.efforts, "samples": 40}
    for method in STEPS:
        coarse, fine = (_left(compiled, q, still, 0.02, h, method, given) for h in KANGAROO_STEPS)
        yield _fell("Kangaroo", method, coarse, fine)


def dop853() -> Iterator[Figure]:
    """A four-bar with a spring and a damper on its cut joint, against SciPy's DOP853."""
    compiled, q = compiled_at(sprung_four_bar())
    right, _ = by_scipy(compiled, q, 2.0, 0.1, np.array([0.2]), gravity=ACROSS)
    ran = rc.integrate(
        compiled, q, np.array([2.0]), 0.1, 1e-4, efforts={"A": 0.2}, method="rk4", gravity=ACROSS
    )
    apart = float(np.max(np.abs(ran.q[-1] - right)))
    yield at_most("sprung four-bar: rk4 at 0.1 ms less DOP853 [rad]", apart, 1e-9, "rtol 1e-12")


def times() -> Iterator[Figure]:
    """What a stage of a four-bar and of Stewart costs, ledger and all; what binding costs is not
    counted.
    """
    for name, most in (("four-bar", 10e-6), ("Stewart", None)):
        (compiled, q), u, efforts, others = CASES[name]()
        for method, stages in (("semi-implicit", 1), ("rk4", 4)):
            given = {"efforts": efforts, "samples": TIMED // 20, **others}
            few, many = (
                min(_took(compiled, q, u, n, method, given) for _ in range(3))
                for n in (TIMED // 2, 3 * TIMED // 2)
            )
            said = f"{name}: a stage, {method}, a sample of 20 steps [us]"
            each = 1e6 * (many - few) / TIMED / stages
            yield shown(said, each) if most is None else at_most(said, each, 1e6 * most)


def _left(
    compiled: rc.CompiledMechanism,
    q: Array,
    u: Array,
    duration: float,
    h: float,
    method: str,
    given: dict[str, object],
) -> float:
    ran = rc.integrate(compiled, q, np.array(u), duration, h, method=method, **given)
    return float(np.max(np.abs(ran.ledger.residual)))


def _fell(name: str, method: str, coarse: float, fine: float) -> Figure:
    """By which factor what is left fell with half the step."""
    target, share, paper = {
        "semi-implicit": (2.0, HALVES, "paper, Kangaroo in MuJoCo: 0.04108 to 0.02050 J, 2.004"),
        "rk4": (16.0, SIXTEENTH, ""),
    }[method]
    said = f"{name}: {method}, {coarse:.2g} to {fine:.2g} J, step halved"
    return near(said, coarse / fine, target, share, paper)


def _took(
    compiled: rc.CompiledMechanism,
    q: Array,
    u: Array,
    steps: int,
    method: str,
    given: dict[str, object],
) -> float:
    own = given | {"samples": steps // 20}
    began = time.thread_time()
    rc.integrate(compiled, q, np.array(u), 1e-5 * steps, 1e-5, method=method, **own)
    return time.thread_time() - began
