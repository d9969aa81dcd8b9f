"""Between compilations of one mechanism that cut other joints: by the names of its joints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.elimination import followed
from robocompiler.errors import raise_all
from robocompiler.model.configuration import Configuration
from robocompiler.model.joint_motion import joint_coordinates
from robocompiler.solve.assembly.still_open import TOLERANCE, closure_error, is_open
from robocompiler.solve.closure import gap_of
from robocompiler.solve.continuation.corrector import close_module, module_speeds, polish
from robocompiler.solve.describe import coordinates, describe
from robocompiler.solve.state import evaluate, joint_pose, starting_coordinates
from robocompiler.solve.system import systems_of
from robocompiler.spatial import Array, Pose


def keeping(compiled: CompiledMechanism, names: Iterable[str]) -> CompiledMechanism:
    """The mechanism compiled so that all these joints have coordinates of their own.

    That is `compiled` itself, unless one of them was cut. Names of no joint are left to others.

    Raises:
        KeptError: they are all the joints of a loop.
    """
    asked = set(names) - {task.hold for task in compiled.tasks}
    if not any(closure.chord.joint.name in asked for closure in compiled.closures):
        return compiled
    return compile_mechanism(
        compiled.mechanism,
        keep=asked & compiled.joints.keys(),
        tasks=compiled.tasks,
        eliminate_couplings=bool(compiled.eliminated),
    )


def carry_over(
    compiled: CompiledMechanism,
    configuration: Configuration,
    tolerance: tuple[float, float] = TOLERANCE,
) -> Configuration:
    """The same configuration of a mechanism compiled with other cuts, closed again to rounding.

    Raises:
        ClosureError: it is open by more than the tolerance.
    """
    q = followed(compiled, coordinates(compiled, configuration))
    state, start = evaluate(compiled, q), evaluate(compiled, starting_coordinates(compiled))
    raise_all(
        closure_error(compiled, module, index, gap_of(compiled.closures[index], state))
        for module in compiled.modules
        for index in module.closures
        if is_open(compiled, index, gap_of(compiled.closures[index], state), tolerance)
    )
    for module in compiled.modules:
        q = close_module(compiled, q, module, module_speeds(compiled, module)).q
    drawn = {gap.closure: (gap.drawn_gap, gap.drawn_angle) for gap in configuration.gaps}
    for closure in compiled.closures:
        drawn.setdefault(closure.name, gap_of(closure, start))
    carried = describe(compiled, q, drawn, configuration.missed, dict(configuration.values))
    return replace(carried, speeds=configuration.speeds, missed_speeds=configuration.missed_speeds)


def carry_samples(
    compiled: CompiledMechanism, samples: Mapping[str, Array]
) -> tuple[Array, dict[str, Array]]:
    """q (n, nq), and the coordinates of each cut joint, of closed states given by joint names.

    Closed again to rounding. States that are not finite are left as they are.

    Args:
        compiled: where they are to be carried.
        samples: the coordinates of every joint at every sample, (n, its coordinates) each.
    """
    count = len(next(iter(samples.values())))
    q = np.zeros((count, compiled.nq))
    for tree_joint in compiled.tree:
        q[:, tree_joint.q] = samples[tree_joint.edge.joint.name]
    known = np.flatnonzero(np.all(np.isfinite(q), axis=1))
    for system in systems_of(compiled):
        free = system.compiled.movable
        for i in known:
            q[i] = system.into(q[i], polish(system, system.of(q[i]), free).q)
    return q, chord_samples(compiled, q, samples)


def chord_samples(
    compiled: CompiledMechanism, q: Array, near: Mapping[str, Array]
) -> dict[str, Array]:
    """Coordinates of each cut joint at q (n, nq), turns counted from those in `near`.

    Args:
        compiled: the mechanism.
        q: closed states; NaN where there is none.
        near: by joint name, (n, its coordinates).
    """
    known = np.flatnonzero(np.all(np.isfinite(q), axis=1))
    state, found = evaluate(compiled, q[known]), dict[str, Array]()
    for edge in (closure.chord for closure in compiled.closures):
        joint, X_FM = edge.joint, joint_pose(state, edge)
        table = np.full((len(q), joint.kind.nq), np.nan)
        for i, R, p in zip(known, X_FM.R, X_FM.p, strict=True):
            before = tuple(near[joint.name][i].tolist())
            table[i] = joint_coordinates(joint.kind, Pose(R, p), before, joint.pitch)
        found[joint.name] = table
    return found
