"""The coordinates of cut joints along a way, their turns counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from robocompiler.model.joint_motion import joint_coordinates
from robocompiler.model.mechanism import Joint
from robocompiler.spatial import Array, Pose


def chord_tables(
    chords: Sequence[tuple[Joint, Pose]], began: Mapping[str, tuple[float, ...]]
) -> dict[str, Array]:
    """For each cut joint its coordinates at each of a row of states, (states, coordinates).

    Args:
        chords: the joints, and X_FM of each at all states, in the order they were passed.
        began: their coordinates before the first, by name, from which turns are counted. Steps
            are so short that none turns a joint by half a turn.
    """
    tables: dict[str, Array] = {}
    for joint, X_FM in chords:
        near = began[joint.name]
        rows = []
        for R, p in zip(X_FM.R, X_FM.p, strict=True):
            near = joint_coordinates(joint.kind, Pose(R, p), near, joint.pitch)
            rows.append(near)
        tables[joint.name] = np.array(rows).reshape(len(rows), joint.kind.nq)
    return tables
