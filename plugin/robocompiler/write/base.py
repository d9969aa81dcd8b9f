"""The one static body that every format has: all that is welded to the world."""

from __future__ import annotations

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.model.joint_kinds import JointKind
from robocompiler.spatial import Pose


def base_name(compiled: CompiledMechanism) -> str | None:
    """The one static body: the first of what is welded to the world, or `base` for bare joints."""
    fixed = [welded.name for welded in compiled.welded if welded.host == 0]
    if fixed:
        return fixed[0]
    held = any(
        tree_joint.inboard == 0 and tree_joint.edge.joint.kind is not JointKind.FREE
        for tree_joint in compiled.tree
    )
    if not held:
        return None
    taken = {body.name for body in compiled.bodies}
    name = "base"
    while name in taken:
        name += "_"
    return name


def base_pose(compiled: CompiledMechanism) -> Pose:
    """The static body's frame in the world: that of the first body welded to the world."""
    fixed = [welded.pose for welded in compiled.welded if welded.host == 0]
    return fixed[0] if fixed else Pose.identity()
