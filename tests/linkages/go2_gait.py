"""Go2's reference gait (appendix A.4), and its leg angles in closed form.

26 s of walking through two hurdles: the base on a smooth path, diagonal feet swinging in turn.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from scipy.interpolate import BPoly

from linkages.robots import FEET
from robocompiler.spatial import Array

PERIOD, LAST = 0.01, 2600
"""Time between samples [s], and the last of them."""
KNOTS = {
    0.0: (0.0, 0.0, 0.32, 0.0, 0.0, 0.0),
    2.0: (0.0, 0.0, 0.32, 0.0, 0.0, 0.0),
    8.0: (0.46, 0.0, 0.32, 0.0, 0.0, 0.0),
    14.0: (1.20, 0.05, 0.32, 0.25, 0.0, 0.0),
    16.0: (1.35, 0.10, 0.26, 0.35, 0.0, 0.0),
    18.0: (1.58, 0.16, 0.26, 0.35, 0.0, 0.0),
    21.0: (1.96, 0.25, 0.26, 0.35, 0.0, 0.0),
    24.0: (2.20, 0.30, 0.32, 0.35, 0.0, 0.0),
    26.0: (2.20, 0.30, 0.32, 0.35, 0.0, 0.0),
}
"""The base [m, rad] at times [s], at rest at each."""
NOMINAL = ((0.1934, 0.142), (0.1934, -0.142), (-0.1934, 0.142), (-0.1934, -0.142))
SOLE = 0.022
SWING, EVERY, FIRST, FINAL, AHEAD = 0.28, 0.4, 2.0, 23.6, 0.26
"""How long a pair swings, how often, from when to when, and where it lands ahead [s]."""
HURDLES = {0.48: 0.025, 0.86: 0.035}
THIGH, HIP_TO_THIGH, HIP, FOOT = 0.213, 0.0955, (0.1934, 0.0465), (-0.002, -0.213)
"""Lengths of the record's legs [m]: a calf's foot is at FOOT in its xz plane."""


@cache
def _path() -> BPoly:
    values = np.array(list(KNOTS.values()))
    rest = np.zeros_like(values)
    return BPoly.from_derivatives(list(KNOTS), np.stack([values, rest, rest], axis=1))


def base_pose(t: float) -> Array:
    """x, y, z [m], yaw, pitch, roll [rad] of the base at a time [s]."""
    return np.asarray(_path()(t))


def _landing(foot: int, t: float) -> Array:
    """Where a foot stands that was put down for the base of a time: on the ground or a hurdle."""
    base = base_pose(t)
    c, s = math.cos(base[3]), math.sin(base[3])
    x, y = NOMINAL[foot]
    at = np.array([base[0] + c * x - s * y, base[1] + s * x + c * y, SOLE])
    for hurdle, height in HURDLES.items():
        if abs(at[0] - hurdle) <= 0.025 and abs(at[1]) < 0.6:
            at[2] += height
    return at


def feet_at(t: float) -> Array:
    """The four feet [m] at a time [s], shape (4, 3)."""
    feet = np.array([_landing(foot, 0.0) for foot in range(4)])
    for step in range(round((FINAL - FIRST) / EVERY) + 1):
        begin = FIRST + step * EVERY
        share = min(max((t - begin) / SWING, 0.0), 1.0)
        if share == 0.0:
            return feet
        for foot in ((0, 3), (1, 2))[step % 2]:
            ahead = _landing(foot, min(begin + SWING + AHEAD, 24.0))
            smooth = 10.0 * share**3 - 15.0 * share**4 + 6.0 * share**5
            feet[foot] += smooth * (ahead - feet[foot])
            feet[foot, 2] += 0.085 * 64.0 * (share * (1.0 - share)) ** 3
    return feet


def leg_angles(foot: int, base: Array, at: Array) -> tuple[float, float, float]:
    """Hip, thigh and calf [rad] that put a foot at a point, the base standing upright."""
    c, s = math.cos(base[3]), math.sin(base[3])
    x, y = at[0] - base[0], at[1] - base[1]
    fore, side = (1.0 if NOMINAL[foot][i] > 0.0 else -1.0 for i in (0, 1))
    dx, dy = c * x + s * y - fore * HIP[0], c * y - s * x - side * HIP[1]
    dz = at[2] - base[2]
    out = side * HIP_TO_THIGH
    down = -math.sqrt(dy * dy + dz * dz - out * out)
    hip = math.atan2(dz, dy) - math.atan2(down, out)
    shin, bent = math.hypot(*FOOT), math.atan2(-FOOT[0], -FOOT[1])
    cosine = (dx * dx + down * down - THIGH**2 - shin**2) / (2.0 * THIGH * shin)
    knee = -math.acos(cosine)
    reach = math.atan2(shin * math.sin(knee), THIGH + shin * math.cos(knee))
    return math.remainder(hip, 2.0 * math.pi), math.atan2(-dx, -down) - reach, knee - bent


def gait(index: int) -> tuple[Array, dict[str, float]]:
    """The base and every leg joint by name at a sample of the gait."""
    t = index * PERIOD
    base, feet = base_pose(t), feet_at(t)
    angles: dict[str, float] = {}
    for foot, name in enumerate(FEET):
        joints = (f"{name}_{joint}_joint" for joint in ("hip", "thigh", "calf"))
        angles |= dict(zip(joints, leg_angles(foot, base, feet[foot]), strict=True))
    return base, angles
