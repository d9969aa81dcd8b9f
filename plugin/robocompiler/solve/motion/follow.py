"""Follow a path of driven joints: every joint at every sample, on one branch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import (
    BadValueError,
    MechanismError,
    OverdeterminedError,
    SampleError,
    SingularError,
    StoppedError,
    UnknownNameError,
    UnreachableError,
    raise_all,
)
from robocompiler.model.configuration import Configuration
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.assembly.bringing import MET, at_toggle
from robocompiler.solve.closure import linearize
from robocompiler.solve.continuation.corrector import MISFIT
from robocompiler.solve.continuation.holding import held_place
from robocompiler.solve.continuation.tracking import Bar, Place, Travelled, travel
from robocompiler.solve.describe import coordinates, describe
from robocompiler.solve.motion.unwinding import chord_tables
from robocompiler.solve.state import evaluate, joint_pose
from robocompiler.solve.system import System, Work, systems_of
from robocompiler.spatial import Array

Path = Mapping[str, Sequence[float] | Sequence[Sequence[float]] | Array]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """A mechanism along a path."""

    compiled: CompiledMechanism
    q: Array
    """Tree coordinates at every sample, shape (samples, nq)."""
    chords: Mapping[str, Array]
    """Coordinates of each cut joint, turns counted, shape (samples, its coordinates)."""
    held: tuple[str, ...]
    """Joints that were held where they stood, since the drivers leave them free."""
    misfit: float
    """Largest row left at any sample, lengths over the module's size, from one last evaluation of
    all samples at once."""
    work: Work
    """What it took, that last evaluation aside."""
    crossed: tuple[int, ...] = ()
    """Samples on the way to which a change point was passed straight on: there two branches meet,
    and a real mechanism may take either."""

    def __len__(self) -> int:
        return len(self.q)

    def of(self, joint: str) -> Array:
        """The coordinates of a joint at every sample, (samples,) or (samples, its coordinates)."""
        table = self._table(joint)
        return table[:, 0] if table.shape[1] == 1 else table

    def _table(self, joint: str) -> Array:
        for tree_joint in self.compiled.tree:
            if tree_joint.edge.joint.name == joint:
                return self.q[:, tree_joint.q]
        if joint not in self.chords:
            names = [*self.chords, *(t.edge.joint.name for t in self.compiled.tree)]
            raise UnknownNameError("Motion", "joint", joint, names)
        return self.chords[joint]

    def configuration(self, sample: int) -> Configuration:
        """All joints at one sample, by name."""
        drawn = {c.name: (0.0, 0.0) for c in self.compiled.closures}
        found = describe(self.compiled, self.q[sample], drawn)
        values = dict(found.values)
        values.update({n: tuple(t[sample].tolist()) for n, t in self.chords.items()})
        return Configuration(values=tuple(sorted(values.items())), gaps=found.gaps)


def follow(
    compiled: CompiledMechanism,
    path: Path,
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
            its coordinates).
        start: where to come from, and whose branch to keep; assembled as drawn where None.
        progress: told how many samples of how many are done, now and then.

    Raises:
        SampleError: a sample that cannot be reached, with the nearest value that can.
        SingularError: the start is a configuration in which the drivers determine nothing.
        OverdeterminedError: more drivers than the loops have freedoms.
        UnknownNameError, BadValueError: a driver that is no tree joint, or another table.
    """
    tables = _tables(compiled, path)
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
        if progress is not None and (sample % 50 == 49 or sample == count - 1):
            progress(sample + 1, count)
    return follower.motion(began)


