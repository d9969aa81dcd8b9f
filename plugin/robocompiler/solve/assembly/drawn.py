"""Whether a mechanism is drawn as its loops and couplings say, to a user's rounding."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from robocompiler.compiler.compiled import Closure, CompiledCoupling, CompiledMechanism, Module
from robocompiler.errors import CouplingError, MechanismError, PortsApartError
from robocompiler.model.joint_motion import joint_coordinates
from robocompiler.model.mechanism import Joint
from robocompiler.solve.closure import length_scale
from robocompiler.solve.state import State, evaluate, joint_pose
from robocompiler.spatial import Array
from robocompiler.units import degrees, millimetres, shown_in

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
    for coupling in (*compiled.couplings, *compiled.eliminated):
        if not abs(coupling.off(q)) <= tolerance[1 if coupling.follower_turns else 0]:
            faults.append(_drawn_off(coupling, q))
    return faults


def _drawn_off(coupling: CompiledCoupling, q: Array) -> CouplingError:
    """Where the follower is, where each leader is, and where those put it."""
    follower, off = coupling.follower, coupling.off(q)
    stands = float(q[follower.q])
    leaders = [f"'{ref.name}' at {_said(float(q[ref.q]), ref.turns)}" for ref in coupling.leaders]
    put = "puts" if len(leaders) == 1 else "put"
    offset = shown_in(follower.turns)[0](coupling.offset + off)
    return CouplingError(
        f"Coupling '{coupling.name}': '{follower.name}' is drawn at "
        f"{_said(stands, follower.turns)}, but {' and '.join(leaders)} {put} it at "
        f"{_said(stands - off, follower.turns)}. State offset={offset:.6g}, or move a starting "
        "value."
    )


def _said(value: float, turns: bool) -> str:
    """A coordinate [m or rad] as people say it."""
    return f"{degrees(value):.6g}°" if turns else f"{millimetres(value):.6g} mm"


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
