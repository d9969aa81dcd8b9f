"""Runs against closed forms."""

import math
from dataclasses import replace

import pytest
from scenes import LENGTH, MASS, SPIN, G, held, two_wheels, written
from scipy.special import ellipk

from mechanisms import four_bar, four_bar_angles
from robocompiler.errors import DivergenceError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import (
    WORLD,
    Actuator,
    Body,
    Frame,
    Inertia,
    Joint,
    Mechanism,
    Transmission,
)
from robocompiler.simulate.run import simulate

# Of the load about its pivot.
INERTIA = SPIN + MASS * LENGTH**2
DOWN_Y = (0.0, -G, 0.0)


def away(angle, other):
    """How far apart two angles are [deg], whole turns aside."""
    return abs((angle - other + 180.0) % 360.0 - 180.0)


def test_a_driven_four_bar_follows_its_closed_form_over_three_turns(tmp_path):
    scene = written(tmp_path, four_bar(0.7), gravity=DOWN_Y)
    result = simulate(scene, duration=6.0, drive={"A": {"velocity": 180}}, samples=200)
    start = math.degrees(0.7)
    assert len(result["samples"]) == 200
    for sample in result["samples"]:
        crank = sample["joints"]["A"]["pos"]
        assert crank == pytest.approx(start + 180.0 * sample["time"], abs=1e-9)
        coupler, rocker = four_bar_angles(math.radians(crank))
        assert away(sample["joints"]["D"]["pos"], math.degrees(rocker)) < 0.01
        assert away(sample["joints"]["C"]["pos"], math.degrees(rocker - coupler)) < 0.01
    assert result["after"]["joints"]["A"]["pos"] == pytest.approx(start + 1080.0)
    assert result["after"]["joints"]["B"]["pos"] < -900.0
    assert result["closures"]["C"]["max_gap"] < 0.1
    assert result["warnings"] == []


def test_a_driven_mechanism_starts_without_a_jolt(tmp_path):
    """Every speed is right from the start: the rocker's is dθ/dt of the closed form."""
    scene = written(tmp_path, four_bar(0.7))
    result = simulate(scene, duration=0.01, drive={"A": {"velocity": 720}})
    h = 1e-6
    rise = four_bar_angles(0.7 + h)[1] - four_bar_angles(0.7 - h)[1]
    assert result["before"]["joints"]["D"]["vel"] == pytest.approx(720.0 * rise / (2 * h), 1e-6)
    assert result["closures"]["C"]["max_gap"] < 0.05


def test_the_effort_of_a_drive_is_what_the_load_weighs(tmp_path):
    scene = written(tmp_path, held(JointKind.REVOLUTE), gravity=DOWN_Y)
    result = simulate(scene, duration=1.0, drive={"hold": {"velocity": 300}})
    for sample in result["samples"]:
        lever = LENGTH * math.cos(math.radians(sample["joints"]["hold"]["pos"]))
        effort = sample["joints"]["hold"]["effort"]
        assert effort == pytest.approx(MASS * G * lever, abs=1e-3)
        assert sample["energy"]["kinetic"] == pytest.approx(
            0.5 * INERTIA * math.radians(300.0) ** 2, rel=1e-6
        )


def test_the_effort_of_a_drive_is_the_power_that_a_loop_takes_up(tmp_path):
    scene = written(tmp_path, four_bar(0.7), gravity=DOWN_Y, timestep=5e-4)
    result = simulate(scene, duration=1.0, drive={"A": {"velocity": 360}}, samples=2001)
    energy = [sum(s["energy"].values()) for s in result["samples"]]
    effort = [s["joints"]["A"]["effort"] for s in result["samples"]]
    scale = max(abs(e) for e in effort)
    for i in range(4, 1996, 4):
        power = (energy[i + 1] - energy[i - 1]) / 1e-3
        assert effort[i] * 2.0 * math.pi == pytest.approx(power, abs=0.01 * scale * 2.0 * math.pi)


def test_a_driven_slide_moves_in_millimetres(tmp_path):
    scene = written(tmp_path, held(JointKind.PRISMATIC), gravity=(0.0, 0.0, -G))
    after = simulate(scene, duration=0.5, drive={"hold": {"velocity": 40}})["after"]
    assert after["joints"]["hold"]["type"] == "prismatic"
    assert after["joints"]["hold"]["pos"] == pytest.approx(20.0)
    assert after["joints"]["hold"]["vel"] == pytest.approx(40.0)
    assert after["joints"]["hold"]["effort"] == pytest.approx(MASS * G)
    assert after["bodies"]["load"]["pos"] == pytest.approx([0.0, 0.0, 20.0], abs=1e-9)


