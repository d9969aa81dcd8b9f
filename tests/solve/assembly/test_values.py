"""Joints brought to values on their branch: what must be met, what is wanted, what is refused."""

import math
from dataclasses import replace

import pytest

from linkages.planar import GRASHOF, five_bar, four_bar_of, four_bar_solution
from mechanisms import BARS, four_bar, four_bar_angles
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.errors import (
    BadValueError,
    OverdeterminedError,
    StoppedError,
    UnknownNameError,
    UnreachableError,
)
from robocompiler.model.mechanism import Coupling
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.assembly.each import assemble_each
from robocompiler.solve.assembly.update import Assembled
from robocompiler.solve.motion.driver_range import driver_range
from robocompiler.solve.motion.follow import follow
from robocompiler.solve.values import Must, Want


def test_a_full_turn_of_the_crank_stays_on_its_branch():
    compiled = compile_mechanism(four_bar(0.7))
    for degrees in (0, 90, 200, 359, 720, -200):
        angle = math.radians(degrees)
        found = assemble(compiled, {"A": angle})
        assert found.of("A") == (angle,)
        turned = found.of("D")[0] - four_bar_angles(angle)[1]
        assert math.remainder(turned, 2 * math.pi) == pytest.approx(0.0, abs=1e-12)


def test_a_far_jump_of_a_driver_neither_flips_nor_spins():
    """0 to 36 degrees and on to the toggle at once, as a slider in a viewer does."""
    compiled = compile_mechanism(four_bar_of(GRASHOF["rocker-crank"], 1.0))
    for angle in (1.0 + math.radians(36.0), 0.9, 1.7):
        found = assemble(compiled, {"A": angle})
        coupler, rocker = four_bar_solution(GRASHOF["rocker-crank"], angle)
        assert found.of("D")[0] == pytest.approx(rocker, abs=1e-12)
        assert abs(found.of("B")[0] - (coupler - angle)) < 1e-12


def test_a_value_out_of_reach_names_the_nearest_the_loops_allow():
    """The rocker turns back where crank and coupler are in line: the law of cosines."""
    compiled = compile_mechanism(four_bar(0.7))
    a, b, c, d = (BARS[n] for n in ("crank", "coupler", "rocker", "ground"))
    furthest = math.pi - math.acos((c**2 + d**2 - (b - a) ** 2) / (2 * c * d))
    with pytest.raises(UnreachableError, match=r"'D' cannot be moved to 171\.887°") as caught:
        assemble(compiled, {"D": 3.0})
    (nearest,) = caught.value.nearest
    assert nearest == pytest.approx(furthest, abs=1e-14)


def test_more_values_than_freedoms_are_refused():
    told = r"loop 'C' has 1 freedom, taken by 'A'\. Leave out its value, or that of 'A'\.$"
    with pytest.raises(OverdeterminedError, match=told):
        assemble(compile_mechanism(four_bar()), {"A": 0.7, "D": 1.4})


def test_a_follower_that_is_given_a_value_beside_its_leader_is_said_to_be_one():
    gear = Coupling.gear(name="gear", leader="A", follower="E", ratio=1.0, offset=-1.0)
    compiled = compile_mechanism(replace(five_bar(), couplings=(gear,)))
    told = "by a coupling it follows 'A', and loop 'C' has 1 freedom, taken by 'A'"
    with pytest.raises(OverdeterminedError, match=told) as own:
        assemble(compiled, {"A": 2.1, "E": 1.5})
    assert (own.value.joint, own.value.leaders) == ("E", ("A",))


def test_values_for_no_joint_or_of_the_wrong_length_are_reported():
    compiled = compile_mechanism(four_bar())
    with pytest.raises(UnknownNameError, match="no joint 'a'"):
        assemble(compiled, {"a": 0.0})
    with pytest.raises(BadValueError):
        assemble(compiled, {"A": [0.0, 1.0]})
    with pytest.raises(BadValueError):
        assemble(compiled, {"A": math.nan})


