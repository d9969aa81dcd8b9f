"""Gravity, as a mechanism states it or as it is here."""

from __future__ import annotations

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import BadValueError
from robocompiler.solve.reduction.checks import floats
from robocompiler.spatial import Array, Vec3

STANDARD_GRAVITY: Vec3 = (0.0, 0.0, -9.81)
"""[m/s²], where a mechanism states none."""


def gravity_of(compiled: CompiledMechanism, given: Vec3 | None = None) -> Array:
    """[m/s²], shape (3,): what is given, or what the mechanism states, or 9.81 down.

    Raises:
        BadValueError: not three finite numbers.
    """
    stated = compiled.mechanism.environment.gravity if given is None else given
    expected = "three finite numbers [m/s²]"
    pull = floats(STANDARD_GRAVITY if stated is None else stated, "Dynamics", "gravity", expected)
    if pull.shape != (3,) or not np.all(np.isfinite(pull)):
        raise BadValueError("Dynamics", "gravity", str(given), expected)
    return pull
