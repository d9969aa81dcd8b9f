"""Energy gained less work, and how it falls with the step."""

import numpy as np
import pytest
from scipy.integrate import simpson

import robocompiler as rc
from linkages.in_motion import ACROSS, CASES, compiled_at, pendulum, sprung_four_bar, with_joint
from linkages.planar import four_bar_of
from robocompiler.compiler.ports import Port


def residuals(case, method, steps, duration=0.1):
    (compiled, q), u, efforts, others = CASES[case]()
    found = []
    for h in steps:
        ran = rc.integrate(
            compiled, q, np.array(u), duration, h, efforts=efforts, method=method, **others
        )
        assert np.max(np.abs(ran.ledger.energy - ran.ledger.energy[0])) > 1e-3
        found.append(float(np.max(np.abs(ran.ledger.residual))))
    return found


@pytest.mark.parametrize("case", CASES)
def test_halving_the_step_halves_what_the_semi_implicit_method_misses(case):
    coarse, fine = residuals(case, "semi-implicit", (5e-4, 2.5e-4))
    assert coarse / fine == pytest.approx(2.0, rel=0.1)


@pytest.mark.parametrize("case", CASES)
def test_halving_the_step_leaves_a_sixteenth_of_what_runge_kutta_misses(case):
    coarse, fine = residuals(case, "rk4", (4e-3, 2e-3))
    assert 13.0 < coarse / fine < 21.0


@pytest.mark.parametrize("case", ["Stewart", "four-bar"])
def test_what_is_left_in_the_end_is_rounding(case):
    (left,) = residuals(case, "rk4", (1e-4,))
    assert left < 1e-11


def test_the_work_of_each_port_and_damper_is_that_of_its_law():
    """A damped pendulum driven at both: what drives gave is ∫ f θ̇ = f Δθ, constant f."""
    compiled, q = compiled_at(pendulum(0.3, damping=0.5))
    ports = [Port(name="half", tree=((0, 0.5),)), Port(name="whole", tree=((0, 1.0),))]
    ran = rc.integrate(
        compiled,
        q,
        np.array([1.0]),
        1.0,
        1e-3,
        method="rk4",
        ports=ports,
        efforts={"half": 2.0, "whole": -1.5},
    )
    turned = ran.q[:, 0] - ran.q[0, 0]
    np.testing.assert_allclose(ran.ledger.of("half"), 2.0 * 0.5 * turned, atol=1e-10)
    np.testing.assert_allclose(ran.ledger.of("whole"), -1.5 * turned, atol=1e-10)
    taken = simpson(0.5 * ran.u[:, 0] ** 2, x=ran.times)
    assert ran.ledger.dissipated[-1] == pytest.approx(taken, rel=1e-6)
    assert ran.ledger.energy[-1] - ran.ledger.energy[0] == pytest.approx(ran.ledger.work[-1])


ON_CUT = Port(name="on cut", cut=((0, 0, 1.0),), armature=0.05)


@pytest.mark.parametrize(
    ("own", "ports"),
    [
        ({"stiffness": 40.0, "spring_reference": 1.0}, None),
        ({"armature": 0.05}, None),
        ({}, [ON_CUT]),
        ({}, None),
    ],
)
def test_energies_are_those_of_the_energy_of_each_state(own, ports):
    """By `rc.energy`, whose tests are its own, at every sample; with what a cut joint stores."""
    compiled, q = compiled_at(with_joint(four_bar_of(), "C", **own), cuts=["C"])
    conditions = {"gravity": ACROSS, "ports": ports}
    ran = rc.integrate(compiled, q, np.array([2.0]), 0.1, 1e-2, method="rk4", **conditions)
    right = rc.energy(compiled, ran.q, ran.u, **conditions)
    for name in ("kinetic", "gravity", "springs"):
        np.testing.assert_allclose(getattr(ran.ledger, name), getattr(right, name), rtol=1e-12)
    assert bool(np.ptp(ran.ledger.springs) > 0.01) == ("stiffness" in own)


def test_a_port_on_a_cut_joint_gives_its_effort_times_what_that_turns():
    compiled, q = compiled_at(four_bar_of())
    u, given = np.array([2.0]), {"ports": [ON_CUT], "efforts": {"on cut": 0.3}}
    ran = rc.integrate(compiled, q, u, 0.1, 1e-3, method="rk4", gravity=ACROSS, **given)
    A, B, D = (ran.q[:, compiled.tree_joint(name).q.start] for name in "ABD")
    turned = D - A - B  # of the rocker against the coupler
    np.testing.assert_allclose(ran.ledger.of("on cut"), 0.3 * (turned - turned[0]), atol=1e-9)


def test_fewer_samples_count_the_same_work():
    compiled, q = compiled_at(sprung_four_bar(), cuts=["C"])
    every, some = (
        rc.integrate(compiled, q, np.array([2.0]), 0.9, 1e-3, efforts={"A": 0.2}, samples=n)
        for n in (None, 9)
    )
    np.testing.assert_array_equal(some.times, every.times[::100])
    np.testing.assert_array_equal(some.q, every.q[::100])
    for name in ("ports", "dissipated", "residual"):
        np.testing.assert_allclose(
            getattr(some.ledger, name), getattr(every.ledger, name)[::100], atol=1e-13
        )
