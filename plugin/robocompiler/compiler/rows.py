"""The rows of a compiled mechanism: its closures and couplings as equations of q and v.

Over numbers of any kind and leading axes, as the equations are: solvers evaluate them, and
`tracing` runs them on symbols.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.compiled import Closure, CompiledMechanism, Module
from robocompiler.compiler.elimination import folded
from robocompiler.equations.loops import around, loop_curvature, loop_rows
from robocompiler.spatial import Array


@dataclass(frozen=True, slots=True, eq=False)
class Linearized:
    """Residual and Jacobian of some closures and couplings at a configuration."""

    residual: Array
    """φ [m, rad], shape (rows,)."""
    jacobian: Array
    """K = ∂φ/∂v, shape (rows, nv); zero for eliminated followers, whose part their leaders have."""


def linearize(
    compiled: CompiledMechanism, q: Array, module: Module | None = None, closed: bool = False
) -> Linearized:
    """φ and K at q, shape (…, nq), of one module or of all; if `closed`, K as it is where φ = 0."""
    closures = range(len(compiled.closures)) if module is None else module.closures
    couplings = range(len(compiled.couplings)) if module is None else module.couplings
    batch = q.shape[:-1]
    phi: list[Array] = [np.zeros((*batch, 0))]
    rows: list[Array] = [np.zeros((*batch, 0, compiled.nv))]
    for index in closures:
        own = linearize_closure(compiled, q, compiled.closures[index], closed)
        phi.append(own.residual)
        rows.append(own.jacobian)
    for index in couplings:
        coupling = compiled.couplings[index]
        row = np.zeros((*batch, 1, compiled.nv))
        for ref, coefficient in coupling.terms:
            row[..., 0, ref.v] = coefficient
        phi.append(coupling.residual(q)[..., None])
        rows.append(row)
    K = folded(compiled, np.concatenate(rows, axis=-2))
    return Linearized(np.concatenate(phi, axis=-1), K)


def linearize_closure(
    compiled: CompiledMechanism, q: Array, closure: Closure, closed: bool = False
) -> Linearized:
    """φ and K of one closure, as `linearize`."""
    kind, pitch = closure.kind, closure.chord.joint.pitch
    at = around(closure.loop, q, kind if closed else None)
    return Linearized(*loop_rows(kind, at, compiled.nv, pitch))


def curvature_rows(
    compiled: CompiledMechanism,
    q: Array,
    v: Array,
    module: Module | None = None,
    closed: bool = False,
) -> Array:
    """γ = K̇ v of the closures' rows, shape (…, rows); φ̈ = K v̇ + γ. Couplings have none.

    Args:
        compiled: the mechanism.
        q: where it stands, shape (…, nq).
        v: how it moves, shape (…, nv).
        module: only its rows, in the order of `linearize`; None for all.
        closed: whether it is only to hold where φ = 0.
    """
    closures = range(len(compiled.closures)) if module is None else module.closures
    couplings = len(compiled.couplings if module is None else module.couplings)
    batch = np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
    rows = [_closure_rows(compiled.closures[i], q, v, closed) for i in closures]
    return np.concatenate([*rows, np.zeros((*batch, couplings))], axis=-1)


def _closure_rows(closure: Closure, q: Array, v: Array, closed: bool) -> Array:
    at = around(closure.loop, q, closure.kind if closed else None)
    return loop_curvature(closure.kind, at, v, closure.chord.joint.pitch)
