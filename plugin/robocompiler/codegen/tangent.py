"""Kernels differentiated along a direction: forward mode, on the graph that they are traced to.

What a kernel has computed is not computed again: a quotient, a root and the sine beside a cosine
serve its tangent too. Zeros vanish as they do everywhere in a graph, so that a tangent costs what
moves, not what there is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from robocompiler.codegen.graph import Symbol
from robocompiler.codegen.kernels import STATE, Straight
from robocompiler.codegen.operations import TESTS
from robocompiler.errors import GenerationError

Operands = Sequence[Symbol]
Rule = Callable[[Symbol, Operands, Operands], Symbol]
"""The tangent of a node, from the node, its operands and their tangents."""


def _atan2(_: Symbol, operands: Operands, d: Operands) -> Symbol:
    y, x = operands
    return (x * d[0] - y * d[1]) / (x * x + y * y)


RULES: dict[str, Rule] = {
    "+": lambda y, x, d: d[0] + d[1],
    "-": lambda y, x, d: d[0] - d[1],
    "*": lambda y, x, d: d[0] * x[1] + x[0] * d[1],
    "/": lambda y, x, d: (d[0] - y * d[1]) / x[1],
    "neg": lambda y, x, d: -d[0],
    "sin": lambda y, x, d: x[0].cos() * d[0],
    "cos": lambda y, x, d: -(x[0].sin() * d[0]),
    "sqrt": lambda y, x, d: (0.5 * d[0]) / y,
    "atan2": _atan2,
    "select": lambda y, x, d: x[0].select(d[1], d[2]),
}
"""Of every operation but tests and `rint`, which stay as they are until they leap."""
STANDING = TESTS | {"rint"}
"""What has no tangent."""


def tangent(kernel: Straight, moving: Collection[int] | None = None) -> Straight:
    """y ← f(x) with what it does along a direction: (y, ẏ) ← (f(x), f'(x) ẋ), in the same graph.

    Args:
        kernel: what is differentiated. Its graph is added to.
        moving: the input slots that move, in the order of their tangents; all of them where None.

    Returns:
        a kernel whose input slots are the old ones, then a tangent for each that moves; its results
        are the old ones, then their tangents.

    A choice has the tangent of the branch that is taken. A root of nothing has one only where
    nothing under it can move; where it merely does not, it is NaN, as is what has no derivative.

    Raises:
        GenerationError: a slot that moves is not there, or moves twice; or a constant on the way
            is not finite.
    """
    graph = kernel.graph
    slots = tuple(range(kernel.inputs) if moving is None else moving)
    d, zero = _seeds(kernel, slots), graph.constant(0.0)
    for index in graph.order(kernel.results):
        node = graph.nodes[index]
        own = [d.get(i, zero) for i in node.arguments]
        if node.operation not in STANDING and not all(one.same(zero) for one in own):
            operands = [Symbol(graph, i) for i in node.arguments]
            d[index] = RULES[node.operation](Symbol(graph, index), operands, own)
    return Straight(
        name=f"{kernel.name}_tangent",
        graph=graph,
        inputs=kernel.inputs + len(slots),
        results=(*kernel.results, *(d.get(symbol.index, zero) for symbol in kernel.results)),
    )


def _seeds(kernel: Straight, slots: Sequence[int]) -> dict[int, Symbol]:
    """By node: the slots that move, and their tangents."""
    graph, count = kernel.graph, kernel.inputs
    if len(set(slots)) < len(slots) or not set(slots) <= set(range(count)):
        raise GenerationError(
            f"slots {list(slots)} of kernel '{kernel.name}' are to move, of which each must be one "
            f"of its {count} input slots, and another one"
        )
    tangents = [graph.input(STATE, count + at) for at in range(len(slots))]
    return {graph.input(STATE, i).index: d for i, d in zip(slots, tangents, strict=True)}
