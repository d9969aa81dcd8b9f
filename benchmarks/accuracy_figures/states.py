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
* Kangaroo: the contact motion of A.3, soles held as tasks; its other motors independent.

Joints have no armature, damping or dry friction, as in the papers' comparison: rigid bodies only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

import robocompiler as rc
from linkages.excavator import DRIVES, JOINT_SPACE, Posture, excavator
from linkages.go2_gait import gait
from linkages.records import record
from linkages.robots import (
    BASE_CHART,
    FEET,
    KANGAROO_HOME,
    KANGAROO_MOTORS,
    SUPPORTS,
    go2,
    kangaroo,
)
from linkages.stewart import leg_values, stewart, task_pose
from robocompiler.spatial import Array, quaternion_of

SEED_B = 20260927
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
PELVIS = {
    0.0: (0.0, 0.0, 0.0),
    1.4: (0.0, 0.0, 0.0),
    2.6: (-0.12, 0.0, 0.0),
    3.5: (-0.12, 0.045, 0.055),
    4.5: (-0.12, -0.045, -0.055),
    5.3: (-0.12, 0.0, 0.0),
    6.4: (0.0, 0.0, 0.0),
    10.0: (0.0, 0.0, 0.0),
}
"""z, y [m] and yaw [rad] of the pelvis against home, at times [s] (A.3)."""
SOLES = {"none": (), "left": ("left",), "right": ("right",), "both": ("left", "right")}
"""Kangaroo's modes, in the order they go round."""
LEGGED_WRENCH = np.array([15.0, 15.0, 10.0, 2.0, 2.0, 2.0])


@dataclass(frozen=True, eq=False)
class State:
    """A closed configuration, how its independent joints move, and what acts."""

    compiled: rc.CompiledMechanism
    q: Array
    independent: tuple[str, ...]
    u: Array
    efforts: Mapping[str, float]
    """By joint [N, N m]."""
    body: str
    wrench: Array
    """On the body, at its origin, in the world's axes."""

    @property
    def wrenches(self) -> dict[str, Array]:
        """By body."""
        return {self.body: self.wrench}

    def tree_efforts(self) -> Array:
        """On every speed of the tree."""
        tau = np.zeros(self.compiled.nv)
        for name, effort in self.efforts.items():
            tau[self.compiled.tree_joint(name).v] = effort
        return tau


def rigid(mechanism: rc.Mechanism) -> rc.Mechanism:
    """Its bodies and joints alone."""
    bare = {"damping": 0.0, "friction": 0.0, "armature": 0.0, "stiffness": 0.0}
    return replace(mechanism, joints=tuple(replace(j, **bare) for j in mechanism.joints))


def smooth(s: float) -> float:
    """From 0 to 1, at rest at both."""
    s = min(max(s, 0.0), 1.0)
    return 10.0 * s**3 - 15.0 * s**4 + 6.0 * s**5


def between(knots: Mapping[float, Sequence[float]], t: float) -> Array:
    """On the smooth way from knot to knot."""
    times = list(knots)
    k = min(int(np.searchsorted(times, t, side="right")) - 1, len(times) - 2)
    start, end = (np.array(knots[times[i]]) for i in (k, k + 1))
    share = smooth((t - times[k]) / (times[k + 1] - times[k]))
    return np.asarray(start + share * (end - start))


def spread(count: int, most: int | None) -> list[int]:
    """Of so many states at most so many, evenly spread; all where None."""
    if most is None or most >= count:
        return list(range(count))
    return np.linspace(0, count - 1, most).round().astype(int).tolist()


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
    return State(compiled, q, JOINT_SPACE, u, efforts, "bucket", wrench)


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


assert set(DRIVE_LOADS) == set(DRIVES)


def kangaroo_a(most: int | None) -> Iterator[State]:
    """The 48 states of claim C10."""
    random = np.random.default_rng(2026092605)
    modes = list(SOLES)
    drawn = []
    for k, index in enumerate(np.linspace(8, 392, 48).astype(int)):
        count = len(_kangaroo_free(modes[k % 4]))
        u = random.uniform(-0.12, 0.12, count)
        drawn.append((0.025 * index, modes[k % 4], u, random.uniform(-200.0, 200.0, 12)))
        drawn[-1] += (LEGGED_WRENCH * _unit(random),)
        if k < 12:
            random.uniform(-0.3, 0.3, count)
    for k in spread(48, most):
        yield _kangaroo(*drawn[k])


