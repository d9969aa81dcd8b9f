"""What velocity selection refuses: by name, and by how much; and limits that a mechanism states."""

from dataclasses import replace

import numpy as np
import pytest

from closed_mechanisms import LENGTHS, closed, made
from linkages.planar import five_bar, slider_crank
from linkages.stewart import stewart
from robocompiler.compiler.steps import step
from robocompiler.errors import BadValueError, DuplicateNameError, UnknownNameError
from robocompiler.model.mechanism import Actuator, Transmission
from robocompiler.solve.describe import describe
from robocompiler.solve.reduction.reduce import reduce
from robocompiler.solve.selection.metric import MetricError
from robocompiler.solve.selection.rows import BodyVelocity
from robocompiler.solve.selection.select import ConflictingVelocitiesError, select_velocity

PLATFORM = BodyVelocity(body="platform", linear=(0.1, 0.2, None))
UNIT = {"A": 1.0, "E": 1.0}


def selected(name="five-bar", **given):
    return select_velocity(*made(name), **({"weights": UNIT} | given))


def conflict(name="five-bar", **given):
    with pytest.raises(ConflictingVelocitiesError) as caught:
        selected(name, **given)
    return caught.value


def test_a_motion_that_costs_nothing_is_named():
    with pytest.raises(MetricError, match="'E' alone costs 0") as free:
        selected(weights={"A": 1.0})
    assert free.value.motion == (("E", 1.0),)
    with pytest.raises(MetricError) as together:
        selected(weights={}, metric=np.array([[4.0, 2.0], [2.0, 1.0]]))
    motion = dict(together.value.motion)
    np.testing.assert_allclose(motion["E"] / motion["A"], -2.0)
    with pytest.raises(MetricError, match=r"costs -") as negative:
        selected(weights={}, metric=np.array([[1.0, 2.0], [2.0, 1.0]]))
    assert negative.value.eigenvalue == pytest.approx(-2.0)
    with pytest.raises(MetricError, match=r"'A' and 'E' is 0.5, the one across 0.4"):
        selected(weights={}, metric=np.array([[1.0, 0.5], [0.4, 1.0]]))


def test_units_do_not_make_a_metric_singular():
    """Speeds of one joint in a unit a million times as large."""
    found = selected(weights={"A": 1e-12, "E": 1e12}, speeds={"A": 0.2})
    np.testing.assert_allclose(found.u, [0.2, 0.0], atol=1e-15)


def test_limits_and_tasks_that_conflict_are_named_and_each_alone_could_give_way():
    limits = dict.fromkeys(LENGTHS, (-0.08, 0.08))
    weights = dict.fromkeys(LENGTHS, 1.0)
    found = conflict("Stewart", weights=weights, bodies=[PLATFORM], limits=limits)
    named = {name for name, _, _ in found.conflict}
    assert {"platform linear.x", "platform linear.y"} <= named
    assert "m/s" in str(found)
    assert "would do" in str(found)
    for name, stated, needed in found.conflict:
        if name in limits:  # widened by a little less, it is still part of a conflict
            for share, enough in ((1.0001, True), (0.999, False)):
                pair = list(limits[name])
                pair[pair.index(stated)] = stated + share * (needed - stated)
                more = {**dict.fromkeys(LENGTHS, (-9.0, 9.0))}
                more.update({own: limits[own] for own in named & set(limits)})
                more[name] = tuple(pair)
                given = {"weights": weights, "bodies": [PLATFORM], "limits": more}
                if enough:
                    assert selected("Stewart", **given).limits
                else:
                    assert name in {own for own, _, _ in conflict("Stewart", **given).conflict}
    for left_out in named & set(limits):
        more = {own: pair for own, pair in limits.items() if own in named - {left_out}}
        selected("Stewart", weights=weights, bodies=[PLATFORM], limits=more)


