"""Tables that people read: cells in columns, and numbers without what is only rounding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robocompiler.spatial import Array

ROUNDING = 1e-13
"""Share of the largest effort or load below which one is shown as 0."""


def rounded(values: Array, size: float) -> Array:
    """Values without what is only rounding beside a size."""
    return np.where(np.abs(values) > ROUNDING * size, values, 0.0) + 0.0


def table(rows: Sequence[Sequence[str]], indent: str = "  ") -> list[str]:
    """Rows of cells as lines, their columns aligned."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))] if rows else []
    return [
        (indent + "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True))).rstrip()
        for row in rows
    ]
