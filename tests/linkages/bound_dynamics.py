"""Generated dynamics for tests, held against the reference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import robocompiler as rc
from linkages.bound import relative
from robocompiler.spatial import Array


def put_anything(own: rc.BoundDynamics, seed: int = 1, moved: float = 0.02) -> None:
    """Independent coordinates a little off, and any speeds, efforts, accelerations and wrenches."""
    random = np.random.default_rng(seed)
    compiled, given = own.bound.compiled, {*own.bound.code.layout.partition.independent}
    led = [t for t in compiled.tree if set(range(t.v.start, t.v.stop)) <= given]
    singles = [t.q.start for t in led if t.q.stop - t.q.start == t.v.stop - t.v.start == 1]
    shape = own.q.shape[1:]
    own.q[singles] += moved * random.uniform(-1.0, 1.0, (len(singles), *shape))
    own.v[...] = random.uniform(-1.0, 1.0, own.v.shape)
    own.efforts[...] = random.uniform(-5.0, 5.0, own.efforts.shape)
    own.u_dot[...] = random.uniform(-3.0, 3.0, own.u_dot.shape)
    for wrench in own.wrenches.values():
        wrench[...] = random.uniform(-10.0, 10.0, wrench.shape)


def reference_of(own: rc.BoundDynamics, state: int | None = None) -> rc.ReducedDynamics:
    """The reference where it stands, of a state of a batch."""
    at = (slice(None),) if state is None else (slice(None), state)
    partition = own.bound.code.layout.partition
    return rc.reduced_dynamics(
        own.bound.compiled,
        own.q[at].copy(),
        own.v[at][list(partition.independent)],
        independent=partition,
        ports=own._ports,
        wrenches={name: wrench[at] for name, wrench in own.wrenches.items()},
        gravity=tuple(own.code.gravity.tolist()),
    )


def forward_error(own: rc.BoundDynamics) -> float:
    """How far `forward` is from the reference, of u̇, v̇ and E u̇ + c."""
    own.forward()
    dynamics = reference_of(own)
    u_dot = np.linalg.solve(dynamics.M, dynamics.L.T @ own.efforts - dynamics.h)
    v_dot = dynamics.accelerations(u_dot)
    return max(relative(own.u_dot, u_dot), relative(own.v_dot, v_dot))


def inverse_error(own: rc.BoundDynamics) -> float:
    """How far `inverse` is from the reference: τ, and efforts that do what they can of it."""
    own.inverse()
    dynamics = reference_of(own)
    tau = dynamics.efforts(own.u_dot)
    expected = np.linalg.pinv(dynamics.L.T, rcond=1e-10) @ tau
    size = max(1.0, float(np.max(np.abs(dynamics.M @ own.u_dot), initial=0.0)))
    return max(relative(own.tau, tau), relative(own.efforts, expected) / size)


def loads_of(compiled: rc.CompiledMechanism, count: int = 2) -> Sequence[str]:
    """Bodies on which wrenches may act: the last ones of the tree."""
    names = [compiled.bodies[t.outboard].name for t in compiled.tree]
    return names[-count:]


def matrix(values: Sequence[Array]) -> Array:
    return np.stack(values, axis=-1)
