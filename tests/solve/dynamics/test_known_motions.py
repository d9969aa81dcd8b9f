"""Motions that the books give: tops, bodies in flight, springs, dampers and friction anywhere."""

from dataclasses import replace

import numpy as np
import pytest

import robocompiler as rc
from linkages.drawing import Drawing, at, axis, driven_by, turn
from linkages.planar import five_bar
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Inertia
from robocompiler.spatial import exp_rotation, quaternion_of
from solve.dynamics.crank import CRANK, ROD, slider_crank, standing

WEIGHTLESS = {"gravity": (0.0, 0.0, 0.0)}


def test_a_fast_top_on_its_side_goes_round_at_the_moment_of_its_weight_over_its_spin():
    """Ω = m g l / (I₃ ω), steady: seen from the top, only its axis' turning changes ω."""
    mass, length, spin, around = 1.5, 0.2, 300.0, 0.004
    drawing = Drawing("top")
    side = (np.pi / 2.0, 0.0, 0.0)
    body = Inertia(mass=mass, center=(0, 0, length), moments=(0.003, 0.003, around))
    drawing.body("top", turn(side), body)
    drawing.ball("tip", (WORLD, "top"), (0.0, 0.0, 0.0))
    compiled, q = standing(drawing.mechanism())
    rate = mass * 9.81 * length / (around * spin)
    precession = exp_rotation(np.array(side)).T @ np.array([0.0, 0.0, rate])
    u = precession + np.array([0.0, 0.0, spin])
    found = rc.forward_dynamics(compiled, q, u, {}, ports=())
    np.testing.assert_allclose(found.u_dot, np.cross(precession, u), atol=1e-9)


def test_a_body_in_flight_obeys_eulers_equations_and_falls():
    drawing, moments = Drawing("flight"), np.array([1.0, 2.0, 2.5])
    pose = turn((0.3, 0.4, 0.5), (1.0, 2.0, 3.0))
    drawing.body("body", pose, Inertia(mass=2.0, moments=tuple(moments)))
    start = (*pose.p, *quaternion_of(pose.R))
    drawing.joint("flight", JointKind.FREE, (WORLD, "body"), at(), *start)
    compiled, q = standing(drawing.mechanism())
    spin = np.array([0.5, -1.0, 2.0])
    u = np.array([0.1, 0.2, 0.3, *spin])
    found = rc.forward_dynamics(compiled, q, u, {}, ports=())
    turning = -np.cross(spin, moments * spin) / moments
    np.testing.assert_allclose(found.u_dot, [0.0, 0.0, -9.81, *turning], atol=1e-13)


def test_a_sprung_ball_joint_pulls_back_along_its_rotation_vector():
    """Away by less than half a turn, about any axis; a sphere then swings at √(k / I)."""
    away, stiffness = np.array([0.5, -0.8, 0.3]), 7.0
    drawing = Drawing("sprung ball")
    drawing.body("ball", turn(away), Inertia(mass=1.0, moments=(0.2, 0.2, 0.2)))
    drawing.ball("joint", (WORLD, "ball"), (0.0, 0.0, 0.0), stiffness=stiffness)
    compiled, q = standing(drawing.mechanism())
    found = rc.forward_dynamics(compiled, q, np.zeros(3), {}, ports=())
    np.testing.assert_allclose(found.u_dot, -stiffness / 0.2 * away, rtol=1e-12)
    energy = rc.energy(compiled, q, np.zeros(3)).springs
    assert energy == pytest.approx(0.5 * stiffness * away @ away, rel=1e-12)


def sliding(friction=5.0):
    drawing = Drawing("slide")
    drawing.body("slide", inertia=Inertia(mass=2.0, moments=(0.1,) * 3))
    drawing.prismatic("s", (WORLD, "slide"), axis((0, 0, 0), (1, 0, 0)), friction=friction)
    return drawing.mechanism()


