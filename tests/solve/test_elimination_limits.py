"""Limits, values and branches of joints that follow by couplings, eliminated or kept."""

from dataclasses import replace

import numpy as np
import pytest

from linkages.drawing import Drawing, at
from linkages.planar import GRASHOF, four_bar_of, four_bar_solution
from robocompiler import Assembled, Want, assemble, assemble_each, branches, driver_range, follow
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.errors import AssembledOutsideLimitsError, SampleError, SpeedError, StoppedError
from robocompiler.model.mechanism import WORLD, Coupling, Leader, Mechanism
from robocompiler.solve.motion.driver_range import Stop

BARS = GRASHOF["crank-rocker"]
DRAWN = four_bar_solution(BARS, 0.7)[1]
KEPT_OR_NOT = pytest.mark.parametrize("eliminate", [False, True])


def coupled(drawing: Drawing, follower: str, leaders: dict[str, float]) -> Mechanism:
    led = tuple(Leader(coordinate=name, ratio=ratio) for name, ratio in leaders.items())
    gear = Coupling(name="gear", follower=follower, leaders=led, offset=0.0)
    return replace(drawing.mechanism(), couplings=(gear,))


def shafts(leaders: dict[str, float]) -> Mechanism:
    """Shafts on the world, on no loop; `X` follows the leaders and stops at ±0.5."""
    drawing = Drawing("shafts")
    for i, name in enumerate((*leaders, "X")):
        stops = {"limits": ((-0.5, 0.5),)} if name == "X" else {}
        drawing.body(f"shaft {name}")
        drawing.revolute(name, (WORLD, f"shaft {name}"), at(float(i)), **stops)
    return coupled(drawing, "X", leaders)


def gauged(highest: float = 100.0) -> Mechanism:
    """A four-bar with a pointer `X` that shows twice its rocker's angle and a knob's: 2 D + Y."""
    loop, drawing = four_bar_of(BARS, 0.7), Drawing("pointer and knob")
    drawing.body("pointer")
    drawing.revolute("X", (WORLD, "pointer"), at(1.0), 2.0 * DRAWN + 0.3, limits=((-9.0, highest),))
    drawing.body("knob")
    drawing.revolute("Y", (WORLD, "knob"), at(2.0), 0.3)
    added = coupled(drawing, "X", {"D": 2.0, "Y": 1.0})
    return replace(
        loop,
        bodies=loop.bodies + added.bodies,
        frames=loop.frames + added.frames,
        joints=loop.joints + added.joints,
        couplings=added.couplings,
    )


def compiled_pair(mechanism, eliminate):
    return compile_mechanism(mechanism, eliminate_couplings=eliminate)


@KEPT_OR_NOT
def test_a_leader_on_no_loop_stops_where_its_follower_does(eliminate):
    compiled = compiled_pair(shafts({"Y": -2.0}), eliminate)
    with pytest.raises(StoppedError, match=r"'Y' .* the limit of joint 'X' .* -14.3239°"):
        assemble(compiled, {"Y": -1.0})
    found = assemble(compiled, {"Y": Want(-1.0)})
    assert (found.of("Y")[0], found.of("X")[0]) == pytest.approx((-0.25, 0.5), abs=1e-9)
    assert found.missed == (("Y", pytest.approx(0.75, abs=1e-9)),)
    with pytest.raises(SampleError, match="limit of joint 'X'"):
        follow(compiled, {"Y": [0.1, 1.0]})
    each = assemble_each(compiled, {"Y": [0.1, 1.0]}, partial=True)
    assert each.reached.tolist() == [True, False]
    assert each.of("X")[0] == pytest.approx(-0.2, abs=1e-15)
    reach = driver_range(compiled, "Y")
    for end, value in ((reach.lowest, -0.25), (reach.highest, 0.25)):
        assert (end.stop, end.joints) == (Stop.LIMIT, ("X",))
        assert end.value == pytest.approx(value, abs=1e-13)
    assert branches(compiled, {"Y": 1.0}).configurations == ()
    assert branches(compiled, {"Y": 0.2}).configurations[0].of("X")[0] == pytest.approx(-0.4)


