"""Acceptance 3.1: coordinates, rows, ranks and blocks of every mechanism, and that it closes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from linkages.crane import crane
from linkages.drawing import drawn_values, rounded, turn
from linkages.excavator import CYLINDER_SPACE, JOINT_SPACE, excavator
from linkages.many_loops import ackermann, module_chain, scissor_lift
from linkages.overconstrained import bennett, bricard, line_symmetric_bricard, sarrus
from linkages.planar import (
    GRASHOF,
    braced_parallelogram,
    crank_range,
    five_bar,
    four_bar_of,
    slider_crank,
)
from linkages.planar_parallel import LEGS, three_rpr, three_rpr_assemblies, three_rrr
from linkages.robots import FEET, KANGAROO_MOTORS, SUPPORTS, go2, kangaroo, panda
from linkages.spatial import KINDS, delta, differential, loop_with
from linkages.stewart import stewart, task_pose, variants
from linkages.structure import (
    Structure,
    assert_same,
    blocks,
    body_rows,
    drawn_structure,
    papers_rows,
    physical_rank,
    rank_of,
    residual_of,
    structure_of,
)
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.assembly.assemble import assemble, coordinates
from robocompiler.solve.closure import linearize, scaled_jacobian
from robocompiler.solve.state import starting_coordinates

SOMEWHERE = turn((0.3, -0.4, 0.9), (0.1, 0.2, 0.3))


# --- The papers' table -------------------------------------------------------------------------


@pytest.mark.parametrize("variant", variants())
@pytest.mark.parametrize("ball", range(6))
def test_every_compiled_stewart_has_the_papers_structure(variant, ball):
    mechanism = stewart(task_pose(5.7), variants()[variant], tree_ball=ball)
    compiled = compile_mechanism(mechanism)
    assert {c.chord.joint.name for c in compiled.closures} == {
        f"leg {i} ball" for i in range(6) if i != ball
    }
    q = starting_coordinates(compiled)
    assert structure_of(compiled, q) == Structure(21, 5, 36, 30, 30, (15, 15), 6)
    assert residual_of(compiled, q) < 1e-14


def test_the_hand_chart_of_the_stewart_has_the_papers_structure():
    expected = Structure(24, 6, 42, 36, 36, (18, 18), 6)
    assert drawn_structure(stewart(task_pose(10.6), chart=True)) == expected


def test_a_stewart_on_universal_joints_has_that_structure_too_and_on_balls_six_idle_spins():
    expected = Structure(21, 5, 36, 30, 30, (15, 15), 6)
    assert drawn_structure(stewart(task_pose(5.7), kind="universal")) == expected
    expected = Structure(27, 5, 42, 30, 30, (15, 15), 12)
    assert drawn_structure(stewart(task_pose(5.7), kind="ball")) == expected


def test_the_excavator_has_the_papers_structure():
    """54 physical rows there, of two points for each revolute; ours are 45, of the same rank."""
    expected = Structure(23, 9, 32, 54, 25, (45, 16), 7)
    assert drawn_structure(excavator()) == expected
    joints = [j.kind for j in excavator().joints]
    assert (len(joints), joints.count(JointKind.PRISMATIC)) == (32, 6)


@pytest.mark.parametrize(
    ("independent", "expected"),
    [(JOINT_SPACE, [3, 3, 3, 3, 3, 10]), (CYLINDER_SPACE, [3, 6, 6, 10])],
)
def test_both_partitions_of_the_excavator_have_the_papers_blocks(independent, expected):
    """Slew and rotator are on no loop; the other independents leave full rank to the rest."""
    compiled = compile_mechanism(excavator())
    assert blocks(compiled, independent) == expected
    K = papers_rows(compiled, starting_coordinates(compiled))
    dependent = [t.v.start for t in compiled.tree if t.edge.joint.name not in independent]
    dependent += range(compiled.nv, K.shape[1])
    assert len(dependent) == rank_of(K[:, dependent]) == 25
    assert sorted(len(module.joints) for module in compiled.modules) == [3, 5, 5, 8]
    on_loops = {compiled.tree[i].edge.joint.name for m in compiled.modules for i in m.joints}
    assert set(independent) - on_loops == {"slew", "rotator"}


def test_both_parallel_cylinders_cannot_be_independent():
    compiled = compile_mechanism(excavator())
    K = papers_rows(compiled, starting_coordinates(compiled))
    asked = {*CYLINDER_SPACE, "boom cylinder 1"} - {"rotator"}
    dependent = [t.v.start for t in compiled.tree if t.edge.joint.name not in asked]
    dependent += range(compiled.nv, K.shape[1])
    assert rank_of(K[:, dependent]) < 25


def test_the_kangaroo_has_the_papers_structure():
    compiled = compile_mechanism(kangaroo(floating=False))
    q = starting_coordinates(compiled)
    assert structure_of(compiled, q) == Structure(76, 24, 140, 144, 128, (80, 64), 12)
    assert blocks(compiled, KANGAROO_MOTORS) == [5, 5, 12, 12, 47, 47]
    assert len(compiled.modules) == 6
    sides = [side for c in compiled.closures for side in (c.to_parent, c.to_child)]
    assert max(map(len, sides)) == 3
    assert residual_of(compiled, q) < 1e-14


def test_the_kangaroo_is_cut_at_its_declared_closures_even_where_none_is_declared():
    chords = {c.chord.joint.name for c in compile_mechanism(kangaroo()).closures}
    found = compile_mechanism(kangaroo(declared=False, limits=False)).closures
    assert {c.chord.joint.name for c in found} == chords


def test_the_kangaroo_cut_at_revolute_joints_stands_the_same():
    declared = assemble(compile_mechanism(kangaroo(limits=False)))
    elsewhere = compile_mechanism(kangaroo(limits=False), {JointKind.REVOLUTE})
    assert len(elsewhere.closures) == 24
    found = assemble(elsewhere, tolerance=(1e-3, 1e-2))
    assert residual_of(elsewhere, coordinates(elsewhere, found)) < 1e-13
    assert elsewhere.nv - physical_rank(elsewhere, coordinates(elsewhere, found)) == 18
    assert_same(dict(found.values), dict(declared.values), 1e-10)


@pytest.mark.parametrize(
    ("soles", "rows", "rank", "independent"),
    [
        ((), 80, 64, 18),
        (("left",), 86, 70, 12),
        (("right",), 86, 70, 12),
        (("left", "right"), 92, 76, 6),
    ],
)
def test_the_kangaroo_on_its_soles_has_the_papers_ranks(soles, rows, rank, independent):
    """A weld of each sole adds six rows; welded into the world, it leaves the same freedoms."""
    compiled = compile_mechanism(kangaroo())
    q = starting_coordinates(compiled)
    K = np.vstack(
        [scaled_jacobian(compiled, q, module) for module in compiled.modules]
        + [body_rows(compiled, q, f"{side}_ankle_roll") for side in soles]
    )
    assert K.shape[0] == rows
    assert rank_of(K) == rank
    welded = compile_mechanism(kangaroo(soles=soles))
    q = starting_coordinates(welded)
    assert welded.nv - physical_rank(welded, q) == independent == compiled.nv - rank
    assert residual_of(welded, q) < 1e-13


@pytest.mark.parametrize("feet", SUPPORTS, ids="+".join)
def test_go2_on_any_feet_has_the_papers_ranks(feet):
    compiled = compile_mechanism(go2(feet))
    q = starting_coordinates(compiled)
    count = len(feet)
    expected = Structure(18, count, 18 + 3 * count, 6 * count, 6 * count, (3 * count,) * 2, 0)
    assert structure_of(compiled, q) == replace(expected, mobility=18 - 3 * count)
    # Three leg joints and the ball's three freedoms each; all one where the base depends on them.
    assert blocks(compiled, {"base"}) == [6] * count
    assert blocks(compiled, set()) == [6 + 6 * count]


def test_go2_has_eleven_support_sets_and_none_of_them_is_needed():
    assert len(SUPPORTS) == 11
    assert FEET == SUPPORTS[-1]
    assert drawn_structure(go2()) == Structure(18, 0, 18, 0, 0, (0, 0), 18)


def test_the_panda_has_the_papers_structure_with_its_tool_and_its_fingers_coupled():
    """Twelve rows there, five of the coupling's six being zero; 14 and 6 once it is eliminated."""
    compiled = compile_mechanism(panda(tool=True))
    q = starting_coordinates(compiled)
    target, (coupling,) = papers_rows(compiled, q), compiled.couplings
    assert target.shape == (6, 15)
    row = np.zeros((1, 15))
    (leader,), (ratio,) = coupling.leaders, coupling.ratios
    row[0, [coupling.follower.v, leader.v]] = 1.0, -ratio
    assert rank_of(np.vstack([target, row])) == 7
    assert 15 - 7 == 8
    kept = np.delete(np.eye(15), coupling.follower.v, axis=1)
    kept[coupling.follower.v] = ratio * kept[leader.v]
    assert (target @ kept).shape == (6, 14)
    assert rank_of(target @ kept) == 6


