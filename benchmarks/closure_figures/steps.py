"""What a step of the Stewart platform takes: evaluations (T2), and time against the papers' way."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np
from figure import Figure, at_least, at_most, shown

import robocompiler as rc
from closure_figures.papers import Papers
from linkages.stewart import leg_values, stewart, task_pose
from robocompiler.solve.describe import coordinates
from robocompiler.solve.system import systems_of
from robocompiler.spatial import Array

LENGTHS = tuple(f"leg {i} length" for i in range(6))
KNOTS, EVERY = 1101, 0.02
"""The reference motion: how many knots, and how long apart [s]."""
CHUNK = 50
"""Knots in a row that either method takes before the other has its turn."""


def evaluations() -> Iterator[Figure]:
    """48 steps of 50 ms by the tangent alone: fresh evaluations to correct one."""
    compiled, counts, worst = rc.compile(stewart()), [], 0.0
    for t in np.linspace(0.5, 21.5, 48):
        before, after = (leg_values(task_pose(x)) for x in (t - 0.05, t))
        start = rc.assemble(rc.compile(stewart(task_pose(t - 0.05))))
        rows = [{name: x[name] for name in LENGTHS} for x in (before, after)]
        there = rc.follow(compiled, _table(rows[:1]), start=start)
        motion = rc.follow(compiled, _table(rows), start=start)
        counts.append(motion.work.residuals - there.work.residuals)
        swings = [name for name in after if name not in LENGTHS]
        worst = max(worst, *(abs(motion.of(name)[1] - after[name]) for name in swings))
    title = "T2, Stewart: evaluations to correct 50 ms"
    yield at_most(f"{title}, most of 48", max(counts), 3, "paper 3; dense 183, coloured 63")
    yield shown(f"{title}, mean", float(np.mean(counts)), "")
    yield at_most("T2, Stewart: legs against the closed form [rad]", worst, 1e-13, "")


def _table(rows: list[Mapping[str, float]]) -> dict[str, list[float]]:
    return {name: [row[name] for row in rows] for name in LENGTHS}


def continuation() -> Iterator[Figure]:
    """All 1101 knots in chunks, in random order: `rc.follow` as it is called, theirs in between.

    CPU time of the thread; ours with its start assembled and its complete residual verified at
    the end. Only the ratio counts, the median over the chunks.
    """
    compiled, random = rc.compile(stewart()), np.random.default_rng(7)
    legs = [leg_values(task_pose(k * EVERY)) for k in range(KNOTS)]
    chunks = [range(k, min(k + CHUNK, KNOTS)) for k in range(0, KNOTS, CHUNK)]
    ours, theirs, left = [], [], 0.0
    for at in random.permutation(len(chunks)):
        knots = chunks[at]
        start = rc.assemble(rc.compile(stewart(task_pose(knots[0] * EVERY))))
        rows = [legs[k] for k in knots]
        begin = time.thread_time()
        motion = rc.follow(compiled, _table(rows), start=start)
        middle = time.thread_time()
        left = max(left, _theirs(compiled, coordinates(compiled, start), rows))
        ours.append((middle - begin) / len(knots))
        theirs.append((time.thread_time() - middle) / len(knots))
        if motion.misfit > 1e-13:
            raise RuntimeError(f"rows of {motion.misfit} are left at knot {knots[0]}")
    ratio = float(np.median(np.array(theirs) / np.array(ours)))
    yield at_least("Stewart, 1101 knots: the papers' time over ours", ratio, 1.0, "this run")
    yield shown("Stewart, CPU a knot, `follow` [ms]", 1e3 * float(np.median(ours)), "")
    title = "Stewart, CPU a knot, the papers' way [ms]"
    yield shown(title, 1e3 * float(np.median(theirs)), f"paper 21; its rows are left at {left:.0e}")


def _theirs(compiled: rc.CompiledMechanism, q: Array, rows: list[Mapping[str, float]]) -> float:
    """Their method along the same knots; the largest row it leaves."""
    (system,) = systems_of(compiled)
    held = [i for name in LENGTHS for i in system.speeds_of(name)]
    papers, left = Papers(system, held), 0.0
    place = papers.begin(system.of(q))
    for before, after in pairwise(rows):
        to = np.array([after[name] - before[name] for name in LENGTHS])
        place = papers.warm(place, to)
        left = max(left, float(np.max(np.abs(place.rho))))
    return left
