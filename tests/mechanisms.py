"""Small mechanisms with a known answer."""

from __future__ import annotations

import math

import numpy as np

from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Body, Frame, Inertia, Joint, Mechanism
from robocompiler.spatial import exp_rotation, quaternion_of

BARS = {"ground": 4.0, "crank": 1.0, "coupler": 4.0, "rocker": 2.5}


def bar(mass: float, length: float) -> Inertia:
    """A thin rod along x with its end at the origin, thickened a little to be a solid."""
    across = mass * (length**2 + 0.01**2) / 12.0
    return Inertia(
        mass=mass, center=(length / 2.0, 0.0, 0.0), moments=(mass * 0.01**2 / 6.0, across, across)
    )


def four_bar_angles(crank: float, lengths: dict[str, float] = BARS) -> tuple[float, float]:
    """Directions of coupler and rocker [rad] of the open branch, by the law of cosines."""
    a, b, c, d = (lengths[n] for n in ("crank", "coupler", "rocker", "ground"))
    px, py = a * math.cos(crank), a * math.sin(crank)
    across, bearing = math.hypot(d - px, -py), math.atan2(-py, d - px)
    at_crank = math.acos((b * b + across**2 - c * c) / (2 * b * across))
    coupler = bearing + at_crank
    rocker = math.atan2(py + b * math.sin(coupler), px + b * math.cos(coupler) - d)
    return coupler, rocker


def four_bar(
    crank: float = 0.7,
    kinds: dict[str, JointKind] | None = None,
    scale: float = 0.1,
    tilt: tuple[float, float, float] = (0.0, 0.0, 0.0),
    joint: dict[str, dict[str, object]] | None = None,
) -> Mechanism:
    """Ground 4, crank 1, coupler 4, rocker 2.5 times `scale` [m], pinned about z, closed.

    The loop joint `C` is between coupler and rocker. `tilt` turns the whole about the world.
    """
    kinds, extra = kinds or {}, joint or {}
    lengths = {name: length * scale for name, length in BARS.items()}
    coupler, rocker = four_bar_angles(crank)
    world = tuple(quaternion_of(exp_rotation(np.array(tilt))).tolist())
    frames = [
        Frame(name="ground.A", body="ground"),
        Frame(name="ground.D", body="ground", position=(lengths["ground"], 0.0, 0.0)),
        Frame(name="world.ground", body=WORLD, rotation=world),
        Frame(name="ground.world", body="ground"),
    ]
    for name, (near, far) in {"crank": "AB", "coupler": "BC", "rocker": "DC"}.items():
        frames.append(Frame(name=f"{name}.{near}", body=name))
        frames.append(Frame(name=f"{name}.{far}", body=name, position=(lengths[name], 0.0, 0.0)))
    ends = {
        "A": ("ground.A", "crank.A", crank),
        "B": ("crank.B", "coupler.B", coupler - crank),
        "D": ("ground.D", "rocker.D", rocker),
        "C": ("coupler.C", "rocker.C", rocker - coupler),
    }
    joints = [
        Joint(
            name="ground-world", kind=JointKind.FIXED, parent="world.ground", child="ground.world"
        )
    ]
    for name, (parent, child, value) in ends.items():
        kind = kinds.get(name, JointKind.REVOLUTE)
        start = (value,) if kind is JointKind.REVOLUTE else kind.zero
        if kind is JointKind.BALL:
            start = (math.cos(value / 2), 0.0, 0.0, math.sin(value / 2))
        if kind is JointKind.CYLINDRICAL:
            start = (value, 0.0)
        fields: dict[str, object] = {
            "name": name,
            "kind": kind,
            "parent": parent,
            "child": child,
            "closes_loop": name == "C",
            "start": start,
            **extra.get(name, {}),
        }
        joints.append(Joint(**fields))  # type: ignore[arg-type]
    bodies = [Body(name=n, inertia=bar(lengths[n], lengths[n])) for n in BARS]
    return Mechanism(
        name="fourbar", bodies=tuple(bodies), frames=tuple(frames), joints=tuple(joints)
    )


def open_chain_loop(kind: JointKind, reverse: bool = False) -> Mechanism:
    """A loop in general position, nowhere near closed, with a joint of each kind in its tree.

    World - ball - cylindrical - universal - planar - screw - last, and back to the world by `cut`.
    """
    random = np.random.default_rng(11)
    chain = ("ball", "cylindrical", "universal", "planar", "screw", "prismatic", "revolute")
    names = [WORLD, *(f"body{i}" for i in range(len(chain)))]

    def frame(name: str, body: str) -> Frame:
        rotation = quaternion_of(exp_rotation(random.uniform(-1.0, 1.0, 3)))
        position = random.uniform(-0.3, 0.3, 3)
        return Frame(
            name=name,
            body=body,
            position=tuple(position.tolist()),
            rotation=tuple(rotation.tolist()),
        )

    frames: list[Frame] = []
    joints: list[Joint] = []
    for i, value in enumerate((*chain, kind.value)):
        own = JointKind(value)
        last = i == len(chain)
        inboard, outboard = (names[-1], WORLD) if last else (names[i], names[i + 1])
        frames += [frame(f"F{i}", inboard), frame(f"M{i}", outboard)]
        ends = (f"F{i}", f"M{i}") if (i % 2 == 0) != reverse else (f"M{i}", f"F{i}")
        start = list(random.uniform(-0.5, 0.5, own.nq))
        if own in (JointKind.BALL, JointKind.FREE):
            start[-4:] = quaternion_of(exp_rotation(random.uniform(-0.5, 0.5, 3))).tolist()
        joints.append(
            Joint(
                name="cut" if last else f"{i}{value}",
                kind=own,
                parent=ends[0],
                child=ends[1],
                start=tuple(float(x) for x in start),
                pitch=0.05 if own is JointKind.SCREW else 0.0,
                effort=None if last else 1.0,
                closes_loop=last,
            )
        )
    bodies = tuple(Body(name=n, inertia=bar(1.0, 0.3)) for n in names[1:])
    return Mechanism(name="open", bodies=bodies, frames=tuple(frames), joints=tuple(joints))
