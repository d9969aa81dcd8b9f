"""What did not change is not solved again, and a failure changes nothing."""

import math
from dataclasses import replace

import numpy as np
import pytest

from linkages.crane import Strokes, crane, crane_solution
from linkages.drawing import Drawing, at, drawn_values
from linkages.excavator import CYLINDER_SPACE, JOINT_SPACE, Posture, excavator
from linkages.many_loops import shared_crank
from linkages.planar import GRASHOF, crank_range, four_bar_of, four_bar_solution
from linkages.robots import FEET, KANGAROO_MOTORS, go2, kangaroo
from linkages.spatial import loop_with
from linkages.stewart import stewart, task_pose
from linkages.structure import assert_same, residual_of
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.errors import (
    BadValueError,
    FollowsError,
    SeveralFaultsError,
    StoppedError,
    UnreachableError,
)
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.assembly.update import Assembled
from robocompiler.solve.reduction.partition import PartitionError
from robocompiler.solve.reduction.reduce import RankChangedError
from robocompiler.solve.state import evaluate
from robocompiler.solve.values import Want

S = Strokes()
SIDES = {"left": (0.4, 0.15, 0.4, 0.3), "right": (0.3, 0.15, 0.2, 0.2)}
TILT = 2.0
TOGGLE = TILT - crank_range(SIDES["right"])[1]
"""The crank angle at which the right side is stretched; the left one turns all the way."""


def start(mechanism, independent=()):
    compiled = compile_mechanism(mechanism)
    return Assembled(compiled, assemble(compiled), independent)


@pytest.fixture
def standing():
    return start(crane())


def loops_with(standing, joint):
    """The cut joints on whose paths a joint lies: what it moves, where it is independent."""
    compiled = standing.compiled
    return {
        closure.name
        for closure in compiled.closures
        if joint in {compiled.tree[i].edge.joint.name for i in closure.path}
    }


def names_over(standing, loops):
    return {module.name for module in standing.modules if loops & set(module.closures)}


def coordinates_of(standing, joints):
    own = [t.q for t in standing.compiled.tree if t.edge.joint.name in joints]
    return np.concatenate([standing.q[q] for q in own])


def updated(standing, values):
    """What was solved, after seeing that the rest stood still to the last bit, and that all close.

    The rest: joints of modules that were skipped, and independent joints that were given nothing.
    """
    before = {name: coordinates_of(standing, [name]) for name in names(standing)}
    done = standing.update(values)
    assert {*done.solved, *done.skipped} == {module.name for module in standing.modules}
    moving = {joint for m in standing.modules if m.name in done.solved for joint in m.dependent}
    moving = {name.partition("/")[0] for name in moving} | set(values)
    for name in set(before) - moving:
        np.testing.assert_array_equal(coordinates_of(standing, [name]), before[name])
    assert residual_of(standing.compiled, standing.q) < 1e-13
    return done.solved


def names(standing):
    return [t.edge.joint.name for t in standing.compiled.tree]


def test_unchanged_inputs_solve_nothing(standing):
    assert standing.update({}).solved == ()
    same = standing.update({"lift": S.lift, "slew": S.slew})
    assert same.solved == ()
    assert len(same.skipped) == 2


def test_one_cylinder_solves_exactly_the_modules_it_touches(standing):
    done = updated(standing, {"lift": S.lift + 0.05})
    assert set(done) == names_over(standing, loops_with(standing, "lift"))
    assert len(done) == 1
    exact = crane_solution(S.lift + 0.05, S.fold)
    assert standing.configuration.of("boom")[0] == pytest.approx(exact["boom"], abs=1e-13)
    assert standing.update({"lift": S.lift + 0.05}).solved == ()


def test_a_joint_on_no_loop_solves_nothing_and_moves(standing):
    done = standing.update({"slew": 1.0})
    assert done.solved == ()
    assert standing.configuration.of("slew") == (1.0,)


def test_a_failing_module_commits_nothing_of_any(standing):
    before, q = standing.configuration, standing.q
    with pytest.raises(UnreachableError):
        standing.update({"lift": S.lift + 0.05, "fold": 99.0, "slew": 0.9})
    assert standing.configuration == before
    np.testing.assert_array_equal(standing.q, q)
    assert standing.update({"lift": S.lift + 0.05}).solved != ()


def test_all_that_is_wrong_with_an_update_is_said_at_once(standing):
    with pytest.raises(SeveralFaultsError, match=r"'fold'(.|\n)*'lift'"):
        standing.update({"lift": 98.0, "fold": 99.0})


