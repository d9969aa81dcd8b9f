"""The freedoms of one module: what its rank claims, and what finite moves leave of that."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.rows import Linearized
from robocompiler.solve.mobility.figures import IdleFreedom, ModuleMobility, Motion
from robocompiler.solve.mobility.moves import Moves, Part, held, null_space, nullities
from robocompiler.solve.mobility.rows import actuated_speeds, motion_of, redundant_rows
from robocompiler.spatial import Array

ROUNDING = 1e-10
"""Share of the greatest singular value below which one is a rounded zero of exact geometry."""
CLEARLY = 10.0
"""After a move a freedom counts as held only above this many times the tolerance: rounding may
hold it a little more there than here, and what a singular pose hid is held far more."""
# How far a move must have come, of how far it was to, for its direction to count as one.
ARRIVED = 0.5
# How far a move may open what does not even close where it stands, times as far as there.
GROWTH = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Tested:
    """One module's freedoms, over one unit, after finite moves along them."""

    part: Part
    cut: float
    K: Array
    """Where it stands."""
    freedom: Array
    """A basis of what K leaves at the tolerance, shape (speeds, k)."""
    secants: Array
    """Of the moves that led somewhere: how far along `freedom` they came, shape (m, k)."""
    residuals: Array
    """Where it stands and after each of these, shape (1 + m, rows)."""
    generic: int
    chosen: int | None
    """The move after which the fewest freedoms are left; None where no move led anywhere."""
    generic_K: Array
    """After it, or where it stands."""
    generic_freedom: Array
    """What that leaves."""


def tested(
    part: Part, here: Linearized, freedom: Array, moves: Moves, at: int, cut: float
) -> Tested:
    """Judge a module's moves, the `at`-th of each kind in `moves`."""
    K, secants = part.jacobian(here), moves.secants[at]
    count = len(secants)
    after = part.jacobian(moves.found)[:count]
    residuals = part.residual(moves.found)[:count]
    left_open = float(np.max(np.abs(part.residual(here)), initial=0.0))
    allowed = max(cut, GROWTH * left_open)
    closed = np.max(np.abs(residuals), axis=1, initial=0.0) <= allowed
    arrived = np.flatnonzero(closed & (np.linalg.norm(secants, axis=1) > ARRIVED))
    left = nullities(after, CLEARLY * cut)
    directions = int(np.sum(np.linalg.svd(secants[arrived], compute_uv=False) > ARRIVED))
    # The last of them is a mixture, in general position.
    chosen = min(arrived.tolist(), key=lambda i: (left[i], -i), default=None)
    return Tested(
        part=part,
        cut=cut,
        K=K,
        freedom=freedom,
        secants=secants[arrived],
        residuals=np.vstack([part.residual(here)[None], residuals[arrived]]),
        generic=min([freedom.shape[1], directions, *left[arrived].tolist()]),
        chosen=chosen,
        generic_K=K if chosen is None else after[chosen],
        generic_freedom=freedom if chosen is None else null_space(after[chosen], CLEARLY * cut),
    )


def figures_of(
    compiled: CompiledMechanism, own: Tested, idle: tuple[IdleFreedom, ...]
) -> ModuleMobility:
    """All that is known of a module."""
    part, speeds = own.part, len(own.part.speeds)
    s = np.linalg.svd(own.K, compute_uv=False)
    cut = CLEARLY * own.cut
    return ModuleMobility(
        name=part.module.name,
        strict=speeds - int(np.sum(held(s, ROUNDING))),
        at_tolerance=own.freedom.shape[1],
        generic=own.generic,
        idle=idle,
        grubler=speeds - len(part.rows),
        size=part.size,
        gap=_gap(s, speeds - own.freedom.shape[1]),
        misfit=float(np.max(np.abs(own.residuals), initial=0.0)),
        redundant=redundant_rows(compiled, part, own.generic_K, own.residuals, cut),
        singular=_motions(compiled, part, _only_here(own)),
        dead=_motions(compiled, part, _undriven_only_here(own, actuated_speeds(compiled, part))),
    )


def _gap(s: Array, rank: int) -> float | None:
    if not 0 < rank < s.size:
        return None
    return float(s[rank - 1] / max(s[rank], np.finfo(float).eps * s[0]))


def _motions(compiled: CompiledMechanism, part: Part, directions: Array) -> tuple[Motion, ...]:
    return tuple(motion_of(compiled, part, direction) for direction in directions.T)


def _only_here(own: Tested) -> Array:
    """Directions that are free where the module stands and not after a move, shape (speeds, n)."""
    count = own.freedom.shape[1] - own.generic
    lasting = own.generic_freedom
    if lasting.shape[1] > own.generic or own.chosen is None:
        lasting = own.freedom @ own.secants.T
    return least_covered(own.freedom, lasting, count)


def _undriven_only_here(own: Tested, actuated: list[int]) -> Array:
    """Likewise with the actuated joints at rest, where nothing else is singular."""
    if own.freedom.shape[1] > own.generic or not actuated:
        return np.zeros((len(own.part.speeds), 0))
    cut = CLEARLY * own.cut
    here, lasting = (
        freedom @ null_space(freedom[actuated], cut)
        for freedom in (own.freedom, own.generic_freedom)
    )
    return least_covered(here, lasting, max(here.shape[1] - lasting.shape[1], 0))


def least_covered(directions: Array, by: Array, count: int) -> Array:
    """The `count` combinations of orthonormal directions that others come least near."""
    if not count:
        return np.zeros((len(directions), 0))
    U, _, _ = np.linalg.svd(directions.T @ by)
    return np.asarray(directions @ U[:, U.shape[1] - count :])
