"""Mechanisms a little changed, or only written down otherwise, and the twelve of claims C4 and C7.

Each function returns a mechanism of the same joints; what is drawn closed may be open afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from linkages.excavator import excavator
from linkages.oracle import Standing
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Frame, Inertia, Joint, Mechanism
from robocompiler.model.validity import inertia_tensor
from robocompiler.spatial import Pose, exp_rotation

HALF_TURN = Pose(np.diag([1.0, -1.0, -1.0]), np.zeros(3))


def scaled(mechanism: Mechanism, factor: float) -> Mechanism:
    """All lengths longer, masses as they are."""

    def inertia(i: Inertia | None) -> Inertia | None:
        if i is None:
            return None
        square = factor * factor
        return replace(
            i,
            center=tuple(factor * x for x in i.center),
            moments=tuple(square * x for x in i.moments),
            products=tuple(square * x for x in i.products),
        )

    def joint(j: Joint) -> Joint:
        if j.kind is not JointKind.PRISMATIC:
            return j
        limits = tuple((factor * low, factor * high) for low, high in j.limits)
        return replace(j, start=tuple(factor * x for x in j.start), limits=limits)

    return replace(
        mechanism,
        bodies=tuple(replace(b, inertia=inertia(b.inertia)) for b in mechanism.bodies),
        frames=tuple(
            replace(f, position=tuple(factor * x for x in f.position)) for f in mechanism.frames
        ),
        joints=tuple(joint(j) for j in mechanism.joints),
    )


def shifted(mechanism: Mechanism, shifts: Mapping[str, float]) -> Mechanism:
    """Frames moved on their bodies along their own x [m]."""

    def frame(f: Frame) -> Frame:
        along = Pose(np.eye(3), np.array([shifts.get(f.name, 0.0), 0.0, 0.0]))
        return replace(f, position=(f.pose() @ along).position)

    return replace(mechanism, frames=tuple(frame(f) for f in mechanism.frames))


def heavier(mechanism: Mechanism, added: Mapping[str, float], factor: float = 1.0) -> Mechanism:
    """Bodies with masses [kg] added at their centres, and all masses and inertias multiplied."""

    def inertia(name: str, i: Inertia | None) -> Inertia | None:
        if i is None:
            return None
        return replace(
            i,
            mass=factor * i.mass + added.get(name, 0.0),
            moments=tuple(factor * x for x in i.moments),
            products=tuple(factor * x for x in i.products),
        )

    bodies = tuple(replace(b, inertia=inertia(b.name, b.inertia)) for b in mechanism.bodies)
    return replace(mechanism, bodies=bodies)


def expressed_anew(mechanism: Mechanism, seed: int = 271828) -> Mechanism:
    """Every body's frame elsewhere on it: nothing that moves is changed."""
    random = np.random.default_rng(seed)
    moves = {
        body.name: Pose(
            exp_rotation(random.uniform(-0.25, 0.25, 3)), random.uniform(-0.02, 0.02, 3)
        )
        for body in mechanism.bodies
    }

    def frame(f: Frame) -> Frame:
        X = moves.get(f.body, Pose.identity()).inverse() @ f.pose()
        return replace(f, position=X.position, rotation=X.quaternion)

    def inertia(name: str, i: Inertia | None) -> Inertia | None:
        if i is None:
            return None
        X = moves[name].inverse()
        tensor = X.R @ inertia_tensor(i) @ X.R.T
        return Inertia(
            mass=i.mass,
            center=tuple((X.R @ np.array(i.center) + X.p).tolist()),
            moments=tuple(np.diag(tensor).tolist()),
            products=(float(tensor[0, 1]), float(tensor[0, 2]), float(tensor[1, 2])),
        )

    return replace(
        mechanism,
        bodies=tuple(replace(b, inertia=inertia(b.name, b.inertia)) for b in mechanism.bodies),
        frames=tuple(frame(f) for f in mechanism.frames),
    )


def recorded_backwards(mechanism: Mechanism) -> Mechanism:
    """All records in reverse order."""
    return replace(
        mechanism,
        bodies=mechanism.bodies[::-1],
        frames=mechanism.frames[::-1],
        joints=mechanism.joints[::-1],
    )


