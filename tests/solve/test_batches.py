"""Many samples at once: each as it would be alone, in any order."""

import math
from dataclasses import replace

import numpy as np
import pytest

from linkages.oracle import standing_at
from linkages.planar import (
    GRASHOF,
    crank_range,
    five_bar,
    five_bar_solution,
    four_bar_of,
    four_bar_solution,
)
from mechanisms import four_bar, four_bar_angles, open_chain_loop
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.rows import linearize
from robocompiler.compiler.steps import step
from robocompiler.errors import (
    BadValueError,
    KeptError,
    OverdeterminedError,
    SampleError,
    SeveralFaultsError,
    StoppedError,
    UnknownNameError,
    UnreachableError,
)
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.assembly.each import assemble_each
from robocompiler.solve.describe import coordinates
from robocompiler.solve.mobility.mobility import mobility
from robocompiler.solve.reduction.sensitivity import sensitivity
from robocompiler.solve.state import starting_coordinates
from robocompiler.solve.system import systems_of


def off(angles, expected):
    return float(np.max(np.abs(np.remainder(angles - expected + np.pi, 2 * np.pi) - np.pi)))


def within_reach(name):
    low, high = crank_range(GRASHOF[name])
    if name == "triple-rocker":
        low = -high
    return np.linspace(low, high, 62)[1:-1] if math.isfinite(high) and high < math.pi else None


@pytest.mark.parametrize("name", [n for n in GRASHOF if n not in ("change-point", "deltoid")])
@pytest.mark.parametrize("branch", [1, -1])
def test_four_bars_at_angles_in_random_order_are_their_closed_form(name, branch):
    if name == "parallelogram":
        angles, allowed = np.linspace(-3.0, 3.0, 60), 1e-11
    else:
        angles, allowed = within_reach(name), 1e-12
        angles = np.linspace(-6.0, 6.0, 60) if angles is None else angles
    compiled = compile_mechanism(four_bar_of(GRASHOF[name], 1.2, branch))
    shuffled = np.random.default_rng(4).permutation(angles)
    found = assemble_each(compiled, {"A": shuffled})
    np.testing.assert_array_equal(found.of("A"), shuffled)
    sides = np.full(60, branch)
    if name == "parallelogram":  # straight on where its two branches meet: there sides change
        sides = np.where(shuffled < 0.0, -branch, branch)
    pairs = zip(shuffled, sides, strict=True)
    exact = np.array([four_bar_solution(GRASHOF[name], a, side) for a, side in pairs])
    assert off(found.of("D"), exact[:, 1]) < allowed
    if name != "parallelogram":
        assert off(found.of("C"), exact[:, 1] - exact[:, 0]) < allowed
    in_order = assemble_each(compiled, {"A": np.sort(shuffled)})
    np.testing.assert_allclose(found.q[np.argsort(shuffled)], in_order.q, rtol=0, atol=1e-12)
    assert np.abs(linearize(compiled, found.q).residual).max() < 1e-14
    assert found.reached.all()


@pytest.mark.parametrize("name", ["crank-rocker", "double-crank"])
@pytest.mark.parametrize("branch", [1, -1])
def test_every_degree_of_a_crank_in_random_order_is_its_closed_form(name, branch):
    degrees = np.random.default_rng(1).permutation(np.radians(np.arange(361.0)))
    compiled = compile_mechanism(four_bar_of(GRASHOF[name], 1.2, branch))
    found = assemble_each(compiled, {"A": degrees})
    exact = np.array([four_bar_solution(GRASHOF[name], angle, branch) for angle in degrees])
    assert off(found.of("D"), exact[:, 1]) < 1e-13
    assert off(found.of("A") + found.of("B"), exact[:, 0]) < 1e-13


def test_a_sample_is_what_it_would_be_alone():
    compiled = compile_mechanism(five_bar())
    random = np.random.default_rng(1)
    left, right = random.uniform(1.7, 2.3, 12), random.uniform(0.8, 1.3, 12)
    found = assemble_each(compiled, {"A": left, "E": right})
    bars = (0.3, 0.2, 0.35, 0.4, 0.25)
    exact = np.array([five_bar_solution(bars, p) for p in zip(left, right, strict=True)])
    assert off(found.of("A") + found.of("B"), exact[:, 0]) < 1e-12
    for i in (0, 5, 11):
        alone = assemble(compiled, {"A": left[i], "E": right[i]})
        one = found.configuration(i)
        np.testing.assert_allclose(dict(one.values)["B"], alone.of("B"), rtol=0, atol=1e-13)
        assert one.of("C")[0] == pytest.approx(alone.of("C")[0], abs=1e-13)


def test_samples_on_and_beyond_a_change_point_are_reached_straight_on():
    """By way of a sample on it, where two branches meet, the next would have no branch."""
    compiled = compile_mechanism(four_bar_of(GRASHOF["parallelogram"], 1.2))
    angles = np.array([math.pi + 0.3, 0.0, math.pi, -0.5, 2.0, 0.4])
    found = assemble_each(compiled, {"A": angles})
    assert off(found.of("D"), angles) < 1e-9


def test_the_start_may_be_another_branch_and_its_turns_count():
    compiled = compile_mechanism(four_bar_of(GRASHOF["double-crank"], 0.5, 1))
    other = assemble(compile_mechanism(four_bar_of(GRASHOF["double-crank"], 0.5, -1)))
    start = assemble(compiled, {"A": 0.5 + 4 * math.pi}, near=other)
    angles = 4 * math.pi + np.array([0.9, 0.1])
    found = assemble_each(compiled, {"A": angles}, near=start)
    exact = np.array([four_bar_solution(GRASHOF["double-crank"], a, -1)[1] for a in angles])
    assert off(found.of("D"), exact) < 1e-12
    assert found.of("D").min() > 2 * math.pi


