"""What code is generated for: the blocks of a partition, each over its own coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from robocompiler.compiler.block_types import BlockPlan
from robocompiler.compiler.compiled import (
    CompiledCoupling,
    CompiledMechanism,
    Module,
    coordinates_of,
    speeds_of,
)
from robocompiler.compiler.restriction import restricted, unlimited
from robocompiler.compiler.rows import linearize
from robocompiler.solve.closure import length_scale, row_scales, speed_scales
from robocompiler.solve.reduction.blocks import module_rows, with_leaders
from robocompiler.solve.reduction.partition import Partition
from robocompiler.solve.state import evaluate
from robocompiler.spatial import Array


def block_plans(
    compiled: CompiledMechanism, q: Array, partition: Partition
) -> tuple[BlockPlan, ...]:
    """The blocks of a partition where the mechanism stands closed at q, shape (nq,).

    Every joint that follows by an eliminated coupling is in one, with what leads it: blocks that
    lead it together are one block, and where no block leads it, it is one of no rows.
    """
    parts = [(block.module, block.dependent) for block in partition.blocks]
    for coupling in reversed(compiled.eliminated):
        if not any(coupling.follower.tree_joint in module.joints for module, _ in parts):
            parts = _with_follower(compiled, parts, coupling)
    return tuple(_plan(compiled, q, part, partition) for part in parts)


Part = tuple[Module, tuple[int, ...]]
"""Closures and couplings with their joints, and the speeds that they determine."""


def _with_follower(
    compiled: CompiledMechanism, parts: Sequence[Part], coupling: CompiledCoupling
) -> list[Part]:
    """A joint that follows is put to what leads it."""
    joints = with_leaders(compiled, {coupling.follower.tree_joint})
    speeds = set(speeds_of(compiled.tree[i] for i in joints))

    def leads(part: Part) -> bool:
        module, dependent = part
        rowless = not module.closures and not module.couplings
        return bool(speeds & set(dependent)) or (rowless and bool(joints & set(module.joints)))

    own, others = filter(leads, parts), [part for part in parts if not leads(part)]
    merged, dependent = Module(coupling.name, (), (), tuple(joints)), set[int]()
    for module, determined in own:
        merged = Module(
            name=module.name,
            closures=tuple(sorted({*merged.closures, *module.closures})),
            couplings=tuple(sorted({*merged.couplings, *module.couplings})),
            joints=tuple({*merged.joints, *module.joints}),
        )
        dependent |= set(determined)
    merged = replace(merged, joints=tuple(sorted(merged.joints)))
    return [*others, (merged, tuple(sorted(dependent)))]


def _plan(compiled: CompiledMechanism, q: Array, part: Part, partition: Partition) -> BlockPlan:
    module, dependent = part
    own = unlimited(restricted(compiled, module))  # so that no way to a state minds them
    joints = [compiled.tree[i] for i in module.joints]
    coordinates = np.array(coordinates_of(joints), dtype=int)
    whole = np.array(speeds_of(joints), dtype=int)
    at = {int(speed): i for i, speed in enumerate(whole)}
    length = length_scale(own, evaluate(own, q[coordinates]), own.modules[0])
    phi = row_scales(own, own.modules[0], length) * linearize(own, q[coordinates]).residual
    return BlockPlan(
        name=module.name,
        compiled=own,
        inputs=tuple(at[i] for i in at if i in partition.independent),
        dependent=tuple(at[i] for i in dependent),
        length=length,
        long_rows=tuple((row_scales(own, own.modules[0], 2.0) != 1.0).tolist()),
        long_speeds=tuple((speed_scales(own, 2.0) != 1.0).tolist()),
        q=q[coordinates],
        coordinates=coordinates,
        whole=whole,
        rows=module_rows(compiled, module),
        misfit=float(np.max(np.abs(phi), initial=0.0)),
    )
