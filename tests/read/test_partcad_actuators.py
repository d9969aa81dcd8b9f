"""Actuator markers: names, gears, units, and what is refused."""

import math

import pytest
from partcad_drawing import assembly, jointed, marker, move, part, request, turn

from robocompiler.errors import (
    ActuatorError,
    AmbiguousNameError,
    BadValueError,
    DuplicateNameError,
    SeveralFaultsError,
    UnknownNameError,
)
from robocompiler.read.partcad import read_partcad

DEG = math.pi / 180.0


def machine(*markers, label="machine"):
    """A base with two wheels, a rack, a sleeve that turns and slides, and a ball."""
    kinds = {
        "wheel": [turn()],
        "pinion": [turn()],
        "rack": [move()],
        "sleeve": [turn(), move()],
        "socket": [turn("x"), turn("y"), turn("z")],
    }
    parts = [jointed(name, "base", f"{name}-base", steps) for name, steps in kinds.items()]
    return assembly(label, [part("base"), *parts], markers)


def motor(instance="motor", joint="wheel-base", **values):
    return marker("actuator", instance, joint=joint, **values)


def driven(*markers):
    (actuator,) = read_partcad(request(machine(*markers))).actuators
    return actuator


def moved(actuator):
    return {t.coordinate: t.ratio for t in actuator.transmissions}


def test_a_motor_on_a_joint_says_all_on_its_own_side_of_the_gear():
    """9000 deg/s are 1500 turns a minute; an effort and an inertia are SI, as PartCAD's efforts."""
    mine = driven(motor(ratio="-50", effort="2.5", velocity="9000", armature="1e-5"))
    assert (mine.name, moved(mine)) == ("motor", {"wheel-base": -50.0})
    assert (mine.effort, mine.armature) == (2.5, 1e-5)
    assert mine.velocity == pytest.approx(50.0 * math.pi, rel=1e-14)
    assert mine.source == "machine: rc:actuator motor"


def test_what_is_not_stated_is_a_ratio_of_one_and_no_limit():
    mine = driven(motor())
    assert moved(mine) == {"wheel-base": 1.0}
    assert (mine.effort, mine.velocity, mine.armature) == (None, None, 0.0)


def test_an_armature_alone_is_a_rotor_on_the_joint_itself():
    """PartCAD's `physics:` has no word for it: this marker is the way to state it of a joint."""
    assert driven(motor(armature="0.02")).armature == 0.02


def test_a_gripper_s_drive_moves_two_joints_by_halves():
    mine = driven(motor(joint="wheel-base,pinion-base", ratio="0.5,-1/2"))
    assert moved(mine) == {"wheel-base": 0.5, "pinion-base": -0.5}


def test_joints_of_two_dimensions_each_have_a_ratio_in_their_own_unit():
    """It is an angle, as its first joint's is: bare to a rack, degrees per millimetre."""
    mine = driven(motor(joint="wheel-base,rack-base", ratio="2,3", velocity="90"))
    assert moved(mine) == {"wheel-base": 2.0, "rack-base": pytest.approx(3 * DEG / 1e-3, rel=1e-14)}
    assert mine.velocity == pytest.approx(90 * DEG)


@pytest.mark.parametrize(
    ("joint", "ratio", "si", "velocity", "speed"),
    [
        ("rack-base", "72deg/mm", 72 * DEG / 1e-3, "360", 2 * math.pi),
        ("rack-base", "0.2turn/mm", 400 * math.pi, "3000rev/min", 100 * math.pi),
        ("rack-base", "1/2", 0.5, "100", 0.1),
        ("rack-base", "", 1.0, "6m/min", 0.1),
        ("wheel-base", "2mm/rad", 2e-3, "100mm/s", 0.1),
        ("wheel-base", "0.5", 0.5, "2rad/s", 2.0),
        ("sleeve-base:moveZ", "1deg/mm", DEG / 1e-3, "90deg/s", 90 * DEG),
    ],
)
def test_a_ratio_with_units_says_whether_the_actuator_turns_or_slides(
    joint, ratio, si, velocity, speed
):
    mine = driven(motor(joint=joint, velocity=velocity, **({"ratio": ratio} if ratio else {})))
    ((_, found),) = moved(mine).items()
    assert found == pytest.approx(si, rel=1e-14)
    assert mine.velocity == pytest.approx(speed, rel=1e-14)


def test_a_coordinate_of_a_joint_with_several_is_named_after_a_colon():
    assert moved(driven(motor(joint="sleeve-base:moveZ"))) == {"sleeve-base/moveZ": 1.0}


def test_an_actuator_without_a_name_is_called_after_what_it_moves():
    assert driven(motor("")).name == "wheel-base"
    assert driven(motor("", joint="sleeve-base:moveZ")).name == "sleeve-base/moveZ"
    both = motor("", joint="wheel-base,pinion-base", ratio="1,1")
    assert driven(both).name == "wheel-base-pinion-base"


