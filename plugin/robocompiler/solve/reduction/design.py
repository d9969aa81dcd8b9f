"""What a designer asks of a motion: how fast one joint makes another go, and how well it pushes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism, Edge
from robocompiler.compiler.rows import linearize
from robocompiler.equations.kinematics import joint_columns
from robocompiler.errors import BadValueError, UnknownNameError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.closure import RANK_TOLERANCE, length_scale, row_scales, speed_scales
from robocompiler.solve.reduction.blocks import module_rows
from robocompiler.solve.reduction.checks import first_of, read_q
from robocompiler.solve.reduction.logarithm import chart_lift
from robocompiler.solve.reduction.partition import (
    INDEPENDENCE,
    PartitionError,
    speed_names,
)
from robocompiler.solve.reduction.reduce import reduce
from robocompiler.solve.state import evaluate
from robocompiler.spatial import Array, Pose, cross

ONE_AXIS = (JointKind.REVOLUTE, JointKind.CYLINDRICAL, JointKind.SCREW)
# Axes nearer than this [rad] are parallel: files round to six digits or so.
PARALLEL = 1e-5
# A speed under this share of a motion is what rounding leaves of none.
NONE = 1e-13


def speed_rows(compiled: CompiledMechanism, q: Array) -> dict[str, Array]:
    """How each named speed, of the tree or of a cut joint, follows from v, each (…, nv)."""
    batch = q.shape[:-1]
    unit = np.eye(compiled.nv)
    names = speed_names(compiled)
    rows = {name: np.broadcast_to(unit[i], (*batch, compiled.nv)) for i, name in enumerate(names)}
    lift = chart_lift(compiled, q)
    cut = [n for c in compiled.closures for n in c.chord.joint.speed_names]
    return rows | {name: lift[..., i, :] for i, name in enumerate(cut)}


def ratio(
    compiled: CompiledMechanism,
    q: Array,
    driver: str,
    follower: str,
    held: Sequence[str] | None = None,
) -> Array:
    """Speed of the follower over that of the driver, at closed configurations of shape (…, nq).

    Where the mechanism has more freedoms than one, the others are held: those named, or what
    `reduce` chooses at the first configuration, less the one the driver takes the place of. Places
    of tasks stand still but for the driver, which may be a speed of one.
    By virtual work this is also the effort on the driver over that on the follower, if nothing is
    lost. Signed; infinite where the driver is at a toggle, and not a number where what is held
    leaves more motions than one, as at a singular configuration, or none.

    Args:
        compiled: the mechanism.
        q: where it stands.
        driver: name of a speed (see `speed_names`), of the tree or of a cut joint.
        follower: likewise.
        held: names of the speeds that stand still; None for an automatic choice.

    Raises:
        UnknownNameError: a name of no speed.
        PartitionError: it cannot be told what to hold, since the driver stands at a toggle, or
            nothing can move.
    """
    q = read_q(compiled, q, "ratio")
    rows = speed_rows(compiled, q)
    for name in (driver, follower, *(held or ())):
        if name not in rows:
            raise UnknownNameError("ratio", "speed", name, rows)
    still = _held(compiled, q, driver, rows) if held is None else tuple(held)
    motion = _only_motion(compiled, q, [rows[name] for name in still], driver)
    drives, follows = (np.sum(rows[name] * motion, axis=-1) for name in (driver, follower))
    drives = np.where(np.abs(drives) < NONE * np.linalg.norm(motion, axis=-1), 0.0, drives)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(follows / drives)


def mechanical_advantage(
    compiled: CompiledMechanism,
    q: Array,
    driver: str,
    follower: str,
    held: Sequence[str] | None = None,
) -> Array:
    """Effort the follower gives over effort on the driver, nothing being lost: 1 / `ratio`."""
    return ratio(compiled, q, follower, driver, held)


def _held(
    compiled: CompiledMechanism, q: Array, driver: str, rows: dict[str, Array]
) -> tuple[str, ...]:
    """The independent speeds, less the one that moves the driver the most."""
    reduction = reduce(compiled, first_of(q, "ratio"))
    row = rows[driver].reshape(-1, compiled.nv)[0]
    shares = np.abs(row @ reduction.E)
    names = list(reduction.names)
    if driver in _place_speeds(compiled):
        return tuple(names)
    if not names:
        raise PartitionError([driver], "its loops let nothing move here", names)
    if len(names) > 1 and shares.max() <= INDEPENDENCE:
        raise PartitionError([driver], "nothing moves it here; say what is `held`", names)
    del names[int(np.argmax(shares))]
    return tuple(names)


def _place_speeds(compiled: CompiledMechanism) -> dict[str, int]:
    """The speeds of the places of tasks, by name."""
    names = speed_names(compiled)
    return {names[i]: i for i in compiled.prescribed}


def _only_motion(
    compiled: CompiledMechanism, q: Array, still: Sequence[Array], driver: str
) -> Array:
    """The v that the loops and what stands still leave, of unit size, shape (…, nv).

    Places of tasks stand still but for the driver; eliminated followers go with their leaders. NaN
    where more motions are left, or none.
    """
    state = evaluate(compiled, first_of(q, "ratio"))
    size = max((length_scale(compiled, state, m) for m in compiled.modules), default=1.0)
    scales = speed_scales(compiled, size)
    K = linearize(compiled, q).jacobian
    rows = np.ones(K.shape[-2])
    for module in compiled.modules:
        rows[list(module_rows(compiled, module))] = row_scales(compiled, module, size)
    given = _given_rows(compiled, scales, driver)
    given = np.broadcast_to(given, (*K.shape[:-2], *given.shape))
    named = (row[..., None, :] for row in still)
    held = np.concatenate([rows[:, None] * K, given, *named], axis=-2)
    _, s, Vt = np.linalg.svd(held / scales)
    motion = np.asarray(Vt[..., -1, :] / scales)
    s = np.concatenate([s, np.zeros((*s.shape[:-1], compiled.nv))], axis=-1)[..., : compiled.nv]
    cut = RANK_TOLERANCE * np.maximum(s[..., :1], 1.0)
    only = np.sum(s > cut, axis=-1) == compiled.nv - 1
    return np.where(only[..., None], motion, np.nan)


def _given_rows(compiled: CompiledMechanism, scales: Array, driver: str) -> Array:
    """Rows that are zero where places stand still and eliminated followers follow, (rows, nv)."""
    places = [i for name, i in _place_speeds(compiled).items() if name != driver]
    rows = [scales[places, None] * np.eye(compiled.nv)[places]]
    for coupling in compiled.eliminated:
        row = np.zeros((1, compiled.nv))
        for ref, coefficient in coupling.terms:
            row[0, ref.v] = coefficient
        rows.append(row * scales[coupling.follower.v])
    return np.concatenate(rows)


def transmission_angle(
    compiled: CompiledMechanism, q: Array, near: str, far: str, follower: str
) -> Array:
    """How squarely a coupler pushes what it drives [rad], from 0 (not at all) to π/2, shape (…).

    The coupler carries force along the line from its joint `near` to its joint `far`, which is on
    the output body. That body moves by its joint `follower`, and so takes `far` in some direction.
    The angle is π/2 less the one between that line and that direction. In a planar four-bar it is
    the acute angle between coupler and rocker; in a slider-crank that between the rod and the
    normal of the slide. Between parallel axes the line is taken square to them, so that links may
    lie in layers.

    Args:
        compiled: the mechanism.
        q: where it stands, closed, shape (…, nq).
        near: name of the coupler's joint on the input's side.
        far: name of its joint on the output body.
        follower: name of the joint, of one degree of freedom, that the output body moves by.

    Raises:
        UnknownNameError, BadValueError: a name of no joint, or a follower of more freedoms.
    """
    q = read_q(compiled, q, "transmission_angle")
    edges = _named_edges(compiled, (near, far, follower))
    kind = edges[follower].joint.kind
    if kind.dof != 1:
        raise BadValueError("transmission_angle", follower, kind.value, "a joint of one freedom")
    state = evaluate(compiled, q)
    starts, ends, moves = (
        state.poses[edge.parent] @ edge.X_PF for edge in (edges[n] for n in (near, far, follower))
    )
    line = ends.p - starts.p
    if all(edges[name].joint.kind in ONE_AXIS for name in (near, far)):
        line = _square_to(line, starts.R[..., :, 2], ends.R[..., :, 2])
    twist = _unit_twist(edges[follower], moves)
    direction = twist[..., :3] + cross(twist[..., 3:], ends.p)
    along = np.abs(np.sum(line * direction, axis=-1))
    return np.asarray(np.arctan2(along, np.linalg.norm(cross(line, direction), axis=-1)))


def _named_edges(compiled: CompiledMechanism, names: Sequence[str]) -> dict[str, Edge]:
    edges = {t.edge.joint.name: t.edge for t in compiled.tree}
    edges |= {c.chord.joint.name: c.chord for c in compiled.closures}
    for name in names:
        if name not in edges:
            raise UnknownNameError("transmission_angle", "joint", name, edges)
    return edges


def _unit_twist(edge: Edge, X_WF: Pose) -> Array:
    """The spatial twist in the world of a joint of one freedom: it is fixed in F."""
    zero = np.zeros((*X_WF.p.shape[:-1], edge.joint.kind.nq))
    return joint_columns(edge.joint.kind, zero, edge.joint.pitch, X_WF)[1][..., 0]


def _square_to(line: Array, axis: Array, other: Array) -> Array:
    """The line without its part along two axes, where those are parallel."""
    parallel = np.linalg.norm(cross(axis, other), axis=-1, keepdims=True) < PARALLEL
    along = np.sum(line * axis, axis=-1, keepdims=True) * axis
    return np.where(parallel, line - along, line)
