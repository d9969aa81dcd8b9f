"""One graph as several kernels that run one after another, each as early as what it needs is known.

What a later kernel needs of an earlier one stays in rows of its own, so that nothing is computed
twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from robocompiler.codegen.graph import Graph, Symbol
from robocompiler.codegen.kernels import STATE, Iterated, Straight
from robocompiler.codegen.operations import LEAVES

KEPT = "kept"
"""Where kernels leave what later ones need."""
Entry = tuple[str, int]
"""An entry of an array, by the array's name."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A kernel of several, and what its slots are."""

    kernel: Straight | Iterated
    inputs: tuple[Entry, ...]
    results: tuple[Entry, ...]


def split(
    graph: Graph,
    turns: Mapping[str, int],
    results: Mapping[Entry, Symbol],
    sound: Symbol | None,
    name: str,
) -> dict[int, Part]:
    """The kernels of a graph, by their turns.

    Args:
        graph: whose inputs come from arrays of any names.
        turns: of each array the turn in which it is known.
        results: what goes where. Each is computed as soon as it can be.
        sound: a test that the results of its turn rely upon; None for none.
        name: of the kernels, followed by their turn.
    """
    wanted = [*results.values(), *(() if sound is None else (sound,))]
    turn, first = _turns(graph, turns, wanted), min(turns.values())
    at = {entry: max(turn[symbol.index], first) for entry, symbol in results.items()}
    kept = _kept(graph, turn, [(at[entry], symbol.index) for entry, symbol in results.items()])
    places = {index: (KEPT, place) for place, index in enumerate(kept)}
    parts = {}
    for now in sorted({*at.values(), *(turn[i] for i in kept)}):
        own = {entry: symbol for entry, symbol in results.items() if at[entry] == now}
        own |= {places[i]: Symbol(graph, i) for i in kept if turn[i] == now}
        test = sound if sound is not None and turn[sound.index] == now else None
        before = {i: entry for i, entry in places.items() if turn[i] < now}
        parts[now] = _part(graph, own, test, before, f"{name}_{now}")
    return parts


def _turns(graph: Graph, turns: Mapping[str, int], wanted: Sequence[Symbol]) -> dict[int, int]:
    """Of each node the turn in which it can be computed; -1 for constants."""
    found: dict[int, int] = {}
    for index in graph.order(wanted):
        node = graph.nodes[index]
        if node.operation == "constant":
            found[index] = -1
        elif node.operation == "input":
            found[index] = turns[node.source]
        else:
            found[index] = max(found[i] for i in node.arguments)
    return found


def _kept(graph: Graph, turn: Mapping[int, int], wanted: Sequence[tuple[int, int]]) -> list[int]:
    """Nodes that are computed in one turn and needed in another."""
    uses = [(own, i) for index, own in turn.items() for i in graph.nodes[index].arguments]
    kept = dict.fromkeys(
        i
        for own, i in (*uses, *wanted)
        if 0 <= turn[i] < own and graph.nodes[i].operation not in LEAVES
    )
    return list(kept)


def _part(
    graph: Graph,
    results: Mapping[Entry, Symbol],
    sound: Symbol | None,
    before: Mapping[int, Entry],
    name: str,
) -> Part:
    """A kernel over a graph of its own, which reads what was computed before it."""
    own, made, inputs = Graph(), dict[int, Symbol](), dict[Entry, int]()
    wanted = [*results.values(), *(() if sound is None else (sound,))]
    order = graph.order(wanted, before)
    asked = {i for index in order for i in graph.nodes[index].arguments}
    asked |= {symbol.index for symbol in wanted}
    for index in [*(i for i in before if i in asked), *order]:
        node = graph.nodes[index]
        if index in before or node.operation == "input":
            entry = before.get(index, (node.source, node.slot))
            made[index] = own.input(STATE, inputs.setdefault(entry, len(inputs)))
        else:
            arguments = tuple(made[i].index for i in node.arguments)
            made[index] = own.add(node._replace(arguments=arguments))
    found = tuple(made[symbol.index] for symbol in results.values())
    kernel: Straight | Iterated
    if sound is None:
        kernel = Straight(name=name, graph=own, inputs=len(inputs), results=found)
    else:
        kernel = _tested(own, name, len(inputs), found, made[sound.index])
    return Part(kernel, tuple(inputs), tuple(results))


def _tested(
    graph: Graph, name: str, inputs: int, results: tuple[Symbol, ...], sound: Symbol
) -> Iterated:
    """A kernel that takes no steps and says where its results cannot be relied upon."""
    nothing = graph.constant(0.0)
    return Iterated(
        name=name,
        graph=graph,
        inputs=inputs,
        size=nothing,
        moved=nothing,
        following=tuple(graph.input(STATE, slot) for slot in range(inputs)),
        sound=sound,
        results=results,
    )
