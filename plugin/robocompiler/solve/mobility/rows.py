"""Names for rows and motions: which conditions are redundant, which joints move how far."""

from __future__ import annotations

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.equations.residuals import row_is_length, row_names
from robocompiler.solve.mobility.figures import JointRate, Motion, RedundantRow
from robocompiler.solve.mobility.moves import Part, held
from robocompiler.solve.reduction.partition import speed_names
from robocompiler.spatial import Array

# Rows this near the most independent one are its equals, so that their order decides.
ALIKE = 0.5
# Coordinates that move less than this share of the one that moves most are not mentioned.
STILL = 1e-3


def redundant_rows(
    compiled: CompiledMechanism, part: Part, K: Array, residuals: Array, cut: float
) -> tuple[RedundantRow, ...]:
    """The rows of a module that the others imply, the later ones where there is a choice.

    Gram and Schmidt's process with pivots, as many as the rank.

    Args:
        compiled: the mechanism.
        part: the module.
        K: its Jacobian over one unit, in general position.
        residuals: its rows over one unit, at some configurations, shape (m, rows).
        cut: share of the greatest singular value that a row must add.
    """
    s = np.linalg.svd(K, compute_uv=False)
    left, taken = np.array(K), set()
    for _ in range(int(np.sum(held(s, cut)))):
        sizes = np.linalg.norm(left, axis=1)
        at = int(np.flatnonzero(sizes >= ALIKE * sizes.max())[0])
        taken.add(at)
        along = left[at] / sizes[at]
        left = left - np.outer(left @ along, along)
        left[at] = 0.0
    worst = np.max(np.abs(residuals), axis=0) / part.row_scales
    return tuple(
        RedundantRow(closure=closure, row=row, misfit=float(worst[i]), is_length=is_length)
        for i, (closure, row, is_length) in enumerate(_rows(compiled, part))
        if i not in taken
    )


def _rows(compiled: CompiledMechanism, part: Part) -> list[tuple[str, str, bool]]:
    rows: list[tuple[str, str, bool]] = []
    for closure in (compiled.closures[i] for i in part.module.closures):
        names, lengths = row_names(closure.kind), row_is_length(closure.kind)
        rows += [(closure.name, *row) for row in zip(names, lengths, strict=True)]
    lengths = _speed_is_length(compiled)
    for coupling in (compiled.couplings[i] for i in part.module.couplings):
        rows.append((coupling.name, "coupling", lengths[coupling.follower.v]))
    return rows


def motion_of(compiled: CompiledMechanism, part: Part, direction: Array) -> Motion:
    """A direction of a module's speeds, over one unit, by the names of its coordinates.

    Of either sign, so that the coordinate that moves most moves ahead.
    """
    names, lengths = speed_names(compiled), _speed_is_length(compiled)
    most = int(np.flatnonzero(np.abs(direction) > (1.0 - STILL) * np.abs(direction).max())[0])
    direction = direction / direction[most]
    order = np.argsort(-np.round(np.abs(direction), 6), kind="stable").tolist()
    return Motion(
        rates=tuple(
            JointRate(
                coordinate=names[part.speeds[i]],
                amount=float(direction[i] / part.speed_scales[i]),
                is_length=lengths[part.speeds[i]],
            )
            for i in order
            if abs(direction[i]) > STILL
        )
    )


def _speed_is_length(compiled: CompiledMechanism) -> tuple[bool, ...]:
    return tuple(
        not factor.is_turn
        for tree_joint in compiled.tree
        for factor in tree_joint.edge.joint.kind.factors
        for _ in range(factor.nv)
    )


def actuated_speeds(compiled: CompiledMechanism, part: Part) -> list[int]:
    """Which of a module's speeds are actuated, by their place in the module."""
    driven = compiled.actuated
    return [i for i, speed in enumerate(part.speeds) if speed in driven]
