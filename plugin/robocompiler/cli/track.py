"""Drives and joints along a motion that is given by its samples: efforts, powers and loads."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.cli.ports import port_units
from robocompiler.cli.progress import told
from robocompiler.cli.samples import Samples
from robocompiler.cli.state import independent_among, place_at, read_conditions
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.ports import Port
from robocompiler.equations.kinematics import joint_difference
from robocompiler.errors import BadValueError
from robocompiler.model.joint_kinds import Factor
from robocompiler.model.mechanism import Joint
from robocompiler.solve.assembly.carrying import keeping
from robocompiler.solve.describe import coordinates
from robocompiler.solve.dynamics.conditions import Conditions
from robocompiler.solve.dynamics.inverse import InverseDynamics, inverse_dynamics
from robocompiler.solve.loads.loads import Flags, JointLoads, joint_loads
from robocompiler.solve.motion.follow import follow
from robocompiler.solve.motion.motion import Motion
from robocompiler.solve.reduction.partition import choose_partition
from robocompiler.spatial import Array, apply

TOGETHER = 256
"""Samples that are done at once."""
AGREES = 1e-6
"""How far [m or rad] a column that follows from others may be from where it follows to."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Track:
    """A motion, and what makes it at every sample."""

    compiled: CompiledMechanism
    time: Array
    motion: Motion
    drivers: tuple[str, ...]
    """Joints whose columns drive it."""
    follow: tuple[str, ...]
    """Joints whose columns follow from those, and agree."""
    ports: tuple[Port, ...]
    units: dict[str, str]
    efforts: Array
    """Shape (samples, ports)."""
    speeds: Array
    """Of the ports, shape (samples, ports)."""
    joints: tuple[str, ...]
    wrenches: Array
    """What each carries, shape (samples, joints, 6)."""
    flags: tuple[Flags, ...]
    """Which components are determinate all along."""
    redundant: int
    undriven: tuple[tuple[str, float], ...]
    """Independent speeds along which something is missing, and the most."""
    condition: Array
    """Of the loops, see `Reduction`, shape (samples,)."""

    @property
    def powers(self) -> Array:
        """Shape (samples, ports)."""
        return np.asarray(self.efforts * self.speeds)

    def sizes(self, part: slice, sure: bool = False) -> Array:
        """The size of forces or torques, of determinate components alone or all, (samples, joints).

        Args:
            part: the first three of a wrench, or the others.
            sure: whether only what is determinate counts.
        """
        counted = np.array(self.flags, dtype=float)[:, part] if sure else 1.0
        return np.asarray(np.linalg.norm(self.wrenches[..., part] * counted, axis=-1))

    def is_sure(self, part: slice) -> list[bool]:
        """Of each joint whether all of a force or a torque is determinate."""
        return [bool(own) for own in np.all(np.array(self.flags, dtype=bool)[:, part], axis=-1)]


def track(given: CompiledMechanism, samples: Samples, options: argparse.Namespace) -> Track:
    """Follow a motion and find what makes it.

    Raises:
        BadValueError: columns that drive nothing, or contradict those that do.
        SampleError, SingularError and others: as `follow`.
        NotClosedError, PartitionError, UnknownNameError: as `inverse_dynamics`.
    """
    drivers = _drivers(given, samples, coordinates(given, place_at(given, options.at)))
    compiled = keeping(given, drivers)
    tables = {name: samples.table(compiled.joints[name]) for name in drivers}
    start = place_at(compiled, options.at)
    motion = follow(compiled, tables, start=start, progress=told())
    others = tuple(name for name in samples.columns if name not in drivers)
    for name in others:
        _check_follows(motion, samples, compiled.joints[name], drivers)
    conditions = read_conditions(compiled, options)
    held = independent_among(compiled, motion.q[0], motion.held, drivers)
    partition = choose_partition(compiled, motion.q[0], [*drivers, *held])
    conditions["independent"] = partition
    rates = _rates(compiled, samples, drivers)
    u, u_dot = (table[:, list(partition.independent)] for table in rates)
    found = _made(compiled, motion.q, u, u_dot, conditions)
    return _joined(samples, motion, tuple(drivers), others, found)


