"""Steps from coordinates to others, joint by joint, of any kind of number and leading axes."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.elimination import followed
from robocompiler.equations.kinematics import joint_difference, joint_step
from robocompiler.spatial import Array


def step(
    compiled: CompiledMechanism, q: Array, delta: Array, joints: Iterable[int] | None = None
) -> Array:
    """q ⊕ δ for δ [m, rad] of shape (…, nv); only of these tree joints, where they are given.

    Eliminated followers go where their leaders put them.
    """
    moved = np.array(q)
    for index in range(len(compiled.tree)) if joints is None else joints:
        tree_joint = compiled.tree[index]
        kind, own = tree_joint.edge.joint.kind, tree_joint.q
        moved[..., own] = joint_step(kind, q[..., own], delta[..., tree_joint.v])
    return followed(compiled, moved)


def difference(
    compiled: CompiledMechanism, start: Array, end: Array, joints: Iterable[int] | None = None
) -> Array:
    """The step δ [m, rad] with start ⊕ δ = end, shape (…, nv); 0 for tree joints not given."""
    delta = np.zeros((*start.shape[:-1], compiled.nv), dtype=start.dtype)
    for index in range(len(compiled.tree)) if joints is None else joints:
        tree_joint = compiled.tree[index]
        kind, own = tree_joint.edge.joint.kind, tree_joint.q
        delta[..., tree_joint.v] = joint_difference(kind, start[..., own], end[..., own])
    return delta