def _tables(compiled: CompiledMechanism, path: Path) -> dict[str, Array]:
    joints = {t.edge.joint.name: t.edge.joint for t in compiled.tree}
    faults: list[MechanismError] = []
    tables: dict[str, Array] = {}
    for name, given in path.items():
        if name not in joints:
            faults.append(UnknownNameError("Path to follow", "tree joint", name, joints))
            continue
        count, table = joints[name].kind.nq, np.zeros((0, 0))
        try:
            table = np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            pass
        table = table[:, None] if table.ndim == 1 else table
        if table.ndim != 2 or table.shape[1] != count or not len(table):
            expected = f"a table of {count} numbers for each sample"
            faults.append(BadValueError("Path to follow", name, f"shape {table.shape}", expected))
        elif not np.all(np.isfinite(table)):
            bad = int(np.argwhere(~np.isfinite(table))[0][0])
            what = f"sample {bad}: {table[bad].tolist()}"
            faults.append(BadValueError("Path to follow", name, what, "finite numbers"))
        else:
            if joints[name].kind in (JointKind.BALL, JointKind.FREE):
                table = table.copy()
                table[:, -4:] /= np.linalg.norm(table[:, -4:], axis=1, keepdims=True)
            tables[name] = table
    raise_all(faults)
    lengths = {name: len(table) for name, table in tables.items()}
    if len(set(lengths.values())) != 1:
        shown = ", ".join(f"'{n}': {k}" for n, k in lengths.items()) or "no driver"
        raise BadValueError("Path to follow", "samples", shown, "one number of samples for all")
    return tables


class _Follower:
    """A path being followed: where every module stands, and the way it came."""

    def __init__(self, compiled: CompiledMechanism, q: Array, drivers: Sequence[str]) -> None:
        self.compiled, self.q, self.work = compiled, np.array(q), Work()
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
        speeds = [i for name in drivers for i in system.speeds_of(name)]
        own, taken = system.own(place.hold.held), system.own_joints(place.hold.held)
        for name in drivers:
            if not set(system.speeds_of(name)) <= set(place.hold.held):
                raise OverdeterminedError(system.module.name, name, len(own), taken)
        if not np.all(np.isfinite(place.lift)):
            null = np.linalg.svd(place.point.block)[2][-1]
            moving = [place.hold.free[i] for i in np.flatnonzero(np.abs(null) > 1e-3)]
            names = dict.fromkeys(system.joint_of(i) for i in moving)
            raise SingularError(system.module.name, tuple(names))
        return system, place, speeds

    def go(self, sample: int, values: Mapping[str, Array]) -> None:
        """Move on to a sample."""
        for tree_joint in self.alone:
            self._put_alone(tree_joint.q, tree_joint.edge.joint.name, values)
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

    def _put_alone(self, own: slice, name: str, values: Mapping[str, Array]) -> None:
        tree = self.compiled.tree
        joint = next(t.edge.joint for t in tree if t.edge.joint.name == name)
        for (low, high), x in zip(joint.limits, values[name], strict=False):
            if not low <= x <= high and joint.kind.nq == joint.kind.dof:
                nearest = np.clip(values[name], *np.array(joint.limits).T).tolist()
                raise StoppedError(name, values[name].tolist(), nearest, name)
        self.q = np.array(self.q)
        self.q[own] = values[name]

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
    name, wanted = own.edge.joint.name, tuple(target[own.q].tolist())
    nearest = tuple(place.point.q[own.q].tolist())
    if stop.bar is Bar.LIMIT:
        raise StoppedError(name, wanted, nearest, stop.joint)
    raise UnreachableError(name, wanted, nearest)


def _verified(compiled: CompiledMechanism, q: Array) -> float:
    """The largest row of all closures at all samples, lengths over their module's size."""
    worst = 0.0
    for system in systems_of(compiled):
        own = system.of(q)
        phi = system.rows * linearize(system.compiled, own).residual
        worst = max(worst, float(np.max(np.abs(phi), initial=0.0)))
        for sample in own:
            if system.turned_over(sample):
                raise MechanismError(f"Loop '{system.module.name}' turned an axis over.")
    if worst > MISFIT:
        raise MechanismError(f"The path does not close: rows of {worst:.3g} are left.")
    return worst
