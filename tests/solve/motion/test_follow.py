"""Every sample of a path on one branch, against closed forms."""

import math
from dataclasses import replace

import numpy as np
import pytest

from linkages.planar import (
    GRASHOF,
    crank_range,
    five_bar,
    five_bar_solution,
    four_bar_of,
    four_bar_solution,
    slider_crank,
    slider_solution,
)
from linkages.stewart import leg_values, stewart, task_pose
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.errors import (
    BadValueError,
    OverdeterminedError,
    SampleError,
    SingularError,
    StoppedError,
    UnknownNameError,
)
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.motion.follow import follow

DEGREES = np.radians(np.arange(361.0))
CRANKS = [(name, branch) for name in ("crank-rocker", "double-crank") for branch in (1, -1)]


def compiled_four_bar(name, branch=1, crank=1.2):
    return compile_mechanism(four_bar_of(GRASHOF[name], crank, branch))


def off(angles, expected):
    return float(np.max(np.abs(np.remainder(angles - expected + np.pi, 2 * np.pi) - np.pi)))


def assert_on_branch(motion, bars, cranks, branch, allowed):
    solved = np.array([four_bar_solution(bars, angle, branch) for angle in cranks])
    coupler, rocker = solved.T
    assert off(motion.of("B"), coupler - cranks) < allowed
    assert off(motion.of("D"), rocker) < allowed
    assert off(motion.of("C"), rocker - coupler) < allowed


@pytest.mark.parametrize(("name", "branch"), CRANKS)
@pytest.mark.parametrize("order", [1, -1])
def test_a_grashof_crank_turned_by_degrees_stays_on_its_branch(name, branch, order):
    cranks = DEGREES[::order]
    motion = follow(compiled_four_bar(name, branch), {"A": cranks})
    assert_on_branch(motion, GRASHOF[name], cranks, branch, 1e-13)
    assert motion.misfit < 1e-13
    assert motion.work.halvings == 0


@pytest.mark.parametrize(("name", "branch"), CRANKS)
def test_a_crank_thrown_from_angle_to_angle_stays_on_its_branch(name, branch):
    cranks = np.random.default_rng(8).permutation(DEGREES)[:30]
    motion = follow(compiled_four_bar(name, branch), {"A": cranks})
    assert_on_branch(motion, GRASHOF[name], cranks, branch, 1e-13)


@pytest.mark.parametrize("name", ["rocker-crank", "double-rocker", "triple-rocker"])
@pytest.mark.parametrize("branch", [1, -1])
def test_a_rocker_driven_between_its_toggles_stays_on_its_branch(name, branch):
    low, high = crank_range(GRASHOF[name])
    low = -high if name == "triple-rocker" else low
    cranks = np.linspace(low + 1e-4, high - 1e-4, 80)
    cranks = np.concatenate(
        [cranks, cranks[::-1], np.random.default_rng(2).permutation(cranks)[:20]]
    )
    motion = follow(compiled_four_bar(name, branch), {"A": cranks})
    assert_on_branch(motion, GRASHOF[name], cranks, branch, 1e-12)


@pytest.mark.parametrize("margin", [1e-3, 1e-5, 1e-7])
def test_a_crank_that_nearly_reaches_a_change_point_turns_without_changing_branch(margin):
    """Two branches pass each other at sqrt(margin): a long step would land on the other."""
    bars = (0.4, 0.15, 0.35, 0.2 + margin * 0.4)
    for branch in (1, -1):
        compiled = compile_mechanism(four_bar_of(bars, 1.2, branch))
        cranks = np.radians(np.arange(70.0, 291.0, 4.0))
        motion = follow(compiled, {"A": cranks})
        assert_on_branch(motion, bars, cranks, branch, 1e-10)
        assert motion.crossed == ()


def test_where_two_branches_meet_it_goes_straight_on_and_says_so():
    """A parallelogram stays one: its coupler keeps its direction through 0° and 180°."""
    motion = follow(compiled_four_bar("parallelogram"), {"A": DEGREES})
    assert off(motion.of("D"), DEGREES) < 1e-9
    assert motion.misfit < 1e-13
    assert set(motion.crossed) >= {1, 181}


def test_turns_are_counted_on_tree_joints_and_on_cut_ones():
    compiled = compiled_four_bar("double-crank")
    cranks = np.linspace(0.5, 0.5 + 4 * np.pi, 200)
    motion = follow(compiled, {"A": cranks})
    cut = compiled.closures[0].chord.joint.name
    assert motion.of("A")[-1] - motion.of("A")[0] == pytest.approx(4 * np.pi)
    assert motion.of("D")[-1] - motion.of("D")[0] == pytest.approx(4 * np.pi, abs=1e-12)
    total = motion.of("B") + motion.of("A") + motion.of("C") - motion.of("D")
    np.testing.assert_allclose(total, total[0], atol=1e-12)
    assert np.max(np.abs(np.diff(motion.of(cut)))) < 1.0


def test_a_slider_crank_follows_its_closed_form_on_either_branch():
    for branch in (1, -1):
        compiled = compile_mechanism(slider_crank(branch=branch))
        motion = follow(compiled, {"A": DEGREES})
        exact = np.array([slider_solution(0.1, 0.3, 0.02, a, branch) for a in DEGREES])
        np.testing.assert_allclose(motion.of("S"), exact[:, 1], rtol=0, atol=1e-14)


def test_both_cranks_of_a_five_bar_are_followed_at_once():
    compiled = compile_mechanism(five_bar())
    t = np.linspace(0.0, 2 * np.pi, 100)
    left, right = 2.0 + 0.3 * np.sin(t), 1.0 + 0.2 * np.sin(2 * t)
    motion = follow(compiled, {"A": left, "E": right})
    bars = (0.3, 0.2, 0.35, 0.4, 0.25)
    exact = np.array([five_bar_solution(bars, p) for p in zip(left, right, strict=True)])
    assert off(motion.of("A") + motion.of("B"), exact[:, 0]) < 1e-13
    assert off(motion.of("E") + motion.of("D"), exact[:, 1]) < 1e-13
    assert motion.held == ()


