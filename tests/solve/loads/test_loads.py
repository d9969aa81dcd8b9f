"""The wrench in each joint: by Newton and Euler, by statics on paper, and what nothing settles."""

import math
from dataclasses import replace

import numpy as np
import pytest

import robocompiler as rc
from closed_mechanisms import KINDS, made
from linkages.drawing import Drawing, at, cut_at, driven_by
from linkages.excavator import excavator
from linkages.many_loops import scissor_lift
from linkages.oracle import standing_at
from linkages.overconstrained import bennett, sarrus
from linkages.planar import four_bar_at, four_bar_of, slider_crank
from linkages.robots import FEET, go2, kangaroo
from linkages.spatial import delta, differential
from linkages.stewart import stewart, task_pose
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Inertia
from solve.loads.balances import unbalanced

STILL, WEIGHTLESS = np.zeros(1), (0.0, 0.0, 0.0)
MECHANISMS = {
    "four-bar": four_bar_of,
    "slider-crank": slider_crank,
    "scissor lift": lambda: scissor_lift(3),
    "Bennett": bennett,
    "Sarrus": sarrus,
    "delta": delta,
    "Stewart": lambda: stewart(task_pose(5.7)),
    "excavator": excavator,
    "Kangaroo, one sole held": lambda: kangaroo(soles=("left",)),
    "Go2 on two feet": lambda: go2(("FL", "RR")),
}


def standing(mechanism, **how):
    compiled = rc.compile(mechanism, **how)
    return compiled, rc.coordinates(compiled, rc.assemble(compiled))


def drawn(seed, *arrays):
    random = np.random.default_rng(seed)
    return [random.uniform(-1.0, 1.0, count) for count in arrays]


@pytest.mark.parametrize("name", MECHANISMS)
def test_what_joints_carry_moves_every_body_as_newton_and_euler_say(name):
    compiled, q = standing(MECHANISMS[name]())
    count = len(rc.reduce(compiled, q).names)
    u, u_dot, wrench = drawn(4, count, count, 6)
    pushed = {compiled.mechanism.bodies[-1].name: 10.0 * wrench}
    loads = rc.joint_loads(compiled, q, u, u_dot, wrenches=pushed)
    motion = rc.inverse_dynamics(compiled, q, u, u_dot)
    off, size = unbalanced(compiled, q, motion.v, motion.v_dot, loads, pushed)
    assert off <= 1e-13 * size + 2.0 * loads.unbalanced
    assert loads.unbalanced <= 1e-5 * size


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.value)
def test_joints_of_every_kind_carry_so_in_a_loop_cut_at_any_of_them(kind):
    """In general position, some crossed backwards."""
    compiled, q = made(kind.value)[:2]
    count = len(rc.reduce(compiled, q).names)
    u, u_dot, wrench = drawn(5, count, count, 6)
    pushed = {compiled.mechanism.bodies[-1].name: 10.0 * wrench}
    loads = rc.joint_loads(compiled, q, u, u_dot, wrenches=pushed)
    motion = rc.inverse_dynamics(compiled, q, u, u_dot)
    off, size = unbalanced(compiled, q, motion.v, motion.v_dot, loads, pushed)
    assert off <= 1e-13 * size
    assert loads.indeterminate == ()


def sprung(mechanism, **fields):
    """Springs, dampers and rotors on every joint."""
    joints = tuple(replace(joint, **fields) for joint in mechanism.joints)
    return replace(mechanism, joints=joints)


def test_springs_dampers_and_rotors_are_in_what_joints_carry_whichever_is_cut():
    own = {"stiffness": 3.0, "spring_reference": 0.2, "damping": 0.4, "armature": 0.05}
    mechanism = sprung(four_bar_of(crank=0.9), friction=0.3, **own)
    found = {}
    for cut in "BCD":
        compiled, q = standing(cut_at(mechanism, [cut]))
        given = {"independent": ("A",), "dry_friction": True}
        loads = rc.joint_loads(compiled, q, np.array([1.3]), np.array([-0.7]), **given)
        motion = rc.inverse_dynamics(compiled, q, np.array([1.3]), np.array([-0.7]), **given)
        off, size = unbalanced(compiled, q, motion.v, motion.v_dot, loads)
        assert off <= 1e-13 * size
        found[cut] = loads
    for name in "ABCD":
        flags = {cut: loads.determinate(name) for cut, loads in found.items()}
        assert set(flags.values()) == {(True, True, False, False, False, True)}
        for cut in "CD":  # all of it: the least share is the same one
            np.testing.assert_allclose(found[cut].of(name), found["B"].of(name), atol=1e-13)


