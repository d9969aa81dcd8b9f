"""What an exported MJCF calls what the truth speaks of."""

from __future__ import annotations

from truth import STATIC, Truth

from robocompiler.spatial import Pose
from robocompiler.write.base import base_name, base_pose
from robocompiler.write.mjcf.names import joint_names


def file_names(truth: Truth) -> dict[str, str]:
    """Of bodies: the static one is the first of what is welded to the world."""
    base = base_name(truth.compiled)
    own = {name: name for name in truth.bodies}
    return own if base is None else {STATIC: base, **own}


def body_pose(truth: Truth, body: str, X: Pose) -> Pose:
    """X_WB of a body of the mechanism, from the pose of its element's frame."""
    return X @ base_pose(truth.compiled).inverse() if body == STATIC else X


def single_joints(truth: Truth) -> list[str]:
    """The hinges and slides that the tree's joints are written as."""
    joints = [t.edge.joint for t in truth.compiled.tree]
    names = [name for joint in joints for name in joint_names(joint)]
    return [name for name in names if name in truth.limits or name.endswith("/advance")]
