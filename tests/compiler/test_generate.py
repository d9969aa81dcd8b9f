"""What is generated, evaluated on its graph or run, against the reference and fifty digits."""

import numpy as np
import pytest

from closed_mechanisms import MECHANISMS
from fifty_digits import digits, floats, to_fifty_digits
from linkages.bound import bound, every_emitter, relative, shaken
from linkages.known import MOVES, TABLE
from linkages.robots import FEET, KANGAROO_MOTORS, go2, kangaroo
from linkages.spatial import KINDS, loop_with, summing_differential
from linkages.stewart import stewart
from robocompiler.codegen.kernels import STATE
from robocompiler.compiler.generate import jacobian
from robocompiler.compiler.rows import curvature_rows, linearize
from robocompiler.compiler.steps import step
from robocompiler.errors import MechanismError
from robocompiler.solve.generated.recovery import closed_block
from robocompiler.solve.reduction.curvature import curvature
from robocompiler.solve.reduction.reduce import reduce

EVERY = {
    "Stewart": stewart(),
    "Stewart, hand model": stewart(chart=True),
    "Stewart, balls": stewart(kind="ball"),
    **{name: mechanism for name, (mechanism, _) in TABLE.items()},
    **{f"moved {name}": drawn[0] for name, (drawn, _) in MOVES.items()},
}
ROBOTS = {
    "Kangaroo": lambda: (kangaroo(), KANGAROO_MOTORS),
    "Kangaroo on one sole": lambda: (kangaroo(soles=("left",)), ()),
    "Kangaroo on both": lambda: (kangaroo(soles=("left", "right")), ()),
    "Go2 on two feet": lambda: (go2(("FL", "FR"), limits=False), ()),
    "Go2 on four": lambda: (go2(FEET, limits=False), ()),
    "Go2 led by its base": lambda: (go2(FEET, limits=False), ("base",)),
}


def closed_near(own, seed=0):
    """A state nearby that the reference has closed to rounding."""
    q = shaken(own, 1, 0.03, 0.03, seed=seed)[0]
    for kind in own.code.layout.types:
        for plan in kind.plans:
            q[plan.coordinates] = closed_block(plan, q[plan.coordinates])
    return q


def assert_agrees(own, seed=0):
    """Residual and Jacobian anywhere; lift, speeds and curvature where it is closed.

    Over the condition of the dependent block, by which both may be off.
    """
    compiled, partition = own.compiled, own.code.layout.partition
    q = own.q = closed_near(own, seed)
    q = q.copy()
    reduction = reduce(compiled, q, partition)
    allowed = 1e-14 / float(np.min(reduction.condition, initial=1.0))
    own.lift()
    np.testing.assert_array_equal(own.q, q)
    assert relative(own.E, reduction.E) <= allowed
    random = np.random.default_rng(seed)
    u = random.normal(size=len(partition.independent))
    own.v[list(partition.independent)] = u
    own.motion()
    np.testing.assert_array_equal(own.q, q)
    assert relative(own.v, reduction.E @ u) <= allowed
    assert relative(own.c, curvature(compiled, q, own.v, reduction)) <= allowed
    own.q = step(compiled, q, random.uniform(-2.0, 2.0, compiled.nv))
    own.evaluate()
    expected = linearize(compiled, own.q)
    assert relative(own.residual, expected.residual) <= 1e-14
    assert relative(own.jacobian, expected.jacobian) <= 1e-14
    assert own.recovered == 0


@every_emitter
@pytest.mark.parametrize("name", EVERY)
def test_generated_code_is_the_reference_for_every_mechanism(name, emitter):
    own = bound(EVERY[name], emitter)
    for seed in range(2):
        assert_agrees(own, seed)