def test_a_coupler_that_only_passes_on_a_load_is_pulled_along_its_length():
    """Statics on paper: the rocker's torque over the coupler's lever about its pin."""
    compiled, q = standing(four_bar_of(crank=0.7))
    wrench = {"rocker": np.array([0.0, 0.0, 0.0, 0.0, 0.0, 5.0])}
    given = {"wrenches": wrench, "gravity": WEIGHTLESS, "independent": ("A",)}
    loads = rc.joint_loads(compiled, q, STILL, STILL, **given)
    crank, at_b, rocker = four_bar_at(0.7)
    along = np.array([math.cos(crank + at_b), math.sin(crank + at_b), 0.0])
    c = np.array([0.4 + 0.25 * math.cos(rocker), 0.25 * math.sin(rocker), 0.0])
    lever = np.cross(c - [0.4, 0.0, 0.0], along)[2]
    pull = -5.0 / lever  # of the coupler on the rocker, along B to C
    world = {name: _in_world(compiled, q, loads, name) for name in "ABCD"}
    np.testing.assert_allclose(world["C"], pull * along, atol=1e-12)
    np.testing.assert_allclose(world["B"], pull * along, atol=1e-12)
    np.testing.assert_allclose(world["A"], pull * along, atol=1e-12)
    np.testing.assert_allclose(world["D"], -pull * along, atol=1e-12)
    arm = np.cross([0.1 * math.cos(crank), 0.1 * math.sin(crank), 0.0], pull * along)[2]
    assert loads.of("A")[5] == pytest.approx(arm, abs=1e-12)


def _in_world(compiled, q, loads, name):
    joint = compiled.joints[name]
    return standing_at(compiled, q).frames[joint.parent][:3, :3] @ loads.of(name)[:3]


def test_bars_of_a_truss_carry_what_the_method_of_joints_says():
    """Two bars on one pin under a load, which nothing can move."""
    drawing = Drawing("truss")
    near, far, top = np.array([0.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0]), np.array([0.3, 0.8, 0.0])
    for name, foot in (("left", near), ("right", far)):
        drawing.body(name, at(*foot))
        drawing.revolute(f"{name} foot", (WORLD, name), at(*foot))
    drawing.revolute("top", ("left", "right"), at(*top), closes_loop=True)
    compiled, q = standing(drawing.mechanism())
    force = np.array([20.0, -50.0, 0.0])
    wrench = np.concatenate([force, np.cross(top, force)])
    nothing = np.zeros(0)
    given = {"wrenches": {"left": wrench}, "gravity": WEIGHTLESS}
    loads = rc.joint_loads(compiled, q, nothing, nothing, **given)
    ways = np.array([(top - near)[:2], (top - far)[:2]]).T
    ways = ways / np.linalg.norm(ways, axis=0)
    pushes = np.linalg.solve(ways, -force[:2])
    for way, push, name in zip(ways.T, pushes, ("left", "right"), strict=True):
        np.testing.assert_allclose(loads.of(f"{name} foot")[:2], push * way, atol=1e-12)
        assert loads.determinate(f"{name} foot")[:2] == (True, True)


def door(kind):
    """A door of 20 kg on two joints, one above the other by 1.5 m, its middle 0.4 m away."""
    drawing = Drawing("door")
    leaf = Inertia(mass=20.0, center=(0.4, 0.0, 0.75), moments=(4.0, 5.0, 1.2))
    drawing.body("door", at(0.0, 0.0, 0.0), leaf)
    for name, height in (("lower", 0.0), ("upper", 1.5)):
        where = at(0.0, 0.0, height)
        closes = name == "upper"
        drawing.joint(name, kind, (WORLD, "door"), where, closes_loop=closes)
    return drawing.mechanism()


