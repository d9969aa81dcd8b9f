"""Never a silent wrong answer: whatever is returned is right by the records, or it is refused.

Within the workspace, three times beyond it, and at singularities.
"""

import numpy as np
import pytest

from linkages.bound import (
    assert_right,
    bound,
    every_emitter,
    failed_states,
    shaken,
)
from linkages.known import MOVES, TABLE
from linkages.planar import GRASHOF, crank_range, four_bar_of, four_bar_solution
from linkages.stewart import HOME, stewart
from robocompiler.codegen.llvm import target as jit
from robocompiler.compiler.rows import linearize
from robocompiler.compiler.steps import difference
from robocompiler.errors import (
    ClosureError,
    IllConditionedError,
    MechanismError,
    NotClosedError,
    SeveralFaultsError,
    SingularError,
)
from robocompiler.solve.generated.recovery import closed_block

HOSTILE = {
    "Stewart": stewart(),
    "Stewart, hand model": stewart(chart=True),
    **{name: mechanism for name, (mechanism, _) in TABLE.items() if "lift" not in name},
    "excavator": MOVES["excavator by its joints"][0][0],
}
SIZES = (1e-3, 0.03, 0.3, 1.0, 3.0)
"""By how much [rad, or sizes of the module] what follows is moved; what drives by as much."""
STATES = 2
HONEST = (ClosureError, SingularError, IllConditionedError, SeveralFaultsError)


def same_branch(own, start, q, status, by_reference):
    """Whether blocks that the code vouched for are where the reference closes them."""
    for kind, found in zip(own.code.layout.types, status, strict=True):
        for plan, took in zip(kind.plans, found, strict=True):
            # A ball that may spin by itself is independent by a speed, which is no coordinate.
            partial = set(plan.inputs) & {
                i
                for t in plan.compiled.tree
                if t.v.stop - t.v.start > 1 and set(range(t.v.start, t.v.stop)) - set(plan.inputs)
                for i in range(t.v.start, t.v.stop)
            }
            if took < 0 or partial:
                continue
            closed = by_reference(plan, start[plan.coordinates])
            apart = difference(plan.compiled, closed, q[plan.coordinates])
            assert np.abs(apart).max(initial=0.0) < 1e-8


@pytest.fixture
def by_reference(monkeypatch):
    """The reference, which is slow and the same for every emitter, asked once for each state."""
    known = {}

    def once(plan, q):
        key = plan.name, q.tobytes()
        if key not in known:
            try:
                known[key] = closed_block(plan, q)
            except MechanismError as fault:
                known[key] = fault
        if isinstance(known[key], MechanismError):
            raise known[key]
        return known[key].copy()

    monkeypatch.setattr("robocompiler.solve.generated.failures.closed_block", once)
    return once


