"""Acceptance 3.1: coordinates, rows, ranks and blocks of every mechanism, and that it closes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from linkages.drawing import drawn_values, rounded
from linkages.excavator import CYLINDER_SPACE, JOINT_SPACE, excavator
from linkages.known import ROUNDED, SOMEWHERE, TABLE
from linkages.many_loops import module_chain
from linkages.oracle import standing_at
from linkages.papers_table import PAPERS_TABLE
from linkages.planar_parallel import LEGS, three_rpr, three_rpr_assemblies
from linkages.robots import FEET, SUPPORTS, go2, kangaroo
from linkages.stewart import stewart, task_pose, variants
from linkages.structure import (
    Structure,
    assert_same,
    blocks,
    drawn_structure,
    papers_rows,
    physical_rank,
    rank_of,
    residual_of,
    structure_of,
)
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.rows import linearize
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.assembly.assemble import assemble, coordinates
from robocompiler.solve.state import starting_coordinates

# --- The papers' table -------------------------------------------------------------------------


@pytest.mark.parametrize("what", PAPERS_TABLE)
def test_every_count_is_the_papers(what):
    count, expected = PAPERS_TABLE[what]
    assert count() == expected


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


def test_a_stewart_on_universal_joints_has_that_structure_too_and_on_balls_six_idle_spins():
    expected = Structure(21, 5, 36, 30, 30, (15, 15), 6)
    assert drawn_structure(stewart(task_pose(5.7), kind="universal")) == expected
    expected = Structure(27, 5, 42, 30, 30, (15, 15), 12)
    assert drawn_structure(stewart(task_pose(5.7), kind="ball")) == expected


def test_the_excavator_has_the_papers_joints():
    joints = [j.kind for j in excavator().joints]
    assert (len(joints), joints.count(JointKind.PRISMATIC)) == (32, 6)


@pytest.mark.parametrize("independent", [JOINT_SPACE, CYLINDER_SPACE])
def test_both_partitions_of_the_excavator_leave_full_rank_to_the_rest(independent):
    """Slew and rotator are on no loop."""
    compiled = compile_mechanism(excavator())
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


def test_the_kangaroo_has_six_modules_and_is_drawn_closed():
    compiled = compile_mechanism(kangaroo(floating=False))
    assert len(compiled.modules) == 6
    assert residual_of(compiled, starting_coordinates(compiled)) < 1e-14


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
    ("soles", "independent"),
    [((), 18), (("left",), 12), (("right",), 12), (("left", "right"), 6)],
)
def test_the_kangaroo_welded_into_the_world_by_its_soles_keeps_its_freedoms(soles, independent):
    welded = compile_mechanism(kangaroo(soles=soles))
    q = starting_coordinates(welded)
    assert welded.nv - physical_rank(welded, q) == independent
    assert residual_of(welded, q) < 1e-13


@pytest.mark.parametrize("feet", SUPPORTS, ids="+".join)
def test_the_feet_of_go2_are_one_block_each_where_its_base_does_not_depend_on_them(feet):
    """Three leg joints and the ball's three freedoms each; all one where the base depends."""
    compiled = compile_mechanism(go2(feet))
    assert blocks(compiled, {"base"}) == [6] * len(feet)
    assert blocks(compiled, set()) == [6 + 6 * len(feet)]


def test_go2_has_eleven_support_sets_and_none_of_them_is_needed():
    assert len(SUPPORTS) == 11
    assert FEET == SUPPORTS[-1]
    assert drawn_structure(go2()) == Structure(18, 0, 18, 0, 0, (0, 0), 18)


# --- The others: closed forms say that they close, mobility is known -----------------------------


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
    q = coordinates(compiled, configuration)
    assert residual_of(compiled, q) <= 1e-13
    assert max(standing_at(compiled, q).gaps) <= 1e-13  # by 4 x 4 matrices of the records
    assert configuration.moved == ()


def test_a_chain_of_128_modules_is_as_many_of_four_joints():
    compiled = compile_mechanism(module_chain(128))
    assert [len(module.joints) for module in compiled.modules] == [3] * 128
    phi = linearize(compiled, starting_coordinates(compiled)).residual
    assert phi.size == 640
    assert np.max(np.abs(phi)) < 1e-14


@pytest.mark.parametrize("builder", ROUNDED)
def test_geometry_rounded_to_six_decimals_keeps_its_rank_at_the_geometry_tolerance(builder):
    exact = compile_mechanism(ROUNDED[builder](ground=SOMEWHERE))
    file = compile_mechanism(rounded(ROUNDED[builder](ground=SOMEWHERE)))
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
