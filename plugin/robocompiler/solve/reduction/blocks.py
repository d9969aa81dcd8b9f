"""Modules by dependent support: closures belong together where they share a speed that follows.

Which speeds follow is chosen, so these are finer than the modules of the compiler, which ask for
joints alone: a joint that is prescribed ties nothing together.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism, Module, speeds_of
from robocompiler.compiler.modules import connected
from robocompiler.solve.closure import length_scale, row_scales, speed_scales
from robocompiler.solve.continuation.corrector import module_speeds
from robocompiler.solve.state import State
from robocompiler.spatial import Array


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Closures and couplings that share dependent speeds, and no dependent one with others."""

    module: Module
    """What of the mechanism it is; named after its first closure, or its first coupling."""
    rows: tuple[int, ...]
    """Among all rows, in the order of `linearize`."""
    inputs: tuple[int, ...]
    """Independent speeds of its joints, which may be inputs of other blocks too."""
    dependent: tuple[int, ...]
    """As many as the rank of its rows."""
    row_scales: Array
    """What makes rows of lengths and angles one unit."""
    speed_scales: Array
    """Likewise speeds, shape (nv,)."""

    @property
    def name(self) -> str:
        """Of its first closure or coupling."""
        return self.module.name


def blocks_of(
    compiled: CompiledMechanism, state: State, K: Array, module: Module, taken: Collection[int]
) -> tuple[Block, ...]:
    """Split a module where its parts share no dependent speed.

    The dependent columns of K are block diagonal by these parts, and of full rank; as many as the
    rank of all rows. So each part's rows have as much rank as it has dependent speeds, and solving
    it by itself is exact.

    Args:
        compiled: the mechanism.
        state: where it stands.
        K: the Jacobian of all rows there.
        module: of the compiler.
        taken: independent speeds.
    """
    joints = [set(compiled.closures[index].path) for index in module.closures]
    joints += [{r.tree_joint for r, _ in compiled.couplings[i].terms} for i in module.couplings]
    joints = [with_leaders(compiled, own) for own in joints]
    movable = set(compiled.movable)
    supports = [_speeds_of(compiled, own) & movable for own in joints[: len(module.closures)]]
    supports += [_touched_by_coupling(compiled, K, index) for index in module.couplings]
    blocks = []
    for dependent, items in connected([support.difference(taken) for support in supports]):
        own = _part_of(compiled, module, set[int]().union(*(joints[i] for i in items)), items)
        inputs = [i for i in module_speeds(compiled, own) if i in taken]
        blocks.append(_block(compiled, state, own, inputs, sorted(dependent)))
    return tuple(blocks)


def with_leaders(compiled: CompiledMechanism, joints: set[int]) -> set[int]:
    """Joints, and those that eliminated ones among them follow."""
    known = set(joints)
    for coupling in reversed(compiled.eliminated):
        if coupling.follower.tree_joint in known:
            known |= {leader.tree_joint for leader in coupling.leaders}
    return known


def _speeds_of(compiled: CompiledMechanism, joints: set[int]) -> set[int]:
    return set(speeds_of(compiled.tree[i] for i in joints))


def _touched_by_coupling(compiled: CompiledMechanism, K: Array, index: int) -> set[int]:
    """What its row has at any q: no ratio is zero."""
    row = sum(closure.rows for closure in compiled.closures) + index
    return set(np.flatnonzero(K[row]).tolist())


def _part_of(
    compiled: CompiledMechanism, module: Module, joints: set[int], items: Sequence[int]
) -> Module:
    """Some of a module's closures and couplings, counted through, over the joints they touch."""
    count = len(module.closures)
    closures = tuple(module.closures[i] for i in items if i < count)
    couplings = tuple(module.couplings[i - count] for i in items if i >= count)
    first = compiled.closures[closures[0]] if closures else compiled.couplings[couplings[0]]
    return Module(first.name, closures, couplings, tuple(sorted(joints)))


def _block(
    compiled: CompiledMechanism,
    state: State,
    module: Module,
    inputs: Sequence[int],
    dependent: Sequence[int],
) -> Block:
    length = length_scale(compiled, state, module)
    return Block(
        module=module,
        rows=module_rows(compiled, module),
        inputs=tuple(inputs),
        dependent=tuple(dependent),
        row_scales=row_scales(compiled, module, length),
        speed_scales=speed_scales(compiled, length),
    )


def module_rows(compiled: CompiledMechanism, module: Module) -> tuple[int, ...]:
    """The rows of a module among those of all closures and couplings, as `linearize` has them."""
    starts = np.cumsum([0, *(closure.rows for closure in compiled.closures)]).tolist()
    rows = [i for c in module.closures for i in range(starts[c], starts[c + 1])]
    return (*rows, *(starts[-1] + i for i in module.couplings))
