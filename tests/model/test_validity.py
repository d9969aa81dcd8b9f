import math
from dataclasses import replace

import pytest
from spoiled import only, welded, with_body, with_frame, with_joint

from mechanisms import bar, four_bar
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.errors import (
    BadValueError,
    CouplingCycleError,
    DisconnectedError,
    DuplicateJointError,
    DuplicateNameError,
    FormatError,
    InertiaError,
    MassError,
    SameBodyError,
    SeveralFaultsError,
    StartOutsideLimitsError,
    UnknownNameError,
)
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Body, Coupling, Frame, Inertia, Joint
from robocompiler.model.validity import faults_of


def test_a_valid_mechanism_has_no_faults():
    assert faults_of(four_bar()) == []


def test_a_start_outside_its_limits_is_named_in_degrees():
    said = only(
        with_joint(four_bar(), "A", limits=((-0.1, 0.1),), start=(0.7,)), StartOutsideLimitsError
    )
    assert "turnZ starts at 40.107 deg, outside its limits [-5.72958, 5.72958] deg" in said


def test_a_ball_that_starts_beyond_its_swing_is_named():
    turned = (math.cos(0.5), math.sin(0.5), 0.0, 0.0)
    mechanism = with_joint(four_bar(), "B", kind=JointKind.BALL, start=turned, swing_limit=0.5)
    assert "57.2958 deg" in only(mechanism, StartOutsideLimitsError)


def test_a_joint_with_both_ends_on_one_body_is_named():
    said = only(with_joint(four_bar(), "C", child="coupler.B"), SameBodyError)
    assert "both ends of 'C' are on the rigid body 'coupler'" in said


def test_both_ends_on_bodies_welded_together_are_one_body():
    mechanism = four_bar(kinds={"B": JointKind.FIXED})
    assert "'E'" in only(
        replace(
            mechanism,
            joints=(
                *mechanism.joints,
                Joint(name="E", kind=JointKind.REVOLUTE, parent="crank.A", child="coupler.C"),
            ),
        ),
        SameBodyError,
    )


def test_welding_what_is_welded_already_is_a_fault():
    mechanism = four_bar(kinds={"A": JointKind.FIXED, "B": JointKind.FIXED})
    again = Joint(name="E", kind=JointKind.FIXED, parent="ground.D", child="coupler.C")
    assert "'E'" in only(replace(mechanism, joints=(*mechanism.joints, again)), SameBodyError)


def test_a_loop_that_repeats_a_joint_is_named_with_it():
    mechanism = four_bar()
    again = Joint(
        name="again",
        kind=JointKind.REVOLUTE,
        parent="crank.B",
        child="coupler.B",
        closes_loop=True,
    )
    faults = faults_of(replace(mechanism, joints=(*mechanism.joints, again)))
    assert [type(fault) for fault in faults] == [DuplicateJointError]
    assert "Loop joint 'again' repeats joint 'B'" in str(faults[0])


def test_pieces_that_nothing_connects_are_named():
    mechanism = four_bar()
    stray = replace(mechanism, bodies=(*mechanism.bodies, Body(name="stray", inertia=bar(1, 1))))
    assert "world to: stray." in only(stray, DisconnectedError)


def test_coordinates_of_the_wrong_number_are_a_fault():
    assert "starts at 1 coordinates, not 2" in only(
        with_joint(four_bar(), "A", start=(0.0, 0.0)), FormatError
    )


def test_all_faults_of_a_mechanism_come_together():
    mechanism = with_body(four_bar(), "crank", None)
    mechanism = with_body(mechanism, "rocker", Inertia(mass=1.0, moments=(1.0, 0.1, 0.1)))
    mechanism = with_joint(mechanism, "A", limits=((1.0, 2.0),))
    with pytest.raises(SeveralFaultsError) as caught:
        compile_mechanism(mechanism)
    kinds = [type(fault) for fault in caught.value.faults]
    assert kinds == [MassError, InertiaError, StartOutsideLimitsError]
    assert str(caught.value).startswith("3 faults:\n  1. Body 'crank'")


def on_the_rail(*terms, **door):
    """The four-bar whose rocker is held twice more on the ground, each by a frame pair."""
    mechanism = four_bar()
    for i, fields in enumerate(terms):
        place, fields = fields.get("place", ((0.0,) * 3, (0.0,) * 3)), dict(fields)
        fields.pop("place", None)
        ends = [
            Frame(name=f"{body}.{i}", body=body, position=p)
            for body, p in zip(("ground", "rocker"), place, strict=True)
        ]
        joint = Joint(
            name=f"J{i}", parent=ends[0].name, child=ends[1].name, **{"kind": KIND, **fields}
        )
        mechanism = replace(
            mechanism,
            frames=(*mechanism.frames, *ends),
            joints=(*mechanism.joints, joint),
        )
    return mechanism


