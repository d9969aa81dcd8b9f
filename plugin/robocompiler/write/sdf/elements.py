"""XML as SDFormat has it: values are texts, poses six numbers."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree.ElementTree import Element

from robocompiler.spatial import Pose
from robocompiler.write.angles import roll_pitch_yaw
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
