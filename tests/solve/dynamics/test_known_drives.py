"""What drives must give through gears, screws, joints at an angle and linkages, by the books."""

from dataclasses import replace

import numpy as np
import pytest

import robocompiler as rc
from linkages.drawing import Drawing, at, axis, driven_by, planar
from linkages.many_loops import scissor_lift
from linkages.planar import four_bar_of
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Inertia
from solve.dynamics.crank import CRANK, ROD, slider_crank, standing

WEIGHTLESS = {"gravity": (0.0, 0.0, 0.0)}


def rotor(J, mass=1.0):
    return Inertia(mass=mass, moments=(J, J, J))


def with_actuator(mechanism, name, ratios, **fields):
    own = tuple(rc.Transmission(coordinate=c, ratio=r) for c, r in ratios.items())
    actuator = rc.Actuator(name=name, transmissions=own, **fields)
    return replace(mechanism, actuators=(*mechanism.actuators, actuator))


def push(force=(0.0, 0.0, 0.0), torque=(0.0, 0.0, 0.0)):
    return np.array([*force, *torque], dtype=float)


def test_a_rotor_behind_a_gear_weighs_its_inertia_times_the_ratio_squared():
    drawing = Drawing("pendulum")
    drawing.body("arm", inertia=Inertia(mass=2.0, center=(0.5, 0.0, 0.0), moments=(0.1,) * 3))
    drawing.revolute("hinge", (WORLD, "arm"), axis((0, 0, 0), (0, -1, 0), (1, 0, 0)))
    geared = with_actuator(drawing.mechanism(), "motor", {"hinge": 50.0}, armature=1e-4)
    compiled, q = standing(geared)
    whole, weight = 0.1 + 2.0 * 0.5**2 + 50.0**2 * 1e-4, 2.0 * 9.81 * 0.5
    needed = rc.inverse_dynamics(compiled, q, [0.0], [3.0]).of("motor")
    assert needed == pytest.approx((3.0 * whole + weight) / 50.0, rel=1e-13)
    found = rc.forward_dynamics(compiled, q, [0.0], {"motor": 0.3})
    assert found.u_dot[0] == pytest.approx((50.0 * 0.3 - weight) / whole, rel=1e-13)
    assert rc.energy(compiled, q, [2.0]).kinetic == pytest.approx(0.5 * whole * 4.0, rel=1e-13)


@pytest.mark.parametrize("eliminated", [False, True])
def test_a_planetary_gear_splits_torque_by_its_teeth(eliminated):
    """Carrier = (20 sun + 60 ring) / 80: a quarter of its torque on the sun, the rest on the ring;
    and its inertia is felt by both."""
    drawing = Drawing("planetary")
    for name, J in {"sun": 1.0, "ring": 2.0, "carrier": 3.0}.items():
        drawing.body(name, inertia=rotor(J))
        drawing.revolute(name, (WORLD, name), at())
    drawing.couple("gear", "carrier", {"sun": 0.25, "ring": 0.75})
    geared = with_actuator(drawing.mechanism(), "sun motor", {"sun": 1.0})
    geared = with_actuator(geared, "ring motor", {"ring": 1.0})
    compiled, q = standing(geared, eliminate_couplings=eliminated)
    given = WEIGHTLESS | {"independent": ("sun", "ring")}
    load = {"wrenches": {"carrier": push(torque=(0, 0, -8.0))}}
    held = rc.inverse_dynamics(compiled, q, [0.0, 0.0], [0.0, 0.0], **given, **load)
    np.testing.assert_allclose(held.efforts, [2.0, 6.0], rtol=1e-13)
    loads = rc.joint_loads(compiled, q, [0.0, 0.0], [0.0, 0.0], **given, **load)
    assert loads.coupling("gear") == pytest.approx(8.0, rel=1e-13)
    ratio = np.array([0.25, 0.75])
    M = np.diag([1.0, 2.0]) + 3.0 * np.outer(ratio, ratio)
    found = rc.forward_dynamics(compiled, q, [0.0, 0.0], [2.0, 6.0], **given)
    np.testing.assert_allclose(found.u_dot, np.linalg.solve(M, [2.0, 6.0]), rtol=1e-12)


def test_a_rack_pushes_with_the_torque_over_the_radius():
    drawing = Drawing("rack and pinion")
    drawing.body("pinion", inertia=rotor(0.01))
    drawing.body("rack", inertia=Inertia(mass=3.0, moments=(0.1,) * 3))
    drawing.revolute("pinion", (WORLD, "pinion"), at())
    drawing.prismatic("rack", (WORLD, "rack"), axis((0, 0, 0), (1, 0, 0)))
    drawing.gear("mesh", "pinion", "rack", 0.02)
    compiled, q = standing(with_actuator(drawing.mechanism(), "motor", {"pinion": 1.0}))
    given = {"wrenches": {"rack": push((-100.0, 0, 0))}, "independent": ("pinion",)}
    found = rc.inverse_dynamics(compiled, q, [0.0], [1.0], **given, **WEIGHTLESS)
    assert found.of("motor") == pytest.approx(100.0 * 0.02 + 0.01 + 3.0 * 0.02**2, rel=1e-13)


