"""Paths and ranges of joints that were cut, in the caller's own coordinates."""

import math
from dataclasses import replace

import numpy as np
import pytest

from linkages.planar import GRASHOF, five_bar, four_bar_of, four_bar_solution
from mechanisms import BARS, four_bar, four_bar_angles
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.rows import linearize
from robocompiler.errors import BadValueError, KeptError, SampleError, UnknownNameError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.motion.driver_range import Stop, driver_range
from robocompiler.solve.motion.follow import follow


def test_a_table_of_a_cut_pin_is_followed_in_the_callers_coordinates():
    compiled = compile_mechanism(four_bar(0.7))
    cranks = np.linspace(0.4, 2.9, 40)
    exact = np.array([four_bar_angles(crank) for crank in cranks])
    motion = follow(compiled, {"C": exact[:, 1] - exact[:, 0]})
    assert motion.compiled is compiled
    assert motion.q.shape == (40, compiled.nq)
    np.testing.assert_allclose(motion.of("A"), cranks, rtol=0, atol=1e-13)
    np.testing.assert_allclose(motion.of("D"), exact[:, 1], rtol=0, atol=1e-13)
    np.testing.assert_allclose(motion.of("C"), exact[:, 1] - exact[:, 0], rtol=0, atol=1e-14)
    assert np.abs(linearize(compiled, motion.q).residual).max() < 2e-15
    assert motion.misfit < 1e-14
    assert motion.configuration(39).of("A")[0] == pytest.approx(2.9, abs=1e-13)


def test_rounded_axes_close_as_the_callers_own_cut_closes_them():
    """Tilted by 1e-6, the loop gapes a little at whichever joint is cut: the rest must fit that."""
    mechanism = four_bar(0.7)
    tilted = (math.cos(5e-7), math.sin(5e-7), 0.0, 0.0)
    frames = tuple(
        replace(f, rotation=tilted) if f.name == "coupler.B" else f for f in mechanism.frames
    )
    compiled = compile_mechanism(replace(mechanism, frames=frames))
    motion = follow(compiled, {"C": np.linspace(1.0, 1.6, 7)})
    again = follow(compiled, {"A": motion.of("A")})
    np.testing.assert_allclose(motion.q, again.q, rtol=0, atol=1e-12)


def test_a_cut_crank_turns_twice_round_and_every_turn_is_counted():
    compiled = compile_mechanism(four_bar_of(GRASHOF["double-crank"], 0.5), cuts=["A"])
    cranks = np.linspace(0.5, 0.5 + 4 * np.pi, 100)
    motion = follow(compiled, {"A": cranks})
    np.testing.assert_allclose(motion.of("A"), cranks, rtol=0, atol=1e-13)
    assert motion.of("D")[-1] - motion.of("D")[0] == pytest.approx(4 * np.pi, abs=1e-12)
    exact = np.array([four_bar_solution(GRASHOF["double-crank"], a)[1] for a in cranks])
    off = np.remainder(motion.of("D") - exact + np.pi, 2 * np.pi) - np.pi
    assert np.abs(off).max() < 1e-12
    assert motion.configuration(99).of("A")[0] == pytest.approx(cranks[-1], abs=1e-13)


def test_it_starts_where_it_is_told_and_says_what_it_holds():
    compiled = compile_mechanism(five_bar())
    start = assemble(compiled, {"A": 2.2, "E": 0.9})
    (cut,) = (closure.chord.joint.name for closure in compiled.closures)
    motion = follow(compiled, {cut: start.of(cut)[0] + np.array([0.0, 0.05])}, start=start)
    assert motion.held == ("A",)
    np.testing.assert_allclose(motion.of("A"), 2.2, rtol=0, atol=1e-13)
    assert motion.of("E")[0] == pytest.approx(0.9, abs=1e-13)


def test_a_cut_joint_goes_as_far_as_its_toggles():
    a, b, c, d = (BARS[n] for n in ("crank", "coupler", "rocker", "ground"))
    exact = [math.acos((b**2 + c**2 - (d + s * a) ** 2) / (2 * b * c)) for s in (-1, 1)]
    compiled = compile_mechanism(four_bar(0.7))
    found = driver_range(compiled, "C")
    ends = (found.lowest, found.highest)
    np.testing.assert_allclose([end.value for end in ends], exact, atol=1e-13)
    assert [end.stop for end in ends] == [Stop.TOGGLE, Stop.TOGGLE]
    assert abs(math.sin(found.highest.configuration.of("A")[0])) < 1e-7
    assert {gap.closure for gap in found.highest.configuration.gaps} == {"C"}
    with pytest.raises(SampleError, match="Sample 1 of 2") as caught:
        follow(compiled, {"C": [1.0, 3.0]})
    assert caught.value.nearest[0] == pytest.approx(exact[1], abs=1e-13)


def test_what_no_cut_can_serve_is_refused():
    compiled = compile_mechanism(four_bar(0.7))
    with pytest.raises(KeptError):
        follow(compiled, {name: [1.0] for name in "ABCD"})
    with pytest.raises(UnknownNameError, match="no joint 'Z'"):
        driver_range(compiled, "Z")
    ball = compile_mechanism(four_bar(0.7, kinds={"B": JointKind.BALL}))
    with pytest.raises(BadValueError, match="of one coordinate"):
        driver_range(ball, "B")
