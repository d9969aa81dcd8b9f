"""Numbers as every writer here prints them."""

from __future__ import annotations

from collections.abc import Iterable

# Coordinates this near zero [m, rad or a direction's part] are rounding.
ROUNDED_ZERO = 1e-15


def number(value: float) -> str:
    """The shortest text that reads back as the same number; never -0, nor rounded-off zeros."""
    value = float(value)
    if abs(value) < ROUNDED_ZERO:
        return "0"
    return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def numbers(values: Iterable[float]) -> str:
    """Numbers with a space between them, none rounded but to zero."""
    return " ".join(number(value) for value in values)


def exact(values: Iterable[float]) -> str:
    """Numbers that may be tiny and matter, such as moments of inertia."""
    return " ".join(repr(float(value) + 0.0) for value in values)
