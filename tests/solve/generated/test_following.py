"""A table followed within one call: by closed forms, and never over a place that bars the way."""

import numpy as np
import pytest

import robocompiler as rc
from linkages.bound import bound, every_emitter
from linkages.drawing import drawn_values
from linkages.known import MOVES, TABLE
from linkages.many_loops import shared_crank
from linkages.planar import GRASHOF, crank_range, four_bar_of, four_bar_solution
from linkages.robots import FEET, go2
from linkages.spatial import delta, delta_angles
from linkages.stewart import leg_values, stewart, task_pose
from robocompiler.compiler.rows import linearize
from robocompiler.compiler.steps import difference
from robocompiler.equations.kinematics import joint_step
from robocompiler.errors import (
    BadValueError,
    FollowsError,
    MechanismError,
    SampleError,
    UnknownNameError,
)
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.reduction.reduce import reduce

LENGTHS = tuple(f"leg {i} length" for i in range(6))


def turned(a, b):
    """Between two directions [rad]."""
    return float(np.max(np.abs(np.remainder(np.subtract(a, b) + np.pi, 2 * np.pi) - np.pi)))


@every_emitter
@pytest.mark.parametrize("chart", [False, True])
@pytest.mark.parametrize("step", [0.02, 0.2, 1.0])
def test_a_stewart_platform_follows_its_legs_closed_form(step, chart, emitter):
    own = bound(stewart(chart=chart), emitter, LENGTHS)
    legs = [leg_values(task_pose(float(t))) for t in np.arange(0.0, 20.0, step)]
    led = own.follow({name: [leg[name] for leg in legs] for name in LENGTHS}, lifts=True)
    for tree in own.compiled.tree:
        name = tree.edge.joint.name
        if name in legs[0]:
            expected = [leg[name] for leg in legs]
            np.testing.assert_allclose(led.q[:, tree.q.start], expected, atol=1e-11)
    for k in (0, len(legs) // 2, -1):
        expected = reduce(own.compiled, led.q[k], own.code.layout.partition).E
        np.testing.assert_allclose(led.E[k], expected, atol=1e-12)


@every_emitter
@pytest.mark.parametrize("knots", [1, 2, 15])
@pytest.mark.parametrize("name", MOVES)
def test_it_goes_where_the_mechanism_is_drawn_and_back_however_far_knots_are_apart(
    name, knots, emitter
):
    (here, there), drivers = MOVES[name]
    a, b = drawn_values(here), drawn_values(there)
    own = bound(here, emitter, drivers)
    home, share = own.q.copy(), np.linspace(0.0, 1.0, knots + 1)[1:, None]
    away = {d: np.add(a[d], share * np.subtract(b[d], a[d])) for d in drivers}
    led = own.follow(away, lifts=True)
    np.testing.assert_array_equal(led.q[-1], own.q)
    np.testing.assert_array_equal(led.E[-1], own.E)
    for tree in own.compiled.tree:
        joint = tree.edge.joint
        if joint.name in drivers:
            np.testing.assert_array_equal(led.q[:, tree.q], away[joint.name])
        if joint.kind.nq == 1:
            assert led.q[-1, tree.q] == pytest.approx(b[joint.name], abs=1e-11)
    own.follow({d: np.add(b[d], share * np.subtract(a[d], b[d])) for d in drivers})
    if name != "delta":  # whose rods spin about themselves: what they turned is not undone
        assert np.abs(difference(own.compiled, own.q, home)).max() < 1e-11


@every_emitter
def test_arms_of_a_delta_are_led_while_what_its_rods_spin_stands_still(emitter):
    """Balls that are independent in part, and the closed form of the arms at each place."""
    own = bound(delta(), emitter, ["0", "1", "2"])
    places = [(0.03 - 0.002 * k, -0.02 + 0.001 * k, -0.4 - 0.001 * k) for k in range(20)]
    angles = np.array([delta_angles(place) for place in places])
    led = own.follow({str(k): angles[:, k] for k in range(3)})
    assert led.recovered == 0
    for q, angle in zip(led.q, angles, strict=True):
        assert np.abs(linearize(own.compiled, q).residual).max() < 1e-12
        for k in range(3):
            assert q[own.compiled.tree_joint(str(k)).q] == angle[k]


@every_emitter
@pytest.mark.parametrize("knots", [1, 4, 40])
def test_sides_that_share_a_crank_are_each_led_from_where_it_starts(knots, emitter):
    """One after the other: the second must not find the crank where the first one left it."""
    bars = {"a": GRASHOF["crank-rocker"], "b": (0.45, 0.1, 0.35, 0.25), "c": (0.4, 0.1, 0.4, 0.25)}
    own = bound(shared_crank(bars), emitter)
    cranks = np.linspace(0.7, 5.0, knots + 1)[1:]
    led = own.follow({"A": cranks}, lifts=True)
    for k, (name, lengths) in enumerate(bars.items()):
        for q, crank in zip(led.q, cranks, strict=True):
            expected = four_bar_solution(lengths, crank - 2.0 * k)[1]
            assert turned(q[own.compiled.tree_joint(f"{name} D").q], expected) < 1e-11
    np.testing.assert_array_equal(led.q[:, 0], cranks)


@every_emitter
def test_legs_follow_a_base_whose_quaternions_are_of_either_sign(emitter):
    own = bound(go2(FEET[:2], limits=False), emitter, ["base"])
    base = own.compiled.tree_joint("base").q
    move = np.array([0.05, 0.02, -0.03, 0.3, 0.2, -0.4])
    places = [joint_step(JointKind.FREE, own.q[base], s * move) for s in np.linspace(0, 0.5, 20)]
    plain = own.follow({"base": places}, lifts=True)
    signed = np.array(places)
    signed[::2, 3:] *= -1.0
    other = bound(go2(FEET[:2], limits=False), emitter, ["base"]).follow(
        {"base": signed}, lifts=True
    )
    np.testing.assert_array_equal(other.q[:, base], signed)
    rest = [i for i in range(own.compiled.nq) if not base.start <= i < base.stop]
    np.testing.assert_allclose(other.q[:, rest], plain.q[:, rest], atol=1e-12)
    np.testing.assert_allclose(other.E, plain.E, atol=1e-11)
    assert np.abs(linearize(own.compiled, plain.q).residual).max() < 1e-12
    assert plain.recovered == other.recovered == 0


GAP = (0.4, 0.2, 0.3, 0.0995)
"""A four-bar whose crank cannot pass the ground's line: it turns back 0.05 rad before."""


@every_emitter
@pytest.mark.parametrize("branch", [1, -1])
@pytest.mark.parametrize("inside", [0.001, 0.01, 0.03, 0.05, 0.1, 0.15])
def test_a_gap_in_what_can_be_reached_is_not_jumped(inside, branch, emitter):
    """Behind it the loop closes again, half a radian or less on: no motion leads there."""
    least = crank_range(GAP)[0]
    assert least > 0.05
    own = bound(four_bar_of(GAP, least + inside, branch), emitter)
    before = own.q.copy()
    for path in ([-least - inside], [least + inside, -least - inside], [least + 0.2, -least - 0.1]):
        with pytest.raises(SampleError, match="as far as") as refused:
            own.follow({"A": path})
        assert refused.value.sample == len(path) - 1
        assert refused.value.nearest[0] == pytest.approx(least, abs=1e-3)
        np.testing.assert_array_equal(own.q, before)


@every_emitter
@pytest.mark.parametrize("knots", [1, 7, 60])
@pytest.mark.parametrize("name", ["parallelogram", "change-point"])
def test_through_a_change_point_the_motion_goes_on_as_it_came(name, knots, emitter):
    """Smoothly: behind it, the closed form's other branch."""
    bars = GRASHOF[name]
    own = bound(four_bar_of(bars, 2.5), emitter)
    cranks = np.linspace(2.5, 2 * np.pi - 2.5, knots + 1)[1:]
    led = own.follow({"A": cranks})
    for q, crank in zip(led.q, cranks, strict=True):
        expected = four_bar_solution(bars, crank, 1 if crank < np.pi else -1)
        assert turned((q[1] + crank, q[2]), expected) < (1e-10 if crank != np.pi else 1e-6)


@every_emitter
def test_exactly_at_a_change_point_there_is_a_place_but_no_lift(emitter):
    path = {"A": [2.6, np.pi, 3.3]}
    own = bound(four_bar_of(GRASHOF["parallelogram"], 2.5), emitter)
    np.testing.assert_allclose(own.follow(path).q[:, 2], path["A"], atol=1e-8)
    own = bound(four_bar_of(GRASHOF["parallelogram"], 2.5), emitter)
    with pytest.raises(SampleError, match="singular") as refused:
        own.follow(path, lifts=True)
    assert refused.value.sample == 1
    with pytest.raises(SampleError, match="singular"):
        own.follow({"A": [2.6, np.pi]})


@every_emitter
@pytest.mark.parametrize("past", [1e-9, 1e-6, 1e-3, 0.3, 3.0])
@pytest.mark.parametrize("knots", [2, 40])
def test_past_a_toggle_nothing_is_reached_and_all_is_as_it_was(knots, past, emitter):
    bars = GRASHOF["rocker-crank"]
    toggle = crank_range(bars)[1]
    own = bound(four_bar_of(bars, 1.3), emitter)
    own.correct()
    before = own.q.copy(), own.E.copy()
    with pytest.raises(SampleError):
        own.follow({"A": np.linspace(1.3, toggle + past, knots)})
    np.testing.assert_array_equal(own.q, before[0])
    np.testing.assert_array_equal(own.E, before[1])
    own.follow({"A": [1.35]})
    assert turned((own.q[1] + 1.35, own.q[2]), four_bar_solution(bars, 1.35)) < 1e-12


@every_emitter
def test_up_to_a_toggle_and_back_the_branch_is_kept(emitter):
    bars = GRASHOF["rocker-crank"]
    toggle = crank_range(bars)[1]
    for near in (1e-2, 1e-3, 1e-4, 1e-6):
        for branch in (1, -1):
            own = bound(four_bar_of(bars, 1.3, branch), emitter)
            cranks = [1.5, toggle - near, 1.5, toggle - near, toggle - 2 * near, 1.3]
            led = own.follow({"A": cranks})
            for q, crank in zip(led.q, cranks, strict=True):
                expected = four_bar_solution(bars, crank, branch)
                assert turned((q[1] + crank, q[2]), expected) < 1e-8


@every_emitter
def test_the_reference_follows_to_the_same_places(emitter):
    """Where knots are far apart, near a singularity, and near one another."""
    compiled = rc.compile(four_bar_of(GRASHOF["double-rocker"], 1.0))
    path = {"A": [1.2, 1.5, 1.5, 1.57, 0.51, 0.52, 1.0]}
    led = rc.bind(compiled, emitter=emitter).follow(path)
    assert led.recovered > 0
    np.testing.assert_allclose(led.q, rc.follow(compiled, path).q, atol=1e-9)


@every_emitter
def test_limits_are_not_minded_however_far_knots_are_apart(emitter):
    """Neither by the code, nor where the reference takes over."""
    mechanism = stewart(limits=True)
    (most,) = next(j.limits for j in mechanism.joints if j.name == "leg 0 length")
    for path in ([most[1] + 0.02], np.linspace(0.75, most[1] + 0.02, 40)):
        own = bound(mechanism, emitter)
        led = own.follow({"leg 0 length": path})
        assert led.q[-1, own.compiled.tree_joint("leg 0 length").q] == most[1] + 0.02
        assert np.abs(linearize(own.compiled, led.q[-1]).residual).max() < 1e-12


@every_emitter
def test_turns_are_counted(emitter):
    own = bound(four_bar_of(), emitter)
    led = own.follow({"A": [0.7 + 2 * np.pi * k for k in (1, 2, 1, 0, -1)]})
    coupler, rocker = four_bar_solution(GRASHOF["crank-rocker"], 0.7)
    np.testing.assert_allclose(led.q[:, 2], rocker, atol=1e-11)
    np.testing.assert_allclose(led.q[:, 0] + led.q[:, 1], coupler, atol=1e-11)


@every_emitter
def test_a_joint_on_no_loop_goes_anywhere_at_once(emitter):
    own = bound(TABLE["Ackermann, wheels spinning"][0], emitter)
    own.correct()
    before, E = own.q.copy(), own.E.copy()
    led = own.follow({"left wheel": [0.0, 100.0, -3.0]}, lifts=True)
    at = own.compiled.tree_joint("left wheel").q.start
    np.testing.assert_array_equal(led.q[:, at], [0.0, 100.0, -3.0])
    rest = [i for i in range(own.compiled.nq) if i != at]
    np.testing.assert_allclose(led.q[:, rest], np.tile(before[rest], (3, 1)), atol=1e-14)
    np.testing.assert_allclose(led.E, np.tile(E, (3, 1, 1)), atol=1e-13)


@every_emitter
def test_what_follows_without_a_loop_goes_along_at_once(emitter):
    own = bound(TABLE["differential"][0], emitter, eliminate_couplings=True)
    led = own.follow({"pinion": [10.0, 2000.0], "planet": [-5.0, 3.0]})
    place = {t.edge.joint.name: t.q.start for t in own.compiled.tree}
    np.testing.assert_allclose(led.q[:, place["cage"]], np.array([10.0, 2000.0]) / 3.5, rtol=1e-15)
    np.testing.assert_allclose(led.q[:, place["right"]], [5.0, -3.0])
    assert led.recovered == 0


@every_emitter
def test_it_starts_by_closing_what_is_open(emitter):
    own = bound(four_bar_of(), emitter)
    own.q[2] += 0.2
    led = own.follow({"A": [0.7, 0.75]})
    for q, crank in zip(led.q, (0.7, 0.75), strict=True):
        expected = four_bar_solution(GRASHOF["crank-rocker"], crank)
        assert turned((q[1] + crank, q[2]), expected) < 1e-12


def test_what_is_no_path():
    own = bound(four_bar_of(), "python")
    before = own.q.copy()
    for path, refused in (
        ({}, BadValueError),
        ({"A": []}, BadValueError),
        ({"A": [np.nan]}, BadValueError),
        ({"A": [[0.7, 0.8]]}, BadValueError),
        ({"B": [0.1]}, FollowsError),
        ({"C": [0.1]}, BadValueError),
        ({"X": [0.1]}, UnknownNameError),
    ):
        with pytest.raises(refused):
            own.follow(path)
    with pytest.raises(BadValueError, match="a batch"):
        own.batch(2).follow({"A": [0.7]})
    with pytest.raises(MechanismError):
        bound(stewart(kind="ball"), "python").follow({"leg 0 foot": [[1.0, 0.0, 0.0, 0.0]]})
    np.testing.assert_array_equal(own.q, before)
