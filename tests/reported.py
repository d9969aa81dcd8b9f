"""Mechanisms in which the faults show that users of other tools report."""

import math
from dataclasses import replace

import numpy as np

from linkages.drawing import Drawing, turn
from mechanisms import four_bar
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Body, Frame, Inertia, Joint, Mechanism, Mesh, Shape
from robocompiler.spatial import exp_rotation, quaternion_of

QUARTER = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)
"""A quarter turn about x: y becomes z."""


def solid(mass, center, moments, products=(0.0, 0.0, 0.0)):
    return Inertia(mass=mass, center=center, moments=moments, products=products)


def cabinet():
    """A base on its side, bolted to the world; a door on it, a drawer in it, a probe on that.

    World - base (welded, a quarter turn about x) - door (hinge about the base's x, ±90°)
                                                  - drawer (slide along the base's y, 0 to 0.1 m).
    The probe weighs nothing and is welded to the drawer; `drawer.grip` is only a frame.
    """
    about_x = tuple(quaternion_of(exp_rotation(np.array([0.0, math.pi / 2, 0.0]))).tolist())
    along_y = tuple(quaternion_of(exp_rotation(np.array([-math.pi / 2, 0.0, 0.0]))).tolist())
    tensor = (0.02, 0.03, 0.04), (1e-3, -2e-3, 3e-3)
    return Mechanism(
        name="cabinet",
        bodies=(
            Body(
                name="base",
                inertia=solid(5.0, (0.1, 0.2, 0.3), *tensor),
                shapes=(Shape(name="plinth", mesh="cube", position=(0.0, 0.0, 0.05)),),
            ),
            Body(
                name="door",
                inertia=solid(1.0 / 3.0, (0.0, 0.05, 0.0), (2e-3, 3e-3, 4e-3)),
                shapes=(Shape(name="panel", mesh="cube", rotation=QUARTER),),
            ),
            Body(name="drawer", inertia=solid(1e-3 / 7.0, (0.0, 0.0, 0.0), (3e-10, 4e-10, 5e-10))),
            Body(name="probe"),
        ),
        frames=(
            Frame(name="world.base", body=WORLD, position=(1.0, 2.0, 3.0), rotation=QUARTER),
            Frame(name="base.world", body="base"),
            Frame(name="base.hinge", body="base", position=(0.0, 0.3, 0.0), rotation=about_x),
            Frame(name="door.hinge", body="door", rotation=about_x),
            Frame(name="base.rail", body="base", position=(0.2, 0.0, 0.0), rotation=along_y),
            Frame(name="drawer.rail", body="drawer", rotation=along_y),
            Frame(name="drawer.seat", body="drawer", position=(0.0, 0.01, 0.0)),
            Frame(name="drawer.grip", body="drawer", position=(0.0, 0.0, 0.04)),
            Frame(name="probe.seat", body="probe"),
        ),
        joints=(
            Joint(name="bolts", kind=JointKind.FIXED, parent="world.base", child="base.world"),
            Joint(
                name="hinge",
                kind=JointKind.REVOLUTE,
                parent="base.hinge",
                child="door.hinge",
                limits=((-math.pi / 2, math.pi / 2),),
            ),
            Joint(
                name="rail",
                kind=JointKind.PRISMATIC,
                parent="base.rail",
                child="drawer.rail",
                limits=((0.0, 0.1),),
            ),
            Joint(name="glue", kind=JointKind.FIXED, parent="drawer.seat", child="probe.seat"),
        ),
        meshes=(Mesh(name="cube"),),
    )


def in_world(point):
    """A point of the cabinet's base, whose y is the world's z and whose z is the world's -y."""
    x, y, z = point
    return np.array([1.0 + x, 2.0 - z, 3.0 + y])


def twins():
    """Two halves, each with a `part_a` of its own: one solid, but for the second's other one."""
    halves = ("left", "right")
    shape = {
        half: (
            Shape(name=f"{half}/part_a", mesh="part_a"),
            Shape(name=f"{half}/part_b", mesh="part_b" if half == "left" else "part_b_2"),
        )
        for half in halves
    }
    return Mechanism(
        name="twins",
        bodies=tuple(
            Body(
                name=f"{h}/part_a",
                inertia=solid(1.0, (0.0, 0.0, 0.0), (1e-3,) * 3),
                shapes=shape[h],
            )
            for h in halves
        ),
        frames=tuple(
            frame
            for x, h in enumerate(halves)
            for frame in (
                Frame(name=f"world.{h}", body=WORLD, position=(float(x), 0.0, 0.0)),
                Frame(name=f"{h}.world", body=f"{h}/part_a"),
            )
        ),
        joints=tuple(
            Joint(
                name=f"{h}/part_a", kind=JointKind.REVOLUTE, parent=f"world.{h}", child=f"{h}.world"
            )
            for h in halves
        ),
        meshes=tuple(Mesh(name=name) for name in ("part_a", "part_b", "part_b_2")),
    )


def split_coupler():
    """A four-bar whose coupler is two halves, welded where they meet."""
    whole = four_bar()
    coupler = next(body for body in whole.bodies if body.name == "coupler")
    half = replace(coupler, name="other half")
    frames = tuple(
        replace(frame, body="other half") if frame.name == "coupler.C" else frame
        for frame in whole.frames
    )
    seats = tuple(
        Frame(name=f"{body}.seat", body=body, position=(0.2, 0.0, 0.0))
        for body in ("coupler", "other half")
    )
    weld = Joint(name="weld", kind=JointKind.FIXED, parent="coupler.seat", child="other half.seat")
    return replace(
        whole,
        bodies=(*whole.bodies, half),
        frames=(*frames, *seats),
        joints=(*whole.joints, weld),
    )


def fingers(leader, follower):
    """Hinges `left`, `right`, `tip` on what `right` moves, and `shoulder`; one follows another."""
    drawing = Drawing("fingers", turn((0.1, 0.0, 0.0)))
    carried = (("right", WORLD), ("tip", "right"), ("left", WORLD), ("shoulder", WORLD))
    for place, (name, inboard) in enumerate(carried):
        drawing.body(f"{name} finger", turn((0.0, 0.1, 0.0), (0.1 * place, 0.0, 0.0)))
        between = (inboard if inboard == WORLD else f"{inboard} finger", f"{name} finger")
        where = turn((0.0, 0.0, 0.3), (0.1 * place, 0.0, 0.0))
        drawing.revolute(name, between, where, 0.2, limits=((-1.0, 1.0),))
    drawing.gear("gear", leader, follower, 1.0)
    return drawing.mechanism()


FOLLOWING = (
    ("left", "right", True),
    ("right", "left", False),
    ("left", "tip", True),
    ("tip", "left", False),
    ("tip", "shoulder", True),
    ("shoulder", "tip", False),
)
"""Leader, follower of `fingers`, and whether who goes by names, depth first, meets them so."""