def test_an_update_takes_no_wants(standing):
    with pytest.raises(BadValueError, match="a value to be met"):
        standing.update({"lift": Want(1.0)})


def test_a_joint_that_follows_takes_no_value_and_the_error_names_what_does(standing):
    q = standing.q
    with pytest.raises(FollowsError, match=r"'boom' .* follows from 'lift'") as caught:
        standing.update({"boom": 0.5, "slew": 1.0})
    assert caught.value.inputs == ("lift",)
    np.testing.assert_array_equal(standing.q, q)
    anew = Assembled(standing.compiled, standing.configuration, ["boom"])
    assert anew.independent[0] == "boom"
    exact = crane_solution(S.lift + 0.05, S.fold)["boom"]
    updated(anew, {"boom": exact})
    assert anew.configuration.of("lift")[0] == pytest.approx(S.lift + 0.05, abs=1e-12)


# --- The papers' behaviour list (2.6): how many modules one input solves -------------------------

SPACES = {"joints": JOINT_SPACE, "cylinders": CYLINDER_SPACE}
SOLVED = {"joints": (0, 2, 1, 1, 1, 2, 0), "cylinders": (0, 1, 1, 1, 1, 1, 0)}
COUNTS = {
    (space, joint): count
    for space, joints in SPACES.items()
    for joint, count in zip(joints, SOLVED[space], strict=True)
}


@pytest.mark.parametrize(("space", "joint"), COUNTS)
def test_one_joint_of_an_excavator_solves_as_many_modules_as_the_papers_do(space, joint):
    """Their bucket joint is `hitch` here: it turns against the stick. Poses by the closed form."""
    standing, posture = start(excavator(), SPACES[space]), Posture()
    if joint in JOINT_SPACE:
        posture = replace(posture, **{joint: getattr(posture, joint) + 0.03})
        value = getattr(posture, joint)
    else:
        value = standing.configuration.of(joint)[0] + 0.03
    solved = updated(standing, {joint: value})
    assert len(solved) == COUNTS[space, joint]
    assert set(solved) == names_over(standing, loops_with(standing, joint))
    if joint in JOINT_SPACE and (space == "joints" or joint in ("slew", "rotator")):
        assert_same(dict(standing.configuration.values), drawn_values(excavator(posture)), 1e-12)


@pytest.mark.parametrize("independent", SPACES.values(), ids=SPACES)
def test_an_excavator_comes_to_where_it_is_drawn_by_its_joints_or_by_its_cylinders(independent):
    posture = Posture(slew=0.1, boom=0.5, stick=-1.8, hitch=-0.4, pin=0.1, tilt=0.0, rotator=0.5)
    drawn = drawn_values(excavator(posture))
    standing = start(excavator(), independent)
    solved = standing.update({joint: drawn[joint] for joint in independent}).solved
    assert len(solved) == len(standing.modules)
    assert_same(dict(standing.configuration.values), drawn, 1e-12)


@pytest.mark.parametrize("motor", KANGAROO_MOTORS)
def test_one_motor_of_the_kangaroo_solves_exactly_one_module_of_six(motor):
    standing = start(kangaroo(floating=False, limits=False), KANGAROO_MOTORS)
    assert len(standing.modules) == 6
    solved = updated(standing, {motor: standing.configuration.of(motor)[0] + 0.002})
    assert len(solved) == 1
    assert set(solved) == names_over(standing, loops_with(standing, motor))


def test_the_base_of_go2_moves_all_four_legs_and_a_leg_in_the_air_none():
    """With four feet held and the base prescribed, no leg joint is independent."""
    standing = start(go2(FEET), ["base"])
    lower = np.array(standing.configuration.of("base")) - [0.0, 0.0, 0.02, 0.0, 0.0, 0.0, 0.0]
    assert len(updated(standing, {"base": lower})) == 4
    np.testing.assert_array_equal(standing.configuration.of("base"), lower)
    knee = next(name for name in names(standing) if name != "base")
    with pytest.raises(FollowsError) as caught:
        standing.update({knee: 0.0})
    assert caught.value.inputs == ("base",)
    two = start(go2(FEET[:2]), ["base"])
    assert len(updated(two, {"base": lower})) == 2
    for joint in set(two.independent) - {"base"}:
        assert updated(two, {joint: two.configuration.of(joint)[0] + 0.01}) == ()


