"""C99 for controllers: what it computes, against closed forms and the Python emitter."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codegen import arm
from codegen.c.arms import (
    ARRAYS,
    BOTH,
    SINGLE,
    TABLE,
    arms,
    by_python,
    compiled,
    library,
    needs_gcc,
    start,
    written,
)
from codegen.expressions import NESTED, VALUES, expressions
from robocompiler.codegen.c.kernels import CODES
from robocompiler.codegen.c.records import CArray, CCall, CFunction, CProgram
from robocompiler.codegen.graph import Graph
from robocompiler.codegen.kernels import NOT_CONTRACTING, TOO_MANY, UNSOUND, Settings, Straight
from robocompiler.codegen.python.functions import compile_kernel
from robocompiler.codegen.python.run import prepare


@pytest.fixture(scope="module")
def double(tmp_path_factory):
    return library(arms(), tmp_path_factory.mktemp("double"))


@pytest.fixture(scope="module")
def single(tmp_path_factory):
    return library(arms(), tmp_path_factory.mktemp("single"), single=True)


@needs_gcc
@pytest.mark.parametrize("seed", range(10))
def test_arms_reach_their_points(double, seed):
    p, angles, solved = start(seed)
    status, q, found, E = double("correct", p, angles, np.zeros(8))
    x, y, steps = by_python(arm.iterated(), p, angles)
    assert status == steps.max() > 0
    np.testing.assert_array_equal(q, p)
    np.testing.assert_allclose(found, x[4:], rtol=1e-13)
    np.testing.assert_allclose(E, y[:8], rtol=1e-12)
    np.testing.assert_allclose(found, solved.T.ravel(), atol=1e-11)
    np.testing.assert_allclose(E.reshape(2, 2, 2), arm.inverse_at(*solved), rtol=1e-9)


@needs_gcc
@pytest.mark.parametrize("seed", range(10))
def test_arms_reach_their_points_in_single_precision(single, seed):
    """Rows are within 1e-6, the Jacobian's inverse is below 10: so are angles within 1e-5."""
    p, angles, solved = start(seed)
    assert np.linalg.norm(arm.inverse_at(*solved), axis=(1, 2)).max() < 10.0
    status, _, found, E = single("correct", p, angles, np.zeros(8))
    assert 0 < status < 6
    np.testing.assert_allclose(found, solved.T.ravel(), atol=1e-5)
    np.testing.assert_allclose(E.reshape(2, 2, 2), arm.inverse_at(*solved), rtol=1e-3, atol=1e-4)


@needs_gcc
def test_straight_results_are_the_python_emitter_s(double, single):
    table = np.array([(*line[:4], *range(6 * k, 6 * k + 6)) for k, line in enumerate(TABLE)])
    for seed in range(10):
        p, angles, _ = start(seed)
        _, y, _ = by_python(arm.straight(), p, angles, table)
        np.testing.assert_allclose(double("evaluate", p, angles, np.zeros(12))[-1], y, rtol=1e-13)
        found = single("evaluate", p, angles, np.zeros(12))[-1]
        np.testing.assert_allclose(found, y, rtol=1e-5, atol=1e-6)


@needs_gcc
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("slot", "value", "code"),
    [
        (0, math.nan, NOT_CONTRACTING),
        (0, 9.0, NOT_CONTRACTING),
        (4, math.inf, NOT_CONTRACTING),
        (5, 0.0, NOT_CONTRACTING),
    ],
)
def test_an_arm_that_fails_is_left_as_it_was_and_the_other_is_not(
    double, single, seed, slot, value, code
):
    p, angles, _ = start(seed)
    x = np.concatenate([p, angles])
    x[slot] = value
    for call in (double, single):
        good = call("correct", p, angles, np.zeros(8))
        status, _, found, E = call("correct", x[:4], x[4:], np.zeros(8))
        assert status == code
        np.testing.assert_array_equal(found[:2], x[4:6].astype(found.dtype))
        assert np.isnan(E[:4]).all()
        np.testing.assert_array_equal(found[2:], good[2][2:])
        np.testing.assert_array_equal(E[4:], good[3][4:])


