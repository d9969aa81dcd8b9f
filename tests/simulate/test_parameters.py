"""What a user can get wrong, each with its message."""

from dataclasses import replace

import pytest
from scenes import held, two_wheels, written

import robocompiler as rc
from mechanisms import four_bar
from robocompiler.errors import BadValueError, DriveError, FormatError, UnknownNameError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.text import to_json
from robocompiler.simulate.parameters import parameters_of
from robocompiler.simulate.run import simulate


@pytest.fixture
def scene(tmp_path):
    return written(tmp_path, four_bar(0.7))


def test_a_driven_joint_that_does_not_exist_is_named_with_the_nearest(tmp_path):
    scene = written(tmp_path, held(JointKind.CYLINDRICAL))
    with pytest.raises(UnknownNameError, match=r"no joint 'hold/turnY'. Did you mean 'hold/turnZ'"):
        simulate(scene, drive={"hold/turnY": {"velocity": 1}})
    with pytest.raises(UnknownNameError, match=r"no joint 'hold'. Did you mean 'hold/"):
        simulate(scene, drive={"hold": {"velocity": 1}})


def test_a_cut_joint_cannot_be_driven(scene):
    said = (
        r"'C' is cut to open loop 'C'.*no coordinate to drive\. Drive another joint of the loop\.$"
    )
    with pytest.raises(DriveError, match=said):
        simulate(scene, drive={"C": {"velocity": 1}})


def test_a_cut_joint_of_a_connection_can_be_kept_by_what_the_message_says(tmp_path):
    """And its name may have slashes, as one of a sub-assembly has."""
    mechanism = four_bar(joint={"C": {"effort": 1.0}})
    joints = tuple(replace(j, name="arm/A") if j.name == "A" else j for j in mechanism.joints)
    scene = written(tmp_path, replace(mechanism, joints=joints))
    with pytest.raises(DriveError, match=r"'B' is cut.*state `physics: \{maxEffort: …\}`"):
        simulate(scene, drive={"B": {"velocity": 1}})
    kept = tuple(replace(j, effort=2.0) if j.name == "B" else j for j in joints)
    scene = written(tmp_path, replace(mechanism, joints=kept))
    after = simulate(scene, duration=0.01, drive={"B": {"velocity": 1}})["after"]
    assert after["joints"]["B"]["vel"] == pytest.approx(1.0)


def test_a_joint_that_is_no_text_is_named_like_any_other(scene):
    with pytest.raises(UnknownNameError, match="no joint '1'"):
        simulate(scene, drive={1: {"velocity": 1}})


def test_a_coordinate_is_driven_by_the_names_of_results_and_of_couplings(tmp_path):
    scene = written(tmp_path, held(JointKind.CYLINDRICAL))
    for name in ("hold/turnZ", "hold:turnZ"):
        after = simulate(scene, duration=0.01, drive={name: {"velocity": 90}})["after"]
        assert after["joints"]["hold"]["vel"] == pytest.approx({"turnZ": 90.0, "moveZ": 0.0})


def test_a_drive_has_a_velocity_and_nothing_else(scene):
    with pytest.raises(UnknownNameError, match=r"no key 'speed'. There are: 'velocity'"):
        simulate(scene, drive={"A": {"velocity": 1, "speed": 2}})
    with pytest.raises(BadValueError, match=r"is not an object \{velocity: <deg/s>\}"):
        simulate(scene, drive={"A": 90})
    with pytest.raises(BadValueError, match="velocity=fast is not a number of deg/s"):
        simulate(scene, drive={"A": {"velocity": "fast"}})
    with pytest.raises(BadValueError, match="drive="):
        simulate(scene, drive=["A"])


def test_drives_that_the_loops_do_not_allow_together_are_refused(scene):
    drive = {"A": {"velocity": 90}, "D": {"velocity": 90}}
    with pytest.raises(DriveError, match=r"cannot start at 90 deg/s with its loops closed: they"):
        simulate(scene, drive=drive)
    with pytest.raises(DriveError, match="contradict each other"):
        simulate(scene, drive={"A": {"velocity": 90}, "D": {"velocity": 0}})


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"duration": 0}, "duration=0 is not a positive number of seconds"),
        ({"duration": "soon"}, "duration=soon is not"),
        ({"timestep": -1e-3}, "timestep=-0.001 is not a positive number of seconds"),
        ({"timestep": float("nan")}, "timestep=nan is not"),
        ({"samples": 2.5}, "samples=2.5 is not a whole number"),
        ({"samples": True}, "samples=True is not a whole number"),
        ({"gravity": 9.81}, "gravity=9.81 is not three numbers"),
        ({"gravity": [0, 0, "down"]}, "gravity=.* is not three numbers"),
    ],
)
def test_a_parameter_that_cannot_be_is_refused(scene, parameters, message):
    with pytest.raises(BadValueError, match=message):
        simulate(scene, **parameters)


def test_numbers_that_yaml_made_text_are_read(scene):
    assert simulate(scene, duration="1e-2", timestep="1e-3")["after"]["time"] == 0.01


def test_a_scene_needs_its_sidecar(scene, tmp_path):
    (tmp_path / "scene.mechanism.json").unlink()
    with pytest.raises(FormatError, match=r"no '.*scene.mechanism.json'.*export again"):
        simulate(scene)


def test_a_sidecar_of_another_scene_is_refused(scene, tmp_path):
    (tmp_path / "scene.mechanism.json").write_text(to_json(held(JointKind.REVOLUTE)))
    with pytest.raises(FormatError, match=r"not what its sidecar says.*no joint 'C' that moves"):
        simulate(scene)
    scene = written(tmp_path, held(JointKind.REVOLUTE))
    (tmp_path / "scene.mechanism.json").write_text(to_json(two_wheels(1.0)))
    with pytest.raises(FormatError, match=r"not what its sidecar says.*no body"):
        simulate(scene)
    scene = written(tmp_path, four_bar(0.7))
    scene.write_text(scene.read_text().replace("&quot;C&quot;", "C"))
    with pytest.raises(FormatError, match=r"'cuts' is not a JSON list of joints: \[C\]"):
        simulate(scene)


def test_a_file_that_mujoco_cannot_load_is_named(scene):
    scene.write_text("<mujoco><nonsense/></mujoco>")
    with pytest.raises(FormatError, match=r"MuJoCo cannot load '.*scene.xml'[\s\S]*nonsense"):
        simulate(scene)


def test_a_key_that_nearly_is_a_parameter_is_warned_of_and_others_are_partcad_s():
    request = {"duratoin": 1.0, "drives": {}, "scene_file": "s.xml", "timeout": 9, "samples": 3}
    found = parameters_of(request)
    assert found["samples"] == 3
    assert [said.split("'")[1::2] for said in found["misspelt"]] == [
        ["drives", "drive"],
        ["duratoin", "duration"],
    ]


@pytest.mark.parametrize("form", ["urdf", "sdf", "usd"])
def test_another_format_is_not_run_with_its_loops_open(form, scene, tmp_path):
    """MuJoCo reads a URDF, but no loop of it."""
    if form == "usd":
        pytest.importorskip("pxr", reason="USD is written where its library is")
    model = tmp_path / f"scene.{form}"
    rc.write(rc.compile(four_bar(0.7)), model, format=form)
    with pytest.raises(FormatError, match=rf"scene\.{form}' is no MJCF\. .*export again, as MJCF"):
        simulate(model)
