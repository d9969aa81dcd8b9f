"""Every format, as a user exports it: side by side in one folder, with what each one lost."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest
import yaml
from linkage import FOURBAR, LOOP_C, fourbar, write_package
from pc import ROOT, pc

from robocompiler.write.known_formats import FORMATS

EXPORTS = yaml.safe_load((ROOT / "partcad.yaml").read_text(encoding="utf-8"))["export"]

pytestmark = pytest.mark.partcad


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """The four-bar in all formats, in one folder, and what each export said."""
    folder = tmp_path_factory.mktemp("formats")
    example = ROOT / "examples" / "fourbar"
    said, meshes = {}, {}
    for name in FORMATS:
        done = pc("export", "-t", f"rc:{name}", "-O", folder, "-a", "fourbar", cwd=example)
        assert done.returncode == 0, done.stdout
        said[name] = done.stdout
        meshes[name] = {
            path.name: path.read_bytes() for path in (folder / "fourbar_meshes").glob("*.obj")
        }
    return folder, said, meshes


def test_every_format_has_an_entry_and_is_written(exported):
    folder, _, _ = exported
    assert set(FORMATS) <= set(EXPORTS)
    for name in FORMATS:
        assert (folder / f"fourbar.{EXPORTS[name]['extension']}").is_file()


def test_formats_in_one_folder_share_their_meshes_and_the_mechanism(exported):
    folder, _, meshes = exported
    first, *others = meshes.values()
    assert all(other == first for other in others)
    mechanism = json.loads((folder / "fourbar.mechanism.json").read_text(encoding="utf-8"))
    assert {mesh["file"] for mesh in mechanism["meshes"]} == {
        f"fourbar_meshes/{name}" for name in first
    }


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_lost_or_approximated_is_a_table_with_a_line_for_each(exported, name):
    """Each format lets parts collide as hulls, or loses something: a line says what of which."""
    _, said, _ = exported
    title = re.search(
        r"WARNING:partcad:.*: of \d+ things that the mechanism says, (.*)", said[name]
    )
    assert title, said[name]
    counted = sum(int(n) for n in re.findall(r"(\d+) (?:is|are)", title[1]))
    rows = re.findall(r"^  (?:lost|approximated)  +\S", said[name][title.end() :], re.MULTILINE)
    assert len(rows) == counted


def packaged(folder, **export):
    """A four-bar of a package that asks this of its exports."""
    return write_package(
        folder,
        {"fourbar.assy": FOURBAR},
        assemblies={"fourbar": fourbar(LOOP_C, export=export)},
    )


def test_an_export_whose_package_asks_for_its_ledger_has_it_as_json(tmp_path):
    folder = packaged(tmp_path / "package", urdf={"ledger": True})
    (tmp_path / "out").mkdir()
    done = pc("export", "-t", "rc:urdf", "-O", tmp_path / "out", "-a", "fourbar", cwd=folder)
    assert done.returncode == 0, done.stdout
    told = json.loads((tmp_path / "out" / "fourbar.urdf.ledger.json").read_text(encoding="utf-8"))
    assert {"exact", "dropped"} <= {entry["fidelity"] for entry in told["entries"]}


def test_a_strict_export_that_would_lose_something_names_it_and_writes_nothing(tmp_path):
    folder = packaged(tmp_path / "package", urdf={"strict": True})
    (tmp_path / "out").mkdir()
    done = pc("export", "-t", "rc:urdf", "-O", tmp_path / "out", "-a", "fourbar", cwd=folder)
    assert "ground: its surface's friction" in done.stdout, done.stdout
    assert "strict" in done.stdout
    assert not list((tmp_path / "out").iterdir())


ASKED = {"timestep": 0.0005}


def option(path):
    """The time step [s] of an exported MJCF."""
    return float(ElementTree.parse(path).getroot().find("option").get("timestep"))


def test_options_stand_under_the_plain_name_with_t_and_with_the_plugin_s_own(tmp_path):
    """Without `-t`, `--options-package` says whose formats those are: all of them are written."""
    folder = packaged(tmp_path / "package", mjcf=ASKED)
    for asked, files in (("-t", 1), ("--options-package", len(FORMATS))):
        out = tmp_path / asked.strip("-")
        out.mkdir()
        named = {"-t": "rc:mjcf"}.get(asked, "rc")
        done = pc("export", asked, named, "-O", out, "-a", "fourbar", cwd=folder)
        assert done.returncode == 0, done.stdout
        assert option(out / "fourbar.xml") == ASKED["timestep"]
        written = [name for name in FORMATS if (out / f"fourbar.{suffix(name)}").is_file()]
        assert len(written) == files


def suffix(name):
    """Of a format's own file."""
    return EXPORTS[name]["extension"]


def test_options_that_leave_assemblies_out_let_a_bare_export_pass_and_hold_with_t(tmp_path):
    folder = packaged(tmp_path / "package", mjcf={**ASKED, "exclude": ["assemblies"]})
    linted = pc("lint", cwd=folder)
    assert linted.returncode == 0, linted.stdout
    done = pc("export", "-O", tmp_path, "-a", "fourbar", cwd=folder)
    assert done.returncode == 0, done.stdout
    assert not list(tmp_path.glob("fourbar*"))
    done = pc("export", "-t", "rc:mjcf", "-O", tmp_path, "-a", "fourbar", cwd=folder)
    assert done.returncode == 0, done.stdout
    assert option(tmp_path / "fourbar.xml") == ASKED["timestep"]


def test_partcad_hands_over_no_options_that_stand_under_the_name_with_its_package(tmp_path):
    """So the README says: should this fail, PartCAD has changed."""
    folder = packaged(tmp_path / "package", **{"rc:mjcf": ASKED})
    linted = pc("lint", cwd=folder)
    assert linted.returncode != 0
    done = pc("export", "-t", "rc:mjcf", "-O", tmp_path, "-a", "fourbar", cwd=folder)
    assert done.returncode == 0, done.stdout
    assert option(tmp_path / "fourbar.xml") != ASKED["timestep"]


VAIN = {"usd_profile": "newton", "timesteps": 1, "configurations": {"up": {"A": 90}}}


def test_options_that_have_no_effect_are_told_and_no_others(exported, tmp_path):
    folder = packaged(tmp_path / "package", mjcf=VAIN)
    done = pc("export", "-t", "rc:mjcf", "-O", tmp_path, "-a", "fourbar", cwd=folder)
    assert done.returncode == 0, done.stdout
    told = re.findall(r"WARNING:.*'(\w+)' has no effect", done.stdout)
    assert sorted(told) == sorted(VAIN)
    _, said, _ = exported
    assert not [name for name in FORMATS if "has no effect" in said[name]]


def test_a_strict_export_is_refused_for_options_that_have_no_effect(tmp_path):
    folder = packaged(tmp_path / "package", mjcf={**VAIN, "strict": True})
    done = pc("export", "-t", "rc:mjcf", "-O", tmp_path, "-a", "fourbar", cwd=folder)
    assert done.returncode != 0
    assert "3 faults" in done.stdout, done.stdout
    assert not list(tmp_path.glob("fourbar*"))
