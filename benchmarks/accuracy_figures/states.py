"""States of motion at which accelerations are judged: sets A and B of table V, and claim C8.

Where the papers' order of draws or their data are lost, it is chosen here:

* Set B draws for each state, in this order: the time on the reference (the support mode goes round
  with the state's number), independent speeds, efforts, the wrench; one generator a robot.
* Stewart: speeds of the lengths ± 0.23 m/s, efforts ± 900 N, wrench ± (40, 40, 30 N, 8, 8, 8 N m)
  at the platform's origin. Set A's knots have the reference's own speeds (central differences of
  the lengths, 10 µs apart), and efforts and wrench of the same draw.
* Excavator, self-made: a smooth route of 42 s in the papers' eleven phases, between postures drawn
  once around the one it is drawn at (all a cylinder reaches). Ranges of efforts as in C5, given to
  the drives that bear such loads; the wrench acts on the bucket.
* Kangaroo and Go2: see `legged_states.py`.

Joints have no armature, damping or dry friction, as in the papers' comparison: rigid bodies only.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

import robocompiler as rc
from accuracy_figures.state import SEED_B, State, between, rigid, spread
from linkages.excavator import CYLINDER_SPACE, JOINT_SPACE, Posture, excavator
from linkages.stewart import leg_values, stewart, task_pose
from robocompiler.spatial import Array

LENGTHS = tuple(f"leg {i} length" for i in range(6))
STEWART_WRENCH = np.array([40.0, 40.0, 30.0, 8.0, 8.0, 8.0])
DRIVE_LOADS = {
    "tilt cylinder 0": 5e3,
    "tilt cylinder 1": 5e3,
    "bucket cylinder": 3e4,
    "boom cylinder 0": 1.5e5,
    "boom cylinder 1": 1.5e5,
    "stick cylinder": 5e5,
    "rotator": 1e3,
    "slew": 2.5e4,
}
"""C5's ranges [N, N m], in its order of draws."""
ROUTE = (2.0, 4.0, 4.0, 3.0, 3.0, 1.0, 6.0, 5.0, 3.0, 5.0, 6.0)
"""How long each phase of the excavator's route takes [s]."""
REACH = {"slew": 0.8, "boom": 0.15, "stick": 0.25, "hitch": 0.2, "pin": 0.15, "tilt": 0.15}
"""How far from the drawn posture a knot of the route may be [rad]; the rotator ± 1."""


def stewart_a(most: int | None) -> Iterator[State]:
    """1101 knots of the reference, 20 ms apart, at its own speeds."""
    draws = np.random.default_rng(SEED_B).uniform(-1.0, 1.0, (1101, 12))
    for k in spread(1101, most):
        t, h = 0.02 * k, 1e-5
        ahead, behind = (leg_values(task_pose(t + s)) for s in (h, -h))
        u = np.array([(ahead[name] - behind[name]) / (2.0 * h) for name in LENGTHS])
        yield _stewart(t, u, 900.0 * draws[k, :6], STEWART_WRENCH * draws[k, 6:])


def stewart_b(most: int | None) -> Iterator[State]:
    """300 drawn states on the reference."""
    draws = np.random.default_rng(SEED_B).uniform(-1.0, 1.0, (300, 19))
    for k in spread(300, most):
        d = draws[k]
        t = 11.0 * (1.0 + d[0])
        yield _stewart(t, 0.23 * d[1:7], 900.0 * d[7:13], STEWART_WRENCH * d[13:])


def stewart_c2(most: int | None) -> Iterator[State]:
    """The 48 states of claim C2."""
    random = np.random.default_rng(20260929)
    drawn = [
        (t, random.uniform(-0.1, 0.1, 6), random.uniform(-100.0, 180.0, 6), _unit(random))
        for t in np.linspace(0.4, 21.6, 48)
    ]
    for k in spread(48, most):
        t, u, efforts, d = drawn[k]
        yield _stewart(t, u, efforts, STEWART_WRENCH * d)


def _unit(random: np.random.Generator, count: int = 6) -> Array:
    return random.uniform(-1.0, 1.0, count)


def _stewart(t: float, u: Array, efforts: Array, wrench: Array) -> State:
    compiled, home = _stewart_compiled()
    lengths = leg_values(task_pose(t))
    at = rc.assemble(compiled, {name: lengths[name] for name in LENGTHS}, near=home)
    q = rc.coordinates(compiled, at)
    acting = dict(zip(LENGTHS, efforts.tolist(), strict=True))
    return State(compiled, q, LENGTHS, u, acting, "platform", wrench)


@cache
def _stewart_compiled() -> tuple[rc.CompiledMechanism, rc.Configuration]:
    compiled = rc.compile(stewart())
    return compiled, rc.assemble(compiled)


def excavator_a(most: int | None) -> Iterator[State]:
    """The 48 states of claim C5, on our route."""
    random = np.random.default_rng(2026092605)
    indices = np.linspace(20, 4201 - 20, 48).astype(int)
    drawn = [(0.01 * i, random.uniform(-0.3, 0.3, 7), _unit(random, 14)) for i in indices]
    for k in spread(48, most):
        yield _excavator(*drawn[k])


def excavator_b(most: int | None) -> Iterator[State]:
    """252 drawn states on the route."""
    draws = np.random.default_rng(SEED_B).uniform(-1.0, 1.0, (252, 22))
    for k in spread(252, most):
        yield _excavator(21.0 * (1.0 + draws[k, 0]), 0.3 * draws[k, 1:8], draws[k, 8:])


def _excavator(t: float, u: Array, drawn: Array) -> State:
    compiled, home, knots = _excavator_route()
    values = dict(zip(JOINT_SPACE, between(knots, t).tolist(), strict=True))
    q = rc.coordinates(compiled, rc.assemble(compiled, values, near=home))
    loads = zip(DRIVE_LOADS.items(), drawn, strict=False)
    efforts = {name: float(load * share) for (name, load), share in loads}
    wrench = np.repeat([5e3, 2e3], 3) * drawn[8:]
    acting = ("bucket", wrench)
    return State(compiled, q, JOINT_SPACE, u, efforts, *acting, others=tuple(CYLINDER_SPACE))


@cache
def _excavator_route() -> tuple[
    rc.CompiledMechanism, rc.Configuration, dict[float, tuple[float, ...]]
]:
    compiled, drawn = rc.compile(rigid(excavator())), Posture()
    home = rc.assemble(compiled)
    middle = np.array([getattr(drawn, name) for name in JOINT_SPACE])
    reach = np.array([REACH.get(name, 1.0) for name in JOINT_SPACE])
    times = np.concatenate([[0.0], np.cumsum(ROUTE)])
    shares = np.random.default_rng(2026092600).uniform(-1.0, 1.0, (len(times), len(reach)))
    knots = {
        float(t): tuple((middle + reach * share).tolist())
        for t, share in zip(times, shares, strict=True)
    }
    return compiled, home, knots
