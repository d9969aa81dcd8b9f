"""Values of cut joints: met, carried back to the caller's own cuts, and what cannot be asked."""

import math
from dataclasses import replace

import numpy as np
import pytest

from linkages.planar import GRASHOF, five_bar, four_bar_of, four_bar_solution
from linkages.spatial import delta
from linkages.stewart import leg_values, stewart, task_pose
from mechanisms import BARS, four_bar, four_bar_angles
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.rows import linearize
from robocompiler.errors import (
    KeptError,
    OverdeterminedError,
    PortsApartError,
    UnknownNameError,
    UnreachableError,
)
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.assembly.branches import branches
from robocompiler.solve.assembly.carrying import keeping
from robocompiler.solve.assembly.each import assemble_each
from robocompiler.solve.describe import coordinates
from robocompiler.solve.values import Want


def elbow(crank):
    coupler, rocker = four_bar_angles(crank)
    return rocker - coupler


def test_a_cut_pin_is_brought_to_its_angle_of_the_law_of_cosines():
    compiled = compile_mechanism(four_bar(0.7))
    assert compiled.closures[0].chord.joint.name == "C"
    found = assemble(compiled, {"C": elbow(1.3)})
    assert found.of("A")[0] == pytest.approx(1.3, abs=1e-14)
    assert found.of("C")[0] == pytest.approx(elbow(1.3), abs=1e-15)
    q = coordinates(compiled, found)
    assert np.abs(linearize(compiled, q).residual).max() < 1e-15
    assert {name for name, _ in found.moved} == {"A", "B", "D"}
    assert found.gaps[0].gap < 1e-15


def test_it_is_the_branch_of_the_configuration_it_starts_near():
    compiled = compile_mechanism(four_bar_of(GRASHOF["crank-rocker"], 1.2, 1))
    other = assemble(compile_mechanism(four_bar_of(GRASHOF["crank-rocker"], 1.2, -1)))
    coupler, rocker = four_bar_solution(GRASHOF["crank-rocker"], 1.5, -1)
    turned = round((other.of("C")[0] - (rocker - coupler)) / math.tau) * math.tau
    found = assemble(compiled, {"C": rocker - coupler + turned}, near=other)
    assert found.of("A")[0] == pytest.approx(1.5, abs=1e-13)


def test_whole_turns_of_a_cut_crank_are_kept():
    compiled = compile_mechanism(four_bar(0.7), cuts=["A"])
    found = assemble(compiled, {"A": 0.7 + 4.0 * math.pi})
    assert found.of("A")[0] == pytest.approx(0.7 + 4.0 * math.pi, abs=1e-14)
    assert assemble(compiled, {"A": found.of("A")[0] + 0.1}, near=found).of("A")[0] > 13.0


def test_a_value_out_of_reach_and_a_want_stop_at_the_toggle_of_the_pin():
    """It is most open where crank and ground are in line: the law of cosines."""
    a, b, c, d = (BARS[n] for n in ("crank", "coupler", "rocker", "ground"))
    most = math.acos((b**2 + c**2 - (a + d) ** 2) / (2 * b * c))
    compiled = compile_mechanism(four_bar(0.7))
    with pytest.raises(UnreachableError, match="'C' cannot be moved to") as caught:
        assemble(compiled, {"C": 3.0})
    assert caught.value.nearest[0] == pytest.approx(most, abs=1e-13)
    short = assemble(compiled, {"C": Want(3.0)})
    assert short.missed == (("C", pytest.approx(3.0 - most, abs=1e-13)),)
    assert short.of("C")[0] == pytest.approx(most, abs=1e-13)


def test_a_cut_and_a_tree_joint_share_the_freedoms_of_their_loop():
    compiled = compile_mechanism(five_bar())
    (cut,) = (closure.chord.joint.name for closure in compiled.closures)
    there = assemble(compiled, {"A": 2.2, "E": 0.9})
    found = assemble(compiled, {"A": 2.2, cut: there.of(cut)})
    assert found.of("E")[0] == pytest.approx(0.9, abs=1e-13)
    with pytest.raises(OverdeterminedError, match="taken by 'A' and 'C'"):
        assemble(compiled, {"A": 2.2, cut: there.of(cut), "E": 0.9})


