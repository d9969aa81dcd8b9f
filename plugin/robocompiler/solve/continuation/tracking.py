"""Continuation: move driven joints, the rest of their module following on its branch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from robocompiler.solve.closure import RANK_TOLERANCE
from robocompiler.solve.continuation.constants import CONTROL, MISFIT, Control
from robocompiler.solve.continuation.corrector import polish
from robocompiler.solve.continuation.homotopy import (
    Hold,
    Point,
    hold_speeds,
    kept_branch,
    land,
    point_at,
    trace_defect,
)
from robocompiler.solve.continuation.targets import goal_of, refuse_far, still_to_move
from robocompiler.solve.system import System
from robocompiler.spatial import Array


class Bar(Enum):
    """What stops a motion."""

    LIMIT = "a joint's limit"
    SINGULAR = "a toggle"
    LOST = "no tame step"


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where a continuation stands."""

    hold: Hold
    point: Point
    lift: Array
    """How the free speeds follow the held ones, shape (free, held)."""
    bends: tuple[Array, ...] = ()
    """What the last whole steps did beyond the lift, the latest last: of speeds, (nv,) each."""


@dataclass(frozen=True, slots=True, eq=False)
class Refusal:
    """A step that was not taken."""

    bar: Bar
    share: float = 0.5
    """Of the step, how much may be worth a try."""
    joint: str = ""
    """That is at its limit."""


@dataclass(frozen=True, slots=True, eq=False)
class Travelled:
    """Where a continuation came to."""

    place: Place
    refusal: Refusal | None = None
    """None where it arrived."""
    crossed: bool = False
    """Whether a change point, where two branches meet, was passed straight on."""


def place_at(system: System, hold: Hold, q: Array) -> Place:
    """Start a continuation at a closed q."""
    point = point_at(system, hold, q)
    return Place(hold, point, _lift(hold, point, np.full((len(hold.free), len(hold.held)), np.nan)))


def _lift(hold: Hold, point: Point, carried: Array) -> Array:
    """-D⁻¹ Wᵀ K of the held speeds; where D is singular, as it was just before."""
    if not np.all(np.isfinite(point.inverse)):
        return carried
    singular = np.linalg.svd(point.block, compute_uv=False)
    if singular.size and singular[-1] < CONTROL.singular * singular[0]:
        return carried
    return np.asarray(-point.inverse @ (hold.rows.T @ point.K[:, list(hold.held)]))


def travel(
    system: System,
    place: Place,
    drivers: Sequence[int],
    target: Array,
    seen: Callable[[Array], None] | None = None,
    control: Control = CONTROL,
) -> Travelled:
    """Move the held speeds in `drivers` to where they are at `target`, as far as the loops let.

    Full steps first, by the lift and Newton; the defect homotopy where that fails; then half steps.

    Args:
        system: the module.
        place: where it stands, closed.
        drivers: held speeds to move; other held ones stand still.
        target: coordinates they are to have, shape (nq,).
        seen: told of every state on the way.
        control: the constants of continuation.

    Raises:
        BadValueError: the target is more than a thousand turns away.
    """
    refuse_far(system, place.point.q, target, drivers)
    longest, fresh, traced, crossed = control.longest, False, False, False
    while True:
        left, size = still_to_move(system, place.point.q, target, drivers)
        if size == 0.0:
            return Travelled(place, None, crossed)
        share = min(1.0, longest / size)
        delta = share * left
        goal = goal_of(system, place.point.q, delta, target if share == 1.0 else None)
        taken = advance(system, place, delta, goal, control)
        if isinstance(taken, Refusal) and taken.bar is not Bar.LIMIT and not fresh:
            place, fresh = refreshed(system, place), True
            taken = advance(system, place, delta, goal, control)
            if isinstance(taken, Refusal) and not traced:
                taken, traced = _by_homotopy(system, place, delta, goal, control) or taken, True
        if isinstance(taken, Refusal):
            tried = share * size * taken.share
            passed = None
            if taken.bar is not Bar.LIMIT and tried < control.crossing:
                passed = cross(system, place, left / size, size, target, control)
            if passed is None and tried < control.shortest:
                return Travelled(place, taken, crossed)
            system.work.halvings += 1
            if passed is None:
                longest = tried
                continue
            taken, crossed, longest = passed, True, 5e-4
        place, fresh = taken if share == 1.0 else replace(taken, bends=()), False
        longest = min(2.0 * longest, control.longest)
        if seen is not None:
            seen(place.point.q)


def refreshed(system: System, place: Place) -> Place:
    """The same state with the retained rows chosen anew for it."""
    hold = hold_speeds(system, place.point.q, place.hold.held, place.point.K)
    if hold.rows.shape[1] != place.hold.rows.shape[1]:
        return place
    point = replace(point_at(system, hold, place.point.q), correction=0.0)
    return Place(hold, point, _lift(hold, point, place.lift))


