"""Bodies of a compiled mechanism walked outward in the world, by formulas of relative motion.

Of any kind of number. Every joint's elementary motions are crossed one by one: where a point fixed
to what is outboard goes, its velocity and its acceleration at v̇ = 0, by the classical terms
(centripetal, Coriolis), and what axis each speed turns about or moves along. None of the twists,
lines or recursions of the library.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism, TreeJoint
from robocompiler.model.joint_kinds import Factor
from robocompiler.spatial import Array, Pose

MOVES = {Factor.MOVE_X: 0, Factor.MOVE_Y: 1, Factor.MOVE_Z: 2}
TURNS = {Factor.TURN_X: 0, Factor.TURN_Y: 1, Factor.TURN_Z: 2, Factor.HELIX_Z: 2}


def across(a: Array, b: Array) -> Array:
    """a × b."""
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


@dataclass(frozen=True, eq=False)
class Axis:
    """What a speed does to all that is outboard of it, in the world."""

    speed: int
    axis: Array
    point: Array | None
    """It turns about the axis through here; None where it moves along it."""
    lift: float = 0.0
    """How far it moves along the axis as it turns [m/rad]."""

    def linear(self, x: Array) -> Array:
        """How it moves a point that stands at x."""
        if self.point is None:
            return self.axis
        return across(self.axis, x - self.point) + self.lift * self.axis

    @property
    def angular(self) -> Array:
        """How it turns."""
        return self.axis if self.point is not None else 0.0 * self.axis


@dataclass(frozen=True, eq=False)
class Moving:
    """A frame in the world, and how it moves while v̇ = 0."""

    R: Array
    p: Array
    v: Array
    a: Array
    omega: Array
    alpha: Array
    axes: tuple[Axis, ...] = ()
    """Of all speeds that move it."""

    def at(self, X: Pose) -> Moving:
        """Another frame fixed to it, seen from it."""
        d = self.R @ X.p
        return replace(self.shifted(d), R=self.R @ X.R)

    def shifted(self, d: Array) -> Moving:
        """The same body by another of its points, d away."""
        v, a = self.v + across(self.omega, d), self.a + across(self.alpha, d)
        return replace(self, p=self.p + d, v=v, a=a + across(self.omega, across(self.omega, d)))

    def slid(self, e: Array, way: Array, rate: Array) -> Moving:
        """What moves along e, fixed to this: `way` [m] now, at `rate` [m/s]."""
        on, along = self.shifted(e * way), e * rate
        return replace(on, v=on.v + along, a=on.a + 2.0 * across(self.omega, along))

    def spun(self, R: Array, omega: Array) -> Moving:
        """What turns about this point: its orientation, and its spin against this."""
        alpha = self.alpha + across(self.omega, omega)
        return replace(self, R=R, omega=self.omega + omega, alpha=alpha)

    def with_axes(self, axes: Sequence[Axis]) -> Moving:
        """Moved by these as well."""
        return replace(self, axes=(*self.axes, *axes))

    def jacobians(self, x: Array) -> tuple[list[int], Array, Array]:
        """Its speeds, and how they move its point at x and turn it, shape (3, speeds) each."""
        speeds = [axis.speed for axis in self.axes]
        if not speeds:
            return [], np.zeros((3, 0)), np.zeros((3, 0))
        linear = np.array([axis.linear(x) for axis in self.axes]).T
        return speeds, linear, np.array([axis.angular for axis in self.axes]).T


Walked = tuple[Moving, ...]
"""Every compiled body, the world first."""


def walk(compiled: CompiledMechanism, q: Array, v: Array) -> Walked:
    """Every body of a mechanism at q (nq,) that moves at v (nv,), v̇ being 0."""
    zero = 0.0 * np.array([v[0] if len(v) else 0.0] * 3)
    still = Moving(np.eye(3) + 0.0 * zero[0], zero, zero, zero, zero, zero)
    bodies = [still] * len(compiled.bodies)
    for tree_joint in compiled.tree:
        bodies[tree_joint.outboard] = _crossed(bodies[tree_joint.inboard], tree_joint, q, v)
    return tuple(bodies)


def _crossed(inner: Moving, joint: TreeJoint, q: Array, v: Array) -> Moving:
    """The body behind a joint."""
    edge, pitch = joint.edge, joint.edge.joint.pitch
    ways = list(zip(edge.joint.kind.factors, joint.factors, strict=True))
    moving = inner.at(edge.X_CM if joint.reversed else edge.X_PF)
    sign = -1.0 if joint.reversed else 1.0
    for factor, (own, speeds) in reversed(ways) if joint.reversed else ways:
        values, rates = q[own.start : own.stop], v[speeds.start : speeds.stop]
        moving = _CROSS[_family(factor)](moving, factor, values, rates, sign, speeds, pitch)
    return moving.at((edge.X_PF if joint.reversed else edge.X_CM).inverse())


def _family(factor: Factor) -> str:
    if factor is Factor.ROTATION:
        return "rotation"
    return "move" if factor in MOVES else "turn"


def _moved(moving, factor, q, v, sign, speeds, pitch) -> Moving:
    e = moving.R[:, MOVES[factor]]
    return moving.slid(e, sign * q[0], sign * v[0]).with_axes([Axis(speeds[0], sign * e, None)])


def _turned(moving, factor, q, v, sign, speeds, pitch) -> Moving:
    k = TURNS[factor]
    e, lift = moving.R[:, k], pitch if factor is Factor.HELIX_Z else 0.0
    axis = Axis(speeds[0], sign * e, moving.p, lift)
    if lift:
        moving = moving.slid(e, sign * lift * q[0], sign * lift * v[0])
    return moving.spun(moving.R @ _about(k, sign * q[0]), e * (sign * v[0])).with_axes([axis])


def _about(k: int, angle: Array) -> Array:
    """A turn about axis k."""
    c, s, i, j = np.cos(angle), np.sin(angle), (k + 1) % 3, (k + 2) % 3
    R = np.eye(3) + 0.0 * c
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def _rotated(moving, factor, q, v, sign, speeds, pitch) -> Moving:
    """Angular velocity is in the axes of M, which are the inner ones where it is crossed back."""
    turn = _of_quaternion(q)
    R = moving.R @ (turn if sign > 0.0 else turn.T)
    M = R if sign > 0.0 else moving.R
    axes = [Axis(speed, sign * M[:, k], moving.p) for k, speed in enumerate(speeds)]
    return moving.spun(R, sign * (M @ v)).with_axes(axes)


def _of_quaternion(q: Array) -> Array:
    """R = 1 + 2 (w [n] + [n]²) / |q|², of a quaternion w, n that need not be of unit length."""
    w, x, y, z = q
    n = np.array([[0.0 * w, -z, y], [z, 0.0 * w, -x], [-y, x, 0.0 * w]])
    return np.eye(3) + (n * w + n @ n) * (2.0 / (w * w + x * x + y * y + z * z))


_CROSS: dict[str, Callable[..., Moving]] = {
    "move": _moved,
    "turn": _turned,
    "rotation": _rotated,
}
