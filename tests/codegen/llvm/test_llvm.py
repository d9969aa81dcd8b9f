"""Straight and iterated kernels as machine code, against closed forms and what the kernels say."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import robocompiler
from codegen import arm
from codegen.llvm.generated import WAYS, every_way, iterated, library, needs_llvm, straight
from robocompiler.codegen.graph import Graph
from robocompiler.codegen.kernels import (
    NOT_CONTRACTING,
    TOO_MANY,
    UNSOUND,
    Iterated,
    Settings,
)
from robocompiler.codegen.llvm import calls

pytestmark = needs_llvm


def _reaching(count, seed=0, off=0.1):
    """States near those where the arm reaches random points, and its angles there."""
    rng = np.random.default_rng(seed)
    radius, angle = rng.uniform(0.5, 1.05, count), rng.uniform(-1.2, 1.2, count)
    point = np.array([radius * np.cos(angle), radius * np.sin(angle)])
    exact = np.array(arm.closed_form(*point))
    return np.vstack([point, exact + off * rng.uniform(-1.0, 1.0, (2, count))]), exact


def _as_it_is_said(kernel, x, settings):
    """`Iterated` by its docstring, one state after another, each number from `Graph.evaluate`."""
    x, y, status = x.copy(), np.full((len(kernel.results), x.shape[1]), np.nan), []
    for column in range(x.shape[1]):
        now, last, steps, end = x[:, column].copy(), np.inf, 0, None
        wanted = [kernel.size, kernel.moved, kernel.sound, *kernel.following, *kernel.results]
        while end is None:
            size, moved, sound, *rest = kernel.graph.evaluate(wanted, {"x": now})
            following, results = rest[: kernel.inputs], rest[kernel.inputs :]
            if size <= settings.tolerance:
                end = steps if sound else UNSOUND
            elif steps >= settings.most:
                end = TOO_MANY
            elif not (
                moved <= max(settings.contraction * last, settings.noise)
                and moved <= settings.longest
            ):
                end = NOT_CONTRACTING
            else:
                now, last, steps = np.array(following), moved, steps + 1
        if end >= 0:
            x[:, column], y[:, column] = now, results
        status.append(end)
    return x, y, np.array(status)


@every_way
def test_a_straight_kernel_gives_what_numpy_gives(way):
    kernel = arm.straight()
    x, _ = _reaching(29)
    x[3] += np.linspace(-40.0, 40.0, 29)
    wanted = kernel.graph.evaluate(kernel.results, {"x": x.T}).T
    np.testing.assert_allclose(straight(arm.straight, x, way), wanted, rtol=1e-14, atol=1e-15)


@every_way
def test_an_iterated_kernel_gets_to_the_closed_form(way):
    x, exact = _reaching(29)
    found, y, status, failed = iterated(arm.iterated, x, arm.SETTINGS, way)
    assert failed == 0
    assert ((status >= 2) & (status <= 5)).all()
    np.testing.assert_array_equal(found[:2], x[:2])
    np.testing.assert_allclose(found[2:], exact, atol=1e-12)
    inverse = arm.inverse_at(*exact).reshape(29, 4).T
    np.testing.assert_allclose(y, inverse, atol=1e-9)


def _awkward():
    """Good states, and of each kind of bad ones some, mixed."""
    x, _ = _reaching(40, seed=3, off=0.3)
    x[:2, 3] = 5.0, 5.0  # out of reach
    x[2, 7] = np.nan
    x[0, 11] = np.inf
    x[3, 14] = 0.0  # stretched: no inverse
    x[2, 18] += 3.0
    x[2, 22] = 2e5
    x[0, 30] = 1.2 * np.cos(0.3)  # as far as it reaches
    x[1, 30] = 1.2 * np.sin(0.3)
    x[2:, 30] = 0.3, 1e-3
    return x


@every_way
@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"most": 2},
        {"most": 0},
        {"longest": 0.1},
        {"contraction": 1e-3},
        {"contraction": 1e-3, "noise": 0.2},
        {"tolerance": 1e-3},
        {"tolerance": 10.0},
        {"tolerance": np.nan},
    ],
)
def test_each_state_ends_as_is_said_of_the_kernel(way, changed):
    settings, x = replace(arm.SETTINGS, **changed), _awkward()
    found, y, status, failed = iterated(arm.iterated, x, settings, way)
    with np.errstate(all="ignore"):
        right_x, right_y, right_status = _as_it_is_said(arm.iterated(), x, settings)
    np.testing.assert_array_equal(status, right_status)
    assert failed == (right_status < 0).sum()
    np.testing.assert_allclose(found, right_x, rtol=0, atol=1e-11)
    np.testing.assert_allclose(y, right_y, rtol=1e-7)
    bad = right_status < 0
    np.testing.assert_array_equal(found[:, bad], x[:, bad])


def test_states_that_are_awkward_end_in_every_way_there_is():
    """So that the test before sees each."""
    seen = set()
    for changed in ({}, {"most": 2}, {"tolerance": 10.0}):
        seen |= set(iterated(arm.iterated, _awkward(), replace(arm.SETTINGS, **changed))[2])
    assert {NOT_CONTRACTING, TOO_MANY, UNSOUND, 0} < seen


@pytest.mark.parametrize("way", WAYS[1:4])
def test_a_state_has_the_same_bits_alone_and_in_any_company(way):
    x = _awkward()
    right = iterated(arm.iterated, x, arm.SETTINGS, "1")
    for first in (0, 1, 5):
        for last in (*range(first, first + 20), 40):
            found = iterated(arm.iterated, x, arm.SETTINGS, way, (first, last))
            for mine, theirs, untouched in zip(found, right, (x, -77.0, -77), strict=False):
                wanted = np.full_like(theirs, -77.0) if np.isscalar(untouched) else x.copy()
                wanted[..., first:last] = theirs[..., first:last]
                assert mine.tobytes() == wanted.tobytes() or _same_but_for_signs_of_nan(
                    mine, wanted
                )
            assert found[3] == (right[2][first:last] < 0).sum()


def _same_but_for_signs_of_nan(a, b):
    numbers = ~np.isnan(a)
    return (numbers == ~np.isnan(b)).all() and a[numbers].tobytes() == b[numbers].tobytes()


def test_a_processor_without_avx_computes_the_same_bits_in_lanes_and_alone():
    x, _ = _reaching(41)
    alone, pairs = (iterated(arm.iterated, x, arm.SETTINGS, way) for way in (WAYS[5], WAYS[4]))
    for one, other in zip(alone[:3], pairs[:3], strict=True):
        assert one.tobytes() == other.tobytes()


def _random():
    """Hundreds of operations of every kind on six inputs, so that registers do not suffice."""
    rng, graph = np.random.default_rng(5), Graph()
    x = graph.inputs("x", 6)
    pool = [*x, *np.sin(x), *np.cos(x), *np.arctan2(x, x[::-1] + 3.0)]
    for _ in range(600):
        a, b, c = (pool[rng.integers(max(0, len(pool) - 60), len(pool))] for _ in range(3))
        new = (
            lambda a, b, c: a * b + 0.5 * c,
            lambda a, b, c: a - b * c,
            lambda a, b, c: a * b - c * c,
            lambda a, b, c: (a < b).select(c, -a),
            lambda a, b, c: (a + b) / (2.0 + c * c),
            lambda a, b, c: np.sin(a) * b + np.cos(a) * c,
            lambda a, b, c: np.rint(a) - np.sqrt(b * b + 1.0),
        )[rng.integers(7)](a, b, c)
        pool.append(new / (1.0 + new * new))
    return graph, x, pool


def _random_iterated():
    """Halves its inputs, with results of hundreds of operations."""
    graph, x, pool = _random()
    size = np.sqrt(sum((a * a for a in x[1:5]), x[0] * x[0]))
    return Iterated(
        name="random",
        graph=graph,
        inputs=6,
        size=size,
        moved=size * 0.9 + 0.0 * pool[40],
        following=(*(x[:5] * 0.1 + 1e-12 * np.array(pool[-5:])), x[5]),
        sound=pool[50] < 2.0,
        results=tuple(pool[-30:]),
    )


@pytest.mark.parametrize("way", WAYS[1:4])
def test_hundreds_of_operations_have_the_same_bits_in_lanes_and_alone(way):
    x = np.random.default_rng(6).uniform(-2.0, 2.0, (6, 53))
    settings = Settings(tolerance=1e-3, contraction=0.25, noise=1e-9, longest=9.0, most=9)
    alone, several = (iterated(_random_iterated, x, settings, w) for w in ("1", way))
    assert alone[3] == 0
    for one, other in zip(alone[:3], several[:3], strict=True):
        assert one.tobytes() == other.tobytes()
    kernel = _random_iterated()
    wanted = kernel.graph.evaluate(kernel.results, {"x": several[0].T}).T
    np.testing.assert_allclose(several[1], wanted, rtol=1e-9, atol=1e-11)


@every_way
def test_instances_work_on_the_rows_that_a_table_names(way):
    """In one buffer, in any order, and two with one row."""
    built = library(arm.iterated, way)
    x, exact = _reaching(11)
    other = np.vstack([x[:2], exact + 0.05])
    buffer = np.full((20, 11), 4.25)
    table = np.array([[12, 3, 7, 5, 1, 0, 19, 14], [12, 3, 2, 8, 4, 9, 10, 6]])
    buffer[table[0, :4]], buffer[table[1, :4]] = x, other
    status = np.zeros((2, 11), dtype=np.int32)
    run = calls.over_states(
        built, "arm", x=buffer, y=buffer, table=table, status=status, settings=arm.SETTINGS
    )
    assert run() == 0
    assert (status > 0).all()
    inverse = arm.inverse_at(*exact).reshape(11, 4).T
    for line in table:
        np.testing.assert_allclose(buffer[line[2:4]], exact, atol=1e-11)
        np.testing.assert_allclose(buffer[line[4:]], inverse, atol=1e-8)
    unused = sorted({*range(20)} - {*table.ravel()})
    assert (buffer[unused] == 4.25).all()


@every_way
def test_a_result_may_overwrite_an_input_of_its_own_instance(way):
    """All of a state is read before any of it is written."""
    built = library(arm.straight, way)
    x, _ = _reaching(13)
    wanted = straight(arm.straight, x, way)
    buffer = np.vstack([x, np.zeros((2, 13))])
    table = np.array([[0, 1, 2, 3, 3, 2, 5, 1, 4, 0]])
    assert calls.over_states(built, "arm_rows", x=buffer, y=buffer, table=table)() == 0
    np.testing.assert_array_equal(buffer[table[0, 4:]], wanted)


@every_way
def test_a_slot_that_does_not_move_is_not_written(way):
    """It has the row of one that moves here, and is the later one."""
    built = library(_random_iterated, way)
    x = np.random.default_rng(7).uniform(0.5, 2.0, (5, 11))
    table = np.array([[0, 1, 2, 3, 4, 0, *range(30)]])
    settings = Settings(tolerance=1e-3, contraction=0.25, noise=1e-9, longest=9.0, most=9)
    status, y = np.zeros((1, 11), dtype=np.int32), np.zeros((30, 11))
    run = calls.over_states(
        built, "random", x=x, y=y, table=table, status=status, settings=settings
    )
    assert run() == 0
    assert (np.abs(x[0]) < 1e-3).all()


_AT_THE_EDGE = """
import ctypes, mmap, sys
sys.path[:0] = {paths!r}
import numpy as np
import test_llvm as tests
from codegen import arm
from codegen.llvm.generated import calls, library

