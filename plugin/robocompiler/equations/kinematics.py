"""Where a joint puts what is outboard of it, and how it moves it.

Written once, over scalars: arrays of floats with any leading axes (a batch of configurations), or
arrays of objects that know `+ - * /`, `sin`, `cos` and `sqrt` (50-digit numbers, traced symbols).
Rotations are arrays (…, 3, 3), positions and axes (…, 3).

Speeds of a single coordinate are its rate; those of a rotation are its angular velocity in the
turned frame. Twists are spatial, linear first: the velocity of the point that passes the origin of
the frame they are seen from, then the angular velocity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.model.joint_kinds import Factor, JointKind
from robocompiler.spatial import (
    Array,
    Pose,
    apply,
    cross,
    exp_quaternion,
    log_rotation,
    quaternion_product,
    rotation_of,
)

_UNIT = np.eye(3)
_MOVES = {Factor.MOVE_X: 0, Factor.MOVE_Y: 1, Factor.MOVE_Z: 2}
_TURNS = {Factor.TURN_X: 0, Factor.TURN_Y: 1, Factor.TURN_Z: 2, Factor.HELIX_Z: 2}


def turned(R: Array, axis: int, angle: Array) -> Array:
    """R, then a turn [rad] about its own axis 0, 1 or 2: R exp(angle [e]×), shape (…, 3, 3).

    The angle has shape (…, 1).
    """
    i, j = (axis + 1) % 3, (axis + 2) % 3
    c, s = np.cos(angle), np.sin(angle)
    x, y = R[..., i], R[..., j]
    result = R + 0.0 * c[..., None]  # of the shape and kind of number that the two make
    result[..., i] = c * x + s * y
    result[..., j] = c * y - s * x
    return np.asarray(result)


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """What a single speed moves along, or about: an axis, and where it passes."""

    axis: Array
    """Of unit length, shape (…, 3)."""
    point: Array | None
    """On it [m], shape (…, 3); None where the speed moves along it and does not turn."""
    lift: float = 0.0
    """How far it advances as it turns [m/rad]."""


def along_path(
    kind: JointKind, q: Array, pitch: float, X_AF: Pose
) -> tuple[Pose, list[list[Line]]]:
    """Where M is, and what each factor's speeds move it along, seen from a frame A that F is in.

    Args:
        kind: of the joint.
        q: its coordinates [m, rad, quaternion], shape (…, nq).
        pitch: what a screw advances [m/rad].
        X_AF: its frame F seen from A.

    Returns:
        X_AM, and for each factor the line of each of its speeds, seen from A.
    """
    R, p, at = X_AF.R, X_AF.p, 0
    lines: list[list[Line]] = []
    for factor in kind.factors:
        own = q[..., at : at + factor.nq]
        if factor in _MOVES:
            axis = R[..., :, _MOVES[factor]]
            lines.append([Line(axis, None)])
            p = p + axis * own
        elif factor is Factor.ROTATION:
            R = R @ rotation_of(own)
            lines.append([Line(R[..., :, k], p) for k in range(3)])
        else:
            axis = R[..., :, _TURNS[factor]]
            lift = pitch if factor is Factor.HELIX_Z else 0.0
            lines.append([Line(axis, p, lift)])
            R = turned(R, _TURNS[factor], own)
            p = p + axis * (lift * own) if lift else p
        at += factor.nq
    if R.ndim - 1 != p.ndim:  # a batch that only moves, or only turns
        batch = np.broadcast_shapes(R.shape[:-2], p.shape[:-1])
        return Pose(np.broadcast_to(R, (*batch, 3, 3)), np.broadcast_to(p, (*batch, 3))), lines
    return Pose(R, p), lines


def twists_about(origin: Array | None, lines: Sequence[Line]) -> list[Array]:
    """The twists of lines' speeds with some origin [m], their frame's where None, (…, 6) each."""
    return [_twist(origin, line) for line in lines]


def twists_at_tip(factor: Factor, pitch: float, R: Array, arm: Array) -> list[Array]:
    """The twists of a turn's speeds with the origin at a point that it carries, (…, 6) each.

    Args:
        factor: a turn, the last motion of its joint.
        pitch: what a screw advances [m/rad].
        R: the turned frame, in the axes the twists are in, shape (…, 3, 3).
        arm: the point seen from the turned frame [m], shape (3,).
    """
    lift = pitch if factor is Factor.HELIX_Z else 0.0
    twists = []
    for k in range(3) if factor is Factor.ROTATION else (_TURNS[factor],):
        axis = R[..., :, k]
        linear = apply(R, cross(_UNIT[k], arm))
        linear = linear + lift * axis if lift else linear
        twists.append(np.concatenate([linear, axis], axis=-1))
    return twists


def as_columns(twists: Sequence[Array], batch: tuple[int, ...] = ()) -> Array:
    """Twists (…, 6) side by side, (…, 6, twists); of the shape of a batch where there are none."""
    if not twists:
        return np.zeros((*batch, 6, 0))
    return np.stack(np.broadcast_arrays(*twists), -1) if _batched(twists) else np.array(twists).T


def _batched(arrays: Sequence[Array]) -> bool:
    return any(array.ndim > 1 for array in arrays)


def _twist(origin: Array | None, line: Line) -> Array:
    axis, point = line.axis, line.point
    if point is None:
        return np.concatenate([axis, 0.0 * axis], axis=-1)
    linear = cross(point if origin is None else point - origin, axis)
    linear = linear + line.lift * axis if line.lift else linear
    if axis.shape != linear.shape:
        axis = np.broadcast_to(axis, linear.shape)
    return np.concatenate([linear, axis], axis=-1)


def joint_motion(kind: JointKind, q: Sequence[float] | Array, pitch: float = 0.0) -> Pose:
    """X_FM at the joint's coordinates, shape (…, nq)."""
    return along_path(kind, np.asarray(q), pitch, Pose.identity())[0]


