"""Every way to get a loop marker wrong, and what is said to it."""

import pytest
from partcad_drawing import OVER, assembly, at, marker, part, port, product, request
from partcad_fourbar import fourbar, loop

from robocompiler.errors import (
    AmbiguousNameError,
    BadValueError,
    DuplicateJointError,
    DuplicateNameError,
    MassError,
    PortsApartError,
    SameBodyError,
    SeveralFaultsError,
    StartOutsideLimitsError,
    UnknownKindError,
    UnknownNameError,
)
from robocompiler.read.partcad import read_partcad


def read(*markers, **more):
    return read_partcad(request(fourbar(list(markers) or None), **more))


def test_ports_that_do_not_meet_are_refused_with_their_gap():
    tree = fourbar([loop(b="coupler.off")])
    tree["assembly"][3]["ports"].append(port("off", product(at(123.0), OVER)))
    message = (
        r"Loop 'C' does not meet: 'rocker.end' and 'coupler.off' are drawn 3 mm and .*apart "
        r"\(allowed: 0\.5 mm, 0\.5°\)\. Check where the two ports are"
    )
    with pytest.raises(PortsApartError, match=message):
        read_partcad(request(tree))


def test_ports_that_look_the_same_way_are_told_so():
    with pytest.raises(PortsApartError, match=r"so turn 'coupler\.end' over"):
        read(loop(b="coupler.end"))


def test_ports_that_are_far_apart_are_not_to_be_turned_over():
    """Whichever way they look: they are not the two that meet."""
    with pytest.raises(PortsApartError) as caught:
        read(loop(a="ground.A", b="coupler.end"))
    assert "turn" not in str(caught.value)
    assert "Check where the two ports are" in str(caught.value)


def test_ports_that_meet_askew_are_to_be_checked_for_their_axes():
    tree = fourbar([loop(b="coupler.askew")])
    askew = product(at(120.0), OVER, at(axis=(1.0, 0.0, 0.0), angle=30.0))
    tree["assembly"][3]["ports"].append(port("askew", askew))
    with pytest.raises(PortsApartError, match=r"30° apart .*Check which way their z axes point"):
        read_partcad(request(tree))


def test_a_link_that_does_not_exist_suggests_the_nearest():
    message = "fourbar: rc:loop C, a=roker.end: there is no link 'roker'. Did you mean 'rocker'?"
    with pytest.raises(UnknownNameError) as caught:
        read(loop(a="roker.end"))
    assert str(caught.value) == message


def test_a_link_of_a_sub_assembly_is_suggested_with_its_way():
    cell = assembly("cell", [fourbar([])], [loop(b="fourbar/coupler.under")])
    with pytest.raises(UnknownNameError, match=r"no link 'rocker'\. Did you mean 'fourbar/rocker'"):
        read_partcad(request(cell))


def test_a_port_that_does_not_exist_suggests_the_nearest():
    message = "fourbar: rc:loop C, b=coupler.undr: there is no port 'undr'. Did you mean 'under'?"
    with pytest.raises(UnknownNameError) as caught:
        read(loop(b="coupler.undr"))
    assert str(caught.value) == message


def test_two_parts_of_one_label_cannot_be_told_apart():
    twin = part("rocker", at(0.0, 300.0))
    message = "fourbar: rc:loop C, a=rocker.end: 2 links are called 'rocker'"
    with pytest.raises(AmbiguousNameError, match=message):
        read_partcad(request(fourbar(parts=[twin])))


def test_an_end_without_a_port_is_refused():
    with pytest.raises(BadValueError, match=r"a=rocker is not `<link>\.<port>`"):
        read(loop(a="rocker"))


def test_a_loop_that_says_nothing_is_refused_and_not_lost():
    with pytest.raises(SeveralFaultsError) as caught:
        read(marker("loop", "C"))
    assert [str(fault) for fault in caught.value.faults] == [
        "fourbar: rc:loop C: a=(nothing) is not `<link>.<port>`.",
        "fourbar: rc:loop C: b=(nothing) is not `<link>.<port>`.",
    ]


