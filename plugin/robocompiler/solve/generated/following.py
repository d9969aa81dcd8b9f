"""Follow a table of independent coordinates within one call of generated code for each type."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.block_types import BlockPlan
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.elimination import followed
from robocompiler.errors import (
    FollowsError,
    MechanismError,
    SampleError,
    UnreachableError,
    raise_all,
)
from robocompiler.solve.assembly.bringing import at_toggle, unreached
from robocompiler.solve.continuation.homotopy import hold_speeds
from robocompiler.solve.continuation.tracking import Bar, place_at, travel
from robocompiler.solve.generated.code import Code
from robocompiler.solve.generated.recovery import block_results, plan_system
from robocompiler.solve.generated.settings import settings_of
from robocompiler.solve.reduction.partition import Partition, names_of
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
    layout, count = code.layout, len(targets)
    out = np.zeros((count, layout.E.stop if lifts else layout.v.start))
    out[:, : layout.compiled.nq] = targets
    if lifts:
        out[:, layout.E] = buffer[layout.E, 0]
    leader, before = _Leader(code, buffer, targets, out, tolerance, lifts), buffer.copy()
    try:
        for kind in range(len(layout.types)):
            leader.lead(kind)
    except MechanismError:
        buffer[...] = before
        raise
    nq, nv = layout.compiled.nq, layout.compiled.nv
    q = followed(layout.compiled, out[:, :nq])
    buffer[:nq, 0] = q[-1]
    E = out[:, layout.E].reshape(count, nv, -1) if lifts else None
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
        buffer: Array,
        targets: Array,
        out: Array,
        tolerance: float,
        lifts: bool,
    ) -> None:
        self.code, self.buffer, self.targets, self.out = code, buffer, targets, out
        self.settings, self.lifts, self.recovered = settings_of(tolerance), lifts, 0

    def lead(self, kind: int) -> None:
        """All blocks of a type, each from where it stops on by itself."""
        blocks = list(range(len(self.code.layout.types[kind].plans)))
        reached = self._call(kind, blocks, 0)
        for block in blocks:
            at = int(reached[block])
            while at < len(self.targets):
                self._recover(kind, block, at)
                at += 1
                if at < len(self.targets):
                    at += int(self._call(kind, [block], at)[0])

    def _call(self, kind: int, blocks: list[int], start: int) -> Array:
        """How many knots each of some blocks is led along, from a knot on."""
        status = np.zeros((len(blocks), 1), dtype=np.int32)
        self.code.prepare_following(
            kind,
            blocks,
            self.buffer,
            status,
            self.targets[start:],
            (self.out[start:], self.lifts),
            self.settings,
        )()
        return status[:, 0]

    def _recover(self, kind: int, block: int, knot: int) -> None:
        """One knot of a block by the reference: half steps, the homotopy, change points."""
        plan, column = self.code.layout.types[kind].plans[block], self.buffer[:, 0]
        try:
            q = _travelled(plan, column[plan.coordinates], self.targets[knot, plan.coordinates])
        except UnreachableError as cause:
            raise SampleError(knot, len(self.targets), cause) from cause
        results = block_results(plan, q, None)
        rows = self.code.table(kind, "correct")[block]
        column[plan.coordinates] = q
        column[rows[len(rows) - len(results) :]] = results
        seen = rows[rows < self.out.shape[1]]
        self.out[knot, seen] = column[seen]
        self.recovered += 1


def _travelled(plan: BlockPlan, q: Array, target: Array) -> Array:
    """A block's coordinates with its inputs at their targets.

    Raises:
        UnreachableError: they cannot be reached.
    """
    system = plan_system(plan)
    drivers = list(plan.inputs)
    held = [*drivers, *plan.compiled.prescribed]
    place = place_at(system, hold_speeds(system, q, held), q)
    went = travel(system, place, drivers, target)
    place = went.place
    if went.refusal is not None and went.refusal.bar is not Bar.LIMIT:
        place = at_toggle(system, place, drivers, target) or place
    tree = [t for t in plan.compiled.tree if set(range(t.v.start, t.v.stop)) & set(drivers)]
    wanted = {t.edge.joint.name: tuple(target[t.q].tolist()) for t in tree}
    raise_all(unreached(system, place.point.q, wanted, went.refusal))
    return place.point.q
