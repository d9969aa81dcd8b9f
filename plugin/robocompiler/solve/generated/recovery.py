"""The reference's way, for states that generated code would not vouch for."""

from __future__ import annotations

import numpy as np

from robocompiler.compiler.block_types import BlockPlan
from robocompiler.errors import (
    BadValueError,
    IllConditionedError,
    MechanismError,
    NotClosedError,
    raise_all,
)
from robocompiler.solve.assembly.singular import singular_fault
from robocompiler.solve.assembly.still_open import unclosed
from robocompiler.solve.closure import length_scale, widest_gap
from robocompiler.solve.continuation.constants import CONTROL, MISFIT
from robocompiler.solve.continuation.corrector import correct, polish
from robocompiler.solve.continuation.homotopy import hold_speeds, trace_defect
from robocompiler.solve.generated.layout import Layout
from robocompiler.solve.reduction.reduce import Reduction, reduce
from robocompiler.solve.state import evaluate
from robocompiler.solve.system import System, system_of
from robocompiler.spatial import Array


def plan_system(plan: BlockPlan) -> System:
    """A block as a system, over the same coordinates and speeds."""
    own = plan.compiled
    length = length_scale(own, evaluate(own, plan.q), own.modules[0])
    return system_of(own, own.modules[0], length)


def closed_block(plan: BlockPlan, q: Array) -> Array:
    """A block's coordinates closed from an open q, shape (nq,), its independent ones kept.

    The defect homotopy, which keeps the branch; where it fails, the damped corrector.

    Raises:
        BadValueError: q is not finite.
        ClosureError, CouplingError: nothing closed was found.
    """
    if not np.all(np.isfinite(q)):
        at = int(np.flatnonzero(~np.isfinite(q))[0])
        joint = next(t.edge.joint.name for t in plan.compiled.tree if t.q.start <= at < t.q.stop)
        raise BadValueError("Bound code", "q", f"a coordinate of '{joint}'", "a finite number")
    system = plan_system(plan)
    held = [*plan.inputs, *plan.compiled.prescribed]
    free = [i for i in system.compiled.movable if i not in held]
    traced = trace_defect(system, hold_speeds(system, q, held), q)
    reached = q if traced is None else traced.q
    found = polish(system, correct(system, reached, free).q, free)
    if found.misfit <= MISFIT and not system.turned_over(found.q):
        return found.q
    module = plan.compiled.modules[0]
    faults = unclosed(plan.compiled, found.q, module, (0.0, 0.0)) or [
        MechanismError(f"Block '{plan.name}' cannot be closed from there.")
    ]
    raise faults[0]


def refuse_open(plan: BlockPlan, q: Array) -> None:
    """An error where a block's coordinates leave it open.

    Raises:
        NotClosedError: with the closure that is furthest open.
    """
    system = plan_system(plan)
    if float(np.max(np.abs(system.linear(q)[0]), initial=0.0)) > MISFIT:
        own = system.compiled
        raise NotClosedError(*widest_gap(own, own.modules[0], evaluate(own, q), system.length))


def reduction_there(layout: Layout, q: Array, plans: list[BlockPlan]) -> Reduction:
    """The reference's lift at a closed q of the whole mechanism, where these blocks determine it.

    Raises:
        SingularError: the independent speeds of one of them do not determine the others there.
    """
    for plan in plans:
        own = q[plan.coordinates]
        raise_all(f for f in [singular_fault(plan_system(plan), own, plan.inputs)] if f is not None)
    found = reduce(layout.compiled, q, layout.partition)
    if float(found.condition) < CONTROL.singular:
        raise IllConditionedError(plans[0].name, float(found.condition))
    return found
