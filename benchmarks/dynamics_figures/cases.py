"""What is timed: generated dynamics at states, and Pinocchio and MuJoCo at the same ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from accuracy_figures.mujoco_peer import MuJoCo
from accuracy_figures.pinocchio_peer import Pinocchio
from accuracy_figures.state import State

import robocompiler as rc
from dynamics_oracle import Reference, reference_dynamics
from linkages.many_loops import module_chain
from linkages.stewart import stewart
from robocompiler.compiler.steps import step
from robocompiler.model.joint_kinds import JointKind
from robocompiler.spatial import Array

Call = Callable[[], object]
TOLERANCE = 1e-13
"""Root sum of squares of the rows [m over the size, rad] to which ours closes."""
STATES = 4
"""At which accelerations are judged; at the first they are timed."""
SIZES: Mapping[str, tuple[Callable[[], rc.Mechanism], float, float, float]] = {
    "Stewart, 24 coordinates": (partial(stewart, chart=True), 0.02, 0.23, 900.0),
    "Stewart, 21 coordinates": (stewart, 0.02, 0.23, 900.0),
}
"""How far [m] the lengths are drawn from where the platform is drawn, speeds [m/s], efforts [N]."""
FAR, FAST, STRONG = 0.05, 0.3, 1.0
"""The same of a chain's cranks [rad, rad/s, N m]."""


@dataclass(frozen=True)
class Case:
    """A mechanism and drawn states of it."""

    compiled: rc.CompiledMechanism
    bound: rc.BoundDynamics
    q: Array
    """Closed, shape (states, nq)."""
    u: Array
    efforts: Array
    v: Array
    """Of all joints, as `u` has it, shape (states, nv)."""
    peers: rc.CompiledMechanism
    """What the others are given."""

    def set(self, state: int = 0) -> None:
        """Put a state into the buffers."""
        self.bound.q[:], self.bound.v[:] = self.q[state], self.v[state]
        self.bound.efforts[:] = self.efforts[state]

    @cached_property
    def references(self) -> list[Reference]:
        """In fifty digits, of every state."""
        return [self._reference(*own) for own in zip(self.q, self.u, self.efforts, strict=True)]

    def _reference(self, q: Array, u: Array, efforts: Array) -> Reference:
        acting = dict(zip(self.bound.ports, efforts.tolist(), strict=True))
        return reference_dynamics(self.compiled, q, u, acting, None, self.bound.independent)

    def error(self) -> float:
        """The largest δ_a of ours (equation 23)."""
        found = []
        for state, reference in enumerate(self.references):
            self.set(state)
            self.bound.forward()
            found.append(reference.acceleration_error(self.bound.v_dot))
        return float(np.max(found))

    def inverse_error(self) -> float:
        """The largest error of ours in efforts, over the largest of efforts and bias."""
        found = []
        for state, reference in enumerate(self.references):
            self.set(state)
            self.bound.u_dot[:] = reference.u_dot
            self.bound.inverse()
            found.append(reference.effort_error(self.bound.tau, reference.u_dot))
        return float(np.max(found))

    def arrays(self) -> Call:
        """Ours of arrays, in and out."""
        return partial(self.bound.accelerations, self.q[0], self.u[0], self.efforts[0])

    def state(self, at: int = 0) -> State:
        """One, as the peers of `accuracy.py` take it."""
        acting = dict(zip(self.bound.ports, self.efforts[at].tolist(), strict=True))
        names = self.bound.independent
        body = self.peers.bodies[-1].name
        return State(self.peers, self.q[at], names, self.u[at], acting, body, np.zeros(6))


def case(
    mechanism: rc.Mechanism,
    far: float,
    fast: float,
    strong: float,
    states: int = STATES,
    peers: rc.CompiledMechanism | None = None,
) -> Case:
    """States drawn around the drawing: independent coordinates, speeds and efforts."""
    compiled, random = rc.compile(mechanism), np.random.default_rng(2026120100)
    bound = rc.bind_dynamics(compiled, tolerance=TOLERANCE)
    home, own = np.array(bound.q), list(bound.bound.code.layout.partition.independent)
    found: list[tuple[Array, Array, Array, Array]] = []
    for _ in range(states):
        moved, u, efforts = random.uniform(-1.0, 1.0, (3, len(own)))
        delta = np.zeros(compiled.nv)
        delta[own] = far * moved
        bound.q[:], bound.v[own] = step(compiled, home[None], delta[None])[0], fast * u
        bound.bound.motion()
        found.append((np.array(bound.q), fast * u, strong * efforts, np.array(bound.v)))
    columns = [np.array(column) for column in zip(*found, strict=True)]
    return Case(compiled, bound, *columns, compiled if peers is None else peers)


