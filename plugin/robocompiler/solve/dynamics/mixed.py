"""Some ports moved as prescribed, others driven by efforts: between inverse and forward dynamics.

The prescribed ports settle some combinations of the independent speeds, the others follow from the
masses: u̇ = u̇₀ + Z w with L_P Z = 0 and Zᵀ (M u̇ + h - L_Eᵀ f_E) = 0. The efforts of the prescribed
ports are what is then left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import BadValueError, MechanismError, UnknownNameError, raise_all
from robocompiler.solve.dynamics.conditions import Conditions
from robocompiler.solve.dynamics.inverse import DETERMINED, port_weights, shared
from robocompiler.solve.dynamics.massless import masslessness
from robocompiler.solve.dynamics.reduced import (
    ReducedDynamics,
    named_numbers,
    reduced_dynamics,
)
from robocompiler.solve.reduction.checks import joint_batch, read_mapping
from robocompiler.spatial import Array, apply

AGREE = 1e-9
"""Share of the largest acceleration by which prescribed ones may contradict each other."""
TAKES_PART = 1e-3
"""Share of the largest entry of a combination of ports above which one is named."""


class ContradictionError(MechanismError):
    """Accelerations of ports that the mechanism cannot have together."""

    def __init__(self, ports: Sequence[str], apart: float) -> None:
        self.ports, self.apart = tuple(ports), apart
        names = ", ".join(f"'{name}'" for name in self.ports)
        what = f"are tied by the loops: together they are off by {apart:.3g}"
        remedy = "Leave one of them out, and it follows; or give them accelerations that agree."
        if len(self.ports) == 1:
            what = f"does not follow any motion here: it is off by {apart:.3g}"
            remedy = "Leave it out."
        super().__init__(f"The acceleration of {names} {what} [m/s² or rad/s²]. {remedy}")


@dataclass(frozen=True, slots=True, eq=False)
class MixedDynamics:
    """A motion of which some ports' accelerations are prescribed and other ports' efforts."""

    dynamics: ReducedDynamics
    u_dot: Array
    """Accelerations of the independent speeds, shape (…, m)."""
    v: Array
    """All speeds of the mechanism, shape (…, nv)."""
    v_dot: Array
    """Their rates, shape (…, nv)."""
    efforts: Array
    """f of each port [N or N m], those of prescribed ones as needed, shape (…, ports)."""
    accelerations: Array
    """ℓ̈ of each port [m/s² or rad/s²], shape (…, ports)."""
    redundant: tuple[str, ...]
    """Prescribed ports whose accelerations follow from each other's: they agree, and the efforts
    among them are the least ones, not the only ones."""

    @property
    def ports(self) -> tuple[str, ...]:
        """What the entries of `efforts` and `accelerations` are called."""
        return self.dynamics.port_names

    @property
    def names(self) -> tuple[str, ...]:
        """What the entries of u are called."""
        return self.dynamics.names

    def of(self, port: str) -> Array:
        """The effort of the port of that name, shape (…)."""
        if port not in self.ports:
            raise UnknownNameError("Dynamics", "port", port, self.ports)
        return np.asarray(self.efforts[..., self.ports.index(port)])


def mixed_dynamics(
    compiled: CompiledMechanism,
    q: Array,
    u: Array,
    accelerations: Mapping[str, Array | float] | None = None,
    efforts: Mapping[str, Array | float] | None = None,
    weights: Mapping[str, float] | None = None,
    **conditions: Unpack[Conditions],
) -> MixedDynamics:
    """The motion, and all efforts, where some ports are moved and others are pushed.

    With every port prescribed it is inverse dynamics, with none forward dynamics.

    Args:
        compiled: the mechanism.
        q: where it stands closed, shape (…, nq).
        u: independent speeds, shape (…, m).
        accelerations: ℓ̈ of ports by name [m/s² or rad/s²].
        efforts: of other ports by name [N or N m]; those that are in neither have none.
        weights: of prescribed ports that share the work, by name, as in `inverse_dynamics`.
        **conditions: see `Conditions`.

    Raises:
        ContradictionError: accelerations that the loops do not allow together.
        MasslessError: what is not prescribed moves nothing that weighs anything.
        BadValueError, UnknownNameError, NotClosedError, PartitionError, SupportError: as
            `reduced_dynamics`; a port that is in both.
    """
    dynamics = reduced_dynamics(compiled, q, u, **conditions)
    names, given = dynamics.port_names, "ports to numbers"
    prescribed = read_mapping(accelerations, "Dynamics", "accelerations", given)
    driven = read_mapping(efforts, "Dynamics", "efforts", given)
    raise_all(
        BadValueError("Dynamics", name, "an effort and an acceleration", "one of them")
        for name in driven
        if name in prescribed
    )
    wanted = named_numbers(prescribed, names, "port", "accelerations")
    pushed = named_numbers(driven, names, "port", "efforts")
    batch = joint_batch(
        "Dynamics",
        motion=dynamics.v.shape[:-1],
        accelerations=wanted.shape[:-1],
        efforts=pushed.shape[:-1],
    )
    wanted, pushed = (np.broadcast_to(x, (*batch, len(names))) for x in (wanted, pushed))
    own = [i for i, name in enumerate(names) if name in prescribed]
    u_dot, redundant = _moved(dynamics, own, wanted[..., own], _given(dynamics, pushed))
    needed = dynamics.efforts(u_dot) - _given(dynamics, pushed)
    share = port_weights(dynamics, weights)[own]
    f = np.array(np.broadcast_to(pushed, (*u_dot.shape[:-1], len(names))))
    f[..., own] = shared(dynamics.L[..., own, :], needed, share)[0]
    v_dot, mine = dynamics.accelerations(u_dot), dynamics.supported.own
    return MixedDynamics(
        dynamics=dynamics,
        u_dot=u_dot,
        v=mine(np.broadcast_to(dynamics.v, v_dot.shape)),
        v_dot=mine(v_dot),
        efforts=f,
        accelerations=apply(dynamics.B, v_dot) + dynamics.port_bias,
        redundant=redundant,
    )


def _given(dynamics: ReducedDynamics, efforts: Array) -> Array:
    return apply(np.swapaxes(dynamics.L, -1, -2), efforts)


def _moved(
    dynamics: ReducedDynamics, own: Sequence[int], wanted: Array, given: Array
) -> tuple[Array, tuple[str, ...]]:
    """u̇ of the accelerations of some ports and of efforts along u, shape (…, m), and the ports
    whose accelerations follow from each other's.
    """
    M = dynamics.M
    L = np.broadcast_to(dynamics.L, (*M.shape[:-2], *dynamics.L.shape[-2:]))[..., own, :]
    rest = (apply(dynamics.B, dynamics.c) + dynamics.port_bias)[..., own]
    size = _sizes(M)
    weight = _or_one(np.linalg.norm(L / size[..., None, :], axis=-1))
    scaled = L / weight[..., None] / size[..., None, :]
    U, s, Vt = np.linalg.svd(scaled, full_matrices=True)
    kept = s > DETERMINED
    held = np.zeros((*kept.shape[:-1], M.shape[-1]), dtype=bool)
    held[..., : s.shape[-1]] = kept
    inverse = np.where(kept, 1.0 / np.where(kept, s, 1.0), 0.0)
    right = (wanted - rest) / weight
    along = inverse * apply(np.swapaxes(U[..., :, : s.shape[-1]], -1, -2), right)
    first = apply(np.swapaxes(Vt[..., : s.shape[-1], :], -1, -2), along)
    names = [dynamics.port_names[i] for i in own]
    left = right - apply(scaled, first)
    scale = np.max(np.abs(wanted) + np.abs(rest), axis=-1, initial=0.0)
    redundant = _checked(names, U, kept, left * weight, scale)
    Z = np.swapaxes(Vt, -1, -2) * ~held[..., None, :] / size[..., None]
    return _completed(dynamics, M, first / size, Z, held, given), redundant


def _sizes(M: Array) -> Array:
    """What makes independent speeds alike: the root of what each of them weighs, (…, m)."""
    return _or_one(np.sqrt(np.abs(np.diagonal(M, axis1=-2, axis2=-1))))


def _or_one(numbers: Array) -> Array:
    return np.where(numbers > 0.0, numbers, 1.0)


def _checked(
    names: Sequence[str], U: Array, kept: Array, left: Array, scale: Array
) -> tuple[str, ...]:
    """Ports of which one follows from the others.

    Args:
        names: of the ports.
        U: left singular vectors of their rows, shape (…, ports, ports).
        kept: which of the first are held, shape (…, speeds or ports).
        left: what no motion gives [m/s² or rad/s²], shape (…, ports).
        scale: what that is small against, shape (…).

    Raises:
        ContradictionError: they do not agree.
    """
    free = np.ones((*kept.shape[:-1], len(names)), dtype=bool)
    free[..., : kept.shape[-1]] = ~kept
    tied = np.max(np.abs(U) * free[..., None, :], axis=-1, initial=0.0)
    apart = np.max(np.abs(left), axis=-1, initial=0.0)
    wrong = apart > AGREE * scale
    if np.any(wrong):
        at = np.unravel_index(int(np.argmax(np.where(wrong, apart, 0.0))), apart.shape)
        among = [n for n, x in zip(names, np.abs(left[at]), strict=True) if x > AGREE * scale[at]]
        raise ContradictionError(among, float(apart[at]))
    some = np.max(tied, axis=tuple(range(tied.ndim - 1)), initial=0.0) > TAKES_PART
    return tuple(name for name, is_tied in zip(names, some, strict=True) if is_tied)


def _completed(
    dynamics: ReducedDynamics, M: Array, first: Array, Z: Array, held: Array, given: Array
) -> Array:
    """u̇₀ with the motion along Z (…, m, m), zero where `held`, that the masses make."""
    if not np.any(~held):
        return first
    Zt = np.swapaxes(Z, -1, -2)
    own = Zt @ M @ Z + held[..., None] * np.eye(held.shape[-1])
    masslessness(dynamics, own, Z)
    u_dot = first
    for _ in range(2):  # the second takes back what rounding leaves
        left = apply(Zt, given - dynamics.efforts(u_dot))
        u_dot = u_dot + apply(Z, np.linalg.solve(own, left[..., None])[..., 0])
    return np.asarray(u_dot)