def test_a_driven_screw_advances_by_its_pitch(tmp_path):
    screw = held(JointKind.SCREW, center=(0.0, 0.0, 0.0), pitch=0.002 / (2.0 * math.pi))
    scene = written(tmp_path, screw, gravity=(0.0, 0.0, -G))
    after = simulate(scene, duration=1.0, drive={"hold": {"velocity": 720}})["after"]
    assert after["joints"]["hold"]["pos"] == pytest.approx(720.0)
    assert after["bodies"]["load"]["pos"][2] == pytest.approx(4.0, abs=1e-3)
    lift = MASS * G * 0.002 / (2.0 * math.pi)
    assert after["joints"]["hold"]["effort"] == pytest.approx(lift, rel=1e-3)


def test_one_coordinate_of_a_cylindrical_joint_can_be_driven(tmp_path):
    scene = written(tmp_path, held(JointKind.CYLINDRICAL), gravity=(0.0, 0.0, 0.0))
    joint = simulate(scene, duration=0.5, drive={"hold/turnZ": {"velocity": 90}})["after"]
    assert joint["joints"]["hold"]["pos"] == pytest.approx({"turnZ": 45.0, "moveZ": 0.0})
    assert joint["joints"]["hold"]["vel"] == pytest.approx({"turnZ": 90.0, "moveZ": 0.0})


@pytest.mark.parametrize(("driven", "turn"), [("leader", 40.0), ("follower", -80.0)])
def test_a_drive_turns_what_is_coupled_and_carries_its_load(tmp_path, driven, turn):
    scene = written(tmp_path, two_wheels(-2.0), gravity=DOWN_Y)
    joints = simulate(scene, duration=1.0, drive={driven: {"velocity": turn}})["after"]["joints"]
    assert joints["leader"]["pos"] == pytest.approx(40.0, abs=0.01)
    assert joints["follower"]["pos"] == pytest.approx(-80.0, abs=0.01)
    load = MASS * G * LENGTH * math.cos(math.radians(80.0))
    wanted = -2.0 * load if driven == "leader" else load
    assert joints[driven]["effort"] == pytest.approx(wanted, rel=1e-3)


def test_a_drive_of_no_speed_holds_its_joint_under_load(tmp_path):
    scene = written(tmp_path, four_bar(0.7), gravity=DOWN_Y)
    result = simulate(scene, duration=1.0, drive={"A": {"velocity": 0}})
    for name in "ABCD":
        at = [result[moment]["joints"][name]["pos"] for moment in ("before", "after")]
        assert at[0] == pytest.approx(at[1], abs=1e-3)
    assert abs(result["after"]["joints"]["A"]["effort"]) > 0.1


def test_a_pendulum_swings_with_the_period_of_the_elliptic_integral(tmp_path):
    """From 60° beside the vertical, at rest: after a period it is back."""
    hung = held(JointKind.REVOLUTE, start=(math.radians(-30.0),))
    period = 4.0 * math.sqrt(INERTIA / (MASS * G * LENGTH)) * ellipk(math.sin(math.pi / 6) ** 2)
    scene = written(tmp_path, hung, gravity=DOWN_Y)
    result = simulate(scene, duration=period, timestep=period / 20000)
    after = result["after"]["joints"]["hold"]
    assert after["pos"] == pytest.approx(-30.0, abs=0.01)
    assert after["vel"] == pytest.approx(0.0, abs=0.2)
    energies = [sum(s["energy"].values()) for s in result["samples"]]
    lowest = -MASS * G * LENGTH
    assert max(energies) - min(energies) < 1e-3 * abs(lowest)
    assert energies[0] == pytest.approx(-MASS * G * LENGTH * 0.5)


def test_a_ball_that_swings_in_a_plane_reads_like_a_hinge(tmp_path):
    runs = []
    for kind in (JointKind.REVOLUTE, JointKind.BALL):
        (tmp_path / kind.value).mkdir()
        scene = written(tmp_path / kind.value, held(kind), gravity=DOWN_Y)
        runs.append(simulate(scene, duration=0.25)["after"]["joints"]["hold"])
    hinge, ball = runs
    half = math.radians(hinge["pos"]) / 2.0
    assert ball["type"] == "ball"
    assert ball["quat"] == pytest.approx([math.cos(half), 0.0, 0.0, math.sin(half)], abs=1e-9)
    assert ball["vel"] == pytest.approx([0.0, 0.0, hinge["vel"]], abs=1e-6)