def joint_columns(
    kind: JointKind, q: Sequence[float] | Array, pitch: float, X_AF: Pose
) -> tuple[Pose, Array]:
    """X_AM, and the spatial twist in A of each of the joint's speeds, shape (…, 6, dof)."""
    X, lines = along_path(kind, np.asarray(q), pitch, X_AF)
    twists = twists_about(None, [line for factor in lines for line in factor])
    return X, as_columns(twists, X.p.shape[:-1])


def joint_step(kind: JointKind, q: Sequence[float] | Array, step: Array) -> Array:
    """The coordinates after moving by `step` [m, rad], shape (…, dof): q ⊕ δ, shape (…, nq)."""
    q, parts, at, speed = np.asarray(q), [], 0, 0
    if Factor.ROTATION not in kind.factors:
        return np.asarray(q + step)
    for factor in kind.factors:
        own, delta = q[..., at : at + factor.nq], step[..., speed : speed + factor.nv]
        if factor is Factor.ROTATION:
            product = quaternion_product(own, exp_quaternion(delta))
            own = product / np.sqrt(np.sum(product * product, axis=-1, keepdims=True))
        else:
            own = own + delta
        parts.append(own)
        at, speed = at + factor.nq, speed + factor.nv
    return np.concatenate([*parts, q[..., :0]], axis=-1)


def joint_difference(kind: JointKind, start: Array, end: Array) -> Array:
    """The step δ [m, rad] with start ⊕ δ = end, shape (…, dof)."""
    if Factor.ROTATION not in kind.factors:
        return np.asarray(end - start)
    parts: list[Array] = [start[..., :0]]
    at = 0
    for factor in kind.factors:
        a, b = start[..., at : at + factor.nq], end[..., at : at + factor.nq]
        if factor is Factor.ROTATION:
            R = np.swapaxes(rotation_of(a), -1, -2) @ rotation_of(b)
            parts.append(log_rotation(R))
        else:
            parts.append(b - a)
        at += factor.nq
    return np.concatenate(parts, axis=-1)
