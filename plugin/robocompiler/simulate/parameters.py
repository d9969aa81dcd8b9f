"""What a run may be asked for."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from robocompiler.errors import BadValueError
from robocompiler.spatial import Vec3

PARAMETERS = ("duration", "timestep", "samples", "gravity", "drive")


def parameters_of(request: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a run in PartCAD's request, and which of its keys look misspelt."""
    known: dict[str, Any] = {name: request[name] for name in PARAMETERS if name in request}
    return {**known, "misspelt": misspelt(request)}


def misspelt(keys: Iterable[str]) -> tuple[str, ...]:
    """Keys that are no parameter and nearly are: a run would go on without what they say."""
    said = []
    for key in sorted(set(keys) - set(PARAMETERS)):
        if near := difflib.get_close_matches(key, PARAMETERS, n=1, cutoff=0.75):
            said.append(f"there is no parameter '{key}': did you mean '{near[0]}'?")
    return tuple(said)


def positive(name: str, value: Any) -> float:
    """A positive number of seconds; text such as YAML makes of `1e-3` is read too."""
    number = _number(value)
    if not (math.isfinite(number) and number > 0.0):
        raise BadValueError("pc sim", name, str(value), "a positive number of seconds")
    return number


def count(name: str, value: Any) -> int:
    """A whole number, not negative."""
    number = _number(value)
    if not (math.isfinite(number) and number == int(number) and number >= 0.0):
        raise BadValueError("pc sim", name, str(value), "a whole number, 0 or more")
    return int(number)


def vector(name: str, value: Any) -> Vec3:
    """Three numbers."""
    given = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else []
    numbers = [_number(x) for x in given]
    if len(numbers) != 3 or not all(math.isfinite(x) for x in numbers):
        raise BadValueError("pc sim", name, str(value), "three numbers [x, y, z]")
    return (numbers[0], numbers[1], numbers[2])


def _number(value: Any) -> float:
    if isinstance(value, bool):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan
