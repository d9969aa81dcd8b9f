"""Newton's and Euler's laws of every body, in the world's frame, by the records alone.

Bodies move by the textbook formulas of relative motion (`linkages.world_motion`), and every joint's
wrench is applied where its frames stand: none of the recursions of the library.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import robocompiler as rc
from linkages.world_motion import Moving, walk
from robocompiler.compiler.compiled import Welded
from robocompiler.model.mechanism import WORLD
from robocompiler.model.validity import inertia_tensor
from robocompiler.spatial import Array as Matrix
from robocompiler.spatial import Pose

_AT = Pose.identity()

GRAVITY = np.array([0.0, 0.0, -9.81])


def unbalanced(
    compiled: rc.CompiledMechanism,
    q: Matrix,
    v: Matrix,
    v_dot: Matrix,
    loads: rc.JointLoads,
    wrenches: Mapping[str, Matrix] | None = None,
) -> tuple[float, float]:
    """By how much the worst body's force or moment is off, and the largest there is to compare."""
    walked = walk(compiled, q, v)
    body_of = {body.name: body for body in compiled.welded} | {WORLD: Welded(WORLD, 0, _AT)}
    frames = {frame.name: frame for frame in compiled.mechanism.frames}
    force, moment = np.zeros((2, len(walked), 3))  # moments about the world's origin

    def stands(body: str, on: Pose = _AT) -> tuple[int, Moving]:
        own = body_of[body]
        return own.host, walked[own.host].at(own.pose @ on)

    def add(host: int, f: Matrix, n: Matrix, point: Matrix) -> None:
        force[host] += f
        moment[host] += n + np.cross(point, f)

    for joint in compiled.mechanism.joints:
        if joint.name in loads.names:
            parent, child = (frames[end] for end in (joint.parent, joint.child))
            inner, F = stands(parent.body, parent.pose())
            outer, M = stands(child.body, child.pose())
            f, n = (F.R @ part for part in np.split(loads.of(joint.name), 2))
            add(outer, f, n, M.p)
            add(inner, -f, -n, M.p)
    for body, wrench in (wrenches or {}).items():
        host, moving = stands(body)
        add(host, wrench[:3], wrench[3:], moving.p)
    size = max(np.max(np.abs([force, moment])), 1.0)
    for body in compiled.mechanism.bodies:
        host, X = stands(body.name)
        if body.inertia is None or not host:
            continue
        moving = X.at(Pose(np.eye(3), np.array(body.inertia.center)))
        speeds, linear, angular = moving.jacobians(moving.p)
        a, alpha = moving.a + linear @ v_dot[speeds], moving.alpha + angular @ v_dot[speeds]
        tensor = moving.R @ inertia_tensor(body.inertia) @ moving.R.T
        spin = tensor @ alpha + np.cross(moving.omega, tensor @ moving.omega)
        add(host, -body.inertia.mass * (a - GRAVITY), -spin, moving.p)
    return float(np.max(np.abs([force[1:], moment[1:]]), initial=0.0)), float(size)
