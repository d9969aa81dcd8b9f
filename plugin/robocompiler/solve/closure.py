"""Closure residual and constraint Jacobian of a compiled mechanism."""

from __future__ import annotations

import numpy as np

from robocompiler.compiler.compiled import Closure, CompiledMechanism, Module
from robocompiler.compiler.rows import linearize
from robocompiler.equations.loops import around, loop_columns
from robocompiler.equations.residuals import row_is_length
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.joint_motion import closure_gap, screw_turn
from robocompiler.solve.state import State, evaluate, joint_pose
from robocompiler.spatial import IDENTITY_ROTATION, Array, Pose

# A singular value of the scaled Jacobian below this share of the largest is a rounded zero:
# robot files state axes and lengths to six digits or so.
RANK_TOLERANCE = 1e-5
# Points nearer than this share of how far out they are, are one place.
SAME_PLACE = 1e-6


def relative_motion(compiled: CompiledMechanism, q: Array, closure: Closure) -> tuple[Pose, Array]:
    """X_FM of a chord, and ∂[ṗ, ω]/∂v of M as seen from F in its axes, shape (…, 6, nv)."""
    at = around(closure.loop, q)
    return at.X_FM, loop_columns(at, compiled.nv)


def path_columns(compiled: CompiledMechanism, state: State, closure: Closure) -> Array:
    """The spatial twist in the world of M against F for each speed, shape (…, 6, nv).

    A joint on the child's side adds its own; one on the parent's side takes it away.
    """
    columns = np.zeros_like(state.columns)
    for sign, path in ((-1.0, closure.to_parent), (1.0, closure.to_child)):
        for joint in path:
            v = compiled.tree[joint].v
            columns[..., v] += sign * state.columns[..., v]
    return columns


def seen_at_chord(state: State, closure: Closure, spatial: Array) -> Array:
    """Spatial twists in the world, (…, 6, k), as the velocity of M's origin and the spin, in F."""
    edge = closure.chord
    R, p = (state.poses[edge.parent] @ edge.X_PF).R, (state.poses[edge.child] @ edge.X_CM).p
    return Pose(R, p).inverse().carry(spatial)


def turn_of(closure: Closure, X_FM: Pose) -> Array | float:
    """A cut screw's unwrapped angle [rad], from how far it advanced; 0 for other kinds."""
    if closure.kind is not JointKind.SCREW:
        return 0.0
    return screw_turn(X_FM, closure.chord.joint.pitch)


def gap_of(closure: Closure, state: State) -> tuple[float, float]:
    """How far a closure is from closed [m, rad]."""
    X_FM = joint_pose(state, closure.chord)
    turn = float(turn_of(closure, X_FM))
    gap, angle = closure_gap(closure.kind, X_FM, closure.chord.joint.pitch, turn)
    return float(gap), float(angle)


def widest_gap(
    compiled: CompiledMechanism, module: Module, state: State, size: float
) -> tuple[str, float, float]:
    """The closure of a module of that size [m] that is furthest open, and its gap [m, rad].

    The module's own name and no gap where it has no closure.
    """
    closures = (compiled.closures[i] for i in module.closures)
    gaps = [(closure.name, *gap_of(closure, state)) for closure in closures]
    return max(gaps, key=lambda g: g[1] / size + g[2], default=(module.name, 0.0, 0.0))


def length_scale(compiled: CompiledMechanism, state: State, module: Module) -> float:
    """Size of a module [m]: root mean square distance of its joints from their middle.

    That of its bodies' centres of mass and joints where the joints are all in one place, as in a
    spherical linkage; 1 where there is nothing to measure.
    """
    edges = [
        *(compiled.tree[index].edge for index in module.joints),
        *(compiled.closures[index].chord for index in module.closures),
    ]
    anchors = [(state.poses[edge.parent] @ edge.X_PF).p for edge in edges]
    bodies = {index for edge in edges for index in (edge.parent, edge.child)}
    centers = [
        (state.poses[index] @ Pose.of(inertia.center, IDENTITY_ROTATION)).p
        for index in sorted(bodies)
        if (inertia := compiled.bodies[index].inertia) is not None
    ]
    reach = float(np.max(np.abs([*anchors, *centers]), initial=0.0))
    for points in (anchors, [*anchors, *centers]):
        size = _spread(points)
        if size > SAME_PLACE * reach:
            return size
    return 1.0


def _spread(points: list[Array]) -> float:
    if not points:
        return 0.0
    apart = np.array(points) - np.mean(points, axis=0)
    return float(np.sqrt(np.mean(np.sum(apart**2, axis=1))))


def row_scales(compiled: CompiledMechanism, module: Module, length: float) -> Array:
    """1/length for each row of a module that is a length, 1 for an angle."""
    scales: list[float] = []
    for index in module.closures:
        kind = compiled.closures[index].kind
        scales += [1.0 / length if is_length else 1.0 for is_length in row_is_length(kind)]
    for index in module.couplings:
        at = compiled.couplings[index].follower.v
        scales.append(float(speed_scales(compiled, length)[at]))
    return np.array(scales)


def speed_scales(compiled: CompiledMechanism, length: float) -> Array:
    """1/length for each speed that is a length, 1 for an angle, shape (nv,)."""
    scales = [
        1.0 if factor.is_turn else 1.0 / length
        for tree_joint in compiled.tree
        for factor in tree_joint.edge.joint.kind.factors
        for _ in range(factor.nv)
    ]
    return np.array(scales)


def scaled_jacobian(compiled: CompiledMechanism, q: Array, module: Module) -> Array:
    """K of a module over angles and lengths made one unit, shape (rows, nv)."""
    length = length_scale(compiled, evaluate(compiled, q, module.joints), module)
    K = linearize(compiled, q, module).jacobian
    rows, columns = row_scales(compiled, module, length), speed_scales(compiled, length)
    return np.asarray(rows[:, None] * K / columns[None, :])


def count_above(singular: Array) -> int:
    """How many singular values of a scaled Jacobian are not rounding: its rank.

    Above a share of the largest, or of one, since a Jacobian that is all zero but for rounding has
    no largest to compare with.
    """
    largest = float(np.max(singular, initial=1.0))
    return int(np.sum(singular > RANK_TOLERANCE * largest))