def _joined(
    samples: Samples,
    motion: Motion,
    drivers: tuple[str, ...],
    follow: tuple[str, ...],
    found: Sequence[tuple[InverseDynamics, JointLoads]],
) -> Track:
    """What was found batch by batch, without the first sample that each batch begins with."""
    dynamics, loads = [own.dynamics for own, _ in found], [own for _, own in found]
    ports, compiled = dynamics[0].ports, motion.compiled
    return Track(
        compiled=compiled,
        time=samples.time,
        motion=motion,
        drivers=drivers,
        follow=follow,
        ports=ports,
        units=port_units(compiled, ports),
        efforts=np.concatenate([own.efforts[1:] for own, _ in found]),
        speeds=np.concatenate([apply(own.B, own.v)[1:] for own in dynamics]),
        joints=loads[0].names,
        wrenches=np.concatenate([own.wrenches[1:] for own in loads]),
        flags=_all_along([own.flags for own in loads]),
        redundant=min(own.redundant for own, _ in found),
        undriven=_undriven([own for own, _ in found]),
        condition=np.concatenate([own.reduction.condition[1:] for own in dynamics]),
    )


def _drivers(compiled: CompiledMechanism, samples: Samples, q: Array) -> list[str]:
    """The joints that are driven: of the columns as many as are free of one another, what is
    actuated first.
    """
    joints = compiled.joints
    turning = [n for n in samples.columns if Factor.ROTATION in joints[n].kind.factors]
    actuated = {
        own.edge.joint.name
        for own in compiled.tree
        if not compiled.actuated.isdisjoint(range(own.v.start, own.v.stop))
    }
    free = [n for n in samples.columns if n not in turning]
    found = independent_among(compiled, q, sorted(free, key=lambda n: n not in actuated))
    if not found:
        what = "a joint that can move, of lengths and angles alone"
        raise BadValueError(samples.source, "columns", ", ".join(samples.columns), what)
    return found


def _check_follows(motion: Motion, samples: Samples, joint: Joint, drivers: Sequence[str]) -> None:
    """Refuse a column that is not where the drivers put its joint, up to whole turns."""
    apart = joint_difference(joint.kind, motion.table(joint.name), samples.table(joint))
    turns = [factor.is_turn for factor in joint.kind.factors for _ in range(factor.nv)]
    apart = np.where(turns, np.remainder(apart + math.pi, math.tau) - math.pi, apart)
    off = np.max(np.abs(apart), axis=-1)
    worst = int(np.argmax(off))
    if off[worst] > AGREES:
        names = ", ".join(f"'{name}'" for name in drivers)
        where = f"{samples.source}, line {samples.lines[worst]}"
        said = ", ".join(f"{x:.9g}" for x in samples.table(joint)[worst])
        follows = ", ".join(f"{x:.9g}" for x in motion.table(joint.name)[worst])
        what = f"where {names} put it, {follows} [m, rad]: leave the column out, or its drivers"
        raise BadValueError(where, joint.name, said, what)


def _rates(
    compiled: CompiledMechanism, samples: Samples, drivers: Sequence[str]
) -> tuple[Array, Array]:
    """Speeds and accelerations of the drivers, others zero, (samples, nv) each."""
    v, v_dot = (np.zeros((len(samples.time), compiled.nv)) for _ in range(2))
    for name in drivers:
        own = compiled.tree_joint(name)
        v[:, own.v], v_dot[:, own.v] = samples.rates(own.edge.joint)
    return v, v_dot


def _made(
    compiled: CompiledMechanism, q: Array, u: Array, u_dot: Array, conditions: Conditions
) -> list[tuple[InverseDynamics, JointLoads]]:
    """What makes the motion, some samples at a time, so that memory stays small.

    Each batch begins with the first sample, by which sizes are told that shares are weighed by.
    """
    tell, found = told(), []
    for start in range(0, len(q), TOGETHER):
        own = [0, *range(start, min(start + TOGETHER, len(q)))]
        state = (compiled, q[own], u[own], u_dot[own])
        inverse = inverse_dynamics(*state, **conditions)
        found.append((inverse, joint_loads(*state, inverse.efforts, **conditions)))
        tell(own[-1] + 1, len(q))
    return found


def _all_along(flags: Sequence[tuple[Flags, ...]]) -> tuple[Flags, ...]:
    whole = np.all(np.array(flags, dtype=bool), axis=0)
    return tuple(
        (bool(a), bool(b), bool(c), bool(d), bool(e), bool(f)) for a, b, c, d, e, f in whole
    )


def _undriven(found: Sequence[InverseDynamics]) -> tuple[tuple[str, float], ...]:
    names = [name for name in found[0].names if any(name in own.undriven for own in found)]
    missing = np.concatenate([np.abs(own.missing) for own in found])
    most = dict(zip(found[0].names, np.max(missing, axis=0, initial=0.0).tolist(), strict=True))
    return tuple((name, most[name]) for name in names)