@needs_gcc
def test_every_failure_has_its_code(double, tmp_path):
    """Stretched: unsound. One step only: too many. The lower of two is returned."""
    p, angles, _ = start(0)
    p[:2], angles[:2] = (arm.UPPER + arm.FORE, 0.0), (0.0, 0.0)
    status, *_, E = double("correct", p, angles, np.zeros(8))
    assert status == UNSOUND == CODES["UNSOUND"]
    assert np.isnan(E[:4]).all()
    p[2] = math.nan
    assert double("correct", p, angles, np.zeros(8))[0] == UNSOUND
    few = Settings(tolerance=1e-12, contraction=0.25, noise=1e-11, longest=0.5, most=1)
    call = CCall(kernel=arm.iterated(), table=TABLE, settings=(few, few))
    function = CFunction(name="f", doc="", calls=(call,), x=("p", "angles"), y=("E",))
    program = CProgram(name="few", doc="", arrays=ARRAYS[:3], functions=(function,))
    assert library(program, tmp_path)("f", *start(0)[:2], np.zeros(8))[0] == TOO_MANY
    assert (CODES["TOO_MANY"], CODES["NOT_CONTRACTING"]) == (TOO_MANY, NOT_CONTRACTING)


@needs_gcc
@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"longest": 1e-3}, NOT_CONTRACTING),  # a first step that is too long
        ({"contraction": 1e-9, "noise": 0.0}, NOT_CONTRACTING),
        ({"contraction": 1e-9, "noise": 0.2}, None),  # small steps need not contract
        ({"longest": math.inf, "contraction": math.inf}, None),
    ],
)
def test_steps_must_contract_and_be_short(tmp_path, changed, code):
    fields = {name: getattr(arm.SETTINGS, name) for name in Settings.__slots__} | changed
    call = CCall(kernel=arm.iterated(), table=TABLE, settings=(Settings(**fields), SINGLE))
    function = CFunction(name="f", doc="", calls=(call,), x=("p", "angles"), y=("E",))
    program = CProgram(name="m", doc="", arrays=ARRAYS, functions=(function,))
    status = library(program, tmp_path)("f", *start(0)[:2], np.zeros(8))[0]
    assert status > 0 if code is None else status == code


@needs_gcc
def test_parentheses_stand_where_they_must(tmp_path):
    graph = Graph()
    wanted = tuple(of(*graph.inputs("x", 3)) for of in NESTED)
    kernel = Straight(name="nested", graph=graph, inputs=3, results=wanted)
    call = CCall(kernel=kernel, table=((*range(3), *range(len(NESTED))),))
    arrays = CArray(name="x", size=3, doc=""), CArray(name="y", size=len(NESTED), doc="")
    function = CFunction(name="f", doc="", calls=(call,), x=("x",), y=("y",))
    program = CProgram(name="m", doc="", arrays=arrays, functions=(function,))
    x = np.array([0.1, 0.7, -1.3])
    found = library(program, tmp_path)("f", x, np.zeros(len(NESTED)))[-1]
    np.testing.assert_array_equal(found, [of(*x) for of in NESTED])


@needs_gcc
def test_a_table_is_followed_a_knot_a_call(double, single):
    turn = np.linspace(0.0, 2.0, 50)
    circle = np.array([0.4 + 0.3 * np.sin(turn), 0.5 + 0.3 * np.cos(turn)])
    targets = np.concatenate([circle[::-1], circle[::-1] - 0.1]).T  # y, then x
    points = targets[:, [1, 0, 3, 2]]
    solved = np.array([arm.closed_form(*points[:, :2].T), arm.closed_form(*points[:, 2:].T)])
    for call, angle in ((double, 1e-11), (single, 2e-5)):
        p, angles = points[0], solved[:, :, 0].ravel()
        _, p, angles, E = call("correct", p, angles, np.zeros(8))
        for knot, target in enumerate(targets):
            status, _, p, angles, E = call("follow", target, p, angles, E)
            assert 0 <= status < 4
            np.testing.assert_array_equal(p, points[knot].astype(p.dtype))
            np.testing.assert_allclose(angles, solved[:, :, knot].ravel(), atol=angle)


