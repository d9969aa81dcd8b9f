"""Where every body is at a configuration, and how each speed moves it.

Configurations may have leading axes: `q` of shape (…, nq) is a batch, evaluated at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism, Edge
from robocompiler.equations.kinematics import joint_columns
from robocompiler.spatial import Array, Pose


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Bodies and joint motions in the world's frame."""

    poses: tuple[Pose, ...]
    """X_WB of each compiled body."""
    columns: Array
    """Spatial twist in the world of outboard against inboard for each speed, shape (…, 6, nv)."""


def evaluate(compiled: CompiledMechanism, q: Array, joints: Iterable[int] | None = None) -> State:
    """Walk the tree outward at q, shape (…, nq).

    Args:
        compiled: the mechanism.
        q: where it stands.
        joints: only these tree joints, in their order; None for all. What is inboard of none of
            them stays where it is, at the world: enough for closures whose paths they are, since
            these see relative poses only, and more exact than from a world far away.
    """
    poses = [Pose.identity()] * len(compiled.bodies)
    columns = np.zeros((*q.shape[:-1], 6, compiled.nv), dtype=q.dtype)
    for index in range(len(compiled.tree)) if joints is None else joints:
        tree_joint = compiled.tree[index]
        edge = tree_joint.edge
        kind, pitch = edge.joint.kind, edge.joint.pitch
        inboard, own = poses[tree_joint.inboard], q[..., tree_joint.q]
        if tree_joint.reversed:
            X_MF = joint_columns(kind, own, pitch, Pose.identity())[0].inverse()
            X_WF = inboard @ edge.X_CM @ X_MF
            poses[tree_joint.outboard] = X_WF @ edge.X_PF.inverse()
            columns[..., tree_joint.v] = -joint_columns(kind, own, pitch, X_WF)[1]
        else:
            X_WM, own_columns = joint_columns(kind, own, pitch, inboard @ edge.X_PF)
            poses[tree_joint.outboard] = X_WM @ edge.X_CM.inverse()
            columns[..., tree_joint.v] = own_columns
    return State(tuple(poses), columns)


def joint_pose(state: State, edge: Edge) -> Pose:
    """X_FM of a joint, in the tree or cut."""
    X_WF = state.poses[edge.parent] @ edge.X_PF
    return X_WF.inverse() @ state.poses[edge.child] @ edge.X_CM


def starting_coordinates(compiled: CompiledMechanism) -> Array:
    """q as drawn, shape (nq,)."""
    q = np.zeros(compiled.nq)
    for tree_joint in compiled.tree:
        q[tree_joint.q] = tree_joint.edge.joint.initial
    return q
