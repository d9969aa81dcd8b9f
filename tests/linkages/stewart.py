"""The Stewart platform of EQUATIONS.md's 25 numbers, its twelve variants and its reference motion.

Joints of leg i, from the base: `leg i x` and `leg i y` turn the yoke and the barrel, `leg i length`
drives the rod, `leg i ball` holds the platform. All five balls but one are declared as closing
loops; that one stays in the tree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from linkages.drawing import Drawing, spared
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Frame, Inertia, Mechanism
from robocompiler.spatial import Array, Pose, exp_rotation

HOME = (0.0, 0.0, 0.60, 0.0, 0.0, 0.0)
"""x, y, z [m], yaw, pitch, roll [rad] of the platform at rest."""
BASE_ANGLES = (-10.0, 10.0, 110.0, 130.0, 230.0, 250.0)
PLATFORM_ANGLES = (-50.0, 50.0, 70.0, 170.0, 190.0, 290.0)
STROKE, SWING = (0.5, 0.91), (-0.5, 0.5)


@dataclass(frozen=True)
class Dimensions:
    """What a Stewart platform is made of [m, kg]."""

    base: tuple[tuple[float, float, float], ...]
    """Anchors of the legs on the ground."""
    platform: tuple[tuple[float, float, float], ...]
    """Anchors on the platform, in its frame."""
    payload: float = 8.0
    leg_inertia: float = 1.0
    """Factor on the inertia of the legs' parts."""
    leg_offset: float = 0.0
    """Of their centres of mass along y."""
    body_frames: str = "plain"
    """`moved` where some bodies' frames stand elsewhere on them."""
    order: tuple[int, ...] = (0, 1, 2, 3, 4, 5)
    """In which the legs are recorded."""


def _ring(
    radius: float, angles: tuple[float, ...], z: float
) -> tuple[tuple[float, float, float], ...]:
    return tuple(
        (radius * math.cos(math.radians(a)), radius * math.sin(math.radians(a)), z) for a in angles
    )


def _dimensions(base: float = 0.55, platform: float = 0.35, height: float = 0.0) -> Dimensions:
    return Dimensions(_ring(base, BASE_ANGLES, height), _ring(platform, PLATFORM_ANGLES, 0.0))


def variants() -> dict[str, Dimensions]:
    """The twelve variants of claim C1, by name."""
    nominal = _dimensions()
    random = np.random.default_rng(91462)

    def shaken(anchors: tuple[tuple[float, float, float], ...]):
        moved = np.array(anchors) + random.uniform(-0.004, 0.004, (6, 3))
        return tuple((float(x), float(y), float(z)) for x, y, z in moved)

    return {
        "nominal": nominal,
        "base radius -2 %": _dimensions(base=0.98 * 0.55),
        "base radius +4 %": _dimensions(base=1.04 * 0.55),
        "platform radius -3 %": _dimensions(platform=0.97 * 0.35),
        "platform radius +4 %": _dimensions(platform=1.04 * 0.35),
        "base height +15 mm": _dimensions(height=0.015),
        "base anchors": replace(nominal, base=shaken(nominal.base)),
        "platform anchors": replace(nominal, platform=shaken(nominal.platform)),
        "payload 14 kg": replace(nominal, payload=14.0),
        "leg inertia": replace(nominal, leg_inertia=1.1, leg_offset=0.001),
        "body frames": replace(nominal, body_frames="moved"),
        "order": replace(nominal, order=(3, 0, 5, 1, 4, 2)),
    }


def pose_of(pose: tuple[float, ...] | Array) -> Pose:
    """The platform's frame for x, y, z, yaw, pitch, roll: R = Rz Ry Rx."""
    R = np.eye(3)
    for e, angle in zip(np.eye(3)[::-1], pose[3:], strict=True):
        R = R @ exp_rotation(angle * e)
    return Pose(R, np.array(pose[:3], dtype=float))