@needs_gcc
@pytest.mark.parametrize(
    ("target", "code"),
    [([0.3, 5.0], "TOO_FAR"), ([math.nan, 0.3], "TOO_FAR"), ([0.85, 0.85], "NOT_CONTRACTING")],
)
def test_where_a_knot_is_not_reached_all_is_as_it_was(double, target, code):
    p, angles, E = double("correct", *start(1)[:2], np.zeros(8))[1:]
    p[:2], angles[:2] = (0.8, 0.8), arm.closed_form(0.8, 0.8)
    p, angles, E = double("correct", p, angles, E)[1:]
    goal = [*target, p[3], p[2]]
    status, _, *after = double("follow", goal, p, angles, E)
    assert status == CODES[code]
    for found, before in zip(after, (p, angles, E), strict=True):
        np.testing.assert_allclose(found, before, rtol=1e-12)
        np.testing.assert_array_equal(found[: len(found) // 2], before[: len(before) // 2])


@needs_gcc
def test_steps_must_not_add_up_to_more_than_a_leap(tmp_path):
    """None at all: then a prediction that must be corrected is refused."""
    fields = {name: getattr(arm.SETTINGS, name) for name in Settings.__slots__}
    for leap, passes in ((0.0, False), (0.5, True)):
        limited = Settings(**(fields | {"leap": leap}))
        kernel = arm.continued()
        goals = tuple((*line, 2 * k + 1, 2 * k) for k, line in enumerate(TABLE))
        call = CCall(kernel=kernel, table=goals, settings=(limited, limited))
        function = CFunction(
            name="f", doc="", calls=(call,), x=("p", "angles"), y=("E",), targets=("t",)
        )
        program = CProgram(name="m", doc="", arrays=ARRAYS, functions=(function,))
        p, _, solved = start(1)
        E = arm.inverse_at(*solved)
        follow = library(program, tmp_path / str(passes))
        status = follow("f", p[[1, 0, 3, 2]] + 0.02, p, solved.T, E)[0]
        assert status > 0 if passes else status == NOT_CONTRACTING


@needs_gcc
@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.lists(expressions(), min_size=8, max_size=12), st.lists(VALUES, min_size=12, max_size=12))
def test_any_expression_is_what_the_python_emitter_says(tmp_path_factory, drawn, values):
    arrays = [CArray(name="x", size=4, doc="")]
    functions, kernels = [], []
    for place, (graph, wanted) in enumerate(drawn):
        kernel = Straight(name="random", graph=graph, inputs=4, results=tuple(wanted))
        line = (*range(4), *range(len(wanted)))
        arrays.append(CArray(name=f"y{place}", size=len(wanted), doc=""))
        call = CCall(kernel=kernel, table=(line,))
        kernels.append((kernel, np.array([line])))
        functions.append(
            CFunction(name=f"f{place}", doc="", calls=(call,), x=("x",), y=(f"y{place}",))
        )
    program = CProgram(name="any", doc="", arrays=tuple(arrays), functions=tuple(functions))
    folder = tmp_path_factory.mktemp("any")
    source = written(program, folder)[1]
    compiled(source, "-DANY_FLOAT", "-c", output=folder / "single.o")
    call = library(program, folder)
    for place, (kernel, table) in enumerate(kernels):
        x, y = np.array(values[place])[:, None], np.zeros((len(kernel.results), 1))
        prepare(compile_kernel(kernel), x, y, None, table, None)()
        found = call(f"f{place}", x[:, 0], np.zeros(len(y)))[-1]
        np.testing.assert_allclose(found, y[:, 0], rtol=1e-13)


@needs_gcc
def test_instances_may_find_the_same_slot_in_different_arrays(tmp_path):
    """The second arm's point is in an array of its own."""
    split = tuple(CArray(name=n, size=2, doc="") for n in ("p1", "p2", "a1", "a2"))
    call = CCall(kernel=arm.iterated(), table=TABLE, settings=BOTH)
    function = CFunction(name="f", doc="", calls=(call,), x=("p1", "p2", "a1", "a2"), y=("E",))
    program = CProgram(name="split", doc="", arrays=(*split, ARRAYS[2]), functions=(function,))
    p, angles, solved = start(3)
    found = library(program, tmp_path)("f", p[:2], p[2:], angles[:2], angles[2:], np.zeros(8))
    np.testing.assert_allclose(np.concatenate(found[3:5]), solved.T.ravel(), atol=1e-11)
