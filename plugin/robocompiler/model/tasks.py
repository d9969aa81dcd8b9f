"""Tasks: points and frames of bodies that are held at a place, as feet, soles and tools are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from robocompiler.errors import BadValueError, MechanismError, UnknownNameError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Body, Frame, Joint, Mechanism
from robocompiler.model.validity_names import name_faults
from robocompiler.model.welds import welded_groups
from robocompiler.spatial import IDENTITY_ROTATION, Quaternion, Vec3

# How far a quaternion's length may be from one.
UNIT = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A point or a frame of a body that is held at a place in the world, standing or moving.

    The place is a coordinate of the compiled mechanism, called as the task is: three lengths where
    a point is held, and a quaternion with them otherwise. It is prescribed, like what the ground
    does: no freedom of the mechanism. It stands where the frame is drawn until it is moved.
    """

    name: str
    body: str
    position: Vec3 = (0.0, 0.0, 0.0)
    """Of the point or frame [m], in the body's frame."""
    rotation: Quaternion = IDENTITY_ROTATION
    """Of the frame."""
    kind: JointKind = JointKind.BALL
    """What stays free there: a ball holds a point, `FIXED` a frame; any other kind that holds
    something, its z along that of the frame."""

    @property
    def hold(self) -> str:
        """What the joint is called that holds the body to the place."""
        return f"{self.name} hold"

    @property
    def place(self) -> str:
        """What the body is called that is the place."""
        return f"{self.name} place"


def task_faults(mechanism: Mechanism, tasks: Sequence[Task]) -> list[MechanismError]:
    """What is wrong with tasks of a mechanism that is itself valid."""
    hosts = welded_groups(mechanism)
    faults, whole = list[MechanismError](), list[Task]()
    for task in tasks:
        found = _own_faults(task)
        if task.body not in hosts:
            found.append(UnknownNameError(f"Task '{task.name}'", "body", task.body, hosts))
        faults += found
        if not found:
            whole.append(task)
        if hosts.get(task.body) == WORLD:
            where = f"Task '{task.name}'"
            faults.append(BadValueError(where, "body", task.body, "a body that moves"))
    return [*name_faults(with_tasks(mechanism, whole)), *faults]


def _own_faults(task: Task) -> list[MechanismError]:
    """What is wrong with a task whatever the mechanism."""
    where, faults = f"Task '{task.name}'", list[MechanismError]()
    if task.kind not in set(JointKind) - {JointKind.FREE, JointKind.SCREW}:
        said = task.kind.value if isinstance(task.kind, JointKind) else repr(task.kind)
        what = "a kind that holds a point, an axis or a frame"
        faults.append(BadValueError(where, "kind", said, what))
    for name, given, count in (("position", task.position, 3), ("rotation", task.rotation, 4)):
        if np.shape(given) != (count,) or not np.all(np.isfinite(given)):
            faults.append(BadValueError(where, name, str(given), f"{count} finite numbers"))
        elif name == "rotation" and abs(float(np.linalg.norm(given)) - 1.0) > UNIT:
            faults.append(BadValueError(where, name, str(given), "a unit quaternion"))
    return faults


def with_tasks(mechanism: Mechanism, tasks: Sequence[Task]) -> Mechanism:
    """The mechanism with each task's place as a body that moves in the world, and its hold."""
    bodies, frames, joints = (
        list(mechanism.bodies),
        list(mechanism.frames),
        list(mechanism.joints),
    )
    for task in tasks:
        bodies.append(Body(name=task.place))
        origin = f"{task.name} origin"
        frames += [
            Frame(name=origin, body=WORLD),
            Frame(name=task.place, body=task.place),
            Frame(name=task.hold, body=task.body, position=task.position, rotation=task.rotation),
        ]
        moving = JointKind.TRANSLATION if task.kind is JointKind.BALL else JointKind.FREE
        joints += [
            Joint(name=task.name, kind=moving, parent=origin, child=task.place),
            Joint(name=task.hold, kind=task.kind, parent=task.place, child=task.hold),
        ]
    return replace(mechanism, bodies=tuple(bodies), frames=tuple(frames), joints=tuple(joints))
