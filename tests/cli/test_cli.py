import json
import math
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import robocompiler as rc
from mechanisms import bar, four_bar
from robocompiler.cli.main import main

PLUGIN = Path(rc.__file__).parents[1]


def saved(folder, mechanism):
    path = folder / "mechanism.json"
    path.write_text(rc.to_json(mechanism))
    return path


@pytest.fixture
def file(tmp_path):
    return saved(tmp_path, four_bar(joint={"C": {"effort": 1.0}}))


def test_show_prints_bodies_joints_cuts_modules_mobility_and_masses(file, capsys):
    assert main(["show", str(file)]) == 0
    said = capsys.readouterr().out
    assert "fourbar: mobility 1, mass 1.15 kg" in said
    assert "crank: 0.1 kg" in said
    assert "ground: 0.4 kg, welded to world" in said
    assert "C: cut at A (revolute, 5 rows), since " in said
    assert "C: C over" in said
    assert "solved together, independent being C" in said
    assert "  C: B, D follow C" in said or "  C: D, B follow C" in said


def test_show_json_has_every_list_by_name(file, capsys):
    assert main(["show", "--json", str(file)]) == 0
    data = json.loads(capsys.readouterr().out)
    for key in ("bodies", "joints", "chords", "closures", "modules", "couplings", "actuators"):
        assert all("name" in entry for entry in data[key])
    assert {b["name"] for b in data["bodies"]} == {"ground", "crank", "coupler", "rocker"}
    assert {j["name"] for j in data["joints"]} | {c["name"] for c in data["chords"]} == set("ABCD")
    assert [c["name"] for c in data["closures"]] == ["C"]
    assert (data["name"], data["mobility"]) == ("fourbar", 1)
    assert data["mass"] == pytest.approx(1.15)


@pytest.mark.parametrize("to", ["out.json", "out.JSON"])
def test_convert_to_json_copies_what_is_drawn_and_need_not_close_it(to, tmp_path, capsys):
    mechanism = drawn_off(four_bar(), "C", 0.3)
    file, out = saved(tmp_path, mechanism), tmp_path / to
    assert main(["show", str(file)]) == 1
    assert main(["convert", str(file), "-o", str(out)]) == 0
    assert rc.read(out) == mechanism
    assert f"wrote {out}" in capsys.readouterr().err


def drawn_off(mechanism, joint, by):
    """With the start of the loop's other joints turned: the loop stands open."""
    joints = tuple(
        replace(j, start=(j.start[0] + by,)) if j.start and j.name != joint else j
        for j in mechanism.joints
    )
    return replace(mechanism, joints=joints)


@pytest.mark.parametrize("command", ["show", "convert"])
def test_a_joint_that_could_not_stay_as_drawn_is_named_with_how_far_it_moved(
    command, tmp_path, capsys
):
    """All drawn 0.1 mrad off but the crank, which is driven and stays: the others turn back."""
    mechanism = drawn_off(four_bar(joint={"A": {"effort": 1.0}}), "A", 1e-4)
    file = saved(tmp_path, mechanism)
    extra = ["-o", str(tmp_path / "m.xml")] if command == "convert" else []
    assert main([command, str(file), *extra]) == 0
    said = "".join(capsys.readouterr())
    moved = dict(re.findall(r"(?:moved: |  )(\w): turnZ by (\S+) deg", said))
    assert moved.keys() == {"B", "D"}
    for turned in moved.values():
        assert float(turned) == pytest.approx(math.degrees(-1e-4), rel=1e-2)


def test_a_joint_that_stays_as_drawn_is_not_said_to_have_moved(file, tmp_path, capsys):
    assert main(["show", str(file)]) == 0
    assert main(["convert", str(file), "-o", str(tmp_path / "m.xml")]) == 0
    assert "moved" not in "".join(capsys.readouterr())


MORE = {
    "convert": ["-o", "again.xml"],
    "follow": ["--driver", "A", "--from", "0", "--to", "0"],
}


@pytest.mark.parametrize("command", ["show", "convert", "assemble", "follow"])
def test_a_written_model_is_no_mechanism_but_points_to_its_own(command, file, tmp_path, capsys):
    model = tmp_path / "out.xml"
    assert main(["convert", str(file), "-o", str(model)]) == 0
    capsys.readouterr()
    assert main([command, str(model), *MORE.get(command, [])]) == 1
    assert f"is beside it: '{tmp_path / 'out.mechanism.json'}'" in capsys.readouterr().err
    assert main(["show", str(tmp_path / "out.mechanism.json")]) == 0


