"""Supports that come and go: what a change of them leaves of the motion, and what that costs.

A support that comes stops its point at once. The blow does no work on motions that the supports
and loops allow, so those keep their momentum: Eᵀ M (v⁺ - v⁻) = 0 with v⁺ = E u⁺. A support that
goes changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import BadValueError, UnknownNameError, raise_all
from robocompiler.model.tasks import Task, task_faults
from robocompiler.solve.closure import RANK_TOLERANCE
from robocompiler.solve.dynamics.conditions import (
    Conditions,
    faults_of_all,
    read_conditions,
)
from robocompiler.solve.dynamics.massless import masslessness
from robocompiler.solve.dynamics.reduced import ReducedDynamics, reduced_dynamics
from robocompiler.solve.dynamics.support import supported
from robocompiler.solve.reduction.checks import (
    check_compiled,
    joint_batch,
    read_names,
    read_numbers,
    read_q,
)
from robocompiler.solve.reduction.partition import speed_names
from robocompiler.solve.reduction.reduce import reduce
from robocompiler.solve.state import evaluate
from robocompiler.spatial import Array, apply


@dataclass(frozen=True, slots=True, eq=False)
class Switched:
    """The motion behind a change of supports, or behind the closing of loops."""

    dynamics: ReducedDynamics
    """Of the mechanism with its new supports, moving so."""
    q: Array
    """Its coordinates, of places where supports hold with them, shape (…, nq)."""
    v: Array
    """All speeds of the mechanism, shape (…, nv)."""
    u: Array
    """Those that are independent with the new supports, shape (…, m)."""
    lost: Array
    """The energy that the blow takes [J], shape (…): never below zero but for rounding."""
    impulses: Mapping[str, Array]
    """By support: impulse [N s] and moment [N m s] about the held point, on the body, along the
    world's axes, shape (…, 6). The ground pushes where its normal part points away from it."""
    missing: Array
    """What of the change of momentum M (v⁺ - v⁻) no row gives, shape (…, nv): rounding, unless the
    loops stand open."""

    @property
    def names(self) -> tuple[str, ...]:
        """What the entries of u are called."""
        return self.dynamics.names


def momentum_consistent(
    compiled: CompiledMechanism, q: Array, v: Array, **conditions: Unpack[Conditions]
) -> Switched:
    """The motion of a mechanism whose loops and supports begin to hold it while it moves at v.

    Args:
        compiled: the mechanism; its loops may have been open until now, but stand closed.
        q: where it stands, shape (…, nq).
        v: how its tree moves just before, shape (…, nv), whatever the loops and supports let it.
        **conditions: see `Conditions`; the new supports are `support`.

    Raises:
        MasslessError: a motion that moves nothing that weighs anything.
        BadValueError, UnknownNameError, NotClosedError, PartitionError, SupportError: as
            `reduced_dynamics`.
    """
    asked, q = read_conditions(conditions), read_q(compiled, q, "Momentum")
    v = read_numbers(v, speed_names(compiled), "Momentum", "v")
    held = supported(compiled, tuple(asked["support"]))
    batch = joint_batch("Momentum", q=q.shape[:-1], v=v.shape[:-1])
    at = reduce(held.compiled, held.coordinates(q), asked["independent"])
    chosen: Conditions = {**asked, "independent": at.partition}
    before = np.zeros((*batch, held.compiled.nv))
    before[..., held.v] = v
    rest = reduced_dynamics(compiled, q, np.zeros((*batch, len(at.names))), **chosen)
    u = _projected(rest, before)
    after = apply(rest.E, u)
    gained = apply(rest.tree_mass, after - before)
    by_rows, missing = _row_impulses(rest, gained)
    return Switched(
        dynamics=reduced_dynamics(compiled, q, u, **chosen),
        q=rest.tree.q,
        v=held.own(after),
        u=u,
        lost=0.5 * np.sum((after - before) * gained, axis=-1),
        impulses=_on_bodies(rest, by_rows),
        missing=held.own(missing),
    )


def _projected(dynamics: ReducedDynamics, before: Array) -> Array:
    """u⁺ = (Eᵀ M E)⁻¹ Eᵀ M v⁻, shape (…, m), and once more what that leaves."""
    M = dynamics.M
    masslessness(dynamics, M)
    u = before[..., list(dynamics.reduction.independent)]
    for _ in range(2):
        left = apply(dynamics.tree_mass, before - apply(dynamics.E, u))
        u = u + np.linalg.solve(M, dynamics.along(left)[..., None])[..., 0]
    return np.asarray(u)


