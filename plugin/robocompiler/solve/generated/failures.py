"""States that generated code was not sure of, done again by the reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.elimination import followed
from robocompiler.errors import MechanismError, SampleError, raise_all
from robocompiler.solve.generated.layout import Layout
from robocompiler.solve.generated.recovery import block_results, closed_block, refuse_open
from robocompiler.spatial import Array


@dataclass(slots=True, eq=False)
class Failures:
    """Blocks that failed, and the buffer that their states stand in."""

    layout: Layout
    buffer: Array
    """Rows as `Layout` has them, a column a state."""
    status: Sequence[Array]
    """Of each type of block, shape (blocks, states or more): below 0 where one failed."""
    states: int | None
    """How many a batch has; None for one state."""
    recovered: int = 0
    """How many states are done."""

    def recover(self, speeds: bool, closed: bool) -> None:
        """Do what failed, state by state and block by block.

        Args:
            speeds: whether v and c are wanted.
            closed: whether it stands closed, and is not to be moved.

        Raises:
            SampleError: of a batch, those of all states that fail; the others are done.
            ClosureError and others: as `closed_block` and `block_results`.
        """
        if not self.status:  # without loops there is nothing to fail at
            return
        faults: list[MechanismError] = []
        for state in map(int, np.flatnonzero(np.any(np.concatenate(self.status) < 0, axis=0))):
            try:
                self._state(state, speeds, closed)
                self.recovered += 1
            except MechanismError as cause:
                if self.states is None:
                    raise
                faults.append(SampleError(state, self.states, cause))
        raise_all(faults)

    def _state(self, state: int, speeds: bool, closed: bool) -> None:
        faults: list[MechanismError] = []
        for kind, status in enumerate(self.status):
            for block in map(int, np.flatnonzero(status[:, state] < 0)):
                try:
                    self._block(state, (kind, block), speeds, closed)
                except MechanismError as cause:
                    faults.append(cause)
        raise_all(faults)

    def _block(self, state: int, at: tuple[int, int], speeds: bool, closed: bool) -> None:
        (kind, block), column = at, self.buffer[:, state]
        plan, v = self.layout.types[kind].plans[block], column[self.layout.v]
        q = column[plan.coordinates] = followed(plan.compiled, column[plan.coordinates])
        q = refuse_open(plan, q) if closed else closed_block(plan, q)
        results = block_results(plan, q, v[plan.whole] if speeds else None)
        column[plan.coordinates] = q
        column[self.layout.results(plan, speeds)] = results
