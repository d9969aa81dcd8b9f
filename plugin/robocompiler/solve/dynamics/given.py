"""A motion and the efforts that go with it: what loads and powers are counted from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.equations.dynamics import Moving, outward, own_wrench
from robocompiler.solve.dynamics.conditions import Conditions
from robocompiler.solve.dynamics.inverse import port_weights, shared
from robocompiler.solve.dynamics.reduced import (
    ReducedDynamics,
    named_numbers,
    reduced_dynamics,
)
from robocompiler.solve.dynamics.tree import base_moving
from robocompiler.solve.dynamics.wrenches import limb_wrenches
from robocompiler.solve.reduction.checks import floats, joint_batch, read_numbers
from robocompiler.spatial import Array, apply

Efforts = Array | Mapping[str, Array | float]
"""Of the ports [N or N m], in their order, shape (…, ports), or by name, 0 for those not given."""


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """A motion of a mechanism, and the efforts of its ports."""

    dynamics: ReducedDynamics
    v_dot: Array
    """Of the mechanism with its supports, shape (…, nv)."""
    efforts: Array
    """f of each port [N or N m], shape (…, ports)."""
    missing: Array
    """What of the motion's τ_r they do not give, shape (…, m)."""
    external: tuple[Array | None, ...]
    """Wrenches on each limb from outside, seen from its own frame, shape (…, 6)."""
    acting: tuple[Array, ...]
    """The effort that each of `dynamics.acting` takes: rotors, springs, dampers, dry friction,
    shape (…)."""

    @property
    def port_rates(self) -> Array:
        """ℓ̈ of each port, shape (…, ports)."""
        return np.asarray(apply(self.dynamics.B, self.v_dot) + self.dynamics.port_bias)

    @property
    def moving(self) -> tuple[Moving, ...]:
        """How every limb moves, see `moving_tree`."""
        return moving_tree(self.dynamics, self.v_dot)

    @property
    def taken(self) -> list[Array | None]:
        """The wrench that each limb takes from its joints, seen from its own frame, (…, 6)."""
        return _taken(self.dynamics, self.moving, self.external)


def _taken(
    dynamics: ReducedDynamics, moving: Sequence[Moving], external: Sequence[Array | None]
) -> list[Array | None]:
    found: list[Array | None] = []
    for limb, own, outside in zip(dynamics.tree.limbs, moving, external, strict=True):
        wrench = None if limb.inertia is None else own_wrench(limb.inertia, own)
        found.append(minus(wrench, outside))
    return found


def moving_tree(dynamics: ReducedDynamics, v_dot: Array) -> tuple[Moving, ...]:
    """How every limb moves at v̇ (…, nv), gravity being an acceleration of the world."""
    tree = dynamics.tree
    base = base_moving(dynamics.gravity, v_dot.shape[:-1])
    return outward(tree.limbs, tree.at, tree.v, v_dot, base)


def minus(one: Array | None, other: Array | None) -> Array | None:
    """one - other, None being nothing."""
    if other is None:
        return one
    return -other if one is None else one - other


def given_motion(
    compiled: CompiledMechanism,
    q: Array,
    u: Array,
    u_dot: Array,
    efforts: Efforts | None,
    **conditions: Unpack[Conditions],
) -> Given:
    """A motion with the efforts that are given, or with those of its inverse dynamics.

    Raises:
        BadValueError, UnknownNameError, NotClosedError, PartitionError, SupportError: as
            `reduced_dynamics`.
    """
    dynamics = reduced_dynamics(compiled, q, _spread(u, u_dot, efforts), **conditions)
    rates = read_numbers(u_dot, dynamics.names, "Dynamics", "u_dot")
    v_dot = dynamics.accelerations(rates)
    external = limb_wrenches(dynamics.tree, conditions.get("wrenches") or {})
    acting = _taken_by(dynamics, v_dot, conditions.get("dry_friction", False))
    taken = _taken(dynamics, moving_tree(dynamics, v_dot), external)
    needed = _felt(dynamics, v_dot, taken, acting)
    if efforts is None:
        f, _ = shared(dynamics.L, needed, port_weights(dynamics, None))
    else:
        f = named_numbers(efforts, dynamics.port_names, "port", "efforts")
    return Given(
        dynamics=dynamics,
        v_dot=v_dot,
        efforts=np.broadcast_to(f, (*v_dot.shape[:-1], len(dynamics.ports))),
        missing=needed - apply(np.swapaxes(dynamics.L, -1, -2), f),
        external=tuple(external),
        acting=tuple(acting),
    )


def _spread(u: object, u_dot: object, efforts: object) -> Array:
    """u at each state of a batch that only its rates or the efforts have, shape (…, m)."""
    numbers = "an array of numbers, one of each independent speed"
    u, u_dot = (floats(x, "Dynamics", n, numbers) for x, n in ((u, "u"), (u_dot, "u_dot")))
    leading = {"u": u.shape[:-1], "u_dot": u_dot.shape[:-1]}
    if isinstance(efforts, Mapping):
        for name, own in efforts.items():
            said = f"efforts '{name}'"
            leading[said] = floats(own, "Dynamics", said, "a number").shape
    elif efforts is not None:
        leading["efforts"] = floats(efforts, "Dynamics", "efforts", "numbers of ports").shape[:-1]
    batch = joint_batch("Dynamics", **leading)
    return np.broadcast_to(u, (*batch, *u.shape[-1:])) if batch else u


def _felt(
    dynamics: ReducedDynamics,
    v_dot: Array,
    taken: Sequence[Array | None],
    acting: Sequence[Array],
) -> Array:
    """τ_r, shape (…, m), by the motion of every body that each independent speed makes.

    The tree's own efforts would do as well, but for rounding: there what the loops hold cancels,
    which may be a hundred times what is left.
    """
    tree, lift = dynamics.tree, dynamics.E
    lift = np.broadcast_to(lift, (*v_dot.shape[:-1], *lift.shape[-2:]))
    columns = np.moveaxis(lift, -1, 0)
    still = np.zeros((*columns.shape[:-1], 6))
    bodies = outward(tree.limbs, tree.at, columns, np.zeros_like(columns), Moving(still, still))
    found = np.zeros(columns.shape[:-1])
    for moving, wrench in zip(bodies, taken, strict=True):
        if wrench is not None:
            found = found + np.sum(moving.V * wrench, axis=-1)
    for own, effort in zip(dynamics.acting, acting, strict=True):
        found = found + np.sum(columns * own.row, axis=-1) * effort
    return np.moveaxis(found, 0, -1)


def _taken_by(dynamics: ReducedDynamics, v_dot: Array, dry_friction: bool) -> list[Array]:
    """What moves a rotor, a spring, a damper: the effort of each of `dynamics.acting`."""
    found = []
    for own in dynamics.acting:
        speed = np.sum(own.row * dynamics.v, axis=-1)
        rate = np.sum(own.row * v_dot, axis=-1) + own.bias
        effort = own.armature * rate + own.damping * speed + own.spring
        found.append(effort + own.friction * np.sign(speed) if dry_friction else effort)
    return found
