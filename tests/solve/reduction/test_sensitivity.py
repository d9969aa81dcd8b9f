import math
from dataclasses import replace

import numpy as np
import pytest

from closed_mechanisms import KINDS, closed, compiled_at
from linkages.drawing import Drawing, at, cut_at
from linkages.overconstrained import bennett
from linkages.planar import (
    GRASHOF,
    four_bar_of,
    four_bar_solution,
    slider_crank,
    slider_solution,
)
from linkages.spatial import delta
from linkages.stewart import stewart, task_pose
from mechanisms import four_bar, open_chain_loop
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.rows import linearize
from robocompiler.compiler.steps import difference
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD
from robocompiler.solve.assembly.assemble import assemble, coordinates
from robocompiler.solve.continuation.corrector import close_module, module_speeds
from robocompiler.solve.reduction.logarithm import chart_coordinates
from robocompiler.solve.reduction.reduce import reduce
from robocompiler.solve.reduction.sensitivity import AXES, sensitivity
from robocompiler.solve.state import starting_coordinates
from robocompiler.spatial import exp_rotation, quaternion_of, quaternion_product


def displaced(mechanism, dimensions, by):
    """The mechanism with its frames moved along, and turned about, the axes of their bodies."""
    twists = {f.name: np.zeros(6) for f in mechanism.frames}
    for dimension, amount in zip(dimensions, by, strict=True):
        twists[dimension.frame][AXES.index(dimension.along)] += amount

    def moved(f):
        shift, turn = twists[f.name][:3], twists[f.name][3:]
        turned = quaternion_product(quaternion_of(exp_rotation(turn)), f.rotation)
        position = tuple((np.array(f.position) + shift).tolist())
        return replace(f, position=position, rotation=tuple(turned.tolist()))

    return replace(mechanism, frames=tuple(moved(f) for f in mechanism.frames))


def reassembled(mechanism, cut, q, dependent, dimensions, by):
    """q and the rows left, after frames were displaced and the loops were closed again."""
    compiled = compiled_at(displaced(mechanism, dimensions, by), cut)
    for module in compiled.modules:
        own = [i for i in module_speeds(compiled, module) if i in dependent]
        q = close_module(compiled, q, module, own).q
    return q, linearize(compiled, q).residual, chart_coordinates(compiled, q)


CASES = {
    "welded four-bar": (lambda: four_bar(0.7, tilt=(0.3, -0.4, 0.9)), None, 1e-7),
    "slider-crank": (slider_crank, None, 1e-7),
    "Bennett": (bennett, None, 1e-6),
    "delta": (delta, None, 1e-8),
    "Stewart": (lambda: stewart(task_pose(5.7)), None, 1e-8),
}
CASES |= {k.value: (lambda k=k: open_chain_loop(k, reverse=True), {k}, 1e-8) for k in KINDS}


@pytest.mark.parametrize("name", CASES)
def test_joints_and_misfits_answer_as_they_do_when_the_mechanism_is_assembled_again(name):
    """Every kind, in the tree and cut, crossed forwards and backwards: all dimensions at once, in
    four directions at random, so that what is wrong with any one shows."""
    build, cut, tolerance = CASES[name]
    mechanism = build()
    compiled, q = closed(mechanism, cut)
    found = sensitivity(compiled, q)
    dependent = set(reduce(compiled, q).dependent)
    random = np.random.default_rng(9)
    for _ in range(4):
        direction = random.uniform(-1.0, 1.0, len(found.dimensions))
        direction /= np.linalg.norm(direction)
        slopes = []
        for h in (2e-4, 4e-4):
            ahead, behind = (
                reassembled(mechanism, cut, q, dependent, found.dimensions, s * h * direction)
                for s in (1, -1)
            )
            moved = difference(compiled, behind[0], ahead[0])
            parts = [moved, ahead[1] - behind[1]]
            slopes.append(np.concatenate(parts) / (2 * h))
        expected = (4 * slopes[0] - slopes[1]) / 3
        motion = found.motion[: compiled.nv] @ direction
        np.testing.assert_allclose(
            np.concatenate([motion, found.misfit @ direction]), expected, atol=tolerance
        )


def test_a_four_bar_answers_to_its_lengths_as_the_closed_form():
    """From a e^iθ + b e^iφ = d + c e^iψ, its part along the coupler, θ held."""
    bars, theta = GRASHOF["crank-rocker"], 0.7
    c = bars[3]
    phi, psi = four_bar_solution(bars, theta)
    compiled = compile_mechanism(four_bar_of(bars, theta))
    found = sensitivity(compiled, starting_coordinates(compiled))
    push = c * math.sin(psi - phi)
    for frame, expected in {
        "B.F": -math.cos(theta - phi) / push,
        "C.F": -1.0 / push,
        "C.M": math.cos(psi - phi) / push,
        "D.F": math.cos(phi) / push,
    }.items():
        assert found.of("D", frame, "x") == pytest.approx(expected, rel=1e-12)
    assert found.of("D", "C.F", "y") == pytest.approx(0.0, abs=1e-14)


