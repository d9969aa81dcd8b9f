"""Numbers that a user may ask for, in an export or in a run."""

from __future__ import annotations

import math
from typing import Any

from robocompiler.errors import BadValueError

EXPORT = "The export's parameters"
"""Where an export's are stated, as errors say it."""
SECONDS = "a positive number of seconds"


def number(value: Any) -> float:
    """What was stated, perhaps as text: YAML makes of `1e-3` text. NaN where it is no number."""
    if isinstance(value, bool):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def positive(where: str, name: str, value: Any, expected: str = "a positive number") -> float:
    """A positive finite number.

    Raises:
        BadValueError: any other value; says that `where` states it for `name`.
    """
    stated = number(value)
    if not 0.0 < stated < math.inf:
        raise BadValueError(where, name, str(value), expected)
    return stated
