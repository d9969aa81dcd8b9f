"""How points of a mechanism accelerate, walked outward from the world in its records alone.

Textbook formulas of relative motion, body by body: none of `solve.reduction.curvature`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from linkages.oracle import Matrix, Standing
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Joint

Speeds = Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class Moved:
    """A body's motion: of a point fixed to it, and its spin and the rate of that."""

    at: Matrix
    v: Matrix
    a: Matrix
    omega: Matrix
    alpha: Matrix

    def of(self, point: Matrix) -> tuple[Matrix, Matrix]:
        """Velocity and acceleration of another point fixed to it."""
        r = point - self.at
        turned = np.cross(self.omega, r)
        v = self.v + turned
        return v, self.a + np.cross(self.alpha, r) + np.cross(self.omega, turned)


def moved_bodies(standing: Standing, speeds: Speeds, rates: Speeds) -> dict[str, Moved]:
    """Every body's motion, the tree's joints moving at speeds whose rates are given."""
    still = np.zeros(3)
    found = {WORLD: Moved(still, still, still, still, still)}
    for body, (joint, inboard, sign) in standing.inboard.items():
        u, du = speeds.get(joint.name, ()), rates.get(joint.name, ())
        found[body] = _outward(standing, found[inboard], joint, sign, np.array(u), np.array(du))
    return found


def _outward(
    standing: Standing, inner: Moved, joint: Joint, sign: float, u: Matrix, du: Matrix
) -> Moved:
    F, M = standing.frames[joint.parent], standing.frames[joint.child]
    point = (M if sign > 0.0 else F)[:3, 3]
    v, a = inner.of(point)
    if joint.kind is JointKind.PRISMATIC:
        along, faster = sign * F[:3, 2] * u[0], sign * F[:3, 2] * du[0]
        bent = 2.0 * np.cross(inner.omega, along) + faster
        return Moved(point, v + along, a + bent, inner.omega, inner.alpha)
    if joint.kind is JointKind.FIXED:
        return Moved(point, v, a, inner.omega, inner.alpha)
    axes = {JointKind.REVOLUTE: F[:3, 2:3], JointKind.BALL: M[:3, :3]}[joint.kind]
    spin, faster = sign * axes @ u, sign * axes @ du
    alpha = inner.alpha + faster + np.cross(inner.omega, spin)
    return Moved(point, v, a, inner.omega + spin, alpha)


def apart_at(standing: Standing, speeds: Speeds, rates: Speeds) -> float:
    """How fast the two points of any cut ball accelerate apart, the most along any world axis."""
    bodies = moved_bodies(standing, speeds, rates)
    on = {frame.name: frame.body for frame in standing.mechanism.frames}
    worst = 0.0
    for joint in standing.mechanism.joints:
        if joint.name in standing.cut:
            ends = [(on[f], standing.frames[f][:3, 3]) for f in (joint.parent, joint.child)]
            first, second = (bodies[body].of(point)[1] for body, point in ends)
            worst = max(worst, float(np.max(np.abs(first - second))))
    return worst
