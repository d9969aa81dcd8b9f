"""Claim C1: 72 models of the Stewart platform, each at five times of the reference motion."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from figure import Figure

import robocompiler as rc
from closure_figures.judged import (
    Worst,
    by_differences,
    outside,
    reduced_mass,
    relative,
)
from linkages.oracle import standing_at
from linkages.stewart import Dimensions, leg_values, pose_of, stewart, task_pose, variants
from linkages.structure import body_rows
from robocompiler.compiler.rows import linearize
from robocompiler.compiler.steps import step
from robocompiler.solve.describe import coordinates
from robocompiler.solve.reduction.reduce import reduce
from robocompiler.spatial import Array

LENGTHS = tuple(f"leg {i} length" for i in range(6))
TIMES = (0.0, 5.7, 10.6, 16.9, 20.8)
REWRITTEN = ("body frames", "order")
"""Variants that are the nominal mechanism, written down otherwise."""
OFF = 0.002
"""How far off the closed states the Jacobian is differenced [m, rad]."""


def models() -> Iterator[Figure]:
    """12 variants, 6 trees: assembled by their legs' lengths, from where they are drawn at rest.

    Mass matrices against those of the hand chart (24 speeds, another tree); the task map against
    the inverse Jacobian of the legs in closed form; gaps from the records.
    """
    worst = Worst(
        "C1",
        {
            "reduced mass, relative": (1e-9, "paper 3.77e-15"),
            "task map, relative": (1e-9, "paper 2.89e-15"),
            "gap [m]": (1e-8, "paper 5.72e-16"),
            "differences off closure": (1e-7, "paper 3.01e-10"),
            "entries outside sparsity": (1e-12, ""),
            "leg lengths [m]": (1e-12, ""),
            "pose [m]": (1e-10, ""),
        },
    )
    random = np.random.default_rng(20260925)
    for name, dimensions in variants().items():
        meant = variants()["nominal"] if name in REWRITTEN else dimensions
        expected = [_charted(meant, t) for t in TIMES]
        for ball in range(6):
            compiled = rc.compile(stewart(dimensions=dimensions, tree_ball=ball))
            for t, mass in zip(TIMES, expected, strict=True):
                _see(worst, compiled, dimensions, t, mass, random)
    yield from worst.figures(360)


def _charted(dimensions: Dimensions, t: float) -> Array:
    """M_r of the platform that also hangs free on the world, all six balls cut."""
    compiled = rc.compile(stewart(task_pose(t), dimensions, chart=True))
    q = coordinates(compiled, rc.assemble(compiled))
    return reduced_mass(compiled, reduce(compiled, q, LENGTHS))


def _see(
    worst: Worst,
    compiled: rc.CompiledMechanism,
    dimensions: Dimensions,
    t: float,
    mass: Array,
    random: np.random.Generator,
) -> None:
    """One witness."""
    asked = {n: x for n, x in leg_values(task_pose(t), dimensions).items() if n in LENGTHS}
    found = rc.assemble(compiled, asked)
    q = coordinates(compiled, found)
    reduction, standing = reduce(compiled, q, LENGTHS), standing_at(compiled, q)
    anchors = _anchors(dimensions, t)
    reached = [standing.frames[f"leg {i} ball.M"][:3, 3] for i in range(6)]
    off = step(compiled, q, random.uniform(-OFF, OFF, compiled.nv))
    K = linearize(compiled, off).jacobian
    empty = np.where(outside(compiled, standing), K, 0.0)
    task = body_rows(compiled, q, "platform") @ reduction.E
    worst.see(
        {
            "reduced mass, relative": relative(reduced_mass(compiled, reduction), mass),
            "task map, relative": relative(task, np.linalg.inv(_leg_rates(dimensions, anchors))),
            "gap [m]": standing.gaps[0],
            "differences off closure": np.max(np.abs(by_differences(compiled, off, 1e-6) - K)),
            "entries outside sparsity": np.max(np.abs(empty)),
            "leg lengths [m]": max(abs(found.of(n)[0] - x) for n, x in asked.items()),
            "pose [m]": np.max(np.abs(np.array(reached) - anchors)),
        }
    )


def _anchors(dimensions: Dimensions, t: float) -> Array:
    """Where the platform's anchors are in the world, shape (6, 3)."""
    X = pose_of(task_pose(t))
    return X.p + np.array(dimensions.platform) @ X.R.T


def _leg_rates(dimensions: Dimensions, anchors: Array) -> Array:
    """The legs' speeds by the platform's spatial twist, linear first: shape (6, 6)."""
    legs = anchors - np.array(dimensions.base)
    along = legs / np.linalg.norm(legs, axis=1, keepdims=True)
    return np.concatenate([along, np.cross(anchors, along)], axis=1)
