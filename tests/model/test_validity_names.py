import json
from dataclasses import replace

import pytest
from spoiled import attached, hung, only, with_joint

from mechanisms import bar, four_bar
from robocompiler.errors import BadValueError, DuplicateNameError, UnknownNameError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Actuator, Coupling, Mesh, Shape, Transmission
from robocompiler.model.text import from_json, to_json
from robocompiler.model.validity import coordinate_names, faults_of


@pytest.mark.parametrize("what", ["bodies", "frames", "joints"])
def test_two_of_one_name_are_a_fault(what):
    mechanism = four_bar()
    records = getattr(mechanism, what)
    doubled = replace(mechanism, **{what: (*records, records[-1])})
    assert f"Two {what} are called '{records[-1].name}'" in only(doubled, DuplicateNameError)


def test_a_name_that_is_nowhere_suggests_the_nearest():
    said = only(with_joint(four_bar(), "C", parent="couple.C"), UnknownNameError)
    assert "no frame 'couple.C'. Did you mean 'coupler.C'?" in said


UNNAMEABLE = ["", " ", "a\nb", "a\x00", "\x1b[2J", "\ud800", "a\u202eb", "\ufeff"]


def renamed(old, name):
    """The four-bar with one thing called otherwise, wherever it is referred to."""
    mechanism = with_joint(four_bar(), "A", labels=("a label",))
    body = replace(mechanism.bodies[-1], shapes=(Shape(name="a shape", mesh="a mesh"),))
    mechanism = replace(
        mechanism,
        bodies=(*mechanism.bodies[:-1], body),
        meshes=(Mesh(name="a mesh", file="a file"),),
        couplings=(Coupling.gear(name="a tie", leader="A", follower="D", ratio=1.0),),
        actuators=(Actuator(name="a motor", transmissions=(Transmission(coordinate="A"),)),),
    )
    assert faults_of(mechanism) == []
    return from_json(to_json(mechanism).replace(json.dumps(old), json.dumps(name)))


@pytest.mark.parametrize(
    "old",
    [
        "fourbar",
        "rocker",
        "rocker.C",
        "A",
        "a tie",
        "a motor",
        "a mesh",
        "a shape",
        "a file",
        "a label",
    ],
)
@pytest.mark.parametrize("name", UNNAMEABLE, ids=ascii)
def test_a_name_that_cannot_be_seen_or_written_is_a_fault(old, name):
    assert faults_of(renamed(old, "größer / 1")) == []
    said = only(renamed(old, name), BadValueError)
    assert "is not a name: it must have characters, all printable" in said
    assert said.isprintable()


def test_a_record_without_a_name_is_found_by_its_place():
    assert only(renamed("C", ""), BadValueError).startswith("joints[4]: name='' is not a name")


def test_a_text_that_cannot_be_written_is_a_fault():
    said = only(with_joint(four_bar(), "A", source="\udfff"), BadValueError)
    assert said.startswith("Joint 'A': source='\\udfff' is not text")


def test_two_coordinates_of_a_joint_called_alike_are_a_fault():
    said = only(hung(JointKind.CYLINDRICAL, labels=("turn", "turn")), DuplicateNameError)
    assert "Two coordinates of joint 'to bob' are called 'turn'" in said


@pytest.mark.parametrize("kind", [JointKind.REVOLUTE, JointKind.BALL, JointKind.PLANAR])
def test_a_joint_called_as_a_coordinate_of_another_is_a_fault(kind):
    mechanism = hung(JointKind.CYLINDRICAL)
    other = attached(mechanism, "other", {"kind": kind}, parent="rocker.C", inertia=bar(1.0, 1.0))
    assert faults_of(other) == []
    said = only(with_joint(other, "to other", name="to bob/turnZ"), DuplicateNameError)
    assert said == (
        "Two joint coordinates are called 'to bob/turnZ' (joint 'to bob'; joint 'to bob/turnZ'). "
        "Rename one of them."
    )


def test_two_coordinates_of_two_joints_called_alike_are_a_fault():
    mechanism = hung(JointKind.CYLINDRICAL, labels=("a/turn", "move"))
    other = attached(
        mechanism,
        "other",
        {"kind": JointKind.CYLINDRICAL, "labels": ("turn", "move")},
        parent="rocker.C",
        inertia=bar(1.0, 1.0),
    )
    assert faults_of(other) == []
    said = only(with_joint(other, "to other", name="to bob/a"), DuplicateNameError)
    assert "called 'to bob/a/turn' (joint 'to bob'; joint 'to bob/a')" in said


def test_what_a_free_joint_does_has_no_name_of_its_own():
    """In no format: so a joint may be called like it, and no coupling can lead from it."""
    free = hung(JointKind.FREE)
    assert not [name for name in coordinate_names(free) if name.startswith("to bob")]
    assert faults_of(with_joint(free, "A", name="to bob/moveX")) == []
    coupling = Coupling.gear(name="k", leader="to bob/moveX", follower="A", ratio=1.0)
    said = only(replace(free, couplings=(coupling,)), UnknownNameError)
    assert "there is no joint coordinate 'to bob/moveX'" in said
