"""Kernels differentiated along a direction, against differences in fifty digits, and K."""

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from codegen import arm
from codegen.expressions import INPUTS, build, recipes
from codegen.llvm.generated import library, needs_llvm
from codegen.llvm.generated import straight as machine
from fifty_digits import Digits, digits, floats, to_fifty_digits
from linkages.known import TABLE
from linkages.spatial import summing_differential
from linkages.stewart import stewart
from robocompiler.codegen.graph import Graph
from robocompiler.codegen.kernels import STATE, Straight
from robocompiler.codegen.python.functions import compile_kernel
from robocompiler.codegen.python.run import prepare
from robocompiler.codegen.tangent import tangent
from robocompiler.compiler.block_types import block_types
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.generate import generate, jacobian
from robocompiler.compiler.rows import linearize
from robocompiler.compiler.steps import step
from robocompiler.compiler.tracing import trace
from robocompiler.errors import GenerationError
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.describe import coordinates
from robocompiler.solve.generated.plans import block_plans
from robocompiler.solve.reduction.partition import choose_partition

FIFTY = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "neg": lambda a: -a,
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "sqrt": lambda a: mpmath.sqrt(a) if a >= 0 else mpmath.nan,
    "atan2": mpmath.atan2,
    "rint": mpmath.nint,
    "<": lambda a, b: mpmath.mpf(a < b),
    "<=": lambda a, b: mpmath.mpf(a <= b),
    "and": lambda a, b: a * b,
    "select": lambda c, a, b: a if c else b,
}
STEP = mpmath.mpf(10) ** -20
"""What differences leave is its square."""


def in_fifty_digits(kernel, x):
    """What every node that the results need is, and the results."""
    values, nodes = {}, kernel.graph.nodes
    for index in kernel.graph.order(kernel.results):
        node = nodes[index]
        if node.operation == "constant":
            values[index] = mpmath.mpf(node.value)
        elif node.operation == "input":
            values[index] = mpmath.mpf(x[node.slot])
        else:
            values[index] = FIFTY[node.operation](*(values[i] for i in node.arguments))
    return values, [values[symbol.index] for symbol in kernel.results]


def smooth(kernel, values):
    """Whether nothing is near where it leaps, or has no derivative, or needs more digits."""
    for index in kernel.graph.order(kernel.results):
        node = kernel.graph.nodes[index]
        own = [values[i] for i in node.arguments]
        if not mpmath.isfinite(values[index]) or abs(values[index]) > 1e4:
            return False
        if node.operation == "rint" and abs(own[0] - mpmath.floor(own[0]) - 0.5) < 1e-3:
            return False
        if node.operation in ("<", "<=") and abs(own[0] - own[1]) < 1e-3:
            return False
        if node.operation == "sqrt" and own[0] < 1e-3:
            return False
        if node.operation == "/" and abs(own[1]) < 1e-3:
            return False
        if node.operation == "atan2" and abs(own[0]) < 1e-3 and own[1] < 1e-3:
            return False
    return True


def moved(x, dx, amount):
    return [mpmath.mpf(a) + amount * mpmath.mpf(b) for a, b in zip(x, dx, strict=True)]


def kernel_of(*functions, inputs=2):
    graph = Graph()
    x = graph.inputs(STATE, inputs)
    results = tuple(graph.constant(0.0) + function(*x) for function in functions)
    return Straight(name="made", graph=graph, inputs=inputs, results=results)


def tangent_at(kernel, x, dx, moving=None):
    """The results' tangents, as the graph computes them."""
    made = tangent(kernel, moving)
    with np.errstate(all="ignore"):
        found = made.graph.evaluate(made.results, {STATE: np.array([*x, *dx], dtype=float)})
    return found[len(kernel.results) :]


