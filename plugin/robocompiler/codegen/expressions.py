"""Nodes of a graph as lines of text, in any language with infix operators.

What is used once is written where it is used, unless that line would become long; everything else
is a variable. A program is sections: what a later section uses of an earlier one keeps its
variable, so that it is computed once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from robocompiler.codegen.graph import Graph, Symbol
from robocompiler.codegen.operations import TESTS, Node

LONGEST = 60
"""Characters of an expression that is written inside another one; a line is at most thrice that."""

CHOICE, BOTH, TEST, SUM, PRODUCT, ATOM = range(6)
"""How tightly an expression holds together, the loosest first."""

Form = tuple[str, int, tuple[int, ...]]
"""A format of the operands, how tightly it binds, and how tightly each operand must."""
Text = tuple[str, int, tuple[int, ...]]
"""An expression, how tightly it binds, and the nodes whose variables it names."""

INFIX: dict[str, Form] = {
    "+": ("{} + {}", SUM, (SUM, PRODUCT)),
    "-": ("{} - {}", SUM, (SUM, PRODUCT)),
    "*": ("{} * {}", PRODUCT, (PRODUCT, ATOM)),
    "/": ("{} / {}", PRODUCT, (PRODUCT, ATOM)),
    "neg": ("-{}", PRODUCT, (ATOM,)),
    "<": ("{} < {}", TEST, (SUM, SUM)),
    "<=": ("{} <= {}", TEST, (SUM, SUM)),
}
"""What most languages write alike. None may be regrouped: rounding would differ."""

TESTED = {"and": (True, True), "select": (True, False, False)}
"""Which operands are tests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """How a language writes what it computes."""

    forms: dict[str, Form]
    """Of each operation; `number` makes a number of a test, `holds` a test of a number."""
    constant: Callable[[float], str]
    leaf: Callable[[Node], str]
    """An input."""
    number: str
    """A line that names a number, a format of the name and the expression."""
    test: str
    """A line that names a test."""
    reuses: bool
    """Whether a name may stand for something else after its last use."""


@dataclass(frozen=True, slots=True)
class Section:
    """What is computed at one place of a program."""

    wanted: tuple[Symbol, ...]
    order: tuple[int, ...]
    """Nodes computed here."""
    uses: Counter[int]
    """How often each node is named here, one of an earlier section too."""


def section(graph: Graph, wanted: Iterable[Symbol], known: Iterable[int] = ()) -> Section:
    """What is to be computed for some symbols where some nodes are known."""
    wanted = tuple(wanted)
    order, nodes = tuple(graph.order(wanted, known)), graph.nodes
    uses = Counter([argument for index in order for argument in nodes[index].arguments])
    uses.update([symbol.index for symbol in wanted])
    return Section(wanted, order, uses)


def indented(lines: Iterable[str]) -> list[str]:
    """Lines within a block; one may hold several."""
    return ["    " + line.replace("\n", "\n    ") for line in lines]


@dataclass(slots=True)
class Writer:
    """The lines of a section, and what nodes are called in it."""

    graph: Graph
    language: Language
    lines: list[str] = field(default_factory=list)
    texts: dict[int, Text] = field(default_factory=dict)
    tests: set[int] = field(default_factory=set)
    """Nodes that are tests, not numbers."""
    free: list[str] = field(default_factory=list)
    """Names that stand for nothing any more."""
    named: int = 0
    """How many names there are."""

    def after(self) -> Writer:
        """A writer of a section that follows, which may be one of several."""
        return replace(
            self, lines=[], texts=dict(self.texts), tests=set(self.tests), free=list(self.free)
        )

    def write(self, part: Section, later: Sequence[Section] = ()) -> None:
        """Write the lines of a section, of which others follow."""
        kept = {index for other in later for index in other.uses}
        left = Counter({i: part.uses[i] for i in part.order if i not in kept})
        nodes = self.graph.nodes
        for index in part.order:
            node = nodes[index]
            if node.operation == "constant":
                self.texts[index] = self._constant(node.value)
            elif node.operation == "input":
                self.texts[index] = (self.language.leaf(node), ATOM, ())
            else:
                text = self._operation(index, node)
                if left[index] == 1 and len(text[0]) <= LONGEST:
                    self.texts[index] = text
                else:
                    self._name(index, text, left)

    def number(self, symbol: Symbol, tightly: int = CHOICE) -> str:
        """An expression of a symbol, which has been written, as a number."""
        return self._operand(symbol.index, tightly, test=False)[0]

    def test(self, symbol: Symbol, tightly: int = CHOICE) -> str:
        """The same as a test."""
        return self._operand(symbol.index, tightly, test=True)[0]

    def variables(self, part: Section, later: Sequence[Section]) -> list[str]:
        """Which of a section's names later sections use."""
        kept = [i for i in part.order if any(i in other.uses for other in later)]
        return [self.texts[i][0] for i in kept if self.graph.nodes[i].arguments]

    def _constant(self, value: float) -> Text:
        return (self.language.constant(value), ATOM if value >= 0.0 else PRODUCT, ())

    def _operation(self, index: int, node: Node) -> Text:
        operation, arguments = node.operation, node.arguments
        if operation == "and" and not self.tests.issuperset(arguments):
            operation = "*"
        if operation in TESTS:
            self.tests.add(index)
        template, level, needed = self.language.forms[operation]
        tests = TESTED.get(operation, (False,) * len(arguments))
        texts, names = [], list[int]()
        for argument, tightly, test in zip(arguments, needed, tests, strict=True):
            text, named = self._operand(argument, tightly, test)
            texts.append(text)
            names += named
        return template.format(*texts), level, tuple(names)

    def _operand(self, index: int, tightly: int, test: bool) -> tuple[str, tuple[int, ...]]:
        """A node's expression as a test or a number, in parentheses where it binds less tightly."""
        text, level, named = self.texts[index]
        if test != (index in self.tests):
            template, binds, (needed,) = self.language.forms["holds" if test else "number"]
            text, level = template.format(f"({text})" if level < needed else text), binds
        return f"({text})" if level < tightly else text, named

    def _name(self, index: int, text: Text, left: Counter[int]) -> None:
        """Write a line that gives a node a name; names used there for the last time become free."""
        for used in text[2]:
            left[used] -= 1
            if left[used] == 0 and self.language.reuses:
                self.free.append(self.texts[used][0])
        if self.free:
            name = self.free.pop()
        else:
            name, self.named = f"t{self.named}", self.named + 1
        line = self.language.test if index in self.tests else self.language.number
        self.lines.append(line.format(name, text[0]))
        self.texts[index] = (name, ATOM, (index,))


def written(graph: Graph, language: Language, wanted: Iterable[Symbol]) -> Writer:
    """What computes some symbols, all in one section."""
    writer = Writer(graph, language)
    writer.write(section(graph, wanted))
    return writer
