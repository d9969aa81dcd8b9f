"""Whether a path comes back to its drivers' values with everything else standing elsewhere.

Mechanisms that can do so without a singularity are cuspidal: no value of a driver then says where
they stand, only the way there does.

Source: C. Innocenti, V. Parenti-Castelli, Singularity-free evolution from one configuration to
another in serial and fully-parallel manipulators, J. Mech. Des. 120 (1998).
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.equations.kinematics import joint_difference
from robocompiler.spatial import Array

SAME = 1e-8
"""Drivers this near [m or rad] stand at one value."""
APART = 1e-5
"""Other joints further apart [m or rad] than this stand elsewhere."""


def samples_elsewhere(
    compiled: CompiledMechanism, q: Array, drivers: Collection[str]
) -> tuple[tuple[int, int], ...]:
    """Pairs of samples with the same driver values and other joints elsewhere, whole turns apart.

    Each later sample with the first one at its values.

    Args:
        compiled: the mechanism.
        q: where it stands, shape (samples, nq).
        drivers: joints whose values are given.
    """
    table = np.concatenate([q[:, t.q] for t in compiled.tree if t.edge.joint.name in drivers], -1)
    _, group = np.unique(np.round(table / SAME), axis=0, return_inverse=True)
    first: dict[int, int] = {}
    earliest = [first.setdefault(int(own), i) for i, own in enumerate(group)]
    again = np.flatnonzero(np.array(earliest) != np.arange(len(q)))
    if not len(again):
        return ()
    start = np.array(earliest)[again]
    off = np.zeros(len(again))
    for tree_joint in (t for t in compiled.tree if t.edge.joint.name not in drivers):
        kind, own = tree_joint.edge.joint.kind, tree_joint.q
        apart = joint_difference(kind, q[start][:, own], q[again][:, own])
        at = 0
        for factor in kind.factors:
            part = apart[:, at : at + factor.nv]
            if factor.is_turn and factor.nq == 1:
                part = np.remainder(part + np.pi, 2.0 * np.pi) - np.pi
            off = np.maximum(off, np.max(np.abs(part), axis=-1))
            at += factor.nv
    elsewhere = np.flatnonzero(off > APART)
    return tuple((int(start[i]), int(again[i])) for i in elsewhere)
