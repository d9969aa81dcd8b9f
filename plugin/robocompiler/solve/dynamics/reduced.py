"""The reduced dynamics M u̇ + h = Lᵀ f: what the independent speeds take, loops closed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.ports import Port, ports_of, ports_on
from robocompiler.errors import UnknownNameError, raise_all
from robocompiler.solve.dynamics.conditions import Conditions, read_conditions, refuse_foreign
from robocompiler.solve.dynamics.gravity import gravity_of
from robocompiler.solve.dynamics.overheld import refuse_overheld
from robocompiler.solve.dynamics.parting import refuse_parting
from robocompiler.solve.dynamics.support import Supported, supported
from robocompiler.solve.dynamics.tree import (
    Acting,
    Tree,
    acting,
    port_rows,
    tree_at,
    tree_efforts,
    tree_masses,
)
from robocompiler.solve.dynamics.wrenches import external_efforts, read_wrenches
from robocompiler.solve.reduction.checks import (
    check_numbers,
    first_of,
    floats,
    joint_batch,
    read_numbers,
    read_q,
)
from robocompiler.solve.reduction.curvature import curvature_and_rest
from robocompiler.solve.reduction.reduce import Reduction, reduce
from robocompiler.spatial import Array, apply


@dataclass(frozen=True, slots=True, eq=False)
class ReducedDynamics:
    """M u̇ + h = Lᵀ f, and what it is made of, at one state or at each of a batch.

    The tree is that of the mechanism with its supports, see `supported`.
    """

    supported: Supported
    reduction: Reduction
    ports: tuple[Port, ...]
    gravity: Array
    """[m/s²], shape (3,)."""
    tree: Tree
    acting: tuple[Acting, ...]
    """What acts on each coordinate by itself."""
    external: Array
    """The efforts of wrenches on bodies, shape (…, nv)."""
    c: Array
    """Curvature: v̇ = E u̇ + c, shape (…, nv)."""
    tree_mass: Array
    """M_T of M_T v̇ + h_T = B f, loops open, shape (…, nv, nv)."""
    tree_bias: Array
    """h_T: what the tree takes at v̇ = 0, wrenches, springs and dampers with it, (…, nv)."""
    B: Array
    """How the speeds of ports follow from the tree's: ℓ̇ = B v, shape (…, ports, nv)."""
    port_bias: Array
    """What ℓ̈ is at v̇ = 0, shape (…, ports)."""

    @property
    def E(self) -> Array:
        """The lift, v = E u, shape (…, nv, m)."""
        return self.reduction.E

    @property
    def v(self) -> Array:
        """All speeds, shape (…, nv)."""
        return self.tree.v

    @property
    def names(self) -> tuple[str, ...]:
        """What the entries of u are called."""
        return self.reduction.names

    @property
    def port_names(self) -> tuple[str, ...]:
        """What the entries of f are called."""
        return tuple(port.name for port in self.ports)

    @property
    def M(self) -> Array:
        """The reduced mass matrix, shape (…, m, m)."""
        M = np.swapaxes(self.E, -1, -2) @ self.tree_mass @ self.E
        return np.asarray(0.5 * (M + np.swapaxes(M, -1, -2)))

    @property
    def h(self) -> Array:
        """What it takes at u̇ = 0, shape (…, m)."""
        return self.along(self.tree_bias + apply(self.tree_mass, self.c))

    @property
    def L(self) -> Array:
        """The port map, ℓ̇ = L u, shape (…, ports, m)."""
        return np.asarray(self.B @ self.E)

    def along(self, efforts: Array) -> Array:
        """Eᵀ τ: efforts on the tree (…, nv) as the independent speeds feel them, (…, m)."""
        return apply(np.swapaxes(self.E, -1, -2), efforts)

    def accelerations(self, u_dot: Array) -> Array:
        """v̇ of accelerations of the independent speeds, shape (…, nv)."""
        return np.asarray(apply(self.E, u_dot) + self.c)

    def efforts(self, u_dot: Array) -> Array:
        """τ_r = M u̇ + h, by the accelerations of all speeds, shape (…, m)."""
        v_dot = self.accelerations(u_dot)
        return self.along(self.tree_bias + apply(self.tree_mass, v_dot))