# --- The others: closed forms say that they close, mobility is known -----------------------------

TABLE = {
    **{
        f"four-bar {name} {branch:+d}": (
            four_bar_of(bars, sum(crank_range(bars)) / 2, branch, SOMEWHERE),
            (3, 1, 5, 2, 1),
        )
        for name, bars in GRASHOF.items()
        for branch in (1, -1)
    },
    "slider-crank": (slider_crank(ground=SOMEWHERE), (3, 1, 5, 2, 1)),
    "slider-crank, other branch": (slider_crank(branch=-1), (3, 1, 5, 2, 1)),
    "five-bar": (five_bar(ground=SOMEWHERE), (4, 1, 5, 2, 2)),
    "braced parallelogram": (braced_parallelogram(ground=SOMEWHERE), (4, 2, 10, 3, 1)),
    "3-RPR": (three_rpr(ground=SOMEWHERE), (7, 2, 10, 4, 3)),
    "3-RRR": (three_rrr(ground=SOMEWHERE), (7, 2, 10, 4, 3)),
    "scissor lift of ten loops": (scissor_lift(10, ground=SOMEWHERE), (21, 10, 50, 20, 1)),
    "Ackermann, wheels spinning": (ackermann(ground=SOMEWHERE), (5, 1, 5, 2, 3)),
    "chain of 16": (module_chain(16, ground=SOMEWHERE), (48, 16, 80, 32, 16)),
    "Bennett": (bennett(ground=SOMEWHERE), (3, 1, 5, 2, 1)),
    "Bricard": (bricard(ground=SOMEWHERE), (5, 1, 5, 4, 1)),
    "line-symmetric Bricard": (line_symmetric_bricard(), (5, 1, 5, 4, 1)),
    "Sarrus": (sarrus(ground=SOMEWHERE), (5, 1, 5, 4, 1)),
    "Sarrus, three sides": (sarrus(sides=(0.0, 2.0, 4.0)), (7, 2, 10, 6, 1)),
    "delta, six rods idle": (delta(ground=SOMEWHERE), (24, 5, 15, 15, 9)),
    "differential": (differential(ground=SOMEWHERE), (5, 0, 3, 3, 2)),
    "differential in bearings": (differential(bearings=True), (5, 2, 13, 3, 2)),
    "crane": (crane(), (13, 3, 15, 6, 7)),
    **{
        f"loop with {kind.value}": (loop_with(kind), None)
        for kind in KINDS
        if kind is not JointKind.FREE
    },
}


