"""Mass matrix of the spanning tree and the effort of gravity on it."""

from __future__ import annotations

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.model.mechanism import Inertia
from robocompiler.model.validity import inertia_tensor
from robocompiler.solve.state import State
from robocompiler.spatial import Array, Pose, skew


def spatial_inertia(inertia: Inertia, X: Pose) -> Array:
    """Spatial inertia about the origin of frame A, for a body at X_AB, shape (6, 6)."""
    c = skew(X.R @ np.array(inertia.center) + X.p)
    rotational = X.R @ inertia_tensor(inertia) @ X.R.T - inertia.mass * c @ c
    top = np.hstack([inertia.mass * np.eye(3), -inertia.mass * c])
    return np.vstack([top, np.hstack([inertia.mass * c, rotational])])


def body_columns(compiled: CompiledMechanism, state: State) -> list[Array]:
    """For each body, its spatial twist in the world for each speed, shape (6, nv)."""
    columns = [np.zeros((6, compiled.nv)) for _ in compiled.bodies]
    for tree_joint in compiled.tree:
        own = columns[tree_joint.inboard].copy()
        own[:, tree_joint.v] = state.columns[:, tree_joint.v]
        columns[tree_joint.outboard] = own
    return columns


def mass_matrix(compiled: CompiledMechanism, state: State) -> Array:
    """M of the tree, its loops open, shape (nv, nv)."""
    M = np.zeros((compiled.nv, compiled.nv))
    for body, X, C in zip(compiled.bodies, state.poses, body_columns(compiled, state), strict=True):
        if body.inertia is not None:
            M += C.T @ spatial_inertia(body.inertia, X) @ C
    return M


def gravity_effort(compiled: CompiledMechanism, state: State, gravity: Array) -> Array:
    """Generalized effort of gravity [m/s²] on the tree, shape (nv,)."""
    effort = np.zeros(compiled.nv)
    for body, X, C in zip(compiled.bodies, state.poses, body_columns(compiled, state), strict=True):
        if body.inertia is not None:
            acceleration = np.concatenate([gravity, np.zeros(3)])
            effort += C.T @ (spatial_inertia(body.inertia, X) @ acceleration)
    return effort
