import math
from dataclasses import replace

import mpmath
import numpy as np
import pytest

from linkages.crane import Strokes, crane, crane_solution
from linkages.overconstrained import bennett, bricard, sarrus
from linkages.planar import (
    five_bar,
    slider_crank,
    slider_solution,
)
from linkages.stewart import stewart
from mechanisms import BARS, four_bar, four_bar_angles
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.rows import linearize
from robocompiler.compiler.steps import difference, step
from robocompiler.errors import (
    BadValueError,
    ClosureError,
    NothingFoundError,
    PortsApartError,
    UnknownNameError,
)
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Coupling
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.assembly.carrying import carry_over
from robocompiler.solve.describe import coordinates
from robocompiler.solve.mobility.mobility import mobility
from robocompiler.solve.system import systems_of

REVOLUTE = {JointKind.REVOLUTE}


def drawn(mechanism, **starts):
    """The mechanism with other starting values, as a user's rounded numbers are."""
    joints = tuple(
        replace(j, start=(starts[j.name],)) if j.name in starts else j for j in mechanism.joints
    )
    return replace(mechanism, joints=joints)


def test_a_four_bar_closes_onto_the_closed_form_holding_its_crank():
    exact = dict(zip("BD", four_bar_angles(0.7), strict=True))
    mechanism = drawn(four_bar(0.7), B=round(exact["B"] - 0.7, 3), D=round(exact["D"], 3))
    configuration = assemble(compile_mechanism(mechanism))
    assert configuration.of("A") == (0.7,)
    assert configuration.of("D")[0] == pytest.approx(exact["D"], abs=1e-13)
    (gap,) = configuration.gaps
    assert gap.drawn_gap > 1e-6
    assert gap.gap < 1e-15
    assert {name for name, _ in configuration.moved} == {"B", "D"}


def test_the_assembled_angles_agree_with_fifty_digits():
    mpmath.mp.dps = 50
    a, b, c, d = (mpmath.mpf(str(BARS[n])) for n in ("crank", "coupler", "rocker", "ground"))
    crank = mpmath.mpf("1.1")
    px, py = a * mpmath.cos(crank), a * mpmath.sin(crank)
    across = mpmath.hypot(d - px, py)
    coupler = mpmath.atan2(-py, d - px) + mpmath.acos((b**2 + across**2 - c**2) / (2 * b * across))
    rocker = mpmath.atan2(py + b * mpmath.sin(coupler), px + b * mpmath.cos(coupler) - d)
    found = assemble(compile_mechanism(four_bar(0.7)), {"A": 1.1})
    assert found.of("D")[0] == pytest.approx(float(rocker), abs=1e-14)


@pytest.mark.parametrize("kinds", [{}, {"B": JointKind.BALL}, {"D": JointKind.CYLINDRICAL}])
@pytest.mark.parametrize("cut", [None, REVOLUTE])
def test_the_loop_closes_the_same_wherever_it_is_cut(kinds, cut):
    mechanism = four_bar(0.7, kinds=kinds, tilt=(0.3, -0.4, 0.9))
    compiled = compile_mechanism(mechanism, cut)
    configuration = assemble(compiled, {"A": 1.3})
    assert configuration.gaps[0].gap < 1e-14
    (rocker, *_) = configuration.of("D")
    assert rocker == pytest.approx(four_bar_angles(1.3)[1], abs=1e-13)


def test_sides_drawn_too_far_apart_are_reported_with_the_gap():
    mechanism = drawn(four_bar(0.7), D=four_bar_angles(0.7)[1] + 0.008)
    with pytest.raises(PortsApartError) as caught:
        assemble(compile_mechanism(mechanism))
    assert caught.value.gap == pytest.approx(0.25 * 0.008, rel=1e-3)
    assert "'coupler.C' and 'rocker.C'" in str(caught.value)
    assert assemble(compile_mechanism(mechanism), tolerance=(0.005, 0.1)).gaps[0].gap < 1e-14


def test_the_loop_may_state_its_own_tolerance():
    mechanism = drawn(
        four_bar(0.7, joint={"C": {"closure_tolerance": (0.005, 0.1)}}),
        D=four_bar_angles(0.7)[1] + 0.008,
    )
    assert assemble(compile_mechanism(mechanism)).gaps[0].gap < 1e-14


def test_a_loop_too_short_to_close_is_an_error_with_its_sides_and_joints():
    mechanism = four_bar(0.7)
    frames = tuple(
        replace(f, position=(0.9, 0.0, 0.0)) if f.name == "ground.D" else f
        for f in mechanism.frames
    )
    with pytest.raises(ClosureError) as caught:
        assemble(compile_mechanism(replace(mechanism, frames=frames)), tolerance=(10.0, 10.0))
    assert caught.value.gap == pytest.approx((9.0 - 1.0 - 4.0 - 2.5) * 0.1, rel=0.01)
    assert set(caught.value.loop) == {"A", "B", "D"}


def test_axes_rounded_out_of_parallel_close_to_their_misfit_and_keep_their_mobility():
    """A tilt of 1e-6 rad makes the loop rigid in exact arithmetic."""
    mechanism = four_bar(0.7)
    tilted = (math.cos(5e-7), math.sin(5e-7), 0.0, 0.0)
    frames = tuple(
        replace(f, rotation=tilted) if f.name == "coupler.C" else f for f in mechanism.frames
    )
    compiled = compile_mechanism(replace(mechanism, frames=frames))
    configuration = assemble(compiled)
    (gap,) = configuration.gaps
    assert 1e-10 < gap.gap + gap.angle < 2e-6
    assert int(mobility(compiled, coordinates(compiled, configuration))) == 1