@pytest.mark.parametrize("cut", [None, "turn", "thread", "guide"])
def test_a_screw_jack_takes_the_load_times_its_lead_over_a_turn(cut):
    """Whichever of its joints is cut, the driven one too; a worm gear is this by angles."""
    lead, load = 0.005, 100.0
    drawing = Drawing("jack")
    drawing.body("screw", inertia=rotor(0.001))
    drawing.body("nut", inertia=Inertia(mass=load, moments=(1.0,) * 3))
    drawing.revolute("turn", (WORLD, "screw"), at())
    pitch = lead / (2.0 * np.pi)
    drawing.joint("thread", JointKind.SCREW, ("screw", "nut"), at(), 0.0, pitch=pitch)
    drawing.prismatic("guide", (WORLD, "nut"), at())
    options = {} if cut is None else {"cuts": [cut]}
    compiled, q = standing(driven_by(drawing.mechanism(), ["turn"]), **options)
    found = rc.inverse_dynamics(compiled, q, [0.0], [0.0])
    # the nut goes against the screw's turn: it is held from turning
    assert abs(found.of("turn")) == pytest.approx(load * 9.81 * lead / (2.0 * np.pi), rel=1e-12)


@pytest.mark.parametrize("angle", [0.1, 0.8, 2.0])
def test_a_cardan_joint_passes_torque_by_its_ratio_of_speeds(angle):
    """ω_out / ω_in = cos β / (1 - sin² β cos² γ), γ from where the fork is across both shafts."""
    bend = 0.5
    inward, outward = np.array([1.0, 0, 0]), np.array([np.cos(bend), np.sin(bend), 0.0])
    fork = np.array([0.0, np.cos(angle), np.sin(angle)])
    drawing = Drawing("cardan")
    for name, J in {"in": 0.01, "cross": 1e-6, "out": 0.02}.items():
        drawing.body(name, inertia=rotor(J))
    drawing.revolute("in", (WORLD, "in"), axis((0, 0, 0), inward))
    drawing.revolute("out", (WORLD, "out"), axis((0, 0, 0), outward))
    drawing.revolute("fork", ("in", "cross"), axis((0, 0, 0), fork))
    drawing.revolute("yoke", ("cross", "out"), axis((0, 0, 0), np.cross(outward, fork)))
    compiled, q = standing(driven_by(drawing.mechanism(), ["in"]))
    ratio = np.cos(bend) / (1.0 - np.sin(bend) ** 2 * np.cos(angle) ** 2)
    load = {"out": np.concatenate([np.zeros(3), -4.0 * outward])}
    found = rc.inverse_dynamics(compiled, q, [0.0], [0.0], wrenches=load, **WEIGHTLESS)
    assert found.of("in") == pytest.approx(4.0 * ratio, rel=1e-12)


@pytest.mark.parametrize("cut", ["A", "B", "C", "P"])
def test_a_piston_turns_a_crank_by_virtual_work_and_leans_on_its_wall_by_the_rods_angle(cut):
    angle, force = 1.1, 1000.0
    root = np.sqrt(ROD**2 - (CRANK * np.sin(angle)) ** 2)
    way = -CRANK * np.sin(angle) - CRANK**2 * np.sin(angle) * np.cos(angle) / root
    lean = np.arcsin(CRANK / ROD * np.sin(angle))
    compiled, q = standing(driven_by(slider_crank(angle), ["A"]), cuts=[cut])
    given = WEIGHTLESS | {"wrenches": {"piston": push((-force, 0, 0))}}
    found = rc.inverse_dynamics(compiled, q, [0.0], [0.0], **given)
    assert found.of("A") == pytest.approx(force * way, rel=1e-12)
    loads = rc.joint_loads(compiled, q, [0.0], [0.0], **given)
    assert np.linalg.norm(loads.of("P")[:3]) == pytest.approx(force * np.tan(lean), rel=1e-11)
    for pin in ("B", "C"):
        size = np.linalg.norm(loads.of(pin)[:3])
        assert size == pytest.approx(force / np.cos(lean), rel=1e-11)