@pytest.mark.parametrize("name", TABLE)
def test_every_mechanism_closes_and_has_its_mobility(name):
    """Speeds, cuts, minimal rows, their rank, mobility; drawn closed, and so assembled."""
    mechanism, expected = TABLE[name]
    compiled = compile_mechanism(mechanism)
    q = starting_coordinates(compiled)
    assert residual_of(compiled, q) < 5e-15
    found = structure_of(compiled, q)
    if expected is None:
        assert (found.rank, found.mobility) == (6, 1)
    else:
        got = (found.tree, found.cuts, *found.physical, found.mobility)
        assert got == expected
    configuration = assemble(compiled)
    assert residual_of(compiled, coordinates(compiled, configuration)) <= 1e-13
    assert configuration.moved == ()


def test_a_chain_of_128_modules_is_as_many_of_four_joints():
    compiled = compile_mechanism(module_chain(128))
    assert [len(module.joints) for module in compiled.modules] == [3] * 128
    phi = linearize(compiled, starting_coordinates(compiled)).residual
    assert phi.size == 640
    assert np.max(np.abs(phi)) < 1e-14


@pytest.mark.parametrize(
    "builder", [bennett, bricard, line_symmetric_bricard, sarrus, scissor_lift]
)
def test_geometry_rounded_to_six_decimals_keeps_its_rank_at_the_geometry_tolerance(builder):
    exact = compile_mechanism(builder(ground=SOMEWHERE))
    file = compile_mechanism(rounded(builder(ground=SOMEWHERE)))
    q = coordinates(file, assemble(file))
    assert 1e-9 < residual_of(file, q) < 1e-5
    expected = physical_rank(exact, starting_coordinates(exact))
    assert physical_rank(file, q, least=1e-5) == expected


def test_six_assemblies_of_the_3_rpr_share_their_legs():
    poses = three_rpr_assemblies()
    assert len(poses) == 6
    for i, pose in enumerate(poses):
        mechanism = three_rpr(i)
        values = drawn_values(mechanism)
        assert [values[f"P {k}"][0] for k in range(3)] == pytest.approx(LEGS, abs=1e-14)
        assert all(math.dist(pose, other) > 0.1 for other in poses[:i])
        compiled = compile_mechanism(mechanism)
        assert residual_of(compiled, coordinates(compiled, assemble(compiled))) < 1e-13