def test_one_crank_of_a_five_bar_leaves_the_other_where_it_stands_and_says_so():
    motion = follow(compile_mechanism(five_bar()), {"A": np.linspace(2.0, 2.3, 5)})
    assert motion.held == ("E",)
    np.testing.assert_allclose(motion.of("E"), 1.0, atol=1e-13)


def test_a_stewart_step_takes_at_most_three_residual_evaluations():
    """From 50 ms before, at 12 times, by the tangent alone; and along the task at 20 ms."""
    compiled = compile_mechanism(stewart())
    legs = [f"leg {i} length" for i in range(6)]
    for t in np.linspace(0.5, 21.5, 12):
        at = leg_values(task_pose(t))
        start = leg_values(task_pose(t - 0.05))
        before = assemble(compile_mechanism(stewart(task_pose(t - 0.05))))
        one = follow(compiled, {n: [start[n], at[n]] for n in legs}, start=before)
        assert one.work.residuals <= 3 + 3
        for i in range(6):
            assert one.of(f"leg {i} x")[1] == pytest.approx(at[f"leg {i} x"], abs=1e-13)
    tables = [leg_values(task_pose(t)) for t in np.arange(2.0, 5.0, 0.02)]
    motion = follow(compiled, {n: [row[n] for row in tables] for n in legs})
    assert motion.work.residuals <= 3 * len(motion)
    for i in range(6):
        exact = [row[f"leg {i} y"] for row in tables]
        np.testing.assert_allclose(motion.of(f"leg {i} y"), exact, rtol=0, atol=1e-13)


def test_a_sample_out_of_reach_is_named_with_the_toggle():
    bars = GRASHOF["rocker-crank"]
    toggle = crank_range(bars)[1]
    with pytest.raises(SampleError, match="Sample 7 of 20") as caught:
        follow(compiled_four_bar("rocker-crank"), {"A": np.arange(20) * 0.05 + 1.4})
    assert caught.value.sample == 7
    assert caught.value.nearest[0] == pytest.approx(toggle, abs=1e-13)


def test_a_toggle_itself_can_be_reached():
    bars = GRASHOF["rocker-crank"]
    toggle = crank_range(bars)[1]
    motion = follow(compiled_four_bar("rocker-crank"), {"A": [1.4, toggle]})
    exact = four_bar_solution(bars, toggle - 1e-16)
    assert off(motion.of("D")[1:], exact[1]) < 1e-6
    assert motion.misfit < 1e-14


def test_a_passive_joint_at_its_limit_stops_the_path_there():
    mechanism = four_bar_of(GRASHOF["crank-rocker"], 1.2)
    limit = four_bar_solution(GRASHOF["crank-rocker"], 1.5)[1]
    joints = tuple(
        replace(j, limits=((-4.0, limit),)) if j.name == "D" else j for j in mechanism.joints
    )
    compiled = compile_mechanism(replace(mechanism, joints=joints))
    with pytest.raises(SampleError, match="limit of joint 'D'") as caught:
        follow(compiled, {"A": np.linspace(1.2, 2.0, 9)})
    assert isinstance(caught.value.cause, StoppedError)
    assert caught.value.nearest[0] == pytest.approx(1.5, abs=1e-6)


def test_tables_that_are_none_are_refused():
    compiled = compiled_four_bar("crank-rocker")
    with pytest.raises(UnknownNameError, match="no joint 'a'"):
        follow(compiled, {"a": [0.0]})
    with pytest.raises(BadValueError, match="sample 1"):
        follow(compiled, {"A": [0.0, math.nan]})
    with pytest.raises(BadValueError, match="a table of 1 numbers"):
        follow(compiled, {"A": np.zeros((3, 2))})
    with pytest.raises(BadValueError, match="one number of samples"):
        follow(compiled, {"A": [1.0, 1.1], "D": [1.0]})
    with pytest.raises(BadValueError, match="one number of samples"):
        follow(compiled, {})
    with pytest.raises(OverdeterminedError):
        follow(compiled, {"A": [1.2], "D": [2.0]})


def test_progress_is_told_to_the_end():
    told = []
    follow(
        compiled_four_bar("crank-rocker"),
        {"A": np.linspace(1.2, 1.3, 120)},
        progress=lambda done, count: told.append((done, count)),
    )
    assert told == [(done, 120) for done in range(1, 121)]


def test_a_sample_is_a_configuration_to_start_from():
    compiled = compiled_four_bar("crank-rocker", -1)
    motion = follow(compiled, {"A": np.linspace(1.2, 3.0, 10)})
    last = motion.configuration(9)
    again = assemble(compiled, near=last)
    assert dict(again.values)["D"] == pytest.approx(dict(last.values)["D"], abs=1e-13)


def test_drivers_that_determine_nothing_are_refused_with_what_still_moves():
    """A rocker at rest on its toggle: crank, coupler and their pins can move both ways."""
    bars = GRASHOF["crank-rocker"]
    d, a, b, c = bars
    at_toggle = math.acos(((a + b) ** 2 + d * d - c * c) / (2 * (a + b) * d))
    compiled = compile_mechanism(four_bar_of(bars, at_toggle - 1e-12))
    with pytest.raises(SingularError) as caught:
        follow(compiled, {"D": [1.0]})
    # In line, crank and coupler turn against each other as their lengths say.
    assert caught.value.ways == (f"B +1 rad, A {-b / (a + b):+.3g} rad",)
