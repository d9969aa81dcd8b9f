"""Scenes as the writer leaves them, of mechanisms with a known answer."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from exporting import exporting
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import (
    WORLD,
    Body,
    Coupling,
    Environment,
    Frame,
    Inertia,
    Joint,
    Mechanism,
)
from robocompiler.model.text import to_json
from robocompiler.write.mjcf.model import mjcf_text

G = 9.81
MASS, LENGTH = 2.0, 0.3
# Far from a point mass: its moments about the pivot are MASS LENGTH² and this.
SPIN = 0.02


def written(folder, mechanism: Mechanism, gravity=(0.0, 0.0, 0.0), timestep=None, values=None):
    """The path of the mechanism's scene, written into a folder with its sidecar."""
    mechanism = replace(mechanism, environment=Environment(gravity=gravity))
    text = mjcf_text(exporting("mjcf", mechanism, values, timestep=timestep))
    path = folder / "scene.xml"
    path.write_text(text, encoding="utf-8")
    (folder / "scene.mechanism.json").write_text(to_json(mechanism), encoding="utf-8")
    return path


def held(kind: JointKind, center=(LENGTH, 0.0, 0.0), start=(), also=(), **fields) -> Mechanism:
    """One body, its frame on the world's, held by one joint named `hold`.

    `also`: kinds of further joints between the same two frames, each named as its kind.
    """
    joints = [
        Joint(name="hold", kind=kind, parent="F", child="M", start=start, **fields),
        # Driven, so that the other one is cut.
        *(Joint(name=k.value, kind=k, parent="F", child="M", effort=1.0) for k in also),
    ]
    inertia = Inertia(mass=MASS, center=center, moments=(SPIN, SPIN, SPIN))
    return Mechanism(
        name="held",
        bodies=(Body(name="load", inertia=inertia),),
        frames=(Frame(name="F", body=WORLD), Frame(name="M", body="load")),
        joints=tuple(joints),
    )


def bracket(length=0.4, drop=0.3, beam=3.0, strut=1.0) -> Mechanism:
    """A level beam pinned to a wall at A, held up at its end C by a strut from D below A."""
    reach, lean = math.hypot(length, drop), math.atan2(drop, length)
    frames = [
        Frame(name="wall.A", body=WORLD),
        Frame(name="wall.D", body=WORLD, position=(0.0, -drop, 0.0)),
        Frame(name="beam.A", body="beam"),
        Frame(name="beam.C", body="beam", position=(length, 0.0, 0.0)),
        Frame(name="strut.D", body="strut"),
        Frame(name="strut.C", body="strut", position=(reach, 0.0, 0.0)),
    ]
    hinge = JointKind.REVOLUTE
    joints = [
        Joint(name="A", kind=hinge, parent="wall.A", child="beam.A"),
        Joint(name="D", kind=hinge, parent="wall.D", child="strut.D", start=(lean,)),
        Joint(
            name="C",
            kind=hinge,
            parent="beam.C",
            child="strut.C",
            start=(lean,),
            closes_loop=True,
        ),
    ]
    bodies = [
        Body(
            name=name,
            inertia=Inertia(mass=mass, center=(half, 0.0, 0.0), moments=(1e-3, 2e-2, 2e-2)),
        )
        for name, mass, half in (("beam", beam, length / 2), ("strut", strut, reach / 2))
    ]
    return Mechanism(
        name="bracket", bodies=tuple(bodies), frames=tuple(frames), joints=tuple(joints)
    )


@dataclass(frozen=True, kw_only=True)
class Load:
    """A body on an axis of its own, along or about the world's z."""

    kind: JointKind = JointKind.REVOLUTE
    mass: float = 1.0
    spin: float = 1e-3
    """Its moments of inertia about its centre [kg m²]."""
    lever: float = 0.0
    """How far off the axis its centre is [m]."""


def on_axes(loads: dict[str, Load], starts, coupling: Coupling, **fields) -> Mechanism:
    """Loads by the names of their joints, which start at `starts`, and what couples them."""
    bodies, frames, joints = [], [], []
    for (name, load), start in zip(loads.items(), starts, strict=True):
        center, spins = (load.lever, 0.0, 0.0), (load.spin, load.spin, load.spin)
        inertia = Inertia(mass=load.mass, center=center, moments=spins)
        bodies.append(Body(name=f"{name}-body", inertia=inertia))
        frames += [
            Frame(name=f"{name}.F", body=WORLD),
            Frame(name=f"{name}.M", body=f"{name}-body"),
        ]
        ends = {"parent": f"{name}.F", "child": f"{name}.M"}
        joints.append(Joint(name=name, kind=load.kind, start=(start,), **ends, **fields))
    return Mechanism(
        name="coupled",
        bodies=tuple(bodies),
        frames=tuple(frames),
        joints=tuple(joints),
        couplings=(coupling,),
    )


def two_wheels(ratio: float) -> Mechanism:
    """Coupled: `follower` = ratio · `leader`. Only the follower's weight is off its axis."""
    levers = {"leader": 0.0, "follower": LENGTH}
    loads = {name: Load(mass=MASS, spin=SPIN, lever=lever) for name, lever in levers.items()}
    gears = Coupling.gear(name="gears", leader="leader", follower="follower", ratio=ratio)
    return on_axes(loads, (0.0, 0.0), gears)
