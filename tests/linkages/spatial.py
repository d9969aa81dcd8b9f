"""Spatial mechanisms: a delta robot, a differential, and a loop with a joint of every kind."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from linkages.drawing import Drawing, at, axis, solid, turn
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Body, Frame, Joint, Mechanism
from robocompiler.spatial import Array, Pose, exp_rotation, quaternion_of

DELTA = {"base": 0.2, "platform": 0.05, "arm": 0.2, "rod": 0.45, "width": 0.08}
"""Radii of base and platform, length of arms and rods, and how far apart a leg's rods are [m]."""


def delta_angles(position: tuple[float, float, float]) -> tuple[float, float, float]:
    """The arms' angles below the horizontal [rad] at a position of the platform, knees outward."""
    angles = []
    for k in range(3):
        c, s = math.cos(2 * math.pi * k / 3), math.sin(2 * math.pi * k / 3)
        out, side = c * position[0] + s * position[1], c * position[1] - s * position[0]
        x, z = out + DELTA["platform"] - DELTA["base"], -position[2]
        across, reach = math.hypot(x, z), DELTA["rod"] ** 2 - side**2
        cosine = (DELTA["arm"] ** 2 + across**2 - reach) / (2 * DELTA["arm"] * across)
        angles.append(math.atan2(z, x) - math.acos(cosine))
    return angles[0], angles[1], angles[2]


def delta(
    position: tuple[float, float, float] = (0.03, -0.02, -0.4), ground: Pose | None = None
) -> Mechanism:
    """A delta robot hanging below its base: arms `k` driven, two rods each on balls.

    The platform only translates: mobility 3, and each of six rods may spin about itself (+6 idle).
    Balls are `k.side.top` and `k.side.low`, sides 0 and 1.
    """
    drawing = Drawing("delta", ground)
    drawing.body("platform", at(*position))
    for k, angle in enumerate(delta_angles(position)):
        bearing = 2 * math.pi * k / 3
        out = np.array([math.cos(bearing), math.sin(bearing), 0.0])
        across, down = np.array([-out[1], out[0], 0.0]), np.array([0.0, 0.0, -1.0])
        hip, shown = DELTA["base"] * out, math.cos(angle) * out + math.sin(angle) * down
        knee, heel = hip + DELTA["arm"] * shown, np.array(position) + DELTA["platform"] * out
        pivot = axis(hip, np.cross(out, down), out)
        drawing.body(f"arm {k}", pivot @ turn((0.0, 0.0, angle)))
        drawing.revolute(f"{k}", (WORLD, f"arm {k}"), pivot, angle, effort=10.0)
        for side in (0, 1):
            aside = (side - 0.5) * DELTA["width"] * across
            rod = f"rod {k}.{side}"
            drawing.body(rod, axis(knee + aside, heel - knee))
            drawing.ball(f"{k}.{side}.top", (f"arm {k}", rod), knee + aside)
            drawing.ball(f"{k}.{side}.low", (rod, "platform"), heel + aside)
    return drawing.mechanism()


def differential(
    pinion: float = 0.4,
    difference: float = 0.3,
    ratio: float = 3.5,
    bearings: bool = False,
    ground: Pose | None = None,
) -> Mechanism:
    """A car's differential: `pinion` drives the cage, the planet shares its turn out to the shafts.

    Coordinates: `pinion` [rad] and `cage` on the housing, about y and x; `planet` on the cage,
    about z; `left` and `right` the shafts relative to the cage, about x. Couplings: the cage turns
    1/`ratio` as fast as the pinion, the planet and the left shaft as fast as each other against
    the cage, the right shaft the other way: left + right = 2 cage, on the housing. Mobility 2.

    With `bearings`, the shafts also turn in the housing (`left bearing`, `right bearing`): two
    loops of coaxial revolutes, overconstrained, whose bearings read the wheels' angles.
    """
    drawing = _differential(pinion, difference, ratio, ground)
    x, y, _ = np.eye(3)
    cage = pinion / ratio
    for side, where, sign in SHAFTS:
        seat = turn(cage * x) @ axis((where, 0, 0), x, y)
        drawing.revolute(side, ("cage", side), seat, sign * difference)
        if bearings:
            total = cage + sign * difference
            drawing.revolute(f"{side} bearing", (WORLD, side), axis((2 * where, 0, 0), x, y), total)
    drawing.gear("final drive", "pinion", "cage", 1.0 / ratio)
    drawing.gear("left mesh", "planet", "left", 1.0)
    drawing.gear("right mesh", "planet", "right", -1.0)
    return drawing.mechanism()


def summing_differential(
    pinion: float = 0.4, difference: float = 0.3, ratio: float = 3.5, ground: Pose | None = None
) -> Mechanism:
    """The same differential, as one coupling: cage = (left + right) / 2, all on the housing.

    Bodies and joints as there, but `left` and `right` are in the housing: they are what its
    bearings read. The pinion turns `ratio` as fast as the cage, the planet as the left shaft
    does against the cage: left - cage, a planetary gear. Mobility 2.
    """
    drawing = _differential(pinion, difference, ratio, ground)
    x, y, _ = np.eye(3)
    for side, where, sign in SHAFTS:
        total = pinion / ratio + sign * difference
        drawing.revolute(side, (WORLD, side), axis((2 * where, 0, 0), x, y), total)
    drawing.couple("cage", "cage", {"left": 0.5, "right": 0.5})
    drawing.gear("final drive", "cage", "pinion", ratio)
    drawing.couple("planet", "planet", {"left": 1.0, "cage": -1.0})
    return drawing.mechanism()


