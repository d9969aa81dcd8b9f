import json
import subprocess
import sys
from pathlib import Path

import pytest

import robocompiler as rc
from mechanisms import four_bar
from robocompiler.cli import main

PLUGIN = Path(rc.__file__).parents[1]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "fourbar.json"
    path.write_text(rc.to_json(four_bar(joint={"C": {"effort": 1.0}})))
    return path


def test_show_prints_bodies_joints_cuts_modules_mobility_and_masses(file, capsys):
    assert main(["show", str(file)]) == 0
    said = capsys.readouterr().out
    assert "fourbar: mobility 1, mass 1.15 kg" in said
    assert "crank: 0.1 kg" in said
    assert "ground: 0.4 kg, welded to world" in said
    assert "C: cut at A (revolute, 5 rows), since nothing drives, couples or springs it" in said
    assert "C: C over" in said


def test_show_json_has_every_list_by_name(file, capsys):
    assert main(["show", "--json", str(file)]) == 0
    data = json.loads(capsys.readouterr().out)
    for key in ("bodies", "joints", "chords", "closures", "modules", "couplings"):
        assert all("name" in entry for entry in data[key])
    assert {b["name"] for b in data["bodies"]} == {"ground", "crank", "coupler", "rocker"}
    assert {j["name"] for j in data["joints"]} | {c["name"] for c in data["chords"]} == set("ABCD")
    assert [c["name"] for c in data["closures"]] == ["C"]
    assert (data["name"], data["mobility"]) == ("fourbar", 1)
    assert data["mass"] == pytest.approx(1.15)


def test_convert_writes_a_model(file, tmp_path):
    assert main(["convert", str(file), "-o", str(tmp_path / "out.xml")]) == 0
    assert (tmp_path / "out.xml").is_file()


def test_a_fault_is_one_line_on_stderr_and_exit_code_1(tmp_path, capsys):
    assert main(["show", str(tmp_path / "none.json")]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("robocompiler: ")
    assert "cannot be read" in said.err


def test_the_module_runs_optimized_as_partcad_runs_it(file):
    """-OO strips assertions and docstrings; nothing may depend on either."""
    done = subprocess.run(
        [sys.executable, "-OO", "-m", "robocompiler", "show", str(file)],
        cwd=PLUGIN,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "mobility 1" in done.stdout


def test_the_library_imports_without_what_only_some_of_it_uses():
    code = (
        "import sys, robocompiler; "
        "print([m for m in ('scipy', 'mujoco', 'OCP', 'matplotlib', 'kinematics') "
        "if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=PLUGIN, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
