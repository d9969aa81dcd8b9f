"""Close the loops of a mechanism, from where it is drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism, Module, TreeJoint
from robocompiler.equations.residuals import is_turned_over
from robocompiler.errors import (
    BadValueError,
    ClosureError,
    CouplingError,
    MechanismError,
    OverdeterminedError,
    UnknownNameError,
    UnreachableError,
    raise_all,
)
from robocompiler.model.configuration import Configuration
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Joint
from robocompiler.solve.closing import close_module, module_speeds
from robocompiler.solve.closure import gap_of
from robocompiler.solve.describe import coordinates, describe, distance
from robocompiler.solve.drawn import Tolerance, allowed, drawn_faults
from robocompiler.solve.holding import holdable_speeds, move_held
from robocompiler.solve.limits import beyond_limits, nearest_within, outside_limits
from robocompiler.solve.state import evaluate, joint_pose, starting_coordinates
from robocompiler.spatial import Array, Quaternion

TOLERANCE = (0.5e-3, math.radians(0.5))
"""How far apart [m, rad] the sides of a loop may be drawn: a user's numbers are rounded."""

Values = Mapping[str, float | Sequence[float]]


def assemble(
    compiled: CompiledMechanism,
    values: Values | None = None,
    tolerance: tuple[float, float] = TOLERANCE,
) -> Configuration:
    """Close every loop, starting as drawn and staying on the drawn branch.

    Starting values are held where the loops let them be: first those of joints named in `values`,
    then of actuated joints, then of others from the world outward. A joint that closing would take
    past its limit stays at it. Loops of rounded geometry that cannot close entirely are left as
    far open as they must be, within the tolerance; `gaps` says how far.

    Args:
        compiled: the mechanism.
        values: coordinates [m, rad, quaternion] to move joints to, by name; single numbers for
            joints of one coordinate.
        tolerance: how far apart [m, rad] the sides of a loop may be drawn, where the loop does not
            say so itself, and by how much a coupling may be off.

    Raises:
        PortsApartError, CouplingError: a loop or a coupling is drawn open by more than the
            tolerance.
        ClosureError: a loop cannot be closed.
        AssembledOutsideLimitsError: it can only where a joint is outside its limits.
        UnreachableError, OverdeterminedError: a value that the loops do not allow.
        UnknownNameError, BadValueError: `values` names no joint of the tree, or has other numbers.
    """
    wanted = _wanted(compiled, values or {})
    q = starting_coordinates(compiled)
    state = evaluate(compiled, q)
    drawn = {closure.name: gap_of(closure, state) for closure in compiled.closures}
    raise_all(drawn_faults(compiled, q, drawn, tolerance))
    faults: list[MechanismError] = []
    for module in compiled.modules:
        q = _close(compiled, q, module, wanted, tolerance, faults)
    alone = set(range(len(compiled.tree))).difference(*(m.joints for m in compiled.modules))
    for tree_joint in (compiled.tree[index] for index in sorted(alone)):
        if tree_joint.edge.joint.name in wanted:
            q[tree_joint.q] = wanted[tree_joint.edge.joint.name]
    faults += outside_limits(compiled, q) if not faults else []
    raise_all(faults)
    return describe(compiled, q, drawn)


def carry_over(
    compiled: CompiledMechanism,
    configuration: Configuration,
    tolerance: tuple[float, float] = TOLERANCE,
) -> Configuration:
    """The same configuration of a mechanism compiled with other cuts, closed again to rounding.

    Raises:
        ClosureError: it is open by more than the tolerance.
    """
    q = coordinates(compiled, configuration)
    state, start = evaluate(compiled, q), evaluate(compiled, starting_coordinates(compiled))
    raise_all(
        _closure_error(compiled, module, index, gap_of(compiled.closures[index], state))
        for module in compiled.modules
        for index in module.closures
        if _is_open(compiled, index, gap_of(compiled.closures[index], state), tolerance)
    )
    for module in compiled.modules:
        q = close_module(compiled, q, module, module_speeds(compiled, module)).q
    drawn = {gap.closure: (gap.drawn_gap, gap.drawn_angle) for gap in configuration.gaps}
    for closure in compiled.closures:
        drawn.setdefault(closure.name, gap_of(closure, start))
    return describe(compiled, q, drawn)


def _wanted(compiled: CompiledMechanism, values: Values) -> dict[str, tuple[float, ...]]:
    """The values asked for, as coordinates of tree joints."""
    joints = {t.edge.joint.name: t.edge.joint for t in compiled.tree}
    cut = {c.chord.joint.name for c in compiled.closures}
    where = "Values to assemble at"
    wanted: dict[str, tuple[float, ...]] = {}
    faults: list[MechanismError] = []
    for name, given in values.items():
        if name in cut:
            expected = "to be set: the joint is cut, and follows from the others of its loop"
            faults.append(BadValueError(where, name, str(given), expected))
        elif name not in joints:
            faults.append(UnknownNameError(where, "joint", name, joints))
        else:
            numbers = _numbers(joints[name], given)
            if numbers is None:
                expected = f"{joints[name].kind.nq} finite numbers [m, rad, unit quaternion]"
                faults.append(BadValueError(where, name, str(given), expected))
            else:
                wanted[name] = numbers
    raise_all(faults)
    return wanted


