"""Gaps, and the forces that hold loops, against statics and against another cut of the loop."""

import math
from dataclasses import replace

import pytest
from scenes import LENGTH, MASS, G, bracket, held, written

from mechanisms import four_bar
from robocompiler.model.joint_kinds import JointKind
from robocompiler.simulate.run import simulate


def test_the_pin_of_a_bracket_carries_what_statics_says(tmp_path):
    length, drop, beam, strut = 0.4, 0.3, 3.0, 1.0
    scene = written(tmp_path, bracket(length, drop, beam, strut), gravity=(0.0, -G, 0.0))
    result = simulate(scene, duration=0.3)
    up = beam * G / 2.0
    along = (up + strut * G / 2.0) * length / drop
    assert result["after"]["closures"]["C"]["force"] == pytest.approx(math.hypot(up, along), 1e-4)
    assert result["after"]["closures"]["C"]["torque"] == 0.0
    assert 0.0 < result["closures"]["C"]["max_gap"] < 0.1
    assert result["warnings"] == []


def test_a_cut_hinge_carries_the_moment_of_a_load_beside_its_axis(tmp_path):
    """A gate: the load pulls down along the axis, a lever away from it."""
    gate = held(JointKind.REVOLUTE, also=[JointKind.FREE])
    result = simulate(written(tmp_path, gate, gravity=(0.0, 0.0, -G)), duration=0.3)
    closure = result["after"]["closures"]["hold"]
    assert closure["force"] == pytest.approx(MASS * G, 1e-4)
    assert closure["torque"] == pytest.approx(MASS * G * LENGTH, 1e-4)
    assert result["closures"]["hold"]["max_gap"] < 0.1
    assert result["closures"]["hold"]["max_angle"] < 0.1


def test_a_cut_universal_joint_carries_the_moment_about_its_third_axis(tmp_path):
    """Its cross turns about x and y; a load at x that pulls along y turns about neither."""
    shaft = held(JointKind.UNIVERSAL, also=[JointKind.FREE])
    result = simulate(written(tmp_path, shaft, gravity=(0.0, -G, 0.0)), duration=0.3)
    closure = result["after"]["closures"]["hold"]
    assert closure["force"] == pytest.approx(MASS * G, 1e-4)
    assert closure["torque"] == pytest.approx(MASS * G * LENGTH, 1e-4)
    assert result["closures"]["hold"]["max_gap"] < 0.1
    assert result["closures"]["hold"]["max_angle"] < 0.1


@pytest.mark.parametrize("limited", ["", "ABC"])
def test_a_cut_joint_turns_as_far_and_as_fast_as_the_others_leave(tmp_path, limited):
    """In a plane the angles at the four pins add up, whichever pin is cut: C, or D for C."""
    mechanism = four_bar(0.7, tilt=(0.3, -0.2, 0.5))
    joints = tuple(
        replace(j, limits=((-99.0, 99.0),)) if j.name in limited else j for j in mechanism.joints
    )
    scene = written(tmp_path, replace(mechanism, joints=joints), gravity=(0.0, -G, 0.0))
    after = simulate(scene, duration=0.7, drive={"A": {"velocity": 720}})["after"]
    assert list(after["closures"]) == ["C"]
    for what, tolerance in (("pos", 0.02), ("vel", 1.0)):
        turn = {name: after["joints"][name][what] for name in "ABCD"}
        assert turn["A"] + turn["B"] + turn["C"] == pytest.approx(turn["D"], abs=tolerance)


def test_the_maxima_are_over_every_step_not_only_over_the_samples(tmp_path):
    scene = written(tmp_path, four_bar(0.7), gravity=(0.0, -G, 0.0))
    few = simulate(scene, duration=1.0, samples=2)
    many = simulate(scene, duration=1.0, samples=1001)
    assert few["closures"] == many["closures"]
    seen = [sample["closures"]["C"]["force"] for sample in many["samples"]]
    assert few["closures"]["C"]["max_force"] == pytest.approx(max(seen), 1e-6)
    assert len(few["samples"]) == 2