def task_pose(t: float) -> tuple[float, ...]:
    """The reference motion of appendix A.1 at a time [s]: x, y, z, yaw, pitch, roll."""
    if 2.0 <= t < 9.0:
        s = (t - 2.0) / 7.0
        a = 4.0 * math.pi * s
        bow = (0.06 * math.cos(a), 0.06 * math.sin(a), 0.06 * (s - 0.5), 0.2 * math.sin(a))
        bow += (0.14 * math.cos(a), 0.13 * math.sin(2 * a))
        share = math.sin(math.pi * s) ** 4
    elif 9.0 <= t < 17.0:
        s = (t - 9.0) / 8.0
        a = 4.0 * math.pi * s
        bow = (0.06 * math.sin(a), 0.045 * math.sin(2 * a), 0.035 * math.cos(a))
        bow += (0.2 * math.sin(a), 0.13 * math.cos(a), 0.15 * math.sin(2 * a))
        share = math.sin(math.pi * s) ** 4
    else:
        s = min(1.0, max(0.0, (t - 17.0) / 3.0))
        bow = (0.028, -0.026, 0.03, 0.14, -0.07, 0.08)
        share = 10.0 * s**3 - 15.0 * s**4 + 6.0 * s**5
    return tuple(h + share * b for h, b in zip(HOME, bow, strict=True))


def _leg_frames(dimensions: Dimensions) -> list[Pose]:
    """The base frame of each leg: the least rotation that takes z to the leg at rest."""
    frames = []
    for b, a in zip(dimensions.base, dimensions.platform, strict=True):
        d = np.array(HOME[:3]) + np.array(a) - np.array(b)
        z = d / np.linalg.norm(d)
        cross = np.cross([0.0, 0.0, 1.0], z)
        angle = math.atan2(float(np.linalg.norm(cross)), float(z[2]))
        w = cross / max(float(np.linalg.norm(cross)), 1e-300) * angle
        frames.append(Pose(exp_rotation(w), np.array(b, dtype=float)))
    return frames


def leg_values(
    pose: tuple[float, ...] = HOME, dimensions: Dimensions | None = None
) -> dict[str, float]:
    """Every leg's `x`, `y` [rad] and `length` [m] at a pose of the platform, in closed form."""
    dimensions = dimensions or _dimensions()
    X_WP = pose_of(pose)
    values: dict[str, float] = {}
    for i, X in enumerate(_leg_frames(dimensions)):
        d = X.R.T @ (X_WP.p + X_WP.R @ np.array(dimensions.platform[i]) - X.p)
        length = float(np.linalg.norm(d))
        ux, uy, uz = d / length
        values[f"leg {i} x"] = math.atan2(-uy, uz)
        values[f"leg {i} y"] = math.asin(ux)
        values[f"leg {i} length"] = length
    return values


def stewart(
    pose: tuple[float, ...] = HOME,
    dimensions: Dimensions | None = None,
    tree_ball: int = 0,
    kind: str = "yoke",
    limits: bool = False,
    chart: bool = False,
) -> Mechanism:
    """The platform drawn at a pose, closed.

    Args:
        pose: of the platform: x, y, z [m], yaw, pitch, roll [rad].
        dimensions: one of `variants()`; nominal where None.
        tree_ball: the leg whose ball stays in the tree.
        kind: what holds a leg to the base: a `yoke` with two revolutes (21 speeds, 5 cuts), a
            `universal` joint (the same, without yokes), or a `ball` (6-SPS: six idle spins).
        limits: whether strokes and swings are limited as the source says.
        chart: whether the platform also hangs free on the world, so that all six balls are cut
            (the hand model: 24 speeds, 6 cuts).
    """
    d = dimensions or _dimensions()
    drawing = Drawing("Stewart")
    X_WP = pose_of(pose)
    drawing.body("platform", X_WP, Inertia(mass=12.0, moments=(0.32, 0.32, 0.62)))
    load = tuple(d.payload * m for m in (0.018, 0.018, 0.013))
    drawing.body(
        "payload",
        X_WP @ Pose(np.eye(3), np.array([0.0, 0.0, 0.055])),
        Inertia(mass=d.payload, center=(0.0, 0.0, 0.11), moments=load),
    )
    drawing.joint("payload", JointKind.FIXED, ("platform", "payload"), drawing.poses["payload"])
    if chart:
        drawing.joint(
            "platform",
            JointKind.FREE,
            (WORLD, "platform"),
            Pose.identity(),
            *X_WP.position,
            *X_WP.quaternion,
            **spared(JointKind.FREE),
        )
    frames, values = _leg_frames(d), leg_values(pose, d)
    for i in d.order:
        _leg(drawing, i, frames[i], values, d, kind, limits, chart or i != tree_ball)
    mechanism = drawing.mechanism()
    return _moved_frames(mechanism) if d.body_frames == "moved" else mechanism


