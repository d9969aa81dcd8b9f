"""What is wrong with couplings: all of it at once, each named."""

import math
from dataclasses import replace

import pytest
from spoiled import only

from mechanisms import four_bar
from robocompiler.errors import (
    BadValueError,
    CouplingCycleError,
    CouplingError,
    UnknownNameError,
)
from robocompiler.model.mechanism import Coupling, Leader
from robocompiler.model.validity import faults_of


def coupling(name, follower, *leaders):
    """Of leaders as pairs of a coordinate and a ratio, or of coordinates whose ratio is 1."""
    pairs = [(leader, 1.0) if isinstance(leader, str) else leader for leader in leaders]
    return Coupling(
        name=name,
        follower=follower,
        leaders=tuple(Leader(coordinate=name, ratio=ratio) for name, ratio in pairs),
    )


def tied(*couplings):
    return replace(four_bar(), couplings=couplings)


def test_a_gear_is_a_coupling_of_one_leader():
    made = Coupling.gear(name="k", leader="A", follower="D", ratio=0.5, offset=0.1, source="here")
    leaders = (Leader(coordinate="A", ratio=0.5),)
    spelt = Coupling(name="k", follower="D", leaders=leaders, offset=0.1, source="here")
    assert made == spelt
    assert faults_of(tied(made)) == []


@pytest.mark.parametrize(
    ("leaders", "error", "said"),
    [
        ((), CouplingError, "has no leader. State what 'D' follows, or remove it"),
        (("A", "B", ("A", 0.5)), CouplingError, "names the leader 'A' twice. State it once, with"),
        (("A", "D"), CouplingError, ": 'D' cannot follow itself. Take it out of the leaders"),
        (("D",), CouplingError, ": 'D' cannot follow itself"),
        ((("A", 0.0),), CouplingError, ": a ratio of 0 to 'A' couples nothing. State how far 'D'"),
        (("A", ("B", 0.0)), CouplingError, ": a ratio of 0 to 'B' couples nothing"),
        (("A", ("B", math.inf)), BadValueError, ": leaders[1].ratio=inf is not a finite number"),
        (("A", ("B", "1")), BadValueError, ": leaders[1].ratio='1' is not a number"),
        (("A", "E"), UnknownNameError, ": there is no joint coordinate 'E'"),
    ],
)
def test_a_coupling_that_cannot_be_is_told_with_its_name(leaders, error, said):
    assert f"Coupling 'k'{said if said[0] == ':' else f' {said}'}" in only(
        tied(coupling("k", "D", *leaders)), error
    )


def test_all_that_is_wrong_with_the_leaders_is_told_at_once():
    faults = faults_of(tied(coupling("k", "D", "A", "B", "A", ("D", 0.0))))
    said = " ".join(map(str, faults))
    assert len(faults) == 3
    assert all(f"Coupling 'k'{what}" in said for what in (" names", ": 'D' cannot", ": a ratio"))


def test_a_follower_of_two_couplings_is_named_with_the_leaders_of_both():
    said = only(tied(coupling("kA", "D", "A"), coupling("kBC", "D", "B", "C")), CouplingError)
    assert "'kBC': 'D' follows 'A' already, and cannot follow 'B' and 'C' too" in said


def test_a_circle_of_couplings_is_named_once():
    couplings = (coupling("b", "B", "A"), coupling("d", "D", "B"), coupling("a", "A", "D"))
    assert "A → D → B → A" in only(tied(*couplings), CouplingCycleError)


def test_a_circle_through_the_second_leader_is_found():
    couplings = (coupling("b", "B", "C", "A"), coupling("a", "A", "D", "B"))
    assert "A → B → A" in only(tied(*couplings), CouplingCycleError)


def test_of_circles_that_share_a_coordinate_each_is_named():
    """A and B follow each other, and so do B and C."""
    couplings = (
        coupling("a", "A", "B"),
        coupling("b", "B", "A", "C"),
        coupling("c", "C", "D", "B"),
    )
    faults = faults_of(tied(*couplings))
    assert [type(fault) for fault in faults] == [CouplingCycleError] * 2
    assert [fault.cycle for fault in faults] == [("A", "B", "A"), ("C", "B", "C")]


def test_leaders_of_which_one_leads_the_other_are_no_circle():
    assert faults_of(tied(coupling("b", "B", "A"), coupling("c", "C", "A", "B"))) == []