def test_a_turned_base_stands_exactly_where_it_was_put():
    standing, random = start(go2(FEET), ["base"]), np.random.default_rng(1)
    base = np.array(standing.configuration.of("base"))
    for _ in range(5):
        turned = base[3:] + random.uniform(-0.03, 0.03, 4)
        turned /= np.linalg.norm(turned)
        assert len(updated(standing, {"base": [*base[:3], *turned]})) == 4
        np.testing.assert_allclose(standing.configuration.of("base")[3:], turned, atol=2e-16)
        assert standing.update({"base": [*base[:3], *turned]}).solved == ()


def test_a_rotation_given_by_a_quaternion_of_either_sign_is_the_same():
    """A quaternion and its negative are one rotation: nothing moves, and nothing is refused."""
    standing = start(go2(FEET), ["base"])
    base = np.array(standing.configuration.of("base"))
    q = standing.q
    standing.update({"base": [*base[:3], *-base[3:]]})
    np.testing.assert_allclose(standing.q, q, atol=1e-15)
    standing.update({"base": [*(base[:3] - [0.0, 0.0, 0.01]), *-base[3:]]})
    assert residual_of(standing.compiled, standing.q) < 1e-13


# --- Inputs that several modules share -----------------------------------------------------------


def rockers(crank):
    """Directions of coupler and rocker of both sides, by the closed form."""
    return {
        name: four_bar_solution(bars, crank - k * TILT)
        for k, (name, bars) in enumerate(SIDES.items())
    }


def assert_at(standing, crank):
    for k, (name, (coupler, rocker)) in enumerate(rockers(crank).items()):
        for joint, exact in (("B", coupler + k * TILT - crank), ("D", rocker)):
            found = standing.configuration.of(f"{name} {joint}")[0]
            assert abs(math.remainder(found - exact, 2.0 * math.pi)) < 1e-12


def test_a_shared_crank_solves_both_its_sides_and_a_rocker_all_at_once():
    standing = start(shared_crank(SIDES, tilt=TILT))
    for crank in (0.9, 1.7, 0.2):
        assert updated(standing, {"A": crank}) == ("left C", "right C")
        assert_at(standing, crank)
    anew = Assembled(standing.compiled, standing.configuration, ["left D"])
    assert updated(anew, {"left D": rockers(0.3)["left"][1]}) == ("left C",)
    assert_at(anew, 0.3)


def test_where_one_side_comes_to_its_toggle_the_other_stands_with_it():
    """A value within 1e-9 beyond it is met on the toggle; both sides close on that angle."""
    standing = start(shared_crank(SIDES, tilt=TILT))
    updated(standing, {"A": TOGGLE + 0.1})
    assert updated(standing, {"A": TOGGLE - 5e-10}) == ("left C", "right C")
    assert standing.configuration.of("A")[0] == pytest.approx(TOGGLE, abs=1e-12)


def test_beyond_a_toggle_of_one_side_nothing_of_either_is_committed():
    standing = start(shared_crank(SIDES, tilt=TILT))
    before = standing.q
    with pytest.raises(UnreachableError) as caught:
        standing.update({"A": TOGGLE - 0.1})
    assert caught.value.nearest[0] == pytest.approx(TOGGLE, abs=1e-9)
    np.testing.assert_array_equal(standing.q, before)
    updated(standing, {"A": 0.5})
    assert_at(standing, 0.5)


def test_on_a_toggle_the_error_is_the_reductions_and_names_what_would_move_it():
    standing = start(shared_crank(SIDES, tilt=TILT))
    standing.update({"A": TOGGLE})
    before = standing.q
    with pytest.raises(PartitionError) as caught:
        standing.update({"A": 0.5})
    assert set(caught.value.would_work) == {"right B", "right D"}
    np.testing.assert_array_equal(standing.q, before)
    anew = Assembled(standing.compiled, standing.configuration, ["right D"])
    stands, exact = standing.configuration.of("right D")[0], rockers(TOGGLE + 0.1)["right"][1]
    anew.update({"right D": stands + math.remainder(exact - stands, 2 * math.pi)})
    assert_at(anew, TOGGLE + 0.1)


def test_where_two_sides_stand_at_their_toggles_the_rank_has_changed():
    side = {"left": SIDES["right"], "right": SIDES["right"]}
    standing = start(shared_crank(side, crank=-1.3, tilt=0.0))
    standing.update({"A": -crank_range(SIDES["right"])[1]})
    with pytest.raises(RankChangedError):
        standing.update({"A": -1.3})


