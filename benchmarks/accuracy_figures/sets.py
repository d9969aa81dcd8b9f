"""Table V's sets, and the claims that are among them, as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from figure import Figure, equal, skipped

from accuracy_figures import legged_states, states
from accuracy_figures.judged import Judged
from accuracy_figures.state import State

Set = Callable[[int | None], Iterator[State]]
SAMPLE = {"stewart": 24, "excavator": 24, "kangaroo": 8}
"""States of each set that are judged where not all are."""
_whole = {"all": False}


def take(whole: bool) -> None:
    """Whether all states are judged, or a sample."""
    _whole["all"] = whole


def _rows(
    title: str,
    states_of: Set,
    robot: str,
    delta_a: float,
    paper: str,
    every: bool = False,
    modes: int = 1,
) -> Iterator[Figure]:
    most = None if every or _whole["all"] else SAMPLE[robot]
    try:
        judged = Judged(states_of(most))
    except pytest.skip.Exception:
        yield skipped(title, "no record")
        return
    yield equal(f"{title}: mechanisms, by what is held", judged.mechanisms, modes)
    yield from judged.figures(title, {"delta_a": delta_a, "delta_f": min(delta_a, 1e-13)}, paper)


def stewart() -> Iterator[Figure]:
    """1101 knots, 300 drawn states, and C2's 48."""
    paper = "papers 1.6e-8; peers below"
    yield from _rows("Stewart A", states.stewart_a, "stewart", 1e-13, paper)
    yield from _rows("Stewart B", states.stewart_b, "stewart", 1e-13, paper)
    yield from _rows("Stewart C2", states.stewart_c2, "stewart", 1e-13, "papers 3.05e-13", True)


def excavator() -> Iterator[Figure]:
    """48 states of the route and 252 drawn; the papers' machine is not public."""
    paper = "papers 5.1e-7 on theirs"
    yield from _rows("excavator A (C5)", states.excavator_a, "excavator", 1e-9, paper)
    yield from _rows("excavator B", states.excavator_b, "excavator", 1e-9, paper)


def kangaroo() -> Iterator[Figure]:
    """48 states of the contact motion and 152 drawn, its four support modes in turn."""
    paper = "papers 4.4e-12"
    yield from _rows(
        "Kangaroo A (C10)", legged_states.kangaroo_a, "kangaroo", 1e-13, paper, modes=4
    )
    yield from _rows("Kangaroo B", legged_states.kangaroo_b, "kangaroo", 1e-13, paper, modes=4)


def go2() -> Iterator[Figure]:
    """48 samples of the gait, eleven sets of feet."""
    paper = "papers 3.2e-13"
    yield from _rows("Go2 (C8)", legged_states.go2_c8, "go2", 5e-15, paper, True, modes=11)