def test_both_ends_on_one_body_are_refused():
    message = r"fourbar: rc:loop C: both ends of 'C' are on the rigid body 'rocker'"
    with pytest.raises(SameBodyError, match=message):
        read(loop(b="rocker.under"))


@pytest.mark.parametrize("b", ["rocker.end", "rocker.pin"])
def test_both_ends_on_one_body_are_refused_wherever_they_are(b):
    """Not as ports that are apart, or look the same way."""
    with pytest.raises(SameBodyError, match="both ends of 'C' are on the rigid body 'rocker'"):
        read(loop(b=b))


def test_a_loop_that_repeats_a_connection_is_refused():
    message = "Loop joint 'C' repeats joint 'crank-ground': both connect 'fourbar' and 'crank'"
    with pytest.raises(DuplicateJointError, match=message):
        read(loop(a="ground.A", b="crank.pin"))


def test_a_kind_that_does_not_exist_is_refused_with_those_that_do():
    message = (
        "fourbar: rc:loop C: there is no joint kind 'hinge'. There are: fixed, revolute, "
        "prismatic, screw, cylindrical, universal, ball, planar, translation."
    )
    with pytest.raises(UnknownKindError) as caught:
        read(loop(joint="hinge"))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"lower": "ten"}, "lower=ten is not an angle: a number in deg, or one with a unit (deg, "),
        ({"upper": "10mm"}, "upper=10mm is not an angle"),
        ({"tolerance": "-1"}, "tolerance=-1 is not a positive number (of mm and of degrees)"),
        ({"tolerance": "1mm"}, "tolerance=1mm is not a positive number"),
        ({"pitch": "2"}, "pitch=2 is not something a revolute joint has"),
        ({"joint": "screw"}, "pitch=(nothing) is not a screw's pitch"),
        ({"joint": "screw", "pitch": "2deg"}, "pitch=2deg is not a screw's pitch"),
        ({"joint": "screw", "pitch": "0"}, "pitch=0 is not a screw's pitch"),
        ({"joint": "universal", "lower": "0"}, "lower=0 is not something a universal joint has"),
        ({"joint": "ball", "lower": "0"}, "lower=0 is not something a ball joint has"),
        ({"joint": "prismatic", "upper": "1deg"}, "upper=1deg is not a length: a number in mm"),
    ],
)
def test_a_value_that_cannot_be_read_is_refused_with_what_was_expected(values, message):
    with pytest.raises(BadValueError) as caught:
        read(loop(**values))
    assert str(caught.value).startswith(f"fourbar: rc:loop C: {message}")


def test_two_loops_of_one_name_are_refused():
    message = r"'C' \(fourbar: rc:loop C with a=.*; fourbar: rc:loop C with a=ground\.A, .*\)"
    with pytest.raises(DuplicateNameError, match=message):
        read(loop(), loop(a="ground.A"))


def test_a_loop_called_as_a_connection_is_refused():
    message = (
        r"Two joints are called 'crank-ground' \(fourbar: joint crank-ground; "
        r"fourbar: rc:loop crank-ground\)"
    )
    with pytest.raises(DuplicateNameError, match=message):
        read(loop("crank-ground"))


def test_limits_that_exclude_what_is_drawn_are_refused():
    with pytest.raises(StartOutsideLimitsError, match="Joint 'C': turnZ starts at"):
        read(loop(lower="0", upper="1"))


def test_all_faults_of_a_request_come_together():
    tree = fourbar([loop(a="roker.end", joint="hinge"), loop("D", b="coupler.x", lower="low")])
    weightless = {"//:ground": {}, "//:crank": {"physics": {"mass": -1.0}}}
    with pytest.raises(SeveralFaultsError) as caught:
        read_partcad(request(tree, weightless))
    kinds = [type(fault) for fault in caught.value.faults]
    assert kinds == [
        *(UnknownNameError, UnknownKindError),
        *(UnknownNameError, BadValueError),
        MassError,
    ]
    assert "Body 'crank' has a mass of -1 kg" in str(caught.value)