def stored_backwards(mechanism: Mechanism) -> Mechanism:
    """Every joint of one freedom, and every ball, from its child to its parent.

    Both frames are turned by half a turn about x, which negates the axis, so that a coordinate
    keeps its value; that of a ball is inverted.
    """
    single = {
        end
        for j in mechanism.joints
        if j.kind in (JointKind.REVOLUTE, JointKind.PRISMATIC)
        for end in (j.parent, j.child)
    }

    def frame(f: Frame) -> Frame:
        X = f.pose() @ HALF_TURN
        return replace(f, position=X.position, rotation=X.quaternion) if f.name in single else f

    def joint(j: Joint) -> Joint:
        if j.parent not in single and j.kind is not JointKind.BALL:
            return j
        start = j.start
        if j.kind is JointKind.BALL and start:
            start = (start[0], -start[1], -start[2], -start[3])
        return replace(j, parent=j.child, child=j.parent, start=start)

    return replace(
        mechanism,
        frames=tuple(frame(f) for f in mechanism.frames),
        joints=tuple(joint(j) for j in mechanism.joints),
    )


def opaque(mechanism: Mechanism) -> tuple[Mechanism, dict[str, str]]:
    """With names that say nothing and sort the other way, and what each joint is called now."""
    count = len(mechanism.frames)

    def named(records: tuple, letter: str) -> dict[str, str]:
        return {r.name: f"{letter}{count - i:03d}" for i, r in enumerate(records)}

    bodies = {**named(mechanism.bodies, "b"), WORLD: WORLD}
    frames, joints = named(mechanism.frames, "f"), named(mechanism.joints, "j")
    made = replace(
        mechanism,
        bodies=tuple(replace(b, name=bodies[b.name]) for b in mechanism.bodies),
        frames=tuple(
            replace(f, name=frames[f.name], body=bodies[f.body]) for f in mechanism.frames
        ),
        joints=tuple(
            replace(j, name=joints[j.name], parent=frames[j.parent], child=frames[j.child])
            for j in mechanism.joints
        ),
    )
    return made, joints


Change = Callable[[Mechanism], Mechanism]
Written = tuple[Mechanism, dict[str, str]]
"""A mechanism, and what joints are called in it that are not called as they were."""


def _twelve(changes: Mapping[str, Change]) -> dict[str, Callable[[Mechanism], Written]]:
    """Changes, and the five ways to weigh or write down the same mechanism otherwise."""
    others: dict[str, Change] = {
        **changes,
        "mass and inertia x 1.1": lambda m: heavier(m, {}, 1.1),
        "body frames": expressed_anew,
        "record order": recorded_backwards,
        "joint storage": stored_backwards,
    }
    named = {name: lambda m, change=change: (change(m), {}) for name, change in others.items()}
    return {**named, "opaque names": opaque}


def excavator_variants() -> dict[str, Written]:
    """Claim C4's, on our own arm; where pins were moved its loops are drawn open."""
    boom = {f"boom cylinder {i} base.F": 0.01 for i in (0, 1)}
    links = {f"link {i}.F": 0.005 for i in (0, 1)}
    changes: dict[str, Change] = {
        "nominal": lambda m: m,
        "scale 0.95": lambda m: scaled(m, 0.95),
        "scale 1.05": lambda m: scaled(m, 1.05),
        "boom cylinders' pins +10 mm": lambda m: shifted(m, boom),
        "stick cylinder's pin -10 mm": lambda m: shifted(m, {"stick cylinder base.F": -0.01}),
        "side links +5 mm": lambda m: shifted(m, links),
        "bucket +250 kg": lambda m: heavier(m, {"bucket": 250.0}),
    }
    return {name: change(excavator()) for name, change in _twelve(changes).items()}


def go2_variants(feet: tuple[str, ...]) -> dict[str, Callable[[Mechanism], Written]]:
    """Claim C7's are not stated: these change the same kinds of things. Feet stay held."""
    hips = {f"{foot}_hip_joint.F": 0.01 for foot in ("FL", "FR", "RL", "RR")}
    return _twelve(
        {
            "nominal": lambda m: m,
            "scale 0.95": lambda m: scaled(m, 0.95),
            "scale 1.05": lambda m: scaled(m, 1.05),
            "hips +10 mm": lambda m: anchored(shifted(m, hips), feet),
            "a thigh +5 mm": lambda m: anchored(shifted(m, {"FL_calf_joint.F": 0.005}), feet),
            "a calf -5 mm": lambda m: anchored(shifted(m, {"RR_calf_joint.M": -0.005}), feet),
            "base +5 kg": lambda m: heavier(m, {"base": 5.0}),
        }
    )


def anchored(mechanism: Mechanism, feet: tuple[str, ...]) -> Mechanism:
    """The same, its feet held where they are as it is drawn."""
    held = {f"{foot} foot" for foot in feet}
    values = {joint.name: joint.initial for joint in mechanism.joints}
    standing = Standing(mechanism, values, held)
    at = {f"{name}.F": standing.frames[f"{name}.M"][:3, 3] for name in held}
    frames = tuple(
        replace(f, position=tuple(at[f.name].tolist())) if f.name in at else f
        for f in mechanism.frames
    )
    return replace(mechanism, frames=frames)
