"""The graph that equations are traced to: what it folds, and that values stay what they were."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from codegen import arm
from codegen.expressions import INPUTS, build, computed, recipes
from robocompiler.codegen.graph import Graph
from robocompiler.codegen.operations import Node
from robocompiler.errors import GenerationError


@pytest.fixture
def graph():
    return Graph()


@pytest.mark.parametrize(
    "identity",
    [
        lambda x: x + 0.0,
        lambda x: 0.0 + x,
        lambda x: x - 0.0,
        lambda x: 1.0 * x,
        lambda x: x * 1.0,
        lambda x: x / 1.0,
        lambda x: -(0.0 - x),
        lambda x: 0.0 - (0.0 - x),
        lambda x: x**1,
        lambda x: (x < 2.0).select(x, x),
        lambda x: (x.graph.constant(1.0) < 2.0).select(x, 5.0),
        lambda x: (x.graph.constant(3.0) < 2.0).select(5.0, x),
        lambda x: np.sin(x) * 0.0 + x,
    ],
)
def test_what_changes_nothing_is_no_operation(graph, identity):
    x = graph.input("x", 0)
    assert identity(x).same(x)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (lambda x: 0.0 * x, 0.0),
        (lambda x: x * 0.0, 0.0),
        (lambda x: x - x, 0.0),
        (lambda x: 0.0 / x, 0.0),
        (lambda x: -(0.0 * x), 0.0),
        (lambda x: np.cos(x * 0.0), 1.0),
        (lambda x: np.sin(x.graph.constant(0.5)), math.sin(0.5)),
        (lambda x: x.graph.constant(2.5).rint() + 0.5, 2.5),
        (lambda x: x.graph.constant(1.0).arctan2(2.0), math.atan2(1.0, 2.0)),
        (lambda x: (x < 1.0).both(x.graph.constant(2.0) < 1.0), 0.0),
    ],
)
def test_what_is_known_is_a_constant(graph, expression, value):
    found = expression(graph.input("x", 0))
    assert found.constant == value
    assert math.copysign(1.0, found.constant) == 1.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda a, b: a + b, lambda a, b: b + a),
        (lambda a, b: a * b, lambda a, b: b * a),
        (lambda a, b: a - (-b), lambda a, b: a + b),
        (lambda a, b: (-a) + b, lambda a, b: b - a),
        (lambda a, b: -(a - b), lambda a, b: b - a),
        (lambda a, b: (-a) * (-b), lambda a, b: a * b),
        (lambda a, b: (-a) * b, lambda a, b: -(a * b)),
        (lambda a, b: a * -2.0, lambda a, b: -(2.0 * a)),
        (lambda a, b: (-a) / b, lambda a, b: -(a / b)),
        (lambda a, b: a / 4.0, lambda a, b: 0.25 * a),
        (lambda a, b: np.sin(-a), lambda a, b: -np.sin(a)),
        (lambda a, b: np.cos(-a), lambda a, b: np.cos(a)),
        (lambda a, b: a > b, lambda a, b: b < a),
        (lambda a, b: a >= b, lambda a, b: b <= a),
        (lambda a, b: (a < b).both(a < b), lambda a, b: a < b),
        (lambda a, b: a**3, lambda a, b: a * a * a),
    ],
)
def test_what_is_alike_is_one_node(graph, one, other):
    a, b = graph.inputs("x", 2)
    assert one(a, b).same(other(a, b))


def test_a_difference_is_not_its_reverse(graph):
    a, b = graph.inputs("x", 2)
    assert not (a - b).same(b - a)
    assert not (a / b).same(b / a)
    assert not (a < b).same(a <= b)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_constant_is_finite(graph, value):
    with pytest.raises(GenerationError):
        graph.constant(value)
    with pytest.raises(GenerationError):
        graph.input("x", 0) + value


def test_what_has_no_code_is_refused(graph):
    x = graph.input("x", 0)
    for wrong in (lambda: x / 0.0, lambda: x**-1, lambda: x**0.5, lambda: x**0):
        with pytest.raises(GenerationError):
            wrong()
    with pytest.raises(GenerationError):
        np.sqrt(graph.constant(-1.0))
    with pytest.raises(TypeError, match="select"):
        bool(x < 1.0)


def test_negative_zero_is_zero(graph):
    assert graph.constant(-0.0).same(graph.constant(0.0))
    assert math.copysign(1.0, graph.constant(-0.0).constant) == 1.0


def test_a_node_added_twice_is_there_once(graph):
    node = Node("input", source="x", slot=3)
    assert graph.add(node).same(graph.add(Node("input", source="x", slot=3)))
    assert graph.input("x", 3).same(graph.add(node))
    assert not graph.input("y", 3).same(graph.add(node))
    assert len(graph.nodes) == 2


def test_a_turn_about_an_axis_costs_what_is_in_its_plane(graph):
    """Zeros and ones of the matrix cost nothing: four products, two sums, a sine and a cosine."""
    x = graph.inputs("x", 4)
    c, s = np.cos(x[0]), np.sin(x[0])
    R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    assert graph.operations(R @ x[1:]) == 8


def test_order_puts_arguments_first_and_leaves_out_what_is_known(graph):
    a, b = graph.inputs("x", 2)
    c = a * b
    d, unused = np.sin(c) + a, np.cos(c)
    order = graph.order([d])
    assert sorted(order) == sorted({a.index, b.index, c.index, np.sin(c).index, d.index})
    assert unused.index not in order
    for place, index in enumerate(order):
        assert set(graph.nodes[index].arguments) <= set(order[:place])
    assert graph.order([d], [c.index]) == [a.index, np.sin(c).index, d.index]


def test_an_arm_s_values_are_numpy_s():
    kernel = arm.iterated()
    x = np.random.default_rng(0).uniform(-1.0, 1.0, (7, 4))
    found = kernel.graph.evaluate(kernel.results, {"x": x}).reshape(7, 2, 2)
    np.testing.assert_allclose(found, arm.inverse_at(x[:, 2], x[:, 3]), rtol=1e-12)


def test_values_of_constants_take_the_shape_of_the_others(graph):
    wanted = [graph.constant(2.0), graph.input("x", 1), graph.input("x", 0) < 1.0]
    found = graph.evaluate(wanted, {"x": np.array([[1.0, 5.0], [0.0, 6.0]])})
    np.testing.assert_array_equal(found, [[2.0, 5.0, 0.0], [2.0, 6.0, 1.0]])


@settings(max_examples=120)
@given(recipes(), st.lists(st.floats(-10.0, 10.0), min_size=INPUTS, max_size=INPUTS))
def test_folding_changes_no_value(recipe, x):
    """Not by a bit, but for a division by a constant, where all on the way is finite."""
    graph = Graph()
    symbols = build(recipe, graph)
    with np.errstate(all="ignore"):
        values = computed(recipe, x)
    assume(np.isfinite(values).all())
    for name, a, _, c in recipe:
        assume(name != "/" or symbols[c].constant is None)
        assume(name != "atan2" or values[a] != 0.0)  # of zeros only the sign may differ
    np.testing.assert_array_equal(graph.evaluate(symbols, {"x": np.array(x)}), values)
