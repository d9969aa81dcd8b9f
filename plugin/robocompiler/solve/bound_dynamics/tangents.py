"""Generated dynamics along directions: a buffer and under it its tangents, a column a direction."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from robocompiler.codegen.kernels import Call, Kernel, Notes, Straight
from robocompiler.codegen.tangent import tangent
from robocompiler.compiler.block_types import BlockPlan
from robocompiler.errors import GenerationError
from robocompiler.solve.bound_dynamics.code import DynamicsCode
from robocompiler.solve.generated.code import Code
from robocompiler.spatial import Array

STANDING = ("parameter", "wrench")
"""Arrays that no direction moves."""


def tangent_calls(closing: Code, dynamics: DynamicsCode, buffer: Array) -> list[Call]:
    """What gives E, v, c and τ, and how they change, of a closed mechanism.

    Args:
        closing: code of its blocks.
        dynamics: code of its clusters.
        buffer: rows as `Layout` and `Places` have them, then for each its tangent.
    """
    height, states = len(buffer) // 2, range(buffer.shape[1])
    calls: list[Call] = []
    for kind in range(len(closing.layout.types)):
        calls.append(_block_call(closing, kind, buffer, height))
    for walk, (kind, clusters) in dynamics.runs("inverse"):
        loaded = dynamics.loaded(kind, "inverse", walk, many=True, made=_differentiated)
        table = dynamics.table(loaded.notes, clusters, "inverse")
        own = _with_tangents(table, loaded.notes["inputs"], height)
        calls.append(loaded.prepare(buffer, buffer, None, own, None, states))
    return calls


def _block_call(closing: Code, kind: int, buffer: Array, height: int) -> Call:
    """What gives E, v and c of blocks of a type, and how they change."""
    plans = closing.layout.types[kind].plans
    loaded = closing.loaded_as(kind, "standing_tangent", lambda: _standing(closing, kind))
    table = closing.layout.state_table(kind, speeds=True, signs=False)
    inputs = _block_inputs(plans[0], len(closing.layout.types[kind].varying))
    own = _with_tangents(table, [(name, 0) for name in inputs], height)
    return loaded.prepare(buffer, buffer, None, own, None, range(buffer.shape[1]))


def _block_inputs(plan: BlockPlan, parameters: int) -> list[str]:
    """Of each input slot of `standing` what it is."""
    own = plan.compiled
    return ["q"] * own.nq + ["parameter"] * parameters + ["v"] * own.nv


def _standing(closing: Code, kind: int) -> tuple[Kernel, Notes]:
    own = closing.layout.types[kind]
    inputs = _block_inputs(own.first, len(own.varying))
    return _tangent(closing.kernel(kind, "standing"), inputs), {}


def _differentiated(kernel: Kernel, notes: Notes) -> tuple[Kernel, Notes]:
    return _tangent(kernel, [array for array, _ in notes["inputs"]]), notes


def _tangent(kernel: Kernel, inputs: Sequence[str]) -> Straight:
    """A straight kernel with tangents of all inputs that can move."""
    if not isinstance(kernel, Straight):
        raise GenerationError(f"kernel '{kernel.name}' takes steps, so that it has no tangent")
    return tangent(kernel, _moving(inputs))


def _moving(inputs: Sequence[str]) -> list[int]:
    return [slot for slot, array in enumerate(inputs) if array not in STANDING]


def _with_tangents(table: Array, inputs: Collection[tuple[str, int]], height: int) -> Array:
    """Rows of inputs, of their tangents, of results and of theirs."""
    count = len(inputs)
    moving = _moving([array for array, _ in inputs])
    given, results = table[:, :count], table[:, count:]
    parts = [given, given[:, moving] + height, results, results + height]
    return np.concatenate(parts, axis=1)
