"""Pins and cylinders of machines whose parts move in planes: joints about the z of a part's frame.

An end is a body and a frame on it, seen from the body's; the zero of a joint lies on these frames.
"""

from __future__ import annotations

import math

from linkages.drawing import Drawing, at, axis, planar
from robocompiler.spatial import Pose

End = tuple[str, Pose]


def end(body: str, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> End:
    """A point of a body [m], with the body's axes."""
    return body, at(x, y, z)


def where(drawing: Drawing, place: End) -> Pose:
    """Where an end stands in the drawing."""
    return drawing.poses[place[0]] @ place[1]


def angle_between(a: Pose, b: Pose) -> float:
    """The turn about z [rad] from one frame to another that shares its z."""
    R = a.R.T @ b.R
    return math.atan2(R[1, 0], R[0, 0])


def pin(drawing: Drawing, name: str, a: End, body: str, **fields: object) -> None:
    """A revolute joint about the z of an end, to a body whose frame shares that z."""
    F = where(drawing, a)
    value = angle_between(F, drawing.poses[body])
    drawing.revolute(name, (a[0], body), F, value, **fields)


def bearing_and_reach(drawing: Drawing, a: End, b: End) -> tuple[float, float]:
    """In which direction [rad] and how far [m] end b is from end a, in a's plane."""
    d = (where(drawing, a).inverse() @ where(drawing, b)).p
    return math.atan2(d[1], d[0]), math.hypot(d[0], d[1])


def cylinder(drawing: Drawing, name: str, a: End, b: End, effort: float) -> None:
    """A barrel pinned to end a (`name base`), its rod to end b (`name head`), driven by `name`."""
    bearing, length = bearing_and_reach(drawing, a, b)
    barrel, rod = f"{name} barrel", f"{name} rod"
    drawing.body(barrel, where(drawing, a) @ planar(0.0, 0.0, bearing))
    drawing.body(
        rod,
        where(drawing, a) @ planar(length * math.cos(bearing), length * math.sin(bearing), bearing),
    )
    drawing.revolute(f"{name} base", (a[0], barrel), where(drawing, a), bearing)
    along = drawing.poses[barrel] @ axis((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    drawing.prismatic(name, (barrel, rod), along, length, effort=effort)
    head = angle_between(drawing.poses[rod], where(drawing, b))
    drawing.revolute(f"{name} head", (rod, b[0]), drawing.poses[rod], head, closes_loop=True)