def test_what_cannot_be_reached_is_all_told_or_left_out_on_request():
    bars = GRASHOF["rocker-crank"]
    toggle = crank_range(bars)[1]
    compiled = compile_mechanism(four_bar_of(bars, 1.2))
    table = {"A": [toggle + 0.2, 1.1, toggle + 0.1, 1.3]}
    with pytest.raises(SeveralFaultsError, match="Sample 0 of 4") as caught:
        assemble_each(compiled, table)
    assert [fault.sample for fault in caught.value.faults] == [0, 2]
    assert all(isinstance(fault.cause, UnreachableError) for fault in caught.value.faults)
    assert all(f.nearest[0] == pytest.approx(toggle, abs=1e-13) for f in caught.value.faults)
    found = assemble_each(compiled, table, partial=True)
    assert found.reached.tolist() == [False, True, False, True]
    assert [failure.sample for failure in found.failures] == [0, 2]
    assert np.isnan(found.of("D")[[0, 2]]).all()
    assert np.isnan(found.of("C")[[0, 2]]).all()
    exact = [four_bar_solution(bars, a)[1] for a in (1.1, 1.3)]
    assert off(found.of("D")[[1, 3]], exact) < 1e-12


def test_limits_count_and_only_the_sample_that_is_past_one_fails():
    mechanism = four_bar(0.7)
    limit = four_bar_angles(1.5)[1]
    joints = tuple(
        replace(j, limits=((0.0, limit),)) if j.name == "D" else j for j in mechanism.joints
    )
    compiled = compile_mechanism(replace(mechanism, joints=joints))
    with pytest.raises(SampleError, match="Sample 1 of 3") as caught:
        assemble_each(compiled, {"A": [1.4, 1.7, 1.0]})
    assert isinstance(caught.value.cause, StoppedError)
    assert caught.value.cause.stop == "D"
    assert caught.value.nearest[0] == pytest.approx(1.5, abs=1e-6)


def test_tables_of_cut_joints_are_met_and_carried_back():
    compiled = compile_mechanism(four_bar(0.7))
    cranks = np.array([1.3, 0.5, 2.0])
    exact = np.array([four_bar_angles(crank) for crank in cranks])
    elbows = exact[:, 1] - exact[:, 0]
    found = assemble_each(compiled, {"C": [*elbows, 3.0]}, partial=True)
    assert found.compiled is compiled
    np.testing.assert_allclose(found.of("A")[:3], cranks, rtol=0, atol=1e-13)
    np.testing.assert_allclose(found.of("C")[:3], elbows, rtol=0, atol=1e-14)
    assert found.reached.tolist() == [True, True, True, False]
    assert np.isnan(found.q[3]).all()


def test_tables_that_are_none_are_refused_before_anything_is_solved():
    compiled = compile_mechanism(four_bar(0.7))
    with pytest.raises(UnknownNameError, match="Values of each sample: there is no joint 'Z'"):
        assemble_each(compiled, {"Z": [1.0]})
    with pytest.raises(BadValueError, match="one number of samples"):
        assemble_each(compiled, {"A": [1.0], "D": [1.0, 2.0]})
    with pytest.raises(OverdeterminedError, match="taken by 'A'"):
        assemble_each(compiled, {"A": [1.0], "D": [1.0]}, partial=True)
    with pytest.raises(KeptError):
        assemble_each(compiled, {name: [1.0] for name in "ABCD"})


def test_a_table_of_configurations_has_a_mobility_each_and_says_which_are_open():
    """A parallelogram is singular where it lies flat, and only there."""
    compiled = compile_mechanism(four_bar_of(GRASHOF["parallelogram"], 0.4))
    q = np.array([coordinates(compiled, assemble(compiled, {"A": a})) for a in (0.4, 0.0, 1.0)])
    found = mobility(compiled, q)
    assert [int(own) for own in found] == [1, 1, 1]
    assert [own.at_tolerance for own in found] == [1, 2, 1]
    assert str(found[2]) == str(mobility(compiled, q[2]))
    q[[0, 2], 1] += 1.0
    with pytest.raises(SeveralFaultsError, match="Sample 0 of 3") as caught:
        mobility(compiled, q)
    assert [fault.sample for fault in caught.value.faults] == [0, 2]
    with pytest.raises(BadValueError, match=r"of shape \(nq,\) or \(samples, nq\)"):
        mobility(compiled, q[None])
    assert mobility(compiled, q[:0]) == ()


def test_a_table_of_configurations_has_a_sensitivity_each():
    compiled = compile_mechanism(four_bar(0.7))
    q = assemble_each(compiled, {"A": [0.9, 0.4]}).q
    every = sensitivity(compiled, q)
    for i in range(2):
        np.testing.assert_allclose(every.motion[i], sensitivity(compiled, q[i]).motion, atol=1e-13)


def test_one_sample_that_turns_an_axis_over_is_seen_among_many():
    """By the z axes of the records' frames, wherever random coordinates put them."""
    compiled = compile_mechanism(open_chain_loop(JointKind.REVOLUTE))
    (system,) = systems_of(compiled)
    joint = compiled.closures[0].chord.joint
    steps = np.random.default_rng(5).uniform(-1.0, 1.0, (40, compiled.nv))
    q = step(compiled, np.tile(starting_coordinates(compiled), (40, 1)), steps)
    standing = [standing_at(compiled, own).frames for own in q]
    over = [f[joint.parent][:3, 2] @ f[joint.child][:3, 2] < 0.0 for f in standing]
    assert 0 < sum(over) < 40
    kept = np.flatnonzero(~np.array(over))
    own = system.of(q)
    assert not system.turned_over(own[kept])
    assert system.turned_over(own[[*kept, over.index(True)]])
