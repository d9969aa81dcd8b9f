"""The scripts that PartCAD runs to export, run as PartCAD runs them."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from partcad_drawing import request
from partcad_fourbar import fourbar

import robocompiler as rc
from robocompiler.write.known_formats import FORMATS
from robocompiler.write.partcad import ALWAYS, answer, options_of

ROOT = Path(__file__).resolve().parents[2]
EXPORTS = yaml.safe_load((ROOT / "partcad.yaml").read_text(encoding="utf-8"))["export"]
OF_PARTCAD = {
    "desc", "path", "extension", "pythonRequirements", "properties", "static", "tolerance",
    "angularTolerance", "closure_tolerance", "closure_angle_tolerance",
}  # fmt: skip
CALL = """
import json, runpy, sys
request = json.loads(sys.stdin.read())
script = runpy.run_path(sys.argv[1], {"request": request}, "__partcad_export__")
print(json.dumps(script["process"](sys.argv[2], request)))
"""


def exported(name, path, asked, code=0):
    """What a wrapper answers, by the entry's own parameters, in a process like PartCAD's."""
    entry = EXPORTS[name]
    given = {key: value for key, value in entry.items() if key not in ("desc", "path")}
    command = [sys.executable, "-sOOu", "-c", CALL, str(ROOT / entry["path"]), str(path)]
    done = subprocess.run(
        command,
        input=json.dumps({**given, **asked}),
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": ":".join(p for p in sys.path if p), "PATH": ""},
    )
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout) if not code else done.stderr


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_a_format_is_exported_by_its_own_entry_with_its_own_parameters(name):
    entry = EXPORTS[name]
    assert "." + entry["extension"] in FORMATS[name].suffixes
    assert set(entry) - OF_PARTCAD == FORMATS[name].options | ALWAYS


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_what_an_entry_states_is_what_write_takes_where_nothing_is_stated(name):
    from inspect import signature

    defaults = {key: own.default for key, own in signature(rc.write).parameters.items()}
    own = {key: EXPORTS[name][key] for key in FORMATS[name].options | ALWAYS}
    assert own == {key: defaults[key] for key in own}


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_a_wrapper_answers_in_plain_json_and_writes_its_file(name, tmp_path):
    path = tmp_path / f"linkage.{EXPORTS[name]['extension']}"
    said = exported(name, path, {**request(fourbar()), "ledger": True})
    assert said["success"] is True
    assert said["exception"] is None
    assert path.is_file()
    assert (tmp_path / f"{path.name}.ledger.json").is_file()
    assert (tmp_path / "linkage.mechanism.json").is_file()


def test_a_refusal_is_an_exception_that_names_all_that_would_be_lost(tmp_path):
    asked = {**request(fourbar()), "strict": True}
    said = exported("mjcf", tmp_path / "m.xml", asked, code=1)
    assert "LossError: MJCF cannot say" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", sorted(EXPORTS))
def test_a_wrapper_is_thin(name):
    """No branch, no unit, no XML."""
    text = (ROOT / EXPORTS[name]["path"]).read_text(encoding="utf-8")
    branches = (ast.If, ast.For, ast.While, ast.Try, ast.IfExp, ast.comprehension, ast.With)
    assert len(text.splitlines()) <= 40
    assert not [node for node in ast.walk(ast.parse(text)) if isinstance(node, branches)]


def test_what_a_request_leaves_out_is_left_out_and_what_is_partcad_s_too():
    asked = {"strict": True, "timestep": None, "tolerance": 0.1, "root": "base_footprint"}
    assert options_of(asked, "mjcf") == {"strict": True, "timestep": None, "format": "mjcf"}


def test_what_is_lost_is_one_warning_and_what_is_whole_none(tmp_path):
    from mechanisms import four_bar

    whole = rc.write(rc.compile(four_bar()), tmp_path / "m.xml")
    assert answer(whole)["warnings"] == []
    slow = four_bar(joint={"A": {"velocity": 2.0}})
    said = answer(rc.write(rc.compile(slow), tmp_path / "m.xml"))
    (table,) = [warning for warning in said["warnings"] if "\n" in warning]
    assert table.splitlines()[0].endswith("1 is lost")
    assert table.splitlines()[-1].split() == [
        "lost", "A", "its", "velocity", "limit", "MJCF", "has", "none",
    ]  # fmt: skip
    assert said["unsupported"] == ["A: its velocity limit, since MJCF has none"]
