"""Where balls, and what floats, count from in a file that counts otherwise than the mechanism."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from robocompiler.compiler.compiled import TreeJoint
from robocompiler.spatial import Array, Pose
from robocompiler.write.fidelity import Property
from robocompiler.write.ledger import Ledger

# Coordinates [m or rad] that differ by less are the same.
SAME = 1e-9
FLOATS = "it counts from the world to the body's own frame"
"""What a file that has no joint for a free one makes of it."""
Coordinates = Sequence[float]
"""A quaternion w x y z, after a place [m] if there are seven."""


def is_place(tree_joint: TreeJoint) -> bool:
    """Whether a free joint's coordinates are where its body stands in the world."""
    on_world = tree_joint.inboard == 0 and _same(tree_joint.edge.X_PF)
    return on_world and leads_to_body(tree_joint)


def leads_to_body(tree_joint: TreeJoint) -> bool:
    """Whether a joint's coordinates are where its outer body stands, seen from its frame."""
    return not tree_joint.reversed and _same(tree_joint.edge.X_CM)


def place(X: Pose) -> Coordinates:
    """A pose as coordinates."""
    return (*X.position, *X.quaternion)


def note_zero(
    ledger: Ledger, name: str, how: str, pairs: Iterable[tuple[Coordinates, Coordinates]]
) -> None:
    """Enter from where a joint counts that counts otherwise in the file.

    Args:
        ledger: takes it.
        name: of the joint.
        how: it counts in the file.
        pairs: the file's coordinates and the mechanism's, in each configuration that is written.
    """
    of = (Property.ZERO, name, "where it counts from")
    found = [_apart(np.array(theirs), np.array(own)) for theirs, own in pairs]
    move, turn = (max(apart) for apart in zip(*found, strict=True))
    if move > SAME:
        ledger.approximate(*of, how, move, "m")
    elif turn > SAME:
        ledger.approximate(*of, how, turn, "rad")
    else:
        ledger.carry(*of, f"{how}, which is the same as it stands")


def _apart(theirs: Array, own: Array) -> tuple[float, float]:
    """How far [m], and how far turned [rad]."""
    a, b = theirs[-4:], own[-4:]
    b = b if a @ b >= 0.0 else -b
    turn = 4.0 * np.arcsin(min(1.0, float(np.linalg.norm(a - b)) / 2.0))
    return float(np.linalg.norm(theirs[:-4] - own[:-4])), float(turn)


def _same(X: Pose) -> bool:
    return X.position == (0.0, 0.0, 0.0) and abs(X.quaternion[0]) == 1.0
