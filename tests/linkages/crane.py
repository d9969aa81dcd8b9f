"""A self-made loader crane of seven freedoms, an open stand-in for PACDM's protocol (3.5).

Slew, a two-path module that lifts the boom (a driven cylinder, three passive revolutes), a
three-path module that folds the jib (a driven cylinder, six passive revolutes: a cylinder triangle
on a rocker, and the four-bar that takes it to the jib), an extension, and a wrist of three.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from linkages.drawing import Drawing, at, axis, planar, turn
from linkages.planar import meet
from linkages.plane_parts import bearing_and_reach, cylinder, end, pin, where
from robocompiler.model.mechanism import WORLD, Mechanism
from robocompiler.spatial import Pose

ACTIVE = ("slew", "lift", "fold", "extension", "yaw", "pitch", "roll")
PASSIVE = {
    "lift": ("boom", "lift base", "lift head"),
    "fold": ("rocker", "fold base", "fold head", "link", "link head", "jib"),
}
"""The passive revolutes of each module, by its driven cylinder."""

LIFT_BASE, LIFT_HEAD = (0.25, -0.55), (0.9, 0.12)
"""Pins of the lift cylinder on pillar and boom, from the boom's pivot [m]."""
BOOM = 2.1
ROCKER_FOOT, FOLD_BASE, FOLD_EYE = (1.75, 0.12), (0.6, 0.3), (0.33, 0.06)
"""The rocker's pivot and the fold cylinder's pin on the boom, and its eye on the rocker [m]."""
ROCKER, LINK, JIB_EYE = 0.36, 0.40, (0.05, 0.30)
"""Lengths of rocker and link, and the link's pin on the jib, from the jib's pivot [m]."""


@dataclass(frozen=True, kw_only=True)
class Strokes:
    """The seven driven coordinates [m, rad], by the names of their joints."""

    slew: float = 0.3
    lift: float = 1.05
    fold: float = 1.35
    extension: float = 0.4
    yaw: float = 0.2
    pitch: float = -0.3
    roll: float = 0.5


def crane_solution(lift: float, fold: float) -> dict[str, float]:
    """Angles [rad] of boom, rocker and jib for both cylinders' lengths [m], in closed form.

    The boom and the rocker by the law of cosines in the cylinders' triangles, the jib by the
    four-bar; the others follow from where their pins are.
    """
    near, far = math.hypot(*LIFT_BASE), math.hypot(*LIFT_HEAD)
    opening = math.acos((near**2 + far**2 - lift**2) / (2.0 * near * far))
    boom = opening + math.atan2(LIFT_BASE[1], LIFT_BASE[0]) - math.atan2(LIFT_HEAD[1], LIFT_HEAD[0])
    dx, dy = FOLD_BASE[0] - ROCKER_FOOT[0], FOLD_BASE[1] - ROCKER_FOOT[1]
    near, far = math.hypot(dx, dy), math.hypot(*FOLD_EYE)
    opening = math.acos((near**2 + far**2 - fold**2) / (2.0 * near * far))
    rocker = math.atan2(dy, dx) - opening - math.atan2(FOLD_EYE[1], FOLD_EYE[0])
    tip = (
        ROCKER_FOOT[0] + ROCKER * math.cos(rocker),
        ROCKER_FOOT[1] + ROCKER * math.sin(rocker),
    )
    x, y = meet(tip, LINK, (BOOM, 0.0), math.hypot(*JIB_EYE), 1)
    jib = math.atan2(y, x - BOOM) - math.atan2(JIB_EYE[1], JIB_EYE[0])
    return {"boom": boom, "rocker": rocker, "jib": math.remainder(jib, 2.0 * math.pi)}


def crane(strokes: Strokes | None = None) -> Mechanism:
    """The crane drawn with its cylinders at given lengths."""
    s = strokes or Strokes()
    angles = crane_solution(s.lift, s.fold)
    upright = Pose(np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]), np.zeros(3))
    drawing = Drawing("crane")
    drawing.body("pillar", at(0.0, 0.0, 1.2) @ turn((0.0, 0.0, s.slew)) @ upright)
    drawing.revolute("slew", (WORLD, "pillar"), at(0.0, 0.0, 1.2), s.slew, effort=1e4)
    drawing.body("boom", drawing.poses["pillar"] @ planar(0.0, 0.0, angles["boom"]))
    pin(drawing, "boom", end("pillar"), "boom")
    cylinder(drawing, "lift", end("pillar", *LIFT_BASE), end("boom", *LIFT_HEAD), 1e5)
    foot = end("boom", *ROCKER_FOOT)
    drawing.body("rocker", where(drawing, foot) @ planar(0.0, 0.0, angles["rocker"]))
    pin(drawing, "rocker", foot, "rocker")
    cylinder(drawing, "fold", end("boom", *FOLD_BASE), end("rocker", *FOLD_EYE), 1e5)
    drawing.body("jib", where(drawing, end("boom", BOOM)) @ planar(0.0, 0.0, angles["jib"]))
    pin(drawing, "jib", end("boom", BOOM), "jib")
    tip, eye = end("rocker", ROCKER), end("jib", *JIB_EYE)
    bearing, _ = bearing_and_reach(drawing, tip, eye)
    drawing.body("link", where(drawing, tip) @ planar(0.0, 0.0, bearing))
    pin(drawing, "link", tip, "link")
    pin(drawing, "link head", end("link", LINK), "jib", closes_loop=True)
    _arm(drawing, s)
    return drawing.mechanism()


def _arm(drawing: Drawing, s: Strokes) -> None:
    """Extension and wrist: no loops."""
    along = drawing.poses["jib"] @ axis((1.2, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    wrist = drawing.poses["jib"] @ at(1.2 + s.extension)
    drawing.body("boom end", wrist)
    drawing.prismatic("extension", ("jib", "boom end"), along, s.extension, effort=2e4)
    inner = "boom end"
    for name, direction in (("yaw", (0, 1, 0)), ("pitch", (0, 0, 1)), ("roll", (1, 0, 0))):
        where_at = drawing.poses[inner] @ axis((0.1, 0.0, 0.0), direction)
        value = getattr(s, name)
        drawing.body(name, drawing.poses[inner] @ at(0.1) @ turn(value * np.array(direction)))
        drawing.revolute(name, (inner, name), where_at, value, effort=500.0)
        inner = name
