"""Follow a path of driven joints: every joint at every sample, on one branch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism, TreeJoint
from robocompiler.compiler.elimination import followed
from robocompiler.compiler.rows import linearize
from robocompiler.errors import (
    MechanismError,
    SampleError,
    UnreachableError,
    raise_all,
)
from robocompiler.model.configuration import Configuration
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.assembly.bringing import MET, at_toggle, excess_faults
from robocompiler.solve.assembly.carrying import carry_samples, keeping
from robocompiler.solve.assembly.singular import singular_fault
from robocompiler.solve.continuation.constants import MISFIT
from robocompiler.solve.continuation.holding import held_place
from robocompiler.solve.continuation.tracking import Bar, Place, Travelled, travel
from robocompiler.solve.describe import coordinates
from robocompiler.solve.limits import GIVES, excess, unreachable, within_limits
from robocompiler.solve.motion.elsewhere import samples_elsewhere
from robocompiler.solve.motion.motion import Motion
from robocompiler.solve.motion.unwinding import chord_tables
from robocompiler.solve.state import evaluate, joint_pose
from robocompiler.solve.system import System, Work, systems_of
from robocompiler.solve.values import Tables, read_tables
from robocompiler.spatial import Array

Progress = Callable[[int, int], None]


def follow(
    compiled: CompiledMechanism,
    path: Tables,
    *,
    start: Configuration | None = None,
    progress: Progress | None = None,
) -> Motion:
    """Move driven joints through a table of values, everything else following on its branch.

    Each sample is predicted by the lift from the one before and corrected by Newton with its
    dependent block; where that does not contract, the defect homotopy and then half steps.

    Args:
        compiled: the mechanism.
        path: for each driven joint its values [m, rad, quaternion], shape (samples,) or (samples,
            its coordinates). Of cut joints too: their loops are then followed with another cut.
        start: where to come from, and whose branch to keep; assembled as drawn where None.
        progress: told after each sample how many of how many are done.

    Raises:
        SampleError: a sample that cannot be reached, with the nearest value that can.
        SingularError: the start is a configuration in which the drivers determine nothing.
        RankChangedError: the start is one where branches meet, so that none is told.
        OverdeterminedError: more drivers than the loops have freedoms.
        KeptError: every joint of a loop is driven.
        UnknownNameError, BadValueError: a driver that is no joint that moves, or another table.
    """
    asked = keeping(compiled, path)
    if asked is not compiled:
        near = assemble(compiled, near=start)
        return _carried(compiled, follow(asked, path, start=near, progress=progress))
    tables = read_tables(compiled, path, "Path to follow")
    count = len(next(iter(tables.values())))
    began = assemble(compiled) if start is None else assemble(compiled, near=start)
    whole = coordinates(compiled, began)
    follower = _Follower(compiled, whole, tuple(tables))
    for sample in range(count):
        values = {name: table[sample] for name, table in tables.items()}
        try:
            follower.go(sample, values)
        except UnreachableError as cause:
            raise SampleError(sample, count, cause) from cause
        if progress is not None:
            progress(sample + 1, count)
    return follower.motion(began)


def _carried(compiled: CompiledMechanism, motion: Motion) -> Motion:
    """A motion with q and the cut joints as another compilation has them."""
    samples = {name: motion.table(name) for name in motion.compiled.joints}
    q, chords = carry_samples(compiled, samples)
    return replace(motion, compiled=compiled, q=q, chords=chords, misfit=_verified(compiled, q))


class _Follower:
    """A path being followed: where every module stands, and the way it came."""

    def __init__(self, compiled: CompiledMechanism, q: Array, drivers: Sequence[str]) -> None:
        self.compiled, self.q, self.work = compiled, np.array(q), Work()
        self.drivers = tuple(drivers)
        self.trail: list[Array] = [np.array(q)]
        self.at: list[int] = []
        self.crossed: list[int] = []
        self.places: list[tuple[System, Place, list[int]]] = []
        for system in systems_of(compiled):
            own = [name for name in drivers if system.speeds_of(name)]
            if own:
                self.places.append(self._begin(replace(system, work=self.work), own))
        looped = {i for module in compiled.modules for i in module.joints}
        names = set(drivers)
        self.alone = [
            t for i, t in enumerate(compiled.tree) if i not in looped and t.edge.joint.name in names
        ]

    def _begin(self, system: System, drivers: Sequence[str]) -> tuple[System, Place, list[int]]:
        place = held_place(system, system.of(self.q), drivers)
        raise_all(excess_faults(system, place, drivers))
        speeds = [i for name in drivers for i in system.speeds_of(name)]
        fault = singular_fault(system, place.point.q, speeds)
        raise_all([] if fault is None else [fault])
        return system, place, speeds

    def go(self, sample: int, values: Mapping[str, Array]) -> None:
        """Move on to a sample."""
        for tree_joint in self.alone:
            self._put_alone(tree_joint, values)
        for index, (system, place, drivers) in enumerate(self.places):
            target = np.array(place.point.q)
            for tree_joint in system.compiled.tree:
                if tree_joint.edge.joint.name in values:
                    target[tree_joint.q] = values[tree_joint.edge.joint.name]

            def seen(q: Array, system: System = system) -> None:
                self.q = system.into(self.q, q)
                self.trail.append(self.q)

            went = travel(system, place, drivers, target, seen)
            place = _arrived(system, went, drivers, target)
            if place is not went.place:
                seen(place.point.q)
            if went.crossed:
                self.crossed.append(sample)
            self.places[index] = (system, place, drivers)
        self.trail.append(self.q)
        self.at.append(len(self.trail) - 1)

    def _put_alone(self, tree_joint: TreeJoint, values: Mapping[str, Array]) -> None:
        joint = tree_joint.edge.joint
        wanted = values[joint.name]
        if excess(joint, wanted) > 0.0:
            nearest = within_limits(joint, wanted).tolist()
            raise unreachable(joint, wanted.tolist(), nearest, joint.name)
        self.q = np.array(self.q)
        self.q[tree_joint.q] = wanted
        self.q = followed(self.compiled, self.q)
        for coupling in self.compiled.eliminated:
            own = self.compiled.tree[coupling.follower.tree_joint]
            if excess(own.edge.joint, self.q[own.q]) > GIVES:
                before = self.trail[-1][tree_joint.q].tolist()
                raise unreachable(joint, wanted.tolist(), before, own.edge.joint.name)

    def motion(self, began: Configuration) -> Motion:
        """The path as it was followed, its complete residual verified."""
        trail = np.array(self.trail)
        q = trail[self.at]
        state = evaluate(self.compiled, trail)
        chords = [(c.chord.joint, joint_pose(state, c.chord)) for c in self.compiled.closures]
        tables = chord_tables(chords, dict(began.values))
        held = dict.fromkeys(
            name
            for system, place, drivers in self.places
            for name in system.own_joints(i for i in place.hold.held if i not in drivers)
        )
        return Motion(
            compiled=self.compiled,
            q=q,
            chords={name: table[self.at] for name, table in tables.items()},
            held=tuple(held),
            misfit=_verified(self.compiled, q),
            work=self.work,
            crossed=tuple(dict.fromkeys(self.crossed)),
            elsewhere=samples_elsewhere(self.compiled, q, self.drivers),
        )


def _arrived(system: System, went: Travelled, drivers: Sequence[int], target: Array) -> Place:
    """Where a motion arrived; an error with the nearest value where it did not.

    A toggle that is asked for to within rounding counts: its drivers end on it.
    """
    if went.refusal is None:
        return went.place
    place, stop = went.place, went.refusal
    if stop.bar is not Bar.LIMIT:
        place = at_toggle(system, place, drivers, target) or place
    left = np.abs(system.apart(place.point.q, target)[list(drivers)])
    if float(np.max(left)) <= MET:
        return place
    worst = drivers[int(np.argmax(left))]
    own = next(t for t in system.compiled.tree if t.v.start <= worst < t.v.stop)
    wanted, nearest = target[own.q].tolist(), place.point.q[own.q].tolist()
    limit = stop.joint if stop.bar is Bar.LIMIT else None
    raise unreachable(own.edge.joint, wanted, nearest, limit)


def _verified(compiled: CompiledMechanism, q: Array) -> float:
    """The largest row of all closures at all samples, lengths over their module's size."""
    worst = 0.0
    for system in systems_of(compiled):
        own = system.of(q)
        phi = system.rows * linearize(system.compiled, own).residual
        worst = max(worst, float(np.max(np.abs(phi), initial=0.0)))
        if system.turned_over(own):
            raise MechanismError(f"Loop '{system.module.name}' turned an axis over.")
    if worst > MISFIT:
        raise MechanismError(f"The path does not close: rows of {worst:.3g} are left.")
    return worst
