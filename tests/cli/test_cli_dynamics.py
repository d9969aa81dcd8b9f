"""`dynamics` and `motion`, against closed forms."""

import csv
import json
import math
import re
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import robocompiler as rc
from linkages.drawing import Drawing, at, axis, cut_at, driven_by
from linkages.planar import five_bar, five_bar_solution, four_bar_of, slider_crank, slider_solution
from linkages.two_link import arm
from mechanisms import four_bar
from robocompiler.cli.main import main
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Inertia

MASS, LENGTH, MOMENT, G = 2.0, 0.5, 0.03, 9.81
NO_WEIGHT = ["--gravity", "0,0,0"]


def pendulum(effort=20.0, velocity=None):
    """Hangs along -z at 0 and turns about y; its centre at `LENGTH`."""
    drawing = Drawing("pendulum")
    inertia = Inertia(mass=MASS, center=(0.0, 0.0, -LENGTH), moments=(MOMENT,) * 3)
    drawing.body("bob", at(), inertia)
    hinge = axis((0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
    drawing.revolute("hinge", (WORLD, "bob"), hinge, effort=effort, velocity=velocity)
    return drawing.mechanism()


@pytest.fixture
def save(tmp_path):
    def save(mechanism):
        path = tmp_path / "mechanism.json"
        path.write_text(rc.to_json(mechanism))
        return str(path)

    return save


@pytest.fixture
def said(capsys):
    """What a command prints as JSON."""

    def said(*arguments):
        assert main([*arguments, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return said


def drive_of(path, columns):
    """A motion written as CSV, every digit kept."""
    rows = np.stack([np.asarray(values, dtype=float) for values in columns.values()], axis=-1)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows([repr(x) for x in row] for row in rows.tolist())
    return str(path)


def read_table(path):
    rows = list(csv.reader(Path(path).read_text(encoding="utf-8").splitlines()))
    return dict(zip(rows[0], np.array(rows[1:], dtype=float).T, strict=True))


def test_a_pendulum_takes_its_weight_and_its_inertia(save, said):
    pytest.importorskip("pint")
    file = save(pendulum())
    whole = MOMENT + MASS * LENGTH**2
    weight = MASS * G * LENGTH * math.sin(math.pi / 6)
    (port,) = said("dynamics", file, "--at", "hinge=30deg")["ports"]
    assert port["effort"] == pytest.approx(weight, rel=1e-12)
    assert (port["unit"], port["limit"], port["power"]) == ("N m", 20.0, 0.0)
    moving = ["--at", "hinge=30deg", "--speeds", "hinge=3rad/s"]
    data = said("dynamics", file, *moving, "--accelerations", "hinge=4rad/s^2")
    (port,) = data["ports"]
    assert port["effort"] == pytest.approx(weight + whole * 4.0, rel=1e-12)
    assert port["power"] == pytest.approx(3.0 * port["effort"], rel=1e-12)
    assert port["share"] == pytest.approx(port["effort"] / 20.0, rel=1e-12)
    assert data["joints"]["hinge"]["acceleration"] == [pytest.approx(4.0)]
    # On the moon, and with a push along x at the bob's origin, which is on the axis.
    moon = said("dynamics", file, *moving[:2], "--gravity", "0,0,-1.62m/s^2")
    assert moon["ports"][0]["effort"] == pytest.approx(weight * 1.62 / G, rel=1e-12)


def test_a_hinge_carries_the_weight_and_the_pull_of_the_turn(save, said):
    pytest.importorskip("pint")
    data = said("dynamics", save(pendulum()), "--speeds", "hinge=3rad/s")
    (load,) = data["loads"]
    assert load["force"] == pytest.approx(MASS * (G + 9.0 * LENGTH), rel=1e-12)
    assert load["torque"] == pytest.approx(0.0, abs=1e-12)
    assert all(load["determinate"])
    assert data["indeterminate"] == []


def test_efforts_make_a_pendulum_accelerate(save, said):
    pytest.importorskip("pint")
    file, whole = save(pendulum()), MOMENT + MASS * LENGTH**2
    data = said("dynamics", file, "--at", "hinge=90deg", "--efforts", "hinge=3N*m")
    (rate,) = data["joints"]["hinge"]["acceleration"]
    assert rate == pytest.approx((3.0 - MASS * G * LENGTH) / whole, rel=1e-12)
    assert data["ports"][0]["effort"] == 3.0


def test_a_force_on_a_slider_is_held_by_the_crank_by_virtual_work(save, said):
    pytest.importorskip("pint")
    call = ["dynamics", save(slider_crank()), "--at", "A=1rad", *NO_WEIGHT]
    data = said(*call, "--wrench", "slider=-100N,0,0,0,0,0")
    step = 1e-6
    ends = [slider_solution(0.1, 0.3, 0.02, 1.0 + x)[1] for x in (step, -step)]
    slope = (ends[0] - ends[1]) / (2.0 * step)
    assert data["ports"][0]["effort"] == pytest.approx(100.0 * slope, rel=1e-8)


def pin_of_five_bar(angles):
    left, _ = five_bar_solution((0.3, 0.2, 0.35, 0.4, 0.25), angles)
    x = 0.2 * math.cos(angles[0]) + 0.35 * math.cos(left)
    return np.array([x, 0.2 * math.sin(angles[0]) + 0.35 * math.sin(left)]), left


def test_two_motors_of_a_five_bar_hold_a_force_on_its_pin_by_virtual_work(save, said):
    pytest.importorskip("pint")
    force, angles, step = np.array([30.0, -50.0]), (2.0, 1.0), 1e-6
    left = pin_of_five_bar(angles)[1]
    moment = 0.35 * (math.cos(left) * force[1] - math.sin(left) * force[0])
    wrench = f"left coupler={force[0]}N,{force[1]}N,0,0,0,{float(moment)!r}N*m"
    data = said("dynamics", save(five_bar()), "--at", "home", *NO_WEIGHT, "--wrench", wrench)
    for port, way in zip(data["ports"], ((step, 0.0), (0.0, step)), strict=True):
        ends = [
            pin_of_five_bar((angles[0] + s * way[0], angles[1] + s * way[1]))[0] for s in (1, -1)
        ]
        assert port["effort"] == pytest.approx(-force @ (ends[0] - ends[1]) / (2 * step), rel=1e-7)


def test_forward_gives_back_what_inverse_was_asked_and_what_is_mixed_agrees(save, said):
    pytest.importorskip("pint")
    file = save(five_bar())
    state = ["dynamics", file, "--speeds", "A=2rad/s", "E=-40deg/s"]
    asked = said(*state, "--accelerations", "A=3rad/s^2", "E=-5rad/s^2")
    efforts = [f"{port['name']}={port['effort']!r}N*m" for port in asked["ports"]]
    given = said(*state, "--efforts", *efforts)
    mixed = said(*state, "--accelerations", "A=3rad/s^2", "--efforts", efforts[1])
    assert list(given["joints"])[:2] == ["A", "E"]  # actuated first
    for other in (given, mixed):
        for name, joint in asked["joints"].items():
            np.testing.assert_allclose(
                other["joints"][name]["acceleration"], joint["acceleration"], atol=1e-9
            )
        for one, two in zip(asked["loads"], other["loads"], strict=True):
            np.testing.assert_allclose(one["wrench"], two["wrench"], atol=1e-9)


def test_joints_that_are_named_are_independent_even_if_they_are_cut(save, said):
    pytest.importorskip("pint")
    file = save(four_bar())
    assert rc.compile(four_bar()).closures[0].chord.joint.name == "C"
    asked = ["--speeds", "C=1rad/s", "--accelerations", "C=2rad/s^2"]
    data = said("dynamics", file, *asked)
    assert data["independent"] == ["C"]
    joint = data["joints"]["C"]
    assert (joint["speed"], joint["acceleration"]) == ([pytest.approx(1)], [pytest.approx(2)])
    crank = data["joints"]["A"]
    speeds = ["--speeds", f"A={crank['speed'][0]!r}rad/s"]
    rates = ["--accelerations", f"A={crank['acceleration'][0]!r}rad/s^2"]
    again = said("dynamics", file, *speeds, *rates)["joints"]["C"]
    assert again["speed"] == [pytest.approx(1.0, rel=1e-9)]
    assert again["acceleration"] == [pytest.approx(2.0, rel=1e-9)]


@pytest.mark.parametrize("name", ["A", "B", "C", "D"])
def test_efforts_on_joints_that_state_none_act_there_by_virtual_work(save, said, name):
    pytest.importorskip("pint")
    call = ["dynamics", save(four_bar()), *NO_WEIGHT]
    turned = said(*call, "--speeds", "A=1rad/s")["joints"][name]["speed"][0]
    there = said(*call, "--efforts", f"{name}=0.2N*m")
    on_crank = said(*call, "--efforts", f"A={0.2 * turned!r}N*m")
    assert [port["name"] for port in there["ports"]] == [name]
    rates = [data["joints"]["A"]["acceleration"] for data in (there, on_crank)]
    np.testing.assert_allclose(*rates, rtol=1e-9)


def test_what_is_mixed_needs_no_declared_drive_either(save, said):
    pytest.importorskip("pint")
    stated = five_bar()
    bare = replace(stated, joints=tuple(replace(j, effort=None) for j in stated.joints))
    asked = ["--accelerations", "E=-5rad/s^2", "--efforts", "A=3N*m"]
    ours, theirs = (said("dynamics", save(bars), *asked) for bars in (bare, stated))
    assert {port["name"] for port in ours["ports"]} == {"A", "E"}
    for name, joint in theirs["joints"].items():
        own = ours["joints"][name]["acceleration"]
        np.testing.assert_allclose(own, joint["acceleration"], rtol=1e-9)


def test_a_slider_that_was_cut_accelerates_as_the_closed_form_does(save, said):
    pytest.importorskip("pint")
    bars = cut_at(slider_crank(), ["S"])
    assert rc.compile(bars).closures[0].chord.joint.name == "S"
    data = said("dynamics", save(bars), "--at", "A=1rad", "--speeds", "A=2rad/s")
    step = 1e-4
    before, here, after = (slider_solution(0.1, 0.3, 0.02, 1.0 + k * step)[1] for k in (-1, 0, 1))
    joint = data["joints"]["S"]
    assert joint["speed"] == [pytest.approx(2.0 * (after - before) / (2.0 * step), rel=1e-7)]
    curving = 4.0 * (after - 2.0 * here + before) / step**2
    assert joint["acceleration"] == [pytest.approx(curving, rel=1e-5)]


def test_what_loops_do_not_determine_is_marked_and_explained(save, capsys):
    file = save(four_bar())
    assert main(["dynamics", file]) == 0
    out = capsys.readouterr().out
    assert "NOT DETERMINED (marked ?): do not size" in out
    assert "  A: force z, torque x, torque y" in out
    assert "why: " in out
    assert "make one joint of each such loop a ball" in out
    kinds = {"B": JointKind.BALL, "C": JointKind.CYLINDRICAL}
    assert main(["dynamics", save(four_bar(kinds=kinds))]) == 0
    out = capsys.readouterr().out
    assert "NOT DETERMINED" not in out
    assert "?" not in out


def test_what_no_drive_moves_and_what_drives_share_is_told(save, capsys):
    pytest.importorskip("pint")
    turned = driven_by(arm(), ["shoulder"])
    push = ["--wrench", "lower=0,0,0,0,0,3N*m"]
    assert main(["dynamics", save(turned), *NO_WEIGHT, *push]) == 0
    told = capsys.readouterr().err
    assert "no drive can give what is missing along 'elbow' (up to 3 N m)" in told
    assert main(["dynamics", save(driven_by(four_bar_of(), "AD"))]) == 0
    assert "1 combination(s) of efforts do nothing" in capsys.readouterr().err
    assert main(["dynamics", save(driven_by(four_bar_of(), ""))]) == 0
    assert "no actuator is declared" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("kind", "told"),
    [(JointKind.REVOLUTE, "gear: 0.06 N m, a coupling"), (JointKind.PRISMATIC, "gear: 6 N, a c")],
)
def test_what_a_coupling_carries_is_in_its_followers_unit_and_no_rounding(save, capsys, kind, told):
    """A wheel of 0.03 kg m², or of 3 kg, at twice the acceleration of what drives it."""
    pytest.importorskip("pint")
    drawing = Drawing("geared")
    for name, own in (("lead", JointKind.REVOLUTE), ("wheel", kind)):
        drawing.body(name, at(), Inertia(mass=3.0, moments=(0.03,) * 3))
        where = axis((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
        drawing.joint(name, own, (WORLD, name), where)
    gear = rc.Coupling.gear(name="gear", leader="lead", follower="wheel", ratio=2.0)
    call = ["dynamics", save(replace(drawing.mechanism(), couplings=(gear,))), *NO_WEIGHT]
    assert main([*call, "--accelerations", "lead=1rad/s^2"]) == 0
    assert told in capsys.readouterr().out
    assert main([*call, "--speeds", "lead=1rad/s"]) == 0
    assert "gear: 0 N" in capsys.readouterr().out


def test_more_than_a_drive_states_is_a_warning(save, capsys):
    pytest.importorskip("pint")
    file = save(pendulum(effort=4.0, velocity=1.0))
    assert main(["dynamics", file, "--at", "hinge=90deg", "--speeds", "hinge=2rad/s"]) == 0
    told = capsys.readouterr()
    assert "245 %" in told.out
    assert "'hinge' would have to give 9.81 N m and states at most 4 N m" in told.err
    assert "at 114.592 °/s and states at most 57.2958 °/s" in told.err


def test_a_held_tip_carries_its_share_of_an_arm(save, said):
    """Both ends of the triangle together carry what it weighs, and the push."""
    pytest.importorskip("pint")
    file = save(arm())
    call = ["dynamics", file, "--gravity", "0,-10m/s^2,0", "--support", "lower@400mm,0,0"]
    data = said(*call)
    loads = {load["name"]: load for load in data["loads"]}
    # The parent of a support is the ground too, and both frames stand along the world's axes.
    held = [np.array(loads[name]["wrench"][:2]) for name in loads if name != "elbow"]
    total = sum(body.inertia.mass for body in arm().bodies)
    assert data["independent"] == []
    assert len(held) == 2
    np.testing.assert_allclose(held[0] + held[1], [0.0, 10.0 * total], atol=1e-9)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--at", "hinge=3mm"], "--at: hinge=3mm is not a value such as 35deg"),
        (["--at", "home", "hinge=3deg"], "home alone, or joints"),
        (["--at", "hing=3deg"], "Did you mean 'hinge'?"),
        (["--accelerations", "hinge=3rad/s"], "is not a value such as 2rad/s^2"),
        (["--accelerations", "hinge"], "is not of the form joint=35deg"),
        (["--speeds", "hinge=1rad/s", "hinge=2rad/s"], "is not one value"),
        (["--efforts", "hinge=3N"], "hinge=3N is not a value such as 2N*m"),
        (["--efforts", "motor=3N*m"], "there is no port 'motor'"),
        (["--wrench", "bop=1N,0,0,0,0,0"], "there is no body or frame 'bop'"),
        (["--wrench", "bob=1N,0,0"], "is not 6 values, separated by commas"),
        (["--wrench", "bob=1,0,0,0,0,0"], "is not a value such as 120N"),
        (["--gravity", "-9.81m/s^2"], "is not 3 values, separated by commas"),
        (["--support", "bop"], "there is no body 'bop'"),
    ],
)
def test_what_is_asked_wrongly_is_refused_with_what_would_do(save, capsys, arguments, told):
    pytest.importorskip("pint")
    name, value, *more = arguments
    given = [f"{name}={value}"] if value.startswith("-") else [name, value, *more]
    assert main(["dynamics", save(pendulum()), *given]) == 1
    err = capsys.readouterr()
    assert told in err.err
    assert err.out == ""


def swing(count=401):
    """A pendulum's angle, speed, acceleration over time, and the effort that takes."""
    t = np.linspace(0.0, 2.0, count)
    angle, speed = 0.8 * np.sin(3.0 * t), 2.4 * np.cos(3.0 * t)
    rate = -7.2 * np.sin(3.0 * t)
    effort = (MOMENT + MASS * LENGTH**2) * rate + MASS * G * LENGTH * np.sin(angle)
    return t, angle, speed, rate, effort


def test_efforts_along_a_motion_with_its_speeds_are_those_of_the_closed_form(save, said, tmp_path):
    t, angle, speed, rate, effort = swing()
    columns = {"time [s]": t, "hinge [rad]": angle, "hinge [rad/s]": speed, "hinge [rad/s^2]": rate}
    drive, output = drive_of(tmp_path / "drive.csv", columns), str(tmp_path / "efforts.csv")
    data = said("motion", save(pendulum()), "--csv", drive, "-o", output)
    found = read_table(output)
    np.testing.assert_array_equal(found["time [s]"], t)
    np.testing.assert_allclose(found["hinge effort [N m]"], effort, atol=1e-12)
    np.testing.assert_allclose(found["hinge speed [rad/s]"], speed, atol=1e-12)
    np.testing.assert_allclose(found["hinge power [W]"], effort * speed, atol=1e-12)
    # Tension and the force across, of a point that swings.
    pull = MASS * (G * np.cos(angle) + speed**2 * LENGTH)
    across = MASS * (rate * LENGTH + G * np.sin(angle))
    np.testing.assert_allclose(found["hinge force [N]"], np.hypot(pull, across), rtol=1e-12)
    (port,), (load,) = data["ports"], data["loads"]
    worst = int(np.argmax(np.abs(effort)))
    assert (port["effort"], port["at"]) == (pytest.approx(effort[worst]), pytest.approx(t[worst]))
    mean = math.sqrt(np.trapezoid(effort**2, t) / 2.0)
    assert port["rms"] == pytest.approx(mean, rel=1e-12)
    assert load["force"] == pytest.approx(np.max(np.hypot(pull, across)), rel=1e-12)


def test_without_speeds_they_come_from_a_spline(save, tmp_path, capsys):
    pytest.importorskip("pint")
    t, angle, *_, effort = swing()
    columns = {"sample": range(len(t)), "t [ms]": 1e3 * t, "hinge [deg]": np.degrees(angle)}
    drive, output = drive_of(tmp_path / "drive.csv", columns), str(tmp_path / "efforts.csv")
    assert main(["motion", save(pendulum()), "--csv", drive, "-o", output]) == 0
    found = read_table(output)["hinge effort [N m]"]
    np.testing.assert_allclose(found, effort, atol=3e-4)
    assert "driven at hinge" in capsys.readouterr().out


def test_with_speeds_alone_accelerations_are_their_derivative(save, tmp_path):
    """Where it stands is then known to a thousandth only, of which no second derivative says."""
    t, angle, speed, _, effort = swing()
    columns = {"time [s]": t, "hinge [rad]": np.round(angle, 3), "hinge [rad/s]": speed}
    drive, output = drive_of(tmp_path / "drive.csv", columns), str(tmp_path / "efforts.csv")
    assert main(["motion", save(pendulum()), "--csv", drive, "-o", output]) == 0
    np.testing.assert_allclose(read_table(output)["hinge effort [N m]"], effort, atol=1e-2)


def test_two_samples_of_what_stands_still_are_enough(save, tmp_path, said):
    drive = drive_of(tmp_path / "drive.csv", {"time [s]": [0.0, 1.0], "hinge [rad]": [0.5, 0.5]})
    (port,) = said("motion", save(pendulum()), "--csv", drive)["ports"]
    weight = MASS * G * LENGTH * math.sin(0.5)
    assert (port["effort"], port["rms"]) == (pytest.approx(weight), pytest.approx(weight))
    assert port["speed"] == 0.0


def turning(bars=5.0, count=301):
    t = np.linspace(0.0, math.tau / bars, count)
    return t, 0.7 + bars * t


def test_a_turn_at_constant_speed_takes_no_work(save, tmp_path):
    t, angle = turning()
    columns = {"time [s]": t, "A [rad]": angle}
    drive, output = drive_of(tmp_path / "drive.csv", columns), str(tmp_path / "efforts.csv")
    call = ["motion", save(slider_crank()), "--csv", drive, "-o", output, *NO_WEIGHT]
    assert main(call) == 0
    power = read_table(output)["A power [W]"]
    assert np.max(np.abs(power)) > 0.1
    assert np.trapezoid(power, t) == pytest.approx(0.0, abs=1e-6 * np.max(np.abs(power)))


@pytest.mark.parametrize(("driven", "still"), [("AE", "E"), ("A", "B")])
def test_a_joint_that_stands_still_keeps_its_place_with_a_column_or_without(
    save, tmp_path, said, driven, still
):
    t, bars = np.linspace(0.0, 1.0, 41), driven_by(five_bar(), driven)
    place = next(joint.start[0] for joint in bars.joints if joint.name == still)
    columns = {"time [s]": t, "A [rad]": 2.0 + 0.2 * t * t, f"{still} [rad]": np.full(41, place)}
    file = save(bars)
    both = drive_of(tmp_path / "both.csv", columns)
    del columns[f"{still} [rad]"]
    alone = drive_of(tmp_path / "alone.csv", columns)
    first, second = (said("motion", file, "--csv", drive) for drive in (both, alone))
    assert (first["drivers"], first["held"]) == (["A", still], [])
    assert (second["drivers"], second["held"]) == (["A"], [still])
    assert [port["name"] for port in first["ports"]] == list(driven)
    for one, two in zip(
        [*first["ports"], *first["loads"]], [*second["ports"], *second["loads"]], strict=True
    ):
        for key in one.keys() & {"effort", "speed", "force_determined", "torque_determined"}:
            assert one[key] == pytest.approx(two[key], rel=1e-9, abs=1e-12)


def test_a_joint_of_several_coordinates_has_a_column_for_each(save, tmp_path, said):
    """A plate that is pushed in a plane: force is mass times acceleration."""
    drawing = Drawing("plate")
    drawing.body("plate", at(), Inertia(mass=MASS, moments=(MOMENT,) * 3))
    drawing.joint("plate", JointKind.PLANAR, (WORLD, "plate"), at())
    t = np.linspace(0.0, 1.0, 21)
    units = [
        rc.compile(drawing.mechanism()).joints["plate"].kind.factors[i].is_turn for i in range(3)
    ]
    columns = {"time [s]": t}
    for i, turns in enumerate(units):
        columns[f"plate/{i} [{'deg' if turns else 'mm'}]"] = (10.0 + i) * t * t
    pytest.importorskip("pint")
    drive = drive_of(tmp_path / "drive.csv", columns)
    data = said("motion", save(drawing.mechanism()), "--csv", drive)
    for i, (port, turns) in enumerate(zip(data["ports"], units, strict=True)):
        rate = 2.0 * (10.0 + i) * (math.pi / 180.0 if turns else 1e-3)
        assert port["effort"] == pytest.approx((MOMENT if turns else MASS) * rate, rel=1e-9)
        assert port["unit"] == ("N m" if turns else "N")
    assert "no actuator is declared" in data["warnings"][0]
    lines = Path(drive).read_text().splitlines()
    Path(drive).write_text("\n".join(line.rpartition(",")[0] for line in lines))
    assert main(["motion", save(drawing.mechanism()), "--csv", drive]) == 1


def test_a_ball_drives_nothing(save, tmp_path, capsys):
    drawing = Drawing("bob")
    drawing.body("bob", at(), Inertia(mass=MASS, moments=(MOMENT,) * 3))
    drawing.ball("ball", (WORLD, "bob"), (0.0, 0.0, 0.0))
    columns = {"time [s]": [0.0, 1.0]} | {f"ball/{i}": [float(i == 0)] * 2 for i in range(4)}
    drive = drive_of(tmp_path / "drive.csv", columns)
    assert main(["motion", save(drawing.mechanism()), "--csv", drive]) == 1
    assert "of lengths and angles alone" in capsys.readouterr().err


def test_an_actuator_that_may_turn_or_slide_takes_either_unit(save, said, capsys):
    """A slide through a ratio of 200: a lead screw of 1/200 m a radian, or a lever."""
    pytest.importorskip("pint")
    drawing = Drawing("press")
    drawing.body("ram", at(), Inertia(mass=MASS, moments=(MOMENT,) * 3))
    drawing.prismatic("slide", (WORLD, "ram"), at())
    motor = rc.Actuator(
        name="motor",
        transmissions=(rc.Transmission(coordinate="slide", ratio=200.0),),
        effort=1.0,
    )
    file = save(replace(drawing.mechanism(), actuators=(motor,)))
    (port,) = said("dynamics", file)["ports"]
    assert (port["name"], port["unit"]) == ("motor", "N or N m")
    assert port["effort"] == pytest.approx(MASS * G / 200.0, rel=1e-12)
    for effort in ("0.5N*m", "0.5N"):
        data = said("dynamics", file, "--efforts", f"motor={effort}")
        assert data["joints"]["slide"]["acceleration"] == [pytest.approx(100.0 / MASS - G)]
    assert main(["dynamics", file, "--efforts", "motor=0.5m"]) == 1
    assert "motor=0.5m is not a value such as" in capsys.readouterr().err


def followed(file, tmp_path):
    """What `follow --csv` writes, every joint in it, with times put beside."""
    path = tmp_path / "path.csv"
    ends = ["--from", "0.7rad", "--to", "2rad", "--samples", "41"]
    assert main(["follow", file, "--driver", "A", *ends, "--csv", str(path)]) == 0
    lines = path.read_text().splitlines()
    timed = [f"{lines[0]},time [s]"] + [f"{x},{0.1 * i!r}" for i, x in enumerate(lines[1:])]
    path.write_text("\n".join(timed))
    return path


def test_the_table_of_follow_is_a_motion_and_what_follows_in_it_is_checked(
    save, tmp_path, capsys, said
):
    pytest.importorskip("pint")
    file = save(four_bar_of())
    path = followed(file, tmp_path)
    capsys.readouterr()
    data = said("motion", file, "--csv", str(path))
    assert (data["drivers"], data["follow"]) == (["A"], ["B", "C", "D"])
    lines = path.read_text().splitlines()
    entries = lines[7].split(",")
    entries[lines[0].split(",").index("D [rad]")] = "0.25"
    path.write_text("\n".join([*lines[:7], ",".join(entries), *lines[8:]]))
    assert main(["motion", file, "--csv", str(path)]) == 1
    assert "line 8: D=0.25 is not where 'A' put it" in capsys.readouterr().err


def test_a_picture_and_a_table_are_written_and_nothing_else(save, tmp_path):
    pytest.importorskip("matplotlib")
    t, angle = turning(count=31)
    drive = drive_of(tmp_path / "drive.csv", {"time [s]": t, "A [rad]": angle})
    outputs = ["-o", str(tmp_path / "out.csv"), "--plot", str(tmp_path / "out.png")]
    assert main(["motion", save(four_bar_of()), "--csv", drive, *outputs]) == 0
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")
    titles = list(read_table(tmp_path / "out.csv"))
    assert "B force, not determined, least share [N]" in titles
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["drive.csv", "mechanism.json", "out.csv", "out.png"]


def test_batches_make_no_difference(save, tmp_path, monkeypatch):
    """Of what is not determined either: shares are weighed by the size at the first sample."""
    t, angle = turning(count=40)
    drive = drive_of(tmp_path / "drive.csv", {"time [s]": t, "A [rad]": angle})
    file, tables = save(slider_crank()), []
    for size in (256, 7):
        monkeypatch.setattr("robocompiler.cli.track.TOGETHER", size)
        output = str(tmp_path / "out.csv")
        assert main(["motion", file, "--csv", drive, "-o", output]) == 0
        tables.append(read_table(output))
    for title, values in tables[0].items():
        np.testing.assert_allclose(tables[1][title], values, atol=1e-9, err_msg=title)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("time [s],hing [rad]\n0,0\n", "no joint for the column 'hing'. Did you mean 'hinge'?"),
        ("time [s],hinge\n0,0\n", "column=hinge is not with a unit, such as '[rad]'"),
        ("time [s],hinge [mm]\n0,0\n", "column=hinge [mm] is not with a unit"),
        ("hinge [rad]\n0\n", "is not a table with 'time [s]'"),
        ("time [s]\n0\n", "is not a table of joints"),
        ("time [kg],hinge [rad]\n0,0\n", "is not a time such as"),
        ("time [s],hinge [rad],hinge [deg]\n0,0,0\n", "Two columns are called 'hinge [deg]'"),
        ("time [s],hinge [rad]\n0,0\n1,nan\n", "line 3: hinge [rad]=nan is not a finite number"),
        ("time [s],hinge [rad]\n0,0\n\n1,x\n", "line 4: hinge [rad]=x is not a finite number"),
        ("time [s],hinge [rad]\n0,0\n1\n", "line 3: entries=1 is not 2"),
        ("time [s],hinge [rad]\n0,0\n1,1\n1,2\n", "line 4: time=1 s is not above 1 s"),
        ("time [s],hinge [rad]\n0,0\n1,1\n2,0\n", "samples=3 is not 4 or more"),
        ("time [s],hinge [rad/s]\n0,0\n", "is not a table of joints"),
        ("time [s],hinge [rad]\n", "has no samples"),
        ("", "has no samples"),
    ],
)
def test_a_table_that_is_no_motion_is_refused_and_nothing_written(
    save, tmp_path, capsys, text, told
):
    pytest.importorskip("pint")
    path = tmp_path / "drive.csv"
    path.write_text(text)
    output = tmp_path / "out.csv"
    assert main(["motion", save(pendulum()), "--csv", str(path), "-o", str(output)]) == 1
    assert told in capsys.readouterr().err
    assert not output.exists()


def test_what_is_read_is_not_written_over(save, tmp_path, capsys):
    t, angle, *_ = swing(11)
    drive, file = (
        drive_of(tmp_path / "drive.csv", {"time [s]": t, "hinge [rad]": angle}),
        save(pendulum()),
    )
    before = (tmp_path / "drive.csv").read_bytes()
    for output in (drive, file, str(tmp_path / ".." / tmp_path.name / "drive.csv")):
        assert main(["motion", file, "--csv", drive, "-o", output]) == 1
        assert "it would replace what is read" in capsys.readouterr().err
    same = str(tmp_path / "out.png")
    assert main(["motion", file, "--csv", drive, "-o", same, "--plot", same]) == 1
    assert (tmp_path / "drive.csv").read_bytes() == before
    assert main(["motion", file, "--csv", str(tmp_path / "none.csv")]) == 1
    assert "none.csv' cannot be read" in capsys.readouterr().err


def test_what_the_readme_shows_is_what_is_printed(kinematics, tmp_path, monkeypatch, capsys):
    """Line by line, except where it leaves some out."""
    for library in ("pint", "matplotlib"):
        pytest.importorskip(library)
    root = Path(__file__).parents[1]
    request = json.loads((root / "golden" / "fourbar.json").read_text())
    (tmp_path / "fourbar.mechanism.json").write_text(rc.to_json(rc.read_partcad(request)))
    monkeypatch.chdir(tmp_path)
    t = np.linspace(0.0, 1.0, 101)
    drive_of(tmp_path / "drive.csv", {"time [s]": t, "crank-ground [deg]": 60.0 + 360.0 * t})
    readme = (root.parent / "README.md").read_text("utf-8")
    blocks = re.findall(
        r"```\n\$ python -m robocompiler ((?:dynamics|motion) .*?)```", readme, re.S
    )
    assert len(blocks) == 2
    for block in blocks:
        command, *shown = block.strip().splitlines()
        assert main(shlex.split(command)) == 0
        printed = [line.split() for line in capsys.readouterr().out.splitlines()]
        assert [
            line for line in shown if line.strip() != "..." and line.split() not in printed
        ] == []
    assert {path.name for path in tmp_path.iterdir()} >= {"efforts.csv", "efforts.png"}
