"""What the closures accelerate by at constant independent speeds: exactly, with no differences."""

from __future__ import annotations

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.rows import curvature_rows
from robocompiler.equations.motion import Moving, carried_on
from robocompiler.model.joint_kinds import Factor
from robocompiler.solve.reduction.checks import check_numbers, read_q
from robocompiler.solve.reduction.partition import speed_names
from robocompiler.solve.reduction.reduce import Reduction, reduce
from robocompiler.solve.state import State
from robocompiler.spatial import Array, apply, cross


def path_motion(
    compiled: CompiledMechanism, state: State, path: tuple[int, ...], v: Array
) -> Moving:
    """Spatial twist and bias acceleration at the end of a path from its start, in the world."""
    shape = (*np.broadcast_shapes(state.columns.shape[:-2], v.shape[:-1]), 6)
    moving = np.zeros(shape), np.zeros(shape)
    for index in path:
        tree_joint = compiled.tree[index]
        at, parts = tree_joint.v.start, []
        for factor in tree_joint.edge.joint.kind.factors:
            own = slice(at, at + factor.nv)
            parts.append(apply(state.columns[..., own], v[..., own]))
            at += factor.nv
        for part in reversed(parts) if tree_joint.reversed else parts:
            moving = carried_on(moving, part)
    return moving


def curvature(
    compiled: CompiledMechanism, q: Array, v: Array, reduction: Reduction | None = None
) -> Array:
    """c of v̇ = E u̇ + c: what the speeds accelerate by at constant independent speeds.

    Args:
        compiled: the mechanism.
        q: where it stands, closed, shape (…, nq).
        v: how it moves, feasible: v = E u, shape (…, nv).
        reduction: which speeds are independent; None for those `reduce` chooses.

    Returns:
        c, shape (…, nv): zero for independent speeds, and exact for the others.

    Raises:
        BadValueError: q or v has another length, or is not finite.
    """
    q, v = read_q(compiled, q, "curvature"), np.asarray(v, dtype=float)
    check_numbers(v, speed_names(compiled), "curvature", "v")
    return curvature_and_rest(compiled, q, v, reduction_at(compiled, q, reduction))[0]


def curvature_and_rest(
    compiled: CompiledMechanism, q: Array, v: Array, at: Reduction
) -> tuple[Array, Array]:
    """c of arrays that are in order, and what no acceleration makes up for, K c + γ, (…, rows)."""
    gamma = curvature_rows(compiled, q, v)
    c = -apply(at.inverse, gamma)
    c = c - apply(at.inverse, apply(at.jacobian, c) + gamma)
    return c, apply(at.jacobian, c) + gamma


def reduction_at(
    compiled: CompiledMechanism, q: Array, reduction: Reduction | None = None
) -> Reduction:
    """The reduction, taken again at q where it was taken elsewhere."""
    if reduction is None:
        return reduce(compiled, q)
    if reduction.q is q or np.array_equal(reduction.q, q):
        return reduction
    return reduce(compiled, q, reduction.partition)


def lift_rate(reduction: Reduction, v: Array) -> Array:
    """Ė of v = E u while the mechanism moves at v, shape (…, nv, m); c = Ė u.

    Column j answers to K̇(v) e for e column j of E. With γ(v) = K̇(v) v that is
    ¼ (γ(v + e) - γ(v - e)) + ½ K [v, e], the bracket being v × e for the speeds of a rotation,
    which do not commute, and zero for others.
    """
    check_numbers(v, speed_names(reduction.compiled), "lift_rate", "v")
    compiled, lift = reduction.compiled, np.swapaxes(reduction.E, -1, -2)
    q, along = reduction.q[..., None, :], v[..., None, :]
    ahead, behind = (curvature_rows(compiled, q, along + s * lift) for s in (1.0, -1.0))
    turning = _bracket(compiled, along, lift) @ np.swapaxes(reduction.jacobian, -1, -2)
    rows = np.swapaxes((ahead - behind) / 4.0 + turning / 2.0, -1, -2)
    rate = -reduction.inverse @ rows
    return np.asarray(rate - reduction.inverse @ (reduction.jacobian @ rate + rows))


def _bracket(compiled: CompiledMechanism, v: Array, w: Array) -> Array:
    """[v, w] of the fields of constant speeds, shape (…, nv)."""
    product = np.zeros(np.broadcast_shapes(v.shape, w.shape))
    for tree_joint in compiled.tree:
        at = tree_joint.v.start
        for factor in tree_joint.edge.joint.kind.factors:
            own = slice(at, at + factor.nv)
            if factor is Factor.ROTATION:
                product[..., own] = cross(*np.broadcast_arrays(v[..., own], w[..., own]))
            at += factor.nv
    return product


def transfer_rate(reduction: Reduction, other: Reduction, v: Array) -> Array:
    """Ḟ of u = F u' (see `Reduction.transfer`) while moving at v: u̇ = F u̇' + Ḟ u'."""
    return np.asarray(lift_rate(other, v)[..., list(reduction.independent), :])
