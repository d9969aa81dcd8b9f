"""The matrix of consumers leaves nothing out: what is missing, failed or not run is said."""

import json

import pytest
from matrix import EXPECTED, OPTIONAL, main

KEYS = ("consumer", "format", "kind", "says", "test", "outcome", "reason")


def row(consumer, form, outcome="passed", reason="", kind="agrees", test="test_a.py::test_it[x]"):
    return dict(zip(KEYS, (consumer, form, kind, "masses", test, outcome, reason), strict=True))


@pytest.fixture
def complete():
    pairs = [(consumer, form) for consumer, forms in EXPECTED.items() for form in forms]
    return {pair: row(*pair) for pair in pairs if pair[0] not in OPTIONAL}


@pytest.fixture
def shown(tmp_path, capsys):
    def show(rows):
        (tmp_path / "a.json").write_text(json.dumps(list(rows)))
        faults = main(tmp_path)
        return faults, capsys.readouterr().out

    return show


def test_a_complete_matrix_has_no_fault(complete, shown):
    faults, text = shown(complete.values())
    assert faults == 0
    assert text.count("agrees: masses") == len(complete)
    assert "not run here: `make test-physx`" in text


def test_a_row_that_no_test_fills_is_a_fault(complete, shown):
    del complete["Drake 1.51", "SDF"]
    faults, text = shown(complete.values())
    assert faults == 1
    assert "Drake 1.51, SDF          MISSING" in text


def test_a_failed_test_is_a_fault_and_is_named(complete, shown):
    complete["Drake 1.51", "SDF"] = row("Drake 1.51", "SDF", "failed")
    faults, text = shown(complete.values())
    assert faults == 1
    assert "FAILED: agrees masses (test_a.py::test_it[x])" in text


def test_what_is_not_run_says_why(complete, shown):
    complete["ign sdf", "SDF"] = row("ign sdf", "SDF", "skipped", "Skipped: apt install it")
    faults, text = shown(complete.values())
    assert faults == 0
    assert "not run: masses: apt install it" in text


def test_what_a_consumer_cannot_do_is_said_with_its_evidence(complete, shown):
    limit = row("Drake 1.51", "SDF", kind="cannot")
    _, text = shown([*complete.values(), limit])
    assert "cannot: masses (test_a.py::test_it)" in text


def test_a_row_that_nobody_expects_is_a_fault(complete, shown):
    faults, text = shown([*complete.values(), row("Bullet", "URDF")])
    assert faults == 1
    assert "Bullet, URDF" in text


def test_a_thing_of_several_examples_is_said_once(complete, shown):
    others = [row("Drake 1.51", "SDF", test=f"test_a.py::test_it[{i}]") for i in "yz"]
    _, text = shown([*complete.values(), *others])
    assert "agrees: masses of 3 examples" in text