def test_a_want_is_met_where_it_can_be_and_approached_where_not():
    compiled = compile_mechanism(four_bar(0.7))
    met = assemble(compiled, {"D": Want(2.0)})
    assert met.of("D")[0] == pytest.approx(2.0, abs=1e-15)
    assert met.missed == ()
    a, b, c, d = (BARS[n] for n in ("crank", "coupler", "rocker", "ground"))
    furthest = math.pi - math.acos((c**2 + d**2 - (b - a) ** 2) / (2 * c * d))
    short = assemble(compiled, {"D": Want(3.0)})
    assert short.of("D")[0] == pytest.approx(furthest, abs=1e-13)
    assert short.missed == (("D", pytest.approx(3.0 - furthest, abs=1e-13)),)
    assert short.gaps[0].gap < 1e-15


def test_a_want_gives_way_to_a_must():
    found = assemble(compile_mechanism(four_bar(0.7)), {"D": Want(2.0), "A": 1.3})
    rocker = four_bar_angles(1.3)[1]
    assert found.of("A") == (1.3,)
    assert found.missed == (("D", pytest.approx(abs(2.0 - rocker), abs=1e-12)),)
    must = assemble(compile_mechanism(four_bar(0.7)), {"A": Must(1.3)})
    assert must.of("D") == found.of("D")


def test_near_keeps_the_branch_of_the_configuration_given():
    compiled = compile_mechanism(four_bar_of(GRASHOF["crank-rocker"], 1.2, 1))
    other = assemble(compile_mechanism(four_bar_of(GRASHOF["crank-rocker"], 1.2, -1)))
    found = assemble(compiled, {"A": 2.5}, near=other)
    exact = four_bar_solution(GRASHOF["crank-rocker"], 2.5, -1)[1]
    assert math.remainder(found.of("D")[0] - exact, 2 * math.pi) == pytest.approx(0, abs=1e-13)
    assert assemble(compiled, near=found).of("D")[0] == pytest.approx(found.of("D")[0], abs=1e-14)


def test_a_must_that_another_joint_stands_in_the_way_of_takes_it_along():
    """With the right crank still, the left one of this five-bar could not turn so far."""
    compiled = compile_mechanism(five_bar((0.5, 0.3, 0.3, 0.25, 0.2), (1.2, 1.8)))
    beyond = driver_range(compiled, "A").highest.value + 0.1
    found = assemble(compiled, {"A": beyond})
    assert found.of("A")[0] == pytest.approx(beyond, abs=1e-15)
    assert abs(found.of("E")[0] - 1.8) > 0.01
    assert found.gaps[0].gap < 1e-14


@pytest.mark.parametrize("turns", [-1001.0, 1001.0])
def test_a_value_a_thousand_turns_away_is_refused_at_once_and_one_nearer_is_met(turns):
    """A million radians would be four million steps; five turns are walked, and counted."""
    compiled = compile_mechanism(four_bar_of(GRASHOF["double-crank"], 0.7))
    start = assemble(compiled)
    held = Assembled(compiled, start, ["A"])
    far = 0.7 + 2.0 * math.pi * turns
    for ask in (
        lambda: assemble(compiled, {"A": far}),
        lambda: assemble(compiled, {"A": Want(far)}),
        lambda: follow(compiled, {"A": [0.7, far]}),
        lambda: assemble_each(compiled, {"A": [far]}),
        lambda: held.update({"A": far}),
    ):
        with pytest.raises(BadValueError, match=r"A=.*° is not within 1000 turns.* 40\.107.*take"):
            ask()
    assert held.configuration.values == start.values
    near = assemble(compiled, {"A": 0.7 + 2.0 * math.pi * 5.0})
    assert near.of("D")[0] == pytest.approx(start.of("D")[0] + 2.0 * math.pi * 5.0, abs=1e-11)


def test_a_limit_is_named_before_the_way_to_a_value_is_called_long():
    mechanism = four_bar_of(GRASHOF["double-crank"], 0.7)
    joints = tuple(
        replace(j, limits=((0.0, 2.0),)) if j.name == "A" else j for j in mechanism.joints
    )
    with pytest.raises(StoppedError) as caught:
        assemble(compile_mechanism(replace(mechanism, joints=joints)), {"A": 1e9})
    assert caught.value.nearest == pytest.approx((2.0,))
