"""Many states at once are what each is alone, to the bit, in any company."""

import copy

import numpy as np
import pytest

from linkages.bound import bound, every_emitter, failed_states, shaken
from linkages.known import TABLE
from linkages.planar import GRASHOF, four_bar_of, four_bar_solution
from linkages.stewart import stewart
from robocompiler.errors import BadValueError
from robocompiler.solve.generated.sharing import spread

ALIKE = {
    "Stewart": stewart(),
    "four-bar": four_bar_of(),
    "crane": TABLE["crane"][0],
    "loop with ball": TABLE["loop with ball"][0],
    "differential": TABLE["differential"][0],
}
STATES = 131
"""So many that rows are spread: columns of the buffer are then more than states."""
COMPANIES = (
    *((131, 1), (131, 3), (67, 1), (67, 3), (67, 1000)),
    *((25, 1), (16, 2), (5, 1), (2, 2), (1, 1)),
)
"""States and threads."""


def all_of(own):
    """Everything in the buffers, a column a state."""
    states = own.q.shape[1] if own.q.ndim == 2 else 1
    parts = (own.q, own.v, own.c, own.E, own.residual, own.jacobian)
    return np.concatenate([part.reshape(-1, states) for part in parts])


def run(own, q, v):
    own.q, own.v = q, v
    own.motion()
    own.evaluate()
    return all_of(own)


@every_emitter
@pytest.mark.parametrize("name", ALIKE)
def test_results_are_the_same_bits_alone_in_any_batch_and_in_any_number_of_threads(name, emitter):
    own = bound(ALIKE[name], emitter)
    q = shaken(own, STATES, 0.03, 0.02).T.copy()
    v = np.random.default_rng(3).normal(size=(own.compiled.nv, STATES))
    alone = np.concatenate([run(own, q[:, k], v[:, k]) for k in range(STATES)], axis=1)
    again = np.concatenate([run(own, q[:, k], v[:, k]) for k in range(STATES)], axis=1)
    np.testing.assert_array_equal(again, alone)
    for states, threads in (
        (131, 1),
        (131, 3),
        (67, 1),
        (67, 3),
        (67, 1000),
        (25, 1),
        (16, 2),
        (5, 1),
        (2, 2),
        (1, 1),
    ):
        many = own.batch(states, threads)
        for _ in range(2):
            found = run(many, q[:, :states], v[:, :states])
            np.testing.assert_array_equal(found, alone[:, :states])


@pytest.mark.parametrize("states", [1, 8, 120, 121, 128, 1000, 4096, 8192])
def test_rows_of_many_states_start_an_odd_number_of_cache_lines_apart(states):
    columns = spread(states)
    assert columns >= states
    assert columns == states if states <= 120 else columns % 16 == 8
    assert columns - states < 16


@every_emitter
@pytest.mark.parametrize("threads", [1, 3])
def test_states_that_fail_are_named_and_the_others_are_done(threads, emitter):
    bars = GRASHOF["rocker-crank"]
    own = bound(four_bar_of(bars, 1.3), emitter)
    many = own.batch(40, threads)
    many.q[0] = np.linspace(1.1, 1.6, 40)
    many.q[0, [3, 17, 39]] = 2.5, np.nan, 2.0
    start = many.q.copy()
    failed = failed_states(many.correct)
    assert sorted(failed) == [3, 17, 39]
    assert isinstance(failed[17], BadValueError)
    np.testing.assert_array_equal(many.q[:, [3, 17, 39]], start[:, [3, 17, 39]])
    assert np.isnan(many.E[1:, 0, [3, 17, 39]]).all()
    for state in set(range(40)) - set(failed):
        crank = many.q[0, state]
        assert crank == start[0, state]
        coupler, rocker = four_bar_solution(bars, crank)
        np.testing.assert_allclose(many.q[1:, state], [coupler - crank, rocker], atol=1e-10)
        assert np.isfinite(many.E[..., state]).all()


@every_emitter
def test_a_state_that_failed_may_be_put_right_and_called_again(emitter):
    many = bound(four_bar_of(), emitter).batch(3)
    home = many.q[:, 0].copy()
    many.q[0, 1] = np.nan
    assert sorted(failed_states(many.correct)) == [1]
    many.q[:, 1] = home
    many.correct()
    np.testing.assert_array_equal(many.E[..., 1], many.E[..., 0])


@every_emitter
def test_a_batch_starts_where_the_code_was_bound(emitter):
    own = bound(stewart(), emitter)
    home = own.q.copy()
    own.q += 0.1
    many = own.batch(4)
    for state in range(4):
        np.testing.assert_array_equal(many.q[:, state], home)
    with pytest.raises(ValueError, match="read-only"):
        own.home[0] += 0.1
    with pytest.raises(ValueError, match="read-only"):
        copy.deepcopy(own).home[0] += 0.1


def test_counts_that_are_none():
    own = bound(four_bar_of(), "python")
    for bad in (0, -1, 1.0, True, "2", None, 2**70):
        with pytest.raises(BadValueError):
            own.batch(bad)
        if bad != 2**70:  # so many threads are as many as there are states
            with pytest.raises(BadValueError):
                own.batch(2, threads=bad)
    own.batch(np.int64(2), threads=2**70).correct()
