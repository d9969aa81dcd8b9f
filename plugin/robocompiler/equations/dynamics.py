"""Forces and accelerations of a tree of bodies, its loops open: once outward, once inward.

A limb is a body with the joint that carries it. Everything of a body is seen from its own frame:
that which its joint leads to, so that most of what a joint does is zeros and ones, and nothing
depends on where in the world the mechanism stands. Accelerations are spatial. Over numbers of any
kind and leading axes, as `kinematics` is.

Source: R. Featherstone, Rigid Body Dynamics Algorithms (2008), chapters 5 and 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.equations.inertia import (
    SpatialInertia,
    added,
    momentum,
    seen_from,
    twist_in,
    wrench_from,
    wrench_product,
)
from robocompiler.equations.kinematics import along_path
from robocompiler.equations.loops import Crossing
from robocompiler.equations.motion import velocity_product
from robocompiler.model.joint_kinds import Factor, JointKind
from robocompiler.spatial import Array, Pose, apply

_MOVES = (Factor.MOVE_X, Factor.MOVE_Y, Factor.MOVE_Z)
_TURNS = (Factor.TURN_X, Factor.TURN_Y, Factor.TURN_Z)
_UNIT = np.eye(6)

BASE = -1
"""In place of a limb that carries another: what the tree hangs on."""


@dataclass(frozen=True, slots=True, eq=False)
class Limb:
    """A body with the joint that carries it."""

    crossing: Crossing
    """The joint, its frame that is met first seen from the limb it hangs on."""
    inboard: int
    """Which limb that is, one before this one; `BASE` for none."""
    inertia: SpatialInertia | None
    """Seen from the frame that the joint leads to; None where it weighs nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """One elementary motion of a joint, where it stands."""

    X: Pose
    """What is behind it, seen from what is before it."""
    axes: Array
    """The twist of each of its speeds, seen from behind it, shape (…, 6, speeds)."""
    v: slice
    """Its speeds."""


Motions = tuple[tuple[Motion, ...], ...]
"""Of each limb those of its joint, the first one from the limb it hangs on."""


def motions(limbs: Sequence[Limb], q: Array) -> Motions:
    """The elementary motions of every joint at coordinates q, shape (…, nq)."""
    return tuple(_motions(limb.crossing, q[..., limb.crossing.q]) for limb in limbs)


def _motions(crossing: Crossing, q: Array) -> tuple[Motion, ...]:
    found, at, speed = list[Motion](), 0, crossing.v.start
    for factor in crossing.kind.factors:
        own = q[..., at : at + factor.nq]
        v = slice(speed, speed + factor.nv)
        X, axes = _elementary(factor, own, crossing.pitch)
        if crossing.backwards:
            axes = -(axes if factor is not Factor.ROTATION else _turned_back(X.R))
            X = X.inverse()
        found.append(Motion(X, axes, v))
        at, speed = at + factor.nq, v.stop
    if crossing.backwards:
        found.reverse()
    if not found:
        return (Motion(crossing.before, np.zeros((6, 0)), crossing.v),)
    first = found[0]
    return (Motion(crossing.before @ first.X, first.axes, first.v), *found[1:])


def _elementary(factor: Factor, q: Array, pitch: float) -> tuple[Pose, Array]:
    """X_FM of one factor, and its axes seen from M."""
    if factor is Factor.ROTATION:
        return along_path(JointKind.BALL, q, 0.0, Pose.identity())[0], _UNIT[:, 3:]
    if factor in _MOVES:
        axis = _MOVES.index(factor)
        return Pose(np.eye(3), q * np.eye(3)[axis]), _UNIT[:, axis : axis + 1]
    turn = Factor.TURN_Z if factor is Factor.HELIX_Z else factor
    axis = _TURNS.index(turn)
    lift = pitch if factor is Factor.HELIX_Z else 0.0
    X = Pose(_turn(axis, q), lift * q * np.eye(3)[axis] if lift else np.zeros(3))
    return X, (_UNIT[:, 3 + axis] + lift * _UNIT[:, axis])[:, None]


def _turn(axis: int, angle: Array) -> Array:
    """The rotation about an axis 0, 1 or 2, by an angle of shape (…, 1): (…, 3, 3)."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    c, s = np.cos(angle[..., 0]), np.sin(angle[..., 0])
    R = np.zeros((*angle.shape[:-1], 3, 3), dtype=angle.dtype)
    R[..., axis, axis] = 1.0
    R[..., i, i], R[..., j, j] = c, c
    R[..., j, i], R[..., i, j] = s, -s
    return R


def _turned_back(R: Array) -> Array:
    """The axes of a rotation seen from what is before it, shape (…, 6, 3)."""
    return np.concatenate([np.zeros_like(R), R], axis=-2)


@dataclass(frozen=True, slots=True, eq=False)
class Moving:
    """A body's twist and acceleration, seen from its own frame, shape (…, 6) each."""

    V: Array
    A: Array


def outward(
    limbs: Sequence[Limb], at: Motions, v: Array, a: Array, base: Moving
) -> tuple[Moving, ...]:
    """How every limb moves.

    Args:
        limbs: inboard before outboard.
        at: their joints, where they stand.
        v: speeds, shape (…, nv).
        a: their rates, shape (…, nv).
        base: how what they hang on moves; gravity g is an acceleration -g of it.
    """
    found: list[Moving] = []
    for limb, own in zip(limbs, at, strict=True):
        moving = base if limb.inboard == BASE else found[limb.inboard]
        V, A = moving.V, moving.A
        for motion in own:
            along = apply(motion.axes, v[..., motion.v])
            V = twist_in(motion.X, V) + along
            A = twist_in(motion.X, A) + apply(motion.axes, a[..., motion.v])
            A = A + velocity_product(V, along)
        found.append(Moving(V, A))
    return tuple(found)