@pytest.mark.parametrize(("stages", "angle"), [(1, 0.4), (4, 0.9)])
def test_a_scissor_lift_takes_its_load_times_what_the_top_rises(stages, angle):
    """A load on the middle of the last bar: (2 · stages - 1) · arm · sin(angle) high."""
    arm, load = 0.25, 500.0
    compiled, q = standing(scissor_lift(stages, arm, angle))
    given = WEIGHTLESS | {"wrenches": {f"up {stages - 1}": push((0, -load, 0))}}
    found = rc.inverse_dynamics(compiled, q, [0.0], [0.0], **given)
    rise = (2 * stages - 1) * arm * np.cos(angle)
    assert found.of("foot") == pytest.approx(load * rise, rel=1e-11)


@pytest.mark.parametrize("crank", [0.4, 1.3, 2.6])
def test_a_four_bar_multiplies_torque_by_its_mechanical_advantage(crank):
    compiled, q = standing(driven_by(four_bar_of(crank=crank), ["A"]))
    rocker = next(j for j in compiled.mechanism.joints if j.name == "D")
    frames = {frame.name: frame.body for frame in compiled.mechanism.frames}
    moving = frames[rocker.child] if frames[rocker.child] != WORLD else frames[rocker.parent]
    load = {moving: push(torque=(0, 0, -1.0))}
    found = rc.inverse_dynamics(compiled, q, [0.0], [0.0], wrenches=load, **WEIGHTLESS)
    advantage = rc.mechanical_advantage(compiled, q, "A", "D")
    assert abs(found.of("A")) == pytest.approx(1.0 / abs(advantage), rel=1e-12)


@pytest.mark.parametrize("cut", ["foot", "head", "stroke", "boom"])
def test_a_cylinder_holds_a_boom_by_the_moment_over_its_lever(cut):
    """Foot at (0.3, -0.2), head 0.8 along the boom: force = m g · reach / lever of its line."""
    lift, mass, center = 0.6, 250.0, 1.5
    foot = np.array([0.3, -0.2])
    head = 0.8 * np.array([np.cos(lift), np.sin(lift)])
    line = head - foot
    length, lean = np.linalg.norm(line), np.arctan2(line[1], line[0])
    light = Inertia(mass=1e-9, moments=(1e-9,) * 3)
    drawing = Drawing("boom")
    boom = Inertia(mass=mass, center=(center, 0.0, 0.0), moments=(1.0, 50.0, 50.0))
    drawing.body("boom", planar(0, 0, lift), boom)
    drawing.body("barrel", planar(*foot, lean), light)
    drawing.body("rod", planar(*head, lean), light)
    drawing.revolute("boom", (WORLD, "boom"), at(), lift)
    drawing.revolute("foot", (WORLD, "barrel"), at(*foot), lean)
    drawing.revolute("head", ("rod", "boom"), planar(*head, lean), lift - lean)
    along = axis((*foot, 0.0), (*line, 0.0), (0, 0, 1))
    drawing.prismatic("stroke", ("barrel", "rod"), along, length)
    compiled, q = standing(driven_by(drawing.mechanism(), ["stroke"]), cuts=[cut])
    found = rc.inverse_dynamics(compiled, q, [0.0], [0.0], gravity=(0.0, -9.81, 0.0))
    lever = (foot[0] * line[1] - foot[1] * line[0]) / length
    force = mass * 9.81 * center * np.cos(lift) / lever
    assert found.of("stroke") == pytest.approx(force, rel=1e-8)  # the cylinder weighs a little


def test_a_gripper_whose_fingers_share_the_way_presses_half_with_each():
    """ℓ = ½ a + ½ b: what grips by 3 N a finger takes 6 N of the actuator; uneven, it gives in."""
    drawing = Drawing("gripper")
    for name, side in {"a": 1.0, "b": -1.0}.items():
        drawing.body(name, inertia=Inertia(mass=1.0, moments=(0.1,) * 3))
        drawing.prismatic(name, (WORLD, name), axis((0, 0, 0), (side, 0, 0)))
    compiled, q = standing(with_actuator(drawing.mechanism(), "grip", {"a": 0.5, "b": 0.5}))
    still = np.zeros(2)
    grip = {"a": push((-3.0, 0, 0)), "b": push((3.0, 0, 0))}
    found = rc.inverse_dynamics(compiled, q, still, still, wrenches=grip, **WEIGHTLESS)
    assert found.of("grip") == pytest.approx(6.0, rel=1e-13)
    assert found.undriven == ()
    uneven = grip | {"b": push((1.0, 0, 0))}
    found = rc.inverse_dynamics(compiled, q, still, still, wrenches=uneven, **WEIGHTLESS)
    np.testing.assert_allclose(found.missing, [1.0, -1.0], rtol=1e-13)
    assert found.undriven == ("a", "b")
    moved = rc.forward_dynamics(compiled, q, still, {"grip": 4.0}, **WEIGHTLESS)
    np.testing.assert_allclose(moved.u_dot, [2.0, 2.0], rtol=1e-13)
