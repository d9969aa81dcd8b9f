"""Coordinates moved on in place, all joints at once: what a step of an integration does."""

from __future__ import annotations

import math

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.model.joint_kinds import Factor
from robocompiler.spatial import Array

_SMALL = 1e-4
"""Angle [rad] below which two terms of a series are exact."""


class Advance:
    """q ⊕ δ as `compiler.steps.step` has it, in microseconds. Followers are not minded."""

    def __init__(self, compiled: CompiledMechanism) -> None:
        """For the joints of the tree."""
        self._single: list[tuple[slice, slice]] = []
        self.rotations: list[tuple[slice, slice]] = []
        """Where each quaternion is in q, and its three speeds in v."""
        for joint in compiled.tree:
            q, v = joint.q.start, joint.v.start
            for factor in joint.edge.joint.kind.factors:
                own = slice(q, q + factor.nq), slice(v, v + factor.nv)
                if factor is Factor.ROTATION:
                    self.rotations.append(own)
                else:
                    self._put(*own)
                q, v = own[0].stop, own[1].stop

    def _put(self, q: slice, v: slice) -> None:
        """Coordinates that are added to, together with those right before them."""
        if self._single and self._single[-1][0].stop == q.start:
            q, v = (
                slice(before.start, own.stop)
                for before, own in zip(self._single.pop(), (q, v), strict=True)
            )
        self._single.append((q, v))

    def __call__(self, start: Array, delta: Array, end: Array) -> None:
        """end ← start ⊕ delta, shapes (nq,), (nv,), (nq,)."""
        if not self.rotations:
            np.add(start, delta, end)
            return
        for q, v in self._single:
            end[q] = start[q] + delta[v]
        for q, v in self.rotations:
            end[q] = _turned(start[q].tolist(), delta[v].tolist())

    def bend(self, moved: Array, speeds: Array, slopes: Array) -> None:
        """Make speeds of rotations the rates of what they have turned by.

        Args:
            moved: since where the step began, rotation vectors θ of it, shape (nv,).
            speeds: v there, angular velocities ω of it, shape (nv,).
            slopes: θ̇ = ω + θ × ω / 2 + θ × (θ × ω) / 12 goes where rotations are, shape (nv,).
                What is left out is of the fourth order in θ.
        """
        for _, v in self.rotations:
            a, b, c = moved[v].tolist()
            x, y, z = speeds[v].tolist()
            p, q, r = b * z - c * y, c * x - a * z, a * y - b * x
            s, t, w = b * r - c * q, c * p - a * r, a * q - b * p
            slopes[v] = (x + p / 2.0 + s / 12.0, y + q / 2.0 + t / 12.0, z + r / 2.0 + w / 12.0)


def _turned(quaternion: list[float], by: list[float]) -> tuple[float, float, float, float]:
    """A unit quaternion turned on by a rotation vector [rad] in its own frame."""
    (w, x, y, z), (a, b, c) = quaternion, by
    square = a * a + b * b + c * c
    angle = math.sqrt(square)
    half = 0.5 - square / 48.0 if angle < _SMALL else math.sin(0.5 * angle) / angle
    scalar, a, b, c = math.cos(0.5 * angle), half * a, half * b, half * c
    p = w * scalar - x * a - y * b - z * c
    q = w * a + x * scalar + y * c - z * b
    r = w * b - x * c + y * scalar + z * a
    s = w * c + x * b - y * a + z * scalar
    size = math.sqrt(p * p + q * q + r * r + s * s)
    return p / size, q / size, r / size, s / size
