"""What a closure of points needs to know of its loop."""

from __future__ import annotations

import numpy as np

from robocompiler.compiler.compiled import Closure, CompiledMechanism, Module, TreeJoint
from robocompiler.model.joint_kinds import Factor
from robocompiler.solve.closure import length_scale
from robocompiler.solve.state import State
from robocompiler.spatial import Array

# Axes [rad] off parallel by less are parallel: robot files round them.
PARALLEL = 1e-5
# Second point of a spatial revolute closure, along its axis [m]: stable from 10 to 100 mm.
SHORTEST_LEVER, LONGEST_LEVER = 0.01, 0.1


def closure_frames(closure: Closure) -> tuple[str, str]:
    """What the frames F and M of a cut joint are called in every format; a format to which a slash
    is no letter has an underscore for it.
    """
    return f"{closure.name}/parent", f"{closure.name}/child"


def lever(compiled: CompiledMechanism, state: State, module: Module) -> float:
    """How far along its axis [m] the second point of a spatial revolute closure is."""
    return float(np.clip(length_scale(compiled, state, module), SHORTEST_LEVER, LONGEST_LEVER))


def is_planar(compiled: CompiledMechanism, state: State, closure: Closure) -> bool:
    """Whether no joint of a loop can leave the plane its cut revolute joint turns in.

    Every turn of the loop is about a parallel of the cut's axis, and every move across it.
    """
    normal = (state.poses[closure.chord.parent] @ closure.chord.X_PF).R[:, 2]
    return all(_stays_in_plane(compiled.tree[index], state, normal) for index in closure.path)


def _stays_in_plane(tree_joint: TreeJoint, state: State, normal: Array) -> bool:
    if Factor.ROTATION in tree_joint.edge.joint.kind.factors:
        return False
    for column in state.columns[:, tree_joint.v].T:
        turn, move = column[3:], column[:3]
        if np.any(turn):
            off = float(np.linalg.norm(np.cross(turn, normal)))
            lifts = abs(float(move @ normal)) > PARALLEL * max(1.0, float(np.linalg.norm(move)))
        else:
            off, lifts = abs(float(move @ normal)), False
        if off > PARALLEL or lifts:
            return False
    return True
