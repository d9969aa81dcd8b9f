"""Configurations by name, from coordinates and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import UnknownNameError, raise_all
from robocompiler.model.configuration import ClosureGap, Configuration
from robocompiler.model.joint_motion import joint_coordinates
from robocompiler.solve.closure import gap_of
from robocompiler.solve.state import evaluate, joint_pose
from robocompiler.spatial import Array


def coordinates(compiled: CompiledMechanism, configuration: Configuration) -> Array:
    """q of a configuration, shape (nq,).

    Raises:
        UnknownNameError: it has no value for a joint of the tree.
    """
    values = dict(configuration.values)
    names = [tree_joint.edge.joint.name for tree_joint in compiled.tree]
    raise_all(
        UnknownNameError("The configuration", "value of joint", name, values)
        for name in names
        if name not in values
    )
    q = np.zeros(compiled.nq)
    for tree_joint in compiled.tree:
        q[tree_joint.q] = values[tree_joint.edge.joint.name]
    return q


def describe(
    compiled: CompiledMechanism,
    q: Array,
    drawn: Mapping[str, tuple[float, float]],
    missed: Sequence[tuple[str, float]] = (),
    near: Mapping[str, tuple[float, ...]] | None = None,
) -> Configuration:
    """The configuration at q by names, cut joints included.

    Args:
        compiled: the mechanism.
        q: where it stands, shape (nq,).
        drawn: by closure, how far apart [m, rad] its sides are drawn.
        missed: joints that were wanted elsewhere, and by how much they stay away [m or rad].
        near: coordinates by joint name from which turns of cut joints are counted; the drawn
            ones for joints not in it.
    """
    state = evaluate(compiled, q)
    values = {t.edge.joint.name: tuple(float(x) for x in q[t.q]) for t in compiled.tree}
    gaps: list[ClosureGap] = []
    for closure in compiled.closures:
        joint = closure.chord.joint
        X_FM = joint_pose(state, closure.chord)
        before = (near or {}).get(joint.name, joint.initial)
        values[joint.name] = joint_coordinates(joint.kind, X_FM, before, joint.pitch)
        gap, angle = gap_of(closure, state)
        drawn_gap, drawn_angle = drawn[closure.name]
        gaps.append(
            ClosureGap(
                closure=closure.name,
                drawn_gap=drawn_gap,
                drawn_angle=drawn_angle,
                gap=gap,
                angle=angle,
            )
        )
    moved = tuple(
        (t.edge.joint.name, far)
        for t in compiled.tree
        if (far := distance(q[t.q], t.edge.joint.initial)) > 1e-9
    )
    return Configuration(
        values=tuple(sorted(values.items())), gaps=tuple(gaps), moved=moved, missed=tuple(missed)
    )


def distance(q: Array | Sequence[float], start: Sequence[float]) -> float:
    """The largest difference between coordinates [m or rad]."""
    return float(np.max(np.abs(np.asarray(q) - np.asarray(start)), initial=0.0))
