"""Which states of a batch are computed by which thread."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from numbers import Integral

from robocompiler.codegen.emitters import Emitter
from robocompiler.codegen.kernels import Call
from robocompiler.errors import BadValueError

LINE, FEW = 8, 16
"""Numbers in a line of the processor's cache, and how many lines are too few to mind."""


def refuse_counts(states: int, threads: int, size: int) -> None:
    """Refuse what is no number of states, of so many bytes each, or of threads.

    Raises:
        BadValueError: it is no whole number above zero, or more than can be addressed.
    """
    for name, value in (("states", states), ("threads", threads)):
        if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
            raise BadValueError("Batch", name, str(value), "a whole number above zero")
    if states * size > sys.maxsize:
        raise BadValueError("Batch", "states", str(states), "as few as memory holds")


def spread(states: int) -> int:
    """How many columns a buffer of so many states has: rows start an odd number of the cache's
    lines apart, lest they all fall into a few of its sets, as those of 4096 states would.
    """
    lines = -(-states // LINE)
    return states if lines < FEW else LINE * (lines | 1)


def shares(count: int, threads: int, emitter: Emitter) -> list[range]:
    """States by threads, in chunks that fill the processor's registers."""
    size = -(-count // threads)
    size = -(-size // emitter.together) * emitter.together
    return [range(at, min(at + size, count)) for at in range(0, count, size)]


def together(calls: Sequence[Call], emitter: Emitter) -> Call:
    """Several calls as one, which returns how often any of them failed."""
    return calls[0] if len(calls) == 1 else emitter.in_turn(calls)


def in_threads(pools: dict[int, ThreadPoolExecutor], calls: Sequence[Call]) -> int:
    """The same, each in a thread of a pool that is kept by process: a fork has no threads."""
    own = os.getpid()
    if own not in pools:
        pools[own] = ThreadPoolExecutor(len(calls))
    return sum(pools[own].map(lambda call: call(), calls))
