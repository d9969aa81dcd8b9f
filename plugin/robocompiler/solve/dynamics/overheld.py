"""Supports that hold what is held already: by loops, by other supports, or by themselves.

What a support carries then cannot be told, so such sets are refused, with the rows that are too
many.
"""

from __future__ import annotations

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism, Module
from robocompiler.compiler.rows import curvature_rows, linearize
from robocompiler.equations.residuals import row_is_length, row_names
from robocompiler.errors import SupportError
from robocompiler.solve.closure import RANK_TOLERANCE, length_scale, speed_scales
from robocompiler.solve.dynamics.support import Supported
from robocompiler.solve.reduction.curvature import curvature
from robocompiler.solve.reduction.reduce import reduce
from robocompiler.solve.state import evaluate
from robocompiler.spatial import Array

# Rows this near the most independent one are its equals, so that their order decides.
ALIKE = 0.5


def refuse_overheld(held: Supported, q: Array) -> None:
    """Refuse supports that hold a motion twice where the mechanism so held stands, q (nq,).

    A direction in which a point can never move, as across the plane of a planar mechanism, is not
    held by its support and is no harm: such a point neither moves that way nor bends towards it,
    whatever the mechanism does. One that only stands still there, as across the path of a point
    of a four-bar, counts as held twice.

    Raises:
        SupportError: with the rows that the loops and the supports before them hold.
    """
    if not held.support:
        return
    rows = _support_rows(held, q)
    counts = [_rank(np.hstack([K, bends])) for K, bends in rows]
    K = np.vstack([own for own, _ in rows])
    free = _rank(K)
    if sum(counts) <= free:
        return
    names = [
        (task.name, row, bool(np.any(np.abs(both) > RANK_TOLERANCE)))
        for task, (own, bends) in zip(held.support, rows, strict=True)
        for row, both in zip(row_names(task.kind), np.hstack([own, bends]), strict=True)
    ]
    taken = _independent(K, free)
    lost = [(name, row) for i, (name, row, live) in enumerate(names) if live and i not in taken]
    raise SupportError([task.name for task in held.support], lost, sum(counts), free)


def _support_rows(held: Supported, q: Array) -> list[tuple[Array, Array]]:
    """Of each support how its rows change with each free motion, and how they bend in some.

    Angles and lengths are made one unit. Shapes (rows, m) and (rows, m + 1).
    """
    compiled = held.compiled
    modules = {task.hold: _module_of(compiled, task.hold) for task in held.support}
    size = length_scale(compiled, evaluate(compiled, q), next(iter(modules.values())))
    own = q[held.q]
    reduction = reduce(held.free, own)
    scales = speed_scales(held.free, size)[:, None]
    motions = np.linalg.qr(scales * reduction.E)[0] / scales
    # Some in which every motion takes part, and none as in another.
    some = np.cos(np.outer(np.arange(1, motions.shape[1] + 2), np.arange(1, motions.shape[1] + 1)))
    v = some @ motions.T
    c = curvature(held.free, own, v, reduction)
    found = []
    for task in held.support:
        module = modules[task.hold]
        only = Module(module.name, (_closure(compiled, task.hold),), (), module.joints)
        K = linearize(compiled, q, only).jacobian[:, held.v]
        whole = np.zeros((len(v), compiled.nv))
        whole[:, held.v] = v
        bends = curvature_rows(compiled, q, whole, only) + c @ K.T
        unit = np.array([1.0 / size if length else 1.0 for length in row_is_length(task.kind)])
        found.append((unit[:, None] * (K @ motions), unit[:, None] * bends.T))
    return found


def _closure(compiled: CompiledMechanism, hold: str) -> int:
    names = [closure.chord.joint.name for closure in compiled.closures]
    return names.index(hold)


def _module_of(compiled: CompiledMechanism, hold: str) -> Module:
    at = _closure(compiled, hold)
    return next(module for module in compiled.modules if at in module.closures)


def _rank(K: Array) -> int:
    s = np.linalg.svd(K, compute_uv=False)
    return int(np.sum(s > RANK_TOLERANCE * np.max(s, initial=1.0)))


def _independent(K: Array, rank: int) -> set[int]:
    """As many rows as the rank that imply the others, the earlier ones where there is a choice."""
    left, taken = np.array(K), set[int]()
    for _ in range(rank):
        sizes = np.linalg.norm(left, axis=1)
        at = int(np.flatnonzero(sizes >= ALIKE * sizes.max())[0])
        taken.add(at)
        along = left[at] / sizes[at]
        left = left - np.outer(left @ along, along)
        left[at] = 0.0
    return taken