def test_a_slider_crank_answers_to_its_lengths_as_the_closed_form():
    r, rod, offset, theta = 0.1, 0.3, 0.02, 0.7
    compiled = compile_mechanism(slider_crank(r, rod, offset, theta))
    found = sensitivity(compiled, starting_coordinates(compiled))
    _, x = slider_solution(r, rod, offset, theta)
    run, rise = x - r * math.cos(theta), offset - r * math.sin(theta)
    by_crank = math.cos(theta) + rise * math.sin(theta) / run
    assert found.of("S", "B.F", "x") == pytest.approx(by_crank, rel=1e-12)
    assert found.of("S", "C.F", "x") == pytest.approx(rod / run, rel=1e-12)
    assert found.of("S", "S.F", "y") == pytest.approx(-rise / run, rel=1e-12)


def test_the_same_mechanism_cut_elsewhere_answers_alike_the_cut_joint_too():
    answers = []
    for joint in "BCD":
        found = sensitivity(*closed(cut_at(four_bar_of(), joint)), ["A"])
        assert found.independent == ("A",)
        order = [found.speeds.index(name) for name in "ABCD"]
        planes = [d.along in ("x", "y", "turn z") for d in found.dimensions]
        keys = sorted((d.frame, d.along, i) for i, d in enumerate(found.dimensions))
        columns = [i for *_, i in keys if planes[i]]
        answers.append(found.motion[np.ix_(order, columns)])
    for other in answers[1:]:
        np.testing.assert_allclose(other, answers[0], atol=1e-12)


def test_what_lifts_a_pin_out_of_the_plane_is_all_misfit_millimetre_for_millimetre():
    compiled = compile_mechanism(four_bar_of())
    found = sensitivity(compiled, starting_coordinates(compiled))
    lifted = [i for i, d in enumerate(found.dimensions) if d.along == "z"]
    assert np.abs(found.motion[:, lifted]).max() < 1e-14
    np.testing.assert_allclose(np.linalg.norm(found.misfit[:, lifted], axis=0), 1.0, atol=1e-14)
    (worst,) = {i.value for i in found.influences() if i.dimension.along == "z"}
    assert worst == pytest.approx(1.0)


def test_a_frame_that_two_joints_share_moves_both():
    """With both cranks on one hole nothing turns against anything as the hole is moved."""
    mechanism = four_bar_of(GRASHOF["triple-rocker"])  # the other three bars make a triangle
    pinned = (replace(j, parent="A.F") if j.name == "D" else j for j in mechanism.joints)
    compiled = compile_mechanism(replace(mechanism, joints=tuple(pinned)))
    found = sensitivity(compiled, coordinates(compiled, assemble(compiled, seed={})))
    both = [i for i, d in enumerate(found.dimensions) if d.frame == "A.F" and d.along in "xy"]
    assert len(both) == 2
    assert np.abs(found.motion[:, both]).max() < 1e-14


def test_the_table_says_the_greatest_first_in_millimetres_and_degrees():
    compiled = compile_mechanism(four_bar_of())
    q = starting_coordinates(compiled)
    found = sensitivity(compiled, q)
    shares = [round(abs(i.share), 8) for i in found.influences()]
    assert shares == sorted(shares, reverse=True)
    text = found.table(10_000)
    assert text.startswith("with A held:")
    degrees = math.degrees(float(found.of("D", "C.F", "x"))) / 1e3
    (line,) = [x for x in text.splitlines() if x.startswith("C.F x ") and " D " in x]
    assert line.split()[-4:] == [f"{degrees:+.4f}", "deg", "per", "mm"]
    assert len(found.table(3).splitlines()) == 4
    batch = sensitivity(compiled, np.stack([q, q]))
    np.testing.assert_allclose(batch.motion[1], found.motion, atol=1e-14)
    np.testing.assert_allclose(batch.misfit[0], found.misfit, atol=1e-14)
    assert [str(i) for i in batch.influences()][:5] == [str(i) for i in found.influences()][:5]


def test_of_a_motion_the_table_says_the_worst():
    crank = np.linspace(0.2, 1.2, 6)
    compiled = compile_mechanism(four_bar_of())
    q = np.stack([starting_coordinates(compile_mechanism(four_bar_of(crank=a))) for a in crank])
    found = sensitivity(compiled, q)
    (worst,) = [
        i.value
        for i in found.influences()
        if (i.affected, i.dimension.frame, i.dimension.along) == ("D", "C.F", "x")
    ]
    assert abs(worst) == np.abs(found.of("D", "C.F", "x")).max()


def test_a_mechanism_that_cannot_move_has_an_empty_table():
    drawing = Drawing("stone")
    drawing.body("stone")
    drawing.joint("bolt", JointKind.FIXED, (WORLD, "stone"), at())
    compiled = compile_mechanism(drawing.mechanism())
    assert sensitivity(compiled, np.zeros(0)).influences() == ()
