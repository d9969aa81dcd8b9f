"""XML as SDFormat has it: values are texts, poses six numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from xml.etree.ElementTree import Element

from robocompiler.spatial import Array, Pose
from robocompiler.write.numbers import exact, number, numbers


def value(tag: str, text: str, **attributes: str) -> Element:
    """An element that is a text."""
    element = Element(tag, attributes)
    element.text = text
    return element


def vector(tag: str, entries: Iterable[float]) -> Element:
    """An element that is some numbers."""
    return value(tag, numbers(entries))


def nested(tag: str, *children: Element, **attributes: str) -> Element:
    """An element that is others."""
    element = Element(tag, attributes)
    element.extend(children)
    return element


def pose(X: Pose) -> Element:
    """The `<pose>` of a frame seen from the one it is counted from."""
    return vector("pose", (*X.position, *roll_pitch_yaw(X.R)))


def scalar(tag: str, of: float) -> Element:
    """An element that is a number, which may be tiny and matter."""
    return value(tag, exact([of]))


def coordinate(tag: str, of: float) -> Element:
    """An element that is a coordinate [m or rad], where rounding's remains are nothing."""
    return value(tag, number(of))


def roll_pitch_yaw(R: Array) -> tuple[float, float, float]:
    """Angles [rad] with R = Rz(yaw) Ry(pitch) Rx(roll).

    Near a pitch of ±90° yaw and roll are not told apart by R; yaw is what its first column says,
    and roll what is left of R then, so that the product is R to rounding everywhere.
    """
    level = math.hypot(R[0, 0], R[1, 0])
    pitch = math.atan2(-R[2, 0], level)
    yaw = math.atan2(R[1, 0], R[0, 0])
    s, c = math.sin(yaw), math.cos(yaw)
    roll = math.atan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return roll, pitch, yaw
