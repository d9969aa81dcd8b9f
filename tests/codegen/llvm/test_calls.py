"""Functions bound to arrays: what is called, what is refused, and what stays alive."""

import gc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import robocompiler
from codegen import arm
from codegen.llvm.generated import library, needs_llvm, of
from robocompiler.codegen.llvm import calls, jit
from robocompiler.errors import UnfitArrayError


def _given(states=3):
    exact = np.array(arm.closed_form(np.full(states, 0.9), np.linspace(-0.3, 0.3, states)))
    point = [np.full(states, 0.9), np.linspace(-0.3, 0.3, states)]
    return {
        "x": np.vstack([point, exact + 0.01]),
        "y": np.zeros((4, states)),
        "table": np.array([[0, 1, 2, 3, 0, 1, 2, 3]]),
        "status": np.zeros((1, states), dtype=np.int32),
        "settings": arm.SETTINGS,
    }, exact


def _given_a_table():
    targets = np.array([[0.9, 0.0], [0.9, 0.01]])
    angles = np.array(arm.closed_form(0.9, 0.0))
    return {
        "x": np.array([0.9, 0.0, *angles]),
        "y": arm.inverse_at(*angles).ravel(),
        "table": np.array([[0, 1, 2, 3, 0, 1, 2, 3, 0, 1]]),
        "status": np.zeros(1, dtype=np.int32),
        "settings": arm.SETTINGS,
        "targets": targets,
        "out_x": np.zeros((2, 4)),
        "out_y": np.zeros((2, 4)),
    }


@needs_llvm
@pytest.mark.parametrize("releasing", [False, True])
def test_a_bound_function_runs_on_what_is_in_its_arrays_at_each_call(releasing):
    given, exact = _given()
    run = calls.over_states(library(arm.iterated), "arm", **given, releasing=releasing)
    for _ in range(2):
        assert run() == 0
        np.testing.assert_allclose(given["x"][2:], exact, atol=1e-11)
        given["x"][2:] += 0.02
    given["x"][0] = 9.0
    given["x"][0, 1] = np.nan
    assert run() == 3


@needs_llvm
@pytest.mark.parametrize("releasing", [False, True])
def test_a_bound_function_holds_its_code_and_its_arrays(releasing):
    def bound():
        made = of(1, lambda x: x[0] * 3.0)
        own = jit.load(lambda: ([made()], {}), lanes=1, kept=False)
        x, table = np.arange(200_000.0)[None], np.array([[0, 0]])
        y = np.zeros_like(x)
        return calls.over_states(own, "made", x=x, y=y, table=table, releasing=releasing), y

    run, y = bound()
    gc.collect()
    for _ in range(5):
        others = [np.full(200_000, -5.0) for _ in range(4)]
        assert run() == 0
        del others
    np.testing.assert_array_equal(y[0], 3.0 * np.arange(200_000))


UNFIT = {
    "x of another type": ("x", np.zeros((4, 3), dtype=np.float32)),
    "x in another order": ("x", np.zeros((3, 4)).T),
    "x of one dimension": ("x", np.zeros(3)),
    "y of other states": ("y", np.zeros((4, 2))),
    "y with gaps": ("y", np.zeros((4, 6))[:, ::2]),
    "rows that x has not": ("table", np.array([[0, 1, 2, 4, 0, 1, 2, 3]])),
    "rows that y has not": ("table", np.array([[0, 1, 2, 3, 0, 1, 2, 4]])),
    "rows before the first": ("table", np.array([[0, 1, -1, 3, 0, 1, 2, 3]])),
    "a table that is too narrow": ("table", np.array([[0, 1, 2, 3, 0, 1, 2]])),
    "a table of short numbers": ("table", np.zeros((1, 8), dtype=np.int32)),
    "status of fewer states": ("status", np.zeros((1, 2), dtype=np.int32)),
    "status of other instances": ("status", np.zeros((2, 3), dtype=np.int32)),
    "status of long numbers": ("status", np.zeros((1, 3), dtype=np.int64)),
    "no status": ("status", None),
    "no settings": ("settings", None),
    "states after the last": ("states", (0, 4)),
    "states before the first": ("states", (-1, 2)),
    "states that go backwards": ("states", (2, 1)),
}


@needs_llvm
@pytest.mark.parametrize("which", UNFIT)
def test_an_array_that_does_not_fit_is_refused(which):
    name, unfit = UNFIT[which]
    given, _ = _given()
    with pytest.raises(UnfitArrayError):
        calls.over_states(library(arm.iterated), "arm", **(given | {name: unfit}))


UNFIT_FOR_TABLES = {
    "x of states": ("x", np.zeros((4, 1))),
    "targets of one dimension": ("targets", np.zeros(2)),
    "columns that targets have not": ("targets", np.zeros((2, 1))),
    "fewer knots in a table": ("out_x", np.zeros((1, 4))),
    "fewer rows in a table": ("out_y", np.zeros((2, 3))),
    "status of other instances": ("status", np.zeros(2, dtype=np.int32)),
}


@needs_llvm
@pytest.mark.parametrize("which", UNFIT_FOR_TABLES)
def test_an_array_that_does_not_fit_a_table_is_refused(which):
    name, unfit = UNFIT_FOR_TABLES[which]
    given = _given_a_table()
    assert calls.along_table(library(arm.continued), "arm_continued", **given)() == 0
    with pytest.raises(UnfitArrayError):
        calls.along_table(library(arm.continued), "arm_continued", **(given | {name: unfit}))


@needs_llvm
def test_what_is_read_only_is_refused_where_it_is_written():
    given, _ = _given()
    given["y"].setflags(write=False)
    with pytest.raises(UnfitArrayError):
        calls.over_states(library(arm.iterated), "arm", **given)


@needs_llvm
def test_a_function_of_another_kind_is_refused():
    given, _ = _given()
    with pytest.raises(UnfitArrayError):
        calls.over_states(library(arm.continued), "arm_continued", **given)


def test_without_llvmlite_no_code_is_available_and_nothing_else_is_missing():
    script = """
import sys
sys.path.insert(0, sys.argv[1])
sys.modules["llvmlite"] = None
from robocompiler.codegen.llvm import assembly, cache, calls, jit
print(jit.available())
"""
    path = str(Path(robocompiler.__file__).parents[1])
    said = subprocess.run(
        [sys.executable, "-c", script, path], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == "False"
