"""What a cut joint leaves free: its own coordinates and their speeds, where its loop is closed.

Every function takes X_FM, the joint's frame M seen from its frame F, of any leading axes, and
motions V = [ṗ, ω] of M against F in F's axes, as `residuals` does.
"""

from __future__ import annotations

import numpy as np

from robocompiler.equations.loops import Around, loop_columns, loop_motion
from robocompiler.model.joint_kinds import Factor, JointKind
from robocompiler.model.joint_motion import screw_turn
from robocompiler.spatial import Array, Pose, apply, log_rotation

_UNIT = np.eye(3)
_MOVES = {Factor.MOVE_X: 0, Factor.MOVE_Y: 1, Factor.MOVE_Z: 2}


def free_rows(kind: JointKind, R: Array) -> Array:
    """How V makes the joint's speeds, shape (…, dof, 6); V̇ makes their rates alike.

    The axes it frees are at right angles to each other, and to what turns them, so that no speed
    adds to the rate of another.
    """
    rows = [row for factor in kind.factors for row in _rows(factor, R)]
    none = np.zeros((*R.shape[:-2], 0, 6))
    return np.stack(np.broadcast_arrays(*rows), axis=-2) if rows else none


def _rows(factor: Factor, R: Array) -> list[Array]:
    nothing = 0.0 * R[..., 0]
    if factor in _MOVES:
        return [np.concatenate([nothing + _UNIT[_MOVES[factor]], nothing], axis=-1)]
    if factor is Factor.ROTATION:
        axes = [R[..., k] for k in range(3)]
    elif factor is Factor.TURN_Y:  # the second of a universal joint, about M's y
        axes = [R[..., 1]]
    else:
        axes = [nothing + _UNIT[0 if factor is Factor.TURN_X else 2]]
    return [np.concatenate([nothing, axis], axis=-1) for axis in axes]


def free_speeds(kind: JointKind, at: Around, v: Array) -> tuple[Array, Array]:
    """How a cut joint's speeds follow from all speeds v (…, nv), shape (…, dof, nv), and what their
    rates are at v̇ = 0, shape (…, dof).
    """
    free = free_rows(kind, at.X_FM.R)
    return free @ loop_columns(at, v.shape[-1]), apply(free, loop_motion(at, v)[1])


def free_displacement(
    kind: JointKind, X_FM: Pose, start: tuple[float, ...], reference: float, pitch: float = 0.0
) -> Array:
    """How far each of the joint's coordinates is from a reference [m or rad], shape (…, dof).

    Args:
        kind: of the joint.
        X_FM: where it stands.
        start: its coordinates as drawn: angles are taken within half a turn of them.
        reference: of every single coordinate; a rotation's is its zero.
        pitch: what a screw advances [m/rad].
    """
    found, at = list[Array](), 0
    for factor in kind.factors:
        if factor is Factor.ROTATION:
            found.append(log_rotation(X_FM.R))
        elif factor in _MOVES:
            axis = _MOVES[factor]
            found.append(X_FM.p[..., axis : axis + 1] - reference)
        elif factor is Factor.HELIX_Z and pitch:
            found.append(np.asarray(screw_turn(X_FM, pitch))[..., None] - reference)
        else:
            found.append(_angle(factor, X_FM.R, start[at])[..., None] - reference)
        at += factor.nq
    return np.concatenate([*found, X_FM.p[..., :0]], axis=-1)


def _angle(factor: Factor, R: Array, start: float) -> Array:
    """The turn of a joint [rad], within half a turn of `start`, shape (…)."""
    if factor is Factor.TURN_X:
        y, x = R[..., 2, 1], R[..., 1, 1]
    elif factor is Factor.TURN_Y:
        y, x = R[..., 0, 2], R[..., 0, 0]
    else:
        y, x = R[..., 1, 0] - R[..., 0, 1], R[..., 0, 0] + R[..., 1, 1]
    c, s = np.cos(start), np.sin(start)
    return np.asarray(start + np.arctan2(c * y - s * x, c * x + s * y))
