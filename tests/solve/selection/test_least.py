"""The shortest vector under inequalities: by the conditions of the only optimum, and by HiGHS."""

import numpy as np
import pytest
from scipy.optimize import linprog

from robocompiler.solve.selection.least import Contradiction, Shortest, settled, shortest
from robocompiler.solve.selection.program import Conflict, least
from robocompiler.solve.selection.rows import Row


def rows(random, n, count):
    G = random.normal(size=(count, n))
    return G / np.linalg.norm(G, axis=1)[:, None]


def assert_shortest(G, h, found):
    """z + Gᵀλ = 0, G z ≤ h, λ ≥ 0, and λ only where an inequality is an equation."""
    size = max(1e-300, np.linalg.norm(found.z))
    assert isinstance(found, Shortest)
    assert np.all(found.multipliers >= 0.0)
    assert (G @ found.z - h).max() <= 2e-11 * size
    pull = np.abs(found.multipliers).sum()
    assert np.linalg.norm(found.z + G.T @ found.multipliers) <= 1e-11 * max(size, pull)
    left = np.abs(h - G @ found.z)[found.multipliers > 0.0]
    assert left.max(initial=0.0) <= 2e-11 * size


def possible(G, h):
    return linprog(np.zeros(G.shape[1]), G, h, bounds=(None, None)).status == 0


def assert_contradiction(G, h, found):
    """A proof, of rows none of which could be left out."""
    weights = found.multipliers
    assert np.all(weights >= 0.0)
    assert np.linalg.norm(weights @ G) <= 1e-9 * weights.sum()
    assert weights @ h < 0.0
    own = np.flatnonzero(weights > 1e-9 * weights.max())
    for one in own:
        kept = own[own != one]
        assert not kept.size or possible(G[kept], h[kept])


@pytest.mark.parametrize("n", [1, 2, 5, 12, 30])
@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_random_inequalities(n, unit):
    random = np.random.default_rng(n)
    met = refused = 0
    for _ in range(25):
        count = int(random.integers(1, 3 * n + 3))
        G = rows(random, n, count)
        inside = random.normal(size=n)
        h = unit * (G @ inside + random.exponential(size=count) * (random.uniform() < 0.6))
        if random.uniform() < 0.4:
            h = unit * random.normal(size=count)
        found = shortest(G, h)
        if isinstance(found, Contradiction):
            assert not possible(G, h / unit)
            assert_contradiction(G, h / unit, found)
            refused += 1
        else:
            assert_shortest(G, h, found)
            met += 1
    assert met
    assert refused or n == 1


def test_rows_that_are_there_twice_or_nearly_parallel():
    random = np.random.default_rng(0)
    for close in (0.0, 1e-14, 1e-12, 1e-9, 1e-6, 1e-3):
        for _ in range(20):
            G = rows(random, 4, 5)
            G = np.vstack([G, G + close * rows(random, 4, 5)])
            G /= np.linalg.norm(G, axis=1)[:, None]
            h = G @ random.normal(size=4)
            assert_shortest(G, h, shortest(G, h))


def test_an_equation_is_two_inequalities():
    random = np.random.default_rng(1)
    for _ in range(20):
        A = rows(random, 6, 3)
        b = random.normal(size=3)
        found = shortest(np.vstack([A, -A]), np.concatenate([b, -b]))
        np.testing.assert_allclose(found.z, np.linalg.pinv(A) @ b, atol=1e-12)


@pytest.mark.parametrize("far", [1e2, 1e4, 1e6])
def test_a_corner_far_away(far):
    """Two halves of the plane that meet nearly parallel, at a distance known in closed form."""
    G = np.array([[-1.0, 1.0 / far], [1.0, 1.0 / far]])
    G /= np.linalg.norm(G, axis=1)[:, None]
    found = shortest(G, np.array([-1.0, -1.0]) / np.hypot(1.0, 1.0 / far))
    np.testing.assert_allclose(found.z, [0.0, -far], rtol=1e-9, atol=1e-9 * far)


