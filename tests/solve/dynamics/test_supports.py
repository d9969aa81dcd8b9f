"""Supports that begin and cease to hold, against blows whose outcome is known in closed form."""

import math

import numpy as np
import pytest

import robocompiler as rc
from dynamics_oracle import reference_dynamics
from fifty_digits import floats
from linkages.drawing import Drawing, at, axis, planar, turn
from linkages.planar import four_bar_of
from linkages.two_link import TIP, UPPER, arm
from robocompiler.errors import (
    BadValueError,
    DuplicateNameError,
    SupportError,
    UnknownNameError,
)
from robocompiler.model.mechanism import WORLD, Inertia

MASS, LENGTH = 2.0, 0.6
ENDS = (
    rc.Task(name="left end", body="rod", position=(-0.5 * LENGTH, 0.0, 0.0)),
    rc.Task(name="right end", body="rod", position=(0.5 * LENGTH, 0.0, 0.0)),
)
SOLE = rc.Task(name="sole", body="rod", position=(0.1, 0.2, 0.0), kind=rc.JointKind.FIXED)


def rod(turned: float = 0.0) -> rc.CompiledMechanism:
    """A slender rod that floats, along x of its own frame."""
    moment = MASS * LENGTH**2 / 12.0
    drawing = Drawing("rod")
    inertia = Inertia(mass=MASS, center=(0.0, 0.0, 0.0), moments=(1e-4, moment, moment))
    X = planar(0.3, 0.7, turned)
    drawing.body("rod", X, inertia)
    drawing.joint("base", rc.JointKind.FREE, (WORLD, "rod"), at(), *X.position, *X.quaternion)
    return rc.compile(drawing.mechanism())


def drawn(compiled: rc.CompiledMechanism) -> np.ndarray:
    return rc.coordinates(compiled, rc.assemble(compiled))


def base_speeds(compiled: rc.CompiledMechanism, *speeds: float) -> np.ndarray:
    v = np.zeros(compiled.nv)
    v[compiled.tree_joint("base").v] = speeds
    return v


def test_a_falling_rod_whose_end_hits_the_ground_turns_about_it_and_keeps_three_quarters():
    """ω = 3 V / 2 L: its angular momentum about that end is kept. A quarter of ½ m V² is lost."""
    compiled, fall = rod(), 1.7
    found = rc.Supports(compiled, ENDS).switch(
        drawn(compiled), base_speeds(compiled, 0.0, -fall, 0.0, 0.0, 0.0, 0.0), ["left end"]
    )
    omega = -1.5 * fall / LENGTH
    exact = (0.0, 0.5 * omega * LENGTH, 0.0, 0.0, 0.0, omega)
    np.testing.assert_allclose(found.v, exact, atol=1e-15)
    assert found.lost == pytest.approx(MASS * fall**2 / 8.0, rel=1e-14)
    blow = (0.0, 0.25 * MASS * fall, 0.0, 0.0, 0.0, 0.0)
    np.testing.assert_allclose(found.impulses["left end"], blow, atol=1e-15)
    assert np.abs(found.missing).max() < 1e-15


def test_the_other_end_then_hits_and_the_first_lets_go():
    """It turns back at half the speed: its angular momentum about that end is - m L² ω / 6."""
    compiled = rod()
    v = base_speeds(compiled, 0.0, -0.5 * LENGTH, 0.0, 0.0, 0.0, -1.0)
    other = rc.Supports(compiled, ENDS).switch(drawn(compiled), v, ["right end"])
    exact = (0.0, -0.25 * LENGTH, 0.0, 0.0, 0.0, 0.5)
    np.testing.assert_allclose(other.v, exact, atol=1e-15)
    had = MASS * LENGTH**2 / 6.0
    assert other.lost == pytest.approx(0.75 * had, rel=1e-14)


