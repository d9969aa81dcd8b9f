import math
from dataclasses import replace

import numpy as np
import pytest

import robocompiler as rc
from linkages.drawing import Drawing, at, planar, rounded
from linkages.planar import (
    GRASHOF,
    crank_range,
    five_bar,
    five_bar_solution,
    four_bar_of,
    four_bar_solution,
    slider_crank,
    slider_solution,
)
from linkages.spatial import delta, summing_differential
from linkages.stewart import stewart, task_pose
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.errors import BadValueError, UnknownNameError
from robocompiler.model.mechanism import WORLD
from robocompiler.model.tasks import Task
from robocompiler.solve.reduction.design import mechanical_advantage, ratio, transmission_angle
from robocompiler.solve.reduction.partition import PartitionError, speed_names
from robocompiler.solve.reduction.reduce import reduce
from robocompiler.solve.state import starting_coordinates
from robocompiler.spatial import Pose, exp_rotation

TILTED = Pose(exp_rotation(np.array([0.4, -0.7, 0.3])), np.array([0.1, 0.2, -0.3]))


def motion(build, angles):
    """A mechanism, and a batch of its closed configurations as drawn by the closed form."""
    compiled = compile_mechanism(build(angles[0]))
    drawn = [starting_coordinates(compile_mechanism(build(angle))) for angle in angles]
    return compiled, np.stack(drawn)


