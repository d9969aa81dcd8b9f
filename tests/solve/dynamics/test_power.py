"""Energy and where power goes, by closed forms, by differences along motions, and in balance."""

from dataclasses import replace

import numpy as np
import pytest

import robocompiler as rc
from linkages.crane import crane
from linkages.drawing import Drawing, at
from linkages.known import MOVES
from linkages.many_loops import scissor_lift
from linkages.planar import four_bar_of
from linkages.robots import go2, kangaroo
from linkages.stewart import stewart, task_pose
from robocompiler.model.mechanism import WORLD, Inertia
from robocompiler.solve.describe import coordinates

BALANCED = 1e-14
MECHANISMS = {name: (lambda drawn=drawn: drawn[0]) for name, (drawn, _) in MOVES.items()} | {
    "Kangaroo, floating": kangaroo,
    "Kangaroo, soles held": lambda: kangaroo(soles=("left", "right")),
    "Go2, floating": go2,
    "Go2 on two feet": lambda: go2(("FL", "RR")),
}


def standing(mechanism):
    compiled = rc.compile(mechanism)
    return compiled, coordinates(compiled, rc.assemble(compiled))


def acting(mechanism):
    """With springs, dampers, dry friction and rotors on joints of one coordinate."""
    stiffness = 0.0 if mechanism.couplings else 2.0  # what is sprung is not cut, nor is the coupled
    own = {"stiffness": stiffness, "damping": 0.7, "friction": 0.2, "armature": 0.1}
    joints = tuple(replace(j, **own) if j.kind.dof == 1 else j for j in mechanism.joints)
    return replace(mechanism, joints=joints)


@pytest.mark.parametrize("name", MECHANISMS)
def test_power_that_is_given_is_stored_or_dissipated_to_the_last_digits(name):
    mechanism = acting(MECHANISMS[name]())
    compiled, q = standing(mechanism)
    count = len(rc.reduce(compiled, q).names)
    random = np.random.default_rng(20)
    u, u_dot = random.uniform(-0.5, 0.5, (12, count)), random.uniform(-1.0, 1.0, (12, count))
    pushed = {mechanism.bodies[-1].name: random.uniform(-10.0, 10.0, (12, 6))}
    found = rc.power(compiled, q, u, u_dot, wrenches=pushed, dry_friction=True)
    assert np.max(found.defect / found.scale) <= BALANCED
    assert np.max(np.abs(found.balance) / found.scale) <= BALANCED
    assert np.min(found.dissipated) > 0.0
    assert np.min(np.abs(found.wrenches)) > 0.0


def test_a_long_chain_of_loops_balances_though_what_it_holds_is_a_hundred_times_what_it_gives():
    compiled, q = standing(scissor_lift(10))
    u, u_dot = np.random.default_rng(11).uniform(-0.5, 0.5, (2, 200, 1))
    found = rc.power(compiled, q, u, u_dot)
    assert np.max(np.abs(found.balance) / found.scale) <= BALANCED
    assert np.max(np.abs(rc.joint_loads(compiled, q, u, u_dot).wrenches)) > 100.0


@pytest.mark.parametrize(("made", "size"), [(go2, 20.0), (kangaroo, 2000.0)])
def test_a_robot_in_flight_gains_what_its_motors_give(made, size):
    """Motors of the size of theirs: bodies pass far more to each other than weak ones give."""
    compiled, q = standing(made())
    count = len(rc.reduce(compiled, q).names)
    random = np.random.default_rng(11)
    u = random.uniform(-0.5, 0.5, (12, count))
    ports = len(rc.reduced_dynamics(compiled, q, u[0]).ports)
    efforts = size * random.uniform(-1.0, 1.0, (12, ports))
    found = rc.forward_dynamics(compiled, q, u, efforts)
    power = rc.power(compiled, q, u, found.u_dot, efforts=efforts)
    assert np.all(power.missing == 0.0)
    assert np.max(np.abs(power.balance) / power.scale) <= BALANCED


