"""Finite moves along what a mechanism's closures seem to leave free, and their closing again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism, Module
from robocompiler.compiler.rows import Linearized, linearize
from robocompiler.compiler.steps import difference, step
from robocompiler.solve.closure import length_scale, row_scales, speed_scales
from robocompiler.solve.continuation.corrector import module_speeds
from robocompiler.solve.reduction.blocks import module_rows
from robocompiler.solve.state import evaluate
from robocompiler.spatial import Array

STEP = 0.05
"""How far a move goes [rad, or m over the module's size]."""
CORRECTIONS = 25
# Corrections are held to this, and end below that [rad, or m over the module's size].
LONGEST, NO_STEP = 0.1, 1e-14


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One module among all rows and speeds, and what makes its lengths and angles one unit."""

    module: Module
    rows: list[int]
    speeds: list[int]
    row_scales: Array
    speed_scales: Array
    size: float
    """[m]."""

    def residual(self, found: Linearized) -> Array:
        """φ over one unit, shape (…, rows)."""
        return np.asarray(found.residual[..., self.rows] * self.row_scales)

    def jacobian(self, found: Linearized) -> Array:
        """K over one unit, shape (…, rows, speeds)."""
        own = found.jacobian[..., self.rows, :][..., self.speeds]
        return np.asarray(own * self.row_scales[:, None] / self.speed_scales)


def parts_of(compiled: CompiledMechanism, q: Array) -> list[Part]:
    """Every module, at the size it has at q."""
    state, parts = evaluate(compiled, q), []
    for module in compiled.modules:
        size, own = length_scale(compiled, state, module), module_speeds(compiled, module)
        rows = row_scales(compiled, module, size)
        speeds = speed_scales(compiled, size)[own]
        parts.append(Part(module, list(module_rows(compiled, module)), own, rows, speeds, size))
    return parts


def held(singular: Array, cut: float) -> Array:
    """Which singular values of a Jacobian over one unit count.

    Those above `cut` of the greatest, or of 1 where that is less: a unit speed of a joint on a loop
    moves its rows by about 1, and a loop in which every joint is idle holds nothing.
    """
    return np.asarray(singular > cut * np.maximum(singular[..., :1], 1.0))


def null_space(matrix: Array, cut: float) -> Array:
    """An orthonormal basis of what a matrix leaves free, shape (n, k)."""
    _, s, Vt = np.linalg.svd(matrix)
    return np.asarray(Vt[int(np.sum(held(s, cut))) :].T)


def nullities(matrices: Array, cut: float) -> Array:
    """How many directions each matrix leaves free, for matrices of shape (m, r, n)."""
    s = np.linalg.svd(matrices, compute_uv=False)
    return np.asarray(matrices.shape[-1] - np.sum(held(s, cut), axis=-1))


def close_again(compiled: CompiledMechanism, parts: Sequence[Part], q: Array, cut: float) -> Array:
    """Gauss and Newton's steps onto the closures of all modules at once, from q, shape (…, nq).

    Only along what the rows hold by more than `cut` of the most they hold: what a rounded geometry
    holds by its rounding is a freedom here, along which a whole correction would slide back to
    where the rows agree best.
    """
    for _ in range(CORRECTIONS):
        found, longest = linearize(compiled, q), 0.0
        delta = np.zeros((*q.shape[:-1], compiled.nv))
        for part in parts:
            own = -_least_squares(part.jacobian(found), part.residual(found), cut)
            size = np.max(np.abs(own), axis=-1, initial=0.0)
            own = own * (LONGEST / np.maximum(size, LONGEST))[..., None]
            longest = max(longest, float(np.max(size, initial=0.0)))
            delta[..., part.speeds] = own / part.speed_scales
        q = step(compiled, q, delta)
        if longest < NO_STEP:
            break
    return q


def _least_squares(K: Array, phi: Array, cut: float) -> Array:
    """The least x for which K x comes nearest φ, along singular values above the cut."""
    U, s, Vt = np.linalg.svd(K, full_matrices=False)
    along, count = np.sum(U * phi[..., :, None], axis=-2), held(s, cut)
    gains = np.where(count, along, 0.0) / np.where(count, s, 1.0)
    return np.asarray(np.sum(Vt * gains[..., :, None], axis=-2))


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """Where finite moves led, every module's at once."""

    q: Array
    """Closed again, shape (m, nq)."""
    found: Linearized
    """There."""
    aims: tuple[Array, ...]
    """For each module, in which directions of its null space its moves went: unit vectors, shape
    (its own m, k)."""
    secants: tuple[Array, ...]
    """Likewise how far they came, 1 for as far as they were to."""


def finite_moves(
    compiled: CompiledMechanism,
    parts: Sequence[Part],
    q: Array,
    freedoms: Sequence[Array],
    cut: float,
) -> Moves:
    """Move along each freedom of each module, back and forth, and along two mixtures of all.

    Modules share no speed, so the first moves of all are made together, and so on.

    Args:
        compiled: the mechanism.
        parts: its modules.
        q: closed, shape (nq,).
        freedoms: for each module a basis of its null space at q, shape (speeds, k).
        cut: as for `close_again`.
    """
    aims = tuple(_aims(freedom.shape[1]) for freedom in freedoms)
    count = max((len(own) for own in aims), default=0)
    delta = np.zeros((count, compiled.nv))
    lengths = []
    for part, freedom, own in zip(parts, freedoms, aims, strict=True):
        along = own @ freedom.T
        length = STEP / np.max(np.abs(along), axis=-1, initial=1e-9)
        delta[: len(own), part.speeds] = along * length[:, None] / part.speed_scales
        lengths.append(length)
    start = np.broadcast_to(q, (count, compiled.nq))
    end = close_again(compiled, parts, step(compiled, start, delta), cut)
    came = difference(compiled, start, end)
    secants = tuple(
        (came[: len(own), part.speeds] * part.speed_scales) @ freedom / length[:, None]
        for part, freedom, own, length in zip(parts, freedoms, aims, lengths, strict=True)
    )
    return Moves(end, linearize(compiled, end), aims, secants)


def _aims(count: int) -> Array:
    """Unit vectors: every axis both ways, then a mixture of them, in general position, likewise."""
    axes = np.eye(count)
    if count < 2:
        return np.vstack([axes, -axes])
    mixture = np.cos(np.arange(count) * 2.4 + 0.7)[None]
    mixture = mixture / np.linalg.norm(mixture)
    return np.vstack([axes, -axes, mixture, -mixture])