@pytest.mark.parametrize(("speed", "taken"), [(0.3, 5.0), (-2.0, -5.0), (0.0, 0.0)])
def test_dry_friction_holds_back_what_moves_when_asked_for(speed, taken):
    compiled, q = standing(sliding())
    for asked, effort in ((True, taken), (False, 0.0)):
        found = rc.inverse_dynamics(compiled, q, [speed], [0.0], dry_friction=asked)
        assert found.efforts[0] == effort
        power = rc.power(compiled, q, [speed], [0.0], dry_friction=asked)
        assert power.dissipated == pytest.approx(abs(speed) * abs(effort))


def test_gravity_is_what_is_given_then_what_the_mechanism_states_then_that_of_the_earth():
    stated = replace(sliding(), environment=rc.from_json(rc.to_json(sliding())).environment)
    tilted = replace(stated, environment=replace(stated.environment, gravity=(3.0, 0.0, -1.0)))
    for mechanism, gravity, pull in (
        (tilted, (-1.0, 0.0, 0.0), -1.0),
        (tilted, None, 3.0),
        (sliding(), None, 0.0),
    ):
        compiled, q = standing(mechanism)
        found = rc.inverse_dynamics(compiled, q, [0.0], [0.0], gravity=gravity)
        assert found.efforts[0] == pytest.approx(-2.0 * pull)
        down = rc.reduced_dynamics(compiled, q, [0.0], gravity=gravity).gravity
        assert down[2] == {-1.0: 0.0, 3.0: -1.0, 0.0: -9.81}[pull]


ACTING = {  # stiffness, slack at, damping, armature, dry friction
    "A": (3.0, 0.2, 0.3, 0.01, 0.02),
    "B": (5.0, -0.4, 0.1, 0.02, 0.05),
    "C": (7.0, 0.1, 0.4, 0.03, 0.1),
    "P": (900.0, 0.12, 30.0, 0.4, 2.0),
}
ANGLE, SPEED = 1.1, -25.0


def acting(reversed_joints):
    """The slider-crank with something of everything on each joint, some of them turned round."""
    mechanism, joints = slider_crank(ANGLE), []
    for joint in mechanism.joints:
        k, slack, d, rotor, dry = ACTING[joint.name]
        own = {"stiffness": k, "damping": d, "armature": rotor, "friction": dry}
        if joint.name in reversed_joints:
            own |= {"parent": joint.child, "child": joint.parent}
            own |= {"start": tuple(-x for x in joint.initial), "spring_reference": -slack}
        else:
            own["spring_reference"] = slack
        joints.append(replace(joint, **own))
    return replace(mechanism, joints=tuple(joints))


def answers(cut, reversed_joints=(), renamed=None):
    """Piston's acceleration, energies and pin forces, by the crank's or coupler's turning."""
    mechanism = acting(reversed_joints)
    if renamed:
        names = {joint.name: renamed[joint.name] for joint in mechanism.joints}
        joints = tuple(replace(joint, name=names[joint.name]) for joint in mechanism.joints)
        mechanism = replace(mechanism, joints=joints[::-1], bodies=mechanism.bodies[::-1])
    called = renamed or {name: name for name in ACTING}
    compiled, q = standing(mechanism, cuts=[called[cut]])
    lead = "B" if cut == "A" else "A"
    given = {"ports": (), "independent": (called[lead],), "dry_friction": True}
    given |= {"wrenches": {"piston": np.array([20.0, 0, 0, 0, 0, 0])}, "gravity": (1.0, -9.81, 0)}
    across = np.sqrt(ROD**2 - (CRANK * np.sin(ANGLE)) ** 2)
    rod = -CRANK * np.cos(ANGLE) / across * SPEED
    u = [(rod - SPEED if lead == "B" else SPEED) * (-1.0 if lead in reversed_joints else 1.0)]
    found = rc.forward_dynamics(compiled, q, u, {}, **given)
    loads = rc.joint_loads(compiled, q, u, found.u_dot, np.zeros(0), **given)
    power = rc.power(compiled, q, u, found.u_dot, np.zeros(0), **given)
    assert abs(power.balance) < 1e-11
    energy = rc.energy(compiled, q, u, **given)
    v_dot = {j.edge.joint.name: found.v_dot[j.v.start] for j in compiled.tree}
    seen = next(name for name in ("P", "C") if name != cut)
    rate = v_dot[called[seen]] * (-1.0 if seen in reversed_joints else 1.0)
    sizes = [np.linalg.norm(loads.of(called[name])[:2]) for name in "ABC"]
    return {seen: rate}, [energy.kinetic, energy.springs, power.dissipated, *sizes]


