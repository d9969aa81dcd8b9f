"""A mechanism moves alike wherever it is cut, and as its closed form says."""

from __future__ import annotations

import pytest

from linkages.crane import ACTIVE, PASSIVE, crane, crane_solution
from linkages.drawing import cut_at, drawn_values, starting_at
from linkages.go2_gait import PERIOD, feet_at, gait
from linkages.known import MOVES
from linkages.many_loops import ackermann, ackermann_angle
from linkages.overconstrained import line_symmetric_bricard
from linkages.robots import FEET, go2
from linkages.spatial import KINDS, loop_with
from linkages.structure import assert_same, blocks, physical_rank, residual_of
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.assembly.assemble import assemble, coordinates


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


@pytest.mark.parametrize("index", [0, 215, 640, 1333, 2400])
def test_the_gait_of_go2_puts_its_feet_where_it_says(index):
    """Legs in closed form against the tree walked outward; some of these feet are in the air."""
    base, legs = gait(index)
    frames = {frame.name: frame for frame in go2(FEET, base=base, legs=legs).frames}
    for name, at in zip(FEET, feet_at(index * PERIOD), strict=True):
        assert frames[f"{name} foot.F"].position == pytest.approx(at, abs=1e-14)
