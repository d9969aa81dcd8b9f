"""The benchmark of closures: its cheap figures hold, and one that falls short is told."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import closure
import figure
import numpy as np
import pytest
import timing
from closure_figures.papers import Papers, exp_pose, inverse_jacobian
from generated_figures import exactness, single, world
from scipy.linalg import expm

from linkages.crane import crane
from linkages.excavator import excavator
from linkages.planar import four_bar_of
from robocompiler.codegen.emitters import emitter_named
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.rows import linearize
from robocompiler.solve.reduction.logarithm import chart_coordinates
from robocompiler.solve.state import starting_coordinates
from robocompiler.solve.system import systems_of
from robocompiler.spatial import skew


def _script(name):
    """A benchmark as a module: its name alone may be that of a folder of tests."""
    place = Path(closure.__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"benchmark_{name}", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


generated = _script("generated")
CHEAP = [(closure, name) for name in ("rounded", "structure", "one-motor", "crane-fixed")]
CHEAP += [(generated, "operations"), (_script("ledger"), "dop853")]


@pytest.mark.parametrize(("benchmark", "group"), CHEAP)
def test_a_cheap_group_of_figures_holds_and_is_written(benchmark, group, tmp_path, capsys):
    file = tmp_path / "figures.json"
    assert benchmark.main(["--only", group, "--json", str(file)]) == 0
    written = json.loads(file.read_text())
    assert written
    assert all(row["holds"] is not False for row in written)
    shown = capsys.readouterr().out
    assert all(row["name"] in shown and row["target"] in shown for row in written)
    assert [path.name for path in tmp_path.iterdir()] == ["figures.json"]


@pytest.mark.parametrize("benchmark", [closure, generated])
def test_a_figure_that_falls_short_is_named_and_makes_the_exit_code_one(
    benchmark, monkeypatch, capsys
):
    rows = [figure.at_most("a", 1.0, 1.0), figure.at_most("gap", 2.0, 1.0)]
    monkeypatch.setitem(benchmark.GROUPS, "mine", lambda: iter(rows))
    assert benchmark.main(["--only", "mine"]) == 1
    assert "1 of 2 fall short: gap" in capsys.readouterr().out
    monkeypatch.setitem(benchmark.GROUPS, "mine", lambda: iter(rows[:1]))
    assert benchmark.main(["--only", "mine"]) == 0


def test_what_holds_is_judged_by_the_number_that_was_measured():
    assert figure.at_most("x", 1.0, 1.0).holds
    assert not figure.at_most("x", float("nan"), 1.0).holds
    assert not figure.at_least("x", 39.9, 40.0).holds
    assert not figure.at_least("x", float("nan"), 40.0).holds
    assert figure.near("x", 1.005, 1.0, 0.005 + 1e-12).holds
    assert not figure.near("x", 0.99, 1.0, 0.005).holds
    assert not figure.equal("x", [1, 2], [2, 1]).holds
    assert figure.skipped("x", "no record").holds is None


def test_a_file_of_figures_is_replaced_as_a_whole_or_left(tmp_path, monkeypatch):
    file = tmp_path / "figures.json"
    file.write_text("before")

    def fails(*_):
        raise OSError

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(OSError, match=r"^$"):
        figure.write_json([figure.shown("x", 1.0)], file)
    assert [path.name for path in tmp_path.iterdir()] == ["figures.json"]
    assert file.read_text() == "before"


@pytest.mark.parametrize("angle", [0.0, 1e-4, 0.3, 2.0])
def test_the_papers_inverse_jacobian_and_exponential_are_those_of_the_matrices(angle):
    rho = np.concatenate([[0.3, -0.7, 0.2], angle * np.array([0.6, -0.48, 0.64])])
    hat = np.zeros((4, 4))
    hat[:3, :3], hat[:3, 3] = skew(rho[3:]), rho[:3]
    X, Y = expm(hat), exp_pose(rho)
    np.testing.assert_allclose(Y.R, X[:3, :3], atol=1e-14)
    np.testing.assert_allclose(Y.p, X[:3, 3], atol=1e-14)
    h = 1e-6
    for k, twist in enumerate(np.eye(6)):  # exp(ρ + h J⁻¹ ξ) is exp(h ξ) exp(ρ)
        there = exp_pose(rho + h * inverse_jacobian(rho) @ twist)
        moved = exp_pose(h * twist) @ Y
        np.testing.assert_allclose(there.p, moved.p, atol=1e-11, err_msg=str(k))
        np.testing.assert_allclose(there.R, moved.R, atol=1e-11, err_msg=str(k))


def test_the_papers_rows_with_a_defect_move_by_their_path_assembled_jacobian():
    for system in systems_of(compile_mechanism(crane())):
        q = starting_coordinates(system.compiled)
        papers = Papers(system, system.speeds_of(system.joint_of(1)))
        closed = papers.evaluate(q, chart_coordinates(system.compiled, q))
        assert np.abs(closed.rho).max() < 1e-14
        random, count = np.random.default_rng(4), closed.jacobian.shape[1]
        place = papers.move(closed, random.uniform(-0.3, 0.3, count))
        defects = [exp_pose(0.7 * rho) for rho in np.split(place.rho, len(place.rho) // 6)]
        here = papers.evaluate(place.q, place.chart, defects)
        assert 0.01 < np.abs(here.rho).max() < 0.9 * np.abs(place.rho).max()
        for j, e in enumerate(np.eye(count)):
            ahead, behind = (papers.move(here, s * 1e-5 * e, defects).rho for s in (1, -1))
            slope = (ahead - behind) / 2e-5
            np.testing.assert_allclose(here.jacobian[:, j], slope, atol=1e-9)


def test_times_are_of_a_call_whatever_else_ran_in_between(monkeypatch):
    clock = [0.0]

    def takes(seconds):
        def call():
            clock[0] += seconds

        return call

    monkeypatch.setattr(timing.time, "thread_time", lambda: clock[0])
    found = timing.interleaved({"a": takes(1e-5), "b": takes(3e-3)}, rounds=5)
    np.testing.assert_allclose([found["a"], found["b"]], [1e-5, 3e-3], rtol=1e-9)


def test_a_lift_that_is_off_in_its_last_digits_falls_short(monkeypatch):
    judged = []
    for off in (0.0, 3e-14):
        theirs = exactness.reduce

        def reduced(*given, theirs=theirs, off=off):
            found = theirs(*given)
            found.E[found.dependent[0]] += off
            return found

        monkeypatch.setattr(exactness, "reduce", reduced)
        worst = exactness.Worst()
        exactness.judge(worst, "four-bar", four_bar_of(), "python")
        judged.append({row.name: row.holds for row in worst.figures("x")})
        monkeypatch.undo()
    gated = [name for name, holds in judged[0].items() if holds is not None]
    assert gated == [f"x: {array}" for array in exactness.ARRAYS]
    assert all(judged[0][name] for name in gated)
    assert [name for name in gated if not judged[1][name]] == ["x: lift"]


def test_without_pinocchio_its_figures_are_skipped_with_the_reason(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pinocchio", None)
    assert generated.main(["--only", "pinocchio"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("skipped") == len(single.PROBLEMS)
    assert "Pinocchio cannot be imported" in shown


@pytest.mark.parametrize("make", [world.dense, world.folded])
def test_a_whole_robot_evaluated_in_the_world_has_the_rows_of_its_loops(make):
    compiled = compile_mechanism(excavator())
    whole = make(compiled, emitter_named("python"))
    q = starting_coordinates(compiled) + np.random.default_rng(3).uniform(-0.1, 0.1, compiled.nq)
    whole.q[:] = q
    whole()
    expected = linearize(compiled, q)
    np.testing.assert_allclose(whole.residual, expected.residual, atol=1e-13)
    np.testing.assert_allclose(whole.jacobian, expected.jacobian, atol=1e-13)


def test_where_no_structure_is_known_every_twist_is_carried_to_every_closure():
    """A twist takes 9 + 9 products to turn and 6 to shift, whether or not it is zero."""
    compiled = compile_mechanism(excavator())
    dense, folded = (
        make(compiled, emitter_named("python")) for make in (world.dense, world.folded)
    )
    assert dense.operations > 24 * compiled.nv * len(compiled.closures)
    assert folded.operations < dense.operations / 5
