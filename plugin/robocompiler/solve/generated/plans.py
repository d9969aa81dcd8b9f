"""What code is generated for: the blocks of a partition, each over its own coordinates."""

from __future__ import annotations

import numpy as np

from robocompiler.compiler.block_types import BlockPlan
from robocompiler.compiler.compiled import CompiledMechanism, Module
from robocompiler.compiler.restriction import restricted, unlimited
from robocompiler.compiler.rows import linearize
from robocompiler.solve.closure import length_scale, row_scales, speed_scales
from robocompiler.solve.reduction.blocks import module_rows
from robocompiler.solve.reduction.partition import Partition
from robocompiler.solve.state import evaluate
from robocompiler.spatial import Array


def block_plans(
    compiled: CompiledMechanism, q: Array, partition: Partition
) -> tuple[BlockPlan, ...]:
    """The blocks of a partition where the mechanism stands closed at q, shape (nq,).

    Couplings that are eliminated and on no block's joints are blocks of no rows.
    """
    found = [
        _plan(compiled, q, block.module, block.inputs, block.dependent)
        for block in partition.blocks
        if block.dependent
    ]
    known = {i for plan in partition.blocks for i in plan.module.joints}
    for module in compiled.modules:
        if not known & set(module.joints) and _has_followers(compiled, module):
            inputs = [i for i in _speeds(compiled, module) if i in partition.independent]
            found.append(_plan(compiled, q, module, tuple(inputs), ()))
    return tuple(found)


def _has_followers(compiled: CompiledMechanism, module: Module) -> bool:
    return any(c.follower.tree_joint in module.joints for c in compiled.eliminated)


def _speeds(compiled: CompiledMechanism, module: Module) -> list[int]:
    own = (compiled.tree[i].v for i in module.joints)
    return [i for v in own for i in range(v.start, v.stop)]


def _plan(
    compiled: CompiledMechanism,
    q: Array,
    module: Module,
    inputs: tuple[int, ...],
    dependent: tuple[int, ...],
) -> BlockPlan:
    own = unlimited(restricted(compiled, module))  # so that no way to a state minds them
    joints = [compiled.tree[i] for i in module.joints]
    coordinates = np.array([i for t in joints for i in range(t.q.start, t.q.stop)], dtype=int)
    whole = np.array(_speeds(compiled, module), dtype=int)
    at = {int(speed): i for i, speed in enumerate(whole)}
    length = length_scale(own, evaluate(own, q[coordinates]), own.modules[0])
    phi = row_scales(own, own.modules[0], length) * linearize(own, q[coordinates]).residual
    return BlockPlan(
        name=module.name,
        compiled=own,
        inputs=tuple(at[i] for i in inputs),
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
