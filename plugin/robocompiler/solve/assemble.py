"""Close the loops of a mechanism, from where it is drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from robocompiler.compiler.compiled import Closure, CompiledMechanism, Module
from robocompiler.equations.residuals import is_turned_over
from robocompiler.errors import (
    BadValueError,
    ClosureError,
    CouplingError,
    MechanismError,
    OverdeterminedError,
    PortsApartError,
    UnknownNameError,
    UnreachableError,
    raise_all,
)
from robocompiler.model.configuration import ClosureGap, Configuration
from robocompiler.model.joint_motion import joint_coordinates
from robocompiler.model.mechanism import Joint
from robocompiler.solve.closing import close_module, module_speeds
from robocompiler.solve.closure import gap_of, length_scale
from robocompiler.solve.holding import holdable_speeds, move_held
from robocompiler.solve.state import evaluate, joint_pose, starting_coordinates
from robocompiler.spatial import Array

TOLERANCE = (0.5e-3, math.radians(0.5))
"""How far apart [m, rad] the sides of a loop may be drawn: a user's numbers are rounded."""
MISFIT = 1e-5
"""What rounded geometry may leave of a closure's rows [rad, or m over the module's size]."""

Values = Mapping[str, float | Sequence[float]]


def assemble(
    compiled: CompiledMechanism,
    values: Values | None = None,
    tolerance: tuple[float, float] = TOLERANCE,
) -> Configuration:
    """Close every loop, starting as drawn and staying on the drawn branch.

    Starting values are held where the loops let them be: first those of joints named in `values`,
    then of actuated joints, then of others from the world outward.

    Args:
        compiled: the mechanism.
        values: coordinates [m, rad, quaternion] to move joints to, by name; single numbers for
            joints of one coordinate.
        tolerance: how far apart [m, rad] the sides of a loop may be drawn, where the loop does not
            say so itself.

    Raises:
        PortsApartError: a loop is drawn open by more than the tolerance.
        ClosureError: a loop cannot be closed.
        UnknownNameError, BadValueError: `values` names no joint of the tree, or has other numbers.
    """
    wanted = _wanted(compiled, values or {})
    q = starting_coordinates(compiled)
    drawn = {c.name: gap_of(c, evaluate(compiled, q)) for c in compiled.closures}
    raise_all(_drawn_apart(compiled, drawn, tolerance))
    faults: list[MechanismError] = []
    for module in compiled.modules:
        q = _close(compiled, q, module, wanted, faults)
    for tree_joint in compiled.tree:
        if tree_joint.edge.joint.name in wanted and not _in_module(compiled, tree_joint.q):
            q[tree_joint.q] = wanted[tree_joint.edge.joint.name]
    raise_all(faults)
    return describe(compiled, q, drawn)


def carry_over(compiled: CompiledMechanism, configuration: Configuration) -> Configuration:
    """The same configuration of a mechanism compiled with other cuts, closed again to rounding."""
    q = coordinates(compiled, configuration)
    for module in compiled.modules:
        q = close_module(compiled, q, module, module_speeds(compiled, module)).q
    drawn = {gap.closure: (gap.drawn_gap, gap.drawn_angle) for gap in configuration.gaps}
    start = starting_coordinates(compiled)
    for closure in compiled.closures:
        drawn.setdefault(closure.name, gap_of(closure, evaluate(compiled, start)))
    return describe(compiled, q, drawn)


def coordinates(compiled: CompiledMechanism, configuration: Configuration) -> Array:
    """q of a configuration, shape (nq,)."""
    values = dict(configuration.values)
    q = np.zeros(compiled.nq)
    for tree_joint in compiled.tree:
        q[tree_joint.q] = values[tree_joint.edge.joint.name]
    return q


def describe(
    compiled: CompiledMechanism, q: Array, drawn: Mapping[str, tuple[float, float]]
) -> Configuration:
    """The configuration at q by names, cut joints included."""
    state = evaluate(compiled, q)
    values = {t.edge.joint.name: tuple(float(x) for x in q[t.q]) for t in compiled.tree}
    gaps: list[ClosureGap] = []
    for closure in compiled.closures:
        joint = closure.chord.joint
        X_FM = joint_pose(state, closure.chord)
        values[joint.name] = joint_coordinates(joint.kind, X_FM, joint.initial, joint.pitch)
        gap, angle = gap_of(closure, state)
        drawn_gap, drawn_angle = drawn[closure.name]
        gaps.append(
            ClosureGap(
                closure=closure.name,
                drawn_gap=drawn_gap,
                drawn_angle=drawn_angle,
                gap=gap,
                angle=angle,
            )
        )
    moved = tuple(
        (t.edge.joint.name, distance)
        for t in compiled.tree
        if (distance := _distance(q[t.q], t.edge.joint.initial)) > 1e-9
    )
    return Configuration(values=tuple(sorted(values.items())), gaps=tuple(gaps), moved=moved)


def _distance(q: Array, start: Sequence[float]) -> float:
    return float(np.max(np.abs(np.asarray(q) - np.asarray(start)), initial=0.0))


