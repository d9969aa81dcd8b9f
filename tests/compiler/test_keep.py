"""Joints that are asked to be kept whole are not cut, and loops say so."""

import pytest

from mechanisms import four_bar
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.errors import CutError, KeptError, UnknownNameError
from robocompiler.model.joint_kinds import JointKind


def test_a_joint_that_is_kept_makes_way_for_the_next_of_its_loop():
    (closure,) = compile_mechanism(four_bar(), keep=["C"]).closures
    assert (closure.name, closure.chord.joint.name) == ("C", "A")
    assert "'C' was asked to be kept" in closure.reason


def test_the_one_joint_that_is_not_kept_is_cut_whatever_it_bears():
    mechanism = four_bar(joint={"A": {"effort": 1.0, "limits": ((-9.0, 9.0),)}})
    (closure,) = compile_mechanism(mechanism, keep="BCD").closures
    assert closure.chord.joint.name == "A"
    assert closure.reason.startswith("no other joint of its loop can be cut")


def test_what_a_format_can_cut_and_what_is_kept_count_together():
    kinds = {"B": JointKind.CYLINDRICAL, "D": JointKind.CYLINDRICAL}
    (closure,) = compile_mechanism(
        four_bar(kinds=kinds), {JointKind.CYLINDRICAL}, keep="B"
    ).closures
    assert closure.chord.joint.name == "D"


def test_a_loop_that_is_kept_altogether_is_refused_with_its_joints():
    with pytest.raises(KeptError, match="leave one out") as caught:
        compile_mechanism(four_bar(), keep="ABCD")
    assert caught.value.kept == tuple(caught.value.loop)
    assert set(caught.value.loop) == set("ABCD")
    with pytest.raises(KeptError) as among_balls:
        compile_mechanism(four_bar(kinds={"B": JointKind.BALL}), {JointKind.BALL}, keep="B")
    assert among_balls.value.kept == ("B",)


def test_what_cannot_be_kept_is_refused():
    with pytest.raises(UnknownNameError, match="no joint 'Z'"):
        compile_mechanism(four_bar(), keep=["Z"])
    with pytest.raises(CutError, match="'C' is also asked to be kept"):
        compile_mechanism(four_bar(), cuts=["C"], keep=["C"])


def test_every_joint_that_moves_is_known_by_name_wherever_it_is_cut():
    for cut in "ABCD":
        assert set(compile_mechanism(four_bar(), cuts=[cut]).joints) == set("ABCD")
