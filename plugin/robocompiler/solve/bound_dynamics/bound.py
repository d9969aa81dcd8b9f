"""A mechanism's dynamics bound to generated code and to buffers: forward and inverse in
microseconds, of one state or of many.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from robocompiler.codegen.kernels import Call
from robocompiler.compiler.ports import Port
from robocompiler.errors import BadValueError, MechanismError, SampleError, raise_all
from robocompiler.solve.bound_dynamics.code import DynamicsCode
from robocompiler.solve.dynamics.forward import accelerated
from robocompiler.solve.dynamics.inverse import shared
from robocompiler.solve.dynamics.reduced import ReducedDynamics, reduced_dynamics
from robocompiler.solve.generated.bound import Bound, put
from robocompiler.solve.generated.settings import TOLERANCE, settings_of
from robocompiler.spatial import Array


class BoundDynamics:
    """A mechanism's dynamics, bound to buffers that generated code works in.

    Write `q`, the independent ones of `v`, and `efforts` or `u_dot`; call; and read: nothing is
    allocated. It closes the loops from near, as `Bound.motion` does, and what that says of states
    of which the code cannot be sure holds here. Dry friction is left out. Efforts, accelerations
    or wrenches that are not finite make results that are not.

    It may be copied and pickled; a copy has buffers of its own.

    Attributes:
        bound: the closure of the loops, whose `q`, `v`, `c` and `E` are those of this.
        v_dot: of all speeds, shape (nv,); `forward` gives them.
        independent_speeds: where the independent speeds are in `v`.
        tau: efforts along the independent speeds, shape (m,); `inverse` gives them.
        wrenches: by the name of a body or frame that was bound with loads, force and torque about
            its origin along the world's axes, shape (6,).
    """

    def __init__(
        self, code: DynamicsCode, bound: Bound, ports: Sequence[Port], loads: Sequence[str]
    ) -> None:
        """See `bind_dynamics`."""
        self.code, self.bound = code, bound
        self._ports, self._loads = tuple(ports), tuple(loads)
        places, buffer = code.places, bound.buffer
        buffer[places.rows("parameter")] = places.parameters()[:, None]
        self._efforts, self._u_dot, self.v_dot, self.tau = (
            bound.seen(buffer[places.rows(name)]) for name in ("effort", "u_dot", "v_dot", "tau")
        )
        wrenches = buffer[places.rows("wrench")]
        self.wrenches: Mapping[str, Array] = MappingProxyType(  # is written into, not replaced
            {name: bound.seen(wrenches[6 * at : 6 * at + 6]) for at, name in enumerate(loads)}
        )
        self._put_efforts = self._put_by(_direct(places.layout.partition.independent, ports))
        self.independent_speeds = _as_slice(places.layout.partition.independent)
        self._arrays = bound.q, bound.v, self.independent_speeds
        self._status: dict[str, list[Array]] = {}
        # Each is prepared when it is first called, and takes its own place here.
        self._forward: Call = partial(self._first, "_forward", "forward", True)
        self._accelerate: Call = partial(self._first, "_accelerate", "forward", False)
        self._inverse: Call = partial(self._first, "_inverse", "inverse", True)
        self._take: Call = partial(self._first, "_take", "inverse", False)

    def __reduce__(self) -> tuple[Any, ...]:
        """For `pickle`."""
        return BoundDynamics, (self.code, self.bound, self._ports, self._loads)

    def __copy__(self) -> BoundDynamics:
        """With buffers of its own, in which the same stands."""
        return BoundDynamics(self.code, copy(self.bound), self._ports, self._loads)

    @property
    def q(self) -> Array:
        """Coordinates. What is assigned is copied in."""
        return self.bound.q

    @q.setter
    def q(self, given: Array) -> None:
        self.bound.q = given

    @property
    def v(self) -> Array:
        """Speeds, of which the independent ones are minded. What is assigned is copied in."""
        return self.bound.v

    @v.setter
    def v(self, given: Array) -> None:
        self.bound.v = given

    @property
    def efforts(self) -> Array:
        """Of the ports, shape (ports,); of a batch (ports, states), and so on. What is assigned is
        copied in.
        """
        return self._efforts

    @efforts.setter
    def efforts(self, given: Array) -> None:
        put(self._efforts, "efforts", given)

    @property
    def u_dot(self) -> Array:
        """Accelerations of the independent speeds, shape (m,). What is assigned is copied in."""
        return self._u_dot

    @u_dot.setter
    def u_dot(self, given: Array) -> None:
        put(self._u_dot, "u_dot", given)

    @property
    def independent(self) -> tuple[str, ...]:
        """What the entries of u are called."""
        return self.bound.independent

    @property
    def port_records(self) -> tuple[Port, ...]:
        """What each of `ports` is."""
        return self._ports

    @property
    def ports(self) -> tuple[str, ...]:
        """What the entries of `efforts` are called."""
        return tuple(port.name for port in self._ports)

    def forward(self) -> None:
        """`u_dot` and `v_dot` by `efforts` and `wrenches`, the loops closed first.

        Raises:
            MasslessError: a motion that moves nothing that weighs anything.
            BadValueError: a place of a task moves where the code is not sure of the masses.
            BadValueError, ClosureError, CouplingError, SingularError, IllConditionedError,
            SampleError: as `Bound.motion`.
        """
        if self._forward():
            self.bound.recover()
            self.accelerate()

    def accelerate(self) -> None:
        """As `forward`, where the loops are closed and the speeds follow, by `bound.motion()`.

        Raises:
            MasslessError: a motion that moves nothing that weighs anything.
            BadValueError: a place of a task moves where the code is not sure of the masses.
        """
        if self._accelerate():
            self._recover()

    def inverse(self) -> None:
        """`tau` and `efforts` by `u_dot` and `wrenches`, the loops closed first.

        Of ports that share the work, least Σ f²; see `inverse_dynamics` for other weights.

        Raises:
            BadValueError, ClosureError, CouplingError, SingularError, IllConditionedError,
            SampleError: as `Bound.motion`.
        """
        self.efforts.fill(0.0)  # what the code subtracts
        if self._inverse():
            self.bound.recover()
            self._take()
        self._put_efforts()

    def accelerations(self, q: Array, u: Array, efforts: Array) -> Array:
        """u̇ (m,) of arrays, in and out: what `forward` does, and a few copies."""
        own_q, v, own = self._arrays
        own_q[...], v[own], self.efforts[...] = q, u, efforts
        self.forward()
        return self.u_dot.copy()

    def batch(self, states: int, threads: int = 1) -> BoundDynamics:
        """The same code on many states, each a column: `q` of shape (nq, states), and so on.

        Args:
            states: how many.
            threads: how many share the work, where the code is machine code.

        Raises:
            BadValueError: no whole number above zero.
        """
        return BoundDynamics(self.code, self.bound.batch(states, threads), self._ports, self._loads)

    def _first(self, attribute: str, name: str, closing: bool) -> int:
        """Prepare what runs all kernels of a name, which is then called directly, and call it."""
        call = self._prepared(name, closing)
        setattr(self, attribute, call)
        return call()

    def _prepared(self, name: str, closing: bool) -> Call:
        """The kernels of a name as one call, after those that close the loops where it says so."""
        bound, buffer, settings = self.bound, self.bound.whole, settings_of(TOLERANCE)
        if name not in self._status:
            counts = [len(clusters) for _, (_, clusters) in self.code.runs(name)]
            self._status[name] = bound.statuses(counts)
        status = self._status[name]

        def prepare(states: range, releasing: bool) -> list[Call]:
            calls = bound.calls("motion", states, releasing) if closing else []
            return calls + self.code.prepare(name, buffer, status, settings, states, releasing)

        return bound.prepared(prepare)

    def _recover(self) -> None:
        """Do by the reference states of which a mass matrix was refused."""
        status = np.concatenate(self._status["forward"])
        faults: list[MechanismError] = []
        for state in map(int, np.flatnonzero(np.any(status < 0, axis=0))):
            try:
                self._recover_state(state)
                self.bound.recovered += 1
            except MechanismError as cause:
                single = self.bound.buffer.shape[1] == 1
                faults.append(
                    cause if single else SampleError(state, self.bound.buffer.shape[1], cause)
                )
        raise_all(faults)

    def _recover_state(self, state: int) -> None:
        column, places = self.bound.buffer[:, state], self.code.places
        if np.any(column[places.layout.v][list(self.bound.compiled.prescribed)]):
            raise BadValueError("Bound dynamics", "v", "a moving place", "one at rest where so")
        dynamics = self._reference(state)
        f = column[places.rows("effort")]
        u_dot = accelerated(dynamics, dynamics.L.T @ f)
        column[places.rows("u_dot")] = u_dot
        column[places.rows("v_dot")] = dynamics.accelerations(u_dot)

    def _reference(self, state: int) -> ReducedDynamics:
        """The reference's terms of a state, its loops closed."""
        column, layout = self.bound.buffer[:, state], self.code.places.layout
        wrenches = column[self.code.places.rows("wrench")].reshape(-1, 6)
        g = self.code.gravity.tolist()
        return reduced_dynamics(
            self.bound.compiled,
            column[: self.bound.compiled.nq].copy(),
            column[layout.v][list(layout.partition.independent)],
            independent=layout.partition,
            ports=self._ports,
            wrenches=dict(zip(self._loads, wrenches, strict=True)),
            gravity=(g[0], g[1], g[2]),
        )

    def _put_by(self, direct: tuple[slice | list[int], Array] | None) -> Callable[[], object]:
        """What puts `efforts` by `tau`, see `_direct`."""
        if direct is None:
            return self._share
        (at, ratios), tau, efforts = direct, self.tau.T, self.efforts.T
        if isinstance(at, slice):
            return partial(np.divide, tau[..., at], ratios, efforts)
        return lambda: np.divide(tau[..., at], ratios, efforts)

    def _share(self) -> None:
        """Efforts of ports that are not each on an independent speed of its own."""
        buffer, places = self.bound.buffer, self.code.places
        for state in range(buffer.shape[1]):
            L, tau = self._reference(state).L, buffer[places.rows("tau"), state]
            buffer[places.rows("effort"), state] = shared(L, tau, np.ones(len(self._ports)))[0]


def _as_slice(speeds: Sequence[int]) -> slice | list[int]:
    """Indices, as a slice where they are evenly spaced: that is assigned to faster."""
    found = list(speeds)
    step = found[1] - found[0] if len(found) > 1 else 1
    even = bool(found) and step > 0 and found == list(range(found[0], found[-1] + 1, step))
    return slice(found[0], found[-1] + 1, step) if even else found


def _direct(
    independent: Sequence[int], ports: Sequence[Port]
) -> tuple[slice | list[int], Array] | None:
    """Which independent speed each port is on, and its ratio; None where that is not all of it."""
    column = {speed: at for at, speed in enumerate(independent)}
    if any(port.cut or len(port.tree) != 1 for port in ports):
        return None
    terms = [port.tree[0] for port in ports]
    on = [speed for speed, _ in terms]
    if len(set(on)) != len(on) or not set(on) <= set(column) or not all(r for _, r in terms):
        return None
    return _as_slice([column[speed] for speed in on]), np.array([ratio for _, ratio in terms])