def test_the_constraint_jacobian_is_the_derivative_of_the_residual():
    compiled = compile_mechanism(four_bar(0.7, tilt=(0.5, 0.2, 0.1)))
    q = coordinates(compiled, assemble(compiled)) + 0.05
    K = linearize(compiled, q).jacobian
    h = 1e-6
    for j, e in enumerate(np.eye(compiled.nv)):
        ahead, behind = (linearize(compiled, step(compiled, q, s * h * e)) for s in (1, -1))
        column = (ahead.residual - behind.residual) / (2 * h)
        np.testing.assert_allclose(K[:, j], column, atol=1e-9)


def test_a_coupling_is_met_and_takes_a_freedom():
    """Drawn 0.1° off, as a rounded drawing is."""
    crank, rocker = 0.7, four_bar_angles(0.7)[1]
    offset = rocker - 0.5 * crank + math.radians(0.1)
    mechanism = replace(
        four_bar(crank),
        couplings=(Coupling.gear(name="gear", leader="A", follower="D", ratio=0.5, offset=offset),),
    )
    compiled = compile_mechanism(mechanism)
    configuration = assemble(compiled)
    assert configuration.of("D")[0] == pytest.approx(
        0.5 * configuration.of("A")[0] + offset, abs=1e-13
    )
    assert int(mobility(compiled, coordinates(compiled, configuration))) == 0


def test_a_configuration_is_carried_over_to_other_cuts_by_name():
    mechanism = four_bar(0.7, kinds={"B": JointKind.CYLINDRICAL})
    first = compile_mechanism(mechanism)
    second = compile_mechanism(mechanism, REVOLUTE)
    assert first.closures[0].chord.joint.name != second.closures[0].chord.joint.name
    there = assemble(first, {"A": 2.0})
    carried = carry_over(second, there)
    np.testing.assert_allclose(
        np.concatenate([carried.of(n) for n in "ABCD"]),
        np.concatenate([there.of(n) for n in "ABCD"]),
        atol=1e-13,
    )
    q = coordinates(second, carried)
    assert np.abs(difference(second, q, coordinates(second, there))).max() < 1e-13


@pytest.mark.parametrize("off", [5.0, 15.0, 30.0, 45.0])
def test_a_seed_off_by_half_a_right_angle_closes_to_the_closed_form(off):
    """The cylinders as asked, all passive joints of the crane guessed wrong."""
    strokes = Strokes()
    compiled = compile_mechanism(crane())
    exact = dict(assemble(compiled).values)
    sign = 1.0
    seed = {}
    for name in ("boom", "rocker", "jib", "lift base", "fold base", "link"):
        if name in exact:
            seed[name], sign = exact[name][0] + sign * math.radians(off), -sign
    values = {"lift": strokes.lift, "fold": strokes.fold}
    found = assemble(compiled, values, seed=seed)
    for name, value in crane_solution(strokes.lift, strokes.fold).items():
        if name in exact:
            wrong = math.remainder(found.of(name)[0] - value, 2 * math.pi)
            assert wrong == pytest.approx(0.0, abs=1e-13)
    assert found.of("lift") == (strokes.lift,)


def test_a_slider_crank_closes_from_any_crank_angle_without_being_dragged():
    """FreeCAD needs the crank dragged first; here only the seed's branch decides."""
    compiled = compile_mechanism(slider_crank())
    for degrees in range(0, 360, 20):
        angle = math.radians(degrees)
        found = assemble(compiled, {"A": angle}, seed={"A": angle, "B": -angle, "S": 0.35})
        exact = slider_solution(0.1, 0.3, 0.02, angle)[1]
        assert found.of("S")[0] == pytest.approx(exact, abs=1e-13)


def test_starts_that_are_none_are_refused():
    compiled = compile_mechanism(four_bar())
    with pytest.raises(UnknownNameError, match="no joint 'Z'"):
        assemble(compiled, seed={"Z": 0.1})
    with pytest.raises(BadValueError, match="1 finite number"):
        assemble(compiled, seed={"A": math.inf})
    with pytest.raises(BadValueError, match="one start"):
        assemble(compiled, seed={"A": 0.1}, near=assemble(compiled))


def test_nothing_found_says_what_was_tried():
    mechanism = four_bar(0.7)
    frames = tuple(
        replace(f, position=(0.9, 0.0, 0.0)) if f.name == "ground.D" else f
        for f in mechanism.frames
    )
    compiled = compile_mechanism(replace(mechanism, frames=frames))
    with pytest.raises(NothingFoundError, match="Tried: the damped corrector and the defect"):
        assemble(compiled, seed={"A": 0.2})


@pytest.mark.parametrize("build", [bennett, bricard, sarrus, stewart, crane, five_bar])
def test_retained_rows_are_closed_to_rounding(build):
    compiled = compile_mechanism(build())
    q = coordinates(compiled, assemble(compiled))
    for system in systems_of(compiled):
        assert np.abs(system.linear(system.of(q))[0]).max() < 1e-13
