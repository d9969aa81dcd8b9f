"""A state of motion, and how states are taken from references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import robocompiler as rc
from dynamics_oracle import GRAVITY
from robocompiler.spatial import Array

SEED_B = 20260927
"""Of set B, a generator for each robot."""


@dataclass(frozen=True, eq=False)
class State:
    """A closed configuration, how its independent joints move, and what acts."""

    compiled: rc.CompiledMechanism
    q: Array
    independent: tuple[str, ...]
    u: Array
    efforts: Mapping[str, float]
    """By joint [N, N m]."""
    body: str
    wrench: Array
    """On the body, at its origin, in the world's axes."""
    free: rc.CompiledMechanism | None = None
    """Without the tasks, where these are supports that ours is told to hold."""
    others: tuple[str, ...] = ()
    """Joints that are independent in another partition, which is to accelerate alike."""

    @property
    def wrenches(self) -> dict[str, Array]:
        """By body."""
        return {self.body: self.wrench}

    def conditions(self) -> dict[str, Any]:
        """What ours is told besides the motion."""
        support = () if self.free is None else self.compiled.tasks
        given = {"wrenches": self.wrenches, "support": support, "gravity": GRAVITY}
        return {**given, "independent": self.independent}

    def bound(self) -> rc.BoundDynamics:
        """Generated code of its mechanism, tasks held."""
        return rc.bind_dynamics(
            self.compiled, independent=self.independent, loads=[self.body], gravity=GRAVITY
        )

    def without_support(self) -> tuple[rc.CompiledMechanism, Array]:
        """What ours is given, and where that stands."""
        if self.free is None:
            return self.compiled, self.q
        q = np.zeros(self.free.nq)
        for joint in self.free.tree:
            q[joint.q] = self.q[self.compiled.tree_joint(joint.edge.joint.name).q]
        return self.free, q

    def with_support(self, v_dot: Array) -> Array:
        """Accelerations that ours gives over the speeds of the mechanism so held."""
        if self.free is None:
            return v_dot
        a = np.zeros(self.compiled.nv)
        for joint in self.free.tree:
            a[self.compiled.tree_joint(joint.edge.joint.name).v] = v_dot[joint.v]
        return a

    def tree_efforts(self) -> Array:
        """On every speed of the tree."""
        tau = np.zeros(self.compiled.nv)
        for name, effort in self.efforts.items():
            tau[self.compiled.tree_joint(name).v] = effort
        return tau


def rigid(mechanism: rc.Mechanism) -> rc.Mechanism:
    """Its bodies and joints alone."""
    bare = {"damping": 0.0, "friction": 0.0, "armature": 0.0, "stiffness": 0.0}
    return replace(mechanism, joints=tuple(replace(j, **bare) for j in mechanism.joints))


def smooth(s: float) -> float:
    """From 0 to 1, at rest at both."""
    s = min(max(s, 0.0), 1.0)
    return 10.0 * s**3 - 15.0 * s**4 + 6.0 * s**5


def between(knots: Mapping[float, Sequence[float]], t: float) -> Array:
    """On the smooth way from knot to knot."""
    times = list(knots)
    k = min(int(np.searchsorted(times, t, side="right")) - 1, len(times) - 2)
    start, end = (np.array(knots[times[i]]) for i in (k, k + 1))
    share = smooth((t - times[k]) / (times[k + 1] - times[k]))
    return np.asarray(start + share * (end - start))


def spread(count: int, most: int | None) -> list[int]:
    """Of so many states at most so many, evenly spread; all where None."""
    if most is None or most >= count:
        return list(range(count))
    return np.linspace(0, count - 1, most).round().astype(int).tolist()
