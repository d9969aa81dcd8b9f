"""Where everything stands in the buffers that generated code works on: rows, a column a state.

The state has q, then the parameters of all blocks, which never move; then v, c and E, row by row.
What is evaluated stands by itself: φ, then K, row by row.

Before v there are rows that serve only while a table is followed: for each block where its inputs
stand, since others that have them too are led after it, and one over each pivot as it was. One over
each pivot as it is comes after E then.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from robocompiler.compiler.block_types import BlockPlan, BlockType
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.elimination import carried
from robocompiler.compiler.generate import target_coordinates
from robocompiler.solve.reduction.partition import Partition
from robocompiler.spatial import Array


@dataclass(frozen=True, eq=False)
class Layout:
    """Row numbers of one mechanism with one choice of independent speeds."""

    compiled: CompiledMechanism
    partition: Partition
    types: tuple[BlockType, ...]

    @cached_property
    def parameters(self) -> int:
        """How many parameters all blocks have together."""
        return sum(kind.parameters.size for kind in self.types)

    @cached_property
    def pivots(self) -> int:
        """How many pivots all blocks have together."""
        return sum(len(plan.dependent) for kind in self.types for plan in kind.plans)

    @cached_property
    def blocks(self) -> int:
        """How many there are; of each a sign stands after the parameters."""
        return sum(len(kind.plans) for kind in self.types)

    @cached_property
    def _led(self) -> list[int]:
        """Of each block how many coordinates are led along a table."""
        return [len(target_coordinates(plan)) for kind in self.types for plan in kind.plans]

    @cached_property
    def v(self) -> slice:
        """Rows of v."""
        start = self.compiled.nq + self.parameters + self.blocks + sum(self._led) + self.pivots
        return slice(start, start + self.compiled.nv)

    @cached_property
    def c(self) -> slice:
        """Rows of c."""
        return slice(self.v.stop, self.v.stop + self.compiled.nv)

    @cached_property
    def E(self) -> slice:
        """Rows of E, row by row."""
        count = self.compiled.nv * len(self.partition.independent)
        return slice(self.c.stop, self.c.stop + count)

    @cached_property
    def rows(self) -> int:
        """How many rows of closures and couplings there are."""
        closures = sum(closure.rows for closure in self.compiled.closures)
        return closures + len(self.compiled.couplings)

    def empty_state(self, states: int, further: int = 0) -> Array:
        """A buffer of states in which the parameters and what E has everywhere are put; what of E
        is not known yet is NaN. So many further rows are 0.
        """
        buffer = np.zeros((self.E.stop + further, states))
        at = self.compiled.nq
        for kind in self.types:
            own = kind.parameters.ravel()
            buffer[at : at + own.size] = own[:, None]
            at += own.size
        independent = list(self.partition.independent)
        E = np.zeros((self.compiled.nv, len(independent)))
        E[independent, range(len(independent))] = 1.0
        buffer[self.E] = carried(self.compiled, E).reshape(-1, 1)
        for own_type in self.types:
            for plan in own_type.plans:
                buffer[self._lifts(plan)] = np.nan
        return buffer

    def state_table(self, kind: int, speeds: bool, signs: bool = True) -> Array:
        """Of a type: for each block the rows of input slots, with its sign and with its speeds
        where they are inputs, then of results: E, its followers' coordinates, its sign, and with
        speeds v and c.
        """
        before, lines = sum(len(own.plans) for own in self.types[:kind]), []
        for at, plan in enumerate(self.types[kind].plans):
            sign = [self.compiled.nq + self.parameters + before + at] if signs else []
            own, moved = self._v(plan) if speeds else [], self._motion(plan) if speeds else []
            inputs, results = self._inputs(kind, at), self._results(plan)
            lines.append([*inputs, *sign, *own, *results, *sign, *moved])
        return np.array(lines, dtype=np.int64)

    def results(self, plan: BlockPlan, speeds: bool) -> list[int]:
        """The rows of what a block gives: E, its followers' coordinates; with speeds v and c."""
        return [*self._results(plan), *(self._motion(plan) if speeds else ())]

    def following_table(self, kind: int) -> Array:
        """Of a type: as `state_table` without speeds, with inputs where they stand for this block,
        with pivots as they were among the inputs and as they are among the results, then the
        columns of targets.
        """
        first, lines = sum(len(own.plans) for own in self.types[:kind]), []
        pivots = sum(len(plan.dependent) for own in self.types[:kind] for plan in own.plans)
        start = self.compiled.nq + self.parameters + self.blocks
        for at, plan in enumerate(self.types[kind].plans):
            targets, inputs = target_coordinates(plan), self._inputs(kind, at)
            for row, slot in enumerate(targets, start + sum(self._led[: first + at])):
                inputs[slot] = row
            own = range(pivots, pivots + len(plan.dependent))
            was = [self.v.start - self.pivots + i for i in own]
            now, pivots = [self.E.stop + i for i in own], own.stop
            columns = plan.coordinates[list(targets)]
            lines.append([*inputs, *was, *self._results(plan), *now, *columns])
        return np.array(lines, dtype=np.int64)

    def evaluation_table(self, kind: int, entries: tuple[tuple[int, int], ...]) -> Array:
        """Of a type: for each block the rows of input slots, then those of φ and of K's entries."""
        lines = []
        for at, plan in enumerate(self.types[kind].plans):
            rows = plan.rows
            K = [self.rows + rows[i] * self.compiled.nv + int(plan.whole[j]) for i, j in entries]
            lines.append([*self._inputs(kind, at), *rows, *K])
        return np.array(lines, dtype=np.int64)

    def _inputs(self, kind: int, block: int) -> list[int]:
        """Coordinates and parameters of a block."""
        before = sum(own.parameters.size for own in self.types[:kind])
        count = self.types[kind].parameters.shape[1]
        start = self.compiled.nq + before + block * count
        coordinates = self.types[kind].plans[block].coordinates.tolist()
        return [*coordinates, *range(start, start + count)]

    def _v(self, plan: BlockPlan) -> list[int]:
        return [self.v.start + int(i) for i in plan.whole]

    def _lifts(self, plan: BlockPlan) -> list[int]:
        """Of E what a block determines."""
        column = {speed: at for at, speed in enumerate(self.partition.independent)}
        inputs = [column[int(plan.whole[i])] for i in plan.inputs]
        moving = [int(plan.whole[i]) for i in plan.moving]
        return [self.E.start + i * len(column) + j for i in moving for j in inputs]

    def _results(self, plan: BlockPlan) -> list[int]:
        followers = [int(plan.coordinates[c.follower.q]) for c in plan.compiled.eliminated]
        return [*self._lifts(plan), *followers]

    def _motion(self, plan: BlockPlan) -> list[int]:
        moving = [int(plan.whole[i]) for i in plan.moving]
        return [*(self.v.start + i for i in moving), *(self.c.start + i for i in moving)]
