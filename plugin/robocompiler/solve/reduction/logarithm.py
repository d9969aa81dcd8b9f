"""The closures in the papers' form: logarithms of poses, with the cut joints' own coordinates.

Rows are six for each closure, then the couplings; unknowns are q and then the coordinates of each
cut joint (the chart), closure by closure. The lift is that of the minimal rows, to rounding.
"""

from __future__ import annotations

import numpy as np

from robocompiler.compiler.compiled import Closure, CompiledMechanism, Module
from robocompiler.compiler.elimination import folded
from robocompiler.compiler.rows import Linearized, linearize
from robocompiler.equations.kinematics import joint_columns
from robocompiler.equations.logarithm import chart_residual, inverse_pose_jacobian, nearest_chart
from robocompiler.equations.motion import bias_apart, carried_on
from robocompiler.solve.closure import path_columns
from robocompiler.solve.reduction.curvature import path_motion
from robocompiler.solve.state import State, evaluate, joint_pose
from robocompiler.spatial import Array, Pose, apply


def chart_slices(compiled: CompiledMechanism) -> tuple[tuple[slice, slice], ...]:
    """For each closure, where its cut joint's coordinates and speeds are among those of all."""
    slices: list[tuple[slice, slice]] = []
    at, speed = 0, 0
    for closure in compiled.closures:
        kind = closure.kind
        slices.append((slice(at, at + kind.nq), slice(speed, speed + kind.dof)))
        at, speed = at + kind.nq, speed + kind.dof
    return tuple(slices)


def chart_coordinates(compiled: CompiledMechanism, q: Array) -> Array:
    """The coordinates of every cut joint as it stands at q, shape (…, chart's nq)."""
    state = evaluate(compiled, q)
    parts = [
        nearest_chart(c.kind, joint_pose(state, c.chord), c.chord.joint.pitch)
        for c in compiled.closures
    ]
    return np.concatenate([q[..., :0], *parts], axis=-1)


def linearize_logarithm(
    compiled: CompiledMechanism, q: Array, chart: Array, module: Module | None = None
) -> Linearized:
    """ρ and ∂ρ/∂(v, chart speeds) at q, shape (…, nq), and the chart's coordinates.

    The differential is assembled along the paths, the chart at the end C of the parent's one:
    ∂ρ = J⁻¹ Ad (η⁺ - η⁻), seen from C. Rows are in the order of `linearize`, of one module or of
    all.
    """
    state, slices = evaluate(compiled, q), chart_slices(compiled)
    closures = range(len(compiled.closures)) if module is None else module.closures
    couplings = range(len(compiled.couplings)) if module is None else module.couplings
    added = slices[-1][1].stop if slices else 0
    phi: list[Array] = [q[..., :0]]
    rows: list[Array] = [np.zeros((*q.shape[:-1], 0, compiled.nv + added))]
    for index in closures:
        closure, (own, speeds) = compiled.closures[index], slices[index]
        X_WC, columns = chart_columns(state, closure, chart[..., own])
        eta = np.zeros((*q.shape[:-1], 6, compiled.nv + added))
        eta[..., : compiled.nv] = path_columns(compiled, state, closure)
        eta[..., compiled.nv + speeds.start : compiled.nv + speeds.stop] = -columns
        X_FM, pitch = joint_pose(state, closure.chord), closure.chord.joint.pitch
        rho = chart_residual(closure.kind, X_FM, chart[..., own], pitch)
        phi.append(rho)
        seen = X_WC.inverse().carry(folded(compiled, eta))
        rows.append(inverse_pose_jacobian(rho) @ seen)
    if couplings:
        coupled = linearize(compiled, q, Module("", (), tuple(couplings), ()))
        phi.append(coupled.residual)
        still = np.zeros((*coupled.jacobian.shape[:-1], added))
        rows.append(np.concatenate([coupled.jacobian, still], axis=-1))
    return Linearized(np.concatenate(phi, axis=-1), np.concatenate(rows, axis=-2))


