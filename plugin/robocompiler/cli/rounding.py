"""Numbers without what is only rounding."""

from __future__ import annotations

import numpy as np

from robocompiler.spatial import Array

ROUNDING = 1e-13
"""Share of the largest effort or load below which one is shown as 0."""


def rounded(values: Array, size: float) -> Array:
    """Values without what is only rounding beside a size."""
    return np.where(np.abs(values) > ROUNDING * size, values, 0.0) + 0.0
