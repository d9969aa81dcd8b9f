"""Velocity selection: closed forms, the conditions of an optimum, and one answer in every chart."""

import numpy as np
import pytest

from closed_mechanisms import LENGTHS, closed, made
from linkages.excavator import CYLINDER_SPACE, JOINT_SPACE, excavator
from linkages.robots import FEET, go2
from robocompiler.compiler.steps import step
from robocompiler.solve.mass import mass_matrix
from robocompiler.solve.reduction.partition import PartitionError, speed_names
from robocompiler.solve.reduction.reduce import reduce
from robocompiler.solve.selection.rows import BodyVelocity, Speeds, body_rows
from robocompiler.solve.selection.select import select_velocity
from robocompiler.solve.state import evaluate

GO2 = "Go2 on four feet"
CASES = {
    "crank-rocker": (
        [BodyVelocity(body="coupler", angular=(None, None, 0.4))],
        {},
    ),
    "five-bar": (
        [BodyVelocity(body="left coupler", point=(0.35, 0.0, 0.0), linear=(0.1, None, None))],
        {"A": (-0.2, 0.2)},
    ),
    "Stewart": (
        [BodyVelocity(body="platform", linear=(0.1, 0.2, None), angular=(None, None, 0.1))],
        dict.fromkeys(LENGTHS, (-0.12, 0.12)),
    ),
    "excavator": (
        [BodyVelocity(body="bucket", linear=(0.3, None, -0.2))],
        {"boom cylinder 1": (-0.05, 0.05), "slew": (-0.1, 0.1), "hitch": (-0.15, 0.15)},
    ),
    GO2: (
        [BodyVelocity(body="base", linear=(0.2, 0.05, None), angular=(0.0, None, None))],
        {"FL_calf_joint": (-0.2, 0.2), "RR_thigh_joint": (-0.15, 0.3)},
    ),
}
"""What bodies are to do, and limits of which some are reached."""


def built(name):
    if name == "excavator":
        return closed(excavator())
    if name == GO2:
        return closed(go2(FEET, limits=False))
    return made(name)


def mass_of(reduction):
    M = mass_matrix(reduction.compiled, evaluate(reduction.compiled, reduction.q))
    return reduction.E.T @ M @ reduction.E


def rows_of(reduction, targets):
    rows = body_rows(reduction.compiled, reduction.q, targets)
    return np.array([row.row for row in rows]) @ reduction.E, np.array([row.high for row in rows])


def charts(name, compiled, q, most=6):
    """Different choices of independent speeds that are well conditioned."""
    asked = [CYLINDER_SPACE, JOINT_SPACE] if name == "excavator" else [()]
    random, names = np.random.default_rng(7), list(speed_names(compiled))
    found = {}
    m = len(reduce(compiled, q).independent)
    for _ in range(200):
        asked.append(tuple(random.choice(names, min(m, 3), replace=False)))
    for own in asked:
        try:
            reduction = reduce(compiled, q, own)
        except PartitionError:
            continue
        if float(reduction.condition) > 0.02:
            found.setdefault(reduction.independent, reduction)
        if len(found) == most:
            break
    return list(found.values())


def drawn(name, reduction, **more):
    """A case with a covector and a preferred motion, which are the same in every chart."""
    compiled, q = reduction.compiled, reduction.q
    bodies, limits = CASES[name]
    random = np.random.default_rng(11)
    effort, best = random.normal(size=compiled.nv), random.normal(size=compiled.nv) * 0.05
    first = reduce(compiled, q)
    best = (first.E @ best[list(first.independent)])[list(reduction.independent)]
    given = {
        "metric": mass_of(reduction),
        "bodies": bodies,
        "limits": limits,
        "covector": 0.05 * (reduction.E.T @ effort),
        "preferred": best,
        **more,
    }
    return select_velocity(compiled, q, reduction=reduction, **given), given


def relative(found, expected):
    return np.abs(found - expected).max() / max(1.0, np.abs(expected).max())