def chart_columns(state: State, closure: Closure, chart: Array) -> tuple[Pose, Array]:
    """X_WC, where a cut joint's coordinates put its M, and the spatial twist in the world of each
    of its speeds, shape (…, 6, dof).
    """
    edge = closure.chord
    X_WF = state.poses[edge.parent] @ edge.X_PF
    return joint_columns(edge.joint.kind, chart, edge.joint.pitch, X_WF)


def chart_lift(compiled: CompiledMechanism, q: Array) -> Array:
    """How each speed of the tree moves the cut joints at a closed q, shape (…, chart speeds, nv).

    Where they cannot follow, as nearly as they can, in the axes of the cut joint.
    """
    state, slices = evaluate(compiled, q), chart_slices(compiled)
    chart = chart_coordinates(compiled, q)
    rows = [np.zeros((*q.shape[:-1], 0, compiled.nv))]
    for closure, (own, _) in zip(compiled.closures, slices, strict=True):
        spatial = path_columns(compiled, state, closure)
        rows.append(chart_follow(state, closure, chart[..., own], spatial))
    return np.concatenate(rows, axis=-2)


def chart_curvature(compiled: CompiledMechanism, q: Array, v: Array, a: Array) -> Array:
    """How the cut joints accelerate, shape (…, chart speeds), at a closed q.

    Where the tree moves at feasible v and accelerates by a: with `curvature` for a what they do at
    constant independent speeds, and `chart_lift` times E u̇ comes on top. So a cut joint has its
    spring, its rotor and its port as one of the tree has.
    """
    state, chart = evaluate(compiled, q), chart_coordinates(compiled, q)
    speeds = apply(chart_lift(compiled, q), v)
    gamma, parts = curvature_logarithm(compiled, q, v, speeds), [q[..., :0]]
    for at, (closure, (own, _)) in enumerate(
        zip(compiled.closures, chart_slices(compiled), strict=True)
    ):
        X_WC, columns = chart_columns(state, closure, chart[..., own])
        seen = X_WC.inverse()
        along = apply(seen.carry(path_columns(compiled, state, closure)), a)
        bent = along + gamma[..., 6 * at : 6 * at + 6]
        parts.append(apply(np.linalg.pinv(seen.carry(columns)), bent))
    return np.concatenate(parts, axis=-1)


def chart_follow(state: State, closure: Closure, chart: Array, spatial: Array) -> Array:
    """The speeds of a cut joint that go along with spatial twists of M against F, (…, dof, k)."""
    X_WC, columns = chart_columns(state, closure, chart)
    seen = X_WC.inverse()
    return np.asarray(np.linalg.pinv(seen.carry(columns)) @ seen.carry(spatial))


def curvature_logarithm(
    compiled: CompiledMechanism, q: Array, v: Array, chart_speeds: Array
) -> Array:
    """γ of the closures' logarithms on feasible speeds at a closed q, shape (…, 6 · closures).

    There γ = Ad (A⁺ - A⁻ - ad_V⁻ (V⁺ - V⁻)) and the last product vanishes; the chart ends the
    parent's side. At an open q it would not be enough: there the rate of J⁻¹ has its part.
    """
    state, slices = evaluate(compiled, q), chart_slices(compiled)
    chart, rows = chart_coordinates(compiled, q), [q[..., :0]]
    for closure, (own, speeds) in zip(compiled.closures, slices, strict=True):
        X_WC, columns = chart_columns(state, closure, chart[..., own])
        moving = path_motion(compiled, state, closure.to_parent, v)
        at = speeds.start
        for factor in closure.kind.factors:
            part = slice(at - speeds.start, at - speeds.start + factor.nv)
            moved = apply(columns[..., part], chart_speeds[..., at : at + factor.nv])
            moving, at = carried_on(moving, moved), at + factor.nv
        apart = bias_apart(moving, path_motion(compiled, state, closure.to_child, v))
        rows.append(X_WC.inverse().carry(apart[..., None])[..., 0])
    return np.concatenate(rows, axis=-1)