def test_a_pendulum_has_the_energy_of_the_books():
    mass, length, angle, speed = 2.0, 0.7, 0.4, 1.3
    drawing = Drawing("pendulum")
    flat = Inertia(mass=mass, center=(length, 0.0, 0.0), moments=(0.01, 0.01, 0.02))
    drawing.body("bob", at(), flat)
    fields = {"stiffness": 5.0, "spring_reference": 0.1, "armature": 0.3}
    drawing.revolute("pivot", (WORLD, "bob"), at(), 0.0, **fields)
    compiled = rc.compile(drawing.mechanism())
    given = {"gravity": (0.0, -9.81, 0.0)}
    found = rc.energy(compiled, np.array([angle]), np.array([speed]), **given)
    assert found.kinetic == pytest.approx(0.5 * (mass * length**2 + 0.02 + 0.3) * speed**2)
    assert found.gravity == pytest.approx(mass * 9.81 * length * np.sin(angle))
    assert found.springs == pytest.approx(0.5 * 5.0 * 0.3**2)
    assert found.total == pytest.approx(found.kinetic + found.gravity + found.springs)


def along(compiled, q, names, u, u_dot, time):
    """The closed configuration a little later, each independent coordinate moved by the books."""
    own = {t.edge.joint.name: float(q[t.q][0]) for t in compiled.tree if t.edge.joint.kind.nq == 1}
    ways = zip(names, time * u + 0.5 * time**2 * u_dot, strict=True)
    moved = {name: own[name] + way for name, way in ways}
    near = rc.assemble(compiled)
    return coordinates(compiled, rc.assemble(compiled, moved, near=near)), u + time * u_dot


@pytest.mark.parametrize("name", ["four-bar", "crane", "Stewart"])
def test_ports_and_energies_change_as_fast_as_measured_along_the_motion(name):
    made = {"four-bar": four_bar_of, "crane": crane, "Stewart": lambda: stewart(task_pose(5.7))}
    compiled, q = standing(acting(made[name]()))
    names = rc.reduce(compiled, q).names
    u, u_dot = np.random.default_rng(8).uniform(-0.3, 0.3, (2, len(names)))
    given = {"independent": names}
    found = rc.power(compiled, q, u, u_dot, **given)
    h = 1e-4
    states = [along(compiled, q, names, u, u_dot, t) for t in (h, -h)]
    ahead, behind = (rc.energy(compiled, *state, **given).total for state in states)
    assert (ahead - behind) / (2 * h) == pytest.approx(float(found.stored), rel=1e-6, abs=1e-7)
    for port in rc.reduced_dynamics(compiled, q, u, **given).ports:
        ends = [
            sum(r * state[0][_coordinate(compiled, s)] for s, r in port.tree) for state in states
        ]
        measured = (ends[0] - ends[1]) / (2 * h)
        speed = found.speeds[found.names.index(port.name)]
        assert measured == pytest.approx(speed, rel=1e-6, abs=1e-8)


def _coordinate(compiled, speed):
    own = next(t for t in compiled.tree if t.v.start <= speed < t.v.stop)
    return own.q.start + speed - own.v.start


def test_efforts_of_another_motion_leave_a_balance():
    compiled, q = standing(four_bar_of(crank=0.7))
    given = {"independent": ("A",)}
    right = rc.power(compiled, q, np.ones(1), np.ones(1), **given)
    wrong = rc.power(
        compiled, q, np.ones(1), np.ones(1), efforts={"A": right.efforts[0] + 3.0}, **given
    )
    assert right.balance == pytest.approx(0.0, abs=1e-14)
    assert wrong.balance == pytest.approx(3.0)
    assert wrong.of("A") == pytest.approx(wrong.efforts[0] * 1.0)
    with pytest.raises(rc.MechanismError, match="no port 'B'"):
        wrong.of("B")
