"""What a run reports of a state, in PartCAD's vocabulary: mm, degrees, N, N m, J.

A joint of one freedom reads as a number, one of several as an object by coordinate. A ball's and a
free joint's rotation is `quat`, its speed `[x, y, z]` along the axes of M. The `effort` of a joint
is what actuators and drives put on it, and 0 where they do not reach: cut and ball and free joints.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from robocompiler.compiler.compiled import Edge
from robocompiler.equations.kinematics import joint_columns
from robocompiler.model.joint_kinds import Factor, JointKind
from robocompiler.model.joint_motion import joint_coordinates
from robocompiler.model.mechanism import Joint
from robocompiler.simulate.closures import ClosureMonitor, ClosureState
from robocompiler.simulate.drive import Drive
from robocompiler.simulate.scene import Scene
from robocompiler.simulate.ties import TieMonitor
from robocompiler.simulate.watch import Watch
from robocompiler.spatial import Pose
from robocompiler.units import degrees, millimetres
from robocompiler.write.mjcf.ties import Tie

Reading = dict[str, Any]

TYPES = {JointKind.FREE: "floating"}
"""Kinds that PartCAD's engines call something else than we do."""


def read_state(
    scene: Scene, data: Any, time: float, watch: Watch, drives: tuple[Drive, ...]
) -> Reading:
    """Everything a claim can be about, at one time.

    Args:
        scene: that runs.
        data: its state, with all that `mj_forward` finds for it.
        time: [s].
        watch: of its loops and couplings; reading does not count turns.
        drives: that act.
    """
    closures = watch.closures.read(data)
    return {
        "time": time,
        "bodies": _bodies(scene, data),
        "joints": _joints(scene, data, closures, drives),
        "closures": {
            closure.name: _closure(state)
            for closure, state in zip(scene.compiled.closures, closures, strict=True)
        },
        "couplings": {
            name: {"error": _shown(tie, float(off))}
            for (name, tie), off in zip(watch.ties.ties.items(), watch.ties.read(data), strict=True)
        },
        "energy": _energy(data, drives),
    }


def _bodies(scene: Scene, data: Any) -> Reading:
    """Every body of the mechanism, those welded into another too."""
    bodies: Reading = {}
    for welded in scene.compiled.welded:
        X = scene.pose(data, welded.host) @ welded.pose
        bodies[welded.name] = {
            "pos": [millimetres(x) for x in X.position],
            "quat": list(X.quaternion),
        }
    return bodies


def _closure(state: ClosureState) -> Reading:
    return {
        "gap": millimetres(state.gap),
        "angle": degrees(state.angle),
        "force": state.force,
        "torque": state.torque,
    }


def largest_of(monitor: ClosureMonitor) -> Reading:
    """The largest gap, angle, force and torque of every closure over all the monitor observed."""
    return {
        closure.name: {
            "max_gap": millimetres(float(gap)),
            "max_angle": degrees(float(angle)),
            "max_force": float(force),
            "max_torque": float(torque),
        }
        for closure, (gap, angle, force, torque) in zip(
            monitor.closures, monitor.largest, strict=True
        )
    }


def largest_errors(monitor: TieMonitor) -> Reading:
    """By how much each coupling and screw was off at most: mm or degrees, as its follower is."""
    return {
        name: {"max_error": _shown(tie, float(off))}
        for (name, tie), off in zip(monitor.ties.items(), monitor.largest, strict=True)
    }


def _shown(tie: Tie, value: float) -> float:
    return degrees(value) if tie.turns else millimetres(value)


def _energy(data: Any, drives: tuple[Drive, ...]) -> Reading:
    """[J]; what the drives' rotor inertias hold is none of the mechanism's."""
    potential, kinetic = (float(x) for x in data.energy)
    rotors = sum(0.5 * drive.armature * float(data.qvel[drive.v]) ** 2 for drive in drives)
    return {"kinetic": kinetic - rotors, "potential": potential}


def _joints(
    scene: Scene, data: Any, closures: list[ClosureState], drives: tuple[Drive, ...]
) -> Reading:
    cut = {
        closure.chord.joint.name: (closure.chord, state.coordinates)
        for closure, state in zip(scene.compiled.closures, closures, strict=True)
    }
    tree = {tree_joint.edge.joint.name: tree_joint.edge for tree_joint in scene.compiled.tree}
    joints: Reading = {}
    for joint in scene.compiled.mechanism.joints:
        if joint.name in cut:
            joints[joint.name] = _from_frames(scene, data, *cut[joint.name])
        elif joint.name in tree and joint.kind in (JointKind.BALL, JointKind.FREE):
            X_FM = scene.joint_pose(data, tree[joint.name])
            q = joint_coordinates(joint.kind, X_FM, joint.initial, joint.pitch)
            joints[joint.name] = _from_frames(scene, data, tree[joint.name], q)
        elif joint.name in tree:
            joints[joint.name] = _from_coordinates(scene, data, joint, drives)
    return joints


def _from_coordinates(scene: Scene, data: Any, joint: Joint, drives: tuple[Drive, ...]) -> Reading:
    """A tree joint whose coordinates are MuJoCo's."""
    named = [scene.coordinates[name] for name in joint.full_names]
    efforts = [
        float(data.qfrc_actuator[at.v]) + sum(d.effort(data) for d in drives if d.v == at.v)
        for at in named
    ]
    q = tuple(float(data.qpos[at.q]) for at in named)
    v = tuple(float(data.qvel[at.v]) for at in named)
    return _reading(joint, q, v, efforts)


def _from_frames(scene: Scene, data: Any, edge: Edge, q: tuple[float, ...]) -> Reading:
    """A joint read from where its two frames are and how they move: cut, ball or free."""
    joint = edge.joint
    columns = joint_columns(joint.kind, q, joint.pitch, Pose.identity())[1]
    v = np.linalg.lstsq(columns, scene.joint_twist(data, edge), rcond=None)[0]
    return _reading(joint, q, tuple(v.tolist()), [0.0] * len(joint.kind.factors))


def _reading(
    joint: Joint, q: tuple[float, ...], v: tuple[float, ...], efforts: list[float]
) -> Reading:
    reading: Reading = {"type": TYPES.get(joint.kind, joint.kind.value)}
    pos: Reading = {}
    vel: Reading = {}
    at = speed = 0
    for factor, label in zip(joint.kind.factors, joint.names, strict=True):
        if factor is Factor.ROTATION:
            reading["quat"] = list(q[at : at + 4])
            vel["angular"] = [degrees(w) for w in v[speed : speed + 3]]
        else:
            shown = degrees if factor.is_turn else millimetres
            pos[label], vel[label] = shown(q[at]), shown(v[speed])
        at, speed = at + factor.nq, speed + factor.nv
    effort = dict(zip(joint.names, efforts, strict=True))
    for name, values in (("pos", pos), ("vel", vel), ("effort", effort)):
        if values:
            reading[name] = next(iter(values.values())) if len(effort) == 1 else values
    return reading
