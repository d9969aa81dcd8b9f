"""Random expressions: as graphs, as NumPy computes them, and by the C library's own functions."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from robocompiler.codegen.graph import Graph
from robocompiler.codegen.operations import NUMERIC
from robocompiler.errors import GenerationError

INPUTS = 4
OPERATIONS = {
    "+": (lambda a, b, c: a + b, None),
    "-": (lambda a, b, c: a - b, None),
    "*": (lambda a, b, c: a * b, None),
    "/": (lambda a, b, c: a / c, None),
    "atan2": (lambda a, b, c: np.arctan2(a, c), None),
    "neg": (lambda a, b, c: -a, None),
    "sin": (lambda a, b, c: np.sin(a), None),
    "cos": (lambda a, b, c: np.cos(a), None),
    "sqrt": (lambda a, b, c: np.sqrt(a), None),
    "rint": (lambda a, b, c: np.rint(a), None),
    "cube": (lambda a, b, c: a**3, lambda a, b, c: a * (a * a)),
    "<": (lambda a, b, c: (a < b) * 1.0, None),
    "<=": (lambda a, b, c: (a <= b) * 1.0, None),
    "and": (lambda a, b, c: (a < b).both(c < a), lambda a, b, c: float(a < b and c < a)),
    "select": (lambda a, b, c: (a < c).select(b, c), lambda a, b, c: b if a < c else c),
}
"""Of symbols, and of floats where that is written otherwise."""
NESTED = (
    lambda a, b, c: a - (b - c),
    lambda a, b, c: a - (b + c),
    lambda a, b, c: a + (b - c),
    lambda a, b, c: (a - b) - c,
    lambda a, b, c: (a + b) * c,
    lambda a, b, c: a * (b / c),
    lambda a, b, c: a / (b * c),
    lambda a, b, c: a / (b / c),
    lambda a, b, c: (a / b) / c,
    lambda a, b, c: c / (a - b),
    lambda a, b, c: -(a * b),
    lambda a, b, c: -(a + b) - c,
    lambda a, b, c: a - b * -2.5,
    lambda a, b, c: (a - 0.3) * (b + -0.7) / (c * 3.0 - 1e-300),
)
"""What parentheses are for; no operation is computed in another order than it is written."""
NUMBERS = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 0.5, -0.5, 2.5, 1e300, 1e-300, math.inf, -math.inf, math.nan]),
    st.floats(-10.0, 10.0),
)
VALUES = st.lists(NUMBERS, min_size=INPUTS, max_size=INPUTS)


@st.composite
def recipes(draw):
    """Operations in turn: a name, and three operands: places, or for the second one a number."""
    steps = []
    for place in range(INPUTS, INPUTS + draw(st.integers(1, 30))):
        places = st.integers(0, place - 1) | st.integers(max(0, place - 8), place - 1)
        second = places | st.sampled_from([0.0, 1.0, -1.0]) | st.floats(-4.0, 4.0)
        steps.append(
            (draw(st.sampled_from(sorted(OPERATIONS))), *map(draw, (places, second, places)))
        )
    return steps


def build(recipe, graph):
    """The inputs and the symbols of a recipe's steps; of one that is not finite, its operand."""
    known = list(graph.inputs("x", INPUTS))
    for name, *places in recipe:
        a, b, c = (known[i] if isinstance(i, int) else i for i in places)
        try:
            known.append(OPERATIONS[name][0](a, b, c))
        except GenerationError:
            known.append(a)
    return known


def computed(recipe, x):
    """The inputs and the steps' values, as NumPy's own numbers."""
    known = [np.float64(value) for value in x]
    for name, *places in recipe:
        a, b, c = (known[i] if isinstance(i, int) else np.float64(i) for i in places)
        symbols, numbers = OPERATIONS[name]
        known.append(np.float64((numbers or symbols)(a, b, c)))
    return np.array(known)


@st.composite
def expressions(draw):
    """A graph and some of its symbols."""
    graph = Graph()
    steps = build(draw(recipes()), graph)[INPUTS:]
    return graph, steps[-draw(st.integers(1, 6)) :]


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
                patched.setitem(NUMERIC, name, function)
            return graph.evaluate(wanted, {"x": x})
