"""The scripts that PartCAD runs to export, run as PartCAD runs them."""

import ast
import json
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from partcad_drawing import request
from partcad_fourbar import fourbar

import robocompiler as rc
from robocompiler.errors import SeveralFaultsError, UnreadOptionError
from robocompiler.write.known_formats import FORMATS
from robocompiler.write.partcad import (
    ALWAYS,
    OF_ITS_EXPORTERS,
    OF_NONE,
    OF_READING,
    answer,
    options_of,
    unread,
)

ROOT = Path(__file__).resolve().parents[2]
EXPORTS = yaml.safe_load((ROOT / "partcad.yaml").read_text(encoding="utf-8"))["export"]
OF_PARTCAD = {"desc", "path", "extension", "pythonRequirements", "properties"}
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
    assert set(entry) - OF_PARTCAD == FORMATS[name].options | ALWAYS | OF_READING


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
    asked = {"ledger": True, "timestep": None, "tolerance": 0.1, "root": "base_footprint"}
    assert options_of(asked, "mjcf") == {"ledger": True, "timestep": None, "format": "mjcf"}


def of_partcad(asked, name="mjcf"):
    """What PartCAD itself puts into a request, with an entry's own defaults and what is asked."""
    entry = {key: value for key, value in EXPORTS[name].items() if key not in ("desc", "path")}
    entry = {key: entry[key] for key in set(entry) - {"extension", "pythonRequirements"}}
    said = dict.fromkeys(("shape_name", "shape_kind", "shape_type", "package_name"), "linkage")
    given = {"wrapped": None, "shape_tree": {}, "world": {}, "cache_dir": "", "density": 1000}
    beneath = OF_ITS_EXPORTERS.get(name, {})
    return {**said, **given, "reproducible": False, **beneath, **entry, **asked}


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_nothing_that_partcad_or_an_entry_states_is_told(name):
    assert unread(of_partcad({}, name), name) == []


def test_what_a_user_asks_of_partcad_s_own_urdf_is_told():
    (told,) = unread(of_partcad({"composites": "massless"}, "urdf"), "urdf")
    assert "'composites' has no effect" in told


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_what_partcad_s_exporter_of_the_same_name_states_is_known(name):
    """Its entry lies below the plugin's in each request."""
    found = find_spec("partcad")
    if found is None:
        pytest.skip("PartCAD is missing")
    entries = Path(found.origin).parent / "builtin" / "export" / "partcad.yaml"
    theirs = yaml.safe_load(entries.read_text(encoding="utf-8"))["export"].get(name, {})
    rest = set(theirs) - set(EXPORTS[name]) - {"reproducible"}
    assert {key: theirs[key] for key in rest} == OF_ITS_EXPORTERS.get(name, {})


UNREAD = {
    "timesteps": "did you mean 'timestep'?",
    "angular_tolerance": "did you mean 'angularTolerance'?",
    "usd_profile": "'usd_profile' is of USD.",
    "usd_profil": "'usd_profile' is of USD.",
    "intermediate_mass": "'intermediate_mass' is of URDF, SDFormat, USD.",
    "configurations": "--configuration NAME:JOINT=VALUE` writes others with it.",
    "independent": "it is of C code, which `python -m robocompiler convert -o FILE.c` writes.",
}


@pytest.mark.parametrize("key", sorted(UNREAD))
def test_an_option_that_the_format_has_not_is_told_with_what_to_do_and_those_it_has(key):
    (told,) = unread(of_partcad({key: 1}), "mjcf")
    assert told.startswith(f"`export: {{mjcf: …}}`: '{key}' has no effect: ")
    assert UNREAD[key] in told
    has = FORMATS["mjcf"].options | ALWAYS | OF_READING
    assert told.endswith(f"Options are {', '.join(sorted(has))}.")


@pytest.mark.parametrize("key", sorted(UNREAD))
def test_a_strict_export_is_refused_for_an_option_that_the_format_has_not(key):
    with pytest.raises(UnreadOptionError, match=f"'{key}' has no effect: ") as refused:
        options_of(of_partcad({key: 1, "strict": True}), "mjcf")
    assert refused.value.option == key


def test_a_strict_export_tells_all_such_options_at_once():
    asked = dict.fromkeys(UNREAD, 1)
    with pytest.raises(SeveralFaultsError) as refused:
        options_of(of_partcad({**asked, "strict": True}), "mjcf")
    assert [fault.option for fault in refused.value.faults] == sorted(UNREAD)


def test_what_resembles_no_option_is_told_and_refuses_nothing():
    """A PartCAD to come may put it there."""
    asked = of_partcad({"weather": "fine", "strict": True})
    assert options_of(asked, "mjcf")["strict"] is True
    (told,) = unread(asked, "mjcf")
    assert "'weather' has no effect. Options are " in told


def test_all_that_write_can_be_asked_for_is_known_to_an_export():
    """What no format of models has as an option has its own answer."""
    from inspect import Parameter, signature

    parameters = signature(rc.write).parameters.values()
    named = {own.name for own in parameters if own.kind is Parameter.KEYWORD_ONLY}
    known = ALWAYS.union(OF_NONE, *(form.options for form in FORMATS.values()))
    assert known == named - {"format", "geometry"}


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_a_wrapper_tells_what_nothing_reads_and_is_refused_for_it_by_strict(name, tmp_path):
    path = tmp_path / f"linkage.{EXPORTS[name]['extension']}"
    asked = {**request(fourbar()), "tolerence": 1}
    said = exported(name, path, asked)
    assert [warning for warning in said["warnings"] if "did you mean 'tolerance'?" in warning]
    path.unlink()
    refused = exported(name, path, {**asked, "strict": True}, code=1)
    assert "UnreadOptionError: `export: " in refused
    assert not path.exists()


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


def test_what_the_file_calls_otherwise_is_a_warning_of_each_kind(tmp_path):
    from mechanisms import four_bar

    result = replace(
        rc.write(rc.compile(four_bar()), tmp_path / "m.xml"), names={"body": {"a": "b"}}
    )
    assert answer(result)["warnings"] == ["the file calls things otherwise: body: 'a' is 'b'"]
