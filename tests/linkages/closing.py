"""Close a mechanism that is drawn open, by plain Gauss-Newton: for records that are not closed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.rows import linearize
from robocompiler.compiler.steps import step
from robocompiler.model.joint_motion import joint_coordinates
from robocompiler.model.mechanism import Mechanism
from robocompiler.solve.state import evaluate, joint_pose, starting_coordinates
from robocompiler.spatial import Array


def closed(
    mechanism: Mechanism,
    hold: Sequence[str],
    targets: Mapping[str, float] | None = None,
    steps: int = 1,
) -> Mechanism:
    """The mechanism with starting values that close it to rounding.

    Args:
        mechanism: drawn nearly closed.
        hold: joints whose values are kept.
        targets: values that some of these are moved to, in `steps` equal steps.
        steps: in how many.
    """
    compiled = compile_mechanism(mechanism)
    q = starting_coordinates(compiled)
    slots = {t.edge.joint.name: t for t in compiled.tree}
    held = [i for name in hold for i in range(slots[name].v.start, slots[name].v.stop)]
    free = [i for i in range(compiled.nv) if i not in set(held)]
    q = _newton(compiled, q, free)
    start = q.copy()
    for share in np.arange(1, steps + 1) / steps:
        for name, value in (targets or {}).items():
            at = slots[name].q
            q[at] = start[at] + share * (value - start[at])
        q = _newton(compiled, q, free)
    return _drawn_at(mechanism, compiled, q)


def _newton(compiled: CompiledMechanism, q: Array, free: Sequence[int]) -> Array:
    """Least steps that lessen all rows, halved where they do not."""
    best = linearize(compiled, q)
    for _ in range(60):
        delta = np.zeros(compiled.nv)
        K = best.jacobian[:, free]
        delta[list(free)] = -np.linalg.lstsq(K, best.residual, rcond=1e-9)[0]
        share = 1.0
        while share > 1e-3:
            trial = step(compiled, q, share * delta)
            found = linearize(compiled, trial)
            if np.linalg.norm(found.residual) < np.linalg.norm(best.residual):
                break
            share /= 2.0
        else:
            return q
        q, best = trial, found
    return q


def _drawn_at(mechanism: Mechanism, compiled: CompiledMechanism, q: Array) -> Mechanism:
    state = evaluate(compiled, q)
    values = {t.edge.joint.name: tuple(float(x) for x in q[t.q]) for t in compiled.tree}
    for closure in compiled.closures:
        joint, X_FM = closure.chord.joint, joint_pose(state, closure.chord)
        values[joint.name] = joint_coordinates(joint.kind, X_FM, joint.initial, joint.pitch)
    joints = tuple(
        replace(j, start=values[j.name]) if j.name in values else j for j in mechanism.joints
    )
    return replace(mechanism, joints=joints)
