"""The logarithm of a pose, six rows for every cut, and the chart that takes free motion out of it.

The papers' form of a closure: `residuals` holds the fewest rows, this one always six, the cut
joint's own coordinates being unknowns that turn F into what M should be. Twists are linear first.

Source: M. Dastranj, J. Mattila, arXiv 2609.11338, PACDM.
"""

from __future__ import annotations

import numpy as np

from robocompiler.equations.kinematics import joint_motion
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.joint_motion import screw_turn
from robocompiler.spatial import (
    Array,
    Pose,
    apply,
    inverse_left_jacobian,
    inverse_left_jacobian_rate,
    log_rotation,
    quaternion_of,
)


def log_pose(X: Pose) -> Array:
    """The twist ρ = [v, w] [m, rad] with exp(ρ) = X, shape (…, 6); |w| ≤ π.

    The turn from the unit quaternion: the matrix form loses half its digits near π.
    """
    w = np.broadcast_to(log_rotation(X.R), X.p.shape)
    return np.concatenate([apply(inverse_left_jacobian(w), X.p), w], axis=-1)


def inverse_pose_jacobian(rho: Array) -> Array:
    """J⁻¹ with ρ̇ = J⁻¹ ξ where Ẋ = ξ X, shape (…, 6, 6).

    A twist is a rotation over dual numbers, w + ε v. So this is the rotation's J⁻¹ there: its value
    at w, and beside it its derivative along v. No 12 × 12 exponential, and smooth at zero.
    """
    v, w = rho[..., :3], rho[..., 3:]
    J, beside = inverse_left_jacobian(w), inverse_left_jacobian_rate(w, v)
    top = np.concatenate([J, beside], axis=-1)
    return np.concatenate([top, np.concatenate([0.0 * J, J], axis=-1)], axis=-2)


def chart_residual(kind: JointKind, X_FM: Pose, chart: Array, pitch: float = 0.0) -> Array:
    """ρ = log(X_FC⁻¹ X_FM) [m, rad], C being where `chart` puts the joint's M, shape (…, 6)."""
    return log_pose(joint_motion(kind, chart, pitch).inverse() @ X_FM)


def nearest_chart(kind: JointKind, X_FM: Pose, pitch: float = 0.0) -> Array:
    """The joint's coordinates where its frames stand as X_FM, shape (…, nq).

    What the joint does not free is ignored. Turns are within half a turn of zero, but a screw's,
    which its advance counts.
    """
    p, R = X_FM.p, X_FM.R
    turn = np.arctan2(R[..., 1, 0] - R[..., 0, 1], R[..., 0, 0] + R[..., 1, 1])[..., None]
    if kind is JointKind.SCREW and pitch:
        return screw_turn(X_FM, pitch)[..., None]
    if kind is JointKind.UNIVERSAL:
        about_x = np.arctan2(R[..., 2, 1], R[..., 1, 1])
        return np.stack([about_x, np.arctan2(R[..., 0, 2], R[..., 0, 0])], axis=-1)
    parts: dict[JointKind, list[Array]] = {
        JointKind.REVOLUTE: [turn],
        JointKind.SCREW: [turn],
        JointKind.PRISMATIC: [p[..., 2:]],
        JointKind.CYLINDRICAL: [turn, p[..., 2:]],
        JointKind.PLANAR: [p[..., :2], turn],
        JointKind.BALL: [quaternion_of(R)],
        JointKind.TRANSLATION: [p],
        JointKind.FREE: [p, quaternion_of(R)],
        JointKind.FIXED: [p[..., :0]],
    }
    return np.concatenate(parts[kind], axis=-1)