def _leg(
    drawing: Drawing,
    i: int,
    base: Pose,
    values: dict[str, float],
    d: Dimensions,
    kind: str,
    limits: bool,
    closes: bool,
) -> None:
    x, y, length = (values[f"leg {i} {what}"] for what in ("x", "y", "length"))
    at_yoke = base @ Pose(exp_rotation(np.array([x, 0.0, 0.0])), np.zeros(3))
    at_barrel = at_yoke @ Pose(exp_rotation(np.array([0.0, y, 0.0])), np.zeros(3))
    at_rod = at_barrel @ Pose(np.eye(3), np.array([0.0, 0.0, length]))

    def inertia(mass: float, z: float, *moments: float) -> Inertia:
        ixx, iyy, izz = (d.leg_inertia * m for m in moments)
        return Inertia(mass=mass, center=(0.0, d.leg_offset, z), moments=(ixx, iyy, izz))

    barrel = drawing.body(f"barrel {i}", at_barrel, inertia(1.0, 0.16, 0.01, 0.01, 0.001))
    rod = drawing.body(f"rod {i}", at_rod, inertia(0.45, -0.15, 0.004, 0.004, 0.00035))
    swing = {"limits": (SWING,)} if limits else {}
    along_x = Pose(np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]]), np.zeros(3))
    along_y = Pose(np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]]), np.zeros(3))
    if kind == "yoke":
        yoke = drawing.body(f"yoke {i}", at_yoke, inertia(0.2, 0.0, 6e-4, 6e-4, 6e-4))
        drawing.revolute(f"leg {i} x", (WORLD, yoke), base @ along_x, x, **swing)
        drawing.revolute(f"leg {i} y", (yoke, barrel), at_yoke @ along_y, y, **swing)
    elif kind == "universal":
        both = {"limits": (SWING, SWING)} if limits else {}
        drawing.joint(f"leg {i} foot", JointKind.UNIVERSAL, (WORLD, barrel), base, x, y, **both)
    else:
        # Limits that stop nothing: the platform's balls are cut, and not these.
        drawing.ball(f"leg {i} foot", (WORLD, barrel), base.p, **spared(JointKind.BALL))
    stroke = {"limits": (STROKE,)} if limits else {}
    drawing.prismatic(f"leg {i} length", (barrel, rod), at_barrel, length, effort=900.0, **stroke)
    drawing.ball(f"leg {i} ball", (rod, "platform"), at_rod.p, closes_loop=closes)


def _moved_frames(mechanism: Mechanism) -> Mechanism:
    """Three bodies with their frames elsewhere on them: nothing that moves is changed."""
    moves = {
        "platform": Pose(exp_rotation(np.array([0.2, -0.1, 0.3])), np.array([0.02, -0.01, 0.015])),
        "barrel 3": Pose(exp_rotation(np.array([-0.2, 0.25, 0.1])), np.array([-0.01, 0.02, 0.01])),
        "rod 2": Pose(exp_rotation(np.array([0.1, 0.2, -0.25])), np.array([0.01, 0.01, -0.02])),
    }

    def frame(f: Frame) -> Frame:
        X = (moves[f.body].inverse() @ f.pose()) if f.body in moves else f.pose()
        return replace(f, position=X.position, rotation=X.quaternion)

    def inertia(name: str, given: Inertia | None) -> Inertia | None:
        if name not in moves or given is None:
            return given
        X = moves[name].inverse()
        tensor = X.R @ np.diag(given.moments) @ X.R.T
        center = X.R @ np.array(given.center) + X.p
        return Inertia(
            mass=given.mass,
            center=tuple(center.tolist()),
            moments=tuple(np.diag(tensor).tolist()),
            products=(float(tensor[0, 1]), float(tensor[0, 2]), float(tensor[1, 2])),
        )

    bodies = tuple(replace(b, inertia=inertia(b.name, b.inertia)) for b in mechanism.bodies)
    frames = tuple(frame(f) for f in mechanism.frames)
    return replace(mechanism, bodies=bodies, frames=frames)
