"""Close the loops of a mechanism, from where it is drawn, and bring joints to values."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.elimination import followed
from robocompiler.errors import BadValueError, MechanismError, raise_all
from robocompiler.model.configuration import Configuration
from robocompiler.solve.assembly.bringing import Brought, branch_faults, bring
from robocompiler.solve.assembly.carrying import carry_over, keeping
from robocompiler.solve.assembly.drawn import drawn_faults
from robocompiler.solve.assembly.starting_speeds import starting_speeds
from robocompiler.solve.assembly.still_open import TOLERANCE, unclosed
from robocompiler.solve.closure import gap_of
from robocompiler.solve.continuation.corrector import Closed
from robocompiler.solve.continuation.homotopy import acquire, is_closed
from robocompiler.solve.describe import coordinates, describe
from robocompiler.solve.limits import excess, outside_limits, unreachable, within_limits
from robocompiler.solve.state import evaluate, starting_coordinates
from robocompiler.solve.system import System, systems_of
from robocompiler.solve.values import Numbers, Values, read_seed, read_speeds, read_values
from robocompiler.spatial import Array


def assemble(
    compiled: CompiledMechanism,
    values: Values | None = None,
    *,
    seed: Mapping[str, float | Sequence[float]] | None = None,
    near: Configuration | None = None,
    tolerance: tuple[float, float] = TOLERANCE,
    speeds: Values | None = None,
) -> Configuration:
    """Close every loop, starting as drawn and staying on the drawn branch.

    Starting values are held where the loops let them be: first those of joints named in `values`,
    then of actuated joints, then of others from the world outward.

    Args:
        compiled: the mechanism.
        values: coordinates [m, rad, quaternion] to move joints to, by name; single numbers for
            joints of one coordinate. Of cut joints too: their loops are then solved with another
            joint cut. A `Want` is approached as far as the rest allows, in the
            order given, and what it lacks is in `Configuration.missed`; all others must be met.
        seed: coordinates to start from, by joint name, instead of those drawn; it may be far from
            closed. The joints in `values` are put to their values there, and kept if that closes.
        near: a configuration to start from and whose branch to stay on.
        tolerance: how far apart [m, rad] the sides of a loop may be drawn, where the loop does not
            say so itself. A seed is not asked.
        speeds: of joints [m/s, rad/s], by name, in the tree or cut; a rotation's are its three
            angular velocities in the turned frame. They are met, or approached where they are a
            `Want`; other independent joints rest, and `Configuration.speeds` has those of all.

    Raises:
        PortsApartError, CouplingError: a loop or a coupling is drawn open by more than the
            tolerance.
        ClosureError: a loop cannot be closed.
        AssembledOutsideLimitsError: it can only where a joint is outside its limits.
        UnreachableError: a value that a joint cannot be moved to, with the nearest it can.
        SpeedError: a speed that contradicts the loops or another speed, with what it would have
            to be; SingularError where their loop is singular.
        SingularError: a joint is to move from where its loop is singular: branches meet there,
            and which one is meant cannot be told. Start next to it.
        OverdeterminedError: more values than the loops have freedoms.
        KeptError: values for every joint of a loop, of which one has to follow from the others.
        UnknownNameError, BadValueError: `values` names no joint that moves, or has other numbers.
    """
    asked = keeping(compiled, values or {})
    if asked is not compiled:
        if seed is None and near is None:
            near = assemble(compiled, tolerance=tolerance)
        found = assemble(asked, values, seed=seed, near=near, tolerance=tolerance, speeds=speeds)
        return carry_over(compiled, replace(found, gaps=()), tolerance)
    must, want = read_values(compiled, values or {})
    moving = read_speeds(compiled, speeds or {})
    drawn_q = starting_coordinates(compiled)
    state = evaluate(compiled, drawn_q)
    drawn = {closure.name: gap_of(closure, state) for closure in compiled.closures}
    q = _start(compiled, drawn_q, seed, near)
    if seed is None and near is None:
        raise_all(drawn_faults(compiled, q, drawn, tolerance))
    q = followed(compiled, q)
    faults: list[MechanismError] = []
    missed: list[tuple[str, float]] = []
    kept = must if seed is not None else {}
    chords = {} if near is None else dict(near.values)
    for system, module in zip(systems_of(compiled), compiled.modules, strict=True):
        closed = _acquired(system, system.of(q), kept)
        if is_closed(system, closed):
            brought = Brought(closed.q, branch_faults(system, closed.q, {**want, **must}))
            if not brought.faults:
                start = _put(system, system.of(q), must)
                brought = bring(system, closed.q, start, must, want, chords)
            faults += brought.faults
            missed += brought.missed
            chords.update(brought.chords)
            closed = Closed(brought.q, 0.0)
        q = system.into(q, closed.q)
        faults += unclosed(compiled, q, module, tolerance)
    q = put_loop_free(compiled, q, must, want, faults, missed)
    faults += outside_limits(compiled, q) if not faults else []
    raise_all(faults)
    found = describe(compiled, q, drawn, missed, chords)
    if not speeds:
        return found
    every, lacking = starting_speeds(compiled, q, *moving)
    return replace(found, speeds=tuple(sorted(every.items())), missed_speeds=lacking)


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
    return coordinates(compiled, near)


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
    looped: Container[int] | None = None,
) -> Array:
    """Put the joints that are on no loop to their values, within their limits.

    Joints in `looped` are left alone: those of all modules where it is None.
    """
    moved = np.array(q)
    if looped is None:
        looped = {i for module in compiled.modules for i in module.joints}
    for index, tree_joint in enumerate(compiled.tree):
        joint = tree_joint.edge.joint
        wanted = {**want, **must}.get(joint.name)
        if index in looped or wanted is None:
            continue
        nearest = within_limits(joint, wanted)
        off = excess(joint, wanted)
        if off > 0.0 and joint.name in must:
            faults.append(unreachable(joint, wanted, nearest.tolist(), joint.name))
        elif off > 0.0:
            missed.append((joint.name, off))
        moved[tree_joint.q] = nearest
    return followed(compiled, moved)
