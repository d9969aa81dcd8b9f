"""How many freedoms a mechanism really has, and what that figure rests on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism, TreeJoint, speeds_of
from robocompiler.compiler.elimination import carried
from robocompiler.compiler.rows import linearize
from robocompiler.compiler.steps import step
from robocompiler.errors import (
    BadValueError,
    MechanismError,
    NotClosedError,
    SampleError,
    raise_all,
)
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.closure import widest_gap
from robocompiler.solve.mobility.figures import IdleFreedom, Mobility
from robocompiler.solve.mobility.idle import idle_motions
from robocompiler.solve.mobility.module import CLEARLY, ROUNDING, Tested, figures_of, tested
from robocompiler.solve.mobility.moves import (
    STEP,
    Moves,
    Part,
    close_again,
    finite_moves,
    null_space,
    parts_of,
)
from robocompiler.solve.reduction.checks import read_q
from robocompiler.solve.state import evaluate
from robocompiler.spatial import Array

# What the rows [rad, or m over the module's size] may leave at q, and what closing them may.
OPEN, MISFIT = 1e-3, 1e-5
# How much of a spin may be no freedom of its module, or one of spins found before.
ALIKE = 1e-2


def mobility(
    compiled: CompiledMechanism, q: Array, geometry_tolerance: float = 1e-5
) -> Mobility | tuple[Mobility, ...]:
    """Count the freedoms of a mechanism where it stands, and around: `mobility_at`, or one of each.

    Args:
        compiled: the mechanism.
        q: where it stands, closed: shape (nq,), or (samples, nq) for a tuple of one each.
        geometry_tolerance: as `mobility_at`.

    Raises:
        BadValueError, NotClosedError: as `mobility_at`.
        SampleError: the same of one sample of several, all such at once.
    """
    q = read_q(compiled, q, "mobility")
    if q.ndim > 2:
        expected = "of shape (nq,) or (samples, nq)"
        raise BadValueError("mobility", "q", f"an array of shape {q.shape}", expected)
    if q.ndim == 1:
        return mobility_at(compiled, q, geometry_tolerance)
    found, faults = list[Mobility](), list[MechanismError]()
    for sample, own in enumerate(q):
        try:
            found.append(mobility_at(compiled, own, geometry_tolerance))
        except NotClosedError as cause:
            faults.append(SampleError(sample, len(q), cause))
    raise_all(faults)
    return tuple(found)


def mobility_at(
    compiled: CompiledMechanism, q: Array, geometry_tolerance: float = 1e-5
) -> Mobility:
    """Count the freedoms of a mechanism where it stands, and around.

    The rank of the closures is judged on their Jacobian over one unit, after closing them. What it
    leaves free at the geometry tolerance is put to the test: a finite move along it must close
    again within that tolerance. The figure is the least that any of those moves finds, since a
    singular pose shows more freedoms than the mechanism has.

    Args:
        compiled: the mechanism.
        q: where it stands, shape (nq,), closed.
        geometry_tolerance: by how much the geometry may be off, of each module's size and in rad:
            what a file's rounding leaves.

    Raises:
        BadValueError: q has another length or is not finite, or the tolerance makes no sense.
        NotClosedError: the loops do not meet at q, nor next to it.
    """
    q = read_q(compiled, q, "mobility")
    if not 0.0 <= geometry_tolerance < 0.01:
        said = f"{geometry_tolerance:g}"
        raise BadValueError("mobility", "geometry_tolerance", said, "between 0 and 0.01")
    cut = max(geometry_tolerance, ROUNDING)
    parts = parts_of(compiled, q)
    _refuse_open(compiled, parts, q, OPEN)
    q = close_again(compiled, parts, q, cut)
    _refuse_open(compiled, parts, q, max(cut, MISFIT))
    modules, general = _moved(compiled, parts, q, cut)
    size = max((part.size for part in parts), default=1.0)
    idle = _coupled(compiled, idle_motions(compiled, general, size, cut))
    outside = _on_no_loop(compiled)
    floating = sum(t.edge.joint.kind.dof for t in outside if t.edge.joint.kind is JointKind.FREE)
    own = set(speeds_of(outside)) & set(compiled.movable)
    return Mobility(
        geometry_tolerance=geometry_tolerance,
        modules=tuple(figures_of(compiled, m, _spins(idle, m.part.speeds, m)) for m in modules),
        floating=floating,
        open=len(own) - floating,
        open_idle=_spins(idle, sorted(own)),
    )


def _moved(
    compiled: CompiledMechanism, parts: Sequence[Part], q: Array, cut: float
) -> tuple[list[Tested], Array]:
    """Each module put to the test at a closed q, and closed coordinates in general position."""
    here = linearize(compiled, q)
    freedoms = [null_space(part.jacobian(here), cut) for part in parts]
    moves = finite_moves(compiled, parts, q, freedoms, CLEARLY * cut)
    modules = [
        tested(part, here, freedom, moves, at, cut)
        for at, (part, freedom) in enumerate(zip(parts, freedoms, strict=True))
    ]
    return modules, _in_general_position(compiled, q, modules, moves)


def _refuse_open(
    compiled: CompiledMechanism, parts: Sequence[Part], q: Array, allowed: float
) -> None:
    found, state = linearize(compiled, q), evaluate(compiled, q)
    for part in parts:
        if float(np.max(np.abs(part.residual(found)), initial=0.0)) <= allowed:
            continue
        raise NotClosedError(*widest_gap(compiled, part.module, state, part.size))


def _on_no_loop(compiled: CompiledMechanism) -> list[TreeJoint]:
    on_loops = {index for module in compiled.modules for index in module.joints}
    return [t for index, t in enumerate(compiled.tree) if index not in on_loops]


def _in_general_position(
    compiled: CompiledMechanism, q: Array, modules: Sequence[Tested], moves: Moves
) -> Array:
    """Closed coordinates near q at which no axes are in line that are not so by design."""
    delta = np.zeros(compiled.nv)
    for tree_joint in _on_no_loop(compiled):
        delta[tree_joint.v] = STEP * np.cos(np.arange(tree_joint.v.start, tree_joint.v.stop) * 2.4)
    general = step(compiled, q, delta)
    for own in modules:
        for tree_joint in (compiled.tree[i] for i in own.part.module.joints):
            if own.chosen is not None:
                general[tree_joint.q] = moves.q[own.chosen, tree_joint.q]
    return general


def _coupled(
    compiled: CompiledMechanism, candidates: Sequence[tuple[IdleFreedom, Array]]
) -> list[tuple[IdleFreedom, Array]]:
    """Spins in which eliminated followers go with their leaders, those that are no unknowns left
    out of their speeds.
    """
    follow = [coupling.follower.v for coupling in compiled.eliminated]
    kept = list[tuple[IdleFreedom, Array]]()
    for named, v in candidates:
        off = np.linalg.norm(carried(compiled, v[:, None])[:, 0] - v)
        if off <= ALIKE * np.linalg.norm(v):
            own = np.array(v)
            own[follow] = 0.0
            kept.append((named, own))
    return kept


def _spins(
    candidates: Sequence[tuple[IdleFreedom, Array]],
    speeds: Sequence[int],
    own: Tested | None = None,
) -> tuple[IdleFreedom, ...]:
    """Those that are freedoms of these speeds, none the sum of others."""
    scales = np.ones(len(speeds)) if own is None else own.part.speed_scales
    freedom = np.eye(len(speeds)) if own is None else own.generic_freedom
    taken: list[IdleFreedom] = []
    basis = np.zeros((len(speeds), 0))
    for named, v in candidates:
        spin = v[list(speeds)] * scales
        size = float(np.linalg.norm(spin))
        if np.count_nonzero(v) == 0 or np.count_nonzero(spin) < np.count_nonzero(v):
            continue
        spin = spin / size
        rest = spin - basis @ (basis.T @ spin)
        if np.linalg.norm(spin - freedom @ (freedom.T @ spin)) > ALIKE:
            continue
        if float(np.linalg.norm(rest)) > ALIKE:
            taken.append(named)
            basis = np.column_stack([basis, rest / np.linalg.norm(rest)])
    return tuple(taken)