def test_what_is_released_moves_on_as_it_did():
    compiled = rod(0.4)
    ends, q = rc.Supports(compiled, ENDS), drawn(compiled)
    held = ends.switch(q, base_speeds(compiled, 0.3, -1.0, 0.2, 0.5, -0.4, 0.7), ["left end"])
    freed = ends.switch(q, held.v, [])
    np.testing.assert_allclose(freed.v, held.v, rtol=0, atol=1e-15)
    assert abs(float(freed.lost)) < 1e-30
    assert freed.impulses == {}


def test_a_sole_that_sticks_takes_all_momentum_along_the_worlds_axes():
    """What the body had: m v, and about the sole r × m v + R J ω; the rod stands turned."""
    compiled, turned = rod(0.8), 0.8
    v, omega = np.array([0.4, -1.1, 0.3]), np.array([2.0, -0.5, 0.9])
    found = rc.Supports(compiled, [SOLE]).switch(
        drawn(compiled), base_speeds(compiled, *v, *omega), ["sole"]
    )
    c, s = math.cos(turned), math.sin(turned)
    R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    moment = MASS * LENGTH**2 / 12.0
    arm = -R @ np.array(SOLE.position)
    spin = np.cross(arm, MASS * v) + R @ (np.array([1e-4, moment, moment]) * omega)
    np.testing.assert_allclose(found.v, 0.0, atol=1e-15)
    np.testing.assert_allclose(found.impulses["sole"], [*(-MASS * v), *-spin], atol=1e-14)


def test_an_anchor_is_where_its_point_stands_at_the_switch():
    compiled = rod(0.4)
    found = rc.Supports(compiled, ENDS).switch(
        drawn(compiled), np.zeros(compiled.nv), ["right end"]
    )
    held = found.dynamics.supported.compiled
    place = (0.3 + 0.5 * LENGTH * math.cos(0.4), 0.7 + 0.5 * LENGTH * math.sin(0.4), 0.0)
    np.testing.assert_allclose(found.q[held.tree_joint("right end").q], place, atol=1e-15)


def carts(first: float = 2.0, second: float = 3.0) -> rc.Mechanism:
    """Two carts on one rail, and a latch that makes them one."""
    drawing = Drawing("carts")
    for name, mass, x in (("a", first, 0.0), ("b", second, 0.5)):
        inertia = Inertia(mass=mass, center=(0.0, 0.0, 0.0), moments=(0.1, 0.1, 0.1))
        drawing.body(name, at(x), inertia)
        rail = rc.JointKind.PRISMATIC
        drawing.joint(
            f"rail {name}", rail, (WORLD, name), axis((x, 0.0, 0.0), (1.0, 0.0, 0.0)), 0.0
        )
    drawing.joint("latch", rc.JointKind.FIXED, ("a", "b"), at(0.5), closes_loop=True)
    return drawing.mechanism()


def test_two_carts_that_catch_move_on_together_with_all_their_momentum():
    """v = (m₁ v₁ + m₂ v₂) / (m₁ + m₂); ½ m₁ m₂ / (m₁ + m₂) (v₁ - v₂)² is lost."""
    compiled = rc.compile(carts(), cuts=["latch"])
    q = drawn(compiled)
    v = np.zeros(compiled.nv)
    v[compiled.tree_joint("rail a").v] = 1.5
    v[compiled.tree_joint("rail b").v] = -0.5
    found = rc.momentum_consistent(compiled, q, v)
    np.testing.assert_allclose(found.v, (2.0 * 1.5 - 3.0 * 0.5) / 5.0, rtol=1e-14)
    assert found.lost == pytest.approx(0.5 * 6.0 / 5.0 * 2.0**2, rel=1e-14)


def test_a_batch_switches_each_state_by_itself():
    compiled = rod()
    ends = rc.Supports(compiled, ENDS)
    random = np.random.default_rng(3)
    v = random.uniform(-1.0, 1.0, (4, 6))
    q = np.array([drawn(rod(angle)) for angle in (0.0, 0.3, -0.7, 1.9)])
    together = ends.switch(q, v, ["left end"])
    for i in range(4):
        alone = ends.switch(q[i], v[i], ["left end"], independent=together.names)
        np.testing.assert_allclose(together.v[i], alone.v, atol=1e-14)
        np.testing.assert_allclose(together.lost[i], alone.lost, atol=1e-14)
        blow = alone.impulses["left end"]
        np.testing.assert_allclose(together.impulses["left end"][i], blow, atol=1e-14)