def test_one_limit_that_a_task_breaks():
    found = conflict(speeds={"A": 0.5}, limits={"A": (-0.2, 0.2)})
    assert found.conflict == (("A", 0.5, 0.2), ("A", 0.2, 0.5))
    assert "'A' = 0.5 rad/s (0.2 would do); 'A' ≤ 0.2 rad/s (0.5 would do)" in str(found)


def test_tasks_that_the_loops_do_not_allow_are_named():
    """A crank-rocker has one freedom: two speeds that do not go together, and one out of plane."""
    compiled, q = made("crank-rocker")
    reduction = reduce(compiled, q, ("A",))
    follows = float(reduction.E[1, 0]), float(reduction.E[2, 0])
    names = reduction.compiled.tree[1].edge.joint.name, reduction.compiled.tree[2].edge.joint.name
    asked = {"A": 1.0, names[0]: follows[0], names[1]: follows[1] + 0.1}
    found = conflict("crank-rocker", weights={"A": 1.0}, speeds=asked)
    assert names[1] in {name for name, _, _ in found.conflict}
    out = BodyVelocity(body="coupler", angular=(0.3, None, None), name="tilt")
    found = conflict("crank-rocker", weights={"A": 1.0}, bodies=[out])
    assert found.conflict == (("tilt angular.x", 0.3, 0.0),)
    assert "This cannot be" in str(found)


def test_what_follows_may_be_asked_for_and_is_said_to_follow():
    compiled, q = made("crank-rocker")
    reduction = reduce(compiled, q, ("A",))
    name = compiled.tree[1].edge.joint.name
    speeds = {"A": 1.0, name: float(reduction.E[1, 0])}
    found = selected("crank-rocker", weights={"A": 1.0}, speeds=speeds)
    assert found.redundant == (name,)
    np.testing.assert_allclose(found.v, reduction.E[:, 0], atol=1e-14)


def test_joints_keep_the_speeds_they_state_unless_others_are_given():
    mechanism = five_bar()
    joints = tuple(replace(j, velocity=0.3 if j.name == "A" else None) for j in mechanism.joints)
    compiled, q = closed(replace(mechanism, joints=joints))

    def at(**given):
        return select_velocity(compiled, q, weights=UNIT, preferred=np.array([1.0, 0.2]), **given)

    np.testing.assert_allclose(at().u, [0.3, 0.2], atol=1e-14)
    assert set(at().limits) == {"A"}
    np.testing.assert_allclose(at(limits={"A": (-1.0, 0.1)}).u, [0.1, 0.2], atol=1e-14)
    np.testing.assert_allclose(at(limits={"A": (-np.inf, np.inf)}).u, [1.0, 0.2], atol=1e-14)


def test_a_ball_states_no_speed_of_its_single_ones():
    """A number for each would hold other turns in every frame."""
    mechanism = stewart(kind="ball")
    joints = tuple(replace(j, velocity=0.05) for j in mechanism.joints)
    compiled, q = closed(replace(mechanism, joints=joints))
    reduction = reduce(compiled, q)
    metric, preferred = np.eye(len(reduction.names)), np.full(len(reduction.names), 0.1)
    found = select_velocity(compiled, q, metric=metric, preferred=preferred, reduction=reduction)
    assert set(found.limits) == set(LENGTHS)


def test_an_actuator_keeps_its_own_speed_and_may_be_asked_for():
    mechanism = five_bar()
    both = (Transmission(coordinate="A", ratio=10.0), Transmission(coordinate="E", ratio=-10.0))
    motor = Actuator(name="motor", transmissions=both, velocity=2.0)
    compiled, q = closed(replace(mechanism, actuators=(motor,)))
    preferred = np.array([1.0, 0.0])
    found = select_velocity(compiled, q, weights=UNIT, preferred=preferred)
    np.testing.assert_allclose(found.u, [0.6, 0.4], atol=1e-14)
    assert set(found.limits) == {"motor"}
    found = select_velocity(compiled, q, weights=UNIT, speeds={"motor": 1.0})
    np.testing.assert_allclose(found.u, [0.05, -0.05], atol=1e-14)