def test_a_door_on_two_balls_leans_as_levers_say_and_shares_its_weight_as_nothing_says():
    compiled, q = standing(door(JointKind.BALL))
    still = np.zeros(len(rc.reduce(compiled, q).names))
    loads = rc.joint_loads(compiled, q, still, still)
    lean = 20.0 * 9.81 * 0.4 / 1.5
    np.testing.assert_allclose(loads.of("upper")[:2], [-lean, 0.0], atol=1e-12)
    np.testing.assert_allclose(loads.of("lower")[:2], [lean, 0.0], atol=1e-12)
    for name in ("lower", "upper"):
        assert loads.determinate(name) == (True, True, False, True, True, True)
    assert loads.indeterminate == ("lower", "upper")
    axial = [loads.of(name)[2] for name in ("lower", "upper")]
    assert sum(axial) == pytest.approx(20.0 * 9.81)


def test_a_door_on_two_hinges_has_nothing_but_the_turn_about_them_determined():
    """Either hinge could carry all of it alone.

    The least share, with L half the way h between them: 2 F² + 2 (m / L)² under F h + 2 m = W d
    gives F = W d / 2 h and m = W d / 4.
    """
    compiled, q = standing(door(JointKind.REVOLUTE))
    loads = rc.joint_loads(compiled, q, STILL, STILL)
    for name in ("lower", "upper"):
        assert loads.determinate(name) == (False, False, False, False, False, True)
    total = loads.of("lower")[:3] + loads.of("upper")[:3]
    np.testing.assert_allclose(total, [0.0, 0.0, 20.0 * 9.81], atol=1e-12)
    lean = 20.0 * 9.81 * 0.4
    half = [-lean / 3.0, 0.0, 20.0 * 9.81 / 2.0, 0.0, -lean / 4.0, 0.0]
    np.testing.assert_allclose(loads.of("upper"), half, atol=1e-12)


def test_weights_move_the_share_that_nothing_settles_and_nothing_else():
    compiled, q = standing(four_bar_of(crank=0.7))
    even = rc.joint_loads(compiled, q, np.ones(1), STILL)
    spared = rc.joint_loads(compiled, q, np.ones(1), STILL, weights={"C": 50.0})
    assert even.determinate("C") == (True, True, False, False, False, True)
    kept = list(even.determinate("B"))
    np.testing.assert_allclose(spared.of("B")[kept], even.of("B")[kept], atol=1e-14)
    with pytest.raises(rc.MechanismError, match="'E'"):
        rc.joint_loads(compiled, q, np.ones(1), STILL, weights={"E": 2.0})
    with pytest.raises(rc.MechanismError, match="above zero"):
        rc.joint_loads(compiled, q, np.ones(1), STILL, weights={"C": 0.0})


@pytest.mark.parametrize("cut", ["lower", "upper"])
def test_equal_weights_share_alike_whichever_joint_is_cut_and_others_as_they_say(cut):
    """By Lagrange: a² + b² is least with a + b = W at W / 2, and 4 a² + b² with a = W / 5."""
    compiled, q = standing(cut_at(door(JointKind.BALL), [cut]))
    still = np.zeros(len(rc.reduce(compiled, q).names))
    whole = 20.0 * 9.81
    even = rc.joint_loads(compiled, q, still, still)
    np.testing.assert_allclose([even.of(n)[2] for n in ("lower", "upper")], whole / 2)
    told = rc.joint_loads(compiled, q, still, still, weights={"upper": 4.0})
    np.testing.assert_allclose(told.of("upper")[2], whole / 5)
    np.testing.assert_allclose(told.of("lower")[2], whole * 4 / 5)


@pytest.mark.parametrize("eliminate", [False, True])
def test_a_gear_drives_its_follower_with_what_its_inertia_takes(eliminate):
    drawing = Drawing("gears")
    flat = Inertia(mass=1.0, moments=(0.1, 0.1, 0.2))
    for i, x in enumerate((0.0, 0.3, 0.6)):
        drawing.body(f"wheel {i}", at(x), flat)
        drawing.revolute(f"axle {i}", (WORLD, f"wheel {i}"), at(x))
    drawing.gear("first", "axle 0", "axle 1", -3.0)
    drawing.gear("second", "axle 1", "axle 2", -0.5)
    compiled, q = standing(drawing.mechanism(), eliminate_couplings=eliminate)
    given = {"independent": ("axle 0",)}
    loads = rc.joint_loads(compiled, q, STILL, np.array([2.0]), **given)
    last = 0.2 * (2.0 * -3.0 * -0.5)
    assert loads.coupling("second") == pytest.approx(last)
    assert loads.coupling("first") == pytest.approx(0.2 * -6.0 - 0.5 * last)
    assert loads.coupling_flags == (True, True)
    assert loads.of("axle 0")[5] == pytest.approx(0.2 * 2.0)


