"""Some ports moved, others pushed: inverse and forward dynamics are its two ends."""

from dataclasses import replace

import numpy as np
import pytest

import robocompiler as rc
from dynamics_oracle import reference_dynamics
from linkages.drawing import driven_by
from linkages.excavator import DRIVES, excavator
from linkages.planar import GRASHOF, five_bar, four_bar_of, four_bar_solution
from linkages.planar_parallel import three_rpr
from linkages.stewart import stewart, task_pose
from linkages.two_link import arm
from robocompiler.solve.dynamics.mixed import ContradictionError

MECHANISMS = {
    "five-bar": lambda: driven_by(five_bar(), ["A", "E"]),
    "3-RPR": three_rpr,
    "Stewart": lambda: stewart(task_pose(5.7)),
}


def moving(mechanism, states=None):
    compiled = rc.compile(mechanism)
    q = rc.coordinates(compiled, rc.assemble(compiled))
    count = len(rc.reduce(compiled, q).names)
    shape = (2, count) if states is None else (2, states, count)
    return compiled, q, *np.random.default_rng(6).uniform(-0.5, 0.5, shape)


def port_rates(dynamics, u_dot):
    """ℓ̈ of the ports at u̇."""
    v_dot = dynamics.accelerations(u_dot)
    return (dynamics.B @ v_dot[..., None])[..., 0] + dynamics.port_bias


@pytest.mark.parametrize("name", MECHANISMS)
def test_with_every_port_moved_it_is_inverse_dynamics_and_with_none_forward(name):
    compiled, q, u, u_dot = moving(MECHANISMS[name](), states=3)
    inverse = rc.inverse_dynamics(compiled, q, u, u_dot)
    rates = port_rates(inverse.dynamics, u_dot)
    moved = rc.mixed_dynamics(compiled, q, u, dict(zip(inverse.ports, rates.T, strict=True)))
    size = np.max(np.abs(inverse.efforts))
    np.testing.assert_allclose(moved.u_dot, u_dot, atol=1e-12)
    np.testing.assert_allclose(moved.efforts, inverse.efforts, atol=1e-12 * size)
    efforts = dict(zip(inverse.ports, inverse.efforts.T, strict=True))
    pushed = rc.mixed_dynamics(compiled, q, u, efforts=efforts)
    forward = rc.forward_dynamics(compiled, q, u, efforts)
    np.testing.assert_allclose(pushed.u_dot, forward.u_dot, atol=1e-13)
    np.testing.assert_allclose(pushed.accelerations, rates, atol=1e-11)


@pytest.mark.parametrize("name", MECHANISMS)
def test_what_is_moved_moves_so_and_its_efforts_make_that_motion_in_fifty_digits(name):
    compiled, q, u, _ = moving(MECHANISMS[name]())
    first, *others = rc.reduced_dynamics(compiled, q, u).port_names
    found = rc.mixed_dynamics(compiled, q, u, {first: 0.7}, {others[0]: 30.0})
    assert found.accelerations[0] == pytest.approx(0.7, abs=1e-13)
    assert found.of(others[0]) == 30.0
    assert all(found.of(port) == 0.0 for port in others[1:])
    efforts = {port: float(found.of(port)) for port in found.ports}
    judge = reference_dynamics(compiled, q, u, efforts)
    assert judge.acceleration_error(found.v_dot) < 1e-12


def test_an_arm_whose_shoulder_is_held_swings_about_its_elbow_as_the_books_say():
    """The lower link alone: I θ̈ = torque of the elbow and of weight about it."""
    compiled = rc.compile(arm())
    q = rc.coordinates(compiled, rc.assemble(compiled))
    given = {"gravity": (0.0, -9.81, 0.0)}
    found = rc.mixed_dynamics(compiled, q, np.zeros(2), {"shoulder": 0.0}, {"elbow": 0.3}, **given)
    lower = next(b.inertia for b in compiled.mechanism.bodies if b.name == "lower")
    angle = 0.4 + 0.9
    cx, cy, _ = lower.center
    inertia = lower.moments[2] + lower.mass * (cx**2 + cy**2)
    level = cx * np.cos(angle) - cy * np.sin(angle)
    assert found.v_dot[1] == pytest.approx((0.3 - lower.mass * 9.81 * level) / inertia)
    assert found.v_dot[0] == pytest.approx(0.0, abs=1e-15)


