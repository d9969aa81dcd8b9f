"""Copies of bound code, and threads that use it at once."""

import copy
import gc
import multiprocessing
import pickle
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import robocompiler as rc
from linkages.bound import bound, every_emitter
from linkages.planar import four_bar_at, four_bar_of
from linkages.stewart import stewart

COPIES = {
    "copied": copy.copy,
    "deeply": copy.deepcopy,
    "pickled": lambda own: pickle.loads(pickle.dumps(own)),
}


@every_emitter
@pytest.mark.parametrize("how", COPIES)
def test_a_copy_has_all_that_stands_in_the_buffers_and_buffers_of_its_own(how, emitter):
    own = bound(four_bar_of(), emitter)
    own.q[0], own.v[0] = 0.8, 1.0
    own.motion()
    own.evaluate()
    made = COPIES[how](own)
    for name in ("q", "v", "c", "E", "residual", "jacobian"):
        np.testing.assert_array_equal(getattr(made, name), getattr(own, name))
        assert not np.shares_memory(getattr(made, name), getattr(own, name))
    assert (made.emitter, made.independent) == (own.emitter, own.independent)
    before = own.q.copy()
    made.q[0] = 1.0
    made.correct()
    np.testing.assert_allclose(made.q, four_bar_at(1.0), atol=1e-12)
    np.testing.assert_array_equal(own.q, before)


def test_a_copy_of_a_batch_is_a_batch():
    many = bound(four_bar_of(), "python").batch(5, threads=2)
    many.q[0] = np.linspace(0.6, 0.9, 5)
    many.correct()
    made = pickle.loads(pickle.dumps(many))
    np.testing.assert_array_equal(made.E, many.E)
    made.q[0] += 0.01
    made.correct()
    for state in range(5):
        expected = four_bar_at(made.q[0, state])
        np.testing.assert_allclose(made.q[:, state], expected, atol=1e-12)


@every_emitter
def test_two_of_one_mechanism_do_not_see_each_other(emitter):
    compiled = rc.compile(four_bar_of())
    first, second = (rc.bind(compiled, emitter=emitter) for _ in range(2))
    first.q[0], second.q[0] = 0.8, 0.9
    for own in (first, second, first):
        own.correct()
    np.testing.assert_allclose(first.q, four_bar_at(0.8), atol=1e-12)
    np.testing.assert_allclose(second.q, four_bar_at(0.9), atol=1e-12)


@every_emitter
def test_calls_outlive_whoever_prepared_them(emitter):
    """Buffers seen from outside, and batches, after what they came from is gone."""
    own = bound(stewart(), emitter)
    own.correct()
    E, many = own.E, own.batch(3, threads=3)
    many.correct()
    expected = E.copy()
    del own
    for _ in range(3):
        gc.collect()
        many.q[...] += 1e-3
        many.correct()
    np.testing.assert_array_equal(E, expected)
    assert np.isfinite(many.E).all()


@pytest.fixture
def often():
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@every_emitter
@pytest.mark.usefixtures("often")
def test_code_that_is_not_there_yet_may_be_asked_for_in_several_threads(emitter):
    """Batches share it, and tracing is one graph: what two add at once would be mixed up."""
    expected = bound(stewart(kind="universal"), emitter)
    expected.motion()
    for _ in range(6):
        own = bound(stewart(kind="universal"), emitter)
        batches = [own.batch(2) for _ in range(6)]
        runs = [batches[0].correct, batches[1].evaluate, *(b.motion for b in batches[2:])]
        with ThreadPoolExecutor(len(runs)) as pool:
            for done in [pool.submit(run) for run in runs]:
                done.result()
        for batch in (batches[0], *batches[2:]):
            np.testing.assert_array_equal(batch.E[..., 0], expected.E)


@every_emitter
def test_several_threads_each_with_its_own_get_what_one_gets(emitter):
    own = bound(stewart(), emitter)
    lengths = own.code.layout.partition.independent
    shifts = np.random.default_rng(4).uniform(-0.02, 0.02, (8, 20, 6))

    def run(shift):
        mine, found = copy.copy(own), []
        home = mine.q.copy()
        for step in shift:
            mine.q = home
            mine.q[[t.q.start for t in mine.compiled.tree if t.v.start in lengths]] += step
            mine.correct()
            found.append((mine.q.copy(), mine.E.copy()))
        return found

    alone = [run(shift) for shift in shifts]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(run, shifts))
    for first, second in zip(alone, together, strict=True):
        for (q, E), (p, F) in zip(first, second, strict=True):
            np.testing.assert_array_equal(q, p)
            np.testing.assert_array_equal(E, F)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@every_emitter
def test_a_fork_of_the_process_has_threads_of_its_own(emitter):
    """Those of the parent are not there, and would be waited for."""
    many = bound(four_bar_of(), emitter).batch(64, threads=3)
    for _ in range(2):
        many.correct()
        time.sleep(0.05)  # until the threads wait for more
    child = multiprocessing.get_context("fork").Process(target=many.correct)
    child.start()
    child.join(60.0)
    done = child.exitcode
    child.kill()
    assert done == 0