page, size = mmap.PAGESIZE, 4 * 11 * 8
memory = mmap.mmap(-1, 2 * page)
start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
if ctypes.CDLL(None).mprotect(ctypes.c_void_p(start + page), ctypes.c_size_t(page), 0):
    sys.exit("the page cannot be protected")
x = np.frombuffer(memory, count=44, offset=page - size).reshape(4, 11)
x[:], exact = tests._reaching(11)
for first in range(11):
    run = calls.over_states(
        library(arm.iterated, {way!r}), "arm", x=x, y=np.zeros((4, 11)), settings=arm.SETTINGS,
        table=np.array([[0, 1, 2, 3, 0, 1, 2, 3]]), status=np.zeros((1, 11), dtype=np.int32),
        states=(first, 11),
    )
    if run():
        sys.exit("it does not converge")
np.testing.assert_allclose(x[2:], exact, atol=1e-11)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is protected in another way here")
@pytest.mark.parametrize("way", ["1", "4", "8"])
def test_nothing_is_read_beyond_the_last_state(way):
    """There memory ends, so that reading there would end the process."""
    folders = Path(robocompiler.__file__).parents[1], *(Path(__file__).parents[i] for i in (2, 0))
    paths = [str(folder) for folder in folders]
    script = _AT_THE_EDGE.format(paths=paths, way=way)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
