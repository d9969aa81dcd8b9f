"""Where springs, weights and loads balance: by closed forms, brute force and statics on paper."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import robocompiler as rc
from linkages.drawing import Drawing, at, cut_at
from linkages.planar import GRASHOF, four_bar_of, four_bar_solution
from linkages.robots import FEET, go2
from linkages.stewart import leg_values, stewart, task_pose, variants
from linkages.two_link import arm
from robocompiler.model.mechanism import WORLD, Inertia
from robocompiler.solve.state import evaluate
from robocompiler.solve.statics.settling import NeutralError, NoEquilibriumError

DOWN = {"gravity": (0.0, -9.81, 0.0)}
MASS, LENGTH = 2.0, 0.7
WEIGHT = MASS * 9.81 * LENGTH


def pendulum(angle, **fields):
    """A bob on a level axis, its angle from the horizontal."""
    drawing = Drawing("pendulum")
    bob = Inertia(mass=MASS, center=(LENGTH, 0.0, 0.0), moments=(0.01, 0.01, 0.02))
    drawing.body("bob", at(), bob)
    drawing.revolute("pivot", (WORLD, "bob"), at(), 0.0, **fields)
    return rc.compile(drawing.mechanism()), np.array([angle])


def sprung(mechanism, springs):
    """With springs (stiffness, where it is slack) on joints by name."""
    joints = tuple(
        replace(j, stiffness=springs[j.name][0], spring_reference=springs[j.name][1])
        if j.name in springs
        else j
        for j in mechanism.joints
    )
    return replace(mechanism, joints=joints)


@pytest.mark.parametrize(("stiffness", "slack"), [(20.0, 0.3), (8.0, 2.5), (200.0, -1.0)])
def test_a_pendulum_on_a_spring_rests_where_its_torque_meets_the_weight(stiffness, slack):
    compiled, start = pendulum(slack, stiffness=stiffness, spring_reference=slack)
    found = rc.static_equilibrium(compiled, start, **DOWN)
    angle = float(found.q[0])
    assert WEIGHT * math.cos(angle) + stiffness * (angle - slack) == pytest.approx(0.0, abs=1e-11)
    assert found.configuration.of("pivot") == (angle,)
    assert found.stiffness[0, 0] == pytest.approx(stiffness - WEIGHT * math.sin(angle), rel=1e-7)
    assert found.stable == (stiffness > WEIGHT * math.sin(angle))
    assert found.residual < 1e-12


def test_an_effort_holds_it_elsewhere():
    compiled, start = pendulum(-0.8)
    found = rc.static_equilibrium(compiled, start, {"pivot": 0.5 * WEIGHT}, **DOWN)
    assert found.q[0] == pytest.approx(-math.pi / 3.0)
    assert found.stable


def test_a_pendulum_upright_is_recognised_as_one_that_falls():
    compiled, start = pendulum(math.pi / 2.0 + 0.2)
    found = rc.static_equilibrium(compiled, start, **DOWN)
    assert found.q[0] == pytest.approx(math.pi / 2.0, abs=1e-12)
    np.testing.assert_allclose(found.eigenvalues, [-WEIGHT], rtol=1e-8)
    assert not found.stable


def test_where_newton_gets_stuck_it_goes_downhill():
    """A spring and a weight whose force has a dip above zero on the way: its least is no rest."""
    compiled, start = pendulum(2.2, stiffness=3.0, spring_reference=4.5)

    def force(x):
        return WEIGHT * math.cos(x) + 3.0 * (x - 4.5)

    found = rc.static_equilibrium(compiled, start, **DOWN)
    assert force(float(found.q[0])) == pytest.approx(0.0, abs=1e-10)


def four_bar_energy(crank, springs):
    """Of weights and springs, by the closed form of a four-bar alone."""
    bars = GRASHOF["crank-rocker"]
    coupler, rocker = four_bar_solution(bars, crank)
    angles = {"A": crank, "B": coupler - crank, "C": rocker - coupler, "D": rocker}
    places = {
        "crank": (0.0, 0.0, crank),
        "coupler": (bars[1] * math.cos(crank), bars[1] * math.sin(crank), coupler),
        "rocker": (bars[0], 0.0, rocker),
    }
    own = {b.name: b.inertia for b in four_bar_of().bodies}
    stored = 0.0
    for name, (_, y, angle) in places.items():
        cx, cy, _ = own[name].center
        stored += own[name].mass * 9.81 * (y + cx * math.sin(angle) + cy * math.cos(angle))
    for name, (k, slack) in springs.items():
        stored += 0.5 * k * (angles[name] - slack) ** 2
    return stored


@pytest.mark.parametrize("cut", ["B", "C"])
def test_a_four_bar_on_a_spring_rests_where_its_energy_is_least(cut):
    """Also where the sprung joint is the one that is cut."""
    springs = {"C": (2.0, -0.6)}
    grid = np.linspace(0.0, 2.0 * math.pi, 721)
    energies = [four_bar_energy(x, springs) for x in grid]
    low = grid[int(np.argmin(energies))]
    book = minimize_scalar(
        lambda x: four_bar_energy(x, springs), bounds=(low - 0.02, low + 0.02), method="bounded"
    ).x
    compiled = rc.compile(cut_at(sprung(four_bar_of(crank=low + 0.5), springs), [cut]))
    found = rc.static_equilibrium(compiled, independent=("A",), **DOWN)
    assert found.stable
    assert math.remainder(found.configuration.of("A")[0] - book, math.tau) == pytest.approx(
        0.0, abs=1e-4
    )
    h = 1e-4
    slope = four_bar_energy(book + h, springs) - four_bar_energy(book - h, springs)
    bend = (
        four_bar_energy(book + h, springs)
        + four_bar_energy(book - h, springs)
        - 2.0 * four_bar_energy(book, springs)
    )
    assert abs(slope) < 1e-4
    assert found.stiffness[0, 0] == pytest.approx(bend / h**2, rel=1e-4)


def test_it_goes_on_where_what_was_independent_comes_to_its_dead_centre():
    """The rocker turns back at a crank of 3.82 rad; the crank's spring pulls beyond it."""
    compiled = rc.compile(sprung(four_bar_of(crank=3.4), {"A": (5.0, 4.3)}))
    found = rc.static_equilibrium(compiled, independent=("D",), gravity=(0.0, 0.0, 0.0))
    assert found.configuration.of("A")[0] == pytest.approx(4.3, abs=1e-9)
    assert found.stable