@pytest.mark.parametrize("name", CASES)
def test_without_limits_it_is_the_closed_form(name):
    reduction = reduce(*built(name))
    found, given = drawn(name, reduction, limits={})
    W = given["metric"]
    g = W @ given["preferred"] + given["covector"]
    J, rate = rows_of(reduction, given["bodies"])
    u0, right = np.linalg.solve(W, np.column_stack([g, J.T])).T[0], np.linalg.solve(W, J.T)
    expected = u0 + right @ np.linalg.solve(J @ right, rate - J @ u0)
    allowed = 1e-15 * np.linalg.cond(W)
    assert relative(found.u, expected) <= max(1e-12, allowed)
    assert relative(found.v, reduction.E @ found.u) <= 1e-13
    np.testing.assert_allclose(J @ found.u, rate, atol=1e-12)
    np.testing.assert_allclose(found.cost, found.u @ W @ found.u / 2 - g @ found.u, rtol=1e-10)
    assert not found.limits
    assert not found.redundant


@pytest.mark.parametrize("name", CASES)
def test_with_limits_it_meets_the_conditions_of_the_only_optimum(name):
    """Stationary, feasible, and every multiplier at an end that is reached: of a convex problem
    there is no other such motion.
    """
    reduction = reduce(*built(name))
    compiled, q = reduction.compiled, reduction.q
    found, given = drawn(name, reduction)
    if name != "crank-rocker":
        assert found.limits
    W, known = given["metric"], Speeds(compiled, q)
    J, rate = rows_of(reduction, given["bodies"])
    np.testing.assert_allclose(J @ found.u, rate, atol=1e-12)
    pull = W @ (found.u - given["preferred"]) - given["covector"]
    pull = pull + J.T @ np.array(list(found.tasks.values()))
    size = np.abs(W @ found.u).max() + np.abs(given["covector"]).max()
    for name_of, (low, high) in given["limits"].items():
        row = known.row(name_of, 0.0, 0.0).row @ reduction.E
        speed, pressing = row @ found.u, found.limits.get(name_of, 0.0)
        assert low - 1e-12 <= speed <= high + 1e-12
        if pressing:
            np.testing.assert_allclose(speed, high if pressing > 0.0 else low, atol=1e-12)
        pull = pull + pressing * row
    assert np.abs(pull).max() <= 1e-9 * size