def test_actuators_are_shown_with_what_they_move_and_on_their_side_of_the_gear(tmp_path, capsys):
    halves = tuple(rc.Transmission(coordinate=name, ratio=0.5) for name in "AD")
    geared = (rc.Transmission(coordinate="A", ratio=-50.0),)
    motors = (
        rc.Actuator(name="drive", transmissions=geared, effort=2.0, armature=1e-5),
        rc.Actuator(name="both", transmissions=halves),
    )
    file = saved(tmp_path, replace(four_bar(), actuators=motors))
    assert main(["show", str(file)]) == 0
    said = capsys.readouterr().out
    assert "\nactuators, in SI units\n  drive: -50 · A; effort 2, armature 1e-05\n" in said
    assert "\n  both: 0.5 · A + 0.5 · D\n" in said
    assert main(["show", "--json", str(file)]) == 0
    drive, _ = json.loads(capsys.readouterr().out)["actuators"]
    assert drive == {
        "name": "drive",
        "transmissions": [{"name": "A", "unit": "rad", "ratio": -50.0}],
        "effort": 2.0,
        "velocity": None,
        "armature": 1e-5,
    }


def test_couplings_are_shown_in_the_units_of_people(tmp_path, capsys):
    """A wheel of 5.7296 mm radius rolls 0.1 mm per degree along its rack."""
    file = saved(tmp_path, rack_and_pinion())
    assert main(["show", str(file)]) == 0
    said = capsys.readouterr().out
    assert "  mesh: rack = 0.1 mm/deg · wheel + 173.205 mm\n" in said
    assert "  back: idler = -2 · wheel - 30 deg\n" in said
    assert "  turn: spool = 10 deg/mm · rack\n" in said + "\n"
    assert "  winch: hook = 0.2 mm/deg · wheel - 0.5 · rack - 20 mm\n" in said + "\n"
    assert main(["show", "--json", str(file)]) == 0
    mesh = next(c for c in json.loads(capsys.readouterr().out)["couplings"] if c["name"] == "mesh")
    assert mesh == {
        "name": "mesh",
        "follower": "rack",
        "follower_unit": "m",
        "leaders": [
            {"name": "wheel", "unit": "rad", "ratio": pytest.approx(0.1e-3 * 180 / math.pi)}
        ],
        "offset": 0.173205,
    }


def rack_and_pinion():
    """Wheel, rack, idler, spool and hook beside each other on the world."""
    kinds = {"wheel": "revolute", "rack": "prismatic", "idler": "revolute", "spool": "revolute"}
    kinds["hook"] = "prismatic"
    drawn = {
        "rack": 0.173205,
        "idler": math.radians(-30.0),
        "spool": math.radians(1732.05),
        "hook": -0.1066025,
    }
    return rc.Mechanism(
        name="rack and pinion",
        bodies=tuple(rc.Body(name=name, inertia=bar(1.0, 0.1)) for name in kinds),
        frames=(
            rc.Frame(name="w", body=rc.WORLD),
            *(rc.Frame(name=f"{name}.o", body=name) for name in kinds),
        ),
        joints=tuple(
            rc.Joint(
                name=name,
                kind=rc.JointKind(kind),
                parent="w",
                child=f"{name}.o",
                start=(drawn.get(name, 0.0),),
            )
            for name, kind in kinds.items()
        ),
        couplings=(
            rc.Coupling.gear(
                name="mesh",
                leader="wheel",
                follower="rack",
                ratio=0.1e-3 * 180 / math.pi,
                offset=0.173205,
            ),
            rc.Coupling.gear(
                name="back",
                leader="wheel",
                follower="idler",
                ratio=-2.0,
                offset=math.radians(-30.0),
            ),
            rc.Coupling.gear(name="turn", leader="rack", follower="spool", ratio=math.radians(1e4)),
            rc.Coupling(
                name="winch",
                follower="hook",
                leaders=(
                    rc.Leader(coordinate="wheel", ratio=0.2e-3 * 180 / math.pi),
                    rc.Leader(coordinate="rack", ratio=-0.5),
                ),
                offset=-0.02,
            ),
        ),
    )


def run(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "robocompiler", *arguments],
        cwd=PLUGIN,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def test_nobody_is_told_that_the_reader_of_the_output_has_left(file):
    """`show … | head -1`, with the pipe closed before anything is printed."""
    with run("show", "--json", str(file)) as done:
        done.stdout.close()
        said = done.stderr.read()
    assert (done.returncode, said) == (141, b"")


def test_what_the_terminal_cannot_show_is_escaped(tmp_path):
    file = saved(tmp_path, rack_and_pinion())
    with run("show", str(file), env={**os.environ, "PYTHONIOENCODING": "ascii"}) as done:
        out, err = done.communicate()
    assert (done.returncode, err) == (0, b"")
    assert b"rack = 0.1 mm/deg \\xb7 wheel" in out


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
        "print([m for m in ('scipy', 'mujoco', 'OCP', 'matplotlib', 'kinematics', "
        "'robocompiler.cli') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=PLUGIN, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
