"""Random expressions as graphs, and what they are worth by the C library's own functions."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from robocompiler.codegen import graph as graphs
from robocompiler.codegen.graph import Graph
from robocompiler.errors import GenerationError

INPUTS = 4
BINARY = ("+", "-", "*", "/", "atan2", "<", "<=", "and", "select")
UNARY = ("neg", "sin", "cos", "sqrt", "rint", "cube")
NUMBERS = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 0.5, -0.5, 2.5, 1e300, 1e-300, math.inf, -math.inf, math.nan]),
    st.floats(-10.0, 10.0),
)
VALUES = st.lists(NUMBERS, min_size=INPUTS, max_size=INPUTS)


@st.composite
def expressions(draw):
    """A graph and some of its symbols, by every operation there is."""
    graph = Graph()
    symbols = list(graph.inputs("x", INPUTS))
    for _ in range(draw(st.integers(1, 30))):
        picks = [draw(st.sampled_from(symbols[-8:] + symbols[:INPUTS])) for _ in range(3)]
        picks[1] = draw(st.one_of(st.just(picks[1]), st.floats(-4.0, 4.0)))
        try:
            symbols.append(_applied(draw(st.sampled_from(BINARY + UNARY)), *picks))
        except GenerationError:  # a constant that is not finite
            continue
    return graph, symbols[INPUTS:][-draw(st.integers(1, 6)) :] or symbols


def _applied(operation, a, b, c):
    if operation in UNARY:
        return {
            "neg": lambda: -a,
            "sin": lambda: np.sin(a),
            "cos": lambda: np.cos(a),
            "sqrt": lambda: np.sqrt(a),
            "rint": lambda: np.rint(a),
            "cube": lambda: a**3,
        }[operation]()
    return {
        "+": lambda: a + b,
        "-": lambda: a - b,
        "*": lambda: a * b,
        "/": lambda: a / b,
        "atan2": lambda: np.arctan2(a, b),
        "<": lambda: a < b,
        "<=": lambda: a <= b,
        "and": lambda: (a < b).both(c < a),
        "select": lambda: (a < c).select(b, c),
    }[operation]()


def _libm(function):
    def applied(*values):
        try:
            return function(*values)
        except ValueError:
            return math.nan

    return np.vectorize(applied, otypes=[float])


LIBM = {name: _libm(getattr(math, name)) for name in ("sin", "cos", "atan2")}
"""Of NumPy's functions some differ from these in the last digit."""


def evaluated(graph, wanted, x, monkeypatch=None):
    """What `Graph.evaluate` says, by the C library's functions where a monkeypatch is given."""
    with np.errstate(all="ignore"):
        if monkeypatch is None:
            return graph.evaluate(wanted, {"x": x})
        with monkeypatch.context() as patched:
            for name, function in LIBM.items():
                patched.setitem(graphs.NUMERIC, name, function)
            return graph.evaluate(wanted, {"x": x})
