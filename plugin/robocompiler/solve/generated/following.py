"""Follow a table of independent coordinates within one call of generated code for each type."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.block_types import BlockPlan
from robocompiler.compiler.compiled import CompiledMechanism, speeds_of
from robocompiler.compiler.elimination import followed
from robocompiler.compiler.generate import target_coordinates
from robocompiler.errors import (
    ClosureError,
    CouplingError,
    FollowsError,
    IllConditionedError,
    SampleError,
    SingularError,
    UnreachableError,
    raise_all,
)
from robocompiler.solve.assembly.bringing import at_toggle, unreached
from robocompiler.solve.continuation.homotopy import hold_speeds
from robocompiler.solve.continuation.tracking import Bar, Place, place_at, travel
from robocompiler.solve.generated.code import Code
from robocompiler.solve.generated.recovery import block_results, plan_system, refuse_misfit
from robocompiler.solve.generated.settings import settings_of
from robocompiler.solve.reduction.partition import Partition, names_of
from robocompiler.solve.system import System
from robocompiler.spatial import Array


@dataclass(frozen=True, slots=True, eq=False)
class Led:
    """A path that was followed."""

    q: Array
    """Coordinates at each knot, shape (knots, nq)."""
    E: Array | None
    """The lift at each, shape (knots, nv, m), where it was asked for."""
    recovered: int
    """Knots of modules that the reference had to do."""


def follow_table(code: Code, buffer: Array, targets: Array, tolerance: float, lifts: bool) -> Led:
    """Lead all blocks along a table, from a closed state on, which is as it was where that fails.

    Args:
        code: of the mechanism.
        buffer: the state, shape (rows, 1), its lift given; it ends at the last knot.
        targets: coordinates at each knot, shape (knots, nq): independent ones count.
        tolerance: at which a state is closed.
        lifts: whether the lift at each knot is wanted.

    Raises:
        SampleError: a knot that cannot be reached, with the nearest value that can.
    """
    layout, nq = code.layout, code.layout.compiled.nq
    targets = np.concatenate([buffer[:nq].T, targets])  # where it starts is where it is first
    column = np.concatenate([buffer, np.zeros((layout.pivots, 1))])
    out = np.zeros((len(targets), len(column) if lifts else layout.v.start))
    out[:, :nq] = targets
    if lifts:
        out[:, layout.E] = buffer[layout.E, 0]
    leader = _Leader(code, column, targets, out, tolerance, lifts)
    for kind in range(len(layout.types)):
        leader.lead(kind)
    q = followed(layout.compiled, out[1:, :nq])
    buffer[:nq, 0], buffer[layout.E] = q[-1], column[layout.E]
    E = out[1:, layout.E].reshape(len(q), layout.compiled.nv, -1) if lifts else None
    return Led(q, E, leader.recovered)


def refuse_dependent(
    compiled: CompiledMechanism, partition: Partition, names: Collection[str]
) -> None:
    """Refuse joints that are not independent.

    Raises:
        FollowsError: each of them, with what it follows.
    """
    faults: list[FollowsError] = []
    for name in names:
        v = compiled.tree_joint(name).v
        for block in partition.blocks:
            if set(range(v.start, v.stop)) & set(block.dependent):
                inputs = names_of(compiled, block.inputs)
                faults.append(FollowsError(name, block.name, inputs))
    raise_all(faults)


class _Leader:
    """A path being followed."""

    def __init__(
        self,
        code: Code,
        column: Array,
        targets: Array,
        out: Array,
        tolerance: float,
        lifts: bool,
    ) -> None:
        self.code, self.column, self.targets, self.out = code, column, targets, out
        self.settings, self.lifts, self.recovered = settings_of(tolerance), lifts, 0

    def lead(self, kind: int) -> None:
        """All blocks of a type, each from where it stops on by itself."""
        plans, table = self.code.layout.types[kind].plans, self.code.layout.following_table(kind)
        for plan, rows in zip(plans, table, strict=True):
            self.column[rows[: len(plan.coordinates)], 0] = self.targets[0, plan.coordinates]
        reached = self._call(kind, table, 0)
        for plan, rows, knots in zip(plans, table, reached, strict=True):
            at = max(1, int(knots))
            while at < len(self.targets):
                at = self._recover(plan, rows, at)
                at += max(1, int(self._call(kind, rows[None], at)[0]))

    def _call(self, kind: int, table: Array, start: int) -> Array:
        """How many knots each of some blocks is led along, from a knot on at which it stands."""
        self.column[self.code.layout.E.stop :] = 0.0  # pivots are known from that knot on
        status = np.zeros((len(table), 1), dtype=np.int32)
        self.code.prepare_following(
            kind,
            table,
            self.column,
            status,
            self.targets[start:],
            (self.out[start:], self.lifts),
            self.settings,
        )()
        return status[:, 0]

    def _recover(self, plan: BlockPlan, rows: Array, knot: int) -> int:
        """A knot of a block by the reference: half steps, the homotopy, change points.

        And those after it until one where its lift is determined, which is returned.
        """
        system, column = plan_system(plan), self.column[:, 0]
        own, q = rows[: len(plan.coordinates)], column[rows[: len(plan.coordinates)]]
        place = place_at(system, hold_speeds(system, q, plan.known), q)
        while True:
            try:
                place = _travelled(plan, system, place, self.targets[knot, plan.coordinates])
                column[own] = place.point.q
                self._note(plan, rows, knot)
            except (SingularError, IllConditionedError) as cause:
                if self.lifts or knot == len(self.targets) - 1:
                    raise SampleError(knot - 1, len(self.targets) - 1, cause) from cause
            except (UnreachableError, ClosureError, CouplingError) as cause:
                raise SampleError(knot - 1, len(self.targets) - 1, cause) from cause
            else:
                return knot
            knot += 1

    def _note(self, plan: BlockPlan, rows: Array, knot: int) -> None:
        """What the reference found at a knot, and its lift if that is determined."""
        column, end = self.column[:, 0], len(rows) - len(target_coordinates(plan))
        seen = [row for row in rows[:end] if row < self.out.shape[1]]
        self.out[knot, seen] = column[seen]
        self.recovered += 1
        end -= len(plan.dependent)
        results = block_results(plan, column[rows[: len(plan.coordinates)]], None)
        column[rows[end - len(results) : end]] = results
        self.out[knot, seen] = column[seen]


def _travelled(plan: BlockPlan, system: System, place: Place, target: Array) -> Place:
    """A block with its inputs at their targets, from where it stands.

    Raises:
        UnreachableError: they cannot be reached.
        ClosureError, CouplingError: they are, but for rows that cannot be closed there.
    """
    led = set(target_coordinates(plan))
    tree = [t for t in plan.compiled.tree if t.q.start in led]
    drivers = speeds_of(tree)
    went = travel(system, place, drivers, target)
    place = went.place
    if went.refusal is not None and went.refusal.bar is not Bar.LIMIT:
        place = at_toggle(system, place, drivers, target) or place
    wanted = {t.edge.joint.name: tuple(target[t.q].tolist()) for t in tree}
    raise_all(unreached(system, place.point.q, wanted, went.refusal))
    refuse_misfit(plan, system, place.point.q)
    return place