@KEPT_OR_NOT
def test_two_leaders_that_move_together_do_not_stop_at_what_shows_their_difference(eliminate):
    compiled = compiled_pair(shafts({"left": 1.0, "right": -1.0}), eliminate)
    together = {"left": [0.2, 1.0], "right": [0.2, 1.0]}
    assert follow(compiled, together).of("X") == pytest.approx([0.0, 0.0], abs=1e-15)
    assert assemble(compiled, {"left": 1.0, "right": 0.9}).of("X")[0] == pytest.approx(0.1)


@KEPT_OR_NOT
def test_a_leader_on_a_loop_stops_where_its_follower_beside_the_loop_does(eliminate):
    compiled = compiled_pair(gauged(highest=3.3), eliminate)
    with pytest.raises(StoppedError, match="the limit of joint 'X'"):
        assemble(compiled, {"A": 1.2, "Y": 0.3})
    standing = Assembled(compiled, assemble(compiled), ["A", "Y"])
    before = standing.q
    with pytest.raises((StoppedError, AssembledOutsideLimitsError), match=r"joint 'X'|'X' comes"):
        standing.update({"A": 1.2})
    np.testing.assert_array_equal(standing.q, before)
    standing.update({"A": 1.2, "Y": 0.1})
    exact = 2.0 * four_bar_solution(BARS, 1.2)[1] + 0.1
    assert standing.configuration.of("X")[0] == pytest.approx(exact, abs=1e-13)


@KEPT_OR_NOT
def test_an_update_moves_a_leader_that_is_on_no_loop_itself(eliminate):
    compiled = compiled_pair(gauged(), eliminate)
    standing = Assembled(compiled, assemble(compiled), ["A", "Y"])
    standing.update({"Y": 1.0})
    assert standing.configuration.of("Y") == (1.0,)
    assert standing.configuration.of("X")[0] == pytest.approx(2.0 * DRAWN + 1.0, abs=1e-13)


@KEPT_OR_NOT
def test_every_assembly_meets_its_couplings_turns_and_all(eliminate):
    compiled = compiled_pair(gauged(), eliminate)
    found = branches(compiled, {"A": 1.2, "Y": 1.0}).configurations
    rockers = sorted(np.remainder([own.of("D")[0] for own in found], 2.0 * np.pi))
    exact = [four_bar_solution(BARS, 1.2, branch)[1] for branch in (1, -1)]
    assert rockers == pytest.approx(sorted(np.remainder(exact, 2.0 * np.pi)), abs=1e-12)
    for own in found:
        assert own.of("Y") == (1.0,)
        assert own.of("X")[0] == pytest.approx(2.0 * own.of("D")[0] + 1.0, abs=1e-12)


@KEPT_OR_NOT
def test_an_assembly_is_within_limits_if_it_is_so_by_other_whole_turns(eliminate):
    compiled = compiled_pair(gauged(highest=4.0), eliminate)
    (own,) = branches(compiled, {"A": 1.2, "Y": 1.0}).configurations
    exact = four_bar_solution(BARS, 1.2, -1)[1]
    turns = (own.of("D")[0] - exact) / (2.0 * np.pi)
    assert turns == pytest.approx(round(turns), abs=1e-12)
    assert -9.0 <= own.of("X")[0] <= 4.0


def test_a_value_beyond_the_limit_of_a_joint_on_no_loop_is_no_branch():
    drawing = Drawing("door")
    drawing.body("door")
    drawing.revolute("hinge", (WORLD, "door"), at(), limits=((-0.5, 0.5),))
    with pytest.raises(StoppedError, match="'hinge'"):
        branches(compile_mechanism(drawing.mechanism()), {"hinge": 1.0})


@KEPT_OR_NOT
def test_a_follower_may_be_asked_for_a_speed(eliminate):
    compiled = compiled_pair(gauged(), eliminate)
    found = assemble(compiled, speeds={"D": 1.0, "X": 2.5})
    assert found.speeds_of("Y")[0] == pytest.approx(0.5, abs=1e-13)
    with pytest.raises(SpeedError, match="'X'"):
        assemble(compiled, speeds={"D": 1.0, "Y": 0.0, "X": 2.5})
