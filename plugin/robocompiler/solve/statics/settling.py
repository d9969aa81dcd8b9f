"""Newton on what efforts, weights and springs leave along the independent motions.

Where Newton does not lessen it, steps go downhill instead, by the work that the forces do along
them: that finds a stable equilibrium from far, where the forces have a potential.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism, Module
from robocompiler.errors import MechanismError
from robocompiler.solve.closure import length_scale, speed_scales
from robocompiler.solve.dynamics.reduced import ReducedDynamics
from robocompiler.solve.reduction.partition import Partition, choose_partition, speed_names
from robocompiler.solve.reduction.reduce import FREE, Reduction
from robocompiler.solve.state import evaluate
from robocompiler.solve.statics.closing import moved_along
from robocompiler.spatial import Array, apply

BALANCED = 1e-9
"""What may be left of the forces that cancel."""
ROUNDING = 1e-14
"""Where there is nothing to be gained any more."""
DIFFERENCE = 1e-5
"""By how much motions are moved for the stiffness [rad, or shares of the mechanism's size]."""
WEAK = 0.02
"""Condition of the dependent block below which other motions are made the independent ones."""
LARGEST = 0.25
"""A step [rad, or shares of the mechanism's size]."""
ITERATIONS, HALVINGS = 150, 12
# Stiffness, of the largest, that a difference cannot tell from none; what a descent takes for it.
NEUTRAL, SOFT = 1e-7, 1e-2
TAKES_PART = 0.1
"""Share of the largest speed of a motion above which a joint is named."""


class NoEquilibriumError(MechanismError):
    """No configuration was found in which all forces balance."""

    def __init__(self, joints: Sequence[str], left: float, size: float) -> None:
        self.joints, self.left, self.size = tuple(joints), left, size
        names = ", ".join(f"'{name}'" for name in self.joints)
        super().__init__(
            f"No equilibrium was found near the start: along {names} {left:.3g} N or N m are left "
            f"at best, of {size:.3g} that act there. Hold a joint, add a spring or an effort, or "
            "start elsewhere."
        )


class NeutralError(MechanismError):
    """The mechanism is in balance, and stays so when it is moved: no configuration is meant."""

    def __init__(self, joints: Sequence[str]) -> None:
        self.joints = tuple(joints)
        names = ", ".join(f"'{name}'" for name in self.joints)
        super().__init__(
            f"Nothing brings {names} back when they are moved together, nor drives them on: every "
            "place along that motion is as good. Hold one of them by `held`."
        )


Dynamics = Callable[[Array, Partition], ReducedDynamics]
"""Of a mechanism at rest at q, shape (…, nq), by a partition."""


@dataclass(frozen=True, slots=True, eq=False)
class Statics:
    """What balances, and along which motions."""

    dynamics: Dynamics
    efforts: Callable[[ReducedDynamics], Array]
    """Of the ports, shape (ports,)."""
    held: tuple[int, ...]
    """Speeds that stand still."""


@dataclass(frozen=True, slots=True, eq=False)
class Here:
    """How things stand at a configuration."""

    reduction: Reduction
    forces: Array
    """What has to be done along the independent motions to stay [N or N m], shape (m,)."""
    acting: Array
    """The size of what cancels there, shape (m,)."""
    scales: Array
    """What makes speeds one unit, shape (m,)."""
    free: list[int]
    """Which of them are not held."""

    @property
    def left(self) -> Array:
        """Forces along the free motions, of one unit [N m], shape (free,)."""
        return np.asarray(self.forces / self.scales)[self.free]

    @property
    def size(self) -> float:
        """What is left is small against this [N m]."""
        return float(np.max((self.acting / self.scales)[self.free], initial=0.0))


def forces_at(statics: Statics, dynamics: ReducedDynamics) -> tuple[Array, Array]:
    """What is to be done along the independent motions at rest, and what cancels in it, (…, m)."""
    given = apply(np.swapaxes(dynamics.B, -1, -2), statics.efforts(dynamics))
    springs = [own.row * np.asarray(own.spring)[..., None] for own in dynamics.acting]
    springs = [own for own in springs if np.any(own)]
    weights = dynamics.tree_bias + dynamics.external - sum(springs, np.zeros(()))
    sizes = sum(map(np.abs, (given, dynamics.external, *springs)), np.abs(weights))
    lift = np.swapaxes(np.abs(dynamics.E), -1, -2)
    return dynamics.along(dynamics.tree_bias - given), apply(lift, sizes)


def here(statics: Statics, q: Array, partition: Partition) -> Here:
    """How things stand at q, by other independent motions where those degrade."""
    dynamics = statics.dynamics(q, partition)
    compiled = dynamics.reduction.compiled
    if float(dynamics.reduction.condition) < WEAK:
        names = [speed_names(compiled)[i] for i in statics.held]
        dynamics = statics.dynamics(q, choose_partition(compiled, q, names, least=FREE))
    reduction = dynamics.reduction
    scales = speed_scales(compiled, size_of(compiled, q))[list(reduction.independent)]
    free = [k for k, i in enumerate(reduction.independent) if i not in statics.held]
    return Here(reduction, *forces_at(statics, dynamics), scales, free)


def size_of(compiled: CompiledMechanism, q: Array) -> float:
    """Of the whole mechanism [m]."""
    every = Module("", tuple(range(len(compiled.closures))), (), tuple(range(len(compiled.tree))))
    return length_scale(compiled, evaluate(compiled, q), every)


def stiffness_at(statics: Statics, at: Here) -> Array:
    """How the forces change along the independent motions, of one unit [N m], (free, free)."""
    count = len(at.free)
    if not count:
        return np.zeros((0, 0))
    moves = np.zeros((2 * count, len(at.scales)))
    for k, i in enumerate(at.free):
        moves[2 * k : 2 * k + 2, i] = np.array([DIFFERENCE, -DIFFERENCE]) / at.scales[i]
    q, _ = moved_along(at.reduction, moves, tiny=True)
    forces = forces_at(statics, statics.dynamics(q, at.reduction.partition))[0]
    left = (forces / at.scales)[:, at.free]
    return np.asarray((left[0::2] - left[1::2]).T / (2.0 * DIFFERENCE))


def settled(statics: Statics, q: Array, partition: Partition) -> tuple[Here, Array]:
    """Where the forces balance, from q (nq,), and the stiffness there, see `stiffness_at`.

    Raises:
        NoEquilibriumError: none was found.
        NeutralError: it is one of many, along a motion that no force minds.
    """
    at, downhill = here(statics, q, partition), False
    best = at
    for _ in range(ITERATIONS):
        if _norm(at) <= ROUNDING * at.size:
            break
        stiffness = stiffness_at(statics, at)
        trial = None if downhill else _nearer(statics, at, _newton(stiffness, at.left))
        if trial is None and _is_balanced(at, stiffness):
            break
        if trial is None:
            downhill = True
            trial = _lower(statics, at, _descent(stiffness, at.left))
        if trial is None:
            break
        at = trial
        best = at if _norm(at) < _norm(best) else best
    stiffness = stiffness_at(statics, best)
    if not _is_balanced(best, stiffness):
        raise NoEquilibriumError(*_left(best))
    _refuse_neutral(best, stiffness)
    return best, stiffness


def _norm(at: Here) -> float:
    return float(np.max(np.abs(at.left), initial=0.0))


def _is_balanced(at: Here, stiffness: Array) -> bool:
    """Whether what is left is small against what cancels, or what a radian away would make."""
    return _norm(at) <= BALANCED * max(at.size, float(np.max(np.abs(stiffness), initial=0.0)))


def _newton(stiffness: Array, left: Array) -> Array:
    return _short(-np.linalg.lstsq(stiffness, left, rcond=NEUTRAL)[0])


def _descent(stiffness: Array, left: Array) -> Array:
    """Downhill: as far as the stiffness says where it is positive, or would if it were."""
    values, vectors = np.linalg.eigh(0.5 * (stiffness + stiffness.T))
    most = float(np.max(np.abs(values)))
    least = SOFT * max(most, float(np.max(np.abs(left))))
    firm = np.where(values > NEUTRAL * most, values, np.maximum(np.abs(values), least))
    return _short(-vectors @ ((vectors.T @ left) / firm))


def _short(move: Array) -> Array:
    return np.asarray(move / max(1.0, float(np.max(np.abs(move), initial=0.0)) / LARGEST))


def _moved(statics: Statics, at: Here, move: Array) -> Here | None:
    """How things stand after a move along the free motions; None where the loops do not follow."""
    u = np.zeros(len(at.scales))
    u[at.free] = move / at.scales[at.free]
    q, closed = moved_along(at.reduction, u)
    return here(statics, q, at.reduction.partition) if closed else None


def _nearer(statics: Statics, at: Here, move: Array) -> Here | None:
    """After as much of a move as lessens what is left, or None."""
    for halving in range(HALVINGS):
        trial = _moved(statics, at, move * 0.5**halving)
        if trial is not None and _norm(trial) < _norm(at):
            return trial
    return None


def _lower(statics: Statics, at: Here, move: Array) -> Here | None:
    """After as much of a move as goes downhill to its end, by the work on the way, or None."""
    for halving in range(HALVINGS):
        own = move * 0.5**halving
        trial = _moved(statics, at, own)
        if trial is not None and float((at.left + _along(at, trial)) @ own) < 0.0:
            return trial
    return None


def _along(at: Here, trial: Here) -> Array:
    """What is left there, along the motions that are independent here."""
    if trial.reduction.partition is at.reduction.partition:
        return trial.left
    F = trial.reduction.E[list(at.reduction.independent)]  # u = F u'
    forces = np.linalg.lstsq(F.T, trial.forces, rcond=None)[0]
    return replace(at, forces=forces).left


def _left(at: Here) -> tuple[list[str], float, float]:
    """Where the most is left, and how much."""
    names, apart = at.reduction.names, np.abs(at.left)
    worst = [names[i] for i, x in zip(at.free, apart, strict=True) if x > 0.5 * apart.max()]
    k = at.free[int(np.argmax(apart))]
    return worst, float(np.abs(at.forces[k])), float(at.acting[k])


def _refuse_neutral(at: Here, stiffness: Array) -> None:
    if not len(stiffness):
        return
    values, vectors = np.linalg.eigh(0.5 * (stiffness + stiffness.T))
    most = max(float(np.max(np.abs(values))), at.size)
    k = int(np.argmin(np.abs(values)))
    if abs(values[k]) > NEUTRAL * most:
        return
    u = np.zeros(len(at.scales))
    u[at.free] = vectors[:, k] / at.scales[at.free]
    v = np.abs(at.reduction.E @ u) * speed_scales(at.reduction.compiled, 1.0)
    names = zip(speed_names(at.reduction.compiled), v, strict=True)
    raise NeutralError([name for name, x in names if x > TAKES_PART * v.max()])
