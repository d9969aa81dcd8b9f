"""Claims C4, of our own excavator, and C7, of Go2 on its feet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pytest
from figure import Figure, skipped

import robocompiler as rc
from closure_figures.judged import (
    Worst,
    by_differences,
    outside,
    records_lift,
    reduced_mass,
    whole_lift,
)
from linkages.excavator import CYLINDER_SPACE, JOINT_SPACE
from linkages.oracle import Standing, loop_rows, standing_at
from linkages.robots import BASE_CHART, FEET, SUPPORTS, go2
from linkages.variants import Written, excavator_variants, go2_variants
from robocompiler.compiler.rows import linearize
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.describe import coordinates
from robocompiler.solve.reduction.reduce import reduce
from robocompiler.solve.state import starting_coordinates
from robocompiler.spatial import Array


def excavator() -> Iterator[Figure]:
    """C4: 12 variants, 2 partitions, 5 targets each around the closed seed.

    Joints move by up to 0.06 rad and cylinders by up to 0.02 m, from the seed on its branch.
    Jacobian and map against the records' own loops.
    """
    worst = Worst(
        "C4 (our own excavator)",
        {
            "gap [m]": (1e-9, ""),
            "Jacobian by differences, relative": (1e-6, ""),
            "entries outside sparsity": (0.0, ""),
            "map by modules or whole": (1e-9, ""),
            "map against the records": (1e-9, ""),
            "tangent": (1e-9, ""),
            "mass not positive, or rank another": (0.0, ""),
        },
    )
    random = np.random.default_rng(2026092601)
    for written in excavator_variants().values():
        for space in (JOINT_SPACE, CYLINDER_SPACE):
            independent = [written[1].get(name, name) for name in space]
            compiled = rc.compile(written[0])
            seed = rc.assemble(compiled, tolerance=(0.05, 0.5))
            for _ in range(5):
                target = _target(compiled, seed, independent, random)
                found = rc.assemble(compiled, target, near=seed)
                worst.see(_judged(compiled, coordinates(compiled, found), independent))
    yield from worst.figures(120)


def _target(
    compiled: rc.CompiledMechanism,
    seed: rc.Configuration,
    independent: list[str],
    random: np.random.Generator,
) -> dict[str, float]:
    kinds = {joint.name: joint.kind for joint in compiled.mechanism.joints}
    reach = [0.02 if kinds[n] is JointKind.PRISMATIC else 0.06 for n in independent]
    moves = random.uniform(-1.0, 1.0, len(independent)) * reach
    return {n: seed.of(n)[0] + by for n, by in zip(independent, moves, strict=True)}


def _judged(
    compiled: rc.CompiledMechanism, q: Array, independent: list[str]
) -> Mapping[str, float]:
    """What is judged at one closed configuration of the excavator."""
    reduction = reduce(compiled, q, independent, complete=False)
    standing = standing_at(compiled, q)
    E, settled = records_lift(compiled, standing, reduction.independent)
    K = reduction.jacobian
    differences = by_differences(compiled, q, 1e-6) - K
    heavy = np.linalg.eigvalsh(reduced_mass(compiled, reduction))[0] > 0.0
    count = len(reduction.dependent) == compiled.nv - len(independent)
    return {
        "gap [m]": standing.gaps[0],
        "Jacobian by differences, relative": _most(differences) / _most(K),
        "entries outside sparsity": _most(K[outside(compiled, standing)]),
        "map by modules or whole": _most(whole_lift(compiled, reduction) - reduction.E),
        "map against the records": _most(E - reduction.E),
        "tangent": _most(K @ reduction.E),
        "mass not positive, or rank another": 0.0 if heavy and count and settled else 1.0,
    }


def legged() -> Iterator[Figure]:
    """C7: 12 variants of Go2 of our own choice, on none or any of eleven sets of feet, 5 each.

    Base and legs around the seed, the feet held where they are. On no foot there is nothing to
    hold, and the map is the identity.
    """
    worst = Worst(
        "C7 (Go2, our variants)",
        {
            "feet's points [m]": (1e-10, ""),
            "Jacobian against the records": (1e-10, ""),
            "Jacobian by differences": (1e-7, ""),
            "entries outside sparsity": (1e-13, ""),
            "map against the records": (1e-9, ""),
            "tangent": (1e-9, ""),
        },
    )
    random, reach = np.random.default_rng(2026092501), [0.06] * 3 + [0.14] * 3 + [0.08] * 12
    try:
        legs = [f"{foot}_{j}_joint" for foot in FEET for j in ("hip", "thigh", "calf")]
        seed = {j.name: j.initial[0] for j in go2(chart=True).joints if len(j.initial) == 1}
        names = [*(f"base {name}" for name in BASE_CHART), *legs]
        rest = np.array([seed[name] for name in names])
        for feet in ((), *SUPPORTS):
            for change in go2_variants(feet).values():
                for _ in range(5):
                    q = rest + random.uniform(-1.0, 1.0, 18) * reach
                    own = dict(zip(legs, q[6:], strict=True))
                    mechanism = go2(feet, limits=False, base=q[:6], legs=own, chart=True)
                    worst.see(_on_feet(change(mechanism), feet))
    except pytest.skip.Exception:
        yield skipped("C7 (Go2, our variants)", "no record")
        return
    yield from worst.figures(720)


def _on_feet(written: Written, feet: tuple[str, ...]) -> Mapping[str, float]:
    """What is judged of Go2 as it stands: the base and the legs in the air are independent."""
    mechanism, called = written
    compiled = rc.compile(mechanism)
    q = starting_coordinates(compiled)
    air = [f"{f}_{j}_joint" for f in FEET if f not in feet for j in ("hip", "thigh", "calf")]
    asked = [called.get(n, n) for n in (*(f"base {name}" for name in BASE_CHART), *air)]
    reduction = reduce(compiled, q, asked, complete=False)
    standing, own = standing_at(compiled, q), linearize(compiled, q)
    E, settled = records_lift(compiled, standing, reduction.independent)
    K = own.jacobian
    return {
        "feet's points [m]": standing.gaps[0],
        "Jacobian against the records": _most(K - _point_rows(compiled, standing)),
        "Jacobian by differences": _most(by_differences(compiled, q, 2e-6) - K),
        "entries outside sparsity": _most(K[outside(compiled, standing)]),
        "map against the records": _most(E - reduction.E) if settled else np.nan,
        "tangent": _most(K @ reduction.E),
    }


def _point_rows(compiled: rc.CompiledMechanism, standing: Standing) -> Array:
    """How each foot moves as seen from what holds it, from the records: (3 feet, nv)."""
    slots = {t.edge.joint.name: t.v for t in compiled.tree}
    rows = loop_rows(standing, slots, compiled.nv)[:, : compiled.nv]
    cut = {joint.name: joint for joint in standing.mechanism.joints if joint.name in standing.cut}
    order = list(cut)
    parts = [np.zeros((0, compiled.nv))]
    for closure in compiled.closures:
        at = 6 * order.index(closure.chord.joint.name)
        R = standing.frames[cut[closure.chord.joint.name].parent][:3, :3]
        parts.append(R.T @ rows[at : at + 3])
    return np.concatenate(parts)


def _most(rows: Array) -> float:
    return float(np.max(np.abs(rows), initial=0.0))
