"""Where a driver stops, to rounding, against the law of cosines."""

import math
from dataclasses import replace

import numpy as np
import pytest

from linkages.overconstrained import bennett, bricard
from linkages.planar import (
    GRASHOF,
    crank_range,
    five_bar,
    four_bar_of,
    four_bar_solution,
    slider_crank,
)
from mechanisms import four_bar
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.errors import BadValueError, StoppedError, UnknownNameError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.motion.driver_range import Stop, driver_range


@pytest.mark.parametrize("name", ["rocker-crank", "double-rocker"])
@pytest.mark.parametrize("branch", [1, -1])
def test_the_toggles_of_a_rocker_are_those_of_the_law_of_cosines(name, branch):
    compiled = compile_mechanism(four_bar_of(GRASHOF[name], 1.2, branch))
    found = driver_range(compiled, "A")
    ends = (found.lowest, found.highest)
    np.testing.assert_allclose([e.value for e in ends], crank_range(GRASHOF[name]), atol=1e-13)
    for end in ends:
        assert end.stop is Stop.TOGGLE
        assert set(end.joints) == {"B", "C", "D"}, "coupler and rocker are in line"
        assert end.misfit < 1e-14
        straight = end.configuration.of("C")[0]
        assert abs(math.sin(straight)) < 1e-7
    assert not found.endless


def test_a_triple_rocker_swings_through_zero_to_both_its_toggles():
    bars = GRASHOF["triple-rocker"]
    found = driver_range(compile_mechanism(four_bar_of(bars, 1.2)), "A")
    high = crank_range(bars)[1]
    assert found.lowest.value == pytest.approx(-high, abs=1e-13)
    assert found.highest.value == pytest.approx(high, abs=1e-13)


@pytest.mark.parametrize("name", ["crank-rocker", "double-crank"])
def test_a_crank_goes_all_the_way_round(name):
    found = driver_range(compile_mechanism(four_bar_of(GRASHOF[name], 1.2)), "A")
    assert found.endless
    assert (found.lowest.value, found.highest.value) == (-math.inf, math.inf)
    assert found.highest.crossed == ()


def test_a_parallelogram_goes_round_past_two_change_points_which_are_told():
    found = driver_range(compile_mechanism(four_bar_of(GRASHOF["parallelogram"], 1.2)), "A")
    assert found.endless
    np.testing.assert_allclose(found.highest.crossed, [math.pi, 2 * math.pi], atol=2e-3)


def test_a_slider_stops_where_crank_and_rod_are_in_line():
    found = driver_range(compile_mechanism(slider_crank()), "S")
    exact = [math.sqrt((0.3 + s * 0.1) ** 2 - 0.02**2) for s in (-1, 1)]
    np.testing.assert_allclose([found.lowest.value, found.highest.value], exact, atol=1e-14)
    assert set(found.highest.joints) == {"A", "B", "C"}


def test_a_bricard_linkage_turns_to_120_degrees_and_a_bennett_linkage_round():
    found = driver_range(compile_mechanism(bricard()), "1")
    third = 2 * math.pi / 3
    assert found.lowest.value == pytest.approx(-third, abs=1e-12)
    assert found.highest.value == pytest.approx(third, abs=1e-12)
    assert driver_range(compile_mechanism(bennett()), "1").endless


def test_a_limit_of_a_passive_joint_stops_the_driver_there():
    bars = GRASHOF["crank-rocker"]
    mechanism = four_bar_of(bars, 1.2)
    limit = four_bar_solution(bars, 1.5)[1]
    joints = tuple(
        replace(j, limits=((-4.0, limit),)) if j.name == "D" else j for j in mechanism.joints
    )
    found = driver_range(compile_mechanism(replace(mechanism, joints=joints)), "A")
    assert found.highest.stop is Stop.LIMIT
    assert found.highest.joints == ("D",)
    assert found.highest.value == pytest.approx(1.5, abs=1e-12)


@pytest.mark.parametrize("name", ["B", "C"])
def test_a_limit_of_a_cut_joint_stops_the_driver_too(name):
    bars = GRASHOF["crank-rocker"]
    mechanism = four_bar_of(bars, 1.2)
    coupler, rocker = four_bar_solution(bars, 1.5)
    limit = {"B": coupler - 1.5, "C": rocker - coupler}[name]
    start = {j.name: j.start[0] for j in mechanism.joints}[name]
    limits = (limit, 9.0) if start > limit else (-9.0, limit)
    wide = ((-99.0, 99.0),)
    joints = tuple(
        replace(j, limits=(limits,) if j.name == name else wide, effort=1.0)
        if j.name != name
        else replace(j, limits=(limits,))
        for j in mechanism.joints
    )
    compiled = compile_mechanism(replace(mechanism, joints=joints))
    assert compiled.closures[0].chord.joint.name == name
    found = driver_range(compiled, "A")
    assert found.highest.joints == (name,)
    assert found.highest.value == pytest.approx(1.5, abs=1e-12)
    with pytest.raises(StoppedError, match=f"limit of joint '{name}'") as caught:
        assemble(compiled, {"A": 1.7})
    assert caught.value.nearest[0] == pytest.approx(1.5, abs=1e-6)


def test_other_independent_joints_are_held_and_named():
    """With the right crank still, a five-bar's left one is a four-bar's."""
    found = driver_range(compile_mechanism(five_bar()), "A")
    assert found.held == ("E",)
    across = math.dist((0.0, 0.0), (0.3 + 0.25 * math.cos(1.0), 0.25 * math.sin(1.0)))
    bearing = math.atan2(0.25 * math.sin(1.0), 0.3 + 0.25 * math.cos(1.0))
    low, high = crank_range((across, 0.2, 0.35, 0.4))
    assert low == 0.0 or found.lowest.value == pytest.approx(bearing + low, abs=1e-12)
    if high < math.pi:
        assert found.highest.value == pytest.approx(bearing + high, abs=1e-12)
    else:
        assert found.endless


def test_what_is_no_driver_is_refused():
    compiled = compile_mechanism(four_bar_of())
    with pytest.raises(UnknownNameError):
        driver_range(compiled, "a")
    with pytest.raises(BadValueError, match="of one coordinate"):
        driver_range(
            compile_mechanism(four_bar(kinds={"B": JointKind.BALL}), {JointKind.REVOLUTE}), "B"
        )
