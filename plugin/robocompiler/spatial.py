"""Rotations, poses and twists. A twist is [linear, angular]; a quaternion is w x y z.

Functions of rotations take any leading axes: a batch of configurations, evaluated at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Vec3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

IDENTITY_ROTATION: Quaternion = (1.0, 0.0, 0.0, 0.0)

# Below this angle [rad] a series replaces a closed form: the first dropped term is under 1e-18.
SMALL_ANGLE = 1e-3


def _entries(v: Array) -> list[Any]:
    """The entries along the last axis: plain numbers where there is no other axis.

    On plain numbers `+ - *` are the same operations, and cost a fifth of those on arrays.
    """
    return v.tolist() if v.ndim == 1 else [v[..., i] for i in range(v.shape[-1])]


def _vector(entries: list[Any]) -> Array:
    if isinstance(entries[0], np.ndarray):
        return np.stack(entries, axis=-1)
    return np.array(entries)


def _matrix(rows: list[list[Any]]) -> Array:
    if isinstance(rows[0][0], np.ndarray):
        return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    return np.array(rows)


def skew(w: Array) -> Array:
    """The matrix [w]× with [w]× p = w × p, shape (…, 3, 3)."""
    x, y, z = _entries(w)
    zero = 0.0 * x
    return _matrix([[zero, -z, y], [z, zero, -x], [-y, x, zero]])


def cross(a: Array, b: Array) -> Array:
    """The product a × b, shape (…, 3): `np.cross` costs ten times this on three numbers."""
    ax, ay, az = _entries(a)
    bx, by, bz = _entries(b)
    return _vector([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def apply(R: Array, p: Array) -> Array:
    """R p for a matrix (…, m, n) and a vector (…, n)."""
    return np.asarray(R @ p if p.ndim == 1 else (R @ p[..., None])[..., 0])


def less(a: Any, b: Any) -> Any:
    """Where a < b: of objects what their own comparison gives, so that it may be no bool yet."""
    if np.asarray(a).dtype == object:
        return np.less(a, b, dtype=object)
    return a < b


def where(test: Any, yes: Any, no: Any) -> Array:
    """`yes` where a test by `less` holds, else `no`: of a test that is no bool yet its `select`."""
    if isinstance(test, np.ndarray | np.generic) and test.dtype != object:
        return np.asarray(np.where(test, yes, no))
    return np.asarray(_SELECT(test, yes, no))


_SELECT = np.frompyfunc(
    lambda test, yes, no: (
        test.select(yes, no) if hasattr(test, "select") else (yes if test else no)
    ),
    3,
    1,
)


def _or_one(small: Any, square: Array) -> Array:
    """The square, or one where it is small: a number of the same kind, that can be divided by."""
    return where(small, 0.0 * square + 1.0, square)


def exp_rotation(w: Array) -> Array:
    """Rotation by |w| [rad] about w, shape (…, 3, 3), by Rodrigues' formula."""
    square = np.sum(w * w, axis=-1)
    small = less(square, SMALL_ANGLE**2)
    angle = np.sqrt(_or_one(small, square))
    s = where(small, 1.0 - square / 6.0 + square**2 / 120.0, np.sin(angle) / angle)
    c = where(
        small,
        0.5 - square / 24.0 + square**2 / 720.0,
        2.0 * (np.sin(angle / 2.0) / angle) ** 2,
    )
    W = skew(w)
    return np.asarray(np.eye(3) + s[..., None, None] * W + c[..., None, None] * (W @ W))


def exp_quaternion(w: Array) -> Array:
    """The unit quaternion of `exp_rotation`, shape (…, 4)."""
    square = np.sum(w * w, axis=-1)
    small = less(square, SMALL_ANGLE**2)
    angle = np.sqrt(_or_one(small, square))
    half = where(small, 0.5 - square / 48.0 + square**2 / 3840.0, np.sin(angle / 2.0) / angle)
    scalar = where(small, 1.0 - square / 8.0 + square**2 / 384.0, np.cos(angle / 2.0))
    return np.concatenate([scalar[..., None], half[..., None] * w], axis=-1)


def log_rotation(R: Array) -> Array:
    """The rotation vector w [rad], |w| ≤ π, with exp_rotation(w) = R, shape (…, 3).

    Taken from the unit quaternion: the matrix form loses half its digits near π.
    """
    q = quaternion_of(R)
    square = np.sum(q[..., 1:] * q[..., 1:], axis=-1)
    small = less(square, (SMALL_ANGLE / 2.0) ** 2)
    sine = np.sqrt(_or_one(small, square))
    series = 2.0 * (1.0 + square / 6.0 + 3.0 * square**2 / 40.0)
    scale = where(small, series, 2.0 * np.arctan2(sine, q[..., 0]) / sine)
    return np.asarray(scale[..., None] * q[..., 1:])


def _jacobian_coefficient(square: Array) -> tuple[Array, Array]:
    """c(θ) of the inverse left Jacobian, and dc/d(θ²), from θ²."""
    small = less(square, SMALL_ANGLE)
    angle = np.sqrt(_or_one(small, square))
    half = np.cos(angle / 2.0) / np.sin(angle / 2.0)
    closed = (1.0 - angle / 2.0 * half) / angle**2
    series = 1.0 / 12.0 + square / 720.0 + square**2 / 30240.0 + square**3 / 1209600.0
    slope_closed = ((1.0 + half * half) / 4.0 - half / (2.0 * angle) - 2.0 * closed) / (
        2.0 * angle**2
    )
    slope_series = 1.0 / 720.0 + square / 15120.0 + square**2 / 403200.0 + square**3 / 11404800.0
    return where(small, series, closed), where(small, slope_series, slope_closed)