def test_a_cut_joints_limit_stops_an_update_as_it_stops_an_assembly():
    bars = GRASHOF["crank-rocker"]
    drawn = four_bar_of(bars, 0.7)
    stop = drawn_values(four_bar_of(bars, 0.9))["C"][0]
    here = drawn_values(drawn)["C"][0]
    limits = ((min(here, stop) - 1e-12, max(here, stop) + 1e-12),)
    joints = tuple(replace(j, limits=limits) if j.name == "C" else j for j in drawn.joints)
    joints = tuple(replace(j, limits=((-9.0, 9.0),)) if j.name != "C" else j for j in joints)
    standing = start(replace(drawn, joints=joints))
    assert [c.chord.joint.name for c in standing.compiled.closures] == ["C"]
    updated(standing, {"A": 0.8})
    before = standing.q
    with pytest.raises(StoppedError) as caught:
        standing.update({"A": 1.2})
    assert caught.value.stop == "C"
    assert caught.value.nearest[0] == pytest.approx(0.9, abs=1e-6)
    np.testing.assert_array_equal(standing.q, before)


# --- Couplings, idle freedoms, loops that hold nothing -------------------------------------------


def test_couplings_alone_are_modules_that_follow_their_leader():
    drawing = Drawing("gears")
    ratios = {"slow": -0.5, "fast": 3.0}
    for i, name in enumerate(("shaft", *ratios, "other")):
        drawing.body(name, at(float(i)))
        drawing.revolute(name, (WORLD, name), at(float(i)))
    for name, ratio in ratios.items():
        drawing.gear(f"{name} gear", "shaft", name, ratio)
    drawing.gear("last", "fast", "other", 2.0)
    standing = start(drawing.mechanism(), ["shaft"])
    assert [module.closures for module in standing.modules] == [()] * 2
    assert updated(standing, {"shaft": 0.25}) == ("fast gear", "slow gear")
    found = [standing.configuration.of(name)[0] for name in ("slow", "fast", "other")]
    assert found == pytest.approx([-0.125, 0.75, 1.5], abs=1e-15)


def test_idle_spins_stand_still_while_the_platform_moves():
    """Its pose by where it is drawn with legs as long; each leg's spin about itself is an input."""
    there = stewart(task_pose(6.0), kind="ball")
    standing = start(stewart(task_pose(5.7), kind="ball"))
    (module,) = standing.modules
    assert sum("rotation" in name for name in module.inputs) == 6
    lengths = {f"leg {i} length": drawn_values(there)[f"leg {i} length"] for i in range(6)}
    standing.update(lengths)
    at_there = compile_mechanism(there)
    names = [body.name for body in at_there.bodies]
    found, exact = (
        evaluate(c, q).poses[names.index("platform")]
        for c, q in (
            (standing.compiled, standing.q),
            (at_there, Assembled(at_there, assemble(at_there)).q),
        )
    )
    np.testing.assert_allclose(found.p, exact.p, atol=1e-12)
    np.testing.assert_allclose(found.R, exact.R, atol=1e-12)


def test_a_loop_that_holds_nothing_lets_its_joints_go_where_they_are_put():
    standing = start(loop_with(JointKind.FREE))
    value = standing.configuration.of("drive")[0] + 0.3
    assert len(standing.update({"drive": value}).solved) == 1
    assert standing.configuration.of("drive") == (value,)


def test_updates_count_the_turns_of_a_cut_joint_as_a_path_does():
    """A double crank's follower, cut: three turns in steps of an eighth and, once more, in one."""
    bars = GRASHOF["double-crank"]
    compiled = compile_mechanism(four_bar_of(bars, 1.0), cuts=["D"])
    standing = Assembled(compiled, assemble(compiled), ["A"])
    for turn in np.arange(1, 25) / 8.0:
        standing.update({"A": 1.0 + 2.0 * np.pi * turn})
    drawn = four_bar_solution(bars, 1.0)[1]
    assert standing.configuration.of("D")[0] == pytest.approx(drawn + 6.0 * np.pi, abs=1e-12)
    again = Assembled(compiled, standing.configuration, ["A"])
    again.update({"A": 1.0 + 12.0 * np.pi})
    assert again.configuration.of("D")[0] == pytest.approx(drawn + 12.0 * np.pi, abs=1e-12)
    again.update({"A": 1.0})
    assert again.configuration.of("D")[0] == pytest.approx(drawn, abs=1e-12)