def test_a_free_body_falls(tmp_path):
    scene = written(tmp_path, held(JointKind.FREE), gravity=(0.0, 0.0, -G))
    after = simulate(scene, duration=0.5, timestep=1e-4, gravity=[0, 0, -1.62])["after"]
    joint = after["joints"]["hold"]
    assert joint["type"] == "floating"
    assert joint["pos"]["moveZ"] == pytest.approx(-0.5 * 1.62 * 0.25 * 1e3, rel=1e-3)
    assert joint["vel"]["moveZ"] == pytest.approx(-1.62 * 0.5 * 1e3, rel=1e-9)
    assert joint["quat"] == pytest.approx([1.0, 0.0, 0.0, 0.0])
    assert joint["vel"]["angular"] == pytest.approx([0.0, 0.0, 0.0])
    assert after["bodies"]["load"]["pos"][2] == joint["pos"]["moveZ"]


def test_a_body_beyond_a_kilometre_ends_the_run_with_its_name_and_time(tmp_path):
    scene = written(tmp_path, held(JointKind.FREE), gravity=(0.0, 0.0, -1e4))
    with pytest.raises(DivergenceError, match="body 'load' is more than 1 km away") as caught:
        simulate(scene, duration=1.0)
    assert caught.value.time == pytest.approx(math.sqrt(2.0 * 1e3 / 1e4), abs=2e-3)


def test_a_speed_that_is_not_a_number_ends_the_run(tmp_path, capfd, monkeypatch):
    """MuJoCo would reset the state and go on; and it writes a log where it runs."""
    monkeypatch.chdir(tmp_path)
    scene = written(tmp_path, held(JointKind.REVOLUTE), gravity=(0.0, -1e13, 0.0))
    with pytest.raises(DivergenceError, match="'load' has a speed"):
        simulate(scene, duration=1.0)
    assert not (tmp_path / "MUJOCO_LOG.TXT").exists()
    assert capfd.readouterr() == ("", "")


def test_bodies_welded_together_are_all_reported(tmp_path):
    """A lamp on an arm: one body to MuJoCo, two to the user."""
    inertia = Inertia(mass=1.0, center=(0.1, 0.0, 0.0), moments=(0.01, 0.01, 0.01))
    lamp = Mechanism(
        name="lamp",
        bodies=(Body(name="arm", inertia=inertia), Body(name="lamp", inertia=inertia)),
        frames=(
            Frame(name="wall", body=WORLD),
            Frame(name="arm.pin", body="arm"),
            Frame(name="arm.end", body="arm", position=(0.5, 0.0, 0.0)),
            Frame(name="lamp.foot", body="lamp"),
        ),
        joints=(
            Joint(name="pin", kind=JointKind.REVOLUTE, parent="wall", child="arm.pin"),
            Joint(name="weld", kind=JointKind.FIXED, parent="arm.end", child="lamp.foot"),
        ),
    )
    after = simulate(written(tmp_path, lamp), duration=1.0, drive={"pin": {"velocity": 90}})[
        "after"
    ]
    half = math.sqrt(0.5)
    assert after["bodies"]["lamp"]["pos"] == pytest.approx([0.0, 500.0, 0.0], abs=1e-6)
    assert after["bodies"]["lamp"]["quat"] == pytest.approx([half, 0.0, 0.0, half])
    assert list(after["joints"]) == ["pin"]


def test_a_scene_in_which_nothing_moves_runs(tmp_path):
    scene = written(tmp_path, held(JointKind.FIXED), gravity=DOWN_Y)
    result = simulate(scene, duration=0.1)
    assert result["before"] == {**result["after"], "time": 0.0}
    assert list(result["after"]["bodies"]) == ["load"]


def test_samples_are_spread_evenly_from_start_to_end(tmp_path):
    scene = written(tmp_path, held(JointKind.REVOLUTE))
    result = simulate(scene, duration=0.4, samples=5)
    times = [sample["time"] for sample in result["samples"]]
    assert times == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4])
    assert result["samples"][0] == result["before"]
    assert result["samples"][-1] == result["after"]
    assert simulate(scene, duration=0.4, samples=0)["samples"] == []


def test_a_run_covers_the_duration_asked_for(tmp_path):
    scene = written(tmp_path, held(JointKind.REVOLUTE))
    assert simulate(scene, duration=0.0101, timestep=1e-3)["after"]["time"] == pytest.approx(0.011)
    assert simulate(scene, duration=0.01, timestep=1e-3)["after"]["time"] == pytest.approx(0.01)


