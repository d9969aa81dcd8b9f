"""Kernels as Python, on floats and on arrays, against closed forms and the graph's own values."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codegen import arm
from codegen.expressions import NESTED, VALUES, evaluated, expressions
from robocompiler.codegen.graph import Graph
from robocompiler.codegen.kernels import (
    NOT_CONTRACTING,
    TOO_MANY,
    UNSOUND,
    Iterated,
    Settings,
    Straight,
)
from robocompiler.codegen.python.functions import compile_kernel, iterate_many, iterate_one
from robocompiler.codegen.python.run import CHUNK, FEW, prepare, prepare_continued
from robocompiler.codegen.python.source import many_source, one_source

TABLE = np.array([[0, 1, 2, 3, 0, 1, 2, 3]])
COUNTS = [1, FEW, FEW + 1, CHUNK + 3]
"""States: alone, the most on floats, the fewest on arrays, and more than a chunk."""


def starts(n, seed=0):
    """Points, and angles near those that reach them."""
    rng = np.random.default_rng(seed)
    r, phi = rng.uniform(0.4, 1.1, n), rng.uniform(-3.0, 3.0, n)
    x = np.array([r * np.cos(phi), r * np.sin(phi), *([np.zeros(n)] * 2)])
    x[2:] = arm.closed_form(*x[:2])
    x[2:] += rng.uniform(-0.03, 0.03, (2, n))
    return x


def solve(kernel, x, table=TABLE, setting=arm.SETTINGS, **given):
    """All buffers after a kernel ran, and what it returned."""
    x = x.copy()
    y = np.full((4, x.shape[1]), -7.0)
    status = np.full((len(table), x.shape[1]), -7, dtype=np.int32)
    compiled = compile_kernel(kernel)
    failed = prepare(compiled, x, y, status, table, setting, **given)()
    return x, y, status, failed


@pytest.mark.parametrize("n", COUNTS)
def test_an_arm_reaches_its_point(n):
    start = starts(n)
    x, y, status, failed = solve(arm.iterated(), start)
    a, b = arm.closed_form(*start[:2])
    np.testing.assert_allclose(np.exp(1j * x[2:]), np.exp(1j * np.array([a, b])), atol=1e-12)
    np.testing.assert_array_equal(x[:2], start[:2])
    np.testing.assert_allclose(
        np.moveaxis(y, 0, -1).reshape(n, 2, 2), arm.inverse_at(x[2], x[3]), rtol=1e-9
    )
    assert failed == 0
    assert (status > 0).all()
    assert (status < 6).all()


@pytest.mark.parametrize("n", COUNTS)
def test_straight_results_are_numpy_s(n):
    x = np.random.default_rng(1).uniform(-9.0, 9.0, (4, n))
    y = np.zeros((6, n))
    table = np.arange(10)[None] % np.array([4] * 4 + [10] * 6) - np.array([0] * 4 + [4] * 6)
    run = prepare(compile_kernel(arm.straight()), x, y, None, table, None)
    assert run() == 0
    (rows, J) = arm._tip(x[2], x[3])
    det = J[0][0] * J[1][1] - J[0][1] * J[1][0]
    expected = [
        rows[0] - x[0],
        rows[1] - x[1],
        np.arctan2(x[1], x[0]),
        np.rint(x[3] / (2.0 * np.pi)),
        np.where(det < 0.0, np.hypot(x[0], x[1]), x[2] ** 3),
        1.0 / x[0],
    ]
    np.testing.assert_allclose(y, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("n", COUNTS)
def test_states_that_fail_are_left_as_they_were_and_others_are_as_if_alone(n):
    """No number, out of reach, a division by nothing, and stretched where nothing can be said."""
    n = max(n, 6)
    start, alone = starts(n), starts(n)
    start[0, 1] = math.nan
    start[:2, 2] = 5.0
    start[3, 3] = 0.0
    start[3, 4] = math.inf
    start[:, 5] = [arm.UPPER + arm.FORE, 0.0, 0.0, 0.0]
    bad = np.array([1, 2, 3, 4, 5])
    x, y, status, failed = solve(arm.iterated(), start)
    assert failed == 5
    assert status[0, bad].tolist() == [NOT_CONTRACTING] * 4 + [UNSOUND]
    np.testing.assert_array_equal(x[:, bad], start[:, bad])
    assert np.isnan(y[:, bad]).all()
    good = np.setdiff1d(np.arange(n), bad)
    expected = solve(arm.iterated(), alone)
    for found, other in zip((x, y, status), expected[:3], strict=True):
        np.testing.assert_array_equal(found[:, good], other[:, good])


@pytest.mark.parametrize("n", COUNTS)
def test_steps_are_counted_and_too_many_fail(n):
    start = starts(n)
    _, _, status, _ = solve(arm.iterated(), start)
    for most in (0, 2):
        limited = Settings(tolerance=1e-12, contraction=0.25, noise=1e-11, longest=0.5, most=most)
        x, _, fewer, failed = solve(arm.iterated(), start, setting=limited)
        late = status > most
        np.testing.assert_array_equal(fewer, np.where(late, TOO_MANY, status))
        assert failed == np.count_nonzero(late)
        np.testing.assert_array_equal(x[:, late[0]], start[:, late[0]])
    assert late.any()


@pytest.mark.parametrize("n", [1, FEW + 1])
@pytest.mark.parametrize(
    ("changed", "failing"),
    [
        ({"longest": 1e-3}, True),  # a first step that is too long
        ({"contraction": 1e-9, "noise": 0.0}, True),
        ({"contraction": 1e-9, "noise": 0.2}, False),  # small steps need not contract
        ({"longest": math.nan}, True),
        ({"tolerance": math.nan}, True),
    ],
)
def test_steps_must_contract_and_be_short(n, changed, failing):
    fields = {name: getattr(arm.SETTINGS, name) for name in Settings.__slots__} | changed
    start = starts(n)
    x, y, status, failed = solve(arm.iterated(), start, setting=Settings(**fields))
    assert failed == (n if failing else 0)
    assert (status < 0).all() == failing
    assert np.isnan(y).all() == failing
    assert np.array_equal(x, start) == failing


@pytest.mark.parametrize("n", [1, FEW + 1])
def test_instances_use_their_own_rows(n):
    """Two arms in one mechanism, rows in no order; x and y are one buffer."""
    first, second = starts(n, 1), starts(n, 2)
    buffer = np.full((17, n), -7.0)
    table = np.array([[9, 2, 5, 12, 0, 16, 3, 7], [1, 4, 14, 8, 6, 15, 10, 13]])
    for start, line in zip((first, second), table, strict=True):
        buffer[line[:4]] = start
    status = np.zeros((2, n), dtype=np.int32)
    compiled = compile_kernel(arm.iterated())
    assert prepare(compiled, buffer, buffer, status, table, arm.SETTINGS)() == 0
    for place, start in enumerate((first, second)):
        x, y, steps, _ = solve(arm.iterated(), start)
        np.testing.assert_array_equal(buffer[table[place]], np.concatenate([x, y]))
        np.testing.assert_array_equal(status[place], steps[0])
    np.testing.assert_array_equal(buffer[11], -7.0)


@pytest.mark.parametrize("n", [5, FEW + 9])
def test_only_the_states_asked_for_are_computed(n):
    start = starts(n)
    whole = solve(arm.iterated(), start)[0]
    x, y, status, _ = solve(arm.iterated(), start, first=2, last=n - 1)
    np.testing.assert_allclose(x[:, 2:-1], whole[:, 2:-1], rtol=1e-14)
    for found, before in ((x, start), (y, -7.0), (status, -7)):
        np.testing.assert_array_equal(
            found[:, [0, 1, -1]], np.broadcast_to(before, found.shape)[:, [0, 1, -1]]
        )


def followed(kernel, x, targets, setting=arm.SETTINGS):
    """All buffers after a table was followed from a closed state."""
    x, y, _, _ = solve(kernel.iterated, x)
    table = np.array([[0, 1, 2, 3, 0, 1, 2, 3, 1, 0]])  # y before x in the targets
    out_x, out_y = np.full((len(targets), 4), -7.0), np.full((len(targets), 4), -7.0)
    status = np.zeros((1, 1), dtype=np.int32)
    run = prepare_continued(
        compile_kernel(kernel), x, y, status, targets, out_x, out_y, table, setting
    )
    return run(), int(status[0, 0]), x, y, out_x, out_y


def circle(knots):
    turn = np.linspace(0.0, 2.0, knots)
    return np.array([0.2 + 0.3 * np.sin(turn), 0.5 + 0.3 * np.cos(turn)]).T


def test_a_table_is_followed():
    targets = circle(50)
    start = starts(1)
    start[:2, 0] = targets[0, ::-1]
    start[2:, 0] = arm.closed_form(*start[:2, 0])
    failed, reached, x, y, out_x, out_y = followed(arm.continued(), start, targets)
    assert (failed, reached) == (0, 50)
    np.testing.assert_array_equal(out_x[:, :2], targets[:, ::-1])
    a, b = arm.closed_form(targets[:, 1], targets[:, 0])
    np.testing.assert_allclose(out_x[:, 2:], np.array([a, b]).T, atol=1e-11)
    np.testing.assert_allclose(out_y.reshape(-1, 2, 2), arm.inverse_at(a, b), rtol=1e-9)
    np.testing.assert_array_equal(x[:, 0], out_x[-1])
    np.testing.assert_array_equal(y[:, 0], out_y[-1])


@pytest.mark.parametrize(
    ("knot", "changed"),
    [
        ([0.1, 0.35], {"reach": 0.1}),
        ([0.1, 0.35], {"leap": 0.0}),
        ([5.0, 5.0], {"reach": 99.0, "leap": 99.0, "longest": 99.0}),  # out of the arm's reach
        ([math.nan, 0.3], {}),
        ([math.inf, 0.3], {"reach": math.inf}),
    ],
)
def test_it_stops_at_the_last_knot_that_it_reached(knot, changed):
    fields = {name: getattr(arm.SETTINGS, name) for name in Settings.__slots__} | changed
    targets = np.array([[0.6, 0.4], [0.61, 0.4], knot, [0.62, 0.4]])
    start = np.array([[0.4], [0.6], [0.0], [0.0]])
    start[2:, 0] = arm.closed_form(0.4, 0.6)
    loose = Settings(**fields) if "leap" not in changed else Settings(**(fields | {"noise": 1e-3}))
    failed, reached, x, y, out_x, out_y = followed(arm.continued(), start, targets, loose)
    assert (failed, reached) == (1, 2)
    np.testing.assert_array_equal(x[:, 0], out_x[1])
    np.testing.assert_array_equal(y[:, 0], out_y[1])
    np.testing.assert_array_equal(out_x[1, :2], [0.4, 0.61])
    np.testing.assert_array_equal(out_x[2:], -7.0)
    np.testing.assert_array_equal(out_y[2:], -7.0)


@pytest.mark.parametrize(("leap", "expected"), [(0.0, 0), (0.5, 1)])
def test_steps_must_not_add_up_to_more_than_a_leap(leap, expected):
    """None at all: then a prediction that must be corrected is refused."""
    fields = {name: getattr(arm.SETTINGS, name) for name in Settings.__slots__} | {"leap": leap}
    start = starts(1)
    targets = start[[1, 0]].T + 0.02
    assert followed(arm.continued(), start, targets, Settings(**fields))[1] == expected


def test_steps_add_up_on_arrays_as_on_floats():
    compiled = compile_kernel(arm.iterated())
    numbers, start = (1e-12, 0.25, 1e-11, 0.5, 12.0), starts(3)
    total = np.linalg.norm(start[2:] - arm.closed_form(*start[:2]), axis=0)
    for share, passes in ((0.9, False), (1.1, True)):
        for state in range(3):
            allowed = share * total[state]
            one = iterate_one(compiled, start[:, state].tolist(), numbers, allowed)[0]
            many = iterate_many(compiled, start[:, [state]], numbers, allowed)[0]
            assert one == many[0]
            assert (one > 0) == passes


def test_where_no_knot_is_reached_all_is_as_it_was():
    start = np.array([[0.4], [0.6], [0.0], [0.0]])
    start[2:, 0] = arm.closed_form(0.4, 0.6)
    before = solve(arm.iterated(), start)
    failed, reached, x, y, *_ = followed(arm.continued(), start, np.full((3, 2), math.nan))
    assert (failed, reached) == (1, 0)
    np.testing.assert_array_equal(x, before[0])
    np.testing.assert_array_equal(y, before[1])


def straight(graph, wanted):
    return Straight(name="random", graph=graph, inputs=4, results=tuple(wanted))


def test_parentheses_stand_where_they_must():
    graph = Graph()
    kernel = straight(graph, [of(*graph.inputs("x", 3)) for of in NESTED])
    x = np.array([0.1, 0.7, -1.3, 0.0])
    table = np.concatenate([np.arange(4), np.arange(len(NESTED))])[None]
    for n in (1, FEW + 1):
        y = np.zeros((len(NESTED), n))
        given = np.tile(x[:, None], n)
        prepare(compile_kernel(kernel), given, y, None, table, None)()
        np.testing.assert_array_equal(y[:, 0], [of(*x[:3]) for of in NESTED])


@settings(max_examples=100)
@given(expressions(), VALUES)
def test_one_state_of_any_expression_is_what_the_graph_says(drawn, values):
    graph, wanted = drawn
    x, y = np.array(values)[:, None], np.zeros((len(wanted), 1))
    table = np.concatenate([np.arange(4), np.arange(len(wanted))])[None]
    prepare(compile_kernel(straight(graph, wanted)), x, y, None, table, None)()
    with pytest.MonkeyPatch.context() as patch:
        np.testing.assert_allclose(y[:, 0], evaluated(graph, wanted, x[:, 0], patch), rtol=0)


@settings(max_examples=80)
@given(expressions(), st.lists(VALUES, min_size=1, max_size=3))
def test_many_states_of_any_expression_are_what_the_graph_says(drawn, values):
    graph, wanted = drawn
    n = FEW + 1
    x, y = np.resize(np.array(values), (n, 4)).T.copy(), np.zeros((len(wanted), n))
    table = np.concatenate([np.arange(4), np.arange(len(wanted))])[None]
    prepare(compile_kernel(straight(graph, wanted)), x, y, None, table, None)()
    np.testing.assert_array_equal(y, evaluated(graph, wanted, x.T).T)


def test_what_raises_on_floats_decides_as_on_arrays():
    """1/0 is ∞, of which the arctangent is finite: so it is done, at once."""
    graph = Graph()
    x = graph.inputs("x", 1)
    kernel = Iterated(
        name="poles",
        graph=graph,
        inputs=1,
        size=graph.constant(1.0).arctan2(1.0 / x[0]),
        moved=x[0],
        following=(x[0],),
        sound=x[0] <= 0.0,
        results=(1.0 / x[0],),
    )
    for n in (1, FEW + 1):
        _, y, status, failed = solve(kernel, np.zeros((1, n)), table=np.array([[0, 0]]))
        assert failed == 0
        np.testing.assert_array_equal(status, 0)
        np.testing.assert_array_equal(y[0], math.inf)


def test_source_grows_with_operations_not_faster():
    """A chain of which each link is used twice: 2ⁿ terms if it were written out."""
    lengths = []
    for links in (200, 400):
        graph = Graph()
        value = graph.input("x", 0)
        for _ in range(links):
            value = value * value + 1.0
        kernel = Straight(name="chain", graph=graph, inputs=1, results=(value,))
        lengths.append((len(one_source(kernel)), len(many_source(kernel))))
    assert np.all(np.array(lengths[1]) < 2.2 * np.array(lengths[0]))