def _numbers(joint: Joint, given: object) -> tuple[float, ...] | None:
    """A joint's coordinates as given, a quaternion made unit; None where they cannot be."""
    items = [given] if isinstance(given, Real) else given
    if not isinstance(items, (Sequence, np.ndarray)) or isinstance(items, str):
        return None
    if not all(isinstance(x, Real) and math.isfinite(float(x)) for x in items):
        return None
    numbers = tuple(float(x) for x in items)
    if len(numbers) != joint.kind.nq:
        return None
    if joint.kind in (JointKind.BALL, JointKind.FREE):
        size = math.hypot(*numbers[-4:])
        if size == 0.0:
            return None
        unit: Quaternion = tuple(x / size for x in numbers[-4:])  # type: ignore[assignment]
        return (*numbers[:-4], *unit)
    return numbers


def _close(
    compiled: CompiledMechanism,
    start: Array,
    module: Module,
    wanted: Mapping[str, tuple[float, ...]],
    tolerance: Tolerance,
    faults: list[MechanismError],
) -> Array:
    """Close one module, then bring what can be held back to where it was, or is wanted."""
    closed = close_module(compiled, start, module, module_speeds(compiled, module))
    if unclosed := _unclosed(compiled, closed.q, module, tolerance):
        faults += unclosed
        return closed.q
    asked = [t for i in module.joints if (t := compiled.tree[i]).edge.joint.name in wanted]
    target = np.array(start)
    for tree_joint in asked:
        target[tree_joint.q] = wanted[tree_joint.edge.joint.name]
    held = holdable_speeds(compiled, closed.q, module, wanted)
    excess = [t for t in asked if not set(range(t.v.start, t.v.stop)) <= set(held)]
    if excess:
        faults += [_overdetermined(compiled, module, t.edge.joint, held) for t in excess]
        return closed.q
    reached = move_held(compiled, closed.q, module, held, target)
    for tree_joint in asked:
        name, own = tree_joint.edge.joint.name, reached[tree_joint.q]
        if not _same(tree_joint.edge.joint, own, wanted[name]):
            faults.append(UnreachableError(name, wanted[name], tuple(own.tolist())))
    return reached if faults else _within_limits(compiled, reached, module, wanted, target)


def _within_limits(
    compiled: CompiledMechanism,
    q: Array,
    module: Module,
    wanted: Mapping[str, tuple[float, ...]],
    target: Array,
) -> Array:
    """Hold joints that closing took past a limit at it, where the loops let them be there."""
    stopped: dict[str, TreeJoint] = {}
    for _ in module.joints:
        past = {t.edge.joint.name: t for t in beyond_limits(compiled, q, module)}
        new = {name: t for name, t in past.items() if name not in stopped and name not in wanted}
        if not new:
            break
        stopped |= new
        for tree_joint in new.values():
            target = np.array(target)
            target[tree_joint.q] = nearest_within(tree_joint.edge.joint, q[tree_joint.q])
        held = holdable_speeds(compiled, q, module, {*wanted, *stopped})
        q = move_held(compiled, q, module, held, target)
    return q


def _same(joint: Joint, own: Array, wanted: Sequence[float]) -> bool:
    """Whether a joint is where it is wanted; a quaternion and its negative are one rotation."""
    if joint.kind in (JointKind.BALL, JointKind.FREE):
        turned = abs(float(np.dot(own[-4:], wanted[-4:])))
        return turned > 1.0 - 1e-12 and distance(own[:-4], wanted[:-4]) < 1e-9
    return distance(own, wanted) < 1e-9


def _overdetermined(
    compiled: CompiledMechanism, module: Module, joint: Joint, held: Sequence[int]
) -> MechanismError:
    names = dict.fromkeys(
        t.edge.joint.name for s in held for t in compiled.tree if t.v.start <= s < t.v.stop
    )
    return OverdeterminedError(module.name, joint.name, len(held), tuple(names))


def _unclosed(
    compiled: CompiledMechanism, q: Array, module: Module, tolerance: Tolerance
) -> list[MechanismError]:
    """An error for each closure that stays open, and for couplings that cannot be met."""
    state = evaluate(compiled, q, module.joints)
    faults: list[MechanismError] = []
    for index in module.closures:
        closure = compiled.closures[index]
        gap = gap_of(closure, state)
        over = is_turned_over(closure.kind, joint_pose(state, closure.chord))
        if over or _is_open(compiled, index, gap, tolerance):
            faults.append(_closure_error(compiled, module, index, gap))
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


def _is_open(
    compiled: CompiledMechanism, index: int, gap: tuple[float, float], tolerance: Tolerance
) -> bool:
    """Whether more is left than rounded lengths and axes explain; NaN is open.

    However far open a loop may be drawn, closed it must come within a drawing's rounding.
    """
    length, angle = allowed(compiled, compiled.closures[index], tolerance)
    return not (gap[0] <= min(length, TOLERANCE[0]) and gap[1] <= min(angle, TOLERANCE[1]))


def _closure_error(
    compiled: CompiledMechanism, module: Module, index: int, gap: tuple[float, float]
) -> MechanismError:
    closure = compiled.closures[index]
    loop = tuple(compiled.tree[i].edge.joint.name for i in closure.path)
    joint = closure.chord.joint
    return ClosureError(closure.name, (joint.parent, joint.child), *gap, loop)
