"""Times of candidates that are compared: only ratios within one run count.

CPU time of the thread, the candidates one after the other in random order within each round, the
20th percentile over the rounds: what disturbs a shared machine only ever makes things slower.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping

import numpy as np

ROUNDS = 60
TURN = 1e-3
"""CPU time [s] that a candidate takes in a round, so that the clock costs nothing."""
PERCENTILE = 20.0


def interleaved(
    candidates: Mapping[str, Callable[[], object]], rounds: int = ROUNDS, turn: float = TURN
) -> dict[str, float]:
    """CPU time [s] of a call of each candidate."""
    repeats = {name: _repeats(call, turn) for name, call in candidates.items()}
    found: dict[str, list[float]] = {name: [] for name in candidates}
    names, random = list(candidates), np.random.default_rng(0)
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for at in random.permutation(len(names)):
                name = names[at]
                found[name].append(_timed(candidates[name], repeats[name]))
    finally:
        gc.enable()
    return {name: float(np.percentile(times, PERCENTILE)) for name, times in found.items()}


def _repeats(call: Callable[[], object], turn: float) -> int:
    """How many calls fill a turn."""
    for _ in range(3):
        call()
    once = min(_timed(call, 1) for _ in range(3))
    several = max(1, int(turn / max(once, 1e-7) / 10))
    return max(1, int(turn / _timed(call, several)))


def _timed(call: Callable[[], object], repeats: int) -> float:
    turns = range(repeats)
    began = time.thread_time()
    for _ in turns:
        call()
    return (time.thread_time() - began) / repeats
