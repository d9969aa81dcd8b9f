"""What it takes to move a body, or all that hangs on it: spatial inertias, moved and added.

Seen from a frame of the body's own. Wrenches and twists are linear first, [force, torque about the
frame's origin] and [velocity of the point at the origin, angular velocity]. Over numbers of any
kind and leading axes, as `kinematics` is.

Source: R. Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robocompiler.spatial import Array, Pose, apply, cross, skew

_UNIT = np.eye(3)


@dataclass(frozen=True, slots=True, eq=False)
class Rigid:
    """Of rigid bodies, which ten numbers say."""

    mass: Array
    """[kg], shape (…, 1)."""
    moment: Array
    """Mass times centre of mass [kg m], shape (…, 3)."""
    tensor: Array
    """Inertia about the frame's origin [kg m²], shape (…, 3, 3)."""


@dataclass(frozen=True, slots=True, eq=False)
class Articulated:
    """Of a body from which others hang that give way: wrench = [[L, B], [Bᵀ, J]] acceleration."""

    L: Array
    """Shape (…, 3, 3), as the others."""
    B: Array
    J: Array


SpatialInertia = Rigid | Articulated


def symmetric(matrix: Array) -> Array:
    """A matrix whose lower half is its upper one: what is the same is computed once, as symbols."""
    mirrored = np.array(matrix)
    for i, j in ((1, 0), (2, 0), (2, 1)):
        mirrored[..., i, j] = matrix[..., j, i]
    return mirrored


def rotated(R: Array, tensor: Array) -> Array:
    """R T Rᵀ of a symmetric T, shape (…, 3, 3)."""
    return symmetric(R @ (tensor @ R.swapaxes(-1, -2)))


def _both(linear: Array, angular: Array) -> Array:
    """Linear and angular part as one, shape (…, 6), whichever of them has leading axes."""
    if linear.ndim != angular.ndim:
        linear, angular = np.broadcast_arrays(linear, angular)
    return np.concatenate([linear, angular], axis=-1)


def momentum(inertia: SpatialInertia, twist: Array) -> Array:
    """The momentum of a twist, or the wrench that an acceleration takes, shape (…, 6)."""
    v, w = twist[..., :3], twist[..., 3:]
    if isinstance(inertia, Rigid):
        linear = inertia.mass * v - cross(inertia.moment, w)
        angular = apply(inertia.tensor, w) + cross(inertia.moment, v)
    else:
        linear = apply(inertia.L, v) + apply(inertia.B, w)
        angular = apply(inertia.B.swapaxes(-1, -2), v) + apply(inertia.J, w)
    return _both(linear, angular)


def added(one: SpatialInertia, other: SpatialInertia) -> SpatialInertia:
    """Of both, fixed to each other."""
    if isinstance(one, Rigid) and isinstance(other, Rigid):
        mass, moment = one.mass + other.mass, one.moment + other.moment
        return Rigid(mass, moment, one.tensor + other.tensor)
    a, b = articulated(one), articulated(other)
    return Articulated(a.L + b.L, a.B + b.B, a.J + b.J)


def articulated(inertia: SpatialInertia) -> Articulated:
    """The same in blocks."""
    if isinstance(inertia, Articulated):
        return inertia
    L = inertia.mass[..., None] * _UNIT
    return Articulated(L, -skew(inertia.moment), inertia.tensor)


def seen_from(X: Pose, inertia: SpatialInertia) -> SpatialInertia:
    """An inertia seen from frame B as it is seen from A, X being X_AB."""
    R, p = X.R, X.p
    if isinstance(inertia, Rigid):
        h, mass = apply(R, inertia.moment), inertia.mass
        moved = h + mass * p
        return Rigid(mass, moved, rotated(R, inertia.tensor) + _shifted(p, h + moved))
    P, L = skew(p), rotated(R, inertia.L)
    turned = R @ inertia.B @ R.swapaxes(-1, -2)
    B = turned - L @ P
    J = rotated(R, inertia.J) + symmetric(P @ B - turned.swapaxes(-1, -2) @ P)
    return Articulated(L, B, J)


def _shifted(p: Array, s: Array) -> Array:
    """(p·s) 1 - ½ (p sᵀ + s pᵀ): what -½ ([p][s] + [s][p]) is, shape (…, 3, 3)."""
    outer = p[..., :, None] * s[..., None, :]
    both = 0.5 * (outer + outer.swapaxes(-1, -2))
    dot = np.sum(p * s, axis=-1, keepdims=True)
    return symmetric(dot[..., None] * _UNIT - both)


def twist_in(X: Pose, twist: Array) -> Array:
    """A twist or acceleration seen from A as it is seen from B, X being X_AB, shape (…, 6)."""
    back, w = X.R.swapaxes(-1, -2), twist[..., 3:]
    linear = apply(back, twist[..., :3] + cross(w, X.p))
    return _both(linear, apply(back, w))


def wrench_from(X: Pose, wrench: Array) -> Array:
    """A wrench seen from B as it is seen from A, X being X_AB, shape (…, 6)."""
    force = apply(X.R, wrench[..., :3])
    return _both(force, apply(X.R, wrench[..., 3:]) + cross(X.p, force))


def wrench_product(twist: Array, wrench: Array) -> Array:
    """How a wrench, or a momentum, that is fixed to a moving frame changes, shape (…, 6)."""
    v, w = twist[..., :3], twist[..., 3:]
    f, n = wrench[..., :3], wrench[..., 3:]
    return _both(cross(w, f), cross(w, n) + cross(v, f))
