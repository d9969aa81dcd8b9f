"""The examples, as a user runs them: `pc lint`, `pc test` and `pc sim`."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from pc import ROOT, pc, simulate

EXAMPLES = sorted(path.parent for path in ROOT.glob("examples/*/partcad.yaml"))

pytestmark = [
    pytest.mark.partcad,
    pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name),
]


def test_an_example_is_lint_clean(example: Path):
    done = pc("lint", cwd=example)
    assert done.returncode == 0, done.stdout
    assert "ERROR" not in done.stdout
    assert "WARNING" not in done.stdout


def test_an_example_passes_pc_test_whole(example: Path):
    """No two solids overlap, every connection holds, every claim is true."""
    done = pc("test", cwd=example)
    assert done.returncode == 0, done.stdout
    assert "ERROR" not in done.stdout


def test_an_examples_claims_hold_and_its_loops_stay_closed(example: Path):
    assembly = yaml.safe_load((example / "partcad.yaml").read_text())["assemblies"][example.name]
    loops = {
        name
        for marker, instances in (assembly.get("implements") or {}).items()
        if marker.startswith("rc:loop")
        for name in instances
    }
    runs = simulate(example, example.name)
    assert {run["simulation"] for run in runs} == set(assembly["simulate"])
    for run in runs:
        assert run["passed"], run["error"]
        worst = run["result"]["closures"]
        assert set(worst) == loops
        for name in loops:
            assert worst[name]["max_gap"] < 0.1, f"{name} [mm]"
        assert len(run["result"]["samples"]) > 1