def own_wrench(inertia: SpatialInertia, moving: Moving) -> Array:
    """The wrench that a rigid body's motion takes, shape (…, 6)."""
    p = momentum(inertia, moving.V)
    return momentum(inertia, moving.A) + wrench_product(moving.V, p)


def inward(
    limbs: Sequence[Limb], at: Motions, wrenches: Sequence[Array | None], nv: int
) -> tuple[Array, Array, tuple[Array, ...]]:
    """The efforts that wrenches on the limbs take.

    Args:
        limbs: inboard before outboard.
        at: their joints, where they stand.
        wrenches: on each limb, seen from its own frame, shape (…, 6); None for none.
        nv: number of speeds.

    Returns:
        The effort along every speed (…, nv), what is left for the base, seen from it (…, 6), and
        the wrench that each joint transmits to its limb, seen from that (…, 6).
    """
    carried: list[Array | None] = list(wrenches)
    whole: Array | None = None
    efforts: dict[int, Array] = {}
    for index in reversed(range(len(limbs))):
        wrench = carried[index]
        if wrench is None:
            continue
        for motion in reversed(at[index]):
            for k in range(motion.axes.shape[-1]):
                along = np.sum(motion.axes[..., k] * wrench, axis=-1, keepdims=True)
                efforts[motion.v.start + k] = along
            wrench = wrench_from(motion.X, wrench)
        inboard = limbs[index].inboard
        if inboard == BASE:
            whole = wrench if whole is None else whole + wrench
        else:
            before = carried[inboard]
            carried[inboard] = wrench if before is None else before + wrench
    nothing = np.zeros(6)
    transmitted = tuple(nothing if w is None else w for w in carried)
    return _row(efforts, nv), nothing if whole is None else whole, transmitted


def _row(entries: dict[int, Array], count: int) -> Array:
    """Entries (…, 1) by their places, and zeros elsewhere, as one row (…, count)."""
    batch = np.broadcast_shapes(*(entry.shape[:-1] for entry in entries.values()))
    kind = np.result_type(float, *(entry.dtype for entry in entries.values()))
    row = np.zeros((*batch, count), dtype=kind)
    for place, entry in entries.items():
        row[..., place] = entry[..., 0]
    return row


@dataclass(frozen=True, slots=True, eq=False)
class Masses:
    """What it takes to accelerate the tree and its base, at rest and without gravity."""

    M: Array
    """Efforts by accelerations of speeds, shape (…, nv, nv)."""
    F: Array
    """The wrench on the base by accelerations of speeds, shape (…, 6, nv)."""
    whole: SpatialInertia | None
    """Of everything, seen from the base."""


def masses(
    limbs: Sequence[Limb], at: Motions, inertias: Sequence[SpatialInertia | None], nv: int
) -> Masses:
    """The mass matrix by composite bodies.

    Args:
        limbs: inboard before outboard.
        at: their joints, where they stand.
        inertias: of each limb, with all that hangs on it besides other limbs.
        nv: number of speeds.
    """
    composite, columns = list(inertias), dict[int, list[tuple[int, Array]]]()
    whole: SpatialInertia | None = None
    entries: dict[tuple[int, int], Array] = {}
    base: dict[int, Array] = {}
    for index in reversed(range(len(limbs))):
        own, inboard = composite[index], limbs[index].inboard
        carried = columns.pop(index, [])
        for motion in reversed(at[index]):
            if own is not None:
                carried = carried + _wrenches(motion, own)
            _project(motion, carried, entries)
            carried = [(i, wrench_from(motion.X, wrench)) for i, wrench in carried]
            own = None if own is None else seen_from(motion.X, own)
        if inboard == BASE:
            base.update(carried)
            whole = _together(whole, own)
        else:
            columns.setdefault(inboard, []).extend(carried)
            composite[inboard] = _together(composite[inboard], own)
    return Masses(_mirrored(entries, nv), _columns(base, nv), whole)


def _together(one: SpatialInertia | None, other: SpatialInertia | None) -> SpatialInertia | None:
    if one is None or other is None:
        return other if one is None else one
    return added(one, other)


def _wrenches(motion: Motion, inertia: SpatialInertia) -> list[tuple[int, Array]]:
    """What each speed of a motion takes of what hangs on it."""
    count = motion.axes.shape[-1]
    return [(motion.v.start + k, momentum(inertia, motion.axes[..., k])) for k in range(count)]


def _project(
    motion: Motion, carried: Sequence[tuple[int, Array]], entries: dict[tuple[int, int], Array]
) -> None:
    """Efforts along a motion's speeds of the wrenches that others take."""
    for k in range(motion.axes.shape[-1]):
        row = motion.v.start + k
        for column, wrench in carried:
            if (column, row) not in entries:
                entries[row, column] = np.sum(motion.axes[..., k] * wrench, -1, keepdims=True)


def _mirrored(entries: dict[tuple[int, int], Array], nv: int) -> Array:
    both = {(j, i): entry for (i, j), entry in entries.items()} | entries
    flat = {i * nv + j: entry for (i, j), entry in both.items()}
    row = _row(flat, nv * nv)
    return row.reshape(*row.shape[:-1], nv, nv)


def _columns(wrenches: dict[int, Array], nv: int) -> Array:
    flat = {k * nv + i: w[..., k : k + 1] for i, w in wrenches.items() for k in range(6)}
    row = _row(flat, 6 * nv)
    return row.reshape(*row.shape[:-1], 6, nv)
