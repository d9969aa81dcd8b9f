"""Bound code for tests: by every emitter, and held against the reference and the records."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import robocompiler as rc
from linkages.oracle import standing_at
from robocompiler.codegen.llvm import jit
from robocompiler.compiler.rows import linearize
from robocompiler.compiler.steps import step
from robocompiler.errors import MechanismError, SampleError, SeveralFaultsError
from robocompiler.model.mechanism import Mechanism
from robocompiler.solve.generated.bound import Bound

EMITTERS = (
    "python",
    pytest.param(
        "machine",
        marks=pytest.mark.skipif(not jit.available(), reason="llvmlite is not installed"),
    ),
)
every_emitter = pytest.mark.parametrize("emitter", EMITTERS)


def bound(mechanism: Mechanism, emitter: str, independent: Sequence[str] = (), **how) -> Bound:
    """A mechanism, compiled as `how` says, with its generated code."""
    compiled = rc.compile(mechanism, **how)
    return rc.bind(compiled, independent=independent, emitter=emitter)


def units(own: Bound) -> np.ndarray:
    """What a speed is multiplied by to be one unit's [m], shape (nv,)."""
    found = np.ones(own.compiled.nv)
    for kind in own.code.layout.types:
        for plan in kind.plans:
            found[plan.whole] = 1.0 / plan.speed_scales
    return found


def shaken(own: Bound, states: int, size: float, driven: float = 0.0, seed: int = 5) -> np.ndarray:
    """Coordinates about where code is bound, shape (states, nq): the speeds that follow moved by up
    to `size` [rad, or sizes of its module], the independent ones by up to `driven`.
    """
    random, partition = np.random.default_rng(seed), own.code.layout.partition
    delta = np.zeros((states, own.compiled.nv))
    for speeds, most in ((partition.dependent, size), (partition.independent, driven)):
        delta[:, list(speeds)] = most * random.uniform(-1.0, 1.0, (states, len(speeds)))
    return step(own.compiled, np.tile(own.batch(1).q[:, 0], (states, 1)), delta * units(own))


def kept_coordinates(own: Bound) -> list[int]:
    """Coordinates of joints all of whose speeds are independent, or prescribed."""
    given = {*own.code.layout.partition.independent, *own.compiled.prescribed}
    led = [t for t in own.compiled.tree if set(range(t.v.start, t.v.stop)) <= given]
    return [i for t in led for i in range(t.q.start, t.q.stop)]


def relative(found: np.ndarray, expected: np.ndarray) -> float:
    """The largest difference, over the largest entry or one."""
    if not np.size(expected):
        return 0.0
    return float(np.max(np.abs(found - expected)) / max(1.0, float(np.max(np.abs(expected)))))


def assert_right(own: Bound, q: np.ndarray, E: np.ndarray, start: np.ndarray) -> None:
    """Closed by the records, its independent coordinates kept bit for bit, and lifted."""
    kept = kept_coordinates(own)
    np.testing.assert_array_equal(q[kept], start[kept])
    assert max(standing_at(own.compiled, q).gaps) < 1e-11
    K = linearize(own.compiled, q).jacobian
    assert relative(K @ E, 0.0 * (K @ E)) < 1e-10 * max(1.0, float(np.max(np.abs(E))))


def failed_states(run) -> dict[int, MechanismError]:
    """Which states of a batch a call refuses, and why."""
    try:
        run()
    except SampleError as fault:
        return {fault.sample: fault.cause}
    except SeveralFaultsError as several:
        return {fault.sample: fault.cause for fault in several.faults}
    return {}
