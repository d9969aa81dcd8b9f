"""How many assemblies a module has, where a closed form says so."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.state import evaluate
from robocompiler.solve.system import System
from robocompiler.spatial import Array


def assemblies_known(system: System, q: Array, held: Sequence[int]) -> int | None:
    """Of a planar four-bar or slider-crank with the held speeds held: two; None of any other.

    One loop of four joints, all about one direction or sliding across it, one of them held: what
    is left is a triangle of three pins, or of two and a slide.
    """
    own = system.compiled
    edges = [t.edge for t in own.tree] + [c.chord for c in own.closures]
    kinds = sorted(edge.joint.kind.value for edge in edges)
    planar = kinds in (["revolute"] * 4, ["prismatic", *["revolute"] * 3])
    if len(own.closures) != 1 or own.couplings or len(held) != 1 or not planar:
        return None
    state = evaluate(own, q)
    axes = {e.joint.name: (state.poses[e.parent] @ e.X_PF).R[:, 2] for e in edges}
    pins = [axes[e.joint.name] for e in edges if e.joint.kind is JointKind.REVOLUTE]
    slides = [axes[e.joint.name] for e in edges if e.joint.kind is JointKind.PRISMATIC]
    flat = all(np.linalg.norm(np.cross(pins[0], p)) < 1e-9 for p in pins)
    across = all(abs(pins[0] @ s) < 1e-9 for s in slides)
    return 2 if flat and across else None