def advance(
    system: System, place: Place, delta: Array, goal: Array, control: Control = CONTROL
) -> Place | Refusal:
    """One step: predict by the lift, correct by Newton, and see that the branch was kept."""
    hold, ahead = place.hold, _ahead(system, place, delta)
    size = float(np.max(np.abs(ahead + delta)))
    if not size <= 4.0 * control.longest:
        return Refusal(Bar.SINGULAR, 0.5)
    straight = system.move(goal, ahead)
    bent = system.move(straight, _next_bend(place, size, system.compiled.nv))
    point = land(system, hold, bent, 0.0, control)
    if point is None or not kept_branch(place.point, point, size, control):
        return Refusal(Bar.SINGULAR)
    bend = system.apart(straight, point.q)
    if float(np.max(np.abs(bend))) > control.leap * size + control.noise:
        return Refusal(Bar.SINGULAR)
    taken = _checked(system, place, point)
    return replace(taken, bends=(*place.bends[-2:], bend)) if isinstance(taken, Place) else taken


def _next_bend(place: Place, size: float, count: int) -> Array:
    """The bends so far, extrapolated: on a smooth path they differ little from step to step."""
    known = place.bends
    if not known:
        return np.zeros(count)
    bend = known[0]
    if len(known) == 2:
        bend = 2.0 * known[1] - known[0]
    elif len(known) == 3:
        bend = 3.0 * (known[2] - known[1]) + known[0]
    return bend if np.max(np.abs(bend)) <= 0.1 * size else np.zeros(count)


def _checked(system: System, place: Place, point: Point) -> Place | Refusal:
    """The complete residual and the limits of a state that was reached."""
    if point.misfit > MISFIT:
        return Refusal(Bar.LOST)
    over = system.beyond(point.q)
    if float(np.max(over)) > CONTROL.slack:
        return _limit_refusal(system, place.point.q, point.q, over)
    if (cut := system.cut_at_limit(point.q, CONTROL.slack)) is not None:
        return Refusal(Bar.LIMIT, 0.5, cut)
    return Place(place.hold, point, _lift(place.hold, point, place.lift))


def _limit_refusal(system: System, before: Array, after: Array, over: Array) -> Refusal:
    """The joint that comes to its stop first, and after what share of the step."""
    travelled = np.abs(system.measured(after) - system.measured(before))
    share = np.where(over > CONTROL.slack, 1.0 - over / np.maximum(travelled, 1e-300), np.inf)
    first = int(np.argmin(share))
    tree = system.compiled.tree
    name = next(t.edge.joint.name for t in tree if t.q.start <= first < t.q.stop)
    return Refusal(Bar.LIMIT, max(0.0, min(float(share[first]), 0.999)), name)


def _by_homotopy(
    system: System, place: Place, delta: Array, goal: Array, control: Control
) -> Place | None:
    """The step by the defect it opens: only the driven joints moved, then the loops closed.

    That way may lead past a change point onto the other branch, each step of it tame: so where it
    ends must also be near to what the lift predicts.
    """
    if not np.all(np.isfinite(place.point.inverse)):
        return None
    moved = point_at(system, place.hold, goal)
    if not kept_branch(place.point, moved, 0.0, control):
        return None
    closed = trace_defect(system, place.hold, goal, control, limited=True)
    if closed is None:
        return None
    ahead = _ahead(system, place, delta)
    leap = np.max(np.abs(system.apart(system.move(goal, ahead), closed.q)))
    if not leap <= control.leap * float(np.max(np.abs(ahead + delta))):
        return None
    taken = _checked(system, place, closed)
    return taken if isinstance(taken, Place) else None


def _ahead(system: System, place: Place, delta: Array) -> Array:
    """What the free speeds do along with a step of the held ones, by the lift, shape (nv,)."""
    ahead = np.zeros(system.compiled.nv)
    ahead[list(place.hold.free)] = place.lift @ delta[list(place.hold.held)]
    return ahead


def cross(
    system: System,
    place: Place,
    direction: Array,
    left: float,
    target: Array,
    control: Control = CONTROL,
) -> Place | None:
    """Pass a change point straight on: there two branches meet, and only the direction tells.

    None at a toggle, where the lift grows beyond bounds, or where the far side has another lift.
    """
    hold, lift = place.hold, place.lift
    following = np.abs(lift @ direction[list(hold.held)]).max(initial=0.0)
    if not following <= control.leverage:  # NaN is not
        return None
    for jump in (1e-3, 1e-2):
        share = min(jump, left)
        delta = share * direction
        goal = goal_of(system, place.point.q, delta, target if share == left else None)
        predicted = system.move(goal, _ahead(system, place, delta))
        there = _land_across(system, hold, predicted, share == left)
        if there is None:
            continue
        after = _lift(hold, there, lift)
        turned = np.abs((after - lift) @ direction[list(hold.held)]).max(initial=0.0)
        fits = there.correction <= control.leap * share and there.misfit <= MISFIT
        if fits and turned <= 0.25 * (1.0 + following):
            return Place(hold, there, after)
    return None


def _land_across(system: System, hold: Hold, predicted: Array, last: bool) -> Point | None:
    """Beyond a change point, or on it where the path wants to stop there.

    On it Newton can only close the gap: where along the branches it stands, the prediction says.
    """
    landed = land(system, hold, predicted)
    if landed is not None and np.linalg.cond(landed.block) < 1.0 / RANK_TOLERANCE:
        return landed
    if not last:
        return None
    point = point_at(system, hold, polish(system, predicted, hold.free).q)
    correction = float(np.max(np.abs(system.apart(predicted, point.q)), initial=0.0))
    return replace(point, inverse=np.full_like(point.inverse, np.nan), correction=correction)
