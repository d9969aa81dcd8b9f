"""A self-made excavator arm: 32 joints, nine loops, seven freedoms.

House, boom on two cylinders, stick on one, a bucket linkage (cylinder, two rockers, two links and
the pin they meet on), a tiltrotator on two cylinders, and a bucket that turns under it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from linkages.drawing import Drawing, at, planar, turn
from linkages.planar import meet
from linkages.plane_parts import angle_between, bearing_and_reach, cylinder, end, pin, where
from robocompiler.model.mechanism import WORLD, Mechanism
from robocompiler.spatial import Pose

JOINT_SPACE = ("slew", "boom", "stick", "hitch", "pin", "tilt", "rotator")
CYLINDER_SPACE = (
    "slew",
    "boom cylinder 0",
    "stick cylinder",
    "bucket cylinder",
    "pin",
    "tilt cylinder 0",
    "rotator",
)
DRIVES = (
    *("slew", "rotator", "boom cylinder 0", "boom cylinder 1", "stick cylinder"),
    *("bucket cylinder", "tilt cylinder 0", "tilt cylinder 1"),
)
ROCKER, LINK = 0.42, 0.40
_UPRIGHT = Pose(np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]), np.zeros(3))
_TILT_PLANE = Pose(np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]]), np.array([0.1, -0.25, 0.0]))


@dataclass(frozen=True, kw_only=True)
class Posture:
    """The seven joint-space coordinates [rad], by the names of their joints."""

    slew: float = 0.2
    boom: float = 0.6
    stick: float = -1.9
    hitch: float = -0.5
    pin: float = 0.15
    tilt: float = 0.1
    rotator: float = 0.3


def excavator(posture: Posture | None = None) -> Mechanism:
    """The arm drawn at a posture, its house on the world's z axis.

    Every cylinder `x` has pins `x base` and `x head`. The bucket linkage has `rocker 0`, `rocker 1`
    on the stick, `link 0`, `link 1` on the hitch and, about the pin's axis, `rocker 0 pin` (here
    `pin`, the pin's own freedom), `rocker 1 pin`, `link 0 pin`, `link 1 pin`.
    """
    p = posture or Posture()
    drawing = Drawing("excavator")
    drawing.body("house", at(0.0, 0.0, 0.9) @ turn((0.0, 0.0, p.slew)) @ _UPRIGHT)
    drawing.revolute("slew", (WORLD, "house"), at(0.0, 0.0, 0.9), p.slew, effort=4e4)
    drawing.body("boom", where(drawing, end("house", 0.2, 0.5)) @ planar(0.0, 0.0, p.boom))
    pin(drawing, "boom", end("house", 0.2, 0.5), "boom")
    for i, z in enumerate((-0.3, 0.3)):
        head = end("boom", 2.0, 0.35, z)
        cylinder(drawing, f"boom cylinder {i}", end("house", 0.75, 0.1, z), head, 4e5)
    drawing.body("stick", where(drawing, end("boom", 4.6)) @ planar(0.0, 0.0, p.stick))
    pin(drawing, "stick", end("boom", 4.6), "stick")
    cylinder(drawing, "stick cylinder", end("boom", 2.2, 0.6), end("stick", -0.5, 0.15), 4e5)
    drawing.body("hitch", where(drawing, end("stick", 2.4)) @ planar(0.0, 0.0, p.hitch))
    pin(drawing, "hitch", end("stick", 2.4), "hitch")
    _bucket_linkage(drawing, p.pin)
    _tiltrotator(drawing, p)
    return drawing.mechanism()


def _bucket_linkage(drawing: Drawing, pin_angle: float) -> None:
    """Two rockers and two links side by side, and the cylinder, all on one loose pin."""
    foot, eye = (2.0, 0.1), (0.06, 0.33)
    hitch = drawing.poses["stick"].inverse() @ where(drawing, end("hitch", *eye))
    x, y = meet(foot, ROCKER, (float(hitch.p[0]), float(hitch.p[1])), LINK, 1)
    swing = math.atan2(y - foot[1], x - foot[0])
    drawing.body("pin", where(drawing, end("stick", x, y)) @ planar(0.0, 0.0, swing + pin_angle))
    for i, z in enumerate((-0.2, 0.2)):
        rocker, link = f"rocker {i}", f"link {i}"
        drawing.body(rocker, where(drawing, end("stick", *foot, z)) @ planar(0.0, 0.0, swing))
        pin(drawing, rocker, end("stick", *foot, z), rocker)
        name = "pin" if i == 0 else "rocker 1 pin"
        pin(drawing, name, end(rocker, ROCKER), "pin", **({"closes_loop": True} if i else {}))
        tip, eyelet = end("pin", 0.0, 0.0, z), end("hitch", *eye, z)
        bearing, _ = bearing_and_reach(drawing, tip, eyelet)
        drawing.body(link, where(drawing, tip) @ planar(0.0, 0.0, bearing))
        pin(drawing, f"{link} pin", tip, link, **({"closes_loop": True} if i else {}))
        far = drawing.poses[link] @ at(LINK)
        value = angle_between(far, drawing.poses["hitch"])
        drawing.revolute(link, (link, "hitch"), far, value, closes_loop=i == 0)
    cylinder(drawing, "bucket cylinder", end("stick", 0.35, 0.4), end("pin"), 4e5)


def _tiltrotator(drawing: Drawing, p: Posture) -> None:
    """A cradle that tilts about the hitch's x on two cylinders, and the bucket that turns in it."""
    plane = ("hitch", _TILT_PLANE)
    drawing.body("cradle", where(drawing, plane) @ planar(0.0, 0.0, p.tilt))
    pin(drawing, "tilt", plane, "cradle")
    # In the tilting plane x points away from the bucket and y across the machine.
    for i, side in enumerate((-1.0, 1.0)):
        base = ("hitch", _TILT_PLANE @ at(0.2, 0.5 * side))
        cylinder(drawing, f"tilt cylinder {i}", base, end("cradle", -0.15, 0.3 * side), 1e5)
    down = Pose(np.array([[0.0, 0, -1], [0, 1, 0], [1, 0, 0]]), np.array([-0.4, 0.0, 0.0]))
    seat = drawing.poses["cradle"] @ down
    drawing.body("bucket", seat @ turn((0.0, 0.0, p.rotator)))
    drawing.revolute("rotator", ("cradle", "bucket"), seat, p.rotator, effort=1e4)
