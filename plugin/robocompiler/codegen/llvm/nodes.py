"""Nodes of a graph as LLVM's assembly, each written once, in the first block that needs it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from robocompiler.codegen.graph import Graph, Symbol
from robocompiler.codegen.llvm.functions import (
    arctangent,
    nearest,
    sine_and_cosine,
    sines_and_cosines,
)
from robocompiler.codegen.llvm.text import Text
from robocompiler.codegen.operations import TESTS, Node

_ARITHMETIC = {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv"}
_RELATIONS = {"<": "olt", "<=": "ole"}


@dataclass(slots=True, eq=False)
class Scope:
    """What is known where a block is written."""

    text: Text
    graph: Graph
    names: dict[int, str]
    """Of each node that is known. Tests among them are bits."""
    turns: dict[int, tuple[str, str]] = field(default_factory=dict)
    """The sine and the cosine of nodes."""

    def within(self) -> Scope:
        """The scope of a block that this one leads to."""
        return Scope(self.text, self.graph, dict(self.names), dict(self.turns))

    def real(self, index: int) -> str:
        """The name of a node as a number, as which a test is 0 or 1."""
        text, name = self.text, self.names[index]
        if not _is_test(self.graph, index):
            return name
        return text.put(f"uitofp {text.test} {name} to {text.real}")

    def test(self, index: int, relation: str = "une") -> str:
        """The name of a node as a test: a number holds where it is not 0.

        Args:
            index: the node.
            relation: by which NaN holds; by `one` it does not.
        """
        if _is_test(self.graph, index):
            return self.names[index]
        return self.text.compare(relation, self.names[index], self.text.constant(0.0))

    def compute(self, wanted: Sequence[Symbol], later: Sequence[Symbol] = ()) -> None:
        """Write all that some symbols need and that is not known yet.

        Args:
            wanted: the symbols.
            later: what blocks that follow will need, so that it is not thrown away.
        """
        order = self.graph.order(wanted, self.names)
        self._turn_abreast(order)
        merged = self._products_added_at_once(order, wanted, later) if self.text.fused else {}
        waiting = set(merged.values())
        for index in order:
            if index in merged:
                self.names[index] = self._multiply_add(self.graph.nodes[index], merged[index])
            elif index not in waiting:
                self.names[index] = self._written(self.graph.nodes[index])

    def _products_added_at_once(
        self, order: Sequence[int], wanted: Sequence[Symbol], later: Sequence[Symbol]
    ) -> dict[int, int]:
        """Of sums, the product among their terms that nothing else needs."""
        nodes = self.graph.nodes
        following = self.graph.order(later, {*self.names, *order})
        uses = Counter(i for index in (*order, *following) for i in nodes[index].arguments)
        uses.update(symbol.index for symbol in (*wanted, *later))
        own = {i for i in order if nodes[i].operation == "*" and uses[i] == 1}
        found = {}
        for index in order:
            if nodes[index].operation in ("+", "-") and (
                terms := [i for i in nodes[index].arguments if i in own]
            ):
                found[index] = terms[-1]
        return found

    def _multiply_add(self, node: Node, product: int) -> str:
        first, second = node.arguments
        a, b = (self.real(i) for i in self.graph.nodes[product].arguments)
        c = self.real(first if product == second else second)
        if node.operation == "-":
            if product == second:
                a = self._negated(a)
            else:
                c = self._negated(c)
        return self.text.multiply_add(a, b, c)

    def _negated(self, name: str) -> str:
        return self.text.put(f"fneg {self.text.real} {name}")

    def _written(self, node: Node) -> str:
        text, operation = self.text, node.operation
        if operation == "constant":
            return text.constant(node.value)
        if operation == "input":
            raise KeyError(f"{node.source}[{node.slot}]")
        if operation == "select":
            test = self.test(node.arguments[0])
            return text.choose(test, *(self.real(i) for i in node.arguments[1:]))
        if operation == "and":
            return text.both(*(self.test(i) for i in node.arguments))
        if operation in ("sin", "cos"):
            return self._turn(node.arguments[0])[operation == "cos"]
        arguments = [self.real(i) for i in node.arguments]
        if operation in _ARITHMETIC:
            return text.real_operation(_ARITHMETIC[operation], *arguments)
        if operation in _RELATIONS:
            return text.compare(_RELATIONS[operation], *arguments)
        return self._function(operation, arguments)

    def _function(self, operation: str, arguments: Sequence[str]) -> str:
        if operation == "neg":
            return self._negated(arguments[0])
        if operation == "sqrt":
            return self.text.call("sqrt", arguments[0])
        if operation == "rint":
            return nearest(self.text, arguments[0])
        return arctangent(self.text, arguments[0], arguments[1])

    def _turn_abreast(self, order: Sequence[int]) -> None:
        """Sines and cosines of all angles that are known already, where there is but one state."""
        nodes = [self.graph.nodes[i] for i in order]
        angles = {n.arguments[0]: None for n in nodes if n.operation in ("sin", "cos")}
        ready = [i for i in angles if i in self.names and i not in self.turns]
        if self.text.lanes == 1 and len(ready) > 1:
            found = sines_and_cosines(self.text, [self.real(i) for i in ready])
            self.turns.update(zip(ready, found, strict=True))

    def _turn(self, angle: int) -> tuple[str, str]:
        if angle not in self.turns:
            self.turns[angle] = sine_and_cosine(self.text, self.real(angle))
        return self.turns[angle]


def scope(text: Text, graph: Graph, sources: Mapping[str, Sequence[str]]) -> Scope:
    """Where nothing is known but inputs: by source, the names of its entries.

    A graph may have others, of other kernels.
    """
    return Scope(
        text,
        graph,
        {
            index: sources[node.source][node.slot]
            for index, node in enumerate(graph.nodes)
            if node.operation == "input" and node.slot < len(sources.get(node.source, ()))
        },
    )


def _is_test(graph: Graph, index: int) -> bool:
    return graph.nodes[index].operation in TESTS
