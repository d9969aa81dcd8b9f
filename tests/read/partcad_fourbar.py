"""A four-bar as PartCAD draws it, placed by the closed form."""

from __future__ import annotations

import math

from partcad_drawing import (
    OVER,
    assembly,
    at,
    connected,
    jointed,
    marker,
    part,
    port,
    product,
    turn,
)


def crank_rocker(degrees=60.0):
    """Angles of the joints of a four-bar of 100, 40, 120 and 80 mm, pins up, counter-clockwise.

    The cosine rule in the triangle of the coupler: independent of any closure mathematics.
    """
    crank = math.radians(degrees)
    bx, by = 40 * math.cos(crank) - 100, 40 * math.sin(crank)
    reach = math.hypot(bx, by)
    inside = math.acos((80**2 + reach**2 - 120**2) / (2 * 80 * reach))
    rocker = math.atan2(by, bx) - inside
    cx, cy = 80 * math.cos(rocker) - bx, 80 * math.sin(rocker) - by
    return degrees, math.degrees(rocker), math.degrees(math.atan2(cy, cx)) - degrees


CRANK, ROCKER, COUPLER = crank_rocker()
PIN = OVER


def bar(label, target, name, angle, length, to, on):
    """A bar whose pin is at its own origin and whose bore is at its other end, pins down."""
    steps = connected(to, [turn(value=-angle)], PIN)
    ports = [port("pin", PIN), port("end", at(length)), port("under", product(at(length), OVER))]
    return jointed(label, target, name, steps, on=on, ports=ports)


def fourbar(markers=None, label="fourbar", location=None, parts=(), **more):
    """A four-bar; where no marker is given, the one loop that closes it."""
    ground = part("ground", ports=[port("A", at()), port("D", at(100.0))])
    crank = bar("crank", "ground", "crank-ground", CRANK, 40.0, at(), at())
    rocker = bar("rocker", "ground", "rocker-ground", ROCKER, 80.0, at(100.0), at())
    coupler = bar("coupler", "crank", "coupler-crank", COUPLER, 120.0, at(40.0), crank["location"])
    if markers is None:
        markers = [loop()]
    children = [ground, crank, rocker, coupler, *parts]
    return assembly(label, children, markers, location or at(), **more)


def loop(instance="C", a="rocker.end", b="coupler.under", **values):
    return marker("loop", instance, a=a, b=b, **values)


def closing(mechanism, name="C"):
    """The joint that closes a loop."""
    return next(joint for joint in mechanism.joints if joint.name == name)
