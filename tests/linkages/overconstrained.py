"""Spatial loops that move only because of their proportions: Bennett, Bricard, Sarrus."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from linkages.drawing import Drawing, axis, turn
from robocompiler.model.mechanism import WORLD, Mechanism
from robocompiler.spatial import Pose, exp_rotation


def hinged_loop(
    name: str,
    lengths: Sequence[float],
    twists: Sequence[float],
    angles: Sequence[float],
    ground: Pose | None = None,
) -> Mechanism:
    """A ring of revolute joints `1`, `2`, … by Denavit and Hartenberg: Π Rz(θ) Tx(a) Rx(α) = 1.

    Joint 1 is driven; it and the last are on the world. `θᵢ` is the coordinate of joint i.
    """
    drawing = Drawing(name, ground)
    count = len(angles)
    X, where = Pose.identity(), []
    for a, alpha, theta in zip(lengths, twists, angles, strict=True):
        where.append(X)
        X = X @ Pose(exp_rotation(np.array([0.0, 0.0, theta])), np.zeros(3))
        X = X @ Pose(exp_rotation(np.array([alpha, 0.0, 0.0])), np.array([a, 0.0, 0.0]))
    names = [WORLD, *(drawing.body(f"link {i}", where[i]) for i in range(1, count))]
    for i in range(count):
        between = (names[i], names[(i + 1) % count])
        driven = {"effort": 10.0} if i == 0 else {}
        drawing.revolute(f"{i + 1}", between, where[i], angles[i], **driven)
    return drawing.mechanism()


def bennett_angles(twists: tuple[float, float], angle: float) -> tuple[float, float, float, float]:
    """The four angles [rad] of a Bennett linkage: tan ½θ₁ tan ½θ₂ = sin ½(β + α) / sin ½(β - α)."""
    alpha, beta = twists
    ratio = math.sin((beta + alpha) / 2.0) / math.sin((beta - alpha) / 2.0)
    other = 2.0 * math.atan2(ratio * math.cos(angle / 2.0), math.sin(angle / 2.0))
    return angle, other, -angle, -other


def bennett(
    length: float = 0.3,
    twists: tuple[float, float] = (math.radians(40.0), math.radians(70.0)),
    angle: float = 0.9,
    ground: Pose | None = None,
) -> Mechanism:
    """The Bennett linkage: opposite links alike, lengths as the sines of their twists.

    Rank 3 of 4 joints, mobility 1, where Grübler counts -2.
    """
    alpha, beta = twists
    other = length * math.sin(beta) / math.sin(alpha)
    angles = bennett_angles(twists, angle)
    return hinged_loop("Bennett", (length, other) * 2, (alpha, beta) * 2, angles, ground)


def bricard_angles(angle: float) -> tuple[float, float]:
    """Both angles [rad] of the threefold Bricard linkage: cos θ + cos φ + cos θ cos φ = 0."""
    cosine = math.cos(angle)
    return angle, math.acos(-cosine / (1.0 + cosine))


def bricard(length: float = 0.2, angle: float = 1.2, ground: Pose | None = None) -> Mechanism:
    """The trihedral, threefold symmetric Bricard linkage: six equal links, twists ± 90°.

    Angles θ and φ take turns. |θ| ≤ 120°; rank 5 of 6 joints, mobility 1, Grübler 0.
    """
    quarter = math.pi / 2.0
    angles = bricard_angles(angle) * 3
    return hinged_loop("Bricard", (length,) * 6, (quarter, -quarter) * 3, angles, ground)


def line_symmetric_bricard(seed: int = 5, ground: Pose | None = None) -> Mechanism:
    """Bricard's line-symmetric linkage: three axes anywhere, three more by half a turn about z.

    It keeps that symmetry as it moves: rank 5 of 6 joints, mobility 1. All angles are 0 as drawn.
    """
    random = np.random.default_rng(seed)
    half = np.diag([-1.0, -1.0, 1.0])
    points, directions = random.uniform(-0.3, 0.3, (3, 3)), random.normal(size=(3, 3))
    points, directions = np.vstack([points, points @ half]), np.vstack([directions] * 2)
    directions[3:] = directions[:3] @ half
    drawing = Drawing("line-symmetric Bricard", ground)
    own = [turn(random.uniform(-1.0, 1.0, 3), points[i]) for i in range(6)]
    names = [WORLD, *(drawing.body(f"link {i}", own[i]) for i in range(1, 6))]
    for i in range(6):
        between = (names[i], names[(i + 1) % 6])
        driven = {"effort": 10.0} if i == 0 else {}
        drawing.revolute(f"{i + 1}", between, axis(points[i], directions[i]), **driven)
    return drawing.mechanism()


def sarrus_height(lower: float, upper: float, overhang: float, angle: float) -> float:
    """Height of the platform [m] for the angle [rad] of the lower plates above the ground.

    `overhang` is how much further out the platform's hinges are than the ground's.
    """
    reach = lower * math.cos(angle) - overhang
    return lower * math.sin(angle) + math.sqrt((upper - reach) * (upper + reach))


def sarrus(
    lower: float = 0.2,
    upper: float = 0.25,
    overhang: float = 0.05,
    angle: float = 0.8,
    sides: Sequence[float] = (0.0, math.pi / 2.0),
    ground: Pose | None = None,
) -> Mechanism:
    """Sarrus' linkage: a platform on pairs of hinged plates, one pair on each side given [rad].

    It rises straight along z: rank 5 with two sides at an angle, mobility 1, Grübler 0. `s.1` is
    the lower plate's angle above the ground, `s.2` and `s.3` the hinges above it; `0.1` is driven.
    """
    height = sarrus_height(lower, upper, overhang, angle)
    bend = math.atan2(height - lower * math.sin(angle), overhang - lower * math.cos(angle)) - angle
    drawing = Drawing("Sarrus", ground)
    drawing.body("platform", Pose(np.eye(3), np.array([0.0, 0.0, height])))
    out = 0.3
    for s, side in enumerate(sides):
        outward = np.array([math.cos(side), math.sin(side), 0.0])
        up = np.array([0.0, 0.0, 1.0])
        # A plane whose x points outward and whose y points up: turning about z lifts the plate.
        plane = np.stack([outward, up, np.cross(outward, up)], axis=1)

        def turned(by: float, plane=plane):
            return plane @ exp_rotation(np.array([0.0, 0.0, by]))

        foot = out * outward
        knee = foot + plane @ np.array([lower * math.cos(angle), lower * math.sin(angle), 0.0])
        head = (out + overhang) * outward + height * up
        low = drawing.body(f"lower {s}", Pose(turned(angle), foot))
        high = drawing.body(f"upper {s}", Pose(turned(angle + bend), knee))
        driven = {"effort": 10.0} if s == 0 else {}
        drawing.revolute(f"{s}.1", (WORLD, low), Pose(plane, foot), angle, **driven)
        drawing.revolute(f"{s}.2", (low, high), Pose(turned(angle), knee), bend)
        where = Pose(turned(angle + bend), head)
        drawing.revolute(f"{s}.3", (high, "platform"), where, -angle - bend)
    return drawing.mechanism()
