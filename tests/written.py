"""What a written model says, read with a library of its format's and not with ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Weight:
    """What a body weighs."""

    mass: float
    center: np.ndarray
    """In the world [m]."""
    inertia: np.ndarray
    """About its centre, along the world's axes [kg m²]."""


@dataclass(frozen=True)
class Axis:
    """A hinge or a slide."""

    turns: bool
    limits: tuple[float, float] | None
    """[rad or m]"""
    direction: np.ndarray
    """In the world."""


@dataclass(frozen=True)
class Written:
    """A model where it stands."""

    bodies: dict[str, Weight]
    joints: dict[str, Axis]
    closures: dict[str, tuple[tuple[str, np.ndarray], ...]]
    """Of each closing joint, both bodies and where its point is on either, in the world [m]."""
    shapes: dict[str, np.ndarray]
    """Lowest and highest corner in the world [m], shape (2, 3)."""
    frames: dict[str, np.ndarray]
    """X_W, shape (4, 4)."""
    ties: frozenset[frozenset[str]]
    """Joints that a coupling ties to one another."""
    files: tuple[str, ...] = field(default=())
    """Files of meshes that it refers to."""


def read_mjcf(path: Path) -> Written:
    """By MuJoCo."""
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    bodies, shapes, joints = {}, {}, {}
    hinge, slide = int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)
    for i in range(1, model.nbody):
        R = data.ximat[i].reshape(3, 3)
        inertia = R @ np.diag(model.body_inertia[i]) @ R.T
        bodies[model.body(i).name] = Weight(
            float(model.body_mass[i]), data.xipos[i].copy(), inertia
        )
    for i in range(model.ngeom):
        mesh = model.geom_dataid[i]
        start = model.mesh_vertadr[mesh]
        points = model.mesh_vert[start : start + model.mesh_vertnum[mesh]]
        points = points @ data.geom_xmat[i].reshape(3, 3).T + data.geom_xpos[i]
        shapes[model.geom(i).name] = np.array([points.min(axis=0), points.max(axis=0)])
    for i in range(model.njnt):
        kind = model.jnt_type[i]
        if kind in (hinge, slide):
            limits = tuple(model.jnt_range[i].tolist()) if model.jnt_limited[i] else None
            turns = kind == hinge
            joints[model.joint(i).name] = Axis(turns, limits, data.xaxis[i].copy())
    return Written(
        bodies=bodies,
        joints=joints,
        closures=_mjcf_closures(model, data),
        shapes=shapes,
        frames={
            model.site(i).name: _pose(data.site_xmat[i].reshape(3, 3), data.site_xpos[i])
            for i in range(model.nsite)
        },
        ties=_mjcf_ties(model),
        files=tuple(sorted({f.name for f in path.parent.rglob("*.stl")})),
    )


def _mjcf_closures(model, data) -> dict[str, tuple[tuple[str, np.ndarray], ...]]:
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


def _mjcf_ties(model) -> frozenset[frozenset[str]]:
    starts, counts = model.tendon_adr, model.tendon_num
    return frozenset(
        frozenset(model.joint(j).name for j in model.wrap_objid[start : start + count])
        for start, count in zip(starts, counts, strict=True)
    )


def _pose(R, p) -> np.ndarray:
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R, p
    return X


def read_usd(path: Path) -> Written:
    """By `pxr`."""
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
            name: np.array(
                [s.points.reshape(-1, 3).min(axis=0), s.points.reshape(-1, 3).max(axis=0)]
            )
            for name, s in stage.shapes.items()
        },
        frames={name: X for name, (_, X) in stage.frames.items()},
        ties=frozenset(
            frozenset((name, joint.mimic[0]))
            for name, joint in stage.joints.items()
            if joint.mimic is not None
        ),
    )


READERS: dict[str, Callable[[Path], Written]] = {"mjcf": read_mjcf, "usd": read_usd}
"""By format."""