def test_an_actuator_called_as_its_joint_is_keeps_its_own_speed_too():
    own = (Transmission(coordinate="A", ratio=10.0),)
    motor = Actuator(name="A", transmissions=own, velocity=2.0)
    compiled, q = closed(replace(five_bar(), actuators=(motor,)))
    found = select_velocity(compiled, q, weights=UNIT, preferred=np.array([1.0, 0.0]))
    np.testing.assert_allclose(found.u, [0.2, 0.0], atol=1e-14)
    assert set(found.limits) == {"A actuator"}


def test_a_cut_joint_can_be_asked_for_and_limited_like_any_other():
    compiled, q = closed(slider_crank())
    cut = compiled.closures[0].chord.joint.name
    found = select_velocity(compiled, q, weights={"A": 1.0}, speeds={cut: 0.1})
    h = 1e-6
    ahead, behind = (
        describe(compiled, step(compiled, q, s * h * found.v), {cut: (0.0, 0.0)}).values
        for s in (1.0, -1.0)
    )
    rate = (dict(ahead)[cut][0] - dict(behind)[cut][0]) / (2 * h)
    np.testing.assert_allclose(rate, 0.1, rtol=1e-8)
    given = {"preferred": found.u * 3.0, "limits": {cut: (-0.1, 0.1)}}
    back = select_velocity(compiled, q, weights={"A": 1.0}, **given)
    np.testing.assert_allclose(back.u, found.u, rtol=1e-12)
    assert set(back.limits) == {cut}


def test_an_inequality_of_independent_speeds():
    rows = {"together": (np.array([1.0, 1.0]), 0.5)}
    found = selected(preferred=np.array([0.5, 0.4]), inequalities=rows)
    np.testing.assert_allclose(found.u, [0.3, 0.2], atol=1e-14)
    np.testing.assert_allclose(found.limits["together"], 0.2, rtol=1e-12)
    with pytest.raises(DuplicateNameError):
        selected(inequalities={"A": (np.ones(2), 1.0)})


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"speeds": {"crank": 1.0}}, UnknownNameError),
        ({"limits": {"crank": (0.0, 1.0)}}, UnknownNameError),
        ({"weights": {"crank": 1.0}}, UnknownNameError),
        ({"bodies": [BodyVelocity(body="crank", linear=(0.0, 0.0, 0.0))]}, UnknownNameError),
        ({"bodies": [BodyVelocity(body="world", linear=(0.0, 0.0, 0.0))]}, UnknownNameError),
        ({"speeds": {"A": [1.0, 2.0]}}, BadValueError),
        ({"speeds": {"A": np.nan}}, BadValueError),
        ({"limits": {"A": (1.0, -1.0)}}, BadValueError),
        ({"limits": {"A": (np.nan, 1.0)}}, BadValueError),
        ({"weights": {"A": -1.0}}, BadValueError),
        ({"metric": np.eye(3)}, BadValueError),
        ({"metric": np.full((2, 2), np.inf)}, BadValueError),
        ({"preferred": np.ones(3)}, BadValueError),
        ({"covector": np.ones((2, 2))}, BadValueError),
        ({"inequalities": {"row": (np.ones(3), 1.0)}}, BadValueError),
        ({"inequalities": {"row": (np.ones(2), np.nan)}}, BadValueError),
        ({"bodies": [BodyVelocity(body="left crank", linear=(0.0, np.inf, 0.0))]}, BadValueError),
        ({"bodies": [BodyVelocity(body="left crank", point=(0.0, 0.0))]}, BadValueError),
        ({"bodies": [BodyVelocity(body="left crank")] * 2}, DuplicateNameError),
    ],
)
def test_what_makes_no_sense_is_refused(given, error):
    with pytest.raises(error):
        selected(**given)


def test_one_configuration_at_a_time():
    compiled, q = made("five-bar")
    with pytest.raises(BadValueError, match="of shape"):
        select_velocity(compiled, np.array([q, q]), weights=UNIT)
