"""Mechanisms drawn at random: trees of every kind of joint, loops, gears, rotors and springs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkages.drawing import Drawing, solid
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Actuator, Mechanism, Transmission
from robocompiler.spatial import Pose, exp_rotation, quaternion_of

TREE = tuple(JointKind)
LOOSE = (JointKind.BALL, JointKind.CYLINDRICAL, JointKind.PLANAR, JointKind.UNIVERSAL)
"""Of joints that close loops, most of all: a chord that holds less leaves more to move."""
SINGLE = (JointKind.REVOLUTE, JointKind.PRISMATIC)
Random = np.random.Generator


def drawn_at_random(
    seed: int, bodies: int = 6, loops: int = 2, gears: int = 1, fitted: bool = True
) -> Mechanism:
    """A mechanism of so many bodies on each other or on the world, in general position.

    Args:
        seed: of all that is drawn.
        bodies: how many.
        loops: how many joints more than the tree needs.
        gears: couplings, and actuators over two joints, at most.
        fitted: whether joints have armature, damping and springs.
    """
    random = np.random.default_rng(seed)
    drawing = Drawing(f"random {seed}")
    names = [WORLD]
    for k in range(bodies):
        inner = names[int(random.integers(max(0, k - 3), k + 1))]
        name = drawing.body(f"b{k}", _anywhere(random), solid(random.uniform(0.5, 2.0), 0.2))
        kind = TREE[int(random.integers(len(TREE)))]
        ends = (inner, name) if random.uniform() < 0.6 else (name, inner)
        _join(drawing, f"j{k}", kind, ends, random, fitted)
        names.append(name)
    for k in range(loops):
        first, second = random.choice(len(names), 2, replace=False)
        kind = LOOSE[int(random.integers(len(LOOSE)))] if random.uniform() < 0.8 else SINGLE[k % 2]
        ends = (names[int(first)], names[int(second)])
        _join(drawing, f"cut {k}", kind, ends, random, fitted, closes_loop=True)
    return _geared(drawing.mechanism(), gears, random, fitted)


def geared_at_random(mechanism: Mechanism, seed: int) -> Mechanism:
    """With a coupling of one or two leaders and actuators over up to three coordinates, anywhere.

    Actuators are on cut joints too, and wherever they are on one another's.
    """
    random = np.random.default_rng([seed, 1])
    known = _single_coordinates(mechanism)
    names = list(known)
    random.shuffle(names)
    tied = [name for name in names if not name.startswith("cut")][: int(random.integers(2, 4))]
    follower, leaders = tied[0], {name: random.uniform(0.5, 2.0) for name in tied[1:]}
    offset = known[follower] - sum(ratio * known[name] for name, ratio in leaders.items())
    drawing = Drawing("gears")
    drawing.couple("gear", follower, leaders, offset)
    drives = []
    for k in range(3):
        moved = random.choice(names, min(len(names), k + 1), replace=False)
        ratios = zip(moved.tolist(), random.uniform(-2.0, 2.0, len(moved)), strict=True)
        parts = tuple(Transmission(coordinate=name, ratio=float(ratio)) for name, ratio in ratios)
        drives.append(Actuator(name=f"drive {k}", transmissions=parts, armature=0.1 * k))
    couplings = drawing.mechanism().couplings
    return replace(mechanism, couplings=couplings, actuators=tuple(drives))


def _single_coordinates(mechanism: Mechanism) -> dict[str, float]:
    """By name, as drawn; a free joint's are not for gears."""
    found, ruled = {}, [joint for joint in mechanism.joints if joint.kind is not JointKind.FREE]
    for joint in ruled:
        at = 0
        for factor, name in zip(joint.kind.factors, joint.full_names, strict=True):
            if factor.nq == 1:
                found[name] = joint.initial[at]
            at += factor.nq
    return found


def _join(
    drawing: Drawing,
    name: str,
    kind: JointKind,
    ends: tuple[str, str],
    random: Random,
    fitted: bool,
    **more: object,
) -> None:
    fields = {**more, **({"pitch": 0.07} if kind is JointKind.SCREW else {})}
    if fitted and kind.dof and random.uniform() < 0.5:
        fields |= {"stiffness": 3.0, "spring_reference": 0.2, "damping": 0.4, "armature": 0.15}
    drawing.joint(name, kind, ends, _anywhere(random), *_values(kind, random), **fields)


def _geared(mechanism: Mechanism, gears: int, random: Random, fitted: bool) -> Mechanism:
    """With couplings between its single joints, and actuators over two of them, one of them cut."""
    single = [j for j in mechanism.joints if j.kind in SINGLE]
    drawing = Drawing("gears")
    for k, follower in enumerate(single[1 : 1 + gears]):
        leader, ratio = single[k], random.uniform(0.5, 2.0)
        offset = follower.initial[0] - ratio * leader.initial[0]
        drawing.gear(f"gear {k}", leader.name, follower.name, ratio, offset)
    coupled = drawing.mechanism().couplings
    drives = [
        Actuator(
            name=f"drive {k}",
            transmissions=tuple(
                Transmission(coordinate=joint.name, ratio=float(ratio))
                for joint, ratio in zip(pair, random.uniform(-3.0, 3.0, 2), strict=True)
            ),
            armature=0.05 if fitted else 0.0,
        )
        for k, pair in enumerate([single[-2:]] if len(single) > 1 and gears else [])
    ]
    return replace(mechanism, couplings=coupled, actuators=tuple(drives))


def _anywhere(random: Random) -> Pose:
    return Pose(exp_rotation(random.uniform(-1.5, 1.5, 3)), random.uniform(-0.4, 0.4, 3))


def _values(kind: JointKind, random: Random) -> np.ndarray:
    values = random.uniform(-0.4, 0.4, kind.nq)
    if kind in (JointKind.BALL, JointKind.FREE):
        values[-4:] = quaternion_of(exp_rotation(random.uniform(-0.5, 0.5, 3)))
    return values