@every_emitter
@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.thorough if "Kangaroo" in n else ()) for n in ROBOTS],
)
def test_generated_code_is_the_reference_for_robots(name, emitter):
    mechanism, independent = ROBOTS[name]()
    assert_agrees(bound(mechanism, emitter, independent))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_generated_code_is_the_reference_whichever_joint_of_a_loop_is_cut(kind, reverse):
    mechanism, cut = loop_with(kind, reverse=reverse), 0
    for joint in mechanism.joints:
        try:
            own = bound(mechanism, "python", cuts=[joint.name])
        except MechanismError:
            continue  # a free joint is cut instead
        assert_agrees(own)
        cut += 1
    assert cut >= 2


@every_emitter
@pytest.mark.parametrize("eliminate", [False, True])
@pytest.mark.parametrize("name", ["differential", "differential in bearings", "sum"])
def test_couplings_are_the_reference_as_rows_and_eliminated(name, eliminate, emitter):
    mechanism = summing_differential() if name == "sum" else TABLE[name][0]
    assert_agrees(bound(mechanism, emitter, eliminate_couplings=eliminate))


@pytest.mark.parametrize("name", EVERY)
def test_what_is_not_declared_is_zero_at_any_state_exactly(name):
    """Entries of K that are left out, against the reference's anywhere: they are not small."""
    own = bound(EVERY[name], "python")
    for at, kind in enumerate(own.code.layout.types):
        declared, _ = jacobian(own.code.traced(at))
        plan = kind.first
        there = np.zeros((len(plan.long_rows), plan.compiled.nv), dtype=bool)
        there[tuple(np.array(declared, dtype=int).reshape(-1, 2).T)] = True
        random, observed = np.random.default_rng(8), np.zeros_like(there)
        for _ in range(5):
            q = step(plan.compiled, plan.q, random.uniform(-3.0, 3.0, plan.compiled.nv))
            K = linearize(plan.compiled, q).jacobian
            assert np.abs(K[~there]).max(initial=0.0) <= 1e-14
            symbols = own.code.traced(at)
            slots = np.concatenate([q, kind.parameters[0]])
            entries = symbols.graph.evaluate(jacobian(symbols)[1], {STATE: slots})
            observed[there] |= entries != 0.0
        assert not observed[~there].any()
        assert observed[there].mean() > 0.6  # most of what is declared is there


@pytest.mark.parametrize("name", ["crank-rocker", "slider-crank", "Bennett", "Stewart, balls"])
def test_rows_and_curvature_are_those_of_fifty_digits(name):
    """Of the mechanism's own frames in fifty digits, at an open state and at a closed one."""
    own = bound(MECHANISMS[name][0](), "python")
    compiled, exact, q = own.compiled, to_fifty_digits(own.compiled), own.q.copy()
    own.q = step(compiled, q, np.random.default_rng(1).uniform(-0.5, 0.5, compiled.nv))
    own.evaluate()
    rows = linearize(exact, digits(own.q))
    assert relative(own.residual, floats(rows.residual)) < 3e-15
    assert relative(own.jacobian, floats(rows.jacobian)) < 3e-15
    own.q = q
    own.v[:] = np.random.default_rng(2).uniform(-1.0, 1.0, compiled.nv)
    own.motion()
    K = floats(linearize(exact, digits(q)).jacobian)
    assert relative(K @ own.v, np.zeros(len(K))) < 1e-14
    bend = floats(curvature_rows(exact, digits(q), digits(own.v.copy())))
    assert np.abs(bend).max() > 1e-3
    assert relative(K @ own.c, -bend) < 1e-13


def test_a_mechanism_of_no_loops_has_a_lift_and_no_rows():
    own = bound(go2(limits=False), "python")
    own.motion()
    own.evaluate()
    independent = own.code.layout.partition.independent
    np.testing.assert_array_equal(own.E[list(independent)], np.eye(own.compiled.nv))
    assert own.residual.shape == (0,)
    assert own.jacobian.shape == (0, own.compiled.nv)


def test_code_that_is_made_twice_is_the_same_code():
    """Word for word, so that what is kept on disk is found again."""
    made = [bound(stewart(), "python").code for _ in range(2)]
    for name in ("correct", "motion", "evaluate", "follow"):
        for code in made:
            code.kernel(0, name)
    first, second = (code.traced(0).graph.nodes for code in made)
    assert first == second
