"""What a written model says, read with a library of its format's and not with ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from written_records import Axis, Ends, Weight, Written, bounds_of, pose_of
from written_sdf import read_sdf


def read_mjcf(path: Path, at: Mapping[str, float]) -> Written:
    """By MuJoCo, where the file stands."""
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    frames = {
        model.site(i).name: pose_of(data.site_xmat[i].reshape(3, 3), data.site_xpos[i])
        for i in range(model.nsite)
    }
    found = _by_mujoco(model, data)
    return replace(
        found, closures=_mjcf_closures(model, data), frames=frames, ties=_mjcf_ties(model)
    )


def read_urdf(path: Path, at: Mapping[str, float]) -> Written:
    """By MuJoCo, moved to where it is to stand; its loops, which MuJoCo does not read, by XML."""
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    for name, value in at.items():
        data.joint(name).qpos[:] = value
    mujoco.mj_forward(model, data)
    found = _by_mujoco(model, data)
    closures = {}
    for loop in ElementTree.parse(path).getroot().iter("loop"):
        ends = []
        for end in (loop.find("predecessor"), loop.find("successor")):
            body = data.body(end.get("link"))
            X_WB = pose_of(body.xmat.reshape(3, 3), body.xpos)
            ends.append((end.get("link"), X_WB[:3, :3] @ _origin(end) + X_WB[:3, 3]))
        closures[loop.get("name")] = tuple(ends)
    weighing = {name: own for name, own in found.bodies.items() if own.mass}
    frames = {
        name: pose_of(data.body(name).xmat.reshape(3, 3), data.body(name).xpos)
        for name in found.bodies.keys() - weighing.keys()
    }
    ties = {
        model.joint(int(follower)).name: (model.joint(int(leader)).name, *own[[1, 0]].tolist())
        for follower, leader, own in zip(
            model.eq_obj1id, model.eq_obj2id, model.eq_data, strict=True
        )
    }
    shapes = {
        name.removesuffix("_collision"): own
        for name, own in found.shapes.items()
        if name.endswith("_collision")
    }
    return replace(
        found, bodies=weighing, closures=closures, frames=frames, ties=ties, shapes=shapes
    )


def _origin(element) -> np.ndarray:
    return np.array([float(x) for x in element.find("origin").get("xyz").split()])


def _by_mujoco(model, data) -> Written:
    """Bodies, hinges and slides, and what collides."""
    import mujoco

    bodies, shapes, joints = {}, {}, {}
    hinge, slide = int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)
    for i in range(1, model.nbody):
        R = data.ximat[i].reshape(3, 3)
        inertia = R @ np.diag(model.body_inertia[i]) @ R.T
        mass = float(model.body_mass[i])
        bodies[model.body(i).name] = Weight(mass, data.xipos[i].copy(), inertia)
    for i in range(model.ngeom):
        mesh = model.geom_dataid[i]
        start = model.mesh_vertadr[mesh]
        points = model.mesh_vert[start : start + model.mesh_vertnum[mesh]]
        shapes[model.geom(i).name] = bounds_of(
            points, pose_of(data.geom_xmat[i].reshape(3, 3), data.geom_xpos[i])
        )
    for i in range(model.njnt):
        kind = model.jnt_type[i]
        if kind in (hinge, slide):
            limits = tuple(model.jnt_range[i].tolist()) if model.jnt_limited[i] else None
            joints[model.joint(i).name] = Axis(kind == hinge, limits, data.xaxis[i].copy())
    return Written(bodies=bodies, joints=joints, closures={}, shapes=shapes, frames={}, ties={})


def _mjcf_closures(model, data) -> dict[str, Ends]:
    import mujoco

    found = {}
    for i in np.flatnonzero(model.eq_type == mujoco.mjtEq.mjEQ_CONNECT):
        ends = []
        for body, anchor in (
            (model.eq_obj1id[i], model.eq_data[i][:3]),
            (model.eq_obj2id[i], model.eq_data[i][3:6]),
        ):
            at = data.xpos[body] + data.xmat[body].reshape(3, 3) @ anchor
            ends.append((model.body(body).name, at))
        found[model.eq(i).name] = tuple(ends)
    return {name: ends for name, ends in found.items() if not name.endswith("/axis")}


def _mjcf_ties(model) -> dict[str, tuple[str, float, float]]:
    """Of tendons over two joints, whose length stays: the last joint is the follower."""
    ties = {}
    for start, count, length in zip(
        model.tendon_adr, model.tendon_num, model.tendon_length0, strict=True
    ):
        if count == 2:
            own = slice(start, start + count)
            names = [model.joint(int(j)).name for j in model.wrap_objid[own]]
            coefficients = dict(zip(names, model.wrap_prm[own].tolist(), strict=True))
            follower = next(name for name, own in coefficients.items() if own == 1.0)
            (leader,) = coefficients.keys() - {follower}
            ties[follower] = (leader, -coefficients[leader], float(length))
    return ties


def read_usd(path: Path, at: Mapping[str, float]) -> Written:
    """By `pxr`, where the stage stands."""
    from usd_reading import read_stage

    stage = read_stage(path)
    joints = {
        name: Axis(
            joint.kind == "Revolute",
            next(iter(joint.limits.values()), None),
            joint.axis,
        )
        for name, joint in stage.joints.items()
        if joint.kind in ("Revolute", "Prismatic") and not joint.excluded
    }
    return Written(
        bodies={
            name: Weight(body.mass, body.center, body.inertia)
            for name, body in stage.bodies.items()
        },
        joints=joints,
        closures={
            name: tuple(
                (body, X[:3, 3]) for body, X in zip(joint.bodies, joint.frames, strict=True)
            )
            for name, joint in stage.closures().items()
        },
        shapes={
            name: bounds_of(s.points.reshape(-1, 3), np.eye(4)) for name, s in stage.shapes.items()
        },
        frames={name: X for name, (_, X) in stage.frames.items()},
        ties={
            name: (joint.mimic[0], joint.mimic[2], joint.mimic[1])
            for name, joint in stage.joints.items()
            if joint.mimic is not None
        },
    )


READERS: dict[str, Callable[[Path, Mapping[str, float]], Written]] = {
    "mjcf": read_mjcf,
    "urdf": read_urdf,
    "sdf": read_sdf,
    "usd": read_usd,
}
"""By format: given a file, and coordinates of the joints where that says none."""
