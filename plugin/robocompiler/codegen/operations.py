"""The operations of a graph: what a node may be, and what each operation is on numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

ARITHMETIC = frozenset({"+", "-", "*", "/", "neg"})
FUNCTIONS = ("sin", "cos", "sqrt", "atan2", "rint")
TESTS = frozenset({"<", "<=", "and"})
LEAVES = frozenset({"constant", "input"})


class Node(NamedTuple):
    """An operation on other nodes, a constant, or an input.

    A tuple, not a dataclass: it is made and hashed for every operation that is traced.
    """

    operation: str
    """One of `ARITHMETIC`, `FUNCTIONS`, `TESTS`, `LEAVES`, or `select`."""
    arguments: tuple[int, ...] = ()
    """Which nodes it works on, all of them before it."""
    value: float = 0.0
    """Of a constant."""
    source: str = ""
    """Which array an input comes from."""
    slot: int = 0
    """And which of its entries."""


NUMERIC: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "neg": lambda a: -a,
    "sin": np.sin,
    "cos": np.cos,
    "sqrt": np.sqrt,
    "atan2": np.arctan2,
    "rint": np.rint,
    "<": lambda a, b: (np.asarray(a) < b) * 1.0,
    "<=": lambda a, b: (np.asarray(a) <= b) * 1.0,
    "and": lambda a, b: a * b,
    "select": lambda c, a, b: np.where(np.asarray(c) != 0.0, a, b),
}
"""What each operation is, on floats or arrays of them."""
