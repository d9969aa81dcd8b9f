"""What a user made is not replaced because a model is written beside it."""

from dataclasses import replace

import pytest

import robocompiler as rc
from everything import everything
from exporting import files_of, write
from linkages.planar import four_bar_of
from mechanisms import four_bar
from robocompiler.errors import ForeignFilesError
from robocompiler.write.known_formats import FORMATS

BESIDE = {
    "mjcf": ["m.mechanism.json", "m.xml.ledger.json"],
    "urdf": ["m.mechanism.json", "m.robot.yaml", "m.srdf", "m.urdf.ledger.json"],
    "sdf": ["m.drake.sdf", "m.mechanism.json", "m.sdf.ledger.json"],
    "usd": ["m.mechanism.json", "m.usda.ledger.json"],
}
"""All but meshes."""


def test_these_are_all_that_go_beside_models(tmp_path):
    assert BESIDE.keys() == FORMATS.keys()
    for name, files in BESIDE.items():
        folder = tmp_path / name
        folder.mkdir()
        result = write(name, everything(), folder, ledger=True)
        beside = {path.name for path in result.files[1:] if path.parent == folder}
        assert sorted(beside) == files


@pytest.mark.parametrize("content", [b"mine", b"{}", b"\xff", b"[" * 10, b'{"version": 1}'])
@pytest.mark.parametrize("name", BESIDE)
def test_all_files_of_the_user_s_are_told_at_once_and_nothing_is_touched(name, content, tmp_path):
    for file in BESIDE[name]:
        (tmp_path / file).write_bytes(content)
    with pytest.raises(ForeignFilesError, match="Move them, or give the model another") as caught:
        write(name, everything(), tmp_path, ledger=True)
    assert sorted(file.name for file in caught.value.files) == BESIDE[name]
    assert files_of(tmp_path) == dict.fromkeys(BESIDE[name], content)


@pytest.mark.parametrize("name", BESIDE)
def test_one_is_told_alone_and_an_empty_one_is_no_loss(name, tmp_path):
    write(name, everything(), tmp_path, ledger=True)
    for file in BESIDE[name]:
        kept = (tmp_path / file).read_bytes()
        (tmp_path / file).write_bytes(b"mine")
        with pytest.raises(ForeignFilesError, match=f"'{file}' would be replaced, which is not"):
            write(name, replace(everything(), name="other"), tmp_path, ledger=True)
        (tmp_path / file).write_bytes(b"")
        write(name, everything(), tmp_path, ledger=True)
        assert (tmp_path / file).read_bytes() == kept


@pytest.mark.parametrize("name", BESIDE)
def test_files_of_another_export_are_replaced_and_so_is_what_the_user_named(name, tmp_path):
    """Each of them is known again, whatever it says."""
    suffix = FORMATS[name].suffixes[0]
    (tmp_path / f"m{suffix}").write_bytes(b"mine")
    write(name, four_bar(), tmp_path, ledger=True)
    before = files_of(tmp_path)
    write(name, everything(), tmp_path, ledger=True)
    after = files_of(tmp_path)
    changed = sorted(file for file in BESIDE[name] if before.get(file) != after[file])
    assert changed == BESIDE[name]


@pytest.mark.parametrize(("name", "file"), [("sdf", "m.drake.sdf"), ("urdf", "m.robot.yaml")])
def test_what_an_export_before_had_and_this_one_has_not_is_told(name, file, tmp_path):
    """Whoever loaded it would have the model of before."""
    told = [f"'{file}' is of an export before: this one writes none, so delete that"]
    write(name, four_bar(), tmp_path)
    kept = (tmp_path / file).read_bytes()
    driven = four_bar(joint={joint: {"effort": 1.0} for joint in "ABD"})
    apart = replace(driven, joints=driven.joints[:-1])  # the last closes the loop
    again = write(name, four_bar(), tmp_path)
    assert not set(told) & set(again.warnings)
    bodies = write(name, apart, tmp_path)
    assert [said for said in bodies.warnings if "export before" in said] == told
    assert (tmp_path / file).read_bytes() == kept
    (tmp_path / file).write_bytes(b"mine")
    assert not set(told) & set(write(name, apart, tmp_path).warnings)


def test_a_description_of_the_user_s_that_says_another_mechanism_is_not_replaced(tmp_path):
    """It has a user's own words: what we write has ours."""
    path = tmp_path / "m.mechanism.json"
    path.write_text(rc.to_json(four_bar()).replace("\n", "\n "))
    before = path.read_bytes()
    with pytest.raises(ForeignFilesError, match=r"m\.mechanism\.json"):
        rc.write(rc.compile(replace(four_bar(), name="other")), tmp_path / "m.xml")
    assert path.read_bytes() == before
    rc.write(rc.compile(four_bar()), tmp_path / "m.xml")
    assert path.read_bytes() == before


def test_a_header_of_the_user_s_is_not_replaced_by_that_of_c_code(tmp_path):
    compiled = rc.compile(four_bar_of())
    (tmp_path / "arm.h").write_text("mine")
    with pytest.raises(ForeignFilesError, match=r"arm\.h"):
        rc.write(compiled, tmp_path / "arm.c", independent=["A"])
    assert files_of(tmp_path) == {"arm.h": b"mine"}
    (tmp_path / "arm.h").unlink()
    for _ in range(2):
        rc.write(compiled, tmp_path / "arm.c", independent=["A"])
    other = rc.compile(replace(four_bar_of(), name="other"))
    rc.write(other, tmp_path / "arm.c", independent=["D"])
