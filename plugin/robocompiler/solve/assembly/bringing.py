"""Bring joints of a closed module to values: what must be met, then what is wanted, then the rest.

Other independent joints stand still meanwhile; where they are in the way of a value they follow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from robocompiler.errors import MechanismError, OverdeterminedError
from robocompiler.solve.assembly.singular import singular_fault
from robocompiler.solve.continuation.arc import Ray, begin, march, toggle_between
from robocompiler.solve.continuation.corrector import polish
from robocompiler.solve.continuation.holding import held_place
from robocompiler.solve.continuation.homotopy import hold_speeds
from robocompiler.solve.continuation.tracking import Bar, Place, Refusal, place_at, travel
from robocompiler.solve.describe import distance
from robocompiler.solve.limits import unreachable
from robocompiler.solve.system import System
from robocompiler.solve.values import Numbers
from robocompiler.spatial import Array

MET = 1e-9
"""A value this near [m or rad] is met: at a toggle it cannot be asked for more exactly."""


@dataclass(frozen=True, slots=True, eq=False)
class Brought:
    """Where a module was brought to."""

    q: Array
    faults: tuple[MechanismError, ...] = ()
    missed: tuple[tuple[str, float], ...] = ()
    """Wanted joints, and how far from there they stay."""
    chords: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Coordinates of the module's cut joints, their turns counted on the way."""


def bring(
    system: System,
    closed: Array,
    start: Array,
    must: Numbers,
    want: Numbers,
    near: Mapping[str, tuple[float, ...]],
) -> Brought:
    """Move joints to their values from a closed q, then the others back to where they were.

    Args:
        system: the module.
        closed: where it stands.
        start: where joints without a value are to be, as far as the loops let them.
        must: values that have to be met, by joint name; those of other modules are left alone.
        want: values to come near to, in this order.
        near: coordinates of cut joints from which their turns are counted where it stands.
    """
    chords = system.chords(closed, near)
    seen = system.turn_counter(chords)
    own = {t.edge.joint.name: t for t in system.compiled.tree}
    musts = [name for name in must if name in own]
    wants = [name for name in want if name in own]
    place = held_place(system, closed, [*musts, *wants])
    if excess := excess_faults(system, place, musts):
        return Brought(closed, excess)
    target = np.array(start)
    for name in (*musts, *wants):
        target[own[name].q] = {**want, **must}[name]
    place, refusal = _moved(system, place, musts, [], target, seen)
    faults = unreached(system, place.point.q, {name: must[name] for name in musts}, refusal)
    if faults:
        return Brought(place.point.q, faults)
    done = list(musts)
    for name in wants:
        if set(system.speeds_of(name)) <= set(place.hold.held):
            place, _ = _moved(system, place, [name], done, target, seen)
            done.append(name)
    rest = [i for i in place.hold.held if system.joint_of(i) not in done]
    place = travel(system, place, rest, target, seen).place
    missed = tuple(
        (name, off) for name in wants if (off := _off(system, place.point.q, name, want)) > MET
    )
    seen(place.point.q)
    closest = polish(system, place.point.q, place.hold.free).q
    return Brought(closest, (), missed, chords)


def branch_faults(system: System, closed: Array, values: Numbers) -> tuple[MechanismError, ...]:
    """An error where joints are to leave a place at which branches meet: none is told there."""
    own = {t.edge.joint.name for t in system.compiled.tree} & values.keys()
    moving = [name for name in sorted(own) if _off(system, closed, name, values) > MET]
    fault = singular_fault(system, closed, _speeds(system, moving)) if moving else None
    return () if fault is None else (fault,)


def _off(system: System, q: Array, name: str, values: Numbers) -> float:
    own = system.compiled.tree_joint(name)
    return distance(own.edge.joint, q[own.q], values[name])


def _moved(
    system: System,
    place: Place,
    names: Sequence[str],
    kept: Sequence[str],
    target: Array,
    seen: Callable[[Array], None],
) -> tuple[Place, Refusal | None]:
    """Move some joints as far as they go, the others held; then, if barred, all but `kept` free."""
    drivers = _speeds(system, names)
    went = travel(system, place, drivers, target, seen)
    if went.refusal is None:
        return went.place, None
    exact = (
        at_toggle(system, went.place, drivers, target)
        if went.refusal.bar is not Bar.LIMIT
        else None
    )
    fixed = [*_speeds(system, kept), *drivers]
    if set(fixed) >= set(system.own(place.hold.held)):
        return exact or went.place, went.refusal
    loose = place_at(system, hold_speeds(system, went.place.point.q, fixed), went.place.point.q)
    freed = travel(system, loose, drivers, target, seen)
    again = held_place(system, freed.place.point.q, [*kept, *names])
    return again, freed.refusal


def at_toggle(system: System, place: Place, drivers: Sequence[int], target: Array) -> Place | None:
    """The toggle just ahead of a place on the way to a target, where the drivers turn back."""
    direction = np.zeros(system.compiled.nv)
    direction[list(drivers)] = system.apart(place.point.q, target)[list(drivers)]
    size = float(np.max(np.abs(direction), initial=0.0))
    if size == 0.0:
        return None
    ray = Ray(place.hold, direction / size)
    for at, ahead in march(system, ray, begin(system, ray, place.point.q), longest=0.02):
        if ahead.tangent[-1] <= 0.0:
            return place_at(system, place.hold, toggle_between(system, ray, at, ahead).q)
        if ahead.length > 0.5:
            return None
    return None


def unreached(
    system: System, q: Array, must: Numbers, refusal: Refusal | None
) -> tuple[MechanismError, ...]:
    """An error for each joint that is not where it must be, by what refused the way there."""
    faults: list[MechanismError] = []
    for name, wanted in must.items():
        own = system.compiled.tree_joint(name)
        if _off(system, q, name, must) <= MET:
            continue
        limited = refusal if refusal is not None and refusal.bar is Bar.LIMIT else None
        stop = limited.joint if limited is not None else None
        faults.append(unreachable(own.edge.joint, wanted, q[own.q].tolist(), stop))
    return tuple(faults)


def excess_faults(system: System, place: Place, names: Sequence[str]) -> tuple[MechanismError, ...]:
    """A fault for each of these joints that cannot be prescribed together with those before it."""
    held = place.hold.held
    count, taken = len(system.own(held)), system.own_joints(held)
    what = "loop" if system.module.closures else "coupling"
    return tuple(
        singular_fault(system, place.point.q, _speeds(system, names[: at + 1]))
        or OverdeterminedError(system.module.name, name, count, taken, _leaders(system, name), what)
        for at, name in enumerate(names)
        if not set(system.speeds_of(name)) <= set(held)
    )


def _leaders(system: System, joint: str) -> tuple[str, ...]:
    """Names of the coordinates that a joint follows by a coupling; none where it follows none."""
    own = system.speeds_of(joint)
    couplings = [c for c in system.compiled.couplings if c.follower.v in own]
    return tuple(dict.fromkeys(ref.name for c in couplings for ref in c.leaders))


def _speeds(system: System, names: Sequence[str]) -> list[int]:
    return [i for name in names for i in system.speeds_of(name)]