@pytest.mark.parametrize("limited", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_it_is_one_motion_for_every_choice_of_independent_speeds(name, limited):
    """Equation (21): u = F ũ, and every speed, place and cost the same."""
    compiled, q = built(name)
    own = charts(name, compiled, q)
    assert len(own) >= 3
    more = {} if limited else {"limits": {}}
    first, given = drawn(name, own[0], **more)
    for other in own[1:]:
        F = own[0].transfer(other)
        found, again = drawn(name, other, **more)
        np.testing.assert_allclose(
            again["metric"], F.T @ given["metric"] @ F, rtol=1e-9, atol=1e-9 * np.abs(F).max() ** 2
        )
        allowed = 1e-13
        assert relative(F @ found.u, first.u) <= allowed
        assert relative(found.v, first.v) <= allowed
        np.testing.assert_allclose(found.cost, first.cost, rtol=1e-10, atol=1e-12)
        assert set(found.limits) == set(first.limits)
        carried = drawn(name, other, metric=F.T @ given["metric"] @ F, **more)[0]
        assert relative(carried.v, first.v) <= allowed


@pytest.mark.parametrize("name", ["five-bar", "Stewart", "excavator"])
def test_the_unit_matrix_in_every_chart_is_another_problem_in_each(name):
    compiled, q = built(name)
    own = charts(name, compiled, q)[:2]
    motions = [
        drawn(name, chart, metric=np.eye(len(chart.independent)), limits={})[0].v for chart in own
    ]
    assert relative(motions[0], motions[1]) > 1e-3


@pytest.mark.parametrize("name", ["five-bar", "Stewart", GO2])
def test_an_independent_solver_finds_the_same(name):
    from scipy.optimize import minimize

    reduction = reduce(*built(name))
    found, given = drawn(name, reduction)
    W, known = given["metric"], Speeds(reduction.compiled, reduction.q)
    g = W @ given["preferred"] + given["covector"]
    J, rate = rows_of(reduction, given["bodies"])
    limits = given["limits"].items()
    A = np.array([known.row(n, 0.0, 0.0).row @ reduction.E for n, _ in limits])
    low, high = (np.array([pair[end] for _, pair in limits]) for end in (0, 1))
    result = minimize(
        lambda u: u @ W @ u / 2 - g @ u,
        np.zeros(len(g)),
        jac=lambda u: W @ u - g,
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
        constraints=[
            {"type": "eq", "fun": lambda u: J @ u - rate, "jac": lambda u: J},
            {"type": "ineq", "fun": lambda u: high - A @ u, "jac": lambda u: -A},
            {"type": "ineq", "fun": lambda u: A @ u - low, "jac": lambda u: A},
        ],
    )
    assert result.success
    np.testing.assert_allclose(found.cost, result.fun, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(found.u, result.x, atol=1e-4)


@pytest.mark.parametrize("name", CASES)
def test_bodies_move_as_asked(name):
    """As the positions of a point, and of a body's axes, change in a little time."""
    compiled, q = built(name)
    found, given = drawn(name, reduce(compiled, q), limits={})
    welded = {own.name: own for own in compiled.welded}
    h = 1e-6
    for target in given["bodies"]:
        host = welded[target.body]
        ahead, behind = (
            evaluate(compiled, step(compiled, q, s * h * found.v)).poses[host.host] @ host.pose
            for s in (1.0, -1.0)
        )
        moved = ((ahead.R - behind.R) @ np.array(target.point) + ahead.p - behind.p) / (2 * h)
        turning = (ahead.R - behind.R) @ ((ahead.R + behind.R) / 2).T / (2 * h)
        turned = np.array([turning[2, 1], turning[0, 2], turning[1, 0]])
        for wanted, got in ((target.linear, moved), (target.angular, turned)):
            for value, is_so in zip(wanted or (), got, strict=False):
                assert value is None or abs(value - is_so) < 1e-8


def test_go2_s_feet_stand_while_its_base_moves():
    compiled, q = built(GO2)
    reduction = reduce(compiled, q)
    found, _ = drawn(GO2, reduction)
    assert np.abs(reduction.jacobian @ found.v).max() < 1e-13
    assert np.abs(found.v).max() > 0.1


def test_multipliers_are_what_the_cost_rises_by():
    reduction = reduce(*built("Stewart"))
    found, given = drawn("Stewart", reduction)
    h = 1e-5
    rates = dict(zip(found.tasks, (0.1, 0.2, 0.1), strict=True))
    for name, pressing in found.tasks.items():
        costs = []
        for s in (h, -h):
            x, y, turn = (value + s * (own == name) for own, value in rates.items())
            asked = BodyVelocity(body="platform", linear=(x, y, None), angular=(None, None, turn))
            costs.append(drawn("Stewart", reduction, bodies=[asked])[0].cost)
        np.testing.assert_allclose((costs[1] - costs[0]) / (2 * h), pressing, rtol=1e-5)
    for name, pressing in found.limits.items():
        low, high = given["limits"][name]
        costs = []
        for s in (h, -h):
            pair = (low, high + s) if pressing > 0.0 else (low + s, high)
            costs.append(
                drawn("Stewart", reduction, limits={**given["limits"], name: pair})[0].cost
            )
        np.testing.assert_allclose((costs[1] - costs[0]) / (2 * h), pressing, rtol=1e-5)


def test_weights_of_joints_are_a_metric_of_every_chart():
    """Σ weight · speed² of joints that follow too, by hand: the least norm in those weights."""
    compiled, q = made("five-bar")
    weights = {"A": 1.0, "B": 2.0, "E": 0.5}
    speed = {"A": 0.3}
    for own in (("A", "E"), ("A", "B"), ("B", "D")):
        reduction = reduce(compiled, q, own)
        found = select_velocity(compiled, q, weights=weights, speeds=speed, reduction=reduction)
        E = reduce(compiled, q, ("A", "E")).E
        rows = {n: E[list(speed_names(compiled)).index(n)] for n in weights}
        a = sum(w * rows[n][1] ** 2 for n, w in weights.items())
        b = sum(w * rows[n][0] * rows[n][1] for n, w in weights.items())
        v = E @ np.array([0.3, -0.3 * b / a])
        np.testing.assert_allclose(found.v, v, atol=1e-13)