def test_a_blow_minds_rotors_and_is_the_solution_of_the_impact_equations():
    """M (v⁺ - v⁻) = Kᵀ λ, K v⁺ = 0, with M and K in fifty digits, and the rotor of a joint."""
    drawing = Drawing("swinging")
    X = planar(0.0, 0.0, 0.4)
    drawing.body("upper", X)
    elbow = planar(UPPER * math.cos(0.4), UPPER * math.sin(0.4), 0.4)
    drawing.body("lower", elbow @ planar(0.0, 0.0, 0.9))
    drawing.joint("base", rc.JointKind.FREE, (WORLD, "upper"), at(), *X.position, *X.quaternion)
    drawing.revolute("elbow", ("upper", "lower"), elbow, 0.9, effort=1.0, armature=0.3)
    compiled = rc.compile(drawing.mechanism())
    q, v = drawn(compiled), np.random.default_rng(8).uniform(-1.0, 1.0, compiled.nv)
    supports = rc.Supports(compiled, [TIP])
    found = supports.switch(q, v, ["tip"])
    held, own = supports.mode(["tip"]), found.dynamics.supported.v
    exact = reference_dynamics(
        held, found.q, np.zeros(len(found.names)), {}, independent=found.names
    )
    M, K = floats(exact.M)[np.ix_(own, own)], floats(exact.K)[:, own]
    rows = len(K)
    whole = np.block([[M, -K.T], [K, np.zeros((rows, rows))]])
    solved = np.linalg.solve(whole, np.concatenate([M @ v, np.zeros(rows)]))
    np.testing.assert_allclose(found.v, solved[: compiled.nv], atol=1e-14)
    np.testing.assert_allclose(found.impulses["tip"][:3], solved[compiled.nv :], atol=1e-14)
    lost = 0.5 * (v @ M @ v - found.v @ M @ found.v)
    assert found.lost == pytest.approx(lost, rel=1e-13)


def test_two_frames_of_one_body_are_one_too_many_and_each_row_is_named():
    compiled = rod()
    other = rc.Task(name="heel", body="rod", kind=rc.JointKind.FIXED)
    with pytest.raises(SupportError) as caught:
        rc.Supports(compiled, [SOLE, other]).reduced(drawn(compiled), ["sole", "heel"])
    error = caught.value
    assert (error.held, error.free, error.supports) == (12, 6, ("sole", "heel"))
    rows = [f"{what} {axis}" for what in ("point", "orientation") for axis in "xyz"]
    assert error.rows == tuple(("heel", row) for row in rows)
    assert "6 too many" in str(error)
    assert "point x, point y, point z, orientation x" in str(error)
    assert "Hold points instead of frames" in str(error)


def test_two_points_of_one_body_hold_their_distance_twice():
    """Along the line between them, which is x here."""
    compiled = rod()
    with pytest.raises(SupportError) as caught:
        rc.reduced_dynamics(compiled, drawn(compiled), np.zeros(1), support=ENDS)
    assert (caught.value.held, caught.value.free) == (6, 5)
    assert caught.value.rows == (("right end", "point x"),)


def test_a_rod_on_an_edge_is_a_hinge_along_it_and_goes_on_spinning_about_itself():
    """What is to be declared instead: one frame, of a kind that leaves that turn free."""
    half = math.sqrt(0.5)  # z of the frame along x of the rod
    edge = rc.Task(
        name="edge", body="rod", rotation=(half, 0.0, half, 0.0), kind=rc.JointKind.REVOLUTE
    )
    compiled, moment = rod(0.8), MASS * LENGTH**2 / 12.0
    v = base_speeds(compiled, 0.4, -1.1, 0.3, 2.0, -0.5, 0.9)
    found = rc.Supports(compiled, [edge]).switch(drawn(compiled), v, ["edge"])
    np.testing.assert_allclose(
        found.v, base_speeds(compiled, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0), atol=1e-15
    )
    c, s = math.cos(0.8), math.sin(0.8)
    across = -moment * np.array([-0.5 * -s, -0.5 * c, 0.9])
    given = [*(-MASS * v[:3]), *across]
    np.testing.assert_allclose(found.impulses["edge"], given, atol=1e-14)


