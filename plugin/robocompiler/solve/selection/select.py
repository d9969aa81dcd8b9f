"""Velocity selection: of all motions that do what is asked, within limits, the cheapest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import BadValueError, DuplicateNameError, MechanismError
from robocompiler.solve.reduction.checks import (
    one_number,
    read_mapping,
    read_numbers,
    read_q,
    said,
)
from robocompiler.solve.reduction.curvature import reduction_at
from robocompiler.solve.reduction.reduce import Reduction
from robocompiler.solve.selection.metric import metric_of
from robocompiler.solve.selection.program import Conflict, least
from robocompiler.solve.selection.rows import WHERE, BodyVelocity, Row, Speeds, body_rows
from robocompiler.spatial import Array

SHARE = 1e-6
"""Of a contradiction, what a row must have in it to be named."""


class ConflictingVelocitiesError(MechanismError):
    """Tasks and limits that contradict each other: `conflict` has the name of each, the number
    stated, and the one that it would have to be if it alone were changed.
    """

    def __init__(self, said: Sequence[str], conflict: Sequence[tuple[str, float, float]]) -> None:
        self.conflict = tuple(conflict)
        alone = len(said) == 1
        what = "This cannot be" if alone else "These cannot all be"
        remedy = "Change that" if alone else "Change one of them at least that far"
        super().__init__(f"{what}: {'; '.join(said)}. {remedy}, or leave it out.")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SelectedVelocity:
    """The cheapest motion, and what holds it back."""

    names: tuple[str, ...]
    """What the entries of u are called."""
    u: Array
    """Independent speeds, shape (m,)."""
    v: Array
    """All speeds, E u, shape (nv,)."""
    cost: float
    """½ uᵀWu - gᵀu."""
    tasks: dict[str, float]
    """The multiplier of each task by name: what the cost rises by as its number falls by one."""
    limits: dict[str, float]
    """Of each limit that is reached: positive at its high end, negative at its low one."""
    redundant: tuple[str, ...]
    """Tasks that follow from those before them, and agree; their multipliers are shared."""


def select_velocity(
    compiled: CompiledMechanism,
    q: Array,
    *,
    metric: Array | None = None,
    weights: Mapping[str, float] | None = None,
    bodies: Sequence[BodyVelocity] = (),
    speeds: Mapping[str, float | Sequence[float]] | None = None,
    limits: Mapping[str, tuple[float, float]] | None = None,
    inequalities: Mapping[str, tuple[Array, float]] | None = None,
    preferred: Array | None = None,
    covector: Array | None = None,
    reduction: Reduction | None = None,
) -> SelectedVelocity:
    """The least of ½ uᵀWu - gᵀu with J u = ẋ, A u ≤ b, and speeds within limits.

    One motion, whichever speeds are independent, as long as W is carried over with them: the mass
    matrix is, by itself, and so are weights of joints; W = 1 is another problem for each choice.
    What cannot be asked for, such as one direction of a point that moves along a curve, may be left
    out (None), and what follows anyway may be asked for. Places of tasks stand still.

    Args:
        compiled: the mechanism.
        q: where it stands, closed, shape (nq,).
        metric: W of the independent speeds, shape (m, m), such as the reduced mass matrix.
        weights: of joints, single speeds or actuators by name, Σ weight · speed² being added to
            uᵀWu; at least one of the two is needed.
        bodies: how bodies and points of them are to move.
        speeds: of joints, single speeds or actuators by name [m/s, rad/s], cut joints' too.
        limits: lowest and highest speed by name; what is not named has those that joints and
            actuators state (`Joint.velocity`, but of no ball).
        inequalities: by a name of one's own, a and b with a · u ≤ b, a of shape (m,).
        preferred: u that would be best, shape (m,): W · preferred is part of g.
        covector: the rest of g, shape (m,).
        reduction: which speeds are independent; None for those `reduce` chooses.

    Raises:
        UnknownNameError: a name that means nothing.
        BadValueError: numbers of another shape or such that are not finite.
        DuplicateNameError: two velocities of bodies of one name, or an inequality called as a speed
            is.
        MetricError: W is not symmetric, or some motion costs nothing.
        ConflictingVelocitiesError: tasks that cannot be met, or not within limits: as few of them
            as contradict each other, and by how much.
        NotClosedError and others: as `reduce`.
    """
    q = read_q(compiled, q, WHERE)
    if q.ndim > 1:
        raise BadValueError(WHERE, "q", f"an array of shape {q.shape}", f"of shape {q.shape[-1:]}")
    if reduction is not None and not isinstance(reduction, Reduction):
        raise BadValueError(WHERE, "reduction", said(reduction), "what `rc.reduce` returns")
    own, known = reduction_at(compiled, q, reduction), Speeds(compiled, q)
    W = metric_of(own, metric, _named("weights", weights), known)
    L = np.linalg.cholesky(W)
    lift = np.linalg.solve(L, own.E.T).T
    g = _given(own, "covector", covector) + W @ _given(own, "preferred", preferred)
    free = np.linalg.solve(L, g)  # what costs the least of all, as y
    tasks = [*body_rows(compiled, q, bodies), *known.wanted(_named("speeds", speeds))]
    held = known.limited(_named("limits", limits))
    held += _inequalities(own, known, _named("inequalities", inequalities))
    found = least(tasks, held, lift @ free, lift)
    if isinstance(found, Conflict):
        raise _conflict(found, tasks, held, lift)
    v = lift @ (free + found.y)
    named = zip([row.name for row in held], found.limits.tolist(), strict=True)
    return SelectedVelocity(
        names=own.names,
        u=v[list(own.independent)],
        v=v,
        cost=float(found.y @ found.y - free @ free) / 2.0,
        tasks=dict(zip([row.name for row in tasks], found.tasks.tolist(), strict=True)),
        limits={name: pressing for name, pressing in named if pressing},
        redundant=tuple(tasks[i].name for i in found.redundant),
    )


def _named(parameter: str, given: object) -> dict[str, object]:
    return read_mapping(given, WHERE, parameter, "names to numbers")


def _given(own: Reduction, name: str, given: Array | None) -> Array:
    """A number for each independent speed, shape (m,)."""
    if given is None:
        return np.zeros(len(own.independent))
    numbers = read_numbers(given, own.names, WHERE, name)
    if numbers.ndim > 1:
        raise BadValueError(WHERE, name, f"an array of shape {numbers.shape}", "one of each speed")
    return numbers


def _inequalities(own: Reduction, known: Speeds, given: Mapping[str, object]) -> list[Row]:
    found = list[Row]()
    for name, pair in given.items():
        what = f"inequality '{name}'"
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise BadValueError(WHERE, what, said(pair), "a pair: factors and the most")
        factors, most = pair[0], one_number(pair[1], WHERE, f"the most of {what}")
        if known.has(name):
            raise DuplicateNameError("limits of speeds", name)
        row = np.zeros(own.compiled.nv)
        row[list(own.independent)] = _given(own, what, factors)
        if np.isnan(most):
            raise BadValueError(WHERE, what, str(most), "a number")
        found.append(Row(name, row, -np.inf, float(most), ""))
    return found


def _conflict(
    found: Conflict, tasks: Sequence[Row], limits: Sequence[Row], lift: Array
) -> ConflictingVelocitiesError:
    """What contradicts, tasks first, in words and numbers."""
    sizes, rows = np.linalg.norm(lift, axis=1), [*tasks, *limits]
    multipliers = np.concatenate([found.tasks, found.limits])
    shares = np.abs(multipliers) * np.array([np.abs(row.row) @ sizes for row in rows])
    said, conflict = list[str](), list[tuple[str, float, float]]()
    named = shares > SHARE * shares.max() if shares.any() else multipliers != 0.0
    for at in np.flatnonzero(named).tolist():
        row, multiplier = rows[at], float(multipliers[at])
        is_task, above = at < len(tasks), multiplier > 0.0
        stated = row.high if is_task or above else row.low
        needed = stated + found.short / multiplier
        sign = "=" if is_task else "≤" if above else "≥"
        unit = f" {row.unit}" if row.unit else ""
        said.append(f"'{row.name}' {sign} {stated:.6g}{unit} ({needed:.6g} would do)")
        conflict.append((row.name, stated, needed))
    return ConflictingVelocitiesError(said, conflict)
