"""Acquisition from far away, and what a homotopy costs."""

import math
from dataclasses import replace

import numpy as np
import pytest

from linkages.crane import Strokes, crane, crane_solution
from linkages.planar import GRASHOF, four_bar_of, four_bar_solution
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.solve.continuation.constants import CONTROL
from robocompiler.solve.continuation.corrector import correct
from robocompiler.solve.continuation.homotopy import hold_speeds, land, trace_defect
from robocompiler.solve.motion.follow import follow
from robocompiler.solve.state import starting_coordinates
from robocompiler.solve.system import systems_of


def four_bar_system(crank=0.7):
    compiled = compile_mechanism(four_bar_of(GRASHOF["crank-rocker"], crank))
    return systems_of(compiled)[0], starting_coordinates(compiled)


def at(system, joint):
    return next(t.q.start for t in system.compiled.tree if t.edge.joint.name == joint)


@pytest.mark.parametrize("off", [5.0, 15.0, 30.0, 45.0])
def test_a_defect_is_traced_away_to_the_closed_form_on_the_branch_of_the_guess(off):
    """The crank held, the passive angles guessed wrong by up to 45° both ways."""
    system, q = four_bar_system()
    exact = four_bar_solution(GRASHOF["crank-rocker"], 0.7)
    for sign in (1.0, -1.0):
        guess = q.copy()
        guess[at(system, "B")] += sign * math.radians(off)
        guess[at(system, "D")] -= sign * math.radians(off) / 2.0
        hold = hold_speeds(system, guess, system.speeds_of("A"))
        point = trace_defect(system, hold, guess)
        assert point is not None
        assert point.misfit < 1e-14
        assert point.q[at(system, "A")] == 0.7
        assert point.q[at(system, "D")] == pytest.approx(exact[1], abs=1e-13)


def test_a_defect_that_cannot_be_closed_is_given_up():
    """A rocker-crank's driver beyond its toggle: no state with λ = 1."""
    compiled = compile_mechanism(four_bar_of(GRASHOF["rocker-crank"], 1.2))
    system, q = systems_of(compiled)[0], starting_coordinates(compiled)
    q[at(system, "A")] = 1.9
    assert trace_defect(system, hold_speeds(system, q, system.speeds_of("A")), q) is None


def test_newton_that_does_not_contract_is_refused():
    system, q = four_bar_system()
    hold = hold_speeds(system, q, system.speeds_of("A"))
    near, far = q.copy(), q.copy()
    near[at(system, "A")] += 0.01
    far[at(system, "A")] += 2.8
    assert land(system, hold, near) is not None
    assert land(system, hold, far) is None


def test_the_corrector_takes_a_batch_as_it_takes_each_alone():
    system, q = four_bar_system()
    random = np.random.default_rng(3)
    starts = q + random.uniform(-0.3, 0.3, (5, len(q)))
    free = [i for i in range(3) if i not in system.speeds_of("A")]
    together = correct(system, starts, free)
    alone = [correct(system, start, free) for start in starts]
    np.testing.assert_allclose(together.q, [c.q for c in alone], atol=1e-14)
    assert np.max(together.misfit) < 1e-13


def test_the_corrector_stays_within_limits():
    mechanism = four_bar_of(GRASHOF["crank-rocker"], 0.7)
    system, q = four_bar_system()
    low, high = np.full(3, -np.inf), np.full(3, np.inf)
    d = at(system, "D")
    low[d], high[d] = q[d] + 0.05, q[d] + 0.5
    bounded = replace(system, lowest=low, highest=high, least=low, most=high)
    closed = correct(bounded, q, [0, 1, 2], limited=True)
    assert closed.misfit < 1e-13
    assert low[d] <= closed.q[d] <= high[d]
    assert mechanism.name == "four-bar"


def papers_homotopy(system, hold, q):
    """Zero-order predictor, λ by tenths, damped normal equations to 1e-9: PACDM as published."""
    defect = system.linear(q)[0]
    free = list(hold.free)
    for share in np.linspace(0.1, 1.0, 10):
        damping = 1e-6
        phi, K = system.linear(q)
        for _ in range(100):
            left = hold.rows.T @ (phi - (1.0 - share) * defect)
            if np.max(np.abs(left)) <= 1e-9:
                break
            J = hold.rows.T @ K[:, free]
            delta = np.zeros(K.shape[1])
            delta[free] = -np.linalg.solve(J.T @ J + damping * np.eye(len(free)), J.T @ left)
            trial = system.move(q, delta)
            phi_trial, K_trial = system.linear(trial)
            better = hold.rows.T @ (phi_trial - (1.0 - share) * defect)
            if np.linalg.norm(better) < np.linalg.norm(left):
                q, phi, K, damping = trial, phi_trial, K_trial, max(damping / 10, 1e-12)
            else:
                damping *= 10
    return q


def test_following_the_crane_takes_a_fortieth_of_homotopy_at_every_sample():
    """Homotopy from one guess, 30° off, as PACDM does it; following is told from each other."""
    compiled = compile_mechanism(crane())
    s, n = Strokes(), 500
    u = np.linspace(0.0, 1.0, n)
    lift, fold = s.lift + 0.1 * np.sin(2 * np.pi * u), s.fold + 0.08 * np.sin(4 * np.pi * u)
    motion = follow(compiled, {"lift": lift, "fold": fold})
    spent = 0
    for sample in range(0, n, 50):
        exact = crane_solution(lift[sample], fold[sample])
        for system in systems_of(compiled):
            q = system.of(starting_coordinates(compiled))
            for i, name in enumerate(("boom", "rocker", "jib", "lift base", "fold base", "link")):
                if system.speeds_of(name):
                    q[at(system, name)] += math.radians(30.0) * (-1) ** i
            driver = next(n for n in ("lift", "fold") if system.speeds_of(n))
            q[at(system, driver)] = {"lift": lift, "fold": fold}[driver][sample]
            hold = hold_speeds(system, q, system.speeds_of(driver))
            found = papers_homotopy(system, hold, q)
            spent += system.work.residuals
            for name in set(exact) & {t.edge.joint.name for t in system.compiled.tree}:
                assert found[at(system, name)] == pytest.approx(exact[name], abs=1e-7)
    per_sample = spent / len(range(0, n, 50))
    assert motion.work.residuals / n <= per_sample / 40
    exact = [crane_solution(a, b) for a, b in zip(lift, fold, strict=True)]
    for name in ("boom", "rocker", "jib"):
        expected = np.array([e[name] for e in exact])
        np.testing.assert_allclose(motion.of(name), expected, rtol=0, atol=1e-13)


def test_the_constants_are_the_papers():
    assert (CONTROL.first_share, CONTROL.least_share, CONTROL.most_share) == (0.1, 1e-5, 0.5)