def test_names_are_below_the_assembly_that_says_so_and_told_apart():
    twins = [machine(motor(), motor(""), label=label) for label in ("left", "right")]
    across = motor("sync", "left/wheel-base,right/wheel-base", ratio="1,1")
    read = read_partcad(request(assembly("cell", twins, [across])))
    assert {a.name: tuple(moved(a)) for a in read.actuators} == {
        "sync": ("wheel-base", "wheel-base-2"),
        "motor": ("wheel-base",),
        "wheel-base": ("wheel-base",),
        "motor-2": ("wheel-base-2",),
        "wheel-base-2": ("wheel-base-2",),
    }


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"ratio": "half"}, "ratio=half is not a ratio of angle to angle: a number in deg per deg"),
        ({"ratio": "0"}, "ratio=0 is not a ratio of angle to angle"),
        ({"ratio": "2mm/mm"}, "ratio=2mm/mm is not a ratio of angle to angle"),
        ({"ratio": "1,2"}, "ratio=1,2 is not a ratio for the one joint"),
        (
            {"joint": "wheel-base,rack-base"},
            "ratio=(nothing) is not a ratio for each of the 2 joints, in their order",
        ),
        (
            {"joint": "wheel-base,rack-base", "ratio": "1deg/deg,1mm/mm"},
            "ratio=1mm/mm is not a ratio of angle to length",
        ),
        ({"effort": "0"}, "effort=0 is not a positive number in N m, without a unit: leave it"),
        ({"effort": "2N"}, "effort=2N is not a positive number in N m"),
        ({"joint": "rack-base", "effort": "-1"}, "effort=-1 is not a positive number in N, with"),
        ({"armature": "-1"}, "armature=-1 is not a positive number in kg m²"),
        ({"joint": "rack-base", "armature": "x"}, "armature=x is not a positive number in kg, "),
        ({"velocity": "100mm/s"}, "velocity=100mm/s is not a positive speed: a number in deg/s"),
        ({"velocity": "90deg"}, "velocity=90deg is not a positive speed"),
        ({"velocity": "90deg/h"}, "velocity=90deg/h is not a positive speed"),
        ({"velocity": "0"}, "velocity=0 is not a positive speed"),
    ],
)
def test_what_cannot_be_is_refused_with_what_was_expected(values, message):
    with pytest.raises(BadValueError) as caught:
        driven(motor(**values))
    assert str(caught.value).startswith(f"machine: rc:actuator motor: {message}")


def test_all_that_is_wrong_with_an_actuator_is_told_at_once():
    with pytest.raises(SeveralFaultsError) as caught:
        driven(motor(ratio="x", effort="x", velocity="x", armature="x"))
    assert len(caught.value.faults) == 4


def test_a_joint_that_does_not_exist_suggests_the_nearest():
    with pytest.raises(UnknownNameError) as caught:
        driven(motor(joint="weel-base"))
    assert str(caught.value) == (
        "machine: rc:actuator motor, joint: there is no joint 'weel-base'. Did you mean "
        "'wheel-base'?"
    )


def test_a_joint_with_several_coordinates_must_say_which_and_a_ball_has_none():
    with pytest.raises(UnknownNameError, match=r"no joint coordinate 'sleeve-base'\. Did you mea"):
        driven(motor(joint="sleeve-base"))
    with pytest.raises(UnknownNameError, match=r"no joint coordinate 'socket-base'\. There is non"):
        driven(motor(joint="socket-base"))


def test_joints_of_one_name_cannot_be_told_apart():
    twins = [jointed(label, "base", "j", [turn()]) for label in ("a", "b")]
    tree = assembly("pair", [part("base"), *twins], [motor(joint="j")])
    with pytest.raises(AmbiguousNameError, match="2 joints are called 'j'"):
        read_partcad(request(tree))


def test_an_actuator_that_says_nothing_is_refused_and_not_lost():
    with pytest.raises(BadValueError, match=r"joint=\(nothing\) is not the name of a joint"):
        driven(marker("actuator", "motor"))


def test_somebody_elses_interface_of_that_name_is_none_of_ours():
    """Such as the mounting face of a cylinder, with a port of that name."""
    face = {"name": "//catalog:actuator", "instance": "front", "ports": ["front-actuator"]}
    assert read_partcad(request(machine(face))).actuators == ()


def test_two_actuators_of_one_name_and_one_called_as_another_joint_are_refused():
    with pytest.raises(DuplicateNameError, match="Two actuators are called 'motor'"):
        driven(motor(), motor(joint="rack-base"))
    with pytest.raises(ActuatorError, match="'pinion-base' is also what a joint"):
        driven(motor("pinion-base"))


def test_a_coordinate_twice_is_refused():
    with pytest.raises(ActuatorError, match="moves 'wheel-base' twice"):
        driven(motor(joint="wheel-base,wheel-base:turnZ", ratio="1,1"))