def test_a_point_of_a_four_bar_holds_more_than_its_one_freedom():
    """In the plane two ways, of which it moves along one: across it bends all the same."""
    compiled = rc.compile(four_bar_of())
    point = rc.Task(name="pen", body="coupler", position=(0.1, 0.05, 0.0))
    with pytest.raises(
        SupportError, match=r"'pen' holds 2 motions.* leave 1: 1 too many"
    ) as caught:
        rc.reduced_dynamics(compiled, drawn(compiled), np.zeros(0), support=[point])
    assert [support for support, _ in caught.value.rows] == ["pen"]
    assert caught.value.rows[0][1] in ("point x", "point y")


@pytest.mark.parametrize("tilt", [0.0, 0.7])
def test_a_planar_arm_may_be_held_at_its_tip_whatever_plane_it_is_in(tilt):
    """Across the plane nothing can move, so that nothing is held there twice."""
    drawing = Drawing("tilted arm", ground=turn((tilt, -0.5 * tilt, 0.2)))
    drawing.body("upper", planar(0.0, 0.0, 0.4))
    elbow = planar(UPPER * math.cos(0.4), UPPER * math.sin(0.4), 0.4)
    drawing.body("lower", elbow @ planar(0.0, 0.0, 0.9))
    drawing.revolute("shoulder", (WORLD, "upper"), at(), 0.4)
    drawing.revolute("elbow", ("upper", "lower"), elbow, 0.9)
    compiled = rc.compile(drawing.mechanism())
    found = rc.reduced_dynamics(compiled, drawn(compiled), np.zeros(0), support=[TIP])
    assert found.names == ()


def test_supports_that_make_no_sense_are_refused_when_declared():
    compiled = rc.compile(arm())
    with pytest.raises(DuplicateNameError, match="supports are called 'tip'"):
        rc.Supports(compiled, [TIP, TIP])
    with pytest.raises(DuplicateNameError, match="supports are called 'tip'"):
        rc.reduced_dynamics(compiled, drawn(compiled), np.zeros(0), support=[TIP, TIP])
    with pytest.raises(DuplicateNameError, match="'elbow'"):
        rc.Supports(compiled, [rc.Task(name="elbow", body="lower")])
    with pytest.raises(UnknownNameError, match=r"support 'top'.*'tip'"):
        rc.Supports(compiled, [TIP]).mode(["top"])
    drawing = Drawing("on a plinth")
    drawing.body("plinth")
    drawing.joint("base", rc.JointKind.FIXED, (WORLD, "plinth"), at())
    drawing.body("door")
    drawing.revolute("hinge", ("plinth", "door"), at())
    with pytest.raises(BadValueError, match="body=plinth is not a body that moves"):
        rc.Supports(rc.compile(drawing.mechanism()), [rc.Task(name="g", body="plinth")])


def test_a_mode_is_compiled_once_whatever_the_order_of_its_names():
    ends = rc.Supports(rod(), ENDS)
    assert ends.mode(["left end", "right end"]) is ends.mode(["right end", "left end"])
    assert ends.mode([]) is ends.compiled


def test_speeds_that_are_no_numbers_of_the_mechanism_are_refused_by_name():
    ends = rc.Supports(rod(), ENDS)
    q = drawn(ends.compiled)
    with pytest.raises(BadValueError, match=r"v=an array of shape \(5,\)"):
        ends.switch(q, np.zeros(5), ["left end"])
    with pytest.raises(BadValueError, match="that of 'base/moveY'"):
        ends.switch(q, np.array([0.0, np.nan, 0.0, 0.0, 0.0, 0.0]), ["left end"])
