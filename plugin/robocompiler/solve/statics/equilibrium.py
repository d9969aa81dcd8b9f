"""Where a mechanism comes to rest: springs, weights, loads and efforts in balance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import BadValueError
from robocompiler.model.configuration import Configuration
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.closure import gap_of
from robocompiler.solve.describe import coordinates, describe
from robocompiler.solve.dynamics.conditions import Conditions, read_conditions
from robocompiler.solve.dynamics.overheld import refuse_overheld
from robocompiler.solve.dynamics.reduced import (
    ReducedDynamics,
    named_numbers,
    reduced_dynamics,
)
from robocompiler.solve.dynamics.support import supported
from robocompiler.solve.dynamics.wrenches import read_wrenches
from robocompiler.solve.reduction.checks import (
    check_compiled,
    one_number,
    read_mapping,
    read_names,
    read_q,
)
from robocompiler.solve.reduction.partition import (
    Partition,
    choose_partition,
    named_speeds,
    speed_names,
)
from robocompiler.solve.state import evaluate, starting_coordinates
from robocompiler.solve.statics.settling import Here, Statics, settled, size_of
from robocompiler.spatial import Array

WHERE = "Static equilibrium"


@dataclass(frozen=True, slots=True, eq=False)
class Equilibrium:
    """A configuration in which all forces balance along the motions that are not held."""

    configuration: Configuration
    q: Array
    """Its coordinates, shape (nq,)."""
    names: tuple[str, ...]
    """Independent motions that are not held."""
    stiffness: Array
    """How the forces that would have to be added change along these motions [N/m, N, N m], shape
    (m, m); symmetric where the forces have a potential."""
    eigenvalues: Array
    """Of the symmetric part of the stiffness, lengths made angles by `length` [N m], ascending,
    shape (m,): one below zero is a motion that runs away."""
    length: float
    """[m]"""
    holding: Mapping[str, float]
    """What keeps each speed of a held joint at rest [N or N m], by its name."""
    residual: float
    """The largest force or torque that is left along `names` [N or N m]."""

    @property
    def stable(self) -> bool:
        """Whether it comes back from every small displacement."""
        return bool(np.all(self.eigenvalues > 0.0))


def static_equilibrium(
    compiled: CompiledMechanism,
    near: Configuration | Array | None = None,
    efforts: Mapping[str, float] | None = None,
    held: Sequence[str] = (),
    **conditions: Unpack[Conditions],
) -> Equilibrium:
    """The configuration next to a start in which springs, weights, loads and efforts balance.

    By Newton from the start, so that it may be an unstable one, see `Equilibrium.stable`; where
    that leads nowhere, downhill to a stable one. Limits of joints and dry friction, which holds
    what is nearly in balance, are not minded. Efforts stay as they are, and wrenches on bodies keep
    their directions in the world.

    Args:
        compiled: the mechanism.
        near: where to start, closed: a configuration, or coordinates of shape (nq,); None for
            where it is drawn.
        efforts: of ports [N or N m] by name, 0 for those not given.
        held: joints, or single speeds, that stay where they are at the start.
        **conditions: see `Conditions`, for one state.

    Raises:
        NoEquilibriumError: none was found, with what is left at best.
        NeutralError: the forces balance all along a motion, with the joints that move.
        BadValueError, UnknownNameError, NotClosedError, PartitionError, SupportError: as
            `reduced_dynamics`; a held joint that is cut.
    """
    rest, pushed = _of_one_state(conditions), _efforts(efforts)
    start = _start(compiled, near)
    own = supported(compiled, tuple(rest["support"]))
    rest.pop("support", None)
    wanted = rest.pop("independent", ())
    if isinstance(wanted, Partition):
        wanted = [speed_names(own.compiled)[i] for i in wanted.independent]
    still = named_speeds(own.compiled, read_names(held, WHERE, "held"))
    names = [speed_names(own.compiled)[i] for i in still]
    requested = (*names, *(name for name in wanted if name not in (*held, *names)))

    def dynamics(q: Array, partition: Partition) -> ReducedDynamics:
        by = Conditions(**rest)
        by["independent"] = partition
        return reduced_dynamics(own.compiled, q, np.zeros(len(partition.independent)), **by)

    def given(found: ReducedDynamics) -> Array:
        return named_numbers(pushed, found.port_names, "port", "efforts")

    q = own.coordinates(start)
    refuse_overheld(own, q)
    partition = choose_partition(own.compiled, q, requested)
    rest["ports"] = dynamics(q, partition).ports  # also where other motions become independent
    at, stiffness = settled(Statics(dynamics, given, tuple(still)), q, partition)
    return _found(compiled, at, stiffness, at.reduction.q[own.q], near)


def _of_one_state(given: Conditions) -> Conditions:
    asked = read_conditions(given)
    for name, wrench in read_wrenches(asked.get("wrenches")).items():
        if wrench.ndim > 1:
            raise BadValueError(WHERE, name, f"a wrench of shape {wrench.shape}", "of one state")
    return asked


def _efforts(given: object) -> dict[str, float]:
    named = read_mapping(given, WHERE, "efforts", "ports to numbers")
    return {name: one_number(own, WHERE, f"effort of '{name}'") for name, own in named.items()}


def _start(compiled: CompiledMechanism, near: Configuration | Array | None) -> Array:
    check_compiled(compiled, WHERE)
    if near is None:
        near = assemble(compiled)
    if isinstance(near, Configuration):
        return coordinates(compiled, near)
    q = read_q(compiled, near, WHERE)
    if q.ndim != 1:
        expected = f"of shape ({compiled.nq},)"
        raise BadValueError(WHERE, "near", f"an array of shape {q.shape}", expected)
    return q


def _found(
    compiled: CompiledMechanism,
    at: Here,
    stiffness: Array,
    q: Array,
    near: Configuration | Array | None,
) -> Equilibrium:
    drawn = evaluate(compiled, starting_coordinates(compiled))
    gaps = {closure.name: gap_of(closure, drawn) for closure in compiled.closures}
    turns = dict(near.values) if isinstance(near, Configuration) else None
    scales, names = at.scales[at.free], at.reduction.names
    held = [k for k in range(len(names)) if k not in at.free]
    return Equilibrium(
        configuration=describe(compiled, q, gaps, near=turns),
        q=q,
        names=tuple(names[k] for k in at.free),
        stiffness=scales[:, None] * stiffness * scales,
        eigenvalues=np.linalg.eigvalsh(0.5 * (stiffness + stiffness.T)),
        length=size_of(at.reduction.compiled, at.reduction.q),
        holding={names[k]: float(at.forces[k]) for k in held},
        residual=float(np.max(np.abs(at.forces[at.free]), initial=0.0)),
    )
