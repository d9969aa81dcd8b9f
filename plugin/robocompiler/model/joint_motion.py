"""What the drawn pose says of a joint: its coordinates, and how far apart its two sides are.

Every function takes X_FM, the joint's frame M (child side) seen from its frame F (parent side).
"""

from __future__ import annotations

import numpy as np

from robocompiler.model.joint_kinds import JointKind
from robocompiler.spatial import Array, Pose, log_rotation


def joint_coordinates(
    kind: JointKind, X_FM: Pose, near: tuple[float, ...], pitch: float = 0.0
) -> tuple[float, ...]:
    """The joint's coordinates [m, rad, quaternion] where its two frames stand as X_FM.

    What the joint does not free is ignored. Angles are taken within half a turn of those in
    `near`, so that turns are counted; a screw's turn is taken from how far it advanced.
    """
    p, R = X_FM.p, X_FM.R
    turn_z = float(np.arctan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1]))
    if kind is JointKind.REVOLUTE:
        return (unwrapped(turn_z, near[0]),)
    if kind is JointKind.PRISMATIC:
        return (float(p[2]),)
    if kind is JointKind.SCREW:
        return (float(screw_turn(X_FM, pitch)) if pitch else unwrapped(turn_z, near[0]),)
    if kind is JointKind.CYLINDRICAL:
        return (unwrapped(turn_z, near[0]), float(p[2]))
    if kind is JointKind.UNIVERSAL:
        turn_x = float(np.arctan2(R[2, 1], R[1, 1]))
        turn_y = float(np.arctan2(R[0, 2], R[0, 0]))
        return (unwrapped(turn_x, near[0]), unwrapped(turn_y, near[1]))
    if kind is JointKind.BALL:
        return X_FM.quaternion
    if kind is JointKind.PLANAR:
        return (float(p[0]), float(p[1]), unwrapped(turn_z, near[2]))
    if kind is JointKind.TRANSLATION:
        return (float(p[0]), float(p[1]), float(p[2]))
    if kind is JointKind.FREE:
        return (float(p[0]), float(p[1]), float(p[2]), *X_FM.quaternion)
    return ()


def unwrapped(angle: float, near: float) -> float:
    """The angle [rad] that differs from `angle` by whole turns and is nearest to `near`."""
    return angle + 2.0 * np.pi * float(np.round((near - angle) / (2.0 * np.pi)))


def swing_of(quaternion: Array) -> Array:
    """How far a rotation turns [rad], 0 to π, shape (…); its quaternion has either sign."""
    along = np.linalg.norm(quaternion[..., 1:], axis=-1)
    return np.asarray(2.0 * np.arctan2(along, np.abs(quaternion[..., 0])))


def held_swing(quaternion: Array, limit: float) -> Array:
    """The nearest rotation that turns no further than `limit` [rad], shape (…, 4)."""
    along = np.linalg.norm(quaternion[..., 1:], axis=-1, keepdims=True)
    vector = quaternion[..., 1:] * np.sin(limit / 2.0) / np.maximum(along, np.finfo(float).tiny)
    scalar = np.copysign(np.cos(limit / 2.0), quaternion[..., :1])
    over = swing_of(quaternion)[..., None] > limit
    return np.where(over, np.concatenate([scalar, vector], axis=-1), quaternion)


def closure_gap(kind: JointKind, X_FM: Pose, pitch: float = 0.0, turn: float = 0.0) -> Array:
    """How far apart the two sides are, as people say it: [m, rad], shape (2,).

    The distance between the two sides along what the joint holds, and the angle by which the axes
    or frames it aligns are off. A ball has no angle, a universal joint that of its cross.
    """
    p, R = X_FM.p, X_FM.R
    tilt = float(np.arctan2(np.hypot(R[0, 2], R[1, 2]), R[2, 2]))
    if kind is JointKind.FREE:
        return np.zeros(2)
    if kind is JointKind.BALL:
        return np.array([np.linalg.norm(p), 0.0])
    if kind is JointKind.UNIVERSAL:
        return np.array([np.linalg.norm(p), abs(np.arcsin(np.clip(R[0, 1], -1.0, 1.0)))])
    if kind is JointKind.REVOLUTE:
        return np.array([np.linalg.norm(p), tilt])
    if kind is JointKind.FIXED:
        return np.array([np.linalg.norm(p), np.linalg.norm(log_rotation(R))])
    if kind is JointKind.TRANSLATION:
        return np.array([0.0, np.linalg.norm(log_rotation(R))])
    if kind is JointKind.PRISMATIC:
        return np.array([np.hypot(p[0], p[1]), np.linalg.norm(log_rotation(R))])
    if kind is JointKind.PLANAR:
        return np.array([abs(p[2]), tilt])
    if kind is JointKind.CYLINDRICAL:
        return np.array([np.hypot(p[0], p[1]), tilt])
    advance = p[2] - pitch * turn
    return np.array([np.linalg.norm([p[0], p[1], advance]), tilt])


def screw_turn(X_FM: Pose, pitch: float) -> Array:
    """A screw's angle [rad], its whole turns counted by how far it advanced, shape (…)."""
    R = X_FM.R
    angle = np.arctan2(R[..., 1, 0] - R[..., 0, 1], R[..., 0, 0] + R[..., 1, 1])
    turns = np.rint((X_FM.p[..., 2] / pitch - angle) / (2.0 * np.pi))
    return np.asarray(angle + 2.0 * np.pi * turns)
