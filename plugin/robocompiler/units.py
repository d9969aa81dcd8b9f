"""The one unit boundary: PartCAD's millimetres and degrees to metres and radians, and back."""

import math
from collections.abc import Callable

METRES_PER_MM = 1e-3
RADIANS_PER_DEGREE = math.pi / 180.0


def metres(millimetres: float) -> float:
    """Length [m] of a length in millimetres."""
    return millimetres * METRES_PER_MM


def millimetres(metres: float) -> float:
    """Length [mm] of a length in metres."""
    return metres / METRES_PER_MM


def radians(degrees: float) -> float:
    """Angle [rad] of an angle in degrees."""
    return degrees * RADIANS_PER_DEGREE


def degrees(radians: float) -> float:
    """Angle [deg] of an angle in radians."""
    return radians / RADIANS_PER_DEGREE


def shown_in(turns: bool) -> tuple[Callable[[float], float], str]:
    """What makes an angle [rad] or a length [m] what people read, and the unit of that."""
    return (degrees, "deg") if turns else (millimetres, "mm")