@pytest.mark.parametrize("name", ["crank-rocker", "rocker-crank", "double-crank"])
def test_a_four_bar_turns_its_rocker_as_freudenstein_says(name):
    """θ̇₄ / θ̇₂ = a sin(θ₃ - θ₂) / (c sin(θ₃ - θ₄)), and the coupler's likewise, cut or not."""
    bars = GRASHOF[name]
    low, high = crank_range(bars)
    angles = np.linspace(low + 0.05, high - 0.05, 24)
    compiled, q = motion(lambda a: four_bar_of(bars, a, ground=TILTED), angles)
    _, a, b, c = bars
    coupler, rocker = np.array([four_bar_solution(bars, angle) for angle in angles]).T
    rocking = a * np.sin(coupler - angles) / (c * np.sin(coupler - rocker))
    swinging = a * np.sin(rocker - angles) / (b * np.sin(coupler - rocker))
    found = {n: ratio(compiled, q, "A", n) for n in "BCD"}
    np.testing.assert_allclose(found["D"], rocking, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(found["B"], swinging - 1.0, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(found["C"], rocking - swinging, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(mechanical_advantage(compiled, q, "D", "A"), rocking, rtol=1e-11)


def test_the_transmission_angle_of_a_four_bar_is_that_between_coupler_and_rocker():
    """By the law of cosines over the diagonal, on layers as in a plane."""
    bars = GRASHOF["crank-rocker"]
    d, a, b, c = bars
    angles = np.linspace(0.0, 2.0 * math.pi, 37)
    compiled, q = motion(lambda angle: four_bar_of(bars, angle, ground=TILTED), angles)
    square = a * a + d * d - 2.0 * a * d * np.cos(angles)
    between = np.arccos((b * b + c * c - square) / (2.0 * b * c))
    expected = np.minimum(between, math.pi - between)
    found = transmission_angle(compiled, q, "B", "C", "D")
    np.testing.assert_allclose(found, expected, atol=1e-13)
    mirrored = transmission_angle(compiled, q, "C", "B", "A")
    coupler, _ = np.array([four_bar_solution(bars, angle) for angle in angles]).T
    np.testing.assert_allclose(np.sin(mirrored), np.abs(np.sin(coupler - angles)), atol=1e-13)


def test_a_followed_motion_is_asked_by_the_public_names():
    """Virtual work: what the crank gets of the rocker is a sin(θ₃ - θ₂) / (c sin(θ₃ - θ₄))."""
    _, a, _, c = bars = GRASHOF["crank-rocker"]
    angles = np.radians(np.arange(361.0))
    motion = rc.follow(rc.compile(four_bar_of(bars, 0.0)), {"A": angles})
    coupler, rocker = np.array([four_bar_solution(bars, angle) for angle in angles]).T
    found = rc.transmission_angle(motion.compiled, motion.q, "B", "C", "D")
    np.testing.assert_allclose(np.sin(found), np.abs(np.sin(coupler - rocker)), atol=1e-13)
    gain = rc.mechanical_advantage(motion.compiled, motion.q, "D", "A")
    expected = a * np.sin(coupler - angles) / (c * np.sin(coupler - rocker))
    np.testing.assert_allclose(gain, expected, atol=1e-12)


def test_links_in_layers_transmit_as_those_in_a_plane():
    plane = four_bar_of()
    heights = {"A.M": 0.0, "B.F": 0.03, "B.M": 0.0, "C.F": 0.02, "C.M": 0.05}
    frames = tuple(
        replace(f, position=(*f.position[:2], f.position[2] + heights.get(f.name, 0.0)))
        for f in plane.frames
    )
    layered = replace(plane, frames=frames)
    angles = [
        transmission_angle(compiled, starting_coordinates(compiled), "B", "C", "D")
        for compiled in map(compile_mechanism, (plane, layered))
    ]
    assert angles[0] == pytest.approx(angles[1], abs=1e-14)


def test_a_slider_crank_moves_and_transmits_as_its_closed_form():
    """ẋ / θ̇ = -r sin θ + r cos θ tan φ with φ the rod's direction; its pressure angle is φ."""
    crank, rod, offset = 0.1, 0.3, 0.02
    angles = np.linspace(0.0, 2.0 * math.pi, 25)
    compiled, q = motion(lambda a: slider_crank(crank, rod, offset, a, ground=TILTED), angles)
    tilt = np.array([slider_solution(crank, rod, offset, a)[0] for a in angles])
    expected = -crank * np.sin(angles) + crank * np.cos(angles) * np.tan(tilt)
    np.testing.assert_allclose(ratio(compiled, q, "A", "S"), expected, atol=1e-13)
    found = transmission_angle(compiled, q, "B", "C", "S")
    np.testing.assert_allclose(found, math.pi / 2.0 - np.abs(tilt), atol=1e-13)


def test_at_a_toggle_the_driver_moves_nothing_and_the_other_way_the_push_is_infinite():
    """Where the rocker turns back, crank and coupler are in line: the rocker cannot drive."""
    bars = GRASHOF["crank-rocker"]
    d, a, b, c = bars
    stretched = math.acos((d * d + (a + b) ** 2 - c * c) / (2.0 * d * (a + b)))
    compiled, q = motion(lambda angle: four_bar_of(bars, angle), [stretched, 0.7])
    assert abs(ratio(compiled, q, "A", "D")[0]) < 1e-12
    assert abs(mechanical_advantage(compiled, q, "A", "D")[0]) > 1e12
    assert transmission_angle(compiled, q, "C", "B", "A")[0] < 1e-7


def test_with_two_cranks_the_one_not_asked_for_is_held():
    """Against differences of the closed form."""
    bars, angles = (0.3, 0.2, 0.35, 0.4, 0.25), (2.0, 1.0)
    compiled = compile_mechanism(five_bar(bars, angles))
    q = starting_coordinates(compiled)

    def left(a, e):
        return five_bar_solution(bars, (a, e))[0]

    h = 1e-4
    by_e = (left(2.0, 1.0 + h) - left(2.0, 1.0 - h)) / (2 * h)
    assert ratio(compiled, q, "E", "B") == pytest.approx(by_e, abs=1e-7)
    assert ratio(compiled, q, "E", "B", held=["A"]) == pytest.approx(by_e, abs=1e-7)
    by_a = (left(2.0 + h, 1.0) - left(2.0 - h, 1.0)) / (2 * h) - 1.0
    assert ratio(compiled, q, "A", "B") == pytest.approx(by_a, abs=1e-7)
    assert ratio(compiled, q, "E", "A", held=["C"]) != 0.0
    assert math.isnan(ratio(compiled, q, "A", "B", held=[]))


def test_ratios_of_many_freedoms_are_those_of_the_lift_idle_spins_and_all():
    for mechanism in (stewart(task_pose(5.7)), delta(), rounded(four_bar_of())):
        compiled = compile_mechanism(mechanism)
        q = starting_coordinates(compiled)
        reduction = reduce(compiled, q)
        driver = reduction.names[0]
        for index in (0, compiled.nv // 2, compiled.nv - 1):
            name = speed_names(compiled)[index]
            found = ratio(compiled, q, driver, name)
            assert found == pytest.approx(reduction.E[index, 0], abs=1e-9)


def test_names_of_nothing_and_what_cannot_be_answered_are_refused():
    compiled = compile_mechanism(four_bar_of())
    q = starting_coordinates(compiled)
    with pytest.raises(UnknownNameError, match="no speed 'X'"):
        ratio(compiled, q, "A", "X")
    with pytest.raises(UnknownNameError, match="no joint 'X'"):
        transmission_angle(compiled, q, "B", "C", "X")
    with pytest.raises(BadValueError, match="finite"):
        ratio(compiled, q * math.nan, "A", "D")
    platform = compile_mechanism(stewart())
    home = starting_coordinates(platform)
    with pytest.raises(BadValueError, match="joint of one freedom"):
        transmission_angle(platform, home, "leg 1 x", "leg 1 ball", "leg 0 ball")
    truss = compile_mechanism(truss_with_pendulums())
    still = starting_coordinates(truss)
    with pytest.raises(PartitionError, match="nothing moves it here") as caught:
        ratio(truss, still, "left", "swing 0")
    assert caught.value.would_work == ("swing 0", "swing 1")


def truss_with_pendulums():
    """Two bars that hold each other, and two pendulums."""
    drawing = Drawing("truss")
    for name in ("bar 0", "bar 1", "bob 0", "bob 1"):
        drawing.body(name)
    drawing.revolute("left", (WORLD, "bar 0"), at(0.0))
    drawing.revolute("right", (WORLD, "bar 1"), at(0.3))
    drawing.revolute("top", ("bar 0", "bar 1"), at(0.1, 0.2), closes_loop=True)
    for i in (0, 1):
        drawing.revolute(f"swing {i}", (WORLD, f"bob {i}"), at(float(i)))
    return drawing.mechanism()


def test_where_nothing_is_left_to_move_there_is_no_ratio():
    compiled, q = motion(lambda angle: four_bar_of(crank=angle), [0.7, 1.1])
    assert np.all(np.isnan(ratio(compiled, q, "A", "D", held=["B"])))


@pytest.mark.parametrize("eliminate", [False, True])
def test_a_final_drive_and_its_planets_turn_as_their_teeth_say(eliminate):
    """cage = (left + right) / 2, pinion = 3.5 cage, planet = left - cage."""
    drawn = compile_mechanism(summing_differential(ratio=3.5), eliminate_couplings=eliminate)
    q = starting_coordinates(drawn)
    assert ratio(drawn, q, "left", "pinion", ["right"]) == pytest.approx(1.75, abs=1e-13)
    assert ratio(drawn, q, "pinion", "planet", ["right"]) == pytest.approx(1 / 3.5, abs=1e-13)
    assert ratio(drawn, q, "left", "pinion", ["planet"]) == pytest.approx(3.5, abs=1e-13)


def test_a_held_points_speed_drives_an_arm_by_its_jacobian():
    """Two links held at the tip: ẋ of the tip, ẏ held, moves the elbow by the inverse Jacobian."""
    a, b, first, second = 0.5, 0.4, 0.4, 0.9
    drawing = Drawing("arm")
    elbow = planar(a * math.cos(first), a * math.sin(first), first)
    drawing.body("upper", planar(0.0, 0.0, first))
    drawing.body("lower", elbow @ planar(0.0, 0.0, second))
    drawing.revolute("shoulder", (WORLD, "upper"), at(), first)
    drawing.revolute("elbow", ("upper", "lower"), elbow, second)
    tip = Task(name="tip", body="lower", position=(b, 0.0, 0.0))
    compiled = compile_mechanism(drawing.mechanism(), tasks=[tip])
    q = starting_coordinates(compiled)
    s1, c1 = math.sin(first), math.cos(first)
    s12, c12 = math.sin(first + second), math.cos(first + second)
    J = np.array([[-a * s1 - b * s12, -b * s12], [a * c1 + b * c12, b * c12]])
    driver = next(name for name in speed_names(compiled) if name.startswith("tip/"))
    assert ratio(compiled, q, driver, "elbow") == pytest.approx(np.linalg.inv(J)[1, 0], rel=1e-12)
    with pytest.raises(PartitionError, match="let nothing move"):
        ratio(compiled, q, "shoulder", "elbow")