def stewart_case(name: str) -> Case:
    """One of `SIZES`."""
    make, *sizes = SIZES[name]
    return case(make(), *sizes)


def chain_case(modules: int, states: int = 1) -> Case:
    """Four-bars in a row. Peers close each at one point: a pin would be twice the rows to them."""
    mechanism = module_chain(modules)
    cut = [
        replace(joint, kind=JointKind.BALL, start=()) if joint.closes_loop else joint
        for joint in mechanism.joints
    ]
    peers = rc.compile(replace(mechanism, joints=tuple(cut)))
    return case(mechanism, FAR, FAST, STRONG, states, peers)


class PinocchioAt:
    """A case in Pinocchio, at its first state."""

    def __init__(self, own: Case) -> None:
        self.own, self.peer = own, Pinocchio(own.peers, own.q[0])

    def call(self, function: str, mu: float, most: int) -> tuple[Call, float]:
        """`constraintDynamics` or `lcaba`, and the largest δ_a of its accelerations."""
        own = self.own
        q, v, tau = given = self.peer.arrays(own.state(), own.v[0])
        call, found = self.peer.prepared(function, mu, most, given), []
        for state in reversed(range(len(own.q))):  # the first, which is timed, stays there
            q[:], v[:], tau[:] = self.peer.arrays(own.state(state), own.v[state])
            v_dot = self.peer.ours(own.q[state], own.v[state], np.array(call()))
            found.append(own.references[state].acceleration_error(v_dot))
        return call, float(np.max(found))

    def inverse(self) -> Call:
        """`rnea`, which knows of no closure."""
        pin, model = self.peer.pin, self.peer.model
        q, v, _ = self.peer.arrays(self.own.state(), self.own.v[0])
        return partial(pin.rnea, model, model.createData(), q, v, v)


class MuJoCoAt:
    """A case in MuJoCo, as `mujoco_peer` sets it, at its first state."""

    def __init__(self, own: Case) -> None:
        import mujoco

        self.mujoco, self.peer, found = mujoco, MuJoCo(own.peers, own.q[0]), []
        self.peer.model.opt.jacobian = mujoco.mjtJacobian.mjJAC_AUTO
        for state in reversed(range(len(own.q))):
            v_dot = self.peer.forward(own.state(state), own.v[state])
            found.append(own.references[state].acceleration_error(v_dot))
        self.error = float(np.max(found))
        self.given = tuple(np.array(array) for array in self._arrays())

    def _arrays(self) -> tuple[Any, Any, Any]:
        data = self.peer.data
        return data.qpos, data.qvel, data.qfrc_applied

    def forward(self) -> Call:
        """The call alone."""
        return partial(self.mujoco.mj_forward, self.peer.model, self.peer.data)

    def from_arrays(self) -> Call:
        """With the state written into MuJoCo's arrays, and a copy of the accelerations."""
        forward, (q, v, f), data = self.forward(), self._arrays(), self.peer.data
        given_q, given_v, given_f = self.given

        def call() -> Array:
            q[:], v[:], f[:] = given_q, given_v, given_f
            forward()
            return np.array(data.qacc)

        return call

    def inverse(self) -> Call:
        """Its inverse dynamics, of the forces of constraints too."""
        return partial(self.mujoco.mj_inverse, self.peer.model, self.peer.data)

    def many(self, simulations: int) -> tuple[Call, Call]:
        """A step, and accelerations alone, of a batch that starts from the state each time."""
        from mujoco.batch import Batch

        batch = Batch(self.peer.model, nsim=simulations, nthread=1)
        names = ("qpos", "qvel", "qfrc_applied")
        for name, array in zip(names, self.given, strict=True):
            batch.bind(name)[:] = array
        batch.forward()
        start = np.array(batch.state)

        def step() -> None:
            batch.state[:] = start
            batch.step()

        return step, batch.forward
