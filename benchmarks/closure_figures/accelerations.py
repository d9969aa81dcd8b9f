"""How far the points of a closure accelerate apart, with the curvature and without (C3, C9)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from figure import Figure, at_most, near, skipped

from linkages.moving import Moving, apart, go2_moving, stewart_moving


def curvature() -> Iterator[Figure]:
    """12 states at 0.5, 1, 2 and 4 times speed, the worst of all."""
    yield from _both("C3, Stewart", stewart_moving, 1.010, "8.876e-11")
    try:
        yield from _both("C9, Go2", go2_moving, 1.445, "8.676e-11")
    except pytest.skip.Exception:
        yield skipped("C9, Go2: points accelerate apart", "no record")


def _both(
    name: str, states: Callable[[], Iterator[Moving]], omitted: float, paper: str
) -> list[Figure]:
    found = [apart(state) for state in states()]
    within, without = max(a for a, _ in found), max(b for _, b in found)
    return [
        at_most(f"{name}: points accelerate apart [m/s2]", within, 1e-13, f"paper {paper}"),
        near(f"{name}: the same without curvature", without, omitted, 0.005, "paper, as it is"),
    ]