def test_a_fast_loop_is_told_the_timestep_that_keeps_it_closed(tmp_path):
    scene = written(tmp_path, four_bar(0.7))
    fast = {"A": {"velocity": 7200}}
    result = simulate(scene, duration=0.2, drive=fast)
    assert result["closures"]["C"]["max_gap"] > 0.5
    (warning,) = result["warnings"]
    assert "Loop 'C' gaped by" in warning
    wanted = float(warning.split("A timestep of ")[1].split(" s")[0])
    again = simulate(scene, duration=0.2, drive=fast, timestep=wanted)
    assert again["closures"]["C"]["max_gap"] < 0.1
    assert again["warnings"] == []
    assert wanted > 0.5 * 1e-3 * math.sqrt(0.1 / result["closures"]["C"]["max_gap"])


def test_a_drive_through_a_dead_point_is_not_blamed_on_the_timestep(tmp_path):
    """A rocker driven on where crank and coupler stand in line."""
    scene = written(tmp_path, four_bar(0.7), values={"A": 0.3})
    drive = {"D": {"velocity": 90}}
    (warning,) = simulate(scene, duration=0.56, drive=drive)["warnings"]
    assert "No shorter timestep was found to help" in warning
    with pytest.raises(DivergenceError, match=r"loop 'C' gaped by more than 0.1 mm from t = 0.5"):
        simulate(scene, duration=1.0, drive=drive)


def test_a_drive_beyond_what_its_joint_states_is_said(tmp_path):
    lift = held(JointKind.PRISMATIC, effort=10.0, velocity=0.02, limits=((-1.0, 0.01),))
    scene = written(tmp_path, lift, gravity=(0.0, 0.0, -G))
    result = simulate(scene, duration=0.2, drive={"hold": {"velocity": 40}})
    assert "took up to 19.62 N; the joint states an effort of 10 N" in result["warnings"][0]
    assert "driven at 40 mm/s; the joint states at most 20 mm/s" in result["warnings"][1]
    assert len(result["warnings"]) == 2
    beyond = simulate(scene, duration=0.5, drive={"hold": {"velocity": 40}})
    assert "past its limit of 10 mm at t = 0.25 s" in beyond["warnings"][2]


def test_motors_that_are_not_asked_for_anything_disturb_no_run_and_no_drive(tmp_path):
    """One on the driven joint, one on it and another: the effort is what the load weighs."""
    shared = Transmission(coordinate="A"), Transmission(coordinate="B", ratio=-1.0)
    motors = (
        Actuator(name="A", transmissions=(Transmission(coordinate="A", ratio=50.0),), effort=1.0),
        Actuator(name="both", transmissions=shared),
    )
    found = []
    # An effort on the joint keeps A from being cut in the first, as its motors do in the second.
    for mechanism in (
        four_bar(0.7, joint={"A": {"effort": 50.0}, "B": {"stiffness": 1e-12}}),
        replace(four_bar(0.7), actuators=motors),
    ):
        scene = written(tmp_path, mechanism, gravity=DOWN_Y, timestep=5e-4)
        driven = simulate(scene, duration=0.5, drive={"A": {"velocity": 180}}, samples=5)
        free = simulate(scene, duration=0.2, samples=5)
        found.append([sample["joints"] for sample in (*driven["samples"], *free["samples"])])
    for one, other in zip(*found, strict=True):
        for name in "ABD":
            for what in ("pos", "vel", "effort"):
                assert other[name][what] == pytest.approx(one[name][what], rel=1e-5, abs=1e-5)


def test_a_drive_moves_a_rotor_that_two_joints_share(tmp_path):
    """Whose tendon puts an entry between the two into the mass matrix that the drive works with."""
    shared = tuple(Transmission(coordinate=name, ratio=2.0) for name in ("A", "B"))
    rotor = Actuator(name="m", transmissions=shared, armature=0.1)
    scene = written(tmp_path, replace(four_bar(0.7), actuators=(rotor,)), gravity=DOWN_Y)
    result = simulate(scene, duration=1.0, drive={"A": {"velocity": 180}}, samples=20)
    start = math.degrees(0.7)
    for sample in result["samples"]:
        crank = start + 180.0 * sample["time"]
        assert sample["joints"]["A"]["pos"] == pytest.approx(crank, abs=1e-9)
        rocker = four_bar_angles(math.radians(crank))[1]
        assert away(sample["joints"]["D"]["pos"], math.degrees(rocker)) < 0.01
