import csv
import json
import math
import re

import pytest

import robocompiler as rc
from linkages.planar import GRASHOF, four_bar_of, four_bar_solution, slider_crank
from mechanisms import four_bar
from robocompiler.cli.main import main
from robocompiler.cli.progress import told
from robocompiler.cli.values import read_quantity


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "fourbar.json"
    path.write_text(rc.to_json(four_bar(joint={"C": {"effort": 1.0}})))
    return path


def test_assemble_sets_joints_by_values_with_units(file, capsys):
    pytest.importorskip("pint")
    assert main(["assemble", str(file), "--set", "C=60deg", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["joints"]["C"] == [pytest.approx(math.pi / 3)]
    assert set(data["joints"]) >= set("ABCD")
    assert main(["assemble", str(file), "--set", "B=0.5rad"]) == 0
    assert "B: 28.6479°" in capsys.readouterr().out


def test_joints_that_were_cut_are_set_and_driven_like_others(tmp_path, capsys):
    pytest.importorskip("pint")
    file = tmp_path / "bar.json"
    file.write_text(rc.to_json(four_bar()))
    assert main(["assemble", str(file), "--set", "C=60deg", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["joints"]["C"] == [pytest.approx(math.pi / 3)]
    assert main(["assemble", str(file), *(f"--set={n}=1rad" for n in "ABCD")]) == 1
    assert "leave one out" in capsys.readouterr().err
    ends = ["--from", "60deg", "--to", "80deg", "--samples", "3", "--set", "A=40deg"]
    table = tmp_path / "out.csv"
    assert main(["follow", str(file), "--driver", "C", *ends, "--csv", str(table)]) == 0
    rows = list(csv.DictReader(table.open()))
    assert float(rows[2]["C [rad]"]) == pytest.approx(math.radians(80.0), abs=1e-14)


def test_assemble_says_how_every_joint_moves_at_speeds_with_units(tmp_path, capsys):
    """A slider straight in line with its crank moves as fast as the crank's end."""
    pytest.importorskip("pint")
    file = tmp_path / "slider.json"
    file.write_text(rc.to_json(slider_crank(0.1, 0.3, 0.0)))
    call = ["assemble", str(file), "--set", "A=90deg", "--speed"]
    assert main([*call, "A=2rad/s"]) == 0
    said = capsys.readouterr().out
    assert "A: 90°; 114.592°/s" in said
    assert re.search(r"S: .* mm; -200 mm/s", said)
    assert main([*call, "S=-200mm/s", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["speeds"]["A"] == [pytest.approx(2.0)]
    assert main([*call, "A=2rad"]) == 1
    assert "A=2rad is not a value such as 0.3rad/s" in capsys.readouterr().err
    assert main([*call, "A=2rad/s", "--speed", "S=100mm/s"]) == 1
    assert "let it move at -200 mm/s only" in capsys.readouterr().err


@pytest.mark.parametrize("value", ["3mm", "3", "3percent", "3deg/s", "deg", "1e400deg x", "3flops"])
def test_a_value_of_another_dimension_or_none_is_refused(file, capsys, value):
    pytest.importorskip("pint")
    assert main(["assemble", str(file), "--set", f"B={value}"]) == 1
    assert f"B={value} is not a value such as 35deg" in capsys.readouterr().err


def test_a_zero_needs_no_unit_and_no_library(file, capsys):
    assert main(["assemble", str(file), "--set", "B=0"]) in (0, 1)
    assert "is not a value" not in capsys.readouterr().err


def test_speeds_and_lengths_are_read_in_si():
    pytest.importorskip("pint")
    assert read_quantity("0.3rad/s", "radian / second", "", "") == 0.3
    assert read_quantity("18 deg/s", "radian / second", "", "") == pytest.approx(math.pi / 10)
    assert read_quantity("-1.2e2mm", "meter", "", "") == pytest.approx(-0.12)
    assert read_quantity("0.5turn", "radian", "", "") == pytest.approx(math.pi)


def test_a_wanted_value_out_of_reach_is_told_on_stderr(file, capsys):
    pytest.importorskip("pint")
    assert main(["assemble", str(file), "--want", "D=170deg"]) == 0
    assert "D stays" in capsys.readouterr().err
    assert main(["assemble", str(file), "--set", "D=170deg"]) == 1
    assert "cannot be moved" in capsys.readouterr().err


def test_follow_writes_a_table_and_a_picture(tmp_path, capsys):
    for library in ("pint", "matplotlib"):
        pytest.importorskip(library)
    file = tmp_path / "bar.json"
    file.write_text(rc.to_json(four_bar_of()))
    ends = ["--from", "0deg", "--to", "1turn", "--samples", "13"]
    outputs = ["--csv", str(tmp_path / "out.csv"), "--plot", str(tmp_path / "out.png")]
    assert main(["follow", str(file), "--driver", "A", *ends, *outputs]) == 0
    rows = list(csv.DictReader((tmp_path / "out.csv").open()))
    assert len(rows) == 13
    for row in rows:
        angle = float(row["A [rad]"])
        exact = four_bar_solution(GRASHOF["crank-rocker"], angle)[1]
        assert math.remainder(float(row["D [rad]"]) - exact, math.tau) == pytest.approx(
            0, abs=1e-12
        )
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")
    assert "13 samples" in capsys.readouterr().out
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bar.json", "out.csv", "out.png"]


def test_a_path_that_cannot_be_followed_writes_nothing(tmp_path, capsys):
    pytest.importorskip("pint")
    file = tmp_path / "bar.json"
    file.write_text(rc.to_json(four_bar_of(GRASHOF["rocker-crank"], 1.2)))
    call = ["follow", str(file), "--driver", "A", "--from", "70deg", "--to", "120deg"]
    assert main([*call, "--csv", str(tmp_path / "out.csv")]) == 1
    assert "Sample" in capsys.readouterr().err
    assert not (tmp_path / "out.csv").exists()
    assert main([*call, "--plot", str(tmp_path / "out.bmp")]) == 1
    assert main([*call[:-4], "--from", "1m", "--to", "2rad"]) == 1
    assert main(["follow", str(file), "--driver", "Q", *call[4:]]) == 1


def test_follow_writes_over_nothing_that_it_reads_or_writes(tmp_path, capsys):
    file = tmp_path / "bar.json"
    file.write_text(rc.to_json(four_bar_of()))
    before, picture = file.read_bytes(), str(tmp_path / "out.png")
    call = ["follow", str(file), "--driver", "A", "--from", "0", "--to", "1rad", "--samples", "3"]
    for outputs in (["--csv", str(file)], ["--csv", picture, "--plot", picture]):
        assert main([*call, *outputs]) == 1
        assert "it would replace what is read, or the other output" in capsys.readouterr().err
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["bar.json"]


def test_progress_is_told_only_when_work_takes_long(capsys, monkeypatch):
    now = iter([0.0, 0.2, 1.5, 1.5, 1.6])
    monkeypatch.setattr("robocompiler.cli.progress.time.monotonic", lambda: next(now))
    tell = told()
    tell(1, 9)
    tell(5, 9)
    tell(6, 9)
    assert capsys.readouterr().err == "robocompiler: 5 of 9 samples\n"