def reduced_dynamics(
    compiled: CompiledMechanism,
    q: Array,
    u: Array,
    **conditions: Unpack[Conditions],
) -> ReducedDynamics:
    """The reduced dynamics where a mechanism stands closed and moves.

    Args:
        compiled: the mechanism.
        q: where it stands closed, shape (…, nq).
        u: independent speeds, in the order of `names`, shape (…, m).
        **conditions: see `Conditions`.

    Raises:
        BadValueError, UnknownNameError: arrays or names that make no sense.
        NotClosedError, PartitionError: as `reduce`.
        PartingError: speeds with which loops that are singular there do not stay closed.
        SupportError: supports that hold more than there is to hold, at the first of a batch.
    """
    asked, q = read_conditions(conditions), read_q(compiled, q, "Dynamics")
    pull, pushes = gravity_of(compiled, asked.get("gravity")), read_wrenches(asked.get("wrenches"))
    held = supported(compiled, tuple(asked["support"]))
    q = held.coordinates(q)
    refuse_overheld(held, first_of(q, "Dynamics"))
    reduction = reduce(held.compiled, q, asked["independent"])
    u = read_numbers(u, reduction.names, "Dynamics", "u")
    leading = {f"wrench on '{name}'": own.shape[:-1] for name, own in pushes.items()}
    batch = joint_batch("Dynamics", q=q.shape[:-1], u=u.shape[:-1], **leading)
    v = np.broadcast_to(apply(reduction.E, u), (*batch, held.compiled.nv))
    c, rest = curvature_and_rest(held.compiled, q, v, reduction)
    refuse_parting(reduction, v, rest)
    tree = tree_at(held.compiled, np.broadcast_to(q, (*batch, q.shape[-1])), v)
    given = asked.get("ports")
    ports = _ports(held.compiled, reduction) if given is None else tuple(given)
    refuse_foreign(held.compiled, ports)
    acts = acting(tree, ports)
    external = external_efforts(tree, pushes)
    M, h = tree_masses(tree), tree_efforts(tree, np.zeros_like(v), pull) - external
    M, h = _with_acting(M, h, acts, v, asked.get("dry_friction", False))
    rows = port_rows(tree, ports)
    return ReducedDynamics(
        supported=held,
        reduction=reduction,
        ports=ports,
        gravity=pull,
        tree=tree,
        acting=acts,
        external=external,
        c=c,
        tree_mass=M,
        tree_bias=h,
        B=_stacked([row for row, _ in rows], (*batch, held.compiled.nv), -2),
        port_bias=_stacked([bias for _, bias in rows], batch, -1),
    )


def _ports(compiled: CompiledMechanism, reduction: Reduction) -> tuple[Port, ...]:
    return ports_of(compiled) or ports_on(reduction.names, reduction.independent)


def _with_acting(
    M: Array, h: Array, acts: Sequence[Acting], v: Array, dry_friction: bool
) -> tuple[Array, Array]:
    """M_T and h_T with what acts on coordinates by themselves."""
    for own in acts:
        speed = np.sum(own.row * v, axis=-1)
        effort = own.armature * own.bias + own.damping * speed + own.spring
        if dry_friction:
            effort = effort + own.friction * np.sign(speed)
        h = h + own.row * effort[..., None]
        if own.armature:
            M = M + own.armature * own.row[..., :, None] * own.row[..., None, :]
    return M, h


def _stacked(parts: Sequence[Array], shape: tuple[int, ...], axis: int) -> Array:
    """Parts side by side, each of a shape; none of them is an array of no entries."""
    count = len(shape) + 1
    if not parts:
        empty = list(shape)
        empty.insert(count + axis, 0)
        return np.zeros(empty)
    return np.stack([np.broadcast_to(part, shape) for part in parts], axis=axis)


def named_numbers(given: object, names: Sequence[str], what: str, parameter: str) -> Array:
    """Numbers of names, shape (…, names), given in their order or by name, 0 for those not given.

    Raises:
        UnknownNameError, BadValueError: a name of nothing, or what is no finite number.
    """
    if not isinstance(given, Mapping):
        return read_numbers(given, names, "Dynamics", parameter)
    raise_all(
        UnknownNameError("Dynamics", what, name, names) for name in given if name not in names
    )
    stated = {
        name: floats(own, "Dynamics", parameter, f"a number of '{name}'")
        for name, own in given.items()
    }
    shape = joint_batch("Dynamics", **{f"{parameter} '{n}'": x.shape for n, x in stated.items()})
    numbers = np.zeros((*shape, len(names)))
    for at, name in enumerate(names):
        numbers[..., at] = stated.get(name, 0.0)
    check_numbers(numbers, names, "Dynamics", parameter)
    return numbers
