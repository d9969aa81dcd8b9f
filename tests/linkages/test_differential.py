"""A differential by its gears, and as one coupling of two leaders: cage = (left + right) / 2."""

from dataclasses import replace

import numpy as np
import pytest

from closed_mechanisms import closed
from linkages.drawing import drawn_values, starting_at, turn
from linkages.spatial import differential, summing_differential
from linkages.structure import residual_of, structure_of
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.errors import CouplingError, OverdeterminedError
from robocompiler.model.mechanism import Coupling, Leader
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.describe import coordinates
from robocompiler.solve.mobility.mobility import mobility
from robocompiler.solve.motion.follow import follow
from robocompiler.solve.reduction.curvature import curvature
from robocompiler.solve.reduction.partition import PartitionError
from robocompiler.solve.reduction.reduce import reduce
from robocompiler.solve.state import evaluate, starting_coordinates

SOMEWHERE = turn((0.3, -0.4, 0.9), (0.1, 0.2, 0.3))
# Drawn at a pinion of 0.4 and a difference of 0.3: other turns of the two shafts [rad].
TURNS = [(0.0, 0.0), (0.9, -0.2), (-2.5, -1.1), (40.0, 37.0)]


@pytest.mark.parametrize(("left", "right"), TURNS)
def test_both_forms_of_a_differential_move_alike(left, right):
    """Driven by its shafts, or by pinion and planet: every body stands where it does there."""
    summing = compile_mechanism(summing_differential(ground=SOMEWHERE))
    geared = compile_mechanism(differential(bearings=True, ground=SOMEWHERE))
    found = assemble(summing, {"left": left, "right": right})
    cage, planet = (left + right) / 2.0, (left - right) / 2.0
    assert found.of("cage")[0] == pytest.approx(cage, abs=1e-13)
    there = assemble(geared, {"pinion": 3.5 * cage, "planet": planet})
    pairs = {"left": "left bearing", "right": "right bearing"}
    pairs |= {name: name for name in ("cage", "pinion", "planet")}
    for ours, theirs in pairs.items():
        apart = abs(found.of(ours)[0] - there.of(theirs)[0]) % (2.0 * np.pi)
        assert min(apart, 2.0 * np.pi - apart) < 1e-13
    poses = [places(compiled, c) for compiled, c in ((summing, found), (geared, there))]
    for name, X in poses[0].items():
        np.testing.assert_allclose(poses[1][name].p, X.p, atol=1e-13)
        np.testing.assert_allclose(poses[1][name].R, X.R, atol=1e-13)


def places(compiled, configuration):
    state = evaluate(compiled, coordinates(compiled, configuration))
    return {body.name: X for body, X in zip(compiled.bodies, state.poses, strict=True)}


def test_two_of_its_turns_say_the_third():
    compiled = compile_mechanism(summing_differential())
    found = assemble(compiled, {"cage": 0.7, "right": -0.2})
    assert found.of("left")[0] == pytest.approx(2 * 0.7 + 0.2, abs=1e-13)
    with pytest.raises(OverdeterminedError, match=r"coupling .* has 2 freedoms, taken by"):
        assemble(compiled, {"cage": 0.7, "right": -0.2, "left": 1.6})


def test_it_has_two_freedoms_in_one_module_of_three_rows():
    compiled = compile_mechanism(summing_differential(ground=SOMEWHERE))
    q = starting_coordinates(compiled)
    assert residual_of(compiled, q) < 5e-15
    found = mobility(compiled, q)
    assert (int(found), found.grubler, found.redundant) == (2, 2, ())
    structure = structure_of(compiled, q)
    assert (structure.tree, structure.cuts, structure.physical) == (5, 0, (3, 3))
    (module,) = compiled.modules
    assert (module.closures, module.couplings, module.joints) == ((), (0, 1, 2), (0, 1, 2, 3, 4))


@pytest.mark.parametrize(
    ("independent", "lift"),
    [
        (("left", "right"), {"cage": (0.5, 0.5), "pinion": (1.75, 1.75), "planet": (0.5, -0.5)}),
        (("cage", "left"), {"right": (2.0, -1.0), "pinion": (3.5, 0.0), "planet": (-1.0, 1.0)}),
        (("pinion", "planet"), {"left": (1 / 3.5, 1.0), "right": (1 / 3.5, -1.0)}),
    ],
)
def test_its_lift_is_the_ratios(independent, lift):
    compiled, q = closed(summing_differential())
    reduction = reduce(compiled, q, independent, complete=False)
    assert reduction.names == independent
    for name, row in lift.items():
        at = next(t.v.start for t in compiled.tree if t.edge.joint.name == name)
        np.testing.assert_allclose(reduction.E[at], row, atol=2e-15)
    v = reduction.E @ np.array([0.7, -1.3])
    np.testing.assert_allclose(curvature(compiled, q, v, reduction), 0.0, atol=1e-15)


def test_a_third_turn_is_not_independent_of_two():
    compiled, q = closed(summing_differential())
    with pytest.raises(PartitionError):
        reduce(compiled, q, ("left", "right", "cage"))


def test_a_shaft_that_is_turned_turns_the_other_back_while_the_pinion_stands():
    compiled = compile_mechanism(summing_differential())
    start = drawn_values(summing_differential())
    lefts = np.linspace(start["left"][0], 3.0, 7)
    motion = follow(compiled, {"left": lefts})
    assert motion.held == ("pinion",)
    column = {t.edge.joint.name: t.q.start for t in compiled.tree}
    np.testing.assert_allclose(motion.q[:, column["cage"]], start["cage"][0], atol=1e-13)
    expected = 2.0 * start["cage"][0] - lefts
    np.testing.assert_allclose(motion.q[:, column["right"]], expected, atol=1e-13)


def test_drawn_otherwise_it_says_where_each_leader_stands_and_where_they_put_it():
    off = starting_at(summing_differential(), cage=np.radians(50.0), left=np.radians(60.0))
    off = replace(starting_at(off, right=np.radians(20.0)), couplings=off.couplings[:1])
    said = (
        "Coupling 'cage': 'cage' is drawn at 50°, but 'left' at 60° and 'right' at 20° put it at "
        "40°. State offset=10, or move a starting value."
    )
    with pytest.raises(CouplingError) as caught:
        assemble(compile_mechanism(off))
    assert str(caught.value) == said


def test_an_offset_and_ratios_of_other_signs_hold():
    leaders = (Leader(coordinate="left", ratio=-2.0), Leader(coordinate="right", ratio=3.0))
    start = {"left": 0.3, "right": 0.5, "cage": 1.4}
    tied = Coupling(name="k", follower="cage", leaders=leaders, offset=0.5)
    mechanism = replace(starting_at(summing_differential(), **start), couplings=(tied,))
    compiled = compile_mechanism(mechanism)
    found = assemble(compiled, {"left": -0.4, "right": 0.25})
    assert found.of("cage")[0] == pytest.approx(0.8 + 0.75 + 0.5, abs=1e-14)
    batch = np.broadcast_to(coordinates(compiled, found), (3, compiled.nq)) + 0.0
    batch[1, compiled.couplings[0].follower.q] += 0.1
    np.testing.assert_allclose(compiled.couplings[0].residual(batch), [0.0, 0.1, 0.0], atol=1e-15)
