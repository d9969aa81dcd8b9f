"""The corrector: damped Newton on the closures of one module.

Levenberg-Marquardt on all rows, over angles and lengths made one unit. All rows, since off the
closed states an overconstrained loop has more rank than on them; damped, since it passes
singularities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism, Module
from robocompiler.solve.closure import length_scale, linearize, row_scales, speed_scales
from robocompiler.solve.state import evaluate, step
from robocompiler.spatial import Array

MAX_ITERATIONS = 100
# Residual, over the module's size, at which nothing is left but rounding.
ROUNDING = 1e-15
# A step [rad, or m over the module's size] that changes nothing any more.
NO_STEP = 1e-14


@dataclass(frozen=True, slots=True, eq=False)
class Closed:
    """What the corrector reached."""

    q: Array
    misfit: float
    """Largest row of the residual left, lengths over the module's size."""


def module_speeds(compiled: CompiledMechanism, module: Module) -> list[int]:
    """Indices of the speeds of a module's joints."""
    return [
        i
        for index in module.joints
        for i in range(compiled.tree[index].v.start, compiled.tree[index].v.stop)
    ]


def close_module(
    compiled: CompiledMechanism, q: Array, module: Module, free: Sequence[int]
) -> Closed:
    """Move the speeds in `free` from q until the module's closures are met, or best met.

    Each step is the least one, so that the solution is the one next to q.
    """
    length = length_scale(compiled, evaluate(compiled, q, module.joints), module)
    rows = row_scales(compiled, module, length)
    speeds = speed_scales(compiled, length)[list(free)]

    def residual(at: Array) -> Array:
        return rows * linearize(compiled, at, module).residual

    phi, damping = residual(q), 1e-4
    for _ in range(MAX_ITERATIONS):
        if float(np.max(np.abs(phi), initial=0.0)) <= ROUNDING:
            break
        K = rows[:, None] * linearize(compiled, q, module).jacobian[:, list(free)] / speeds
        U, s, Vt = np.linalg.svd(K, full_matrices=False)
        if not s.size:
            break
        delta = np.zeros(compiled.nv)
        # Against one at least: a Jacobian of nothing but rounding must not make a step.
        gains = s / (s**2 + (damping * max(1.0, s[0])) ** 2)
        delta[list(free)] = -(Vt.T @ (gains * (U.T @ phi))) / speeds
        trial = step(compiled, q, delta, module.joints)
        phi_trial = residual(trial)
        if np.linalg.norm(phi_trial) < np.linalg.norm(phi):
            q, phi, damping = trial, phi_trial, max(damping / 10.0, 1e-9)
        else:
            damping *= 10.0
        if damping > 1e3 or float(np.max(np.abs(delta[list(free)] * speeds))) < NO_STEP:
            break
    return Closed(q, float(np.max(np.abs(phi), initial=0.0)))