def _row_impulses(dynamics: ReducedDynamics, gained: Array) -> tuple[Array, Array]:
    """λ with Kᵀ λ = M (v⁺ - v⁻), the least one, shape (…, rows), and what it leaves, (…, nv).

    Rows that are redundant are the loops' own: what supports carry is determined.
    """
    K = np.array(dynamics.reduction.jacobian)
    K[..., list(dynamics.supported.compiled.prescribed)] = 0.0
    inverse = np.linalg.pinv(np.swapaxes(K, -1, -2), rcond=RANK_TOLERANCE)
    found = apply(inverse, gained)
    found = found + apply(inverse, gained - apply(np.swapaxes(K, -1, -2), found))
    return found, gained - apply(np.swapaxes(K, -1, -2), found)


def _on_bodies(dynamics: ReducedDynamics, by_rows: Array) -> dict[str, Array]:
    """What the places of supports give to bodies: the reverse of what the rows do to them."""
    held = dynamics.supported
    on_places = -apply(np.swapaxes(dynamics.reduction.jacobian, -1, -2), by_rows)
    poses, found = evaluate(held.compiled, dynamics.tree.q).poses, {}
    for task in held.support:
        place = held.compiled.tree_joint(task.name)
        impulse = np.zeros((*on_places.shape[:-1], 6))
        own = on_places[..., place.v]
        impulse[..., :3] = own[..., :3]
        if own.shape[-1] == 6:
            impulse[..., 3:] = apply(poses[place.outboard].R, own[..., 3:])
        found[task.name] = impulse
    return found


class Supports:
    """All supports that a mechanism may have, of which at any time some hold.

    Each set of them is compiled at its first use and kept.
    """

    def __init__(self, compiled: CompiledMechanism, tasks: Sequence[Task]) -> None:
        """Declare them.

        Args:
            compiled: the mechanism without them.
            tasks: what may be held, each by a name of its own.

        Raises:
            MechanismError: what is wrong with them, all of it at once.
        """
        check_compiled(compiled, "Supports")
        raise_all(faults_of_all("tasks", tasks, Task, "`rc.Task`s"))
        raise_all(task_faults(compiled.mechanism, (*compiled.tasks, *tasks)))
        self.compiled, self.tasks = compiled, tuple(tasks)

    @property
    def names(self) -> tuple[str, ...]:
        """What they are called."""
        return tuple(task.name for task in self.tasks)

    def of(self, names: Sequence[str]) -> tuple[Task, ...]:
        """Those of these names, as `support=` of dynamics takes them; their order is no matter.

        Raises:
            UnknownNameError: none is called so.
        """
        names = read_names(names, "Supports", "names")
        raise_all(
            UnknownNameError("Supports", "support", name, self.names)
            for name in names
            if name not in self.names
        )
        return tuple(task for task in self.tasks if task.name in names)

    def _chosen(self, given: Mapping[str, object], names: Sequence[str]) -> Conditions:
        """Conditions with these supports, which are given by their names alone."""
        if "support" in given:
            raise BadValueError("Supports", "support", "given", "said here: `names` says it")
        return {**read_conditions(given), "support": self.of(names)}

    def mode(self, names: Sequence[str]) -> CompiledMechanism:
        """The mechanism that these hold.

        Raises:
            UnknownNameError: none is called so.
        """
        return supported(self.compiled, self.of(names)).compiled

    def coordinates(self, q: Array, names: Sequence[str]) -> Array:
        """Of that mechanism, its places where supports stand at q (…, nq) of the mechanism."""
        q = read_q(self.compiled, q, "Supports")
        return supported(self.compiled, self.of(names)).coordinates(q)

    def reduced(
        self,
        q: Array,
        names: Sequence[str],
        u: Array | None = None,
        **conditions: Unpack[Conditions],
    ) -> ReducedDynamics:
        """The reduced dynamics where these hold, at rest where u (…, m) is not given.

        Raises:
            MechanismError: as `reduced_dynamics`.
        """
        chosen = self._chosen(conditions, names)
        if u is None:
            places = self.coordinates(q, names)
            at = reduce(self.mode(names), places, chosen.get("independent", ()))
            chosen["independent"] = at.partition
            u = np.zeros(len(at.names))
        return reduced_dynamics(self.compiled, q, u, **chosen)

    def switch(
        self, q: Array, v: Array, names: Sequence[str], **conditions: Unpack[Conditions]
    ) -> Switched:
        """The motion behind a change to these supports, each where it stands at q.

        Args:
            q: where the mechanism stands, shape (…, nq).
            v: all its speeds just before, shape (…, nv), as results of dynamics give them.
            names: of what holds from now on; whatever else held is released.
            **conditions: see `Conditions`.

        Raises:
            MechanismError: as `momentum_consistent`.
        """
        chosen = self._chosen(conditions, names)
        return momentum_consistent(self.compiled, q, v, **chosen)
