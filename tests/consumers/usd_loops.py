"""Loops in general position, cut at a joint of any kind, for an importer that closes all."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import robocompiler as rc
from acting import on_a_base
from linkages.spatial import loop_with
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.model.joint_kinds import JointKind
from robocompiler.spatial import Pose

HELD = {
    JointKind.REVOLUTE: lambda X: (*X.p, *X.R[:2, 2]),
    JointKind.PRISMATIC: lambda X: (*X.p[:2], *(X.R - np.eye(3)).ravel()),
    JointKind.CYLINDRICAL: lambda X: (*X.p[:2], *X.R[:2, 2]),
    JointKind.UNIVERSAL: lambda X: (*X.p, X.R[0, 1]),
    JointKind.BALL: lambda X: tuple(X.p),
    JointKind.PLANAR: lambda X: (X.p[2], *X.R[:2, 2]),
    JointKind.TRANSLATION: lambda X: tuple((X.R - np.eye(3)).ravel()),
}
"""What is 0 of frame M seen from F while a joint holds [m, sines of angles]."""


def compiled(kind: JointKind, reverse: bool) -> CompiledMechanism:
    """The loop, on a base, cut at its joint of that kind."""
    return rc.compile(on_a_base(loop_with(kind, reverse=reverse)), frozenset({kind}))


def write(kind: str, reverse: bool, path: str) -> None:
    """Its stage for PhysX."""
    whole = compiled(JointKind(kind), reverse)
    rc.write(whole, Path(path), usd_profile="physx", intermediate_mass=1e-3)


def off(whole: CompiledMechanism, poses: dict[str, Pose]) -> float:
    """By how much the cut joint is not held, where bodies stand [m, sines of angles]."""
    (closure,) = whole.closures
    chord = closure.chord
    parent, child = (whole.bodies[body].name for body in (chord.parent, chord.child))
    X_WF = poses.get(parent, Pose.identity()) @ chord.X_PF
    X_WM = poses.get(child, Pose.identity()) @ chord.X_CM
    return float(np.abs(HELD[closure.kind](X_WF.inverse() @ X_WM)).max())
