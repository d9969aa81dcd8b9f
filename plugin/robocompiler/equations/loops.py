"""Around a loop: from a cut joint's frame F through every joint of its loop to its frame M.

All is seen from the body that F is on, so that what the loop shares with nothing else, where it
stands in the world above all, is not in it. Written once, over numbers of any kind and leading
axes, as `kinematics` is.

Twists are of M against F, in F's axes, linear first: the velocity of M's origin, and the spin. The
frame they are seen from has F's axes and stands, for the moment, at M's origin, or where that is
when the loop is closed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from robocompiler.equations.kinematics import (
    Line,
    along_path,
    as_columns,
    twists_about,
    twists_at_tip,
)
from robocompiler.equations.motion import carried_on
from robocompiler.equations.residuals import (
    closure_gradient,
    closure_rate,
    closure_rows,
    free_position,
)
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.joint_motion import screw_turn
from robocompiler.spatial import Array, Pose, apply, cross


@dataclass(frozen=True, slots=True, eq=False)
class Crossing:
    """A joint on the way around a loop."""

    kind: JointKind
    pitch: float
    """What a screw advances [m/rad]."""
    backwards: bool
    """Whether it is passed from its M to its F."""
    before: Pose
    """Its frame that is met first, seen from the last frame of the crossing before, or from F."""
    q: slice
    """Its coordinates."""
    v: slice
    """Its speeds."""


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """The way from a cut joint's F to its M."""

    crossings: tuple[Crossing, ...]
    after: Pose
    """M, seen from the last frame of the last crossing."""


@dataclass(frozen=True, slots=True, eq=False)
class Around:
    """A loop at a configuration."""

    X_FM: Pose
    """The cut joint's M seen from its F."""
    speeds: tuple[slice, ...]
    """Of each elementary motion, in the order they are met."""
    twists: Array
    """Of each of these speeds one after the other, shape (…, 6, speeds)."""


def around(loop: Loop, q: Array, closing: JointKind | None = None) -> Around:
    """Where a loop leads at coordinates q (…, nq), and how each speed moves where it leads.

    Args:
        loop: the way around it.
        q: where the mechanism stands.
        closing: the kind of the cut joint, for twists that hold where the loop is closed. There M's
            origin is where the joint lets it be, so that twists are seen from that place, and most
            of those of joints near F keep their zeros. Newton's convergence stays quadratic.
    """
    X, speeds, lines = Pose.identity(), list[slice](), list[Line]()
    for crossing in loop.crossings:
        X, met = _crossed(crossing, q[..., crossing.q], X)
        for v, own in met:
            speeds.append(v)
            lines += own
    X_FM = X @ loop.after
    origin = X_FM.p if closing is None else free_position(closing, X_FM.p)
    tip = _at_tip(loop, X)
    twists = [*twists_about(origin, lines[: len(lines) - len(tip)]), *tip]
    return Around(X_FM, tuple(speeds), as_columns(twists, X_FM.p.shape[:-1]))


def _crossed(crossing: Crossing, q: Array, X: Pose) -> tuple[Pose, list[tuple[slice, list[Line]]]]:
    """The frame behind a joint, seen from where X is seen from, and its motions as they are met:
    the speeds of each factor, and their lines.
    """
    kind, pitch = crossing.kind, crossing.pitch
    if crossing.backwards:
        X = X @ crossing.before @ along_path(kind, q, pitch, Pose.identity())[0].inverse()
    else:
        X, q = _entered(crossing, q, X)
    X_M, factors = along_path(kind, q, pitch, X)
    at, found = crossing.v.start, list[tuple[slice, list[Line]]]()
    for lines in factors:
        found.append((slice(at, at + len(lines)), lines))
        at += len(lines)
    if not crossing.backwards:
        return X_M, found
    return X, [(v, [replace(line, axis=-line.axis) for line in own]) for v, own in found[::-1]]


def _entered(crossing: Crossing, q: Array, X: Pose) -> tuple[Pose, Array]:
    """The frame in front of a joint, and its coordinates from there.

    One that moves every way takes along how far its frame is: that is one product less.
    """
    before = crossing.before
    if crossing.kind not in (JointKind.FREE, JointKind.TRANSLATION):
        return X @ before, q
    ahead = before.R.T @ before.p
    return Pose(X.R @ before.R, X.p), np.concatenate([q[..., :3] + ahead, q[..., 3:]], axis=-1)


def _at_tip(loop: Loop, X: Pose) -> list[Array]:
    """The twists of the last motion, where it is a turn that carries M: none but constants more."""
    last = loop.crossings[-1] if loop.crossings else None
    if last is None or last.backwards or not last.kind.factors[-1].is_turn:
        return []
    return twists_at_tip(last.kind.factors[-1], last.pitch, X.R, loop.after.p)


def loop_columns(at: Around, speeds: int) -> Array:
    """How each of all speeds moves M against F, shape (…, 6, speeds)."""
    return _spread(at, at.twists, speeds)


def _spread(at: Around, columns: Array, speeds: int) -> Array:
    """Columns of the loop's speeds, (…, k, own), among those of all, (…, k, speeds)."""
    spread = np.zeros((*columns.shape[:-1], speeds), dtype=columns.dtype)
    spread[..., [i for v in at.speeds for i in range(v.start, v.stop)]] = columns
    return spread


def loop_rows(kind: JointKind, at: Around, speeds: int, pitch: float = 0.0) -> tuple[Array, Array]:
    """The residual φ (…, rows) of a cut joint, and how each of all speeds changes it: K (…, rows,
    speeds).
    """
    turn = screw_turn(at.X_FM, pitch) if kind is JointKind.SCREW else 0.0
    phi = closure_rows(kind, at.X_FM, pitch, turn)
    return phi, _spread(at, closure_gradient(kind, at.X_FM, pitch) @ at.twists, speeds)


def loop_curvature(kind: JointKind, at: Around, v: Array, pitch: float = 0.0) -> Array:
    """γ = K̇ v of a cut joint's rows, shape (…, rows), at speeds v (…, nv), closed or not."""
    V, bias = loop_motion(at, v)
    G = closure_gradient(kind, at.X_FM, pitch)
    return np.asarray(apply(G, bias) + closure_rate(kind, at.X_FM, V, pitch))


def loop_motion(at: Around, v: Array) -> tuple[Array, Array]:
    """How M moves against F at speeds v (…, nv): V = [ṗ, ω], and what V̇ is at v̇ = 0, (…, 6) each.

    The twist and its bias acceleration are carried around, V ← V + η v and A ← A + ad_V η v, so
    that one traversal gives both exactly.
    """
    shape = np.broadcast_shapes(at.X_FM.p.shape[:-1], v.shape[:-1])
    moving = np.zeros((*shape, 6)), np.zeros((*shape, 6))
    met = 0
    for own in at.speeds:
        part = at.twists[..., met : met + own.stop - own.start]
        moving, met = carried_on(moving, apply(part, v[..., own])), met + own.stop - own.start
    V, spatial = moving
    linear = spatial[..., :3] + cross(V[..., 3:], V[..., :3])
    return V, np.concatenate([linear, spatial[..., 3:]], axis=-1)
