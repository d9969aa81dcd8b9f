"""The benchmark of generated dynamics: what it times is the same motion for everyone."""

import importlib.util
import sys
from pathlib import Path

import closure
import numpy as np
import pytest
from dynamics_figures import cases, timings

import robocompiler as rc
from robocompiler.model.joint_kinds import JointKind


@pytest.fixture(scope="module")
def dynamics():
    """The benchmark as a module: its name alone may be that of a folder of tests."""
    place = Path(closure.__file__).with_name("dynamics.py")
    spec = importlib.util.spec_from_file_location("benchmark_dynamics", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("own", [*cases.SIZES, 3])
def test_states_that_are_timed_are_closed_and_all_of_their_speeds_follow_the_independent_ones(own):
    case = cases.chain_case(own, 2) if own == 3 else cases.stewart_case(own)
    for q, u, v in zip(case.q, case.u, case.v, strict=True):
        reduction = rc.reduce(case.compiled, q)
        assert reduction.names == case.bound.independent == case.bound.ports
        np.testing.assert_allclose(v, reduction.E @ u, atol=1e-12)
    assert not np.array_equal(case.q[0], case.q[1])


def test_ours_is_judged_by_fifty_digits_and_nobody_else():
    case = cases.stewart_case("Stewart, 21 coordinates")
    assert case.error() <= 1e-13
    assert case.inverse_error() <= 1e-12
    case.efforts[2, 3] += 1e-6  # after the references were made
    assert case.error() >= 1e-10


def test_peers_have_the_chains_tree_and_a_point_where_it_has_a_pin():
    case = cases.chain_case(3)
    names = [[joint.edge.joint.name for joint in of.tree] for of in (case.compiled, case.peers)]
    assert names[0] == names[1]
    kinds = [{closure.kind for closure in of.closures} for of in (case.compiled, case.peers)]
    assert kinds == [{JointKind.REVOLUTE}, {JointKind.BALL}]


def test_without_its_peers_what_is_timed_beside_them_is_skipped_with_the_reason(
    dynamics, monkeypatch, capsys
):
    monkeypatch.setitem(sys.modules, "pinocchio", None)
    monkeypatch.setitem(sys.modules, "mujoco", None)
    assert dynamics.main(["--only", "calls", "batch"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("skipped") == 3
    assert "Pinocchio cannot be imported" in shown
    assert "MuJoCo cannot be imported" in shown


def test_a_chain_that_is_not_linear_falls_short(monkeypatch):
    monkeypatch.setattr(timings, "MODULES", (2, 4))
    monkeypatch.setattr(timings, "missing", lambda: "none here")
    times = iter([{"2": 2.0, "4": 8.4}, {"2": 2.0, "4": 7.6}])
    monkeypatch.setattr(timings, "interleaved", lambda candidates, rounds: next(times))
    forward, inverse, beside = timings.chain()
    assert forward.holds is False
    assert forward.number == pytest.approx(2.1)
    assert inverse.holds
    assert beside.value == "skipped"
