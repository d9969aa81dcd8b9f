"""What drives must give for a motion: inverse dynamics, and who gives it where several can."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import BadValueError, UnknownNameError
from robocompiler.solve.dynamics.conditions import Conditions
from robocompiler.solve.dynamics.reduced import (
    ReducedDynamics,
    named_numbers,
    reduced_dynamics,
)
from robocompiler.solve.reduction.checks import joint_batch, read_mapping, read_numbers
from robocompiler.spatial import Array, apply

DETERMINED = 1e-10
"""Singular values of a port map, as a share of the largest, that are more than rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class InverseDynamics:
    """The efforts that a motion takes."""

    dynamics: ReducedDynamics
    u_dot: Array
    """Accelerations of the independent speeds, shape (…, m)."""
    v: Array
    """All speeds of the mechanism, shape (…, nv)."""
    v_dot: Array
    """Their rates, shape (…, nv)."""
    generalized: Array
    """τ_r: what is to be done along the independent speeds, shape (…, m)."""
    efforts: Array
    """f of each port [N or N m], shape (…, ports)."""
    missing: Array
    """What of τ_r no port can give, τ_r - Lᵀ f, shape (…, m): zero but for rounding, unless the
    mechanism has motions that nothing drives."""
    redundant: int
    """How many combinations of efforts do nothing: the efforts given are then the least ones."""
    undriven: tuple[str, ...]
    """Independent speeds along which something is missing."""

    @property
    def ports(self) -> tuple[str, ...]:
        """What the entries of `efforts` are called."""
        return self.dynamics.port_names

    @property
    def names(self) -> tuple[str, ...]:
        """What the entries of u are called."""
        return self.dynamics.names

    def of(self, port: str) -> Array:
        """The effort of the port of that name, shape (…).

        Raises:
            UnknownNameError: none is called so.
        """
        if port not in self.ports:
            raise UnknownNameError("Dynamics", "port", port, self.ports)
        return np.asarray(self.efforts[..., self.ports.index(port)])


def inverse_dynamics(
    compiled: CompiledMechanism,
    q: Array,
    u: Array,
    u_dot: Array,
    *,
    weights: Mapping[str, float] | None = None,
    **conditions: Unpack[Conditions],
) -> InverseDynamics:
    """The efforts that the drives of a mechanism must give for a motion.

    Where there are more ports than motions, those of least Σ weight · f²; where there are motions
    that no port drives, what is missing is said in `missing` and `undriven`.

    Args:
        compiled: the mechanism.
        q: where it stands closed, shape (…, nq).
        u: independent speeds, shape (…, m).
        u_dot: their rates, shape (…, m).
        weights: of ports that share the work, by name; 1 for those not given.
        **conditions: see `Conditions`.

    Raises:
        BadValueError, UnknownNameError, NotClosedError, PartitionError, SupportError: as
            `reduced_dynamics`.
    """
    dynamics = reduced_dynamics(compiled, q, u, **conditions)
    rates = read_numbers(u_dot, dynamics.names, "Dynamics", "u_dot")
    joint_batch("Dynamics", motion=dynamics.v.shape[:-1], u_dot=rates.shape[:-1])
    needed = dynamics.efforts(rates)
    efforts, rank = shared(dynamics.L, needed, port_weights(dynamics, weights))
    missing = needed - apply(np.swapaxes(dynamics.L, -1, -2), efforts)
    own = dynamics.supported.own
    v_dot = dynamics.accelerations(rates)
    return InverseDynamics(
        dynamics=dynamics,
        u_dot=rates,
        v=own(np.broadcast_to(dynamics.v, v_dot.shape)),
        v_dot=own(v_dot),
        generalized=needed,
        efforts=efforts,
        missing=missing,
        redundant=len(dynamics.ports) - rank,
        undriven=_undriven(dynamics, needed, missing),
    )


def port_weights(dynamics: ReducedDynamics, weights: Mapping[str, float] | None) -> Array:
    """The weight of each port, shape (ports,).

    Raises:
        UnknownNameError: no port is called so.
        BadValueError: a weight that is not above zero.
    """
    names = dynamics.port_names
    given = read_mapping(weights, "Dynamics", "weights", "ports to numbers above zero")
    found = named_numbers(dict.fromkeys(names, 1.0) | given, names, "port", "weights")
    if found.ndim > 1:
        raise BadValueError("Dynamics", "weights", "a batch", "one number of each port")
    for name, weight in zip(names, found, strict=True):
        if not weight > 0.0:
            raise BadValueError("Dynamics", "weights", f"{weight:g} of '{name}'", "above zero")
    return found


def shared(L: Array, needed: Array, weights: Array) -> tuple[Array, int]:
    """The efforts f with Lᵀ f as near τ_r as can be, of least Σ weight · f², and the rank of L.

    The rank is the least of a batch.
    """
    if not L.shape[-2] or not L.shape[-1]:
        return np.zeros((*needed.shape[:-1], L.shape[-2])), 0
    root = 1.0 / np.sqrt(weights)
    weighted = np.swapaxes(L, -1, -2) * root
    U, s, Vt = np.linalg.svd(weighted, full_matrices=False)
    kept = s > DETERMINED * np.max(s, axis=-1, initial=np.finfo(float).tiny, keepdims=True)
    inverse = np.where(kept, 1.0 / np.where(kept, s, 1.0), 0.0)

    def solved(right: Array) -> Array:
        along = inverse * apply(np.swapaxes(U, -1, -2), right)
        return root * apply(np.swapaxes(Vt, -1, -2), along)

    f = solved(needed)
    f = f + solved(needed - apply(np.swapaxes(L, -1, -2), f))  # less what rounding leaves
    return f, int(np.min(np.sum(kept, axis=-1)))


def _undriven(dynamics: ReducedDynamics, needed: Array, missing: Array) -> tuple[str, ...]:
    """Independent speeds along which more than rounding is missing."""
    size = np.max(np.abs(needed), initial=0.0)
    apart = np.max(np.abs(missing), axis=tuple(range(missing.ndim - 1)), initial=0.0)
    noticed = apart > 1e-9 * size
    return tuple(name for name, some in zip(dynamics.names, noticed, strict=True) if some)
