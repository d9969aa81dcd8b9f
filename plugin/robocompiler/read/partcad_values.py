"""Numbers as a marker writes them: bare in PartCAD's units, or with a unit of their own."""

from __future__ import annotations

import math
import re
from enum import Enum


class Quantity(Enum):
    """What a coordinate measures. Bare numbers are degrees and millimetres, as all over PartCAD."""

    ANGLE = "angle"
    LENGTH = "length"

    @property
    def unit(self) -> str:
        """PartCAD's unit of it."""
        return "deg" if self is Quantity.ANGLE else "mm"

    @property
    def si(self) -> float:
        """[rad or m] of PartCAD's unit."""
        return UNITS[self.unit][1]


UNITS: dict[str, tuple[Quantity, float]] = {
    "deg": (Quantity.ANGLE, math.pi / 180.0),
    "rad": (Quantity.ANGLE, 1.0),
    "turn": (Quantity.ANGLE, 2.0 * math.pi),
    "rev": (Quantity.ANGLE, 2.0 * math.pi),
    "mm": (Quantity.LENGTH, 1e-3),
    "cm": (Quantity.LENGTH, 1e-2),
    "m": (Quantity.LENGTH, 1.0),
    "in": (Quantity.LENGTH, 25.4e-3),
}
"""What each unit measures, and how much of the SI unit it is."""

SECONDS = {"s": 1.0, "min": 60.0}
"""What a speed may be per."""

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_SAID = re.compile(rf"\s*({_NUMBER})(?:/({_NUMBER}))?\s*([a-zA-Z]*)(?:\s*/\s*([a-zA-Z]+))?\s*")


def parse_number(text: str) -> float | None:
    """A bare finite number, or a fraction of two (`20/40`); None for anything else."""
    said = _split(text)
    return said[0] if said and not said[1] and not said[2] else None


def parse_quantity(text: str, quantity: Quantity) -> float | None:
    """[rad or m] of `30`, `30deg`, `0.5rad`, `2mm`; None where it is none or of another kind."""
    said = _split(text)
    if said is None or said[2]:
        return None
    number, unit, _ = said
    measured, si = UNITS.get(unit or quantity.unit, (None, 0.0))
    return number * si if measured is quantity else None


def parse_ratio(text: str, of: Quantity, per: Quantity) -> float | None:
    """A ratio in SI units of `0.5` or `0.5mm/deg`; None where it is none or of another kind.

    Args:
        text: what was written. A bare number is in PartCAD's units, `of.unit` per `per.unit`.
        of: what the ratio's numerator measures.
        per: what its denominator measures.
    """
    said = _split(text)
    if said is None or bool(said[1]) != bool(said[2]):
        return None
    number, unit, per_unit = said
    measured, si = UNITS.get(unit or of.unit, (None, 0.0))
    per_measured, per_si = UNITS.get(per_unit or per.unit, (None, 1.0))
    return number * si / per_si if (measured, per_measured) == (of, per) else None


def parse_speed(text: str, quantity: Quantity) -> float | None:
    """[rad/s or m/s] of `90`, `90deg/s`, `3000rev/min`; None where it is none or of another kind.

    A bare number is in PartCAD's unit of `quantity` per second.
    """
    said = _split(text)
    if said is None or bool(said[1]) != bool(said[2]):
        return None
    number, unit, per = said
    measured, si = UNITS.get(unit or quantity.unit, (None, 0.0))
    seconds = SECONDS.get(per or "s")
    return None if measured is not quantity or seconds is None else number * si / seconds


def expected_quantity(quantity: Quantity) -> str:
    """What `parse_quantity` takes, for an error."""
    article = "an angle" if quantity is Quantity.ANGLE else "a length"
    units = ", ".join(unit for unit, (measured, _) in UNITS.items() if measured is quantity)
    return f"{article}: a number in {quantity.unit}, or one with a unit ({units})"


def expected_ratio(of: Quantity, per: Quantity) -> str:
    """What `parse_ratio` takes, for an error."""
    return (
        f"a ratio of {of.value} to {per.value}: a number in {of.unit} per {per.unit}, or one with "
        f"units, such as 0.5{of.unit}/{per.unit}"
    )


def expected_speed(quantity: Quantity) -> str:
    """What `parse_speed` takes, for an error."""
    return (
        f"a positive speed: a number in {quantity.unit}/s, or one with a unit, such as "
        f"90{quantity.unit}/s or 60{quantity.unit}/min"
    )


def _split(text: str) -> tuple[float, str, str] | None:
    """Number, unit and the unit it is per, as written; None where it is not of that form."""
    found = _SAID.fullmatch(text)
    if found is None:
        return None
    divisor = float(found[2] or 1.0)
    number = float(found[1]) / divisor if divisor else math.inf
    return (number, found[3], found[4] or "") if math.isfinite(number) else None
