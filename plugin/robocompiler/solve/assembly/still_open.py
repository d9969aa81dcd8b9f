"""What stays open after all was tried."""

from __future__ import annotations

import math

from robocompiler.compiler.compiled import CompiledMechanism, Module
from robocompiler.equations.residuals import is_turned_over
from robocompiler.errors import ClosureError, CouplingError, MechanismError, NothingFoundError
from robocompiler.solve.assembly.drawn import Tolerance, allowed
from robocompiler.solve.closure import gap_of
from robocompiler.solve.state import evaluate, joint_pose
from robocompiler.spatial import Array

TOLERANCE = (0.5e-3, math.radians(0.5))
"""How far apart [m, rad] the sides of a loop may be drawn: a user's numbers are rounded."""

TRIED = "the damped corrector and the defect homotopy, from there alone."


def unclosed(
    compiled: CompiledMechanism, q: Array, module: Module, tolerance: Tolerance
) -> list[MechanismError]:
    """An error for each closure that stays open, and for couplings that cannot be met."""
    state = evaluate(compiled, q, module.joints)
    faults: list[MechanismError] = []
    for index in module.closures:
        closure = compiled.closures[index]
        gap = gap_of(closure, state)
        over = is_turned_over(closure.kind, joint_pose(state, closure.chord))
        if over or is_open(compiled, index, gap, tolerance):
            faults.append(closure_error(compiled, module, index, gap))
    for coupling in (compiled.couplings[i] for i in module.couplings):
        off = abs(coupling.off(q))
        turns = coupling.follower_turns
        if not faults and not off <= (tolerance[1] if turns else tolerance[0]):
            faults.append(
                CouplingError(
                    f"Coupling '{coupling.name}' cannot be met together with the loops and other "
                    f"couplings of '{module.name}'. Check its ratio and offset."
                )
            )
    return faults


def is_open(
    compiled: CompiledMechanism, index: int, gap: tuple[float, float], tolerance: Tolerance
) -> bool:
    """Whether more is left than rounded lengths and axes explain; NaN is open.

    However far open a loop may be drawn, closed it must come within a drawing's rounding.
    """
    length, angle = allowed(compiled, compiled.closures[index], tolerance)
    return not (gap[0] <= min(length, TOLERANCE[0]) and gap[1] <= min(angle, TOLERANCE[1]))


def closure_error(
    compiled: CompiledMechanism, module: Module, index: int, gap: tuple[float, float]
) -> MechanismError:
    """The closure of that index, in this module, stays open by so much."""
    closure = compiled.closures[index]
    loop = tuple(compiled.tree[i].edge.joint.name for i in closure.path)
    joint = closure.chord.joint
    cause = ClosureError(closure.name, (joint.parent, joint.child), *gap, loop)
    return NothingFoundError(cause, TRIED)
