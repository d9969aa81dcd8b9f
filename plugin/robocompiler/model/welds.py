"""What fixed joints hold together: the groups of bodies that move as one."""

from __future__ import annotations

from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Joint, Mechanism
from robocompiler.spatial import Pose


def bodies_of(mechanism: Mechanism) -> dict[str, tuple[str, str]]:
    """The parent's and the child's body of every joint, by the joint's name."""
    body = {frame.name: frame.body for frame in mechanism.frames}
    return {joint.name: (body[joint.parent], body[joint.child]) for joint in mechanism.joints}


def welded_groups(mechanism: Mechanism) -> dict[str, str]:
    """For every body, and the world, the one that stands for all it is welded to.

    The world stands for its group; elsewhere the body declared first does.
    """
    return weld(mechanism)[0]


def weld(mechanism: Mechanism) -> tuple[dict[str, str], list[Joint]]:
    """The groups, and the fixed joints that weld again what is already welded."""
    order = {name: i for i, name in enumerate([WORLD, *(b.name for b in mechanism.bodies)])}
    group = {name: name for name in order}
    ends = bodies_of(mechanism)
    again: list[Joint] = []
    for joint in mechanism.joints:
        if joint.kind is not JointKind.FIXED:
            continue
        a, b = (group[end] for end in ends[joint.name])
        if a == b:
            again.append(joint)
        kept = min(a, b, key=order.__getitem__)
        group = {n: kept if g in (a, b) else g for n, g in group.items()}
    return group, again


def poses_in_groups(mechanism: Mechanism, groups: dict[str, str]) -> dict[str, Pose]:
    """Each body's frame seen from that of the body that stands for its group.

    Walks the fixed joints from every such body.
    """
    frames = {frame.name: frame for frame in mechanism.frames}
    near: dict[str, list[tuple[str, Pose]]] = {name: [] for name in groups}
    for joint in mechanism.joints:
        if joint.kind is JointKind.FIXED:
            F, M = frames[joint.parent], frames[joint.child]
            X_PC = F.pose() @ M.pose().inverse()
            near[F.body].append((M.body, X_PC))
            near[M.body].append((F.body, X_PC.inverse()))
    poses = {host: Pose.identity() for host in groups.values()}
    waiting = list(poses)
    while waiting:
        body = waiting.pop()
        for other, X in near[body]:
            if other not in poses:
                poses[other] = poses[body] @ X
                waiting.append(other)
    return poses
