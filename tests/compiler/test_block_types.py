"""Which blocks share a code, and that it is right for each of them."""

from dataclasses import replace

import numpy as np
import pytest

from linkages.bound import bound, every_emitter, relative, shaken
from linkages.drawing import Drawing, at, planar
from linkages.many_loops import module_chain, shared_crank
from linkages.planar import GRASHOF, four_bar_solution
from linkages.robots import go2
from linkages.spatial import differential
from robocompiler.compiler.rows import linearize
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD
from robocompiler.solve.reduction.reduce import reduce

BARS = GRASHOF["crank-rocker"]


def types_of(own):
    """Names of the blocks of each type."""
    return [[plan.name for plan in kind.plans] for kind in own.code.layout.types]


def side_by_side(modules, shift=0.0):
    """Four-bars `A k` to `D k` of such bars, each with its crank at an angle, all on the ground."""
    drawing = Drawing("side by side")
    for k, (bars, crank) in enumerate(modules):
        d, a, b, _ = bars
        coupler, rocker = four_bar_solution(bars, crank)
        x, y = a * np.cos(crank), a * np.sin(crank)
        cx, cy = x + b * np.cos(coupler), y + b * np.sin(coupler)
        start = at(shift * k, shift * k)
        drawing.body(f"crank {k}", start @ planar(0.0, 0.0, crank))
        drawing.body(f"coupler {k}", start @ planar(x, y, coupler))
        drawing.body(f"rocker {k}", start @ planar(d, 0.0, rocker))
        ends = {
            "A": ((WORLD, f"crank {k}"), planar(0.0, 0.0, 0.0), crank),
            "B": ((f"crank {k}", f"coupler {k}"), planar(x, y, crank), coupler - crank),
            "C": ((f"coupler {k}", f"rocker {k}"), planar(cx, cy, coupler), rocker - coupler),
            "D": ((WORLD, f"rocker {k}"), planar(d, 0.0, 0.0), rocker),
        }
        for pin, (between, where, value) in ends.items():
            fields = {"A": {"effort": 1.0}, "C": {"closes_loop": True}}.get(pin, {})
            drawing.revolute(f"{pin} {k}", between, start @ where, value, **fields)
    return drawing.mechanism()


@pytest.mark.parametrize("modules", [2, 16, 64])
def test_a_chain_of_equal_modules_is_one_type_however_far_it_reaches(modules):
    """Frames far from the origin are rounded the more."""
    assert len(types_of(bound(module_chain(modules), "python"))) == 1


def test_modules_shifted_by_a_thousand_lengths_are_one_type():
    own = bound(side_by_side([(BARS, 0.7)] * 4, shift=123.456), "python")
    assert types_of(own) == [["C 0", "C 1", "C 2", "C 3"]]


@every_emitter
@pytest.mark.parametrize("sizes", [(1.0, 1e3), (1e3, 1.0), (1e-4, 1e4)])
def test_modules_of_any_size_share_a_code_that_closes_each_to_its_own_rounding(emitter, sizes):
    """Sizes are inputs: judged by the first one's, the small would stay open, the large never."""
    drawn = [(tuple(size * bar for bar in BARS), 0.7) for size in sizes]
    own = bound(side_by_side(drawn), emitter)
    assert types_of(own) == [["C 0", "C 1"]]
    for start in shaken(own, 10, 0.02):
        own.q = start
        own.correct()
        left = np.abs(linearize(own.compiled, own.q).residual).reshape(2, -1).max(axis=1)
        assert (left < 1e-13 * np.array(sizes)).all()
        assert relative(own.E, reduce(own.compiled, own.q, own.code.layout.partition).E) < 1e-13
    assert own.recovered == 0


@every_emitter
def test_modules_of_other_lengths_move_as_their_closed_forms_say(emitter):
    drawn = [(BARS, 0.7), (GRASHOF["rocker-crank"], 1.2), (GRASHOF["double-rocker"], 1.0)]
    own = bound(side_by_side(drawn), emitter)
    assert types_of(own) == [["C 0", "C 1", "C 2"]]
    cranks = [crank + 0.05 for _, crank in drawn]
    for k, crank in enumerate(cranks):
        own.q[own.compiled.tree_joint(f"A {k}").q] = crank
    own.correct()
    for k, ((bars, _), crank) in enumerate(zip(drawn, cranks, strict=True)):
        expected = four_bar_solution(bars, crank)[1]
        assert own.q[own.compiled.tree_joint(f"D {k}").q] == pytest.approx(expected, abs=1e-12)
    assert own.recovered == 0


def test_legs_of_a_robot_share_one_code_with_its_base_for_an_input():
    """Their hips are mirrored, so that lengths of one are the negatives of the other's."""
    own = bound(go2(("FL", "FR"), limits=False), "python", ["base"])
    assert sorted(map(len, types_of(own))) == [2]


def test_sides_of_a_shared_crank_share_a_code_though_they_share_an_input():
    sides = {"a": BARS, "b": (0.45, 0.1, 0.35, 0.25), "c": BARS}
    own = bound(shared_crank(sides), "python")
    assert sorted(name for kind in types_of(own) for name in kind) == ["a C", "b C", "c C"]


@pytest.mark.parametrize("noise", [1e-16, 1e-13, 1e-10])
def test_noise_of_drawing_does_not_split_a_type(noise):
    mechanism = side_by_side([(BARS, 0.7)] * 3)
    random = np.random.default_rng(2)
    frames = tuple(
        replace(frame, position=tuple(np.add(frame.position, random.uniform(-1, 1, 3) * noise)))
        for frame in mechanism.frames
    )
    assert len(types_of(bound(replace(mechanism, frames=frames), "python"))) == 1


def screws(pitches):
    """Vises: for each pitch a screw and a slide between ground and nut, and a shaft that turns."""
    drawing = Drawing("vises")
    for k, pitch in enumerate(pitches):
        drawing.body(f"shaft {k}", at(0.0, 0.1 * k))
        drawing.body(f"nut {k}", at(0.0, 0.1 * k))
        place = at(0.0, 0.1 * k)
        drawing.revolute(f"turn {k}", (WORLD, f"shaft {k}"), place, 0.0, effort=1.0)
        between = (f"shaft {k}", f"nut {k}")
        drawing.joint(f"screw {k}", JointKind.SCREW, between, place, 0.0, pitch=pitch)
        drawing.prismatic(f"slide {k}", (WORLD, f"nut {k}"), place, 0.0)
    return drawing.mechanism()


def test_other_pitches_and_other_ratios_have_other_codes_and_equal_ones_share():
    assert len(types_of(bound(screws((0.01, 0.02, 0.01)), "python"))) == 2
    meshes = types_of(bound(differential(), "python"))
    assert sum(map(len, meshes)) == len(meshes) == 2


@every_emitter
def test_screws_advance_by_their_own_pitch(emitter):
    pitches = (0.01, 0.02, 0.01, -0.03)
    own = bound(screws(pitches), emitter)
    for k in range(4):
        own.q[own.compiled.tree_joint(f"turn {k}").q] = 0.3
    own.correct()
    slides = [float(own.q[own.compiled.tree_joint(f"slide {k}").q][0]) for k in range(4)]
    np.testing.assert_allclose(np.abs(slides), 0.3 * np.abs(pitches), rtol=1e-12)
    assert len(set(np.sign(slides[:3]))) == 1
    assert np.sign(slides[3]) == -np.sign(slides[0])
