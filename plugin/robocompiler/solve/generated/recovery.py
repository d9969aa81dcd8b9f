"""The reference's way, for states that generated code would not vouch for."""

from __future__ import annotations

import numpy as np

from robocompiler.compiler.block_types import BlockPlan
from robocompiler.compiler.soundness import AGREES
from robocompiler.errors import (
    BadValueError,
    IllConditionedError,
    MechanismError,
    NotClosedError,
    raise_all,
)
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.assembly.singular import singular_fault
from robocompiler.solve.assembly.still_open import unclosed
from robocompiler.solve.closure import widest_gap
from robocompiler.solve.continuation.constants import CONTROL
from robocompiler.solve.continuation.corrector import correct, polish
from robocompiler.solve.continuation.homotopy import hold_speeds, trace_defect
from robocompiler.solve.reduction.blocks import Block
from robocompiler.solve.reduction.curvature import curvature
from robocompiler.solve.reduction.partition import Partition
from robocompiler.solve.reduction.reduce import Reduction, reduce
from robocompiler.solve.state import evaluate
from robocompiler.solve.system import System, system_of
from robocompiler.solve.values import NO_QUATERNION
from robocompiler.spatial import Array, apply

FARTHEST = 1e100
"""Coordinates [rad, or sizes] and speeds beyond it are taken for mistakes: squares overflow."""


def plan_system(plan: BlockPlan) -> System:
    """A block as a system, over the same coordinates and speeds."""
    return system_of(plan.compiled, plan.compiled.modules[0], plan.length)


def closed_block(plan: BlockPlan, q: Array) -> Array:
    """A block's coordinates closed from an open q, shape (nq,), its independent ones kept.

    The defect homotopy, which keeps the branch; where it fails, the damped corrector.

    Raises:
        BadValueError: q is not finite.
        ClosureError, CouplingError: nothing closed was found.
    """
    system = plan_system(plan)
    refuse_unusable(system, q)
    held = plan.known
    free = [i for i in system.compiled.movable if i not in held]
    traced = trace_defect(system, hold_speeds(system, q, held), q)
    reached = q if traced is None else traced.q
    found = polish(system, correct(system, reached, free).q, free)
    refuse_misfit(plan, system, found.q)
    return found.q


def refuse_misfit(plan: BlockPlan, system: System, q: Array) -> None:
    """An error where rows are left with more than where the block stood, or an axis is turned over.

    Rows that are not solved, since others held as much where it stood, may hold more elsewhere.

    Raises:
        ClosureError, CouplingError: with the one that is furthest open.
    """
    if system.misfit(q) <= plan.allowed and not system.turned_over(q):
        return
    module = plan.compiled.modules[0]
    faults = unclosed(plan.compiled, q, module, (0.0, 0.0)) or [
        MechanismError(f"Block '{plan.name}' cannot be closed from there.")
    ]
    raise faults[0]


def refuse_unusable(system: System, q: Array) -> None:
    """An error where equations have no value.

    Raises:
        BadValueError: coordinates that are not finite, or too long, or a quaternion of nothing.
    """
    for joint in system.compiled.tree:
        own, name = q[joint.q], f"a coordinate of '{joint.edge.joint.name}'"
        if not np.all(np.abs(own) <= FARTHEST * max(1.0, system.length)):
            raise BadValueError("Bound code", "q", name, "a finite number within reach")
        if joint.edge.joint.kind in (JointKind.BALL, JointKind.FREE):
            if float(np.linalg.norm(own[-4:])) < NO_QUATERNION:
                raise BadValueError("Bound code", "q", name, "of a quaternion: its length is 0")


def refuse_open(plan: BlockPlan, q: Array) -> Array:
    """A block's coordinates as they are; an error where they leave it open.

    Raises:
        BadValueError: as `refuse_unusable`.
        NotClosedError: with the closure that is furthest open.
    """
    system = plan_system(plan)
    refuse_unusable(system, q)
    if system.misfit(q) > plan.allowed:
        own = system.compiled
        raise NotClosedError(*widest_gap(own, own.modules[0], evaluate(own, q), system.length))
    return q


def block_reduction(plan: BlockPlan, q: Array) -> Reduction:
    """The reference's lift of a block at closed coordinates, where its inputs determine it.

    Raises:
        SingularError: the independent speeds do not determine the others there.
        IllConditionedError: hardly.
    """
    system = plan_system(plan)
    fault = singular_fault(system, q, plan.inputs)
    raise_all([] if fault is None else [fault])
    block = Block(
        module=plan.compiled.modules[0],
        rows=tuple(range(len(plan.row_scales))),
        inputs=plan.inputs,
        dependent=plan.dependent,
        row_scales=plan.row_scales,
        speed_scales=plan.speed_scales,
    )
    found = reduce(plan.compiled, q, Partition(plan.inputs, (block,)))
    if float(found.condition) < CONTROL.singular:
        raise IllConditionedError(plan.name, float(found.condition))
    return found


def block_results(plan: BlockPlan, q: Array, v: Array | None) -> Array:
    """What generated code gives for a block at closed coordinates; with its speeds also v and c.

    Raises:
        BadValueError: a speed is not finite, or places of tasks move as nothing can follow.
        SingularError, IllConditionedError: as `block_reduction`.
    """
    found, moving = block_reduction(plan, q), list(plan.moving)
    results = [found.E[moving].ravel(), q[[c.follower.q for c in plan.compiled.eliminated]]]
    if v is not None:
        known, given = np.zeros(plan.compiled.nv), list(plan.known)
        known[given] = v[given]
        if not np.all(np.abs(known) <= FARTHEST):
            raise BadValueError("Bound code", "v", f"a speed of '{plan.name}'", "a finite number")
        places = known.copy()
        places[list(plan.inputs)] = 0.0
        follows = apply(found.inverse, apply(found.jacobian, places))
        moved = apply(found.E, known[list(plan.inputs)]) + places - follows
        _refuse_torn(plan, apply(found.jacobian, moved), moved)
        results += [moved[moving], curvature(plan.compiled, q, moved, found)[moving]]
    return np.concatenate(results)


def _refuse_torn(plan: BlockPlan, rates: Array, v: Array) -> None:
    """An error where places of tasks move as the block cannot follow, v being as near as it can.

    Raises:
        BadValueError: with the places.
    """
    torn = float(np.linalg.norm(plan.row_scales * rates))
    if torn > AGREES * float(np.linalg.norm(plan.speed_scales * v)) and plan.compiled.prescribed:
        names = ", ".join(f"'{t.edge.joint.name}'" for t in plan.compiled.tree if t.prescribed)
        what = f"a speed of the place of {names}"
        raise BadValueError("Bound code", "v", what, f"one that '{plan.name}' can follow")
