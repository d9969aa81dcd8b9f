"""A mechanism moves alike wherever it is cut, and as its closed form says."""

from __future__ import annotations

import pytest

from linkages.crane import ACTIVE, PASSIVE, Strokes, crane, crane_solution
from linkages.drawing import cut_at, drawn_values, starting_at, turn
from linkages.excavator import CYLINDER_SPACE, JOINT_SPACE, Posture, excavator
from linkages.many_loops import ackermann, ackermann_angle, scissor_lift
from linkages.overconstrained import bennett, bricard, line_symmetric_bricard, sarrus
from linkages.planar import (
    braced_parallelogram,
    five_bar,
    four_bar_of,
    slider_crank,
)
from linkages.planar_parallel import three_rpr, three_rrr
from linkages.spatial import KINDS, delta, differential, loop_with, summing_differential
from linkages.stewart import stewart, task_pose
from linkages.structure import assert_same, blocks, physical_rank, residual_of
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.assembly.assemble import assemble, coordinates

SOMEWHERE = turn((0.3, -0.4, 0.9), (0.1, 0.2, 0.3))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", [k for k in KINDS if k is not JointKind.FREE])
def test_a_cut_joint_of_any_kind_moves_as_where_another_is_cut(kind, reverse):
    mechanism = loop_with(kind, reverse=reverse)
    start = drawn_values(mechanism)["drive"][0]
    names = [j.name for j in mechanism.joints if j.name != "drive"]
    for turn_by in (-0.3, 0.3):
        moved = []
        for name in names:
            compiled = compile_mechanism(mechanism, cuts=[name])
            assert [c.chord.joint.name for c in compiled.closures] == [name]
            found = assemble(compiled, {"drive": start + turn_by})
            assert residual_of(compiled, coordinates(compiled, found)) < 1e-13
            moved.append(dict(found.values))
        for other in moved[:-1]:
            assert_same(other, moved[-1], 1e-12)


def test_a_cut_free_joint_reads_what_leads_back_to_the_same_angle():
    mechanism = loop_with(JointKind.FREE)
    free = assemble(compile_mechanism(cut_at(mechanism, ["kind"])), {"drive": 0.9})
    back = compile_mechanism(
        cut_at(starting_at(mechanism, kind=free.of("kind"), drive=0.9), ["drive"])
    )
    assert assemble(back, tolerance=(1e-9, 1e-9)).of("drive")[0] == pytest.approx(0.9, abs=1e-14)


POSTURES = (Posture(), Posture(boom=0.5, stick=-1.7, hitch=-0.3, pin=0.3, tilt=-0.1))
MOVES = {
    "four-bar": ([four_bar_of(crank=0.7), four_bar_of(crank=1.4)], ["A"]),
    "four-bar, other branch": (
        [four_bar_of(crank=0.7, branch=-1), four_bar_of(crank=1.4, branch=-1)],
        ["A"],
    ),
    "slider-crank": ([slider_crank(), slider_crank(angle=1.5)], ["A"]),
    "five-bar": ([five_bar(), five_bar(angles=(1.8, 1.3))], ["A", "E"]),
    "braced": ([braced_parallelogram(), braced_parallelogram(angle=1.2)], ["foot 0"]),
    "3-RRR": (
        [three_rrr(), three_rrr((0.28, 0.18, 0.1))],
        ["A 0", "A 1", "A 2"],
    ),
    "3-RPR": (
        [three_rpr(2), three_rpr(pose=(-0.4, 0.55, -0.9))],
        ["P 0", "P 1", "P 2"],
    ),
    "scissor lift": ([scissor_lift(10), scissor_lift(10, angle=0.8)], ["foot"]),
    "Ackermann": ([ackermann(0.2), ackermann(-0.3)], ["left"]),
    "Bennett": ([bennett(), bennett(angle=1.5)], ["1"]),
    "Bricard": ([bricard(), bricard(angle=1.5)], ["1"]),
    "Sarrus": ([sarrus(), sarrus(angle=1.1)], ["0.1"]),
    "differential": (
        [differential(bearings=True), differential(0.9, 0.1, bearings=True)],
        ["pinion", "planet"],
    ),
    "differential as a sum": (
        [summing_differential(), summing_differential(0.9, 0.1)],
        ["left", "right"],
    ),
    "excavator by its joints": ([excavator(p) for p in POSTURES], JOINT_SPACE),
    "excavator by its cylinders": ([excavator(p) for p in POSTURES], CYLINDER_SPACE),
    "crane": ([crane(), crane(Strokes(lift=1.1, fold=1.25, yaw=0.4))], ACTIVE),
    "delta": ([delta(), delta((-0.02, 0.03, -0.42))], ["0", "1", "2"]),
    "Stewart": (
        [stewart(), stewart(task_pose(5.7))],
        [f"leg {i} length" for i in range(6)],
    ),
}


@pytest.mark.parametrize("name", MOVES)
def test_a_mechanism_driven_elsewhere_is_as_drawn_there(name):
    """Where a joint goes when others are driven, against the closed form it is drawn by."""
    (here, there), drivers = MOVES[name]
    expected = drawn_values(there)
    compiled = compile_mechanism(here)
    found = assemble(compiled, {d: expected[d][0] for d in drivers})
    assert residual_of(compiled, coordinates(compiled, found)) <= 1e-13
    # Balls of a rod that may spin about itself are not determined.
    scalar = [joint.name for joint in here.joints if joint.kind.nq == 1]
    assert_same(dict(found.values), expected, 1e-12, scalar)


def test_ackermann_steers_as_the_closed_form_says():
    compiled = compile_mechanism(ackermann(0.0))
    for steer in (-0.5, 0.35):
        found = assemble(compiled, {"left": steer}).of("right")[0]
        assert found == pytest.approx(ackermann_angle(steer), abs=1e-13)


def test_the_cranes_passive_joints_follow_their_cylinders_by_the_law_of_cosines():
    """Modules of two and of three paths: three and six passive joints, ranks three and six."""
    compiled = compile_mechanism(crane())
    assert blocks(compiled, ACTIVE) == sorted(len(joints) for joints in PASSIVE.values())
    found = assemble(compiled, {"lift": 0.9, "fold": 1.2})
    for name, angle in crane_solution(0.9, 1.2).items():
        assert found.of(name)[0] == pytest.approx(angle, abs=1e-13)


def test_a_line_symmetric_bricard_keeps_its_mobility_as_it_moves():
    compiled = compile_mechanism(line_symmetric_bricard())
    q = coordinates(compiled, assemble(compiled, {"1": 0.4}))
    assert residual_of(compiled, q) < 1e-13
    assert physical_rank(compiled, q) == 4
