"""Speeds to start at, against closed forms and differences of motions that are followed."""

import math
from dataclasses import replace

import numpy as np
import pytest

from linkages.planar import GRASHOF, crank_range, five_bar, four_bar_of, slider_crank
from linkages.stewart import leg_values, stewart, task_pose
from mechanisms import BARS, four_bar, four_bar_angles
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.equations.kinematics import joint_difference
from robocompiler.errors import BadValueError, SingularError, SpeedError, UnknownNameError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Coupling
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.motion.follow import follow
from robocompiler.solve.values import Want

LEGS = [f"leg {i} length" for i in range(6)]


def four_bar_speeds(crank, speed):
    """Of A, B, C, D, from the loop's derivative across and along the coupler."""
    a, b, c = (BARS[n] for n in ("crank", "coupler", "rocker"))
    coupler, rocker = four_bar_angles(crank)
    turn_b = a * speed / b * math.sin(rocker - crank) / math.sin(coupler - rocker)
    turn_d = a * speed / c * math.sin(crank - coupler) / math.sin(rocker - coupler)
    return {"A": speed, "B": turn_b - speed, "C": turn_d - turn_b, "D": turn_d}


@pytest.mark.parametrize("cut", "ABCD")
def test_a_four_bars_speeds_are_the_closed_form_whichever_joint_is_cut_or_asked(cut):
    compiled = compile_mechanism(four_bar(0.7), cuts=[cut])
    exact = four_bar_speeds(1.1, 2.0)
    for asked in "ABCD":
        found = assemble(compiled, {"A": 1.1}, speeds={asked: exact[asked]})
        assert found.speeds_of(asked) == (exact[asked],)
        for name, speed in exact.items():
            assert found.speeds_of(name)[0] == pytest.approx(speed, abs=1e-13)


def test_a_slider_moves_as_its_closed_form_says():
    r, rod, e = 0.1, 0.3, 0.02
    compiled = compile_mechanism(slider_crank(r, rod, e))
    for angle in (0.3, 1.7, 4.0):
        found = assemble(compiled, {"A": angle}, speeds={"A": 5.0})
        up = r * math.sin(angle) - e
        exact = -r * math.sin(angle) - up * r * math.cos(angle) / math.sqrt(rod * rod - up * up)
        assert found.speeds_of("S")[0] == pytest.approx(5.0 * exact, abs=1e-14)


def test_a_mechanism_of_a_micrometre_is_asked_as_one_of_a_metre_is():
    compiled = compile_mechanism(slider_crank(1e-7, 3e-7, 0.0))
    found = assemble(compiled, {"A": math.pi / 2}, speeds={"S": -2e-7})
    assert found.speeds_of("A")[0] == pytest.approx(2.0, rel=1e-12)


def test_every_joint_of_a_platform_moves_as_the_followed_motion_does():
    """Balls and universal joints, cut and not, by central differences of the closed form."""
    for kind in ("universal", "ball"):
        compiled = compile_mechanism(stewart(task_pose(5.7), kind=kind))
        h = 1e-4
        times = (5.7 - h, 5.7, 5.7 + h)
        tables = {n: [leg_values(task_pose(t))[n] for t in times] for n in LEGS}
        motion = follow(compiled, tables)
        rates = {n: (table[2] - table[0]) / (2 * h) for n, table in tables.items()}
        middle = motion.configuration(1)
        found = assemble(compiled, near=middle, speeds=rates)
        for name, joint in compiled.joints.items():
            table = motion.table(name)
            ahead, behind = (joint_difference(joint.kind, table[1], table[i]) for i in (2, 0))
            np.testing.assert_allclose(
                found.speeds_of(name), (ahead - behind) / (2 * h), rtol=0, atol=3e-7, err_msg=name
            )
        assert {len(speeds) for _, speeds in found.speeds} >= {1, 3}


def test_independent_joints_that_nothing_is_asked_of_rest():
    """With one crank of a five-bar at rest, the rest of it is a four-bar."""
    compiled = compile_mechanism(five_bar())
    found = assemble(compiled, speeds={"A": 1.5})
    assert found.speeds_of("E")[0] == pytest.approx(0.0, abs=1e-15)
    by_cut = assemble(compiled, speeds={"C": found.speeds_of("C")[0]})
    assert by_cut.speeds_of("C") == found.speeds_of("C")
    assert by_cut.speeds_of("A")[0] == pytest.approx(0.0, abs=1e-15)
    both = assemble(compiled, speeds={"A": 1.5, "E": -0.5})
    np.testing.assert_allclose((both.speeds_of("A"), both.speeds_of("E")), [[1.5], [-0.5]])


def test_a_speed_that_contradicts_another_is_told_what_it_would_have_to_be():
    compiled = compile_mechanism(four_bar(0.7))
    exact = four_bar_speeds(0.7, 2.0)
    with pytest.raises(SpeedError, match=r"at the speeds asked of 'A', its loops let it") as caught:
        assemble(compiled, speeds={"A": 2.0, "D": exact["D"] + 0.1})
    assert caught.value.follows[0] == pytest.approx(exact["D"], abs=1e-13)
    assert f"{math.degrees(exact['D']):.6g}°/s only" in str(caught.value)
    assert (caught.value.given, caught.value.would_work) == (("A",), ())


