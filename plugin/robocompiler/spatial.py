"""Rotations, poses and twists. A twist is [linear, angular]; a quaternion is w x y z."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Vec3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

IDENTITY_ROTATION: Quaternion = (1.0, 0.0, 0.0, 0.0)

# Below this angle [rad] a series replaces a closed form: the first dropped term is under 1e-18.
SMALL_ANGLE = 1e-3


def skew(w: Array) -> Array:
    """The matrix [w]× with [w]× p = w × p, shape (3, 3)."""
    x, y, z = w
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def cross(a: Array, b: Array) -> Array:
    """The product a × b, shape (3,): `np.cross` costs ten times this on three numbers."""
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


def exp_rotation(w: Array) -> Array:
    """Rotation by |w| [rad] about w, shape (3, 3), by Rodrigues' formula."""
    angle = float(np.linalg.norm(w))
    W = skew(w)
    if angle < SMALL_ANGLE:
        s, c = 1.0 - angle**2 / 6.0 + angle**4 / 120.0, 0.5 - angle**2 / 24.0 + angle**4 / 720.0
    else:
        s, c = np.sin(angle) / angle, (1.0 - np.cos(angle)) / angle**2
    return np.asarray(np.eye(3) + s * W + c * W @ W)


def log_rotation(R: Array) -> Array:
    """The rotation vector w [rad], |w| ≤ π, with exp_rotation(w) = R, shape (3,).

    Taken from the unit quaternion: the matrix form loses half its digits near π.
    """
    w, x, y, z = quaternion_of(R)
    vector = np.array([x, y, z])
    sine = float(np.linalg.norm(vector))
    if sine < SMALL_ANGLE / 2.0:
        return np.asarray(2.0 * vector * (1.0 + sine**2 / 6.0 + 3.0 * sine**4 / 40.0))
    return np.asarray(2.0 * np.arctan2(sine, w) / sine * vector)


def inverse_left_jacobian(w: Array) -> Array:
    """J⁻¹ with d/dt log(R) = J⁻¹ ω where Ṙ = [ω]× R, shape (3, 3); |w| < 2π.

    Source: Solà, Deray, Atchuthan (2018), arXiv:1812.01537, equation 146.
    """
    angle = float(np.linalg.norm(w))
    W = skew(w)
    if angle < SMALL_ANGLE:
        c = 1.0 / 12.0 + angle**2 / 720.0
    else:
        c = (1.0 - angle / 2.0 / np.tan(angle / 2.0)) / angle**2
    return np.asarray(np.eye(3) - W / 2.0 + c * W @ W)


def rotation_of(quaternion: Quaternion | Array) -> Array:
    """Rotation matrix of a quaternion, shape (3, 3). The quaternion need not be of unit length."""
    w, x, y, z = (float(c) for c in quaternion)
    s = 2.0 / (w * w + x * x + y * y + z * z)
    return np.array(
        [
            [1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
            [s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)],
            [s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)],
        ]
    )


def quaternion_of(R: Array) -> Quaternion:
    """Unit quaternion of a rotation matrix, with w ≥ 0.

    From the largest of the four squares 4w², 4x², 4y², 4z², so that no digit is lost.
    """
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    squares = np.array([trace, R[0, 0], R[1, 1], R[2, 2]])
    largest = int(np.argmax(squares))
    if largest == 0:
        q = np.array([1.0 + trace, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    else:
        i = largest - 1
        j, k = (i + 1) % 3, (i + 2) % 3
        q = np.zeros(4)
        q[0] = R[k, j] - R[j, k]
        q[1 + i] = 1.0 + R[i, i] - R[j, j] - R[k, k]
        q[1 + j] = R[j, i] + R[i, j]
        q[1 + k] = R[k, i] + R[i, k]
    q = q / np.linalg.norm(q)
    if q[0] < 0.0:
        q = -q
    return (float(q[0]), float(q[1]), float(q[2]), float(q[3]))


def quaternion_product(a: Quaternion | Array, b: Quaternion | Array) -> Quaternion:
    """The quaternion of the rotation b followed by a, as a matrix product R_a R_b is."""
    aw, ax, ay, az = (float(c) for c in a)
    bw, bx, by, bz = (float(c) for c in b)
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """A rigid transform X_AB: frame B seen from frame A. `X_AB @ X_BC` is `X_AC`."""

    R: Array
    """Rotation R_AB, shape (3, 3)."""
    p: Array
    """Position p_AB [m], shape (3,)."""

    @staticmethod
    def identity() -> Pose:
        """The pose of a frame seen from itself."""
        return Pose(np.eye(3), np.zeros(3))

    @staticmethod
    def of(position: Vec3, rotation: Quaternion) -> Pose:
        """The pose at a position [m] with a rotation given as a quaternion."""
        return Pose(rotation_of(rotation), np.array(position, dtype=float))

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(self.R @ other.R, self.R @ other.p + self.p)

    def inverse(self) -> Pose:
        """X_BA, from X_AB."""
        return Pose(self.R.T, -self.R.T @ self.p)

    def adjoint(self) -> Array:
        """Ad with twist_A = Ad twist_B, linear first, shape (6, 6)."""
        top = np.hstack([self.R, skew(self.p) @ self.R])
        return np.vstack([top, np.hstack([np.zeros((3, 3)), self.R])])

    @property
    def position(self) -> Vec3:
        """Position as a tuple of numbers [m]."""
        return (float(self.p[0]), float(self.p[1]), float(self.p[2]))

    @property
    def quaternion(self) -> Quaternion:
        """Rotation as a unit quaternion with w ≥ 0."""
        return quaternion_of(self.R)
