"""What Newton minds in generated code: the constants of continuation."""

from __future__ import annotations

from robocompiler.codegen.kernels import Settings
from robocompiler.solve.continuation.constants import CONTROL

LONGEST = 0.5
"""First correction [rad, or m over the size] at which Newton is still relied upon alone."""
TOLERANCE = 1e-13
"""Rows in one unit, by their root sum of squares, at which a state is closed."""


def settings_of(tolerance: float, most: int = CONTROL.iterations) -> Settings:
    """Those for a tolerance, with at most so many steps."""
    return Settings(
        tolerance=tolerance,
        contraction=CONTROL.contraction,
        noise=CONTROL.noise,
        longest=LONGEST,
        most=most,
        reach=LONGEST,
        leap=CONTROL.leap,
    )
