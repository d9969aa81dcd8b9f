"""A reader of the mechanism records in `shared/data/robocompiler_records`.

Their joints obey T_b = T_a T_AJ exp(axis q) T_BJ⁻¹; ours turn and move along z, so both frames are
turned to take z to their axis. A point closure is a ball, a universal one turns about x of its
first frame and y of its second, as ours does.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linkages.drawing import axis, spared
from robocompiler.equations.kinematics import joint_motion
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Body, Coupling, Frame, Inertia, Joint, Mechanism
from robocompiler.spatial import Pose

Record = dict[str, Any]


def record(name: str) -> Record:
    """The record of `kangaroo`, `go2` or `panda`; skips the test where there is none."""
    for folder in _beside():
        path = folder / "data" / "robocompiler_records" / name / "physical_graph.json"
        if path.is_file():
            return dict(json.loads(path.read_text()))
    pytest.skip(f"no record of {name}: no folder `shared` beside the repository (set RC_SHARED)")


@cache
def _beside() -> list[Path]:
    """Where `shared` may be: named by RC_SHARED, or beside the repository or its worktrees'."""
    places = [Path(os.environ["RC_SHARED"])] if "RC_SHARED" in os.environ else []
    here = Path(__file__).resolve()
    places += [parent / "shared" for parent in here.parents]
    command = ["git", "rev-parse", "--path-format=absolute", "--git-common-dir"]
    try:
        done = subprocess.run(command, cwd=here.parent, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return places
    return [*places, *(parent / "shared" for parent in Path(done.stdout.strip()).parents)]


@dataclass
class Building:
    """A mechanism being put together from a record."""

    frames: list[Frame] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)

    def add(self, kind: JointKind, name: str, a: str, X: Pose, b: str, Y: Pose, **fields: Any):
        for body, side, pose in ((a, "F", X), (b, "M", Y)):
            self.frames.append(
                Frame(
                    name=f"{name}.{side}",
                    body=body,
                    position=pose.position,
                    rotation=pose.quaternion,
                )
            )
        self.joints.append(
            Joint(name=name, kind=kind, parent=f"{name}.F", child=f"{name}.M", **fields)
        )


def bodies_of(record: Record) -> tuple[Body, ...]:
    bodies = []
    for body in record["bodies"]:
        if body["id"] == WORLD:
            continue
        tensor = body.get("inertia_com_kg_m2", body.get("inertia_kg_m2"))
        inertia = Inertia(
            mass=body["mass_kg"],
            center=tuple(body["com_m"]),
            moments=(tensor[0][0], tensor[1][1], tensor[2][2]),
            products=(tensor[0][1], tensor[0][2], tensor[1][2]),
        )
        bodies.append(Body(name=body["id"], inertia=inertia if body["mass_kg"] else None))
    return tuple(bodies)


def pose_of(T: Sequence[Sequence[float]]) -> Pose:
    matrix = np.array(T, dtype=float)
    return Pose(matrix[:3, :3], matrix[:3, 3])


def tree_of(record: Record, values: dict[str, float], limits: bool) -> Building:
    building, drive = Building(), record.get("drive", {})
    efforts = _efforts(record)
    for joint in record["joints"]:
        name, kind = joint["id"], JointKind(joint["type"])
        along = axis((0.0, 0.0, 0.0), joint["axis"])
        fields: dict[str, Any] = {}
        if kind is not JointKind.FIXED:
            terms = {**joint, **drive.get(name, {})}
            fields = {"start": (float(values[name]),), "effort": efforts.get(name)}
            fields |= {"damping": terms.get("damping", 0.0)}
            fields |= {"friction": terms.get("frictionloss", 0.0)}
            if limits and joint.get("limits"):
                fields["limits"] = ((joint["limits"]["lower"], joint["limits"]["upper"]),)
        ends = (pose_of(joint["T_AJ"]) @ along, pose_of(joint["T_BJ"]) @ along)
        building.add(kind, name, joint["body_a"], ends[0], joint["body_b"], ends[1], **fields)
    return building


def _efforts(record: Record) -> dict[str, float]:
    efforts: dict[str, float] = {}
    for actuator in record["actuators"]:
        bounds = actuator.get("force_bounds_N") or actuator.get("limits") or actuator["force_range"]
        for name in [actuator["joint_id"]] if "joint_id" in actuator else actuator["transmission"]:
            efforts[name] = max(map(abs, bounds))
    return efforts


def poses(building: Building) -> dict[str, Pose]:
    """Where every body is, walking the tree's joints from the world."""
    frames = {frame.name: frame for frame in building.frames}
    found, waiting = {WORLD: Pose.identity()}, list(building.joints)
    while waiting:
        for joint in list(waiting):
            F, M = frames[joint.parent], frames[joint.child]
            if F.body in found:
                X_FM = joint_motion(joint.kind, joint.initial, joint.pitch)
                found[M.body] = found[F.body] @ F.pose() @ X_FM @ M.pose().inverse()
                waiting.remove(joint)
    return found


def float_on(building: Building, root: str, X: Pose) -> None:
    """A free joint to the root, with limits that stop nothing: it is not what is cut."""
    start = (*X.position, *X.quaternion)
    fields: dict[str, Any] = {"start": start, **spared(JointKind.FREE)}
    base = Pose.identity()
    building.add(JointKind.FREE, "base", WORLD, base, root, base, **fields)


def finished(record: Record, building: Building, couplings: tuple[Coupling, ...] = ()) -> Mechanism:
    return Mechanism(
        name=record["name"],
        bodies=bodies_of(record),
        frames=tuple(building.frames),
        joints=tuple(building.joints),
        couplings=couplings,
    )
