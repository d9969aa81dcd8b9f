import math
from dataclasses import replace

import pytest

from mechanisms import bar, four_bar
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.errors import (
    CouplingCycleError,
    CouplingError,
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
from robocompiler.model.mechanism import Body, Coupling, Frame, Inertia, Joint
from robocompiler.model.validity import faults_of


def with_body(mechanism, name, inertia):
    bodies = tuple(replace(b, inertia=inertia) if b.name == name else b for b in mechanism.bodies)
    return replace(mechanism, bodies=bodies)


def with_joint(mechanism, name, **fields):
    joints = tuple(replace(j, **fields) if j.name == name else j for j in mechanism.joints)
    return replace(mechanism, joints=joints)


def only(mechanism, error):
    (fault,) = faults_of(mechanism)
    assert type(fault) is error
    return str(fault)


def test_a_valid_mechanism_has_no_faults():
    assert faults_of(four_bar()) == []


def test_a_moving_body_without_mass_is_named():
    assert "'crank' has no mass" in only(with_body(four_bar(), "crank", None), MassError)
    massless = with_body(four_bar(), "crank", Inertia(mass=0.0))
    assert "'crank' has a mass of 0 kg" in only(massless, MassError)


def test_a_negative_mass_is_named_wherever_it_is():
    said = only(with_body(four_bar(), "ground", Inertia(mass=-2.0)), MassError)
    assert "'ground' has a mass of -2 kg" in said


def test_a_massless_body_may_be_welded_to_one_that_weighs():
    mechanism = four_bar()
    flange = replace(
        mechanism,
        bodies=(*mechanism.bodies, Body(name="flange")),
        frames=(*mechanism.frames, Frame(name="flange.o", body="flange")),
        joints=(
            *mechanism.joints,
            Joint(name="w", kind=JointKind.FIXED, parent="crank.B", child="flange.o"),
        ),
    )
    assert faults_of(flange) == []


def test_an_inertia_off_the_triangle_inequality_is_named_with_its_moments():
    stick = Inertia(mass=1.0, moments=(0.01, 1e-9, 1e-9))
    said = only(with_body(four_bar(), "rocker", stick), InertiaError)
    assert "'rocker'" in said
    assert "1e-09, 1e-09, 0.01" in said
    assert "1e-09 + 1e-09 ≥ 0.01 fails" in said


def test_the_triangle_is_judged_by_principal_moments_not_by_the_diagonal():
    """This diagonal obeys it; the principal moments are 1, 2 and 4."""
    turned = Inertia(mass=1.0, moments=(2.5, 2.5, 2.0), products=(1.5, 0.0, 0.0))
    assert "1, 2, 4" in only(with_body(four_bar(), "rocker", turned), InertiaError)


def test_a_flat_plate_is_on_the_edge_of_the_triangle_and_allowed():
    plate = Inertia(mass=1.0, moments=(0.1, 0.2, 0.1 + 0.2 + 1e-9))
    assert faults_of(with_body(four_bar(), "rocker", plate)) == []


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


def test_a_circle_of_couplings_is_named_once():
    circle = [("A", "B"), ("B", "D"), ("D", "A")]
    couplings = tuple(Coupling(name=f"{a}{b}", leader=a, follower=b, ratio=2.0) for a, b in circle)
    said = only(replace(four_bar(), couplings=couplings), CouplingCycleError)
    assert "A → D → B → A" in said


def test_a_follower_of_two_leaders_is_named_with_both():
    couplings = tuple(
        Coupling(name=f"k{leader}", leader=leader, follower="D", ratio=1.0) for leader in "AB"
    )
    said = only(replace(four_bar(), couplings=couplings), CouplingError)
    assert "'kB': 'D' follows 'A' already, and cannot follow 'B' too" in said


def test_a_coupling_of_nothing_is_a_fault():
    coupling = Coupling(name="k", leader="A", follower="D", ratio=0.0)
    assert "'k'" in only(replace(four_bar(), couplings=(coupling,)), CouplingError)


@pytest.mark.parametrize("what", ["bodies", "frames", "joints"])
def test_two_of_one_name_are_a_fault(what):
    mechanism = four_bar()
    records = getattr(mechanism, what)
    doubled = replace(mechanism, **{what: (*records, records[-1])})
    assert f"Two {what} are called '{records[-1].name}'" in only(doubled, DuplicateNameError)


def test_a_name_that_is_nowhere_suggests_the_nearest():
    said = only(with_joint(four_bar(), "C", parent="couple.C"), UnknownNameError)
    assert "no frame 'couple.C'. Did you mean 'coupler.C'?" in said


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