def inverse_left_jacobian(w: Array) -> Array:
    """J⁻¹ with d/dt log(R) = J⁻¹ ω where Ṙ = [ω]× R, shape (…, 3, 3); |w| < 2π.

    Source: Solà, Deray, Atchuthan (2018), arXiv:1812.01537, equation 146.
    """
    W = skew(w)
    c, _ = _jacobian_coefficient(np.sum(w * w, axis=-1))
    return np.asarray(np.eye(3) - W / 2.0 + c[..., None, None] * (W @ W))


def inverse_left_jacobian_rate(w: Array, rate: Array) -> Array:
    """Time derivative of `inverse_left_jacobian` where w changes at `rate`, shape (…, 3, 3)."""
    W, V = skew(w), skew(rate)
    c, slope = _jacobian_coefficient(np.sum(w * w, axis=-1))
    speed = 2.0 * slope[..., None] * np.sum(w * rate, axis=-1, keepdims=True)
    square = speed[..., None] * (W @ W) + c[..., None, None] * (W @ V + V @ W)
    return np.asarray(square - V / 2.0)


def rotation_of(quaternion: Quaternion | Array) -> Array:
    """Rotation matrix of a quaternion, shape (…, 3, 3). It need not be of unit length."""
    q = np.asarray(quaternion)
    s = 2.0 / np.sum(q * q, axis=-1)
    w, x, y, z = _entries(q)
    return _matrix(
        [
            [1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
            [s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)],
            [s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)],
        ]
    )


def quaternion_of(R: Array) -> Array:
    """Unit quaternion of a rotation matrix, with w ≥ 0, shape (…, 4).

    From the largest of the four squares 4w², 4x², 4y², 4z², so that no digit is lost.
    """
    xx, xy, xz, yx, yy, yz, zx, zy, zz = _entries(R.reshape(*R.shape[:-2], 9))
    a, b, c = zy - yz, xz - zx, yx - xy
    d, e, f = yx + xy, xz + zx, zy + yz
    candidates = [
        [1.0 + xx + yy + zz, a, b, c],
        [a, 1.0 + xx - yy - zz, d, e],
        [b, d, 1.0 - xx + yy - zz, f],
        [c, e, f, 1.0 - xx - yy + zz],
    ]
    q = _of_largest([xx + yy + zz, xx, yy, zz], candidates)
    q = q / np.sqrt(np.sum(q * q, axis=-1, keepdims=True))
    return np.asarray(where(less(q[..., :1], 0.0), -q, q))


def _of_largest(keys: list[Any], vectors: list[list[Any]]) -> Array:
    """Of some vectors, given by their entries, the one whose key is the largest."""
    if np.asarray(keys[0]).dtype == object:
        key, best = keys[0], vectors[0]
        for other, vector in zip(keys[1:], vectors[1:], strict=True):
            larger = less(key, other)
            best = [where(larger, x, y)[()] for x, y in zip(vector, best, strict=True)]
            key = where(larger, other, key)[()]
        return _vector(best)
    table, largest = _matrix(vectors), np.argmax(_vector(keys), axis=-1)
    if table.ndim == 2:
        return np.asarray(table[largest])
    return np.asarray(np.take_along_axis(table, largest[..., None, None], axis=-2)[..., 0, :])


def quaternion_product(a: Quaternion | Array, b: Quaternion | Array) -> Array:
    """The quaternion of the rotation b followed by a, as a matrix product R_a R_b is."""
    a, b = np.asarray(a), np.asarray(b)
    aw, ax, ay, az = _entries(a)
    bw, bx, by, bz = _entries(b)
    parts = [
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    ]
    return _vector(parts)


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """A rigid transform X_AB: frame B seen from frame A. `X_AB @ X_BC` is `X_AC`."""

    R: Array
    """Rotation R_AB, shape (…, 3, 3)."""
    p: Array
    """Position p_AB [m], shape (…, 3)."""

    @staticmethod
    def identity() -> Pose:
        """The pose of a frame seen from itself."""
        return Pose(np.eye(3), np.zeros(3))

    @staticmethod
    def of(position: Vec3, rotation: Quaternion) -> Pose:
        """The pose at a position [m] with a rotation given as a quaternion."""
        return Pose(rotation_of(rotation), np.array(position, dtype=float))

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(self.R @ other.R, apply(self.R, other.p) + self.p)

    def inverse(self) -> Pose:
        """X_BA, from X_AB."""
        R = self.R.swapaxes(-1, -2)
        return Pose(R, -apply(R, self.p))

    def adjoint(self) -> Array:
        """Ad with twist_A = Ad twist_B, linear first, shape (…, 6, 6)."""
        top = np.concatenate([self.R, skew(self.p) @ self.R], axis=-1)
        bottom = np.concatenate([np.zeros_like(self.R), self.R], axis=-1)
        return np.concatenate([top, bottom], axis=-2)

    def carry(self, twists: Array) -> Array:
        """Ad twists, for twists (…, 6, k) seen from B: the same twists seen from A."""
        angular = self.R @ twists[..., 3:, :]
        linear = self.R @ twists[..., :3, :] + skew(self.p) @ angular
        return np.concatenate([linear, angular], axis=-2)

    @property
    def position(self) -> Vec3:
        """Position as a tuple of numbers [m]."""
        return (float(self.p[0]), float(self.p[1]), float(self.p[2]))

    @property
    def quaternion(self) -> Quaternion:
        """Rotation as a unit quaternion with w ≥ 0."""
        w, x, y, z = (float(c) for c in quaternion_of(self.R))
        return (w, x, y, z)