QUICK = ("Bennett", "slider-crank")
"""Of these the fast part of the tests asks."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n in QUICK else pytest.mark.thorough) for n in HOSTILE],
)
def test_what_is_returned_is_closed_kept_lifted_and_on_the_reference_s_branch(name, by_reference):
    for emitter in ("python", "machine") if jit.available() else ("python",):
        own, starts = bound(HOSTILE[name], emitter), []
        for size in SIZES:
            starts += [*shaken(own, STATES, size), *shaken(own, STATES, size, size, seed=6)]
        start = np.array(starts)
        many = own.batch(len(start))
        many.q = start.T
        failed = failed_states(many.correct)
        assert all(isinstance(fault, HONEST) for fault in failed.values())
        assert len(failed) < len(start) // 2
        for state in set(range(len(start))) - set(failed):
            q, E = many.q[:, state], many.E[..., state]
            assert_right(own, q, E, start[state])
            status = [status[:, state] for status in many._status]
            same_branch(own, start[state], q, status, by_reference)
        for state in failed:
            assert_refused(own, many.q[:, state], start[state])


def assert_refused(own, q, start):
    """Each block is as it was, or closed where another one failed."""
    for kind in own.code.layout.types:
        for plan in kind.plans:
            now, before = q[plan.coordinates], start[plan.coordinates]
            left = plan.row_scales * linearize(plan.compiled, now).residual
            assert np.array_equal(now, before) or np.abs(left).max() <= plan.allowed


@pytest.mark.skipif(not jit.available(), reason="llvmlite is not installed")
@pytest.mark.parametrize("name", ["Stewart", "3-RRR", "crane", "Bricard", "loop with screw"])
def test_emitters_agree_on_which_states_to_vouch_for(name):
    found = []
    for emitter in ("python", "machine"):
        own = bound(HOSTILE[name], emitter)
        many = own.batch(60)
        many.q = np.concatenate([shaken(own, 12, size, size) for size in SIZES]).T
        many._correct()
        found.append(np.concatenate(many._status))
    assert ((found[0] < 0) == (found[1] < 0)).all()
    assert (found[0] < 0).any()
    assert (found[0] > 0).any()


@every_emitter
def test_the_workspace_is_not_the_reference_s_business(emitter):
    """A tenth of its size or less off, a Stewart platform is closed by the code but for a few."""
    own = bound(stewart(), emitter)
    for size, most in ((0.01, 0), (0.05, 2), (0.1, 30)):
        many = own.batch(200)
        many.q = shaken(own, 200, size).T
        many.correct()
        assert many.recovered <= most


NEAR = (1e-3, 1e-5, 1e-7, 1e-9, 1e-11, 1e-13, 1e-15, 0.0)


def direction_apart(a, b):
    return float(np.max(np.abs(np.remainder(np.subtract(a, b) + np.pi, 2 * np.pi) - np.pi)))


@every_emitter
@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("name", ["rocker-crank", "double-rocker", "triple-rocker", "deltoid"])
def test_at_a_toggle_it_is_right_or_says_that_it_is_singular(name, side, emitter):
    """Against the closed form, from ever nearer the angle at which the crank turns back, and past.

    Inside, with dependent joints that start at the closed form's other branch as well.
    """
    bars = GRASHOF[name]
    toggle = crank_range(bars)[1]
    own = bound(four_bar_of(bars, 0.5 * sum(crank_range(bars))), emitter)
    for near in (side * x for x in NEAR):
        crank = toggle - near
        for branch in (1, -1):
            coupler, rocker = four_bar_solution(bars, min(crank, toggle), branch)
            own.q = np.array([crank, coupler - crank, rocker])
            try:
                own.correct()
            except (ClosureError, SingularError, IllConditionedError):
                assert near < 1e-6
                continue
            expected = four_bar_solution(bars, crank, branch)
            found = own.q[1] + crank, own.q[2]
            assert own.q[0] == crank
            # Beside a toggle rounding of bars is a motion of its root.
            assert direction_apart(found, expected) < 1e-8
            K = linearize(own.compiled, own.q).jacobian
            assert np.abs(K @ own.E).max() < 1e-10 * np.abs(own.E).max()


@every_emitter
@pytest.mark.parametrize("name", ["parallelogram", "change-point", "deltoid"])
def test_at_a_change_point_it_is_right_or_says_that_it_is_singular(name, emitter):
    """Where two branches cross, both of them are near: the one it starts on is kept, or none."""
    bars, flat = GRASHOF[name], np.pi if name != "deltoid" else 0.0
    if name == "deltoid":
        bars = (0.4, 0.15, 0.4, 0.15)  # once more, from the other side
    own = bound(four_bar_of(bars, 1.0), emitter)
    for near in NEAR:
        crank = flat - near if flat else near
        for branch in (1, -1):
            coupler, rocker = four_bar_solution(bars, crank, branch)
            own.q = np.array([crank, coupler - crank, rocker])
            try:
                own.correct()
            except (ClosureError, SingularError, IllConditionedError):
                assert near < 2e-3
                continue
            assert direction_apart((own.q[1] + crank, own.q[2]), (coupler, rocker)) < 1e-8
            K = linearize(own.compiled, own.q).jacobian
            assert np.abs(K @ own.E).max() < 1e-10 * np.abs(own.E).max()


@every_emitter
@pytest.mark.parametrize("call", ["correct", "lift", "motion"])
@pytest.mark.parametrize("name", ["rocker-crank", "parallelogram"])
def test_exactly_where_nothing_is_determined_no_lift_is_given(name, call, emitter):
    bars = GRASHOF[name]
    crank = crank_range(bars)[1]
    own = bound(four_bar_of(bars, 0.5 * sum(crank_range(bars))), emitter)
    coupler, rocker = four_bar_solution(bars, crank)
    own.q = np.array([crank, coupler - crank, rocker])
    own.v[0] = 1.0
    with pytest.raises((SingularError, IllConditionedError)):
        getattr(own, call)()


@every_emitter
def test_at_a_stewart_platform_s_singular_pose_no_lift_is_given(emitter):
    """A quarter turn about the vertical (Fichter): all legs' lines meet one screw."""
    singular = (*HOME[:3], HOME[3] + np.pi / 2, 0.0, 0.0)
    drawn = stewart(singular)
    here = {joint.name: joint.initial for joint in drawn.joints}
    own = bound(stewart(), emitter)
    for t in own.compiled.tree:
        own.q[t.q] = here[t.edge.joint.name]
    before = own.q.copy()
    try:
        own.correct()
    except (SingularError, IllConditionedError):
        return
    K = linearize(own.compiled, own.q).jacobian
    np.testing.assert_allclose(own.q, before, atol=1e-6)
    assert np.abs(K @ own.E).max() < 1e-10 * np.abs(own.E).max()