def test_a_load_on_a_platform_is_carried_by_its_legs_as_statics_says():
    """Without weight the legs only push along themselves, by as much as they are pressed."""
    k = 4e3
    drawn = task_pose(5.7)
    slack = leg_values(drawn)
    springs = {n: (k, v) for n, v in slack.items() if n.endswith("length")}
    compiled = rc.compile(sprung(stewart(drawn), springs))
    load = np.array([20.0, -35.0, -90.0, 4.0, 3.0, -2.0])
    given = {"gravity": (0.0, 0.0, 0.0), "wrenches": {"platform": load}}
    found = rc.static_equilibrium(compiled, **given)
    assert found.stable
    body = next(b for b in compiled.welded if b.name == "platform")
    X = evaluate(compiled, found.q).poses[body.host] @ body.pose
    total = np.array(load)
    plan = variants()["nominal"]
    for i, (base, anchor) in enumerate(zip(plan.base, plan.platform, strict=True)):
        arm_ = X.R @ np.array(anchor)
        d = X.p + arm_ - np.array(base)
        length = float(np.linalg.norm(d))
        push = -k * (length - slack[f"leg {i} length"]) * d / length
        total += np.concatenate([push, np.cross(arm_, push)])
    np.testing.assert_allclose(total, 0.0, atol=1e-9)
    given["wrenches"] = {"platform": np.array([*load[:3], 0.0, 0.0, 0.0])}
    pushed = rc.static_equilibrium(compiled, **given)  # forces have a potential, and torques none
    np.testing.assert_allclose(pushed.stiffness, pushed.stiffness.T, atol=1e-5)
    assert np.max(np.abs(found.stiffness - found.stiffness.T)) > 1.0