def test_cylinders_that_are_cut_move_as_they_do_in_the_tree():
    """What slides on a turning body accelerates by that too."""
    found, names = [], ("A 2", "P 2", "B 2")
    for cuts in (("A 0", "A 1"), ("P 0", "P 1")):
        compiled = rc.compile(three_rpr(), cuts=cuts)
        q = rc.coordinates(compiled, rc.assemble(compiled))
        moved, pushed = {"P 0": 0.4, "P 1": -0.2}, {"P 2": 12.0}
        u = np.array([0.7, -0.3, 0.5])
        found.append(rc.mixed_dynamics(compiled, q, u, moved, pushed, independent=names))
    np.testing.assert_allclose(found[0].u_dot, found[1].u_dot, atol=1e-11)
    for port in ("P 0", "P 1", "P 2"):
        assert found[0].of(port) == pytest.approx(float(found[1].of(port)), rel=1e-10)


@pytest.mark.parametrize("cut", ["B", "C"])
def test_a_port_on_a_cut_joint_is_moved_as_one_in_the_tree_is(cut):
    """Its rate has a part that no acceleration makes."""
    motor = rc.Actuator(name="motor", transmissions=(rc.Transmission(coordinate="C", ratio=2.0),))
    mechanism = replace(driven_by(four_bar_of(crank=0.7), ()), actuators=(motor,))
    compiled = rc.compile(mechanism, cuts=[cut])
    q = rc.coordinates(compiled, rc.assemble(compiled))
    given = {"independent": ("A",)}
    found = rc.mixed_dynamics(compiled, q, np.array([2.0]), {"motor": 0.5}, **given)
    d, a, b, c = GRASHOF["crank-rocker"]
    h = 1e-4

    def turned(crank):
        coupler, rocker = four_bar_solution((d, a, b, c), crank)
        return 2.0 * (rocker - coupler)

    first = (turned(0.7 + h) - turned(0.7 - h)) / (2.0 * h)
    second = (turned(0.7 + h) + turned(0.7 - h) - 2.0 * turned(0.7)) / h**2
    assert found.u_dot[0] == pytest.approx((0.5 - second * 2.0**2) / first, rel=1e-5)


def test_cylinders_that_move_against_each_other_are_named_by_how_much_they_do():
    compiled, q, u, u_dot = moving(driven_by(excavator(), DRIVES))
    inverse = rc.inverse_dynamics(compiled, q, u, u_dot)
    rates = dict(zip(inverse.ports, port_rates(inverse.dynamics, u_dot), strict=True))
    agreed = rc.mixed_dynamics(compiled, q, u, rates)
    pairs = {f"{what} cylinder {i}" for what in ("boom", "tilt") for i in (0, 1)}
    assert set(agreed.redundant) == pairs
    np.testing.assert_allclose(agreed.accelerations, list(rates.values()), atol=1e-9)
    rates["boom cylinder 1"] += 0.25
    with pytest.raises(ContradictionError) as caught:
        rc.mixed_dynamics(compiled, q, u, rates)
    assert set(caught.value.ports) == {"boom cylinder 0", "boom cylinder 1"}
    assert caught.value.apart == pytest.approx(0.125, rel=0.2)
    alone = {k: v for k, v in rates.items() if k != "boom cylinder 1"}
    free = rc.mixed_dynamics(compiled, q, u, alone)
    at = free.ports.index("boom cylinder 1")
    assert free.accelerations[at] == pytest.approx(rates["boom cylinder 1"] - 0.25, abs=1e-9)
    assert set(free.redundant) == {"tilt cylinder 0", "tilt cylinder 1"}


def test_weights_say_who_of_the_redundant_gives_what():
    compiled, q, u, u_dot = moving(driven_by(excavator(), DRIVES))
    inverse = rc.inverse_dynamics(compiled, q, u, u_dot, weights={"boom cylinder 0": 9.0})
    rates = dict(zip(inverse.ports, port_rates(inverse.dynamics, u_dot), strict=True))
    found = rc.mixed_dynamics(compiled, q, u, rates, weights={"boom cylinder 0": 9.0})
    pair = [found.of(f"boom cylinder {i}") for i in (0, 1)]
    assert pair[1] / pair[0] == pytest.approx(9.0, rel=1e-6)  # they are alike, side by side


def test_asking_twice_or_for_nothing_is_refused_by_name():
    compiled, q, u, _ = moving(driven_by(four_bar_of(crank=0.7), ["A"]))
    with pytest.raises(rc.MechanismError, match="A=an effort and an acceleration"):
        rc.mixed_dynamics(compiled, q, u, {"A": 1.0}, {"A": 2.0})
    with pytest.raises(rc.MechanismError, match="no port 'Z'"):
        rc.mixed_dynamics(compiled, q, u, {"Z": 1.0})