def test_speeds_that_agree_are_accepted_as_people_round_them():
    compiled = compile_mechanism(four_bar(0.7))
    exact = four_bar_speeds(0.7, 2.0)
    found = assemble(compiled, speeds=exact)
    rounded = assemble(compiled, speeds={n: float(f"{x:.8g}") for n, x in exact.items()})
    for name, speed in exact.items():
        assert found.speeds_of(name)[0] == pytest.approx(speed, abs=1e-13)
        assert rounded.speeds_of(name)[0] == pytest.approx(speed, rel=1e-7)


def test_a_wanted_speed_is_met_where_it_can_be_and_its_lack_told_where_not():
    compiled = compile_mechanism(four_bar(0.7))
    exact = four_bar_speeds(0.7, 2.0)
    alone = assemble(compiled, speeds={"D": Want(exact["D"])})
    assert alone.speeds_of("A")[0] == pytest.approx(2.0, abs=1e-13)
    assert alone.missed_speeds == ()
    found = assemble(compiled, speeds={"D": Want(exact["D"] + 0.25), "A": 2.0})
    assert found.speeds_of("A") == (2.0,)
    assert found.missed_speeds == (("D", pytest.approx(0.25, abs=1e-13)),)


def test_a_ball_comes_as_near_to_a_wanted_spin_as_its_loop_lets():
    """In a planar loop only the spin about the axis of the others is left of it."""
    tilt = np.array([0.3, -0.4, 0.9])
    compiled = compile_mechanism(four_bar(0.7, kinds={"B": JointKind.BALL}, tilt=tuple(tilt)))
    spin = four_bar_speeds(0.7, 2.0)["B"]
    found = assemble(compiled, speeds={"B": Want((0.3, -0.2, spin))})
    np.testing.assert_allclose(found.speeds_of("B"), (0.0, 0.0, spin), atol=1e-13)
    assert found.speeds_of("A")[0] == pytest.approx(2.0, abs=1e-12)
    assert found.missed_speeds == (("B", pytest.approx(0.3, abs=1e-12)),)
    with pytest.raises(SpeedError) as caught:
        assemble(compiled, speeds={"B": (0.3, -0.2, spin)})
    np.testing.assert_allclose(caught.value.follows, (0.0, 0.0, spin), atol=1e-13)


def test_at_a_toggle_the_joint_that_turns_back_can_only_rest():
    compiled = compile_mechanism(four_bar_of(GRASHOF["rocker-crank"], 1.2))
    toggle = crank_range(GRASHOF["rocker-crank"])[1]
    with pytest.raises(SpeedError, match=r"as they stand, let it move at .* Still free") as caught:
        assemble(compiled, {"A": toggle}, speeds={"A": 1.0})
    assert caught.value.follows[0] == pytest.approx(0.0, abs=1e-7)
    assert set(caught.value.would_work) == {"B", "C", "D"}
    found = assemble(compiled, {"A": toggle}, speeds={"D": 1.0})
    assert found.speeds_of("A")[0] == pytest.approx(0.0, abs=1e-6)


def test_what_its_loops_and_couplings_hold_can_only_rest():
    offset = four_bar_angles(0.7)[1] - 0.35
    gear = Coupling.gear(name="gear", leader="A", follower="D", ratio=0.5, offset=offset)
    compiled = compile_mechanism(replace(four_bar(0.7), couplings=(gear,)))
    with pytest.raises(SpeedError, match="let it move at 0°/s only") as caught:
        assemble(compiled, speeds={"A": 1.0})
    assert caught.value.would_work == ()
    assert assemble(compiled, speeds={"A": 0.0}).speeds_of("D") == (0.0,)


def test_where_two_branches_meet_no_speed_is_made_up():
    compiled = compile_mechanism(four_bar_of(GRASHOF["parallelogram"], 0.4))
    with pytest.raises(SingularError, match="singular"):
        assemble(compiled, {"A": 0.0}, speeds={"A": 1.0})


def test_speeds_go_with_values_of_cut_joints_and_with_a_configuration_to_be_near():
    compiled = compile_mechanism(four_bar(0.7))
    coupler, rocker = four_bar_angles(1.1)
    found = assemble(compiled, {"C": rocker - coupler}, speeds={"A": 2.0})
    for name, speed in four_bar_speeds(1.1, 2.0).items():
        assert found.speeds_of(name)[0] == pytest.approx(speed, abs=1e-12)
    assert assemble(compiled, near=found).speeds == ()
    with pytest.raises(SpeedError):
        assemble(compiled, {"C": 1.0}, speeds={"C": 1.0, "D": 0.0})
    wanted = assemble(compiled, {"C": 1.0}, speeds={"C": 1.0, "D": Want(0.0)})
    assert wanted.missed_speeds == (("D", pytest.approx(abs(wanted.speeds_of("D")[0]))),)


def test_speeds_of_no_joint_or_of_another_number_are_refused():
    compiled = compile_mechanism(four_bar(0.7))
    with pytest.raises(UnknownNameError, match="no joint 'Z'"):
        assemble(compiled, speeds={"Z": 1.0})
    for bad in (math.nan, (1.0, 2.0), "fast"):
        with pytest.raises(BadValueError, match="1 finite number"):
            assemble(compiled, speeds={"A": bad})
    ball = compile_mechanism(four_bar(0.7, kinds={"B": JointKind.BALL}))
    with pytest.raises(BadValueError, match="3 finite numbers"):
        assemble(ball, speeds={"B": (1.0, 0.0, 0.0, 0.0)})
