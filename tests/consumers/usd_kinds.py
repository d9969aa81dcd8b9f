"""An arm with a joint of any kind, either way round, and where its bodies are as it moves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from truth import Array

import robocompiler as rc
from acting import on_a_base
from arms import arm
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.state import evaluate
from robocompiler.spatial import Pose
from robocompiler.write.links import axis_names, axis_values

KINDS = tuple(kind for kind in JointKind if kind not in (JointKind.FIXED, JointKind.FREE))
SAMPLES = 4


@dataclass(frozen=True, eq=False)
class Moved:
    """The arm at one sample."""

    axes: dict[str, float]
    """Coordinates of hinges and slides, by their names in the stage [m or rad]."""
    values: dict[str, tuple[float, ...]]
    """Of each joint, in the order of its factors."""
    poses: dict[str, Pose]


def written(kind: JointKind, reverse: bool, profile: str, folder: Path) -> tuple[Path, list[Moved]]:
    """Its stage, and samples of it, the first where the stage stands. Balls stay there."""
    compiled = rc.compile(on_a_base(arm(kind, reverse)))
    path = folder / "arm.usda"
    rc.write(compiled, path, usd_profile=profile, intermediate_mass=1e-3)
    start = rc.coordinates(compiled, rc.assemble(compiled))
    random = np.random.default_rng(5)
    samples = []
    for number in range(SAMPLES):
        q = start.copy()
        for t in compiled.tree:
            if number and t.edge.joint.kind is not JointKind.BALL:
                q[t.q] += random.uniform(-0.4, 0.4, t.q.stop - t.q.start)
        samples.append(_sample(compiled, q))
    return path, samples


def _sample(compiled, q: Array) -> Moved:
    poses = evaluate(compiled, q).poses
    axes: dict[str, float] = {}
    for joint, own in ((t.edge.joint, q[t.q]) for t in compiled.tree):
        if joint.kind is not JointKind.BALL:
            names = (name.replace("/", "_") for name in axis_names(joint))
            axes |= dict(zip(names, axis_values(joint, own), strict=True))
    return Moved(
        axes=axes,
        values={t.edge.joint.name: tuple(q[t.q].tolist()) for t in compiled.tree},
        poses={b.name: X for b, X in zip(compiled.bodies[1:], poses[1:], strict=True)},
    )
