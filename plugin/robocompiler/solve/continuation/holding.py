"""Which coordinates can keep the values they are given while the loops are closed."""

from __future__ import annotations

from collections.abc import Container, Sequence

import numpy as np

from robocompiler.solve.closure import count_above
from robocompiler.solve.continuation.homotopy import hold_speeds
from robocompiler.solve.continuation.tracking import Place, place_at
from robocompiler.solve.system import System
from robocompiler.spatial import Array

INDEPENDENT = 1e-4
"""Share of a speed's motion that those prescribed before leave it, for it to be prescribed too."""


def held_speeds(
    system: System, q: Array, ranks: dict[str, int], K: Array | None = None
) -> list[int]:
    """The system's speeds that can be prescribed together at a closed q, as many as there are.

    Those prescribed from outside; then in the order of `ranks`, by joint name; then actuated
    ones; then the others from the world outward.
    """
    K = system.linear(q)[1] if K is None else K
    movable = system.compiled.movable
    _, s, Vt = np.linalg.svd(K[:, list(movable)])
    freedom = dict(zip(movable, Vt[count_above(s) :].T, strict=True))
    driven = system.compiled.actuated
    order = sorted(movable, key=lambda i: (*_priority(system, i, ranks, driven), i))
    held = list(system.compiled.prescribed)
    basis = np.zeros((0, Vt.shape[1] - count_above(s)))
    for i in order:
        row = freedom[i] - basis.T @ (basis @ freedom[i])
        row = row - basis.T @ (basis @ row)
        size = float(np.linalg.norm(row))
        if size > INDEPENDENT:
            held.append(i)
            basis = np.vstack([basis, row / size])
    return held


def _priority(
    system: System, speed: int, ranks: dict[str, int], driven: Container[int]
) -> tuple[int, int]:
    tree = system.compiled.tree
    joint = next(t.edge.joint for t in tree if t.v.start <= speed < t.v.stop)
    if joint.name in ranks:
        return 0, ranks[joint.name]
    return (1 if speed in driven else 2), 0


def held_place(system: System, q: Array, first: Sequence[str]) -> Place:
    """A closed q with as many speeds prescribed as can be, those of the joints in `first` first."""
    ranks = {name: i for i, name in enumerate(first)}
    K = system.linear(q)[1]
    held = held_speeds(system, q, ranks, K)
    return place_at(system, hold_speeds(system, q, held, K), q)
