"""A path that comes back to the same driver values on another assembly says so."""

import math

import numpy as np
import pytest

from linkages.planar import GRASHOF, four_bar_of
from linkages.planar_parallel import (
    BASE,
    PLATFORM,
    platform_joints,
    three_rpr,
    three_rpr_assemblies,
)
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.solve.motion.follow import follow

# Two assemblies for the same legs that a straight way of the platform joins, never singular.
START, END = 0, 4


def lengths(pose):
    corners = platform_joints(tuple(pose), PLATFORM)
    return [math.dist(a, b) for a, b in zip(BASE, corners, strict=True)]


def test_legs_that_go_round_a_cusp_leave_the_platform_in_another_assembly():
    """The 3-RPR of Innocenti and Parenti-Castelli, against the pose its legs are made for."""
    poses = three_rpr_assemblies()
    a, b = np.array(poses[START]), np.array(poses[END])
    way = [a + (b - a) * share for share in np.linspace(0.0, 1.0, 201)]
    table = np.array([lengths(pose) for pose in way])
    np.testing.assert_allclose(table[-1], table[0], atol=1e-14)
    compiled = compile_mechanism(three_rpr(START))
    motion = follow(compiled, {f"P {i}": table[:, i] for i in range(3)})
    assert motion.elsewhere == ((0, 200),)
    # The leg that the first joint turns points where the platform's corner is.
    for pose, found in zip(way, motion.of("A 0"), strict=True):
        (x, y), _, _ = platform_joints(tuple(pose), PLATFORM)
        turned = math.remainder(found - motion.of("A 0")[0], 2.0 * math.pi)
        (x0, y0), _, _ = platform_joints(tuple(a), PLATFORM)
        expected = math.remainder(math.atan2(y, x) - math.atan2(y0, x0), 2.0 * math.pi)
        assert math.remainder(turned - expected, 2.0 * math.pi) == pytest.approx(0.0, abs=1e-12)


def test_a_crank_that_comes_back_to_its_value_is_where_it_was():
    compiled = compile_mechanism(four_bar_of(GRASHOF["crank-rocker"], 0.7))
    turns = np.linspace(0.7, 0.7 + 4.0 * np.pi, 37)
    there_and_back = np.concatenate([turns, turns[::-1]])
    assert follow(compiled, {"A": there_and_back}).elsewhere == ()