@settings(max_examples=60)
@given(
    recipes(),
    st.lists(st.floats(-3.0, 3.0), min_size=INPUTS, max_size=INPUTS),
    st.lists(st.floats(-2.0, 2.0), min_size=INPUTS, max_size=INPUTS),
)
def test_a_tangent_is_what_a_difference_tends_to(recipe, x, dx):
    graph = Graph()
    results = tuple(build(recipe, graph)[INPUTS:])
    kernel = Straight(name="any", graph=graph, inputs=INPUTS, results=results)
    try:
        values, there = in_fifty_digits(kernel, x)
    except (ZeroDivisionError, ValueError):  # the latter of NaN that is rounded
        assume(False)
    assume(smooth(kernel, values))
    _, after = in_fifty_digits(kernel, moved(x, dx, STEP))
    _, before = in_fifty_digits(kernel, moved(x, dx, -STEP))
    _, found = in_fifty_digits(tangent(kernel), [*x, *dx])
    assert found[: len(results)] == there
    for own, high, low in zip(found[len(results) :], after, before, strict=True):
        assert abs(own - (high - low) / (2 * STEP)) <= 1e-15 * (1 + abs(own))


def results_in_python(kernel, x):
    y = np.full((len(kernel.results), x.shape[1]), -7.0)
    table = np.arange(kernel.inputs), np.arange(len(kernel.results))
    table = np.concatenate(table)[None]
    assert prepare(compile_kernel(kernel), x.copy(), y, None, table, None, 0, x.shape[1])() == 0
    return y


def _moving_arm():
    return tangent(arm.straight(), [3, 0, 2])