def kangaroo_b(most: int | None) -> Iterator[State]:
    """152 drawn states on the motion; its modes go round."""
    random, modes, drawn = np.random.default_rng(SEED_B), list(SOLES), []
    for k in range(152):
        mode = modes[k % 4]
        t, u = random.uniform(0.0, 10.0), random.uniform(-0.12, 0.12, len(_kangaroo_free(mode)))
        drawn.append((t, mode, u, random.uniform(-200.0, 200.0, 12), LEGGED_WRENCH * _unit(random)))
    for k in spread(152, most):
        yield _kangaroo(*drawn[k])


def _kangaroo_free(mode: str) -> tuple[str, ...]:
    """The base's six speeds, and motors of legs that are in the air."""
    base = ("moveX", "moveY", "moveZ", "rotation.x", "rotation.y", "rotation.z")
    motors = [m for m in KANGAROO_MOTORS if m.split("_")[1] not in SOLES[mode]]
    return (*(f"base/{name}" for name in base), *motors)


def _kangaroo(t: float, mode: str, u: Array, efforts: Array, wrench: Array) -> State:
    standing, home = _kangaroo_compiled("both")
    z, y, yaw = between(PELVIS, t)
    base = (0.0, float(y), float(z), np.cos(yaw / 2.0), 0.0, 0.0, np.sin(yaw / 2.0))
    at = rc.assemble(standing, {"base": base}, near=home)
    compiled, _ = _kangaroo_compiled(mode)
    known = {t.edge.joint.name for t in compiled.tree} | set(compiled.joints)
    values = tuple((name, value) for name, value in at.values if name in known)
    q = rc.coordinates(compiled, replace(at, values=values))
    acting = dict(zip(KANGAROO_MOTORS, efforts.tolist(), strict=True))
    return State(compiled, q, _kangaroo_free(mode), u, acting, "base_link", wrench)


@cache
def _kangaroo_compiled(mode: str) -> tuple[rc.CompiledMechanism, rc.Configuration]:
    mechanism = rigid(kangaroo(limits=False, motors=KANGAROO_HOME))
    tasks = []
    for site in record("kangaroo")["sole_sites"]:
        side = site["id"].split("_")[0]
        turned = tuple(quaternion_of(np.array(site["frame_rotation"])).tolist())
        place = {"position": tuple(site["frame_translation_m"]), "rotation": turned}
        if side in SOLES[mode]:
            task = rc.Task(name=side, body=site["body"], kind=rc.JointKind.FIXED, **place)
            tasks.append(task)
    compiled = rc.compile(mechanism, tasks=tasks)
    return compiled, rc.assemble(compiled)


def go2_c8(most: int | None) -> Iterator[State]:
    """The 48 states of claim C8: the gait on two, three and four feet, in the papers' chart."""
    random = np.random.default_rng(2026092505)
    sets = [[feet for feet in SUPPORTS if len(feet) == count] for count in (2, 3, 4)]
    drawn = []
    for k, index in enumerate(np.linspace(40, 2560, 48).astype(int)):
        feet = sets[k % 3][(k // 3) % len(sets[k % 3])]
        count = 18 - 3 * len(feet)
        u, motors = random.uniform(-0.12, 0.12, count), random.uniform(-8.0, 8.0, 12)
        drawn.append((int(index), feet, u, motors, LEGGED_WRENCH * _unit(random)))
        if k < 12:
            random.uniform(-0.3, 0.3, count)
    for k in spread(48, most):
        yield _go2(*drawn[k])


def _go2(index: int, feet: Sequence[str], u: Array, efforts: Array, wrench: Array) -> State:
    base, legs = gait(index)
    compiled = rc.compile(rigid(go2(feet, limits=False, base=base, legs=legs, chart=True)))
    joints = {f: [f"{f}_{j}_joint" for j in ("hip", "thigh", "calf")] for f in FEET}
    free = [name for f in FEET if f not in feet for name in joints[f]]
    motors = [name for f in FEET for name in joints[f]]
    q = rc.coordinates(compiled, rc.assemble(compiled))
    independent = (*(f"base {name}" for name in BASE_CHART), *free)
    acting = dict(zip(motors, efforts.tolist(), strict=True))
    return State(compiled, q, independent, u, acting, record("go2")["floating_root"], wrench)
