"""Elimination ordered once, against NumPy's and fifty digits, on matrices it was not made for."""

import mpmath
import numpy as np
import pytest

from fifty_digits import digits
from robocompiler.codegen.elimination import eliminate
from robocompiler.codegen.graph import Graph
from robocompiler.errors import GenerationError

SAMPLES = 4


def sparse(n, seed, density=0.3, scale=0.0):
    """Random matrices of one pattern, (samples, n, n): regular, rows and columns of any scale."""
    random = np.random.default_rng(seed)
    there = random.uniform(size=(n, n)) < density
    there[range(n), random.permutation(n)] = True
    own = 10.0 ** random.uniform(-scale, scale, (2, n))
    values = random.uniform(0.5, 2.0, (40, n, n)) * random.choice([-1.0, 1.0], (n, n)) * there
    regular = [A for A in values if np.linalg.cond(A) < 1e4][:SAMPLES]
    return there, np.array(regular) * own[0][:, None] * own[1]


def made(there, values):
    """The elimination of a pattern, and its solution as symbols of entries and right side."""
    graph, n = Graph(), len(there)
    entries, right = graph.inputs("x", n * n).reshape(n, n), graph.inputs("b", n)
    A = np.where(there, entries, graph.constant(0.0))
    eliminated = eliminate(graph, A, values)
    return graph, eliminated, eliminated.solve(list(right))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("scale", [0.0, 6.0])
def test_a_sparse_system_is_solved_as_lapack_does_whatever_its_units(seed, scale):
    n = 2 + seed
    there, values = sparse(n, seed, scale=scale)
    graph, eliminated, x = made(there, values)
    assert sorted(stage.row for stage in eliminated.stages) == list(range(n))
    assert sorted(stage.column for stage in eliminated.stages) == list(range(n))
    right = np.random.default_rng(seed).uniform(-1.0, 1.0, (len(values), n))
    flat = values.reshape(len(values), -1)
    found = graph.evaluate(x, {"x": flat, "b": right})
    expected = np.linalg.solve(values, right[..., None])[..., 0]
    unit = np.abs(expected).max(axis=0)
    np.testing.assert_allclose(found / unit, expected / unit, atol=1e-9)


def test_the_factors_are_exact_in_fifty_digits():
    """What is solved is A x = b, not something near it."""
    there, values = sparse(8, 3)
    _, eliminated, _ = made(there, values)
    A, b = digits(values[0]), list(digits(np.arange(1.0, 9.0)))
    left = A.copy()
    for stage in eliminated.stages:
        pivot = left[stage.row, stage.column]
        for row, _ in stage.below:
            factor = left[row, stage.column] / pivot
            left[row] = left[row] - left[stage.row] * factor
            b[row] = b[row] - factor * b[stage.row]
    x = [digits(0.0)[()]] * 8
    for stage in reversed(eliminated.stages):
        total = b[stage.row]
        for column, _ in stage.beside:
            total = total - left[stage.row, column] * x[column]
        x[stage.column] = total / left[stage.row, stage.column]
    exact = mpmath.lu_solve(mpmath.matrix(values[0].tolist()), mpmath.matrix(list(range(1, 9))))
    assert max(abs(own.x - other) for own, other in zip(x, exact, strict=True)) < 1e-40


def test_an_arrow_is_not_filled_in():
    """Its dense row and column are taken last, so that nothing is computed that was zero."""
    n = 30
    there = np.eye(n, dtype=bool)
    there[0], there[:, 0] = True, True
    values = np.where(there, 1.0, 0.0)[None] + 4.0 * np.eye(n)
    _, eliminated, _ = made(there, values)
    assert sum(len(stage.below) for stage in eliminated.stages) == n - 1
    assert sum(len(stage.beside) for stage in eliminated.stages) == n - 1


def test_what_vanishes_at_one_sample_is_no_pivot():
    """An entry that is large at most samples, and nothing at one of them."""
    there = np.ones((2, 2), dtype=bool)
    values = np.array([[[1.0, 2.0], [3.0, 1.0]], [[1e-12, 2.0], [3.0, 1.0]]])
    graph, eliminated, x = made(there, values)
    first = eliminated.stages[0]
    assert (first.row, first.column) != (0, 0)
    found = graph.evaluate(x, {"x": values[1].ravel(), "b": np.array([1.0, 1.0])})
    np.testing.assert_allclose(found, np.linalg.solve(values[1], [1.0, 1.0]), rtol=1e-15)


def test_typical_pivots_are_those_of_the_samples():
    there, values = sparse(6, 1)
    _, eliminated, _ = made(there, values)
    sizes = np.abs(np.linalg.det(values))
    assert np.prod(eliminated.typical) == pytest.approx(np.median(sizes), rel=1.0)


@pytest.mark.parametrize("where", ["everywhere", "at one sample"])
def test_what_is_singular_is_refused(where):
    there, values = sparse(5, 2, density=1.0)
    first = slice(None) if where == "everywhere" else slice(0, 1)
    values[first, 4] = 0.0
    with pytest.raises(GenerationError, match="not determined"):
        made(there, values)


def test_nothing_is_solved_by_nothing():
    graph = Graph()
    eliminated = eliminate(graph, np.zeros((0, 0), dtype=object), np.zeros((3, 0, 0)))
    assert eliminated.solve([]) == []
