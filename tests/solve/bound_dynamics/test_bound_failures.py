"""Bound dynamics close the loops in the call that accelerates; what that fails at is told."""

import numpy as np
import pytest

import robocompiler as rc
from linkages.bound import every_emitter, failed_states, shaken
from linkages.planar import GRASHOF, four_bar_of
from linkages.stewart import stewart
from robocompiler.errors import BadValueError, ClosureError

STATES = 131


def rocker(emitter):
    """A four-bar that cannot turn through, bound where its crank stands at 1.3 rad."""
    compiled = rc.compile(four_bar_of(GRASHOF["rocker-crank"], 1.3))
    return rc.bind_dynamics(compiled, independent=["A"], emitter=emitter)


def driven(many, seed=4):
    """Speeds and efforts, drawn for every state."""
    random = np.random.default_rng(seed)
    many.v[...] = random.normal(size=many.v.shape)
    many.efforts[...] = random.normal(size=many.efforts.shape)


@every_emitter
@pytest.mark.parametrize("threads", [1, 3])
def test_states_that_cannot_be_closed_are_named_and_the_others_are_accelerated(threads, emitter):
    own = rocker(emitter)
    many = own.batch(STATES, threads)
    driven(many)
    many.q[0] = np.linspace(1.2, 1.4, STATES)
    many.q[0, [3, 130]] = 2.5, np.nan
    failed = failed_states(many.forward)
    assert sorted(failed) == [3, 130]
    assert isinstance(failed[130], BadValueError)
    for state in set(range(0, STATES, 10)) - set(failed):
        found = own.accelerations(
            many.q[:, state], many.v[own.independent_speeds, state], many.efforts[:, state]
        )
        np.testing.assert_allclose(many.u_dot[:, state], found, rtol=1e-12)


@every_emitter
def test_one_state_that_cannot_be_closed_raises_what_closing_it_raises(emitter):
    own = rocker(emitter)
    own.q[0] = 2.5
    with pytest.raises(ClosureError):
        own.forward()
    with pytest.raises(ClosureError):
        own.inverse()


@every_emitter
def test_states_that_the_reference_closes_accelerate_as_those_that_it_need_not_help(emitter):
    """Forward dynamics of the efforts that inverse dynamics ask for, from far open states."""
    compiled = rc.compile(stewart())
    own = rc.bind_dynamics(compiled, emitter=emitter)
    starts = np.array(shaken(own.bound, 60, 0.1))
    many = own.batch(60)
    many.q[...] = starts.T
    driven(many)
    many.u_dot[...] = wanted = np.random.default_rng(5).normal(size=many.u_dot.shape)
    many.inverse()
    assert many.bound.recovered > 0
    many.q[...] = starts.T
    many.forward()
    np.testing.assert_allclose(many.u_dot, wanted, atol=1e-9)