def test_a_cut_ball_of_a_platform_is_put_to_what_the_pose_makes_it():
    """The six legs driven, one of their balls turned: with that ball, it is one too many."""
    compiled = compile_mechanism(stewart(task_pose(2.0)))
    cut = {c.chord.joint.name: c.chord.joint for c in compiled.closures}
    name, joint = next(iter(sorted(cut.items())))
    there = assemble(compile_mechanism(stewart(task_pose(2.1))))
    legs = [f"leg {i} length" for i in range(6)]
    values = {n: leg_values(task_pose(2.1))[n] for n in legs[: 6 - joint.kind.dof]}
    found = assemble(compiled, {**values, name: there.of(name)})
    for leg in legs:
        assert found.of(leg)[0] == pytest.approx(there.of(leg)[0], abs=1e-11)


def test_a_loop_of_nothing_but_asked_for_joints_says_that_one_has_to_follow():
    with pytest.raises(KeptError, match="follows from the others: leave one out"):
        assemble(compile_mechanism(four_bar()), dict.fromkeys("ABCD", 1.0))


def test_what_the_caller_would_be_told_without_it_is_told_with_it():
    compiled = compile_mechanism(four_bar(0.7))
    with pytest.raises(UnknownNameError, match="no joint 'Z'"):
        assemble(compiled, {"C": 1.0, "Z": 2.0})
    mechanism = four_bar(0.7)
    joints = tuple(replace(j, start=(1.6,)) if j.name == "D" else j for j in mechanism.joints)
    with pytest.raises(PortsApartError):
        assemble(compile_mechanism(replace(mechanism, joints=joints)), {"C": 1.0})


def test_a_seed_serves_a_cut_joint_too():
    compiled = compile_mechanism(four_bar(0.7))
    coupler, rocker = four_bar_angles(1.3)
    seed = {"A": 1.3, "B": coupler - 1.3, "D": rocker}
    found = assemble(compiled, {"C": elbow(1.35)}, seed=seed)
    assert found.of("A")[0] == pytest.approx(1.35, abs=1e-13)


def test_the_assemblies_with_a_cut_pin_at_an_angle_are_mirror_images():
    """The pin says how far its bars' ends are apart, and the crank may stand on either side."""
    compiled = compile_mechanism(four_bar(0.7))
    found = branches(compiled, {"C": 1.2}, starts=32)
    cranks = sorted(c.of("A")[0] for c in found.configurations)
    a, b, c, d = (BARS[n] for n in ("crank", "coupler", "rocker", "ground"))
    across = b**2 + c**2 - 2 * b * c * math.cos(1.2)
    exact = math.acos((a**2 + d**2 - across) / (2 * a * d))
    np.testing.assert_allclose(cranks, [-exact, exact], atol=1e-12)
    assert found.complete
    assert all(c.of("C")[0] == pytest.approx(1.2, abs=1e-12) for c in found.configurations)


def test_nothing_is_compiled_again_where_no_cut_joint_is_asked_for():
    compiled = compile_mechanism(four_bar(0.7), {JointKind.REVOLUTE})
    assert keeping(compiled, ["A", "nobody"]) is compiled
    again = keeping(compiled, ["A", "C"])
    assert not {"A", "C"} & {closure.chord.joint.name for closure in again.closures}


def test_a_ball_of_which_only_a_part_is_held_comes_to_rest():
    """Put back to where it was, it lacks some 1e-16 rad, which no step takes away."""
    compiled = compile_mechanism(delta())
    drawn = assemble(compiled)
    for name in [closure.chord.joint.name for closure in compiled.closures][:2]:
        found = assemble(compiled, {name: drawn.of(name)})
        for joint in compiled.joints:
            np.testing.assert_allclose(found.of(joint), drawn.of(joint), rtol=0, atol=1e-13)


def test_a_cut_joint_turns_as_often_as_what_drives_it():
    """A double crank's follower, cut or in the tree, from two turns behind to three ahead."""
    bars = GRASHOF["double-crank"]
    drawn = four_bar_solution(bars, 1.0)[1]
    turns = np.array([3.0, -2.0, 1.0])
    for cut in "DC":
        compiled = compile_mechanism(four_bar_of(bars, 1.0), cuts=[cut])
        near = assemble(compiled)
        for count in turns:
            near = assemble(compiled, {"A": 1.0 + 2.0 * np.pi * count}, near=near)
            assert near.of("D")[0] == pytest.approx(drawn + 2.0 * np.pi * count, abs=1e-12)
        each = assemble_each(compiled, {"A": 1.0 + 2.0 * np.pi * turns})
        assert each.of("D") == pytest.approx(drawn + 2.0 * np.pi * turns, abs=1e-12)
