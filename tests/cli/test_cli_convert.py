"""The command `convert`: what it writes, what it prints where, and what it refuses."""

import json
import math
from dataclasses import replace

import mujoco
import pytest

import robocompiler as rc
from arms import arm
from linkages.spatial import loop_with
from mechanisms import four_bar
from robocompiler.cli.convert import read_configurations
from robocompiler.cli.main import main
from robocompiler.errors import BadValueError
from robocompiler.write.ledger_table import renamed_lines


@pytest.fixture
def convert(tmp_path, capsys):
    """Runs the command on a mechanism; its exit code, and what it said on each stream."""

    def run(mechanism, *arguments, to="out.xml"):
        file = tmp_path / "mechanism.json"
        file.write_text(rc.to_json(mechanism))
        code = main(["convert", str(file), "-o", str(tmp_path / to), *arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def rows(text):
    return [line.split() for line in text.splitlines()]


def test_a_model_is_written_with_its_account_on_one_stream_and_warnings_on_the_other(
    convert, tmp_path
):
    joint = {"C": {"effort": 1.0}, "A": {"velocity": 2.0}}
    code, out, err = convert(four_bar(joint=joint))
    assert code == 0
    assert (tmp_path / "out.xml").is_file()
    table = rows(out)
    assert table[0] == ["property", "exact", "approximated", "dropped"]
    assert ["revolute", "joint", "3", "-", "-"] in table
    assert any(line.endswith("1 is lost") for line in out.splitlines())
    assert table[-1][:2] == ["lost", "A"]
    lines = err.splitlines()
    assert lines[0] == f"wrote {tmp_path / 'out.xml'}, {tmp_path / 'out.mechanism.json'}"
    assert [line for line in lines if line.startswith("warning: loop 'C'")]
    assert {line.split(" ")[0] for line in lines[1:]} <= {"warning:", "moved:"}


def test_what_is_all_exact_has_no_list_of_losses(convert):
    _, out, _ = convert(four_bar())
    assert "lost" not in out
    assert "approximated" not in "\n".join(out.splitlines()[1:])


def test_json_is_the_result_alone_and_has_every_entry(convert, tmp_path):
    code, out, err = convert(four_bar(joint={"A": {"velocity": 2.0}}), "--json", "--ledger")
    data = json.loads(out)
    assert code == 0
    assert data["files"] == [
        str(tmp_path / name) for name in ("out.xml", "out.xml.ledger.json", "out.mechanism.json")
    ]
    written = json.loads((tmp_path / "out.xml.ledger.json").read_text())
    assert data["ledger"] == written["entries"]
    assert (data["names"], data["warnings"], data["moved"]) == ({}, [], [])
    assert err.startswith("wrote ")


def test_strict_refuses_with_all_that_would_be_lost_and_leaves_no_file(convert, tmp_path):
    slow = {name: {"velocity": 2.0} for name in "AB"}
    code, out, err = convert(four_bar(joint=slow), "--strict")
    assert (code, out) == (1, "")
    assert all(f"{name}: its velocity limit, since MJCF has none" in err for name in "AB")
    assert [path.name for path in tmp_path.iterdir()] == ["mechanism.json"]
    assert convert(four_bar(), "--strict")[0] == 0


def test_options_of_the_format_reach_it_with_their_units(convert, tmp_path):
    code, _, _ = convert(four_bar(), "--timestep", "0.5ms", "--ground-plane", "--light")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "out.xml"))
    assert (code, model.opt.timestep, model.nlight) == (0, 0.0005, 1)
    assert model.geom("ground_plane").id == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--timestep", "5"], "--timestep: value=5 is not a value such as 0.1s"),
        (["--timestep", "0s"], "timestep=0.0 is not a positive number of seconds"),
        (["--intermediate-mass", "1mm"], "value=1mm is not a value such as 1g or 0.001kg"),
        (["--intermediate-mass", "1g"], "intermediate_mass=0.001 is not left out: MJCF has no"),
        (["--root", "base_footprint"], "root=base_footprint is not left out: MJCF has no"),
        (["--usd-profile", "physx"], "usd_profile=physx is not left out: MJCF has no such thing"),
        (["--configuration", "A=1deg"], "A=1deg is not of the form NAME:JOINT=VALUE,..."),
        (["--configuration", "low:E=1deg"], "--configuration: there is no joint 'E'"),
        (["--configuration", "low:A=1mm"], "A=1mm is not a value such as 35deg or 0.6rad"),
        (["--configuration", "assembled:A=40deg"], "configurations=assembled is not another name"),
    ],
)
def test_an_option_s_value_that_is_none_is_named_and_nothing_written(
    convert, tmp_path, arguments, said
):
    code, out, err = convert(four_bar(), *arguments)
    assert (code, out) == (1, "")
    assert said in err
    assert not (tmp_path / "out.xml").exists()


