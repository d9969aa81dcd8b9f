"""How a consumer's figures are compared with ours: what differs is named, and by how much."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from truth import Array, Standing, Truth

DOUBLES = 1e-9
"""Where the format and the consumer hold doubles."""
FLOATS = 1e-6
"""Where either holds floats."""
FLOAT_SUMS = 2e-5
"""Where the consumer also adds up in floats, as for a mass matrix: seen 1e-5 on six legs."""
FLOAT_CHAINS = 3e-6
"""[m] where it multiplies poses of floats from body to body: seen 1.4e-6 on six legs."""


def rank(K: Array, tolerance: float = 1e-8) -> int:
    """Of constraint rows: how many are independent."""
    least = tolerance * max(1.0, np.abs(K).max(initial=0.0))
    return int(np.linalg.matrix_rank(K, tol=least)) if K.size else 0


def reordered(M: Array, names: Sequence[str], wanted: Sequence[str]) -> Array:
    """A matrix over speeds of these names, over the same speeds in another order."""
    assert sorted(names) == sorted(wanted)
    order = [list(names).index(name) for name in wanted]
    return np.asarray(M)[np.ix_(order, order)]


def agree_on_mass_matrix(
    truth: Truth,
    standing: Standing,
    M: Array,
    names: Sequence[str],
    tolerance: float = DOUBLES,
) -> None:
    """Each entry, over what the speeds' own inertias make of it.

    Args:
        truth: the example.
        standing: where it stands.
        M: the consumer's, of the tree.
        names: of its rows, as `truth.speeds` has them.
        tolerance: relative.
    """
    own = reordered(M, names, truth.speeds)
    size = np.sqrt(np.diag(standing.mass_matrix))
    off = np.abs(own - standing.mass_matrix) / np.outer(size, size)
    worst = np.unravel_index(np.argmax(off), off.shape)
    assert off[worst] <= tolerance, f"{[truth.speeds[i] for i in worst]}: {off[worst]:.3g}"


def agree_on_masses(
    truth: Truth, masses: Mapping[str, float], tolerance: float = DOUBLES, static: bool = True
) -> None:
    """Of each body, and in all; `static`: what does not move is among them."""
    wanted = {name: m for name, m in truth.masses.items() if static or name != "world"}
    assert set(masses) == set(wanted)
    for name, mass in masses.items():
        assert math.isclose(mass, wanted[name], rel_tol=tolerance), name
    assert math.isclose(sum(masses.values()), truth.mass(static), rel_tol=tolerance)


def agree_on_centers(
    standing: Standing, centers: Mapping[str, Array], tolerance: float = DOUBLES
) -> None:
    """Of each body's mass, in the world, so that it also stands where ours does [m]."""
    for name, center in centers.items():
        off = float(np.linalg.norm(np.asarray(center) - standing.centers[name]))
        assert off <= tolerance, f"{name} is {off:.3g} m off"


def agree_on_limits(
    truth: Truth, limits: Mapping[str, tuple[float, float]], tolerance: float = DOUBLES
) -> None:
    """Of each single coordinate in SI, infinite where open."""
    assert set(limits) == set(truth.limits)
    for name, ends in limits.items():
        for end, wanted in zip(ends, truth.limits[name], strict=True):
            assert end == wanted or abs(end - wanted) <= tolerance * max(1.0, abs(wanted)), name