def housed(mechanism: Mechanism) -> Mechanism:
    """The same, the world of which is a body that is bolted to it."""
    frames = (Frame(name="world.bolt", body=WORLD), Frame(name="housing.bolt", body="housing"))
    bolt = Joint(name="bolt", kind=JointKind.FIXED, parent=frames[0].name, child=frames[1].name)
    return replace(
        mechanism,
        bodies=(*mechanism.bodies, Body(name="housing", inertia=solid())),
        frames=(*mechanism.frames, *frames),
        joints=(*mechanism.joints, bolt),
    )


def summing_floats() -> Mechanism:
    """Three bodies that float, each with a wheel, of which the last turns as both others do."""
    drawing = Drawing("floats")
    for place, name in enumerate(("one", "other", "last")):
        stands = turn((0.0, 0.1, 0.0), (0.3 * place, 0.0, 0.0))
        drawing.body(f"{name} float", stands)
        drawing.body(f"{name} wheel", stands)
        drawing.joint(f"{name} floats", JointKind.FREE, (WORLD, f"{name} float"), turn((0, 0, 0)))
        drawing.revolute(name, (f"{name} float", f"{name} wheel"), stands, 0.2)
    drawing.couple("sum", "last", {"one": 0.5, "other": 0.5})
    return drawing.mechanism()


SHAFTS = (("left", -0.1, 1.0), ("right", 0.1, -1.0))
"""Of a differential: where on x, and which way each turns against the cage with the planet."""


def _differential(pinion: float, difference: float, ratio: float, ground: Pose | None) -> Drawing:
    """Its bodies where they stand, and the joints of pinion, cage and planet."""
    cage = pinion / ratio
    x, y, z = np.eye(3)
    drawing = Drawing("differential", ground)
    drawing.body("pinion", turn(pinion * y, (0.1, -0.2, 0.0)))
    drawing.body("cage", turn(cage * x))
    for side, where, sign in SHAFTS:
        drawing.body(side, turn((cage + sign * difference) * x, (where, 0.0, 0.0)))
    drawing.body("planet", turn(cage * x) @ turn(difference * z))
    drawing.revolute("pinion", (WORLD, "pinion"), axis((0.1, -0.2, 0), y, z), pinion, effort=50.0)
    drawing.revolute("cage", (WORLD, "cage"), axis((0, 0, 0), x, y), cage)
    drawing.revolute("planet", ("cage", "planet"), turn(cage * x), difference)
    return drawing


KINDS = tuple(JointKind)
# What else is on the loop of a joint of so many freedoms: seven in all, so that one is left.
_OTHERS = {
    0: ("revolute", "universal", "revolute", "universal", "revolute"),
    1: ("revolute", "universal", "revolute", "cylindrical"),
    2: ("revolute", "cylindrical", "revolute", "revolute"),
    3: ("revolute", "universal", "revolute"),
    6: ("revolute",),
}


# Of loops whose drive is far from where it turns back.
_SEEDS = {
    "revolute": 8,
    "prismatic": 17,
    "screw": 9,
    "cylindrical": 4,
    "universal": 3,
    "planar": 11,
    "fixed": 2,
}


def loop_with(kind: JointKind, seed: int | None = None, reverse: bool = False) -> Mechanism:
    """One closed loop in general position, of mobility 1, on which a joint `kind` lies.

    `drive`, a revolute on the world, is driven and goes 0.35 rad either way; `other 1`, `other 2`,
    … follow, then `kind`, which goes back to the world. With `reverse`, every second joint has
    parent and child exchanged.
    """
    seed = seed or _SEEDS.get(kind.value, 1)
    random = np.random.default_rng([seed, *map(ord, kind.value)])
    drawing = Drawing(f"loop with {kind.value}", turn((0.2, -0.5, 0.4), (0.1, 0.3, -0.2)))
    others = _OTHERS[kind.dof]
    names = ["drive", *(f"other {i}" for i in range(1, len(others))), "kind"]
    kinds = [*(JointKind(value) for value in others), kind]
    bodies = [WORLD]
    bodies += [drawing.body(f"body {i}", _anywhere(random)) for i in range(len(others))]
    bodies.append(WORLD)
    for i, (name, own) in enumerate(zip(names, kinds, strict=True)):
        between = (bodies[i], bodies[i + 1])
        between = between[::-1] if reverse and i % 2 else between
        fields: dict[str, object] = {"effort": 10.0} if name == "drive" else {}
        fields |= {"pitch": 0.05} if own is JointKind.SCREW else {}
        drawing.joint(name, own, between, _anywhere(random), *_values(own, random), **fields)
    return drawing.mechanism()


def _anywhere(random: np.random.Generator) -> Pose:
    return Pose(exp_rotation(random.uniform(-1.5, 1.5, 3)), random.uniform(-0.3, 0.3, 3))


def _values(kind: JointKind, random: np.random.Generator) -> Array:
    values = random.uniform(-0.4, 0.4, kind.nq)
    if kind in (JointKind.BALL, JointKind.FREE):
        values[-4:] = quaternion_of(exp_rotation(random.uniform(-0.5, 0.5, 3)))
    return values