def test_eliminated_couplings_hold_as_rows_do():
    mechanism, found = differential(bearings=True), []
    for eliminate in (False, True):
        compiled, q = standing(mechanism, eliminate_couplings=eliminate)
        names = ("pinion", "planet")
        u, u_dot = drawn(7, 2, 2)
        found.append(rc.joint_loads(compiled, q, u, u_dot, independent=names))
    rows, eliminated = found
    assert set(rows.couplings) == set(eliminated.couplings)
    for name in rows.couplings:
        assert rows.coupling(name) == pytest.approx(eliminated.coupling(name), abs=1e-12)
    for name in rows.names:
        np.testing.assert_allclose(rows.of(name), eliminated.of(name), atol=1e-12)
        assert rows.determinate(name) == eliminated.determinate(name)


def test_a_geared_motor_on_a_cut_joint_is_carried_there_with_its_rotor():
    motor = rc.Actuator(
        name="motor",
        transmissions=(rc.Transmission(coordinate="C", ratio=3.0),),
        armature=0.02,
    )
    found = []
    for cut in "BC":
        mechanism = replace(driven_by(four_bar_of(crank=0.9), ()), actuators=(motor,))
        compiled, q = standing(mechanism, cuts=[cut])
        given = {"independent": ("A",)}
        loads = rc.joint_loads(compiled, q, np.array([1.3]), np.array([0.8]), **given)
        assert abs(loads.missing[0]) < 1e-12
        found.append(loads)
    for name in "ABCD":
        np.testing.assert_allclose(found[0].of(name), found[1].of(name), atol=1e-12)
    assert abs(found[0].of("A")[5]) < 1e-12  # nothing drives there
    assert abs(found[0].of("C")[5]) > 0.01


def test_supports_carry_what_stands_on_them():
    compiled, q = standing(go2())
    feet = {"FL": "FL_calf", "FR": "FR_calf", "RL": "RL_calf", "RR": "RR_calf"}
    known = {body.name for body in compiled.mechanism.bodies}
    names = {foot: next(n for n in known if foot in n and "calf" in n) for foot in feet}
    support = tuple(
        rc.Task(name=foot, body=names[foot], position=(0.0, 0.0, -0.213)) for foot in FEET
    )
    count = len(rc.reduced_dynamics(compiled, q, np.zeros(6), support=support).names)
    still = np.zeros(count)
    loads = rc.joint_loads(compiled, q, still, still, support=support)
    mass = sum(b.inertia.mass for b in compiled.mechanism.bodies if b.inertia)
    total = sum(loads.of(foot)[:3] for foot in FEET)
    np.testing.assert_allclose(total, [0.0, 0.0, mass * 9.81], atol=1e-9)


def test_a_batch_is_its_states_and_has_their_peak():
    compiled = rc.compile(stewart(task_pose(5.7)))
    q = rc.coordinates(compiled, rc.assemble(compiled))
    u, u_dot = np.random.default_rng(2).uniform(-0.3, 0.3, (2, 4, 6))
    loads = rc.joint_loads(compiled, q, u, u_dot)
    singles = [rc.joint_loads(compiled, q, *own) for own in zip(u, u_dot, strict=True)]
    own = np.array([single.of("leg 3 ball") for single in singles])
    np.testing.assert_allclose(loads.of("leg 3 ball"), own, atol=1e-11)
    np.testing.assert_allclose(loads.peak("leg 3 ball"), np.max(np.abs(own), axis=0), atol=1e-11)
    assert loads.indeterminate == ()


def test_efforts_that_are_given_are_carried_and_what_they_lack_is_said():
    compiled, q = standing(four_bar_of(crank=0.7))
    given = {"independent": ("A",)}
    found = rc.forward_dynamics(compiled, q, np.ones(1), {"A": 3.0}, **given)
    loads = rc.joint_loads(compiled, q, np.ones(1), found.u_dot, efforts={"A": 3.0}, **given)
    assert loads.of("A")[5] == pytest.approx(3.0)
    assert abs(loads.missing[0]) < 1e-12
    off = rc.joint_loads(compiled, q, np.ones(1), found.u_dot, efforts={"A": 1.0}, **given)
    assert off.missing[0] == pytest.approx(2.0)
    with pytest.raises(rc.MechanismError, match="no joint 'X'"):
        loads.of("X")
