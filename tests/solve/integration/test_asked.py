"""What may be asked of an integration, and what is refused."""

import numpy as np
import pytest

import robocompiler as rc
from linkages.in_motion import ACROSS, compiled_at, pendulum, sprung_four_bar, with_joint
from linkages.planar import four_bar_of
from robocompiler.compiler.ports import Port
from robocompiler.errors import (
    BadValueError,
    DivergedError,
    NotClosedError,
    StepError,
    UnknownNameError,
)

STEPS = 20


def driven(efforts, method="rk4", wrenches=None, **others):
    compiled, q = compiled_at(four_bar_of())
    return rc.integrate(
        compiled,
        q,
        np.array([2.0]),
        STEPS * 1e-3,
        1e-3,
        efforts=efforts,
        method=method,
        wrenches=wrenches,
        gravity=ACROSS,
        **others,
    )


@pytest.mark.parametrize("method", ["semi-implicit", "rk4"])
def test_efforts_are_the_same_by_number_name_table_and_function(method):
    forms = [
        np.array([0.3]),
        {"A": 0.3},
        np.full((STEPS, 1), 0.3),
        {"A": np.full(STEPS, 0.3)},
        lambda t, at: [0.3],
        lambda t, at: {"A": 0.3},
    ]
    first, *others = (driven(form, method) for form in forms)
    for other in others:
        np.testing.assert_array_equal(other.q, first.q)
        np.testing.assert_array_equal(other.ledger.residual, first.ledger.residual)


def test_a_table_holds_during_its_step():
    table = np.linspace(-1.0, 1.0, STEPS)[:, None]
    by_table = driven(table, "semi-implicit")
    by_function = driven(lambda t, at: table[min(round(t / 1e-3), STEPS - 1)], "semi-implicit")
    np.testing.assert_array_equal(by_table.q, by_function.q)
    np.testing.assert_array_equal(by_table.efforts[:-1], table)


@pytest.mark.parametrize("method", ["semi-implicit", "rk4"])
def test_wrenches_are_the_same_by_number_table_and_function(method):
    push = np.array([1.0, -2.0, 0.0, 0.0, 0.0, 0.3])
    forms = [push, np.tile(push, (STEPS, 1)), lambda t, at: push]
    first, *others = (driven(None, method, {"coupler": form}) for form in forms)
    still = driven(None, method)
    assert np.abs(first.q - still.q).max() > 1e-4
    for other in others:
        np.testing.assert_array_equal(other.q, first.q)
        np.testing.assert_allclose(other.ledger.wrenches, first.ledger.wrenches, atol=1e-15)


def test_a_controller_sees_a_closed_state_at_every_stage():
    """A spring and damper by law are those of the record."""
    own = four_bar_of()
    compiled, q = compiled_at(own)
    sprung, _ = compiled_at(with_joint(own, "D", stiffness=5.0, damping=0.1, spring_reference=1.0))
    at_D = compiled.tree_joint("D")

    def law(t, at):
        assert not at.q.flags.writeable
        return {"D": -5.0 * (at.q[at_D.q.start] - 1.0) - 0.1 * at.v[at_D.v.start]}

    port = Port(name="D", tree=((at_D.v.start, 1.0),))
    u = np.array([2.0])
    one = rc.integrate(compiled, q, u, 0.1, 1e-3, efforts=law, ports=[port], method="rk4")
    other = rc.integrate(sprung, q, u, 0.1, 1e-3, method="rk4")
    np.testing.assert_allclose(one.q, other.q, atol=1e-12)
    given = other.ledger.springs[0] - other.ledger.springs - other.ledger.dissipated
    np.testing.assert_allclose(one.ledger.of("D"), given, atol=1e-8)


def test_until_ends_the_motion_with_a_sample():
    compiled, q = compiled_at(pendulum(1.0))
    ran = rc.integrate(
        compiled, q, np.zeros(1), 2.0, 1e-3, samples=4, until=lambda t, at: at.q[0] > 1.5
    )
    assert ran.stopped
    assert ran.q[-1, 0] > 1.5 > ran.q[-1, 0] - 2e-3 * ran.u[-1, 0]
    assert ran.times[-1] % 0.5
    assert len(ran.times) == len(ran.ledger.residual)


def test_a_motion_is_closed_to_rounding_at_every_sample():
    ran = driven({"A": 0.3}, "semi-implicit")
    compiled, _ = compiled_at(four_bar_of())
    bound = rc.bind(compiled)
    for q in ran.q:
        bound.q = q
        bound.evaluate()
        assert np.abs(bound.residual).max() < 1e-13
    E = rc.reduce(compiled, ran.q).E
    np.testing.assert_allclose(ran.v, (E @ ran.u[..., None])[..., 0], atol=1e-11)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"method": "euler"}, "method=euler is not one of semi-implicit, rk4"),
        ({"timestep": 0.0}, "timestep=0"),
        ({"timestep": float("nan")}, "timestep=nan"),
        ({"duration": -1.0}, "duration=-1"),
        ({"duration": 0.0105}, "duration=0.0105 s is not a whole number of timesteps"),
        ({"samples": 7}, "samples=7 is not a whole number that the 10 steps"),
        ({"samples": 0}, "samples=0"),
        ({"dry_friction": True}, "dry_friction=True is not"),
        ({"efforts": np.zeros((3, 1))}, "a line for each of the 10 steps"),
        ({"efforts": lambda t, at: np.zeros(2)}, r"of shape \(2,\)"),
        ({"efforts": lambda t, at: [np.nan]}, "What acts on 'A'"),
        ({"efforts": np.array([np.inf])}, "efforts"),
        ({"wrenches": {"bob": np.zeros(5)}}, "bob"),
        ({"wrenches": {"bob": lambda t, at: np.zeros(3)}}, "bob"),
        ({"u": np.zeros(2)}, "u="),
        ({"u": np.zeros((2, 1))}, "a single state"),
        ({"q": np.zeros((2, 1))}, "a single state"),
        ({"q": np.array([np.nan])}, "finite"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(asked, said):
    compiled, q = compiled_at(pendulum(1.0))
    given = {"q": q, "u": np.zeros(1), "duration": 0.01, "timestep": 1e-3} | asked
    with pytest.raises(BadValueError, match=said):
        rc.integrate(compiled, **given)


@pytest.mark.parametrize("asked", [{"efforts": {"B": 1.0}}, {"wrenches": {"leg": np.zeros(6)}}])
def test_names_of_nothing_are_refused(asked):
    compiled, q = compiled_at(pendulum(1.0))
    with pytest.raises(UnknownNameError):
        rc.integrate(compiled, q, np.zeros(1), 0.01, 1e-3, **asked)


def test_a_start_that_is_open_is_refused():
    compiled, q = compiled_at(four_bar_of())
    with pytest.raises(NotClosedError):
        rc.integrate(compiled, q + 0.1, np.zeros(1), 0.01, 1e-3)


@pytest.mark.parametrize("method", ["semi-implicit", "rk4"])
@pytest.mark.parametrize("mechanism", [pendulum(1.0, damping=1e3), sprung_four_bar()])
def test_a_step_that_is_too_large_is_said_to_be(method, mechanism):
    if len(mechanism.joints) > 1:
        mechanism = with_joint(mechanism, "C", stiffness=1e6, damping=1e4)
    compiled, q = compiled_at(mechanism)
    with pytest.raises((DivergedError, StepError), match="smaller `timestep`") as caught:
        rc.integrate(compiled, q, np.ones(1), 1.0, 1e-3, method=method)
    assert caught.value.time < 0.1
    assert caught.value.timestep == 1e-3
