"""A stage that was read, as it is where its joints have other coordinates."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from pxr import Gf

from usd_records import WORLD, ReadBody, ReadJoint, ReadStage


def moved(stage: ReadStage, values: dict[str, float]) -> ReadStage:
    """The same mechanism with its hinges and slides at other coordinates [rad or m], references
    left out; other joints of the tree stay as they are.
    """
    places = {WORLD: np.eye(4)}
    old = {WORLD: np.eye(4), **{name: body.X_WB for name, body in stage.bodies.items()}}
    waiting = [(name, joint) for name, joint in stage.joints.items() if not joint.excluded]
    while ready := [own for own in waiting if own[1].bodies[0] in places]:
        for name, joint in ready:
            (inner, outer), (F, M) = joint.bodies, joint.frames
            motion = np.linalg.inv(F) @ M
            if name in values:
                motion = _motion(joint, values[name])
            X_PF, X_CM = np.linalg.inv(old[inner]) @ F, np.linalg.inv(old[outer]) @ M
            places.setdefault(outer, places[inner] @ X_PF @ motion @ np.linalg.inv(X_CM))
        waiting = [own for own in waiting if own not in ready]
    shift = {name: places.get(name, X) @ np.linalg.inv(X) for name, X in old.items()}
    return replace(
        stage,
        bodies={name: _shifted_body(body, shift[name]) for name, body in stage.bodies.items()},
        joints={name: _shifted_joint(joint, shift) for name, joint in stage.joints.items()},
        shapes={
            name: replace(s, points=s.points @ shift[s.body][:3, :3].T + shift[s.body][:3, 3])
            for name, s in stage.shapes.items()
        },
        frames={name: (on, shift[on] @ X) for name, (on, X) in stage.frames.items()},
    )


def _motion(joint, value) -> np.ndarray:
    along, X = joint.frames[1][:3, :3].T @ joint.axis, np.eye(4)
    if joint.kind == "Prismatic":
        X[:3, 3] = value * along
    else:
        turn = Gf.Rotation(Gf.Vec3d(*along.tolist()), math.degrees(value))
        X[:3, :3] = np.array(Gf.Matrix3d(turn)).T
    return X


def _shifted_body(body, shift) -> ReadBody:
    R = shift[:3, :3]
    exact = body.exact_inertia
    return replace(
        body,
        X_WB=shift @ body.X_WB,
        center=R @ body.center + shift[:3, 3],
        inertia=R @ body.inertia @ R.T,
        exact_inertia=None if exact is None else R @ exact @ R.T,
    )


def _shifted_joint(joint, shift) -> ReadJoint:
    inner, outer = (shift[body] for body in joint.bodies)
    frames = (inner @ joint.frames[0], outer @ joint.frames[1])
    return replace(joint, frames=frames, axis=outer[:3, :3] @ joint.axis)
