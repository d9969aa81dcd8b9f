"""Where a joint puts what is outboard of it, and how it moves it.

Speeds of a single coordinate are its rate; those of a rotation are its angular velocity in the
turned frame. Twists are spatial: linear first, of the point that passes the origin of the frame
they are seen from.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robocompiler.model.joint_kinds import Factor, JointKind
from robocompiler.spatial import (
    Array,
    Pose,
    exp_rotation,
    log_rotation,
    quaternion_of,
    quaternion_product,
    rotation_of,
)

_AXES: dict[Factor, tuple[int, ...]] = {
    Factor.MOVE_X: (0,),
    Factor.MOVE_Y: (1,),
    Factor.MOVE_Z: (2,),
    Factor.TURN_X: (3,),
    Factor.TURN_Y: (4,),
    Factor.TURN_Z: (5,),
    Factor.HELIX_Z: (5,),
    Factor.ROTATION: (3, 4, 5),
}


def factor_twists(factor: Factor, pitch: float) -> Array:
    """The twist of each speed in the frame the factor leaves, shape (6, nv)."""
    columns = np.eye(6)[:, list(_AXES[factor])]
    if factor is Factor.HELIX_Z:
        columns[2, 0] = pitch
    return columns


def factor_motion(factor: Factor, q: Sequence[float] | Array, pitch: float) -> Pose:
    """The pose a factor's coordinates make."""
    if factor is Factor.ROTATION:
        return Pose(rotation_of(np.asarray(q)), np.zeros(3))
    twist = factor_twists(factor, pitch)[:, 0] * float(q[0])
    if factor.is_turn:
        return Pose(exp_rotation(twist[3:]), twist[:3])
    return Pose(np.eye(3), twist[:3])


def joint_motion(kind: JointKind, q: Sequence[float] | Array, pitch: float = 0.0) -> Pose:
    """X_FM at the joint's coordinates."""
    return joint_columns(kind, q, pitch, Pose.identity())[0]


def joint_columns(
    kind: JointKind, q: Sequence[float] | Array, pitch: float, X_AF: Pose
) -> tuple[Pose, Array]:
    """Where M is, and how each speed moves it, seen from a frame A that F is fixed in.

    Returns:
        X_AM, and the spatial twist in A of each of the joint's speeds, shape (6, dof).
    """
    X, columns, at = X_AF, [np.zeros((6, 0))], 0
    for factor in kind.factors:
        before = X
        X = X @ factor_motion(factor, q[at : at + factor.nq], pitch)
        # A single axis is the same before and after; a rotation's speeds are seen from after.
        seen_from = X if factor is Factor.ROTATION else before
        columns.append(seen_from.adjoint() @ factor_twists(factor, pitch))
        at += factor.nq
    return X, np.hstack(columns)


def joint_step(kind: JointKind, q: Sequence[float] | Array, step: Array) -> Array:
    """The coordinates after moving by `step` [m, rad], shape (dof,): q ⊕ δ."""
    moved, at, speed = np.array(q, dtype=float), 0, 0
    for factor in kind.factors:
        if factor is Factor.ROTATION:
            turn = quaternion_of(exp_rotation(step[speed : speed + 3]))
            product = np.array(quaternion_product(moved[at : at + 4], turn))
            moved[at : at + 4] = product / np.linalg.norm(product)
        else:
            moved[at] += step[speed]
        at, speed = at + factor.nq, speed + factor.nv
    return moved


def joint_difference(kind: JointKind, start: Array, end: Array) -> Array:
    """The step δ [m, rad] with start ⊕ δ = end, shape (dof,)."""
    parts: list[Array] = []
    at = 0
    for factor in kind.factors:
        own = slice(at, at + factor.nq)
        if factor is Factor.ROTATION:
            parts.append(log_rotation(rotation_of(start[own]).T @ rotation_of(end[own])))
        else:
            parts.append(np.asarray(end[own] - start[own]))
        at += factor.nq
    return np.concatenate([np.zeros(0), *parts])
