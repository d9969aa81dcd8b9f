"""What a run may be asked for."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from robocompiler.errors import BadValueError
from robocompiler.parameters import SECONDS, number, positive
from robocompiler.spatial import Vec3

RUN = "pc sim"
"""Where a run's are stated, as errors say it."""
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


def seconds(name: str, value: Any) -> float:
    """A positive number of seconds."""
    return positive(RUN, name, value, SECONDS)


def count(name: str, value: Any) -> int:
    """A whole number, not negative."""
    stated = number(value)
    if not (math.isfinite(stated) and stated == int(stated) and stated >= 0.0):
        raise BadValueError(RUN, name, str(value), "a whole number, 0 or more")
    return int(stated)


def vector(name: str, value: Any) -> Vec3:
    """Three numbers."""
    given = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else []
    numbers = [number(x) for x in given]
    if len(numbers) != 3 or not all(math.isfinite(x) for x in numbers):
        raise BadValueError(RUN, name, str(value), "three numbers [x, y, z]")
    return (numbers[0], numbers[1], numbers[2])
