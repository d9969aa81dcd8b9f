"""Whether a mechanism is drawn as its loops and couplings say, to a user's rounding."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from robocompiler.compiler.compiled import Closure, CompiledMechanism, Module
from robocompiler.errors import CouplingError, MechanismError, PortsApartError
from robocompiler.model.joint_motion import joint_coordinates
from robocompiler.model.mechanism import Joint
from robocompiler.solve.closure import length_scale
from robocompiler.solve.state import State, evaluate, joint_pose
from robocompiler.spatial import Array
from robocompiler.units import degrees, millimetres

Tolerance = tuple[float, float]


def allowed(compiled: CompiledMechanism, closure: Closure, tolerance: Tolerance) -> Tolerance:
    """How far apart [m, rad] a loop may be drawn: as it says itself, or else as the caller does."""
    for joint in compiled.mechanism.joints:
        if joint.name == closure.name and joint.closure_tolerance is not None:
            return joint.closure_tolerance
    return tolerance


def drawn_faults(
    compiled: CompiledMechanism,
    q: Array,
    drawn: Mapping[str, tuple[float, float]],
    tolerance: Tolerance,
) -> list[MechanismError]:
    """Every loop and coupling that is drawn off by more than its tolerance."""
    faults: list[MechanismError] = []
    for module in compiled.modules:
        state = evaluate(compiled, q, module.joints)
        for closure in (compiled.closures[i] for i in module.closures):
            fault = _apart(compiled, module, closure, state, drawn[closure.name], tolerance)
            if fault is not None:
                faults.append(fault)
    for coupling in compiled.couplings:
        turns = coupling.follower_turns
        off = coupling.off(q)
        if not abs(off) <= tolerance[1 if turns else 0]:
            shown, unit = (degrees, "°") if turns else (millimetres, " mm")
            stands = float(q[coupling.follower.q])
            name = compiled.tree[coupling.follower.tree_joint].edge.joint.name
            faults.append(
                CouplingError(
                    f"Coupling '{coupling.name}': '{name}' is drawn at {shown(stands):.6g}{unit}, "
                    f"but its leader puts it at {shown(stands - off):.6g}{unit}. State "
                    f"offset={shown(coupling.offset + off):.6g}, or move a starting value."
                )
            )
    return faults


def _apart(
    compiled: CompiledMechanism,
    module: Module,
    closure: Closure,
    state: State,
    drawn: tuple[float, float],
    tolerance: Tolerance,
) -> MechanismError | None:
    """A loop is drawn at the joint that names it; at another cut, a tilt there has a lever."""
    length, angle = allowed(compiled, closure, tolerance)
    joint = closure.chord.joint
    if closure.name != joint.name:
        length += angle * 2.0 * length_scale(compiled, state, module)
    gap, tilt = drawn
    slid, turned = _start_missed(joint, state, closure)
    gap, tilt = max(gap, slid), max(tilt, turned)
    if gap <= length and tilt <= angle:
        return None
    sides = (joint.parent, joint.child)
    return PortsApartError(closure.name, sides, gap, tilt, (length, angle))


def _start_missed(joint: Joint, state: State, closure: Closure) -> tuple[float, float]:
    """How far [m, rad] a cut joint's stated start is from where it is drawn, along what it frees.

    Whole turns do not count: a drawing does not show them.
    """
    if not joint.start:
        return 0.0, 0.0
    found = joint_coordinates(
        joint.kind, joint_pose(state, closure.chord), joint.start, joint.pitch
    )
    slid = turned = 0.0
    at = 0
    for factor in joint.kind.factors:
        if factor.nq == 4:
            same = min(1.0, abs(float(np.dot(found[at : at + 4], joint.start[at : at + 4]))))
            turned = max(turned, 2.0 * math.acos(same))
        elif factor.is_turn:
            turned = max(turned, abs(math.remainder(found[at] - joint.start[at], 2.0 * math.pi)))
        else:
            slid = max(slid, abs(found[at] - joint.start[at]))
        at += factor.nq
    return slid, turned
