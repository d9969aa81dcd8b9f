"""States of Kangaroo on its soles, and of Go2 on its feet: claims C10 and C8, and set B.

Soles and feet are supports that are told to ours by numbers, and tasks of the mechanism for all
others; the base and what drives legs in the air are independent. Kangaroo makes the contact motion
of A.3, Go2 the gait of A.4 in the papers' chart of its base.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

import robocompiler as rc
from accuracy_figures.state import SEED_B, State, between, rigid, spread
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
from robocompiler.spatial import Array, quaternion_of

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


def kangaroo_a(most: int | None) -> Iterator[State]:
    """The 48 states of claim C10."""
    random = np.random.default_rng(2026092605)
    modes = list(SOLES)
    drawn = []
    for k, index in enumerate(np.linspace(8, 392, 48).astype(int)):
        count = len(_kangaroo_free(modes[k % 4]))
        u = random.uniform(-0.12, 0.12, count)
        drawn.append((0.025 * index, modes[k % 4], u, random.uniform(-200.0, 200.0, 12)))
        drawn[-1] += (LEGGED_WRENCH * random.uniform(-1.0, 1.0, 6),)
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
        drawn.append(
            (
                t,
                mode,
                u,
                random.uniform(-200.0, 200.0, 12),
                LEGGED_WRENCH * random.uniform(-1.0, 1.0, 6),
            )
        )
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
    free, _ = _kangaroo_compiled("none")
    return State(compiled, q, _kangaroo_free(mode), u, acting, "base_link", wrench, free)


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
        drawn.append((int(index), feet, u, motors, LEGGED_WRENCH * random.uniform(-1.0, 1.0, 6)))
        if k < 12:
            random.uniform(-0.3, 0.3, count)
    for k in spread(48, most):
        yield _go2(*drawn[k])


def _go2(index: int, feet: Sequence[str], u: Array, efforts: Array, wrench: Array) -> State:
    base, legs = gait(index)
    places = {f"base {name}": value for name, value in zip(BASE_CHART, base, strict=True)}
    standing = tuple((name, (float(value),)) for name, value in (places | legs).items())
    compiled, free = _go2_compiled(tuple(feet)), _go2_compiled(())
    q = rc.coordinates(compiled, rc.Configuration(values=standing))
    joints = {f: [f"{f}_{j}_joint" for j in ("hip", "thigh", "calf")] for f in FEET}
    air = [name for f in FEET if f not in feet for name in joints[f]]
    motors = [name for f in FEET for name in joints[f]]
    acting = dict(zip(motors, efforts.tolist(), strict=True))
    pushed = (record("go2")["floating_root"], wrench)
    return State(compiled, q, (*places, *air), u, acting, *pushed, free)


@cache
def _go2_compiled(feet: tuple[str, ...]) -> rc.CompiledMechanism:
    sites = {site["id"]: site for site in record("go2")["point_sites"]}
    tasks = [
        rc.Task(name=foot, body=sites[foot]["body"], position=tuple(sites[foot]["point_m"]))
        for foot in feet
    ]
    return rc.compile(rigid(go2(limits=False, chart=True)), tasks=tasks)