@needs_llvm
@pytest.mark.parametrize("states", [1, 100])
@pytest.mark.parametrize("way", ["1", "4"])
def test_both_emitters_take_tangents(states, way):
    x = np.random.default_rng(states).uniform(0.2, 1.2, (7, states))
    kernel = _moving_arm()
    expected = kernel.graph.evaluate(kernel.results, {STATE: x.T}).T
    np.testing.assert_allclose(results_in_python(kernel, x), expected, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(machine(_moving_arm, x, way), expected, rtol=1e-13, atol=1e-13)
    assert len(library(_moving_arm, way).outlines) == 1


def test_what_moves_is_in_the_order_given_and_the_rest_stands():
    kernel = kernel_of(lambda a, b, c: a * b * c, inputs=3)
    x = [2.0, 3.0, 5.0]
    np.testing.assert_array_equal(tangent_at(kernel, x, [0.1, 10.0], [2, 0]), [0.6 + 150.0])
    np.testing.assert_array_equal(tangent_at(kernel, x, [1.0], [1]), [10.0])
    np.testing.assert_array_equal(tangent_at(kernel, x, [], []), [0.0])
    assert tangent(kernel, [2, 0]).inputs == 5


def test_what_does_not_move_costs_nothing():
    """Neither its tangent nor what that would need: a root of a constant angle, a turn."""
    kernel = kernel_of(lambda a, b: np.sqrt(b) * np.sin(b) + np.arctan2(b, b + 1.0))
    made = tangent(kernel, [0])
    assert made.results[1].constant == 0.0
    assert made.graph.operations(made.results) == kernel.graph.operations(kernel.results)


def test_what_has_been_computed_serves_the_tangent():
    """One root, one quotient and one sine; what is more is the cosine and five operations."""
    turn = tangent(kernel_of(lambda a, b: np.sin(a), lambda a, b: np.cos(a)))
    assert turn.graph.operations(turn.results) == 2 + 3  # two products and a sign
    root = tangent(kernel_of(lambda a, b: np.sqrt(a), inputs=2))
    assert root.graph.operations(root.results) == 1 + 2
    ratio = tangent(kernel_of(lambda a, b: a / b))
    assert ratio.graph.operations(ratio.results) == 1 + 3


def test_a_root_of_nothing_stands_still_where_nothing_under_it_can_move():
    kernel = kernel_of(lambda a, b: np.sqrt(b * b) + a)
    np.testing.assert_array_equal(tangent_at(kernel, [1.0, 0.0], [3.0], [0]), [3.0])
    assert np.isnan(tangent_at(kernel, [1.0, 0.0], [3.0, 0.0])).all()


def test_a_choice_has_the_tangent_of_the_branch_that_is_taken():
    """Also where the other one has none."""
    kernel = kernel_of(lambda a, b: (b * b > 0.0).select(a / b, 7.0 * a))
    np.testing.assert_array_equal(tangent_at(kernel, [1.0, 0.0], [3.0, 5.0]), [21.0])
    np.testing.assert_allclose(tangent_at(kernel, [1.0, 2.0], [3.0, 4.0]), [1.5 - 1.0])


def test_a_test_and_a_rounded_number_have_no_tangent():
    kernel = kernel_of(lambda a, b: (a < b) * 3.0, lambda a, b: np.rint(a * b))
    assert [made.constant for made in tangent(kernel).results[2:]] == [0.0, 0.0]


def test_a_tangent_has_a_tangent():
    """Of a cube, 6 a ȧ²."""
    second = tangent(tangent(kernel_of(lambda a: a**3, inputs=1)))
    found = second.graph.evaluate(second.results, {STATE: np.array([2.0, 5.0, 5.0, 0.0])})
    np.testing.assert_allclose(found[-1], 6.0 * 2.0 * 25.0)


@pytest.mark.parametrize("moving", [[2], [-1], [0, 0]])
def test_only_what_is_there_can_move_and_only_once(moving):
    with pytest.raises(GenerationError, match="'made'"):
        tangent(kernel_of(lambda a, b: a + b), moving)


def test_a_long_chain_needs_no_recursion():
    """The tangent of x ↦ (1 + 1e-6) x, a hundred thousand times."""
    graph = Graph()
    y = graph.input(STATE, 0)
    for _ in range(100_000):
        y = y * (1.0 + 1e-6)
    made = tangent(Straight(name="chain", graph=graph, inputs=1, results=(y,)))
    found = made.graph.evaluate(made.results, {STATE: np.array([3.0, 2.0])})
    np.testing.assert_allclose(found / [3.0, 2.0], np.exp(1e5 * np.log1p(1e-6)), rtol=1e-10)


CLOSED = {
    **{name: TABLE[name][0] for name in ("slider-crank", "3-RRR", "crane")},
    "Stewart": stewart(),
    "Stewart, balls": stewart(kind="ball"),
    "summing differential": summing_differential(),
}


@pytest.mark.parametrize("name", CLOSED)
def test_the_rows_of_loops_change_by_K_and_K_as_fifty_digits_say(name):
    """Anywhere, closed or not, in the whole units of each mechanism's coordinates."""
    compiled = compile_mechanism(CLOSED[name])
    q = coordinates(compiled, assemble(compiled))
    (plan, *_) = block_plans(compiled, q, choose_partition(compiled, q, ()))
    own = trace(block_types([plan])[0])
    kernel = generate(own, "evaluate")
    made = tangent(kernel, range(plan.compiled.nq))
    random = np.random.default_rng(5)
    q = step(plan.compiled, plan.q, random.uniform(-0.5, 0.5, plan.compiled.nv))
    v, exact = random.normal(size=plan.compiled.nv), to_fifty_digits(plan.compiled)
    after, before = (step(exact, digits(q), digits(v) * Digits(h)) for h in (STEP, -STEP))
    rate = floats((after - before) * (1 / (2 * Digits(STEP))))
    x = np.concatenate([q, own.type.parameters[0], rate])
    found = made.graph.evaluate(made.results, {STATE: x})
    rows, entries = len(own.phi), jacobian(own)[0]
    there = linearize(plan.compiled, q)
    np.testing.assert_array_equal(found[:rows], kernel.graph.evaluate(own.phi, {STATE: x}))
    dphi, dK = found[len(kernel.results) :][:rows], found[len(kernel.results) :][rows:]
    np.testing.assert_allclose(dphi, there.jacobian @ v, atol=1e-13)
    high, low = (linearize(exact, at).jacobian for at in (after, before))
    expected = floats((high - low) * (1 / (2 * Digits(STEP))))
    np.testing.assert_allclose(dK, [expected[at] for at in entries], atol=1e-13)