@pytest.mark.parametrize("arguments", [["--usd-profile", "blender"], ["--root", "world"]])
def test_a_choice_that_is_none_is_a_wrong_call(convert, arguments):
    with pytest.raises(SystemExit) as ended:
        convert(four_bar(), *arguments)
    assert ended.value.code == 2


@pytest.mark.parametrize("to", ["out.json", "out.c"])
@pytest.mark.parametrize(
    "arguments", [["--ledger"], ["--strict"], ["--light"], ["--configuration", "low:A=40deg"]]
)
def test_what_is_no_model_has_no_options_of_one(convert, tmp_path, to, arguments):
    code, _, err = convert(four_bar(), *arguments, to=to)
    assert code == 1
    assert "is not left out: " in err
    assert not (tmp_path / to).exists()


def test_configurations_are_written_by_name_in_the_units_of_people(convert, tmp_path):
    low = ["--configuration", "low:A=60deg", "--configuration", "high:A=0.2rad"]
    code, _, _ = convert(four_bar(), *low)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "out.xml"))
    assert code == 0
    assert [model.key(i).name for i in range(model.nkey)] == ["assembled", "low", "high"]
    at = int(model.joint("A").qposadr[0])
    assert model.key("low").qpos[at] == pytest.approx(math.radians(60.0))
    assert model.key("high").qpos[at] == pytest.approx(0.2)


def test_a_configuration_may_have_joints_of_several_coordinates(convert, tmp_path):
    mechanism = arm(rc.JointKind.UNIVERSAL)
    convert(mechanism, "--configuration", "a:J=10deg,-20deg,S=1rad")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "out.xml"))
    qpos = [model.key("a").qpos[model.joint(name).qposadr[0]] for name in ("J/turnX", "S")]
    assert qpos == pytest.approx([math.radians(10.0), 1.0])


def test_a_configuration_is_closed(convert, tmp_path):
    mechanism = loop_with(rc.JointKind.BALL)
    start = rc.assemble(rc.compile(mechanism)).of("drive")[0]
    convert(mechanism, "--configuration", f"on:drive={start + 0.3}rad")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "out.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("on").id)
    mujoco.mj_forward(model, data)
    assert abs(data.efc_pos).max() < 1e-9


@pytest.mark.parametrize("text", ["low", "low:", ":A=1deg", "low:A", "low:A,B=1deg", ""])
def test_a_configuration_without_name_or_values_is_refused(text):
    with pytest.raises(BadValueError, match="of the form NAME:JOINT=VALUE"):
        read_configurations([text])


def test_a_configuration_that_comes_twice_is_refused():
    with pytest.raises(BadValueError, match="name=low is not a name that comes once"):
        read_configurations(["low:A=1deg", "low:B=2deg"])
    found = read_configurations(["low:J=1deg,2deg,A=3deg"])
    assert found == {"low": ["J=1deg,2deg", "A=3deg"]}


def test_a_name_with_a_colon_is_a_joint_s_and_not_a_configuration_s(convert, tmp_path):
    joints = tuple(
        replace(joint, name="the:crank") if joint.name == "A" else joint
        for joint in four_bar().joints
    )
    code, _, _ = convert(replace(four_bar(), joints=joints), "--configuration", "a:the:crank=1rad")
    assert code == 0


def test_all_that_is_wrong_with_a_call_is_told_at_once(convert, tmp_path):
    code, _, err = convert(
        four_bar(),
        *("--timestep", "1kg", "--intermediate-mass", "1s"),
        *("--configuration", "low:nobody=1deg", "--configuration", "high:A=1kg"),
    )
    assert code == 1
    for said in ("--timestep: value=1kg", "--intermediate-mass: value=1s", "'nobody'", "1kg"):
        assert said in err
    assert "4 faults" in err
    code, _, err = convert(four_bar(), "--configuration", "low", "--configuration", ":A=1deg")
    assert "value=low is not of the form" in err
    assert "value=:A=1deg is not of the form" in err
    assert not (tmp_path / "out.xml").exists()


def test_what_the_file_calls_otherwise_is_told_the_first_few_of_each_kind(convert):
    joints = tuple(replace(joint, name=f"{joint.name} {joint.name}") for joint in four_bar().joints)
    code, _, err = convert(replace(four_bar(), joints=joints), to="out.usda")
    assert code == 0
    (told,) = (line for line in err.splitlines() if line.startswith("renamed: joint"))
    assert "'A A' is 'A_A'" in told
    assert renamed_lines({"joint": {f"j {i}": f"j_{i}" for i in range(6)}}) == [
        "joint: 'j 0' is 'j_0', 'j 1' is 'j_1', 'j 2' is 'j_2', 'j 3' is 'j_3' and 2 more"
    ]
    _, _, err = convert(four_bar())
    assert "renamed" not in err