def row(name, numbers, low, high):
    return Row(name, np.array(numbers, dtype=float), low, high, "")


def test_a_conflict_is_as_short_as_it_says():
    """Of x + y = 3 with x ≤ 1 and y ≤ 1.5: short by a half, the third limit being no part."""
    found = least(
        [row("sum", [1, 1, 0], 3.0, 3.0)],
        [
            row("x", [1, 0, 0], -9.0, 1.0),
            row("y", [0, 2, 0], -9.0, 3.0),
            row("z", [0, 0, 1], -1, 1),
        ],
        np.zeros(3),
        np.eye(3),
    )
    assert isinstance(found, Conflict)
    needed = found.short / np.array([*found.tasks, *found.limits[:2]])
    np.testing.assert_allclose(needed, [-0.5, 0.5, 1.0], rtol=1e-12)
    assert abs(found.limits[2]) < 1e-14


def test_what_tasks_determine_may_touch_a_limit_but_not_pass_it():
    random = np.random.default_rng(5)
    for _ in range(30):
        x, scale = random.uniform(0.1, 1.0, 2), random.uniform(0.1, 3.0)
        tasks = [row("a", [1, 1], *[x.sum()] * 2), row("b", [1, -1], *[x[0] - x[1]] * 2)]
        on, past = (
            least(
                tasks, [row("x", [scale, 0.0], -9.0, scale * (x[0] - by))], np.zeros(2), np.eye(2)
            )
            for by in (1e-11, 1e-6)
        )
        np.testing.assert_allclose(on.y, x, atol=1e-15)
        assert isinstance(past, Conflict)
        np.testing.assert_allclose(past.short / past.limits[0] / scale, 1e-6, rtol=1e-6)


@pytest.mark.parametrize("off", [0.0, 1e-15, 1e-13, 1e-11])
def test_a_set_of_one_motion_is_found_though_rounding_leaves_none(off):
    """x + y = a + b with x ≤ a and y ≤ b, in digits that do not add up."""
    random = np.random.default_rng(2)
    for _ in range(30):
        a, b = random.uniform(0.1, 1.0, 2)
        scale = random.uniform(0.1, 3.0, 3)
        total = scale[0] * (a + b + off)
        found = least(
            [row("sum", scale[0] * np.ones(2), total, total)],
            [
                row("x", [scale[1], 0], -np.inf, scale[1] * a),
                row("y", [0, scale[2]], -np.inf, scale[2] * b),
            ],
            np.zeros(2),
            np.eye(2),
        )
        np.testing.assert_allclose(found.y, [a, b], atol=1e-8)


def test_what_rounding_leaves_of_a_row_moves_nothing():
    """The difference of two speeds that are always alike, but for the last bit."""
    lift = np.array([[1.0, 0.0], [1.0 + 2e-16, 0.0], [0.0, 1.0]])
    still = [row("difference", [1.0, -1.0, 0.0], 0.0, 0.0), row("first", [1, 0, 0], 0.3, 0.3)]
    found = least(still, [], np.zeros(3), lift)
    np.testing.assert_allclose(found.y, [0.3, 0.0], atol=1e-15)
    assert found.redundant == (0,)
    refused = least([row("difference", [1.0, -1.0, 0.0], 0.1, 0.1)], [], np.zeros(3), lift)
    assert isinstance(refused, Conflict)


@pytest.mark.parametrize("guess", [np.zeros, np.ones])
def test_a_wrong_guess_of_what_is_active_is_put_right(guess):
    """As rounding may make one: nothing, or everything."""
    random = np.random.default_rng(4)
    ended = 0
    for _ in range(30):
        G = rows(random, 5, 5)
        h = G @ random.normal(size=5) + random.exponential(size=5)
        found = settled(G, h, guess(5) > 0.0)
        if found is not None:
            np.testing.assert_allclose(found.z, shortest(G, h).z, atol=1e-12)
            assert_shortest(G, h, found) if np.linalg.norm(found.z) else None
            ended += 1
    assert ended >= 25
