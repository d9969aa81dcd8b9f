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


def linearize(compiled: CompiledMechanism, q: Array, module: Module | None = None) -> Linearized:
    """φ and K at q, shape (…, nq), of one module or of all."""
    closures = range(len(compiled.closures)) if module is None else module.closures
    couplings = range(len(compiled.couplings)) if module is None else module.couplings
    batch = q.shape[:-1]
    phi: list[Array] = [np.zeros((*batch, 0))]
    rows: list[Array] = [np.zeros((*batch, 0, compiled.nv))]
    for index in closures:
        own = linearize_closure(compiled, q, compiled.closures[index])
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


def linearize_closure(compiled: CompiledMechanism, q: Array, closure: Closure) -> Linearized:
    """φ and K of one closure."""
    pitch = closure.chord.joint.pitch
    return Linearized(*loop_rows(closure.kind, around(closure.loop, q), compiled.nv, pitch))


def curvature_rows(
    compiled: CompiledMechanism, q: Array, v: Array, module: Module | None = None
) -> Array:
    """γ = K̇ v of the closures' rows, shape (…, rows); φ̈ = K v̇ + γ. Couplings have none.

    Args:
        compiled: the mechanism.
        q: where it stands, shape (…, nq).
        v: how it moves, shape (…, nv).
        module: only its rows, in the order of `linearize`; None for all.
    """
    closures = range(len(compiled.closures)) if module is None else module.closures
    couplings = len(compiled.couplings if module is None else module.couplings)
    batch = np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
    rows = [_closure_rows(compiled.closures[i], q, v) for i in closures]
    return np.concatenate([*rows, np.zeros((*batch, couplings))], axis=-1)


def _closure_rows(closure: Closure, q: Array, v: Array) -> Array:
    return loop_curvature(closure.kind, around(closure.loop, q), v, closure.chord.joint.pitch)
