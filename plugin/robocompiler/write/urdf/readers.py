"""What consumers of a URDF read otherwise than it is meant, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import OPEN, WORLD
from robocompiler.solve.describe import coordinates
from robocompiler.write.fidelity import Property
from robocompiler.write.links import LinkJoint, axis_values
from robocompiler.write.urdf.mimics import Limits
from robocompiler.write.urdf.robot import Robot

# How far [1] an axis may be from one of its link's for Pinocchio to take it for that.
ALONG = 1e-12


def note_readers(robot: Robot, limits: Mapping[str, Limits]) -> None:
    """Say who misreads a root that is not the world, what floats below another, and states.

    Args:
        robot: what is written.
        limits: of its joints, by `link_tree`'s names.
    """
    _note_root(robot)
    _note_floating(robot)
    _note_states(robot, limits)


def _note_root(robot: Robot) -> None:
    """Drake holds to the world what is called `world`; MuJoCo every root."""
    ledger, root = robot.export.ledger, robot.root
    if root == WORLD or robot.floating is not None:
        return
    ledger.warn(
        f"the root link is '{root}' and not 'world': Drake, and what else takes a root of another "
        f"name for free, lets the whole mechanism float. There weld it, in Drake by "
        f"`plant.WeldFrames(plant.world_frame(), plant.GetFrameByName('{root}'))` before "
        "`Finalize`, or leave `root` out. MuJoCo welds it, and the SRDF says that it is fixed"
    )
    how = f"fixed to '{root}', which Drake, and what else takes such a root for free, lets float"
    for body in robot.compiled.welded:
        if body.host == 0 and body.name != WORLD:
            what = "its place in what it is welded to"
            ledger.carry(Property.WELDED, body.name, what, how)


def _note_floating(robot: Robot) -> None:
    """MuJoCo has free joints on its world alone."""
    floating = [joint for joint in robot.joints if joint.kind is JointKind.FREE]
    below = [joint for joint in floating if robot.parent(joint)[0] != WORLD]
    for joint in below:
        name, parent = robot.names.joints[joint.name], robot.parent(joint)[0]
        remedy = "leave `root` out, or write" if parent == robot.root else "write"
        robot.export.ledger.warn(
            f"MuJoCo refuses this file: joint '{name}' floats on '{parent}', and there only what "
            f"is on the link 'world' may; for MuJoCo {remedy} MJCF"
        )


def _note_states(robot: Robot, limits: Mapping[str, Limits]) -> None:
    """Pinocchio reads one number for a hinge without limits only along an axis of its link."""
    ledger = robot.export.ledger
    unread = [own for own in robot.joints if limits[own.name] == OPEN and not _is_read(own)]
    for called, configuration in robot.export.configurations.items():
        q = coordinates(robot.compiled, configuration)
        lost = [
            f"'{robot.names.joints[own.name]}'"
            for own in unread
            if axis_values(robot.joint(own), q[robot.compiled.tree[own.source].q])[own.part or 0]
        ]
        if lost:
            shown, state = ", ".join(lost), robot.names.states[called]
            how = f"`group_state`, of which Pinocchio leaves {shown} at 0"
            where = f"configuration '{called}'"
            ledger.carry(Property.CONFIGURATION, where, "its coordinates", how)
            ledger.warn(
                f"Pinocchio leaves {shown} at 0 when it reads state '{state}' of the SRDF: it "
                "reads none of a hinge without limits that turns about no axis of its link. Give "
                "`limits`, or set such a joint there, by its cosine and sine"
            )


def _is_read(joint: LinkJoint) -> bool:
    """Whether Pinocchio reads a hinge's state where nothing stops it: about x, y or z, forward."""
    if not joint.turns:
        return True
    apart = np.linalg.norm(np.eye(3) - np.array(joint.axis), axis=1)
    return bool(np.min(apart) <= ALONG)
