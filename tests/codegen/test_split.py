"""Kernels that one graph is split into, run one after the other, against the graph itself."""

import numpy as np
from hypothesis import given

from codegen.expressions import INPUTS, VALUES, build, recipes
from robocompiler.codegen.graph import Graph
from robocompiler.codegen.kernels import Iterated
from robocompiler.codegen.operations import LEAVES
from robocompiler.codegen.split import KEPT, split

TURNS = {"a": 0, "b": 1, "c": 2}


def run(parts, sources):
    """Each kernel in its turn, of what is known then; all that was written."""
    known = {name: dict(enumerate(values)) for name, values in sources.items()}
    written, tested = {}, []
    for turn in sorted(parts):
        part = parts[turn]
        for array, _ in part.inputs:
            assert array == KEPT or TURNS[array] <= turn
        x = np.array([known[array][slot] for array, slot in part.inputs])
        wanted = list(part.kernel.results)
        if isinstance(part.kernel, Iterated):
            wanted.append(part.kernel.sound)
        with np.errstate(all="ignore"):
            values = part.kernel.graph.evaluate(wanted, {"x": x}).tolist() if wanted else []
        if isinstance(part.kernel, Iterated):
            tested.append((turn, values.pop()))
        for (array, slot), value in zip(part.results, values, strict=True):
            assert (array, slot) not in written
            written[array, slot] = value
            known.setdefault(array, {})[slot] = value
    return written, tested


def known_inputs(graph):
    """Symbols of the arrays in the order of the recipes' inputs."""
    return [graph.input(name, slot) for name, slot in (("a", 0), ("b", 0), ("c", 0), ("a", 1))]


class Sourced(Graph):
    """Whose first inputs are of several arrays."""

    def inputs(self, source, count):
        return np.array(known_inputs(self)[:count], dtype=object)


@given(recipes(), VALUES)
def test_kernels_in_their_turns_give_what_the_graph_gives(recipe, values):
    graph = Sourced()
    symbols = build(recipe, graph)[INPUTS:]
    results = {("out", k): symbol for k, symbol in enumerate(symbols[-5:])}
    sources = {"a": [values[0], values[3]], "b": [values[1]], "c": [values[2]]}
    parts = split(graph, TURNS, results, None, "own")
    written, _ = run(parts, sources)
    with np.errstate(all="ignore"):
        expected = graph.evaluate(
            list(results.values()), {name: np.array(x) for name, x in sources.items()}
        )
    found = [written["out", k] for k in range(len(results))]
    np.testing.assert_array_equal(found, expected)


@given(recipes())
def test_nothing_is_computed_twice(recipe):
    graph = Sourced()
    results = {("out", k): symbol for k, symbol in enumerate(build(recipe, graph)[-4:])}
    parts = split(graph, TURNS, results, None, "own")
    costs = [part.kernel.graph.operations(part.kernel.results) for part in parts.values()]
    assert sum(costs) == graph.operations(list(results.values()))


def drawn():
    graph = Graph()
    a, b, c = (graph.input(name, 0) for name in "abc")
    return graph, a, b, c


def test_each_result_comes_as_soon_as_it_can():
    graph, a, b, c = drawn()
    results = {("early", 0): a * a, ("middle", 0): a * b, ("late", 0): (a * a + b) * c}
    results["constant", 0] = graph.constant(3.0)
    parts = split(graph, TURNS, results, None, "own")
    where = {entry: turn for turn, part in parts.items() for entry in part.results}
    assert {entry[0]: turn for entry, turn in where.items() if entry[0] != KEPT} == {
        "early": 0,
        "constant": 0,
        "middle": 1,
        "late": 2,
    }
    kept = [turn for entry, turn in where.items() if entry[0] == KEPT]
    assert sorted(kept) == [0, 1]  # a * a, and that and b
    assert [part.kernel.name for part in parts.values()] == ["own_0", "own_1", "own_2"]


def test_inputs_and_constants_are_not_kept():
    graph, a, b, c = drawn()
    parts = split(graph, TURNS, {("late", 0): a + 2.0 * c, ("b", 1): b}, None, "own")
    assert all(entry[0] != KEPT for part in parts.values() for entry in part.results)
    assert parts[2].inputs == (("a", 0), ("c", 0)) or parts[2].inputs == (("c", 0), ("a", 0))


def test_a_test_is_in_the_kernel_of_its_turn_alone():
    graph, a, b, c = drawn()
    results = {("early", 0): a * a, ("middle", 0): a * b, ("late", 0): b * c}
    parts = split(graph, TURNS, results, b > a, "own")
    assert [isinstance(parts[turn].kernel, Iterated) for turn in (0, 1, 2)] == [False, True, False]
    for second, sound in ((2.0, 1.0), (0.5, 0.0)):
        _, tested = run(parts, {"a": [1.0], "b": [second], "c": [3.0]})
        assert tested == [(1, sound)]


def test_what_is_left_out_is_not_in_any_kernel():
    graph, a, b, _ = drawn()
    (part,) = split(graph, TURNS, {("out", 0): a + b}, None, "own").values()
    operations = [node.operation for node in part.kernel.graph.nodes]
    assert [name for name in operations if name not in LEAVES] == ["+"]
