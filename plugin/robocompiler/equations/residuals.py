"""How far a cut joint is from closed: minimal rows for each kind, and their derivative.

Every function takes X_FM, the joint's frame M (child side) seen from its frame F (parent side).
The rows have full rank on the relative twist of the two bodies, so no chart is needed; rows of
orientation are the logarithm where three of them are held, since three perpendicularities have
false solutions. One perpendicularity has one, the axis turned over: see `is_turned_over`.

Source: EQUATIONS 4.11.
"""

from __future__ import annotations

import numpy as np

from robocompiler.model.joint_kinds import JointKind
from robocompiler.spatial import Array, Pose, cross, inverse_left_jacobian, log_rotation

_X, _Y, _Z = np.eye(3)
_POINT = np.hstack([np.eye(3), np.zeros((3, 3))])


def closure_rows(kind: JointKind, X_FM: Pose, pitch: float = 0.0, turn: float = 0.0) -> Array:
    """The residual φ of a cut joint [m, rad], shape (6 - dof,).

    Args:
        kind: of the joint that was cut.
        X_FM: its frame M seen from its frame F.
        pitch: what a screw advances [m/rad].
        turn: a screw's unwrapped angle [rad].
    """
    return _rows(kind, X_FM, pitch, turn)[0]


def closure_gradient(kind: JointKind, X_FM: Pose, pitch: float = 0.0) -> Array:
    """∂φ/∂V for V = [ṗ, ω], the motion of M as seen from F and in F's axes, shape (6 - dof, 6)."""
    return _rows(kind, X_FM, pitch, 0.0)[1]


def _rows(kind: JointKind, X: Pose, pitch: float, turn: float) -> tuple[Array, Array]:
    if kind is JointKind.FREE:
        return np.zeros(0), np.zeros((0, 6))
    if kind is JointKind.BALL:
        return X.p, _POINT
    if kind is JointKind.UNIVERSAL:
        return _stack((X.p, _POINT), _perpendicular(X, _X, 1))
    if kind is JointKind.REVOLUTE:
        return _stack((X.p, _POINT), _perpendicular(X, _Z, 0), _perpendicular(X, _Z, 1))
    if kind is JointKind.FIXED:
        return _stack((X.p, _POINT), _orientation(X))
    if kind is JointKind.PRISMATIC:
        return _stack(_along(X, _X), _along(X, _Y), _orientation(X))
    axis = _stack(_perpendicular(X, _Z, 0), _perpendicular(X, _Z, 1))
    if kind is JointKind.PLANAR:
        return _stack(_along(X, _Z), axis)
    if kind is JointKind.CYLINDRICAL:
        return _stack(_along(X, _X), _along(X, _Y), axis)
    advance = (X.p[2:] - pitch * turn, np.array([[0.0, 0.0, 1.0, 0.0, 0.0, -pitch]]))
    return _stack(_along(X, _X), _along(X, _Y), axis, advance)


def _along(X: Pose, axis: Array) -> tuple[Array, Array]:
    """M's origin must not leave the plane through F's origin whose normal is `axis`."""
    return np.array([axis @ X.p]), np.concatenate([axis, np.zeros(3)])[None]


def _perpendicular(X: Pose, axis: Array, column: int) -> tuple[Array, Array]:
    """An axis of F must be perpendicular to a column of R_FM."""
    other = X.R[:, column]
    gradient = np.concatenate([np.zeros(3), cross(other, axis)])
    return np.array([axis @ other]), gradient[None]


def _orientation(X: Pose) -> tuple[Array, Array]:
    error = log_rotation(X.R)
    return error, np.hstack([np.zeros((3, 3)), inverse_left_jacobian(error)])


def _stack(*rows: tuple[Array, Array]) -> tuple[Array, Array]:
    return np.concatenate([r[0] for r in rows]), np.vstack([r[1] for r in rows])


def is_turned_over(kind: JointKind, X_FM: Pose) -> bool:
    """Whether an axis is held the wrong way round, which the perpendicularity rows cannot see."""
    one_axis = kind in (
        JointKind.REVOLUTE,
        JointKind.CYLINDRICAL,
        JointKind.PLANAR,
        JointKind.SCREW,
    )
    return one_axis and bool(X_FM.R[2, 2] < 0.0)
