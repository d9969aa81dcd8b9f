"""Close the loops of a mechanism, from where it is drawn, and bring joints to values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism, Module
from robocompiler.equations.residuals import is_turned_over
from robocompiler.errors import (
    BadValueError,
    ClosureError,
    CouplingError,
    MechanismError,
    NothingFoundError,
    StoppedError,
    raise_all,
)
from robocompiler.model.configuration import Configuration
from robocompiler.solve.assembly.bringing import bring
from robocompiler.solve.assembly.drawn import Tolerance, allowed, drawn_faults
from robocompiler.solve.closure import gap_of
from robocompiler.solve.continuation.corrector import Closed, close_module, module_speeds
from robocompiler.solve.continuation.homotopy import acquire, is_closed
from robocompiler.solve.describe import coordinates, describe, distance
from robocompiler.solve.limits import outside_limits
from robocompiler.solve.state import evaluate, joint_pose, starting_coordinates
from robocompiler.solve.system import System, systems_of
from robocompiler.solve.values import Numbers, Values, read_seed, read_values
from robocompiler.spatial import Array

TOLERANCE = (0.5e-3, math.radians(0.5))
"""How far apart [m, rad] the sides of a loop may be drawn: a user's numbers are rounded."""

TRIED = "the damped corrector and the defect homotopy, from there alone."


def assemble(
    compiled: CompiledMechanism,
    values: Values | None = None,
    *,
    seed: Mapping[str, float | Sequence[float]] | None = None,
    near: Configuration | None = None,
    tolerance: tuple[float, float] = TOLERANCE,
) -> Configuration:
    """Close every loop, starting as drawn and staying on the drawn branch.

    Starting values are held where the loops let them be: first those of joints named in `values`,
    then of actuated joints, then of others from the world outward.

    Args:
        compiled: the mechanism.
        values: coordinates [m, rad, quaternion] to move joints to, by name; single numbers for
            joints of one coordinate. A `Want` is approached as far as the rest allows, in the
            order given, and what it lacks is in `Configuration.missed`; all others must be met.
        seed: coordinates to start from, by joint name, instead of those drawn; it may be far from
            closed. The joints in `values` are put to their values there, and kept if that closes.
        near: a configuration to start from and whose branch to stay on.
        tolerance: how far apart [m, rad] the sides of a loop may be drawn, where the loop does not
            say so itself. A seed is not asked.

    Raises:
        PortsApartError, CouplingError: a loop or a coupling is drawn open by more than the
            tolerance.
        ClosureError: a loop cannot be closed.
        AssembledOutsideLimitsError: it can only where a joint is outside its limits.
        UnreachableError: a value that a joint cannot be moved to, with the nearest it can.
        OverdeterminedError: more values than the loops have freedoms.
        UnknownNameError, BadValueError: `values` names no joint of the tree, or has other numbers.
    """
    must, want = read_values(compiled, values or {})
    drawn_q = starting_coordinates(compiled)
    state = evaluate(compiled, drawn_q)
    drawn = {closure.name: gap_of(closure, state) for closure in compiled.closures}
    q = _start(compiled, drawn_q, seed, near)
    if seed is None and near is None:
        raise_all(drawn_faults(compiled, q, drawn, tolerance))
    faults: list[MechanismError] = []
    missed: list[tuple[str, float]] = []
    kept = must if seed is not None else {}
    for system, module in zip(systems_of(compiled), compiled.modules, strict=True):
        closed = _acquired(system, system.of(q), kept)
        if is_closed(system, closed):
            brought = bring(system, closed.q, _put(system, system.of(q), must), must, want)
            faults += brought.faults
            missed += brought.missed
            closed = Closed(brought.q, 0.0)
        q = system.into(q, closed.q)
        faults += _unclosed(compiled, q, module, tolerance)
    q = put_loop_free(compiled, q, must, want, faults, missed)
    faults += outside_limits(compiled, q) if not faults else []
    raise_all(faults)
    return describe(compiled, q, drawn, missed)


def _start(
    compiled: CompiledMechanism,
    drawn: Array,
    seed: Mapping[str, float | Sequence[float]] | None,
    near: Configuration | None,
) -> Array:
    if near is None:
        return drawn if seed is None else read_seed(compiled, seed, drawn)
    if seed is not None:
        raise BadValueError("Start", "seed", "a seed and a configuration to be near", "one start")
    q = coordinates(compiled, near)
    if not np.all(np.isfinite(q)):
        raise BadValueError("Start", "near", "a configuration", "made of finite numbers")
    return q


def _put(system: System, q: Array, values: Numbers) -> Array:
    """q with the joints of a module at their values."""
    put = np.array(q)
    for tree_joint in system.compiled.tree:
        if tree_joint.edge.joint.name in values:
            put[tree_joint.q] = values[tree_joint.edge.joint.name]
    return put


def _acquired(system: System, start: Array, kept: Numbers) -> Closed:
    """Closed with the joints in `kept` at their values, or with all of them free."""
    held = [i for name in kept for i in system.speeds_of(name)]
    closed = acquire(system, _put(system, start, kept), held)
    if held and not is_closed(system, closed):
        closed = acquire(system, start)
    return closed


def put_loop_free(
    compiled: CompiledMechanism,
    q: Array,
    must: Numbers,
    want: Numbers,
    faults: list[MechanismError],
    missed: list[tuple[str, float]],
) -> Array:
    """Put the joints that are on no loop to their values, within their limits."""
    moved = np.array(q)
    looped = {i for module in compiled.modules for i in module.joints}
    for index, tree_joint in enumerate(compiled.tree):
        joint = tree_joint.edge.joint
        wanted = {**want, **must}.get(joint.name)
        if index in looped or wanted is None:
            continue
        lowest, highest = zip(*joint.limits, strict=True) if joint.limits else (-np.inf, np.inf)
        single = joint.kind.nq == joint.kind.dof
        nearest = np.clip(wanted, lowest, highest) if single else np.array(wanted)
        off = distance(joint, nearest, wanted)
        if off > 0.0 and joint.name in must:
            faults.append(StoppedError(joint.name, wanted, nearest.tolist(), joint.name))
        elif off > 0.0:
            missed.append((joint.name, off))
        moved[tree_joint.q] = nearest
    return moved


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
    cause = ClosureError(closure.name, (joint.parent, joint.child), *gap, loop)
    return NothingFoundError(cause, TRIED)
