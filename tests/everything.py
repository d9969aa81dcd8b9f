"""One mechanism that says all that a mechanism can say, and the geometry of its meshes."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import replace

import numpy as np

import robocompiler as rc
from linkages.drawing import Drawing, at
from linkages.spatial import loop_with
from mechanisms import four_bar
from robocompiler.model.geometry import Triangles
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import (
    OPEN,
    WORLD,
    Actuator,
    Body,
    Environment,
    Frame,
    Inertia,
    Joint,
    Mechanism,
    Mesh,
    Shape,
    Surface,
    Transmission,
)

KINDS = [kind for kind in JointKind if kind is not JointKind.FIXED]
CUT = [kind for kind in KINDS if kind.dof <= 3]
"""Kinds that a loop of six other freedoms can have."""
ACTING = {
    "damping": 0.1,
    "friction": 0.2,
    "stiffness": 3.0,
    "armature": 0.3,
    "effort": 4.0,
    "velocity": 5.0,
}

BURDENED = {"damping": 0.1, "limits": ((-9.0, 9.0),)}
"""Of all joints of a loop: the one that is cut loses them."""


def _prism(outline: Iterable[tuple[float, float]], height: float = 0.02) -> Triangles:
    """An outline counter-clockwise [m], seen from its first corner all of it, made solid."""
    flat = np.array(list(outline))
    n = len(flat)
    low, high = (np.column_stack([flat, np.full(n, z)]) for z in (0.0, height))
    fan = [(0, i, i + 1) for i in range(1, n - 1)]
    faces = [(a, c, b) for a, b, c in fan] + [(a + n, b + n, c + n) for a, b, c in fan]
    for i in range(n):
        j = (i + 1) % n
        faces += [(i, j, j + n), (i, j + n, i + n)]
    return Triangles(np.vstack([low, high]), np.array(faces))


SHAPES = {
    "box": _prism([(0.0, 0.0), (0.1, 0.0), (0.1, 0.03), (0.0, 0.03)]),
    "angle": _prism([(0.0, 0.0), (0.1, 0.0), (0.1, 0.02), (0.02, 0.02), (0.02, 0.1), (0.0, 0.1)]),
}
"""One whose convex hull is itself, and one whose is not."""


def geometry(mesh: Mesh, coarseness: float) -> Triangles | None:
    """Of the meshes of `everything`; `lost` has none."""
    return SHAPES.get(mesh.name)


def everything(kinds: Container[JointKind] = KINDS) -> Mechanism:
    """Joints of all kinds with all that may act on them, loops, couplings, actuators, and the rest.

    Args:
        kinds: others are left out.
    """
    mechanism = _joined(
        "everything",
        {
            "tree": _trees([kind for kind in KINDS if kind in kinds]),
            "geared": _geared(),
            "bars": four_bar(joint=dict.fromkeys("ABCD", BURDENED)),
            **{f"{kind.value} loop": _loop(kind) for kind in CUT if kind in kinds},
        },
    )
    environment = Environment(gravity=(0.0, 0.0, -9.81), density=1.2, viscosity=1.8e-5)
    meshes = tuple(Mesh(name=name) for name in (*SHAPES, "lost"))
    return replace(mechanism, environment=environment, meshes=meshes)


def _trees(kinds: Iterable[JointKind]) -> Mechanism:
    """A joint of each kind on the world, and what is welded, named, seen and felt."""
    drawing = Drawing("trees")
    for number, kind in enumerate(kinds):
        body = drawing.body(f"{kind.value} body", at(0.5 * number))
        fields: dict[str, object] = dict(ACTING)
        if kind is JointKind.BALL:
            fields["swing_limit"] = 1.0
        else:
            singles = tuple((-2.0, 3.0) if factor.nq == 1 else OPEN for factor in kind.factors)
            fields["limits"] = singles
        fields |= {"pitch": 0.01} if kind is JointKind.SCREW else {}
        drawing.joint(kind.value, kind, (WORLD, body), at(0.5 * number), **fields)
    mechanism = drawing.mechanism()
    host = "revolute body"
    weld = Joint(name="weld", kind=JointKind.FIXED, parent="seat", child="lid")
    frames = (
        Frame(name="seat", body=host, position=(0.0, 0.1, 0.0)),
        Frame(name="lid", body="cover"),
        Frame(name="tool", body="cover", position=(0.0, 0.0, 0.1)),
        Frame(name="target", body=WORLD, position=(1.0, 1.0, 1.0)),
    )
    bodies = tuple(replace(b, shapes=_shapes(b.name)) for b in mechanism.bodies)
    return replace(
        mechanism,
        bodies=(*bodies, Body(name="cover", inertia=Inertia(mass=0.1, moments=(1e-4,) * 3))),
        frames=(*mechanism.frames, *frames),
        joints=(*mechanism.joints, weld),
    )


def _shapes(body: str) -> tuple[Shape, ...]:
    felt = Surface(friction=0.4, torsional_friction=0.01, rolling_friction=0.001, restitution=0.5)
    red = (0.8, 0.1, 0.1, 1.0)
    return {
        "revolute body": (Shape(name="red box", mesh="box", color=red, surface=felt),),
        "prismatic body": (
            Shape(name="angle", mesh="angle", position=(0.1, 0.0, 0.0)),
            Shape(name="nothing", mesh="lost"),
        ),
    }.get(body, ())


def _geared() -> Mechanism:
    """Hinges that follow others, motors on one and on two of them, and what holds nothing."""
    drawing = Drawing("geared")
    for number, name in enumerate(("first", "second", "follower", "sum")):
        drawing.body(name, at(0.0, 0.5 * (number + 1)))
        drawing.revolute(f"{name} hinge", (WORLD, name), at(0.0, 0.5 * (number + 1)))
    drawing.joint("apart", JointKind.FREE, ("first", "second"), at(), closes_loop=True)
    mechanism = drawing.mechanism()
    both = (
        rc.Leader(coordinate="first hinge", ratio=0.5),
        rc.Leader(coordinate="second hinge", ratio=-0.5),
    )
    couplings = (
        rc.Coupling.gear(name="gear", leader="first hinge", follower="follower hinge", ratio=-2.0),
        rc.Coupling(name="difference", follower="sum hinge", leaders=both),
    )
    motor = {"effort": 2.0, "velocity": 300.0, "armature": 1e-5}
    single = (Transmission(coordinate="first hinge", ratio=50.0),)
    shared = tuple(Transmission(coordinate=f"{n} hinge", ratio=0.5) for n in ("first", "second"))
    actuators = (
        Actuator(name="motor", transmissions=single, **motor),
        Actuator(name="shared", transmissions=shared, **motor),
    )
    return replace(mechanism, couplings=couplings, actuators=actuators)


def _loop(kind: JointKind) -> Mechanism:
    mechanism = loop_with(kind)
    return replace(
        mechanism,
        joints=tuple(replace(j, closes_loop=j.name == "kind") for j in mechanism.joints),
    )


def _joined(name: str, parts: Mapping[str, Mechanism]) -> Mechanism:
    """Several mechanisms beside each other, each with its name before all of its names."""
    renamed = [renamed_with(part, lambda own, of=of: f"{of} {own}") for of, part in parts.items()]
    return Mechanism(
        name=name,
        bodies=tuple(body for part in renamed for body in part.bodies),
        frames=tuple(frame for part in renamed for frame in part.frames),
        joints=tuple(joint for part in renamed for joint in part.joints),
        couplings=tuple(coupling for part in renamed for coupling in part.couplings),
        actuators=tuple(actuator for part in renamed for actuator in part.actuators),
    )


def renamed_with(mechanism: Mechanism, new: Callable[[str], str]) -> Mechanism:
    """The mechanism with other names of everything but its meshes; names of joints lead those of
    coordinates.
    """

    def body(name: str) -> str:
        return name if name == WORLD else new(name)

    return replace(
        mechanism,
        bodies=tuple(
            replace(
                b,
                name=new(b.name),
                shapes=tuple(replace(s, name=new(s.name)) for s in b.shapes),
            )
            for b in mechanism.bodies
        ),
        frames=tuple(replace(f, name=new(f.name), body=body(f.body)) for f in mechanism.frames),
        joints=tuple(
            replace(j, name=new(j.name), parent=new(j.parent), child=new(j.child))
            for j in mechanism.joints
        ),
        couplings=tuple(
            replace(
                c,
                name=new(c.name),
                follower=new(c.follower),
                leaders=tuple(replace(x, coordinate=new(x.coordinate)) for x in c.leaders),
            )
            for c in mechanism.couplings
        ),
        actuators=tuple(
            replace(
                a,
                name=new(a.name),
                transmissions=tuple(
                    replace(t, coordinate=new(t.coordinate)) for t in a.transmissions
                ),
            )
            for a in mechanism.actuators
        ),
    )
