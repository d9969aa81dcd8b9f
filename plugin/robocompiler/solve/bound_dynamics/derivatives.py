"""How inverse and forward dynamics change with where the mechanism stands, how it moves and what
drives it: exactly, by the generated code differentiated along each of these directions.

Where it stands changes along its own motions: by the independent coordinates, the others following
so that the loops stay closed. Rotations change by turns about the axes of the turned frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.codegen.kernels import Call
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.ports import Port
from robocompiler.errors import BadValueError
from robocompiler.model.joint_kinds import Factor
from robocompiler.model.tasks import Task
from robocompiler.solve.bound_dynamics.bind import bind_dynamics
from robocompiler.solve.bound_dynamics.bound import BoundDynamics
from robocompiler.solve.bound_dynamics.tangents import tangent_calls
from robocompiler.solve.describe import describe
from robocompiler.solve.dynamics.inverse import shared
from robocompiler.solve.dynamics.support import supported
from robocompiler.solve.reduction.checks import first_of, joint_batch, read_numbers, read_q
from robocompiler.spatial import Array, Vec3, quaternion_product


@dataclass(frozen=True, slots=True, eq=False)
class Derivatives:
    """Derivatives of the residual r = M u̇ + h - Lᵀ f at one state, or at each of a batch.

    Rows are the entries of r, or of what is named; columns those of what it is derived by. All have
    leading axes as the batch has: shape (…, rows, columns).
    """

    residual_q: Array
    """By moves along the independent coordinates, u, u̇ and f kept, shape (…, m, m)."""
    residual_u: Array
    """By the independent speeds, shape (…, m, m)."""
    M: Array
    """By their rates: the reduced mass matrix, shape (…, m, m)."""
    L: Array
    """The port map, r by f being -Lᵀ, shape (…, ports, m)."""

    @property
    def u_dot_q(self) -> Array:
        """Of forward dynamics: u̇ by moves, efforts kept."""
        return np.asarray(-np.linalg.solve(self.M, self.residual_q))

    @property
    def u_dot_u(self) -> Array:
        """Of forward dynamics: u̇ by speeds."""
        return np.asarray(-np.linalg.solve(self.M, self.residual_u))

    @property
    def u_dot_efforts(self) -> Array:
        """Of forward dynamics: u̇ by efforts, shape (…, m, ports)."""
        return np.asarray(np.linalg.solve(self.M, np.swapaxes(self.L, -1, -2)))

    @property
    def efforts_q(self) -> Array:
        """Of inverse dynamics: f by moves, u̇ kept, shape (…, ports, m)."""
        return self._given(self.residual_q)

    @property
    def efforts_u(self) -> Array:
        """Of inverse dynamics: f by speeds."""
        return self._given(self.residual_u)

    @property
    def efforts_u_dot(self) -> Array:
        """Of inverse dynamics: f by accelerations."""
        return self._given(self.M)

    def _given(self, residual: Array) -> Array:
        """What efforts take a change of the residual back: the least ones where several do."""
        ports = self.L.shape[-2]
        found = np.zeros((*self.L.shape[:-1], residual.shape[-1]))
        for j in range(residual.shape[-1]):
            found[..., j] = shared(self.L, residual[..., j], np.ones(ports))[0]
        return found


class BoundDerivatives:
    """The derivatives of bound dynamics, with buffers of their own.

    Call it after `forward` or `inverse`, or after `bound.motion` with `u_dot` and `efforts` put.
    """

    def __init__(self, dynamics: BoundDynamics) -> None:
        """Prepare nothing yet: the code is generated when it is first called."""
        self.dynamics = dynamics
        places, buffer = dynamics.code.places, dynamics.bound.buffer
        self.m = len(places.layout.partition.independent)
        self.directions = 3 * self.m + places.ports
        self._height, states = buffer.shape
        self._buffer = np.zeros((2 * self._height, states * self.directions))
        self._calls: list[Call] = []

    def __call__(self) -> Derivatives:
        """The derivatives where the dynamics stand closed, at their speeds, accelerations and
        efforts.
        """
        own, given = self._columns(), self.dynamics.bound.buffer
        own[: self._height] = given[:, :, None]
        own[self._height :] = 0.0
        self._seed(own)
        if not self._calls:
            bound = self.dynamics.bound
            self._calls = tangent_calls(bound.code, self.dynamics.code, self._buffer)
        for call in self._calls:
            call()
        tau = self.dynamics.code.places.rows("tau")
        found = own[self._height :][tau].transpose(1, 0, 2)  # (states, m, directions)
        q, u, M, f = np.split(found, [self.m, 2 * self.m, 3 * self.m], axis=-1)
        parts = (q, u, M, -np.swapaxes(f, -1, -2))
        if self.dynamics.q.ndim == 1:
            parts = tuple(part[0] for part in parts)
        return Derivatives(*parts)

    def _columns(self) -> Array:
        """The buffer by states and directions, shape (rows, states, directions)."""
        states = self.dynamics.bound.buffer.shape[1]
        return self._buffer.reshape(2 * self._height, states, self.directions)

    def _seed(self, own: Array) -> None:
        """Put the directions: along the independent coordinates, speeds, rates and efforts."""
        places, bound = self.dynamics.code.places, self.dynamics.bound
        layout, m, tangents = places.layout, self.m, own[self._height :]
        compiled = layout.compiled
        E = bound.buffer[layout.E].reshape(compiled.nv, m, own.shape[1]).transpose(2, 1, 0)
        q = bound.buffer[: compiled.nq].T[:, None, :]
        tangents[: compiled.nq, :, :m] = coordinate_rates(compiled, q, E).transpose(2, 0, 1)
        for j, speed in enumerate(layout.partition.independent):
            tangents[layout.v.start + speed, :, m + j] = 1.0
            tangents[places.starts["u_dot"] + j, :, 2 * m + j] = 1.0
        for j in range(places.ports):
            tangents[places.starts["effort"] + j, :, 3 * m + j] = 1.0


def dynamics_derivatives(
    compiled: CompiledMechanism,
    q: Array,
    u: Array,
    *,
    efforts: Array | None = None,
    u_dot: Array | None = None,
    independent: Sequence[str] = (),
    support: Sequence[Task] = (),
    ports: Sequence[Port] | None = None,
    gravity: Vec3 | None = None,
) -> Derivatives:
    """The derivatives of forward dynamics where efforts are given, of inverse dynamics where
    accelerations are: at one state, or at each of a batch.

    For many calls bind once: `BoundDerivatives(bind_dynamics(compiled))`. Wrenches and dry friction
    are left out.

    Args:
        compiled: the mechanism.
        q: where it stands closed, shape (…, nq).
        u: independent speeds, shape (…, m).
        efforts: of the ports, shape (…, ports); or
        u_dot: of the independent speeds, shape (…, m).
        independent: see `bind`.
        support: see `Conditions`.
        ports: see `Conditions`.
        gravity: see `Conditions`.

    Raises:
        BadValueError: both or neither of efforts and accelerations, or arrays that do not fit; and
            others as `bind_dynamics` and `BoundDynamics.forward`.
    """
    if (efforts is None) == (u_dot is None):
        raise BadValueError("Derivatives", "efforts, u_dot", "both or neither", "one of them")
    q = read_q(compiled, q, "Derivatives")
    closed = {closure.name: (0.0, 0.0) for closure in compiled.closures}
    single = bind_dynamics(
        compiled,
        near=describe(compiled, first_of(q, "Derivatives"), closed),
        independent=independent,
        support=support,
        ports=ports,
        gravity=gravity,
    )
    held, names = supported(compiled, tuple(support)), single.independent
    given, entries = (efforts, single.ports) if u_dot is None else (u_dot, names)
    u, parameter = (
        read_numbers(u, names, "Derivatives", "u"),
        "efforts" if u_dot is None else "u_dot",
    )
    right = read_numbers(given, entries, "Derivatives", parameter)
    shapes = {"q": q.shape[:-1], "u": u.shape[:-1], parameter: right.shape[:-1]}
    batch = joint_batch("Derivatives", **shapes)
    whole, u, right = (_columns(x, batch) for x in (held.coordinates(q), u, right))
    many = single.batch(whole.shape[1])
    many.q, many.v[single.independent_speeds] = whole, u
    if u_dot is None:
        many.efforts[...] = right
        many.forward()
    else:
        many.u_dot[...] = right
        many.inverse()
    found = BoundDerivatives(many)()
    parts = (found.residual_q, found.residual_u, found.M, found.L)
    return Derivatives(*(part.reshape(*batch, *part.shape[1:]) for part in parts))


def _columns(given: Array, batch: tuple[int, ...]) -> Array:
    """Entries along the last axis as columns of states, shape (entries, states)."""
    whole = np.broadcast_to(given, (*batch, given.shape[-1]))
    return np.ascontiguousarray(whole.reshape(-1, given.shape[-1]).T)


def coordinate_rates(compiled: CompiledMechanism, q: Array, v: Array) -> Array:
    """q̇ of speeds v (…, nv) at q (…, nq), shape (…, nq): a quaternion's is ½ q ω."""
    batch = np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
    rates = np.zeros((*batch, compiled.nq))
    for joint in compiled.tree:
        kinds = joint.edge.joint.kind.factors
        for factor, (own_q, own_v) in zip(kinds, joint.factors, strict=True):
            speed = v[..., own_v.start : own_v.stop]
            if factor is Factor.ROTATION:
                at = np.broadcast_to(q[..., own_q.start : own_q.stop], (*batch, 4))
                turning = np.concatenate([np.zeros((*speed.shape[:-1], 1)), speed], axis=-1)
                speed = 0.5 * quaternion_product(at, np.broadcast_to(turning, (*batch, 4)))
            rates[..., own_q.start : own_q.stop] = speed
    return rates
