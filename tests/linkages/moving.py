"""States of motion of the papers' claims C2, C3, C8 and C9, drawn in their order.

And how far the points of a closure accelerate apart there, with the curvature and without.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from linkages.accelerating import apart_at
from linkages.go2_gait import gait
from linkages.oracle import standing_at
from linkages.robots import BASE_CHART, FEET, SUPPORTS, go2
from linkages.stewart import stewart, task_pose
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.describe import coordinates
from robocompiler.solve.reduction.curvature import curvature
from robocompiler.solve.reduction.reduce import reduce
from robocompiler.solve.state import starting_coordinates
from robocompiler.spatial import Array

FACTORS = (0.5, 1.0, 2.0, 4.0)
"""What the independent speeds are multiplied by."""


@dataclass(frozen=True)
class Moving:
    """A closed configuration, its independent speeds, and their rate at each of `FACTORS`."""

    compiled: CompiledMechanism
    q: Array
    independent: tuple[str, ...]
    u: Array
    rates: Sequence[Array]


def stewart_moving() -> Iterator[Moving]:
    """Claim C3: the first 12 of C2's 48 states; the rates are drawn anew for each speed."""
    random = np.random.default_rng(20260929)
    drawn = []
    for t in np.linspace(0.4, 21.6, 48):
        drawn.append((t, random.uniform(-0.1, 0.1, 6)))
        random.uniform(size=12)  # forces and wrench of C2
    lengths = tuple(f"leg {i} length" for i in range(6))
    for t, u in drawn[:12]:
        compiled = compile_mechanism(stewart(task_pose(t)))
        q = coordinates(compiled, assemble(compiled))
        yield Moving(compiled, q, lengths, u, [random.uniform(-0.15, 0.15, 6) for _ in FACTORS])


def go2_moving() -> Iterator[Moving]:
    """Claim C9: the first 12 of C8's 48 samples of the gait; one rate for all speeds of a state.

    The base is in the papers' coordinates. It and the legs in the air are independent.
    """
    random, sets = (
        np.random.default_rng(2026092505),
        [[feet for feet in SUPPORTS if len(feet) == count] for count in (2, 3, 4)],
    )
    for k, index in enumerate(np.linspace(40, 2560, 48).astype(int)[:12]):
        feet = sets[k % 3][(k // 3) % len(sets[k % 3])]
        base, legs = gait(int(index))
        compiled = compile_mechanism(go2(feet, limits=False, base=base, legs=legs, chart=True))
        free = [f"{f}_{j}_joint" for f in FEET if f not in feet for j in ("hip", "thigh", "calf")]
        independent = (*(f"base {name}" for name in BASE_CHART), *free)
        u = random.uniform(-0.12, 0.12, len(independent))
        random.uniform(size=18)  # motors and wrench of C8
        rate = random.uniform(-0.3, 0.3, len(independent))
        yield Moving(compiled, starting_coordinates(compiled), independent, u, [rate] * 4)


def apart(moving: Moving) -> tuple[float, float]:
    """How fast the two points of any cut ball accelerate apart [m/s²], from the records.

    With the curvature and without; the worst of all speeds.
    """
    compiled, q = moving.compiled, moving.q
    reduction, standing = reduce(compiled, q, moving.independent), standing_at(compiled, q)
    found = []
    for factor, rate in zip(FACTORS, moving.rates, strict=True):
        v, lifted = reduction.E @ (factor * moving.u), reduction.E @ rate
        for a in (lifted + curvature(compiled, q, v, reduction), lifted):
            speeds, rates = ({t.edge.joint.name: x[t.v] for t in compiled.tree} for x in (v, a))
            found.append(apart_at(standing, speeds, rates))
    return max(found[::2]), max(found[1::2])
