"""Progress of work that takes long, on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

QUIET = 1.0
"""Seconds of work before progress is told, and between one time and the next."""


def told() -> Callable[[int, int], None]:
    """Progress on stderr, once work takes long."""
    last = time.monotonic()

    def tell(done: int, count: int) -> None:
        nonlocal last
        if time.monotonic() - last >= QUIET:
            last = time.monotonic()
            print(f"robocompiler: {done} of {count} samples", file=sys.stderr)

    return tell