@pytest.mark.parametrize("cut", ["A", "B", "C", "P"])
@pytest.mark.parametrize("turned", [(), ("A",), ("B",), ("C",), ("P",), ("A", "B", "C", "P")])
def test_springs_dampers_rotors_and_friction_act_alike_whatever_is_cut_or_turned_round(cut, turned):
    """Against the mechanism cut at C with its joints as drawn; forces in the pins too."""
    rate, numbers = answers(cut, turned)
    whole = answers("C")
    np.testing.assert_allclose(numbers, whole[1], rtol=1e-9)
    for name, own in rate.items():
        assert own == pytest.approx((whole[0] | answers("P")[0])[name], rel=1e-9)


def test_names_and_their_order_settle_nothing():
    other = answers("C", renamed={"A": "z", "B": "m", "C": "a", "P": "k"})
    np.testing.assert_allclose(other[1], answers("C")[1], rtol=1e-10)


def scaled(mechanism, size, away=(0.0, 0.0, 0.0)):
    """Its lengths by a factor, of the same stuff, all of it moved."""
    frames = tuple(
        replace(f, position=tuple(size * np.array(f.position) + (f.body == WORLD) * np.array(away)))
        for f in mechanism.frames
    )
    bodies = []
    for body in mechanism.bodies:
        own = body.inertia
        inertia = Inertia(
            mass=own.mass * size**3,
            center=tuple(size * np.array(own.center)),
            moments=tuple(size**5 * np.array(own.moments)),
            products=tuple(size**5 * np.array(own.products)),
        )
        bodies.append(replace(body, inertia=inertia))
    return replace(mechanism, frames=frames, bodies=tuple(bodies))


@pytest.mark.parametrize(
    ("size", "away"),
    [(1e-6, (0.0, 0.0, 0.0)), (1e3, (0.0, 0.0, 0.0)), (1.0, (1000.0, -500.0, 200.0))],
)
def test_torques_go_by_the_fifth_power_of_size_and_are_the_same_far_from_the_origin(size, away):
    """A watch, a crane, and one a kilometre off; weights go by the fourth."""
    given = {"u": [0.5, -0.3], "u_dot": [1.0, 2.0]}
    drawn = driven_by(five_bar(), ["A", "E"])
    results = []
    for mechanism, power in ((drawn, 0), (scaled(drawn, size, away), 1)):
        compiled, q = standing(mechanism)
        moved = rc.inverse_dynamics(compiled, q, **given, **WEIGHTLESS).efforts
        still = rc.inverse_dynamics(compiled, q, [0.0, 0.0], [0.0, 0.0], gravity=(0, -9.81, 0))
        loads = rc.joint_loads(compiled, q, **given, **WEIGHTLESS)
        results.append(
            [
                moved / size ** (5 * power),
                still.efforts / size ** (4 * power),
                loads.wrenches[:, :3] / size ** (4 * power),
            ]
        )
        back = rc.forward_dynamics(compiled, q, given["u"], moved, **WEIGHTLESS)
        np.testing.assert_allclose(back.u_dot, given["u_dot"], rtol=1e-10)
        assert loads.flags == rc.joint_loads(*standing(drawn), **given, **WEIGHTLESS).flags
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-12)
