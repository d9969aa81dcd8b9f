"""Pass: put the places of tasks where their frames are drawn, and let nothing else move them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from robocompiler.compiler.compiled import Edge, TreeJoint
from robocompiler.equations.kinematics import joint_motion
from robocompiler.model.joint_motion import joint_coordinates
from robocompiler.model.tasks import Task
from robocompiler.spatial import Pose


def place_tasks(
    tree: tuple[TreeJoint, ...], holds: Sequence[Edge], tasks: Sequence[Task]
) -> tuple[TreeJoint, ...]:
    """The tree with each place prescribed, and drawn where its task's frame is.

    Args:
        tree: inboard before outboard.
        holds: the cut joint of every task.
        tasks: in the same order.
    """
    poses = drawn_poses(tree)
    starts: dict[str, tuple[float, ...]] = {}
    for task, hold in zip(tasks, holds, strict=True):
        moving = next(t.edge for t in tree if t.edge.joint.name == task.name)
        starts[task.name] = place_of(moving, hold, poses[hold.child])

    def placed(own: TreeJoint) -> TreeJoint:
        joint = own.edge.joint
        if joint.name not in starts:
            return own
        edge = replace(own.edge, joint=replace(joint, start=starts[joint.name]))
        return replace(own, edge=edge, prescribed=True)

    return tuple(map(placed, tree))


def place_of(moving: Edge, hold: Edge, X_WC: Pose) -> tuple[float, ...]:
    """Coordinates of a task's place where its frame stands, on a body at X_WC."""
    X_FM = moving.X_PF.inverse() @ X_WC @ hold.X_CM
    return joint_coordinates(moving.joint.kind, X_FM, moving.joint.initial)


def drawn_poses(tree: Sequence[TreeJoint]) -> dict[int, Pose]:
    """X_WB of each body that the tree reaches, its joints as drawn."""
    poses = {0: Pose.identity()}
    for own in tree:
        edge = own.edge
        X_FM = joint_motion(edge.joint.kind, edge.joint.initial, edge.joint.pitch)
        X_PC = edge.X_PF @ X_FM @ edge.X_CM.inverse()
        poses[own.outboard] = poses[own.inboard] @ (X_PC.inverse() if own.reversed else X_PC)
    return poses
