"""Where the joints that are driven do not say how the others move, and how those can."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.rows import linearize
from robocompiler.errors import MechanismError, SingularError
from robocompiler.solve.closure import RANK_TOLERANCE
from robocompiler.solve.continuation.constants import MISFIT
from robocompiler.solve.continuation.holding import INDEPENDENT
from robocompiler.solve.mobility.module import CLEARLY, least_covered
from robocompiler.solve.mobility.moves import finite_moves, null_space, nullities, parts_of
from robocompiler.solve.mobility.rows import motion_of
from robocompiler.solve.system import System, systems_of
from robocompiler.spatial import Array


def singular_fault(system: System, q: Array, drivers: Sequence[int]) -> SingularError | None:
    """An error where more can move with the driven speeds at rest than next to there.

    So at a toggle of theirs, and at a change point, where two branches meet. What can move is
    counted at q and again after finite moves along all that is free. With no drivers at all only
    a change point counts.

    Args:
        system: the module.
        q: where it stands, closed, shape (nq,).
        drivers: its driven speeds, each once.
    """
    compiled = system.compiled
    (part,) = parts_of(compiled, q)
    rest = np.eye(len(part.speeds))[[part.speeds.index(i) for i in system.own(drivers)]]
    K = part.jacobian(linearize(compiled, q))
    loose = null_space(np.concatenate([K, rest]), INDEPENDENT)
    if not loose.shape[1]:
        return None
    freedom = null_space(K, RANK_TOLERANCE)
    moves = finite_moves(compiled, [part], q, [freedom], CLEARLY * RANK_TOLERANCE)
    closed = np.max(np.abs(part.residual(moves.found)), axis=-1, initial=0.0) <= MISFIT
    after = part.jacobian(moves.found)[closed]
    held = np.concatenate([after, np.broadcast_to(rest, (len(after), *rest.shape))], axis=1)
    left = nullities(held, CLEARLY * INDEPENDENT)
    if not left.size or left.min() >= loose.shape[1]:
        return None
    lasting = null_space(held[int(np.argmin(left))], CLEARLY * INDEPENDENT)
    gained = least_covered(loose, lasting, loose.shape[1] - int(left.min()))
    motions = [motion_of(compiled, part, direction) for direction in gained.T]
    names = dict.fromkeys(rate.coordinate for motion in motions for rate in motion.rates)
    ways = tuple(map(str, motions))
    return SingularError(system.module.name, tuple(names), ways, bool(len(drivers)))


def singular_faults(
    compiled: CompiledMechanism, q: Array, names: Collection[str]
) -> list[MechanismError]:
    """An error for each module of joints in `names` that holds fewer motions than next to here.

    There two branches meet, and not every speed that the rows allow can be had.

    Args:
        compiled: the mechanism.
        q: where it stands, closed, shape (nq,).
        names: of joints, in the tree or cut.
    """
    asked = [s for s in systems_of(compiled) if not s.compiled.joints.keys().isdisjoint(names)]
    faults = (singular_fault(system, system.of(q), ()) for system in asked)
    return [fault for fault in faults if fault is not None]
