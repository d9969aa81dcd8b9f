"""Mechanisms that are integrated in tests, and other ways to the same motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.integrate import solve_ivp

import robocompiler as rc
from linkages.drawing import Drawing, at, axis, solid
from linkages.planar import GRASHOF, four_bar_of
from linkages.stewart import stewart, task_pose
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD

ACROSS = (0.0, -9.81, 0.0)
"""Gravity in the plane of planar linkages [m/s²]."""


def pendulum(angle=0.0, inertia=None, **joint):
    """A body on an axis along y through the world's origin."""
    drawing = Drawing("pendulum")
    drawing.body("bob", at(0.0), inertia or solid(2.0, 0.5))
    drawing.revolute("A", (WORLD, "bob"), axis((0.0, 0.0, 0.0), (0.0, 1.0, 0.0)), 0.0, **joint)
    return with_joint(drawing.mechanism(), "A", start=(angle,))


def free_body(inertia=None):
    drawing = Drawing("free")
    drawing.body("body", at(0.0), inertia or solid(2.0, 0.5))
    drawing.joint("base", JointKind.FREE, (WORLD, "body"), at(0.0))
    return drawing.mechanism()


def with_joint(mechanism, name, **fields):
    """The same with other fields of one joint."""
    joints = [replace(j, **fields) if j.name == name else j for j in mechanism.joints]
    return replace(mechanism, joints=tuple(joints))


def sprung_four_bar():
    """Spring and damper on the joint that is cut."""
    own = four_bar_of(GRASHOF["crank-rocker"], 0.7)
    slack = next(j for j in own.joints if j.name == "C").initial[0] + 0.3
    return with_joint(own, "C", stiffness=40.0, damping=0.2, spring_reference=slack, armature=0.01)


def floating_four_bar():
    """A four-bar whose ground is a body that floats."""
    own = four_bar_of(GRASHOF["crank-rocker"], 0.7)
    drawing = Drawing("floating")
    drawing.body("ground", at(0.0), solid(3.0, 0.4))
    drawing.joint("base", JointKind.FREE, (WORLD, "ground"), at(0.0))
    base = drawing.mechanism()
    frames = [replace(f, body="ground") if f.body == WORLD else f for f in own.frames]
    return replace(
        own,
        bodies=(*base.bodies, *own.bodies),
        frames=(*base.frames, *frames),
        joints=(*base.joints, *own.joints),
    )


def compiled_at(mechanism):
    """Compiled, and where it stands assembled."""
    compiled = rc.compile(mechanism)
    return compiled, rc.coordinates(compiled, rc.assemble(compiled))


def stewart_at(kind=None):
    return compiled_at(stewart(task_pose(5.7), **({"kind": kind} if kind else {})))


CASES = {
    "four-bar": lambda: (compiled_at(four_bar_of()), [2.0], {"A": 0.2}, {"gravity": ACROSS}),
    "spring and damper on a cut joint": lambda: (
        compiled_at(sprung_four_bar()),
        [2.0],
        {"A": 0.2},
        {"gravity": ACROSS},
    ),
    "floating, with a loop": lambda: (
        compiled_at(floating_four_bar()),
        [4.0, 0.1, -0.2, 0.3, 1.0, 2.0, -1.5],
        {"A": 0.1},
        {},
    ),
    "Stewart": lambda: (stewart_at(), np.zeros(6), np.full(6, 20.0), {}),
    "Stewart on balls that are partly independent": lambda: (
        stewart_at("ball"),
        np.repeat([0.6, 3.0], 6),
        np.full(6, 20.0),
        {"independent": ["leg 0 ball/rotation.x", "leg 0 length"]},
    ),
    "pushed by a wrench": lambda: (
        compiled_at(four_bar_of()),
        [2.0],
        None,
        {"gravity": ACROSS, "wrenches": {"coupler": np.array([3.0, -2.0, 0.0, 0.0, 0.0, 0.5])}},
    ),
}
"""By name what gives a mechanism with where it stands, u, efforts and conditions."""


def by_scipy(compiled, q, u, duration, f=None, independent=(), **conditions):
    """q and u at the end, by DOP853 and the reference's dynamics, of one independent angle.

    The loops are closed by `Bound.correct` from wherever it stood last.
    """
    bound = rc.bind(compiled, independent=independent)
    own = bound.code.layout.partition.independent
    (speed,) = own
    (coordinate,) = (t.q.start for t in compiled.tree if t.v.start == speed)
    bound.q = q
    f = np.zeros(0) if f is None else f

    def rates(t, y):
        bound.q[coordinate] = y[0]
        bound.correct()
        dynamics = rc.forward_dynamics(
            compiled, bound.q.copy(), y[1:], f, independent=independent, **conditions
        )
        return [y[1], dynamics.u_dot[0]]

    start = [q[coordinate], u]
    found = solve_ivp(rates, (0.0, duration), start, method="DOP853", rtol=1e-12, atol=1e-13)
    bound.q[coordinate] = found.y[0, -1]
    bound.correct()
    return bound.q.copy(), found.y[1, -1]
