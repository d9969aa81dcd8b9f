"""The benchmark of accelerations: it judges what it is given, and its peers are the mechanism."""

import importlib.util
import json
import sys
from dataclasses import replace
from pathlib import Path

import closure
import numpy as np
import pytest
from accuracy_figures import judged, mujoco_peer, pinocchio_peer, powers, sets, state, states

import robocompiler as rc
from linkages.planar import four_bar_of


def _script():
    """The benchmark as a module: its name alone may be that of a folder of tests."""
    place = Path(closure.__file__).with_name("accuracy.py")
    spec = importlib.util.spec_from_file_location("benchmark_accuracy", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def accuracy(monkeypatch):
    monkeypatch.setattr(sets, "SAMPLE", {"stewart": 2, "excavator": 2, "kangaroo": 2})
    return _script()


@pytest.mark.thorough
def test_a_sample_of_its_figures_holds_and_is_written(accuracy, tmp_path):
    file = tmp_path / "figures.json"
    assert accuracy.main(["--only", "excavator", "--json", str(file)]) == 0
    written = {row["name"]: row for row in json.loads(file.read_text())}
    assert written["excavator A (C5), 2 states, by numbers: delta_a"]["holds"]
    assert written["excavator B, 2 states, another partition: delta_a"]["holds"]
    assert written["excavator B, 2 states, generated: tau_r for u_dot"]["holds"]
    assert sum(row["holds"] is None for row in written.values()) >= 2


@pytest.mark.parametrize("off", ["v_dot", "inverse"])
def test_what_is_off_in_its_last_digits_falls_short(accuracy, off, monkeypatch, capsys):
    theirs = rc.forward_dynamics, rc.inverse_dynamics

    def forward(*given, **conditions):
        found = theirs[0](*given, **conditions)
        return replace(found, v_dot=found.v_dot * (1.0 + 1e-12 * (off == "v_dot")))

    def inverse(*given, **conditions):
        found = theirs[1](*given, **conditions)
        return replace(found, generalized=found.generalized * (1.0 + 1e-12 * (off == "inverse")))

    monkeypatch.setattr(rc, "forward_dynamics", forward)
    monkeypatch.setattr(rc, "inverse_dynamics", inverse)
    rows = list(
        judged.Judged(states.stewart_b(1)).figures("x", {"delta_a": 1e-13, "delta_f": 1e-13}, "")
    )
    short = {row.name for row in rows if row.holds is False}
    named = {
        "v_dot": {"x, 1 states, by numbers: delta_a", "x, 1 states, by numbers: delta_f"},
        "inverse": {"x, 1 states, by numbers: tau_r for u_dot"},
    }
    assert short == named[off]


def test_without_a_peer_its_rows_are_skipped_with_the_reason(monkeypatch):
    monkeypatch.setitem(sys.modules, "pinocchio", None)
    monkeypatch.setitem(sys.modules, "mujoco", None)
    found = judged.Judged(states.stewart_b(1))
    rows = list(found.figures("x", {"delta_a": 1e-13, "delta_f": 1e-13}, ""))
    skipped = [row for row in rows if row.value == "skipped"]
    assert [row.name.rpartition(", ")[2] for row in skipped] == ["Pinocchio", "MuJoCo"]
    assert all("cannot be imported" in row.reference for row in skipped)
    assert pinocchio_peer.missing()
    assert mujoco_peer.missing()


def test_a_sample_is_spread_evenly_from_first_to_last():
    assert state.spread(10, None) == list(range(10))
    assert state.spread(1101, 3) == [0, 550, 1100]
    assert state.spread(2, 5) == [0, 1]


def test_the_same_states_are_drawn_whether_or_not_all_are_taken():
    few, all_ = list(states.stewart_c2(2)), list(states.stewart_c2(None))
    assert len(all_) == 48
    np.testing.assert_array_equal(few[1].u, all_[-1].u)
    assert few[1].efforts == all_[-1].efforts


def test_power_that_does_not_balance_falls_short(monkeypatch):
    theirs = rc.forward_dynamics

    def forward(*given, **conditions):
        found = theirs(*given, **conditions)
        return replace(found, v_dot=found.v_dot + 1e-9)

    worst = powers.Balance()
    worst.see("four-bar", four_bar_of())
    assert all(row.holds for row in worst.figures())
    monkeypatch.setattr(rc, "forward_dynamics", forward)
    worst.see("four-bar", four_bar_of())
    assert [row.holds for row in worst.figures()] == [True, False, True, True]
