"""What holds of every format: the same bytes again, shared meshes, legal names, all or nothing."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from everything import SHAPES, everything, renamed_with
from exporting import asked, files_of, write
from mechanisms import four_bar
from robocompiler.errors import MechanismError, OutputError
from robocompiler.write.known_formats import FORMATS

ROOT = Path(__file__).parents[2]
EVERY = pytest.mark.parametrize("name", FORMATS)
WRITES = """
import sys
from pathlib import Path
import robocompiler as rc
from everything import everything, geometry
options = eval(sys.argv[3])
mechanism = everything()
compiled = rc.compile(mechanism)
here = rc.assemble(compiled)
there = rc.assemble(compiled, {"tree revolute": 1.0}, near=here)
rc.write(compiled, Path(sys.argv[2]), here, format=sys.argv[1], geometry=geometry, ledger=True,
         configurations={"there": there}, **options)
"""


@EVERY
def test_two_processes_write_the_same_bytes_however_they_hash(name, tmp_path):
    written = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        path = folder / f"m{FORMATS[name].suffixes[0]}"
        command = [sys.executable, "-c", WRITES, name, str(path), repr(asked(name))]
        places = os.pathsep.join(str(ROOT / part) for part in ("plugin", "tests"))
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": places}
        subprocess.run(command, env=env, check=True)
        written.append(files_of(folder))
    assert written[0] == written[1]
    assert len(written[0]) >= 3 + len(SHAPES)


def test_formats_in_one_folder_share_files_and_leave_one_another_alone(tmp_path):
    """In either order: what two formats both write is the same in both, meshes above all."""
    there = {}
    for name in [*FORMATS, *reversed(FORMATS)]:
        result = write(name, everything(), tmp_path)
        now = files_of(tmp_path)
        assert {path: now[path] for path in there} == there
        there = now
        own = {str(path.relative_to(tmp_path)) for path in result.files}
        assert own >= {"m.mechanism.json", *(f"m_meshes/{mesh}.obj" for mesh in SHAPES)}


@EVERY
def test_a_file_that_another_wrote_is_replaced_and_others_are_left(name, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    first = write(name, everything(), tmp_path)
    before = files_of(tmp_path)
    again = write(name, everything(), tmp_path)
    assert files_of(tmp_path) == before
    assert first.files == again.files
    assert {str(path.relative_to(tmp_path)) for path in again.files} == set(before) - {"notes.txt"}


@EVERY
def test_an_old_file_survives_an_export_that_fails(name, tmp_path, monkeypatch):
    write(name, everything(), tmp_path)
    before = files_of(tmp_path)
    rename = Path.replace

    def full(self, target):
        """The last of the files, when all others are in their places."""
        if Path(target).name == "angle.obj":
            raise OSError(28, os.strerror(28))
        return rename(self, target)

    moved = replace(everything(), name="another")
    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OutputError, match="no space left"):
        write(name, moved, tmp_path)
    monkeypatch.undo()
    assert files_of(tmp_path) == before


@EVERY
def test_a_folder_that_cannot_take_files_is_named_and_nothing_left(name, tmp_path):
    (tmp_path / "file").write_text("mine")
    for folder in (tmp_path / "nowhere", tmp_path / "file"):
        with pytest.raises(OutputError, match=folder.name):
            write(name, four_bar(), folder)
    suffix = FORMATS[name].suffixes[0]
    (tmp_path / f"taken{suffix}").mkdir()
    with pytest.raises(OutputError, match="taken"):
        write(name, four_bar(), tmp_path, stem="taken")
    assert files_of(tmp_path) == {"file": b"mine"}
    assert list((tmp_path / f"taken{suffix}").iterdir()) == []


ODD = ["a b/c", "ärm (left)", "1st", "a.b-c", "x_y", "x y", 'say "hi" & <go>', "{brace}", "$HOME"]


@EVERY
def test_names_that_had_to_change_are_kept_track_of_and_the_others_stay(name, tmp_path):
    """Every mapped name is the mechanism's, none is its own, and no two are one."""
    odd = {old: ODD[i] for i, old in enumerate(("A", "B", "C", "D"))}
    odd |= {old: ODD[4 + i] for i, old in enumerate(("ground", "crank", "coupler", "rocker"))}
    mechanism = renamed_with(four_bar(), lambda own: odd.get(own, own))
    result = write(name, mechanism, tmp_path)
    known = {
        "joint": {joint.name for joint in mechanism.joints},
        "body": {body.name for body in mechanism.bodies},
    }
    for kind, names in result.names.items():
        assert len(set(names.values())) == len(names)
        for own, given in names.items():
            assert own != given
            assert given
            of = known.get(kind, {own})
            assert any(own == name or own.startswith(f"{name}/") for name in of)
    again = write(name, mechanism, tmp_path)
    assert again.names == result.names


@EVERY
@pytest.mark.parametrize("option", ["timestep", "root", "usd_profile", "ground_plane"])
def test_an_option_of_another_format_is_refused(name, option, tmp_path):
    values = {"timestep": 1e-3, "root": "base_footprint", "usd_profile": "physx"}
    if option in FORMATS[name].options:
        write(name, four_bar(), tmp_path, **{option: values.get(option, True)})
        return
    with pytest.raises(MechanismError, match=f"{option}=.* is not left out"):
        write(name, four_bar(), tmp_path, **{option: values.get(option, True)})
    assert files_of(tmp_path) == {}
