"""Definite matrices of symbols, against NumPy's own solutions."""

import numpy as np
import pytest

from robocompiler.codegen.graph import Graph
from robocompiler.compiler.clusters.definite import DEFINITE, LOST, Definite


def factored(pattern, whole=()):
    """Of a graph's inputs where there is something; zeros elsewhere."""
    graph, n = Graph(), len(pattern)
    matrix = graph.inputs("a", n * n).reshape(n, n)
    for i, j in np.ndindex(n, n):
        matrix[i, j] = matrix[max(i, j), min(i, j)] if pattern[i, j] else graph.constant(0.0)
    return graph, Definite.of(matrix, whole)


def definite(n, seed=1):
    half = np.random.default_rng(seed).uniform(-1.0, 1.0, (n, n))
    return half @ half.T + 0.1 * np.eye(n)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_a_definite_matrix_is_solved_and_sound(n):
    graph, found = factored(np.ones((n, n)))
    A, b = definite(n), np.arange(1.0, n + 1.0)
    wanted = [*found.solve(list(graph.inputs("b", n))), found.sound]
    *x, sound = graph.evaluate(wanted, {"a": A.ravel(), "b": b})
    np.testing.assert_allclose(x, np.linalg.solve(A, b), rtol=1e-12)
    assert sound == 1.0


def test_zeros_off_the_diagonal_cost_nothing():
    """A block-diagonal matrix is solved block by block."""
    graph, found = factored(np.kron(np.eye(3), np.ones((2, 2))))
    single, alone = factored(np.ones((2, 2)))
    cost = graph.operations(found.solve(list(graph.inputs("b", 6))))
    assert cost == 3 * single.operations(alone.solve(list(single.inputs("b", 2))))


@pytest.mark.parametrize(
    "A",
    [
        [[1.0, 2.0], [2.0, 1.0]],
        [[1.0, 1.0], [1.0, 1.0]],
        [[1.0, 1.0], [1.0, 1.0 + 0.5 * DEFINITE]],
        [[0.0, 0.0], [0.0, 1.0]],
        [[-1.0, 0.0], [0.0, 1.0]],
        [[np.nan, 0.0], [0.0, 1.0]],
    ],
)
def test_what_is_not_definite_to_rounding_is_not_sound(A):
    graph, found = factored(np.ones((2, 2)))
    with np.errstate(all="ignore"):
        assert graph.evaluate([found.sound], {"a": np.ravel(A)}) == 0.0


def test_what_lost_all_but_rounding_of_what_it_was_is_not_sound():
    for whole, expected in (((1.0, 0.5 / LOST), 1.0), ((1.0, 2.0 / LOST), 0.0)):
        graph, found = factored(np.ones((2, 2)), whole)
        assert graph.evaluate([found.sound], {"a": np.eye(2).ravel()}) == expected


def test_a_matrix_of_nothing_has_nothing_to_test():
    _, found = factored(np.ones((0, 0)))
    assert found.sound is None
    assert found.solve([]) == []
