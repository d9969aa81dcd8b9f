"""A graph of scalar operations, each there once, traced by running equations on its symbols.

A symbol does what a float does in an array of objects, so that NumPy's functions take it: `+`, `-`,
`*`, `/`, whole powers, comparisons, and `sin`, `cos`, `sqrt`, `arctan2` and `rint` by the methods
that NumPy looks for. What has no value before it runs cannot be branched on: `select` takes both.

Constants are folded, zeros and ones vanish, and what is computed alike is one node. So structure
that equations multiply out, such as the zeros of a turn about z, costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from robocompiler.codegen.operations import LEAVES, NUMERIC, Node
from robocompiler.errors import GenerationError
from robocompiler.spatial import Array


@dataclass(slots=True, eq=False)
class Graph:
    """Nodes in an order in which they can be computed."""

    nodes: list[Node] = field(default_factory=list)
    _known: dict[Node, Symbol] = field(default_factory=dict)
    _constants: dict[float, Symbol] = field(default_factory=dict)

    def add(self, node: Node) -> Symbol:
        """The symbol of a node, which is there once."""
        symbol = self._known.get(node)
        if symbol is None:
            symbol = self._known[node] = Symbol(self, len(self.nodes))
            self.nodes.append(node)
        return symbol

    def constant(self, value: float) -> Symbol:
        """A number.

        Raises:
            GenerationError: it is not finite.
        """
        symbol = self._constants.get(value)
        if symbol is None:
            if not math.isfinite(value):
                raise GenerationError(f"a constant of the equations is {value}")
            symbol = self.add(Node("constant", value=float(value) + 0.0))  # no negative zero
            self._constants[value] = symbol
        return symbol

    def input(self, source: str, slot: int) -> Symbol:
        """An entry of an array that is known when it runs."""
        return self.add(Node("input", source=source, slot=slot))

    def inputs(self, source: str, count: int) -> Array:
        """The first entries of an array, as an array of symbols."""
        return np.array([self.input(source, slot) for slot in range(count)], dtype=object)

    def apply(self, operation: str, *arguments: Symbol) -> Symbol:
        """A node of a function or a test, folded where its arguments are constants."""
        nodes = self.nodes
        for argument in arguments:
            if nodes[argument.index].operation != "constant":
                return self.add(Node(operation, tuple([a.index for a in arguments])))
        values = [nodes[argument.index].value for argument in arguments]
        with np.errstate(all="ignore"):  # what is not finite is refused as a constant
            return self.constant(float(NUMERIC[operation](*values)))

    def order(self, wanted: Iterable[Symbol], known: Iterable[int] = ()) -> list[int]:
        """The nodes that some symbols need, in an order to compute them, what is known left out.

        Depth first, so that what belongs together stands together.
        """
        seen, found = set(known), list[int]()
        stack = [symbol.index for symbol in wanted][::-1]
        while stack:
            index = stack[-1]
            waiting = [i for i in self.nodes[index].arguments if i not in seen]
            if index in seen or not waiting:
                stack.pop()
                if index not in seen:
                    seen.add(index)
                    found.append(index)
            else:
                stack += waiting[::-1]
        return found

    def operations(self, wanted: Iterable[Symbol]) -> int:
        """How many operations some symbols cost: a sine or a root counts as one."""
        return sum(self.nodes[i].operation not in LEAVES for i in self.order(wanted))

    def evaluate(self, wanted: Sequence[Symbol], sources: dict[str, Array]) -> Array:
        """Values of symbols where arrays are known, shape (…, wanted); tests are 0 or 1.

        Args:
            wanted: what to compute.
            sources: by name, each of shape (…, entries).
        """
        values: dict[int, Any] = {}
        for index in self.order(wanted):
            node = self.nodes[index]
            if node.operation == "constant":
                values[index] = node.value
            elif node.operation == "input":
                values[index] = sources[node.source][..., node.slot]
            else:
                values[index] = NUMERIC[node.operation](*(values[i] for i in node.arguments))
        return np.stack(
            np.broadcast_arrays(*(np.asarray(values[s.index], dtype=float) for s in wanted)), -1
        )


class Symbol:
    """A node of a graph as equations see it: a number that is not known yet."""

    __slots__ = ("graph", "index")

    def __init__(self, graph: Graph, index: int) -> None:
        self.graph, self.index = graph, index

    @property
    def node(self) -> Node:
        """What it is."""
        return self.graph.nodes[self.index]

    @property
    def constant(self) -> float | None:
        """Its value, where that is known."""
        node = self.graph.nodes[self.index]
        return node.value if node.operation == "constant" else None

    def same(self, other: Symbol) -> bool:
        """Whether both are one node."""
        return self.index == other.index

    def __repr__(self) -> str:
        node = self.node
        shown = node.value if node.operation == "constant" else (node.source or node.arguments)
        return f"<{node.operation} {shown}>"

    def __bool__(self) -> bool:
        raise TypeError("A symbol has no truth before it runs: use `select`.")

    def __add__(self, other: Any) -> Symbol:
        a, b = self, self._with(other)
        if a.constant == 0.0:
            return b
        if b.constant == 0.0:
            return a
        if a._operation == "neg":
            return b - a._negated()
        if b._operation == "neg":
            return a - b._negated()
        return a._folded("+", b, commutes=True)

    def __sub__(self, other: Any) -> Symbol:
        a, b = self, self._with(other)
        if b.constant == 0.0:
            return a
        if a.constant == 0.0:
            return -b
        if a.index == b.index:
            return a.graph.constant(0.0)
        if b._operation == "neg":
            return a + b._negated()
        return a._folded("-", b)

    def __mul__(self, other: Any) -> Symbol:
        a, b = self, self._with(other)
        if a.constant is None and b.constant is not None:
            a, b = b, a
        factor = a.constant
        if factor is not None and b.constant is None:
            if factor in (0.0, 1.0, -1.0):
                return a if factor == 0.0 else b if factor == 1.0 else -b
            if factor < 0.0:
                return -(a.graph.constant(-factor) * b)
        if a._operation == "neg":
            return -(a._negated() * b)
        if b._operation == "neg":
            return -(a * b._negated())
        return a._folded("*", b, commutes=True)

    def __truediv__(self, other: Any) -> Symbol:
        a, b = self, self._with(other)
        if b.constant is not None:
            if b.constant == 0.0:
                raise GenerationError("the equations divide by nothing")
            return a * (1.0 / b.constant)
        if a.constant == 0.0:
            return a
        if a._operation == "neg":
            return -(a._negated() / b)
        return a._folded("/", b)

    def __neg__(self) -> Symbol:
        if self.constant is not None:
            return self.graph.constant(-self.constant)
        if self._operation == "neg":
            return self._negated()
        if self._operation == "-":
            first, second = (Symbol(self.graph, i) for i in self.node.arguments)
            return second - first
        return self.graph.apply("neg", self)

    def __pow__(self, power: int) -> Symbol:
        if power != int(power) or power < 1:
            raise GenerationError(f"the equations raise to the power of {power}")
        result: Symbol = self
        for _ in range(int(power) - 1):
            result = result * self
        return result

    def __lt__(self, other: Any) -> Symbol:
        return self.graph.apply("<", self, self._with(other))

    def __le__(self, other: Any) -> Symbol:
        return self.graph.apply("<=", self, self._with(other))

    def __gt__(self, other: Any) -> Symbol:
        return self.graph.apply("<", self._with(other), self)

    def __ge__(self, other: Any) -> Symbol:
        return self.graph.apply("<=", self._with(other), self)

    def __radd__(self, other: Any) -> Symbol:
        return self._with(other) + self

    def __rsub__(self, other: Any) -> Symbol:
        return self._with(other) - self

    def __rmul__(self, other: Any) -> Symbol:
        return self._with(other) * self

    def __rtruediv__(self, other: Any) -> Symbol:
        return self._with(other) / self

    def sin(self) -> Symbol:
        """For `np.sin`. Odd, so that a sign comes out, and each sine goes with its cosine."""
        if self._operation == "neg":
            return -self._negated().sin()
        return self.graph.apply("sin", self)

    def cos(self) -> Symbol:
        """For `np.cos`."""
        return self.graph.apply("cos", self._negated() if self._operation == "neg" else self)

    def sqrt(self) -> Symbol:
        """For `np.sqrt`."""
        return self.graph.apply("sqrt", self)

    def arctan2(self, other: Any) -> Symbol:
        """For `np.arctan2`, of this over the other."""
        return self.graph.apply("atan2", self, self._with(other))

    def rint(self) -> Symbol:
        """For `np.rint`: the nearest whole number, halves to even ones."""
        return self.graph.apply("rint", self)

    def both(self, other: Any) -> Symbol:
        """Whether two tests hold."""
        second: Symbol = self._with(other)
        for one, rest in ((self, second), (second, self)):
            if one.constant is not None:
                return rest if one.constant else one
        return self if self.same(second) else self.graph.apply("and", self, second)

    def select(self, yes: Any, no: Any) -> Symbol:
        """`yes` where this test holds, else `no`. Both are computed."""
        first: Symbol = self._with(yes)
        second: Symbol = self._with(no)
        if self.constant is not None:
            return first if self.constant else second
        if first.same(second):
            return first
        return self.graph.add(Node("select", (self.index, first.index, second.index)))

    @property
    def _operation(self) -> str:
        return self.graph.nodes[self.index].operation

    def _negated(self) -> Symbol:
        """What a `neg` node negates."""
        return Symbol(self.graph, self.graph.nodes[self.index].arguments[0])

    def _with(self, other: Any) -> Symbol:
        return other if isinstance(other, Symbol) else self.graph.constant(float(other))

    def _folded(self, operation: str, other: Symbol, commutes: bool = False) -> Symbol:
        a, b = (other, self) if commutes and other.index < self.index else (self, other)
        return self.graph.apply(operation, a, b)
