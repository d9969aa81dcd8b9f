"""What motion efforts make: forward dynamics, and motions of which some ports are prescribed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.solve.dynamics.conditions import Conditions
from robocompiler.solve.dynamics.massless import masslessness
from robocompiler.solve.dynamics.reduced import (
    ReducedDynamics,
    named_numbers,
    reduced_dynamics,
)
from robocompiler.solve.reduction.checks import joint_batch
from robocompiler.spatial import Array, apply


@dataclass(frozen=True, slots=True, eq=False)
class ForwardDynamics:
    """The accelerations that efforts make."""

    dynamics: ReducedDynamics
    efforts: Array
    """f of each port [N or N m], shape (…, ports)."""
    u_dot: Array
    """Accelerations of the independent speeds, shape (…, m)."""
    v: Array
    """All speeds of the mechanism, shape (…, nv)."""
    v_dot: Array
    """Their rates, shape (…, nv)."""

    @property
    def ports(self) -> tuple[str, ...]:
        """What the entries of `efforts` are called."""
        return self.dynamics.port_names

    @property
    def names(self) -> tuple[str, ...]:
        """What the entries of u are called."""
        return self.dynamics.names


def forward_dynamics(
    compiled: CompiledMechanism,
    q: Array,
    u: Array,
    efforts: Array | Mapping[str, Array | float],
    **conditions: Unpack[Conditions],
) -> ForwardDynamics:
    """The accelerations of a mechanism that is driven by efforts.

    Args:
        compiled: the mechanism.
        q: where it stands closed, shape (…, nq).
        u: independent speeds, shape (…, m).
        efforts: of the ports [N or N m], in the order of `ports` of the result, shape (…, ports),
            or by name, 0 for those not given.
        **conditions: see `Conditions`.

    Raises:
        MasslessError: a motion that moves nothing that weighs anything.
        BadValueError, UnknownNameError, NotClosedError, PartitionError, SupportError: as
            `reduced_dynamics`.
    """
    dynamics = reduced_dynamics(compiled, q, u, **conditions)
    f = named_numbers(efforts, dynamics.port_names, "port", "efforts")
    joint_batch("Dynamics", motion=dynamics.v.shape[:-1], efforts=f.shape[:-1])
    u_dot = accelerated(dynamics, apply(np.swapaxes(dynamics.L, -1, -2), f))
    return moved(dynamics, f, u_dot)


def moved(dynamics: ReducedDynamics, efforts: Array, u_dot: Array) -> ForwardDynamics:
    """The result of accelerations of the independent speeds."""
    v_dot, own = dynamics.accelerations(u_dot), dynamics.supported.own
    batch = u_dot.shape[:-1]
    return ForwardDynamics(
        dynamics=dynamics,
        efforts=np.broadcast_to(efforts, (*batch, len(dynamics.ports))),
        u_dot=u_dot,
        v=own(np.broadcast_to(dynamics.v, v_dot.shape)),
        v_dot=own(v_dot),
    )


def accelerated(dynamics: ReducedDynamics, generalized: Array) -> Array:
    """u̇ of efforts along the independent speeds, shape (…, m).

    Raises:
        MasslessError: the reduced mass matrix is not positive definite.
    """
    M = dynamics.M
    masslessness(dynamics, M)
    u_dot = np.linalg.solve(M, (generalized - dynamics.h)[..., None])[..., 0]
    left = generalized - dynamics.efforts(u_dot)  # less what rounding leaves
    return np.asarray(u_dot + np.linalg.solve(M, left[..., None])[..., 0])