def _wanted(compiled: CompiledMechanism, values: Values) -> dict[str, tuple[float, ...]]:
    joints = {t.edge.joint.name: t.edge.joint for t in compiled.tree}
    wanted: dict[str, tuple[float, ...]] = {}
    faults: list[MechanismError] = []
    for name, given in values.items():
        numbers = (given,) if isinstance(given, (int, float)) else tuple(given)
        if name not in joints:
            faults.append(UnknownNameError("Values to assemble at", "tree joint", name, joints))
        elif len(numbers) != joints[name].kind.nq or not all(map(math.isfinite, numbers)):
            expected = f"{joints[name].kind.nq} finite numbers"
            faults.append(BadValueError("Values to assemble at", name, str(given), expected))
        else:
            wanted[name] = tuple(float(x) for x in numbers)
    raise_all(faults)
    return wanted


def _drawn_apart(
    compiled: CompiledMechanism,
    drawn: Mapping[str, tuple[float, float]],
    tolerance: tuple[float, float],
) -> list[MechanismError]:
    """A loop is drawn at the joint that names it; at another cut, a tilt there has a lever."""
    faults: list[MechanismError] = []
    state = evaluate(compiled, starting_coordinates(compiled))
    named = {joint.name: joint for joint in compiled.mechanism.joints}
    for module in compiled.modules:
        for closure in (compiled.closures[i] for i in module.closures):
            joint = named[closure.name]
            length, angle = joint.closure_tolerance or tolerance
            if joint is not closure.chord.joint:
                length += angle * 2.0 * length_scale(compiled, state, module)
            gap, tilt = drawn[closure.name]
            if gap > length or tilt > angle:
                sides = _sides(closure)
                faults.append(PortsApartError(closure.name, sides, gap, tilt, (length, angle)))
    return faults


def _sides(closure: Closure) -> tuple[str, str]:
    """What a reader would call the two sides of a cut joint: its frames."""
    return closure.chord.joint.parent, closure.chord.joint.child


def _in_module(compiled: CompiledMechanism, own: slice) -> bool:
    return any(compiled.tree[i].q == own for module in compiled.modules for i in module.joints)


def _close(
    compiled: CompiledMechanism,
    start: Array,
    module: Module,
    wanted: Mapping[str, tuple[float, ...]],
    faults: list[MechanismError],
) -> Array:
    """Close one module, then bring what can be held back to where it was, or is wanted."""
    closed = close_module(compiled, start, module, module_speeds(compiled, module))
    if closed.misfit > MISFIT or _turned_over(compiled, closed.q, module):
        faults.extend(_unclosed(compiled, closed.q, module))
        return closed.q
    held = holdable_speeds(compiled, closed.q, module, wanted)
    target = np.array(start)
    asked = [t for i in module.joints if (t := compiled.tree[i]).edge.joint.name in wanted]
    for tree_joint in asked:
        target[tree_joint.q] = wanted[tree_joint.edge.joint.name]
    excess = [t for t in asked if not set(range(t.v.start, t.v.stop)) <= set(held)]
    if excess:
        faults += [_overdetermined(compiled, module, t.edge.joint, held) for t in excess]
        return closed.q
    reached = move_held(compiled, closed.q, module, held, target)
    for tree_joint in asked:
        name, own = tree_joint.edge.joint.name, reached[tree_joint.q]
        if _distance(own, wanted[name]) > 1e-9:
            faults.append(UnreachableError(name, wanted[name], tuple(own.tolist())))
    return reached


def _overdetermined(
    compiled: CompiledMechanism, module: Module, joint: Joint, held: Sequence[int]
) -> MechanismError:
    names = dict.fromkeys(
        t.edge.joint.name for s in held for t in compiled.tree if t.v.start <= s < t.v.stop
    )
    return OverdeterminedError(module.name, joint.name, len(held), tuple(names))


def _turned_over(compiled: CompiledMechanism, q: Array, module: Module) -> bool:
    state = evaluate(compiled, q)
    closures = [compiled.closures[i] for i in module.closures]
    return any(is_turned_over(c.kind, joint_pose(state, c.chord)) for c in closures)


def _unclosed(compiled: CompiledMechanism, q: Array, module: Module) -> list[MechanismError]:
    """An error for each closure that is furthest from closed, and for couplings alone."""
    state = evaluate(compiled, q)
    length = length_scale(compiled, state, module)
    faults: list[MechanismError] = []
    for closure in (compiled.closures[i] for i in module.closures):
        gap, angle = gap_of(closure, state)
        if gap > MISFIT * length or angle > MISFIT:
            loop = (*(compiled.tree[i].edge.joint.name for i in closure.path),)
            sides = _sides(closure)
            faults.append(ClosureError(closure.name, sides, gap, angle, loop))
    if not faults:
        names = ", ".join(f"'{compiled.couplings[i].name}'" for i in module.couplings)
        faults.append(CouplingError(f"The couplings {names} cannot be met together."))
    return faults