KIND = JointKind.REVOLUTE
HINGE = (0.4, 0.0, 0.0), (0.0, 0.0, 0.0)
"""Where the rocker's joint D is, on the ground and on the rocker."""


def beside(by):
    return tuple((x, y, z + by) for x, y, z in HINGE)


def repeats(mechanism):
    return [(f.loop, f.joint) for f in faults_of(mechanism) if type(f) is DuplicateJointError]


def test_a_loop_joint_on_frames_of_its_own_repeats_the_joint_at_that_place():
    loop = {"closes_loop": True, "place": HINGE}
    assert repeats(on_the_rail(loop)) == [("J0", "D")]
    assert repeats(on_the_rail({**loop, "place": beside(0.9e-6)})) == [("J0", "D")]
    assert repeats(on_the_rail({**loop, "place": beside(1.1e-6)})) == []


def test_a_loop_joint_to_the_world_repeats_one_to_what_is_welded_there():
    """The ground is; so the world's frame and the ground's are on one body."""
    mechanism = four_bar(tilt=(0.3, -0.2, 0.5))
    hinge = next(f for f in mechanism.frames if f.name == "world.ground").pose()
    there = Frame(
        name="w",
        body=WORLD,
        position=tuple(hinge.R @ (0.4, 0.0, 0.0)),
        rotation=hinge.quaternion,
    )
    for parent, child in (("w", "rocker.D"), ("rocker.D", "w")):
        loop = Joint(name="again", kind=KIND, parent=parent, child=child, closes_loop=True)
        spoiled = replace(
            mechanism, frames=(*mechanism.frames, there), joints=(*mechanism.joints, loop)
        )
        assert repeats(spoiled) == [("again", "D")]


def test_of_two_identical_loop_joints_the_second_is_named():
    loop = {"closes_loop": True, "place": beside(0.1)}
    assert repeats(on_the_rail(loop)) == []
    assert repeats(on_the_rail(loop, loop)) == [("J1", "J0")]


def test_a_door_has_two_hinges_on_one_axis():
    assert repeats(on_the_rail({"closes_loop": True, "place": beside(0.1)})) == []


def test_two_bearings_of_a_carriage_may_share_the_frame_of_their_rail():
    rail, bearing = HINGE
    first = {"kind": JointKind.CYLINDRICAL, "place": (rail, bearing)}
    second = {**first, "closes_loop": True, "place": (rail, (0.0, 0.0, 0.1))}
    assert repeats(on_the_rail(first, second)) == []


def test_a_hinge_across_another_at_its_place_is_no_repetition():
    mechanism = on_the_rail({"closes_loop": True, "place": HINGE})
    for tilt, found in ((0.9e-6, [("J0", "D")]), (1.1e-6, [])):
        turned = (math.cos(tilt / 2), math.sin(tilt / 2), 0.0, 0.0)
        assert repeats(with_frame(mechanism, "ground.0", rotation=turned)) == found


def test_a_name_at_fault_hides_nothing_that_does_not_depend_on_it():
    mechanism = with_body(four_bar(), "crank", Inertia(mass=-1.0))
    mechanism = with_body(mechanism, "rocker", Inertia(mass=1.0, moments=(1.0, 0.1, 0.1)))
    mechanism = with_joint(mechanism, "A", limits=((1.0, 2.0),))
    mechanism = with_joint(mechanism, "B", damping=math.nan)
    mechanism = with_joint(mechanism, "C", parent="nowhere")
    mechanism = with_joint(mechanism, "D", child="ground.A")
    mechanism = replace(
        mechanism,
        frames=(*mechanism.frames, mechanism.frames[-1]),
        couplings=tuple(
            Coupling.gear(name=a, leader=a, follower=b, ratio=1.0) for a, b in ("AD", "DA")
        ),
    )
    assert [type(fault) for fault in faults_of(mechanism)] == [
        DuplicateNameError,
        UnknownNameError,
        BadValueError,
        SameBodyError,
        MassError,
        InertiaError,
        StartOutsideLimitsError,
        CouplingCycleError,
    ]


def test_a_name_at_fault_makes_no_fault_of_what_hangs_on_it():
    """Not of the bodies that nothing reaches, nor of the flange that nothing seems to carry."""
    mechanism = welded(four_bar(), "flange", None)
    spoiled = with_joint(mechanism, "to flange", parent="nowhere")
    assert [type(fault) for fault in faults_of(spoiled)] == [UnknownNameError]
    doubled = replace(mechanism, bodies=(*mechanism.bodies, mechanism.bodies[-1]))
    assert [type(fault) for fault in faults_of(doubled)] == [DuplicateNameError]


def test_a_frame_that_is_no_rotation_hides_only_what_is_judged_by_it():
    mechanism = with_frame(four_bar(), "crank.B", rotation=(0.0,) * 4)
    mechanism = with_joint(mechanism, "C", child="coupler.B")
    assert [type(fault) for fault in faults_of(mechanism)] == [BadValueError, SameBodyError]
