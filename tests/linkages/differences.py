"""Derivatives of the dynamics' residual by central differences in fifty digits, loops closed anew.

Of `dynamics_oracle`, which nothing of what is judged is in.
"""

from __future__ import annotations

import numpy as np

import robocompiler as rc
from dynamics_oracle import Reference, reference_dynamics
from fifty_digits import digits, floats, to_fifty_digits
from robocompiler.compiler.steps import step
from robocompiler.solve.reduction.partition import speed_names
from robocompiler.spatial import Array

STEP = 1e-14


class Residual:
    """r = Eᵀ (M (E u̇ + c) + h - τ) of a mechanism, in fifty digits, about where it stands."""

    def __init__(self, own: rc.BoundDynamics) -> None:
        """With the efforts, wrenches and accelerations that stand there."""
        self.own, self.efforts = own, port_efforts(own)
        self.partition = own.bound.code.layout.partition
        self.exact = to_fifty_digits(own.bound.compiled)
        self.q = digits(own.q.copy())
        self.u = digits(own.v[list(self.partition.independent)].copy())
        self.u_dot = digits(own.u_dot.copy())

    def at(self, q: Array, u: Array) -> Reference:
        """The reference there."""
        return reference_dynamics(
            self.own.bound.compiled,
            q,
            u,
            self.efforts,
            dict(self.own.wrenches),
            self.partition,
            self.own.code.gravity.tolist(),
        )

    def of(self, q: Array, u: Array) -> Array:
        """r there."""
        found = self.at(q, u)
        taken = found.M @ (found.E @ self.u_dot + found.c) + found.h - found.tau
        return np.asarray(found.E.T @ taken)

    def by_moves(self) -> Array:
        """∂r along the independent coordinates, shape (m, m)."""
        E = self.at(self.q, self.u).E
        ways = [digits(np.full(1, STEP)) * E[:, j] for j in range(len(self.u))]
        there = [(step(self.exact, self.q, w), step(self.exact, self.q, -w)) for w in ways]
        return self._differences([(self.of(a, self.u), self.of(b, self.u)) for a, b in there])

    def by_speeds(self) -> Array:
        """∂r by u, shape (m, m)."""
        ways = digits(STEP * np.eye(len(self.u)))
        there = [(self.u + way, self.u - way) for way in ways]
        return self._differences([(self.of(self.q, a), self.of(self.q, b)) for a, b in there])

    @staticmethod
    def _differences(pairs: list[tuple[Array, Array]]) -> Array:
        return np.stack([floats(a - b) / (2.0 * STEP) for a, b in pairs], axis=-1)


def port_efforts(own: rc.BoundDynamics) -> Array | dict[str, float]:
    """What ports do along each speed of the tree, or by name where some act on cut joints."""
    compiled, tau, by_name = own.bound.compiled, np.zeros(own.bound.compiled.nv), dict[str, float]()
    names = speed_names(compiled)
    for port, effort in zip(own._ports, own.efforts.tolist(), strict=True):
        along = [(names[speed], ratio) for speed, ratio in port.tree]
        for closure, speed, ratio in port.cut:
            along.append((compiled.closures[closure].chord.joint.speed_names[speed], ratio))
        for name, ratio in along:
            by_name[name] = by_name.get(name, 0.0) + ratio * effort
        for speed, ratio in port.tree:
            tau[speed] += ratio * effort
    return by_name if any(port.cut for port in own._ports) else tau