@every_emitter
@pytest.mark.parametrize("ajar", [1e-3, 1e-2, 1.0, np.pi])
def test_what_is_open_is_not_lifted(ajar, emitter):
    own = bound(TABLE["Bennett"][0], emitter)
    own.correct()
    own.q[1] += ajar
    before = own.q.copy()
    with pytest.raises(NotClosedError):
        own.lift()
    np.testing.assert_array_equal(own.q, before)


@every_emitter
@pytest.mark.parametrize(
    "name",
    [
        "slider-crank",
        "Bennett",
        pytest.param("loop with fixed", marks=pytest.mark.thorough),
        pytest.param("loop with planar", marks=pytest.mark.thorough),
    ],
)
def test_an_axis_turned_over_is_not_taken_for_closed(name, emitter):
    """All angles anywhere: what comes back closed has its cut joint the right way round."""
    own = bound(TABLE[name][0], emitter)
    many = own.batch(60)
    start = many.q = shaken(own, 60, 3.0).T
    failed = failed_states(many.correct)
    for state in set(range(60)) - set(failed):
        assert_right(own, many.q[:, state], many.E[..., state], start[:, state])


@every_emitter
def test_every_block_of_a_state_is_tried_before_it_is_refused(emitter):
    """The chain's third module cannot close; the fifth has been left open far, and does."""
    own = bound(TABLE["chain of 16"][0], emitter)
    own.correct()
    plans = [plan for kind in own.code.layout.types for plan in kind.plans]
    third, fifth = (plans[i].coordinates for i in (2, 4))
    names = {t.edge.joint.name: t.q.start for t in own.compiled.tree}
    own.q[names["002.A"]] = np.nan
    own.q[fifth[1:]] += 0.5
    with pytest.raises(MechanismError, match="002"):
        own.correct()
    assert np.isnan(own.q[third]).any()
    left = linearize(own.compiled, np.nan_to_num(own.q)).residual[list(plans[4].rows)]
    assert np.abs(left).max() < 1e-12


@every_emitter
def test_newton_does_not_leap_over_a_singularity(emitter):
    """A four-bar's dependent pins stand to one side of the toggle before and after, by NumPy."""
    own = bound(four_bar_of(GRASHOF["parallelogram"], 0.31), emitter)
    random, many = np.random.default_rng(2), own.batch(1000)
    q = np.tile(own.home[:, None], (1, 1000))
    q += random.uniform(-0.6, 0.6, q.shape)
    many.q = q
    failed = many._correct()
    vouched = many._status[0][0] >= 0
    assert failed
    assert vouched.sum() > 100
    plan = own.code.layout.types[0].first
    columns = list(plan.dependent)
    sides = []
    for states in (q, many.q):
        at = states.T[vouched][:, plan.coordinates]
        K = linearize(plan.compiled, at, closed=True).jacobian
        rows = list(own.code.traced(0).retained)
        sides.append(np.sign(np.linalg.det(K[:, rows][:, :, columns])))
    assert (sides[0] == sides[1]).all()