def test_what_is_held_says_what_holds_it():
    compiled = rc.compile(sprung(arm(), {"elbow": (30.0, 0.5)}))
    found = rc.static_equilibrium(compiled, held=("shoulder",), **DOWN)
    assert found.names == ("elbow",)
    bodies = {b.name: b.inertia for b in compiled.mechanism.bodies}
    shoulder, elbow = (found.configuration.of(n)[0] for n in ("shoulder", "elbow"))
    assert shoulder == pytest.approx(0.4)

    def level(inertia, angle):
        return inertia.center[0] * math.cos(angle) - inertia.center[1] * math.sin(angle)

    lower = bodies["lower"].mass * 9.81 * level(bodies["lower"], shoulder + elbow)
    assert 30.0 * (elbow - 0.5) + lower == pytest.approx(0.0, abs=1e-11)
    upper = bodies["upper"].mass * 9.81 * level(bodies["upper"], shoulder)
    carried = bodies["lower"].mass * 9.81 * 0.5 * math.cos(shoulder)
    assert found.holding["shoulder"] == pytest.approx(upper + carried + lower)


def test_a_robot_stands_on_its_feet_with_springs_in_its_legs():
    """What its legs are pressed by is the weight: the energy's slope is zero every way."""
    legs = {"hip": 60.0, "thigh": 90.0, "calf": 90.0}
    mechanism = go2()
    start = {j.name: j.initial[0] for j in mechanism.joints if j.kind.nq == 1}
    springs = {n: (k, start[n]) for n in start for part, k in legs.items() if part in n}
    compiled = rc.compile(sprung(mechanism, springs))
    names = {b.name for b in compiled.mechanism.bodies}
    support = tuple(
        rc.Task(
            name=foot,
            body=next(n for n in names if foot in n and "calf" in n),
            position=(0.0, 0.0, -0.213),
        )
        for foot in FEET
    )
    found = rc.static_equilibrium(compiled, support=support)
    assert found.stable
    assert len(found.names) == 6
    floating = next(j for j in compiled.mechanism.joints if j.kind is rc.JointKind.FREE)
    sunk = found.configuration.of(floating.name)[2] - floating.initial[2]
    still = np.zeros(6)
    loads = rc.joint_loads(compiled, found.q, still, still, support=support, ports=())
    mass = sum(b.inertia.mass for b in compiled.mechanism.bodies if b.inertia)
    assert sum(loads.of(foot)[2] for foot in FEET) == pytest.approx(mass * 9.81)
    assert np.max(np.abs(loads.missing)) < 1e-9
    assert sunk < 0.0


def test_motions_that_no_force_minds_are_named():
    compiled = rc.compile(sprung(arm(), {"elbow": (30.0, 0.5)}))
    with pytest.raises(NeutralError) as caught:
        rc.static_equilibrium(compiled, gravity=(0.0, 0.0, -9.81))
    assert caught.value.joints == ("shoulder",)
    found = rc.static_equilibrium(compiled, held=("shoulder",), gravity=(0.0, 0.0, -9.81))
    assert found.q[1] == pytest.approx(0.5)


def test_what_falls_for_ever_has_no_equilibrium_and_is_said_to():
    drawing = Drawing("lift")
    drawing.body("car", at())
    drawing.prismatic("shaft", (WORLD, "car"), at())
    compiled = rc.compile(drawing.mechanism())
    with pytest.raises(NoEquilibriumError) as caught:
        rc.static_equilibrium(compiled)
    assert caught.value.joints == ("shaft",)
    assert caught.value.left == pytest.approx(9.81)


def test_a_start_of_the_wrong_shape_is_refused():
    compiled, start = pendulum(0.0)
    with pytest.raises(rc.MechanismError, match="near"):
        rc.static_equilibrium(compiled, np.stack([start, start]), **DOWN)
    with pytest.raises(rc.MechanismError, match="'elbow'"):
        rc.static_equilibrium(compiled, start, held=("elbow",), **DOWN)
    with pytest.raises(rc.MechanismError, match="no port 'motor'"):
        rc.static_equilibrium(compiled, start, {"motor": 1.0}, **DOWN)
