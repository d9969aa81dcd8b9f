"""What is wrong with actuators and armatures: all of it at once, each named."""

import math
from dataclasses import replace

import pytest
from spoiled import hung, only, with_joint

from mechanisms import four_bar
from robocompiler.errors import ActuatorError, BadValueError, DuplicateNameError, UnknownNameError
from robocompiler.model.actuation import actuated_joints
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Actuator, Transmission
from robocompiler.model.validity import faults_of


def actuator(name, *moved, **terms):
    """Of pairs of a coordinate and a ratio, or of coordinates whose ratio is 1."""
    pairs = [(one, 1.0) if isinstance(one, str) else one for one in moved]
    transmissions = tuple(Transmission(coordinate=one, ratio=ratio) for one, ratio in pairs)
    return Actuator(name=name, transmissions=transmissions, **terms)


def driven(*actuators, mechanism=None):
    return replace(mechanism or four_bar(), actuators=actuators)


def test_motors_on_a_joint_and_on_several_through_gears_are_valid():
    cylinder = hung(JointKind.CYLINDRICAL)
    motors = (
        actuator("A", ("A", -50.0), effort=2.0, velocity=100.0, armature=1e-5),
        actuator("gripper", ("B", 0.5), ("D", 0.5)),
        actuator("spindle", ("to bob/turnZ", 3.0)),
    )
    assert faults_of(driven(*motors, mechanism=cylinder)) == []


@pytest.mark.parametrize(
    ("moved", "error", "said"),
    [
        ((), ActuatorError, " moves nothing. State the joint coordinates that it moves"),
        (("A", "D", ("A", 0.5)), ActuatorError, " moves 'A' twice. State it once, with the sum"),
        ((("A", 0.0),), ActuatorError, ": a ratio of 0 to 'A' moves nothing. State how far"),
        (("A", ("D", math.nan)), BadValueError, ": transmissions[1].ratio=nan is not a finite"),
        (("A", ("D", "1")), BadValueError, ": transmissions[1].ratio='1' is not a number"),
        (("E",), UnknownNameError, ": there is no joint coordinate 'E'"),
    ],
)
def test_an_actuator_that_cannot_be_is_told_with_its_name(moved, error, said):
    assert f"Actuator 'm'{said}" in only(driven(actuator("m", *moved)), error)


@pytest.mark.parametrize(
    ("kind", "name", "error", "said"),
    [
        (JointKind.BALL, "to bob", ActuatorError, "of a ball joint are none that an actuator can"),
        (JointKind.BALL, "to bob/rotation", ActuatorError, "cannot move 'to bob/rotation': the"),
        (JointKind.FREE, "to bob/rotation", ActuatorError, "of a free joint are none that an"),
        (JointKind.FREE, "to bob/moveX", ActuatorError, "cannot move 'to bob/moveX'"),
        (JointKind.FIXED, "to bob", ActuatorError, "cannot move 'to bob': a fixed joint has no"),
        (JointKind.UNIVERSAL, "to bob", ActuatorError, "State 'to bob/turnX', 'to bob/turnY'."),
        (JointKind.UNIVERSAL, "to bob/turnZ", UnknownNameError, "Did you mean 'to bob/turn"),
    ],
)
def test_what_is_no_single_coordinate_is_refused_by_name(kind, name, error, said):
    told = only(driven(actuator("m", name), mechanism=hung(kind)), error)
    assert told.startswith("Actuator 'm'")
    assert said in told


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({"effort": 0.0}, "effort=0.0 is not more than 0: leave it out where nothing limits it"),
        ({"effort": -1.0}, "effort=-1.0 is not more than 0"),
        ({"velocity": 0.0}, "velocity=0.0 is not more than 0"),
        ({"velocity": math.inf}, "velocity=inf is not a finite number"),
        ({"armature": -1e-9}, "armature=-1e-09 is not 0 or more"),
        ({"armature": math.nan}, "armature=nan is not a finite number"),
    ],
)
def test_an_effort_a_speed_and_an_inertia_that_cannot_be_are_told(terms, said):
    told = only(driven(actuator("m", "A", **terms)), BadValueError)
    assert told.startswith(f"Actuator 'm': {said}")


@pytest.mark.parametrize("armature", [-1.0, math.inf])
def test_an_armature_of_a_joint_is_finite_and_not_negative(armature):
    assert "Joint 'A': armature=" in only(
        with_joint(four_bar(), "A", armature=armature), BadValueError
    )
    assert faults_of(with_joint(four_bar(), "A", armature=1.0)) == []


def test_two_actuators_of_one_name_are_told():
    said = only(driven(actuator("m", "A"), actuator("m", "D")), DuplicateNameError)
    assert "Two actuators are called 'm'" in said


def test_an_actuator_may_be_called_as_what_it_moves_alone_and_as_no_other_joint():
    assert faults_of(driven(actuator("A", ("A", 50.0)))) == []
    for moved in (("D",), ("A", "D")):
        said = only(driven(actuator("A", *moved)), ActuatorError)
        assert "Actuator 'A': 'A' is also what a joint or its coordinate is called" in said
    cylinder = hung(JointKind.CYLINDRICAL)
    named = actuator("to bob", "to bob/turnZ")
    assert "Rename the actuator" in only(driven(named, mechanism=cylinder), ActuatorError)


def test_where_the_description_says_so_is_quoted():
    said = only(driven(actuator("m", "E", source="robot: rc:actuator m")), UnknownNameError)
    assert said.startswith("robot: rc:actuator m: there is no joint coordinate 'E'")


def test_all_that_is_wrong_with_actuators_is_told_at_once():
    one = actuator("m", "A", "A", ("E", 0.0), effort=-1.0)
    faults = faults_of(driven(one, actuator("m"), mechanism=with_joint(four_bar(), "A", pitch=1.0)))
    said = " ".join(map(str, faults))
    for what in ("Two actuators", "'A' twice", "ratio of 0 to 'E'", "'E'.", "effort=-1", "nothing"):
        assert what in said
    assert "pitch" in said


def test_a_joint_is_actuated_by_its_effort_its_armature_or_an_actuator():
    mechanism = hung(JointKind.CYLINDRICAL)
    mechanism = with_joint(with_joint(mechanism, "A", effort=1.0), "B", armature=0.1)
    mechanism = driven(actuator("m", "D", "to bob/moveZ"), mechanism=mechanism)
    one = frozenset({0})
    assert actuated_joints(mechanism) == {"A": one, "B": one, "D": one, "to bob": frozenset({1})}
