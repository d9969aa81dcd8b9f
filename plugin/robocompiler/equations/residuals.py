"""How far a cut joint is from closed: minimal rows for each kind, and their derivatives.

Every function takes X_FM, the joint's frame M (child side) seen from its frame F (parent side), of
any leading axes. The rows have full rank on the relative twist of the two bodies, so no chart is
needed; rows of orientation are the logarithm where three of them are held, since three
perpendicularities have false solutions. One perpendicularity has one, the axis turned over: see
`is_turned_over`.

The relative motion is V = [ṗ, ω], as seen from F and in F's axes; then φ̇ = G V and
φ̈ = G V̇ + Ġ V, with G the gradient and Ġ V the rate.

Source: M. Dastranj, J. Mattila, arXiv 2609.11338, as re-derived for minimal rows.
"""

from __future__ import annotations

import numpy as np

from robocompiler.model.joint_kinds import JointKind
from robocompiler.spatial import (
    Array,
    Pose,
    apply,
    cross,
    inverse_left_jacobian,
    inverse_left_jacobian_rate,
    log_rotation,
)

_UNIT = np.eye(3)
_POINT = np.hstack([_UNIT, np.zeros((3, 3))])

# What each kind holds, as names of rows below.
_HELD: dict[JointKind, tuple[str, ...]] = {
    JointKind.FREE: (),
    JointKind.BALL: ("point",),
    JointKind.UNIVERSAL: ("point", "x across y"),
    JointKind.REVOLUTE: ("point", "z across x", "z across y"),
    JointKind.FIXED: ("point", "orientation"),
    JointKind.PRISMATIC: ("along x", "along y", "orientation"),
    JointKind.TRANSLATION: ("orientation",),
    JointKind.PLANAR: ("along z", "z across x", "z across y"),
    JointKind.CYLINDRICAL: ("along x", "along y", "z across x", "z across y"),
    JointKind.SCREW: ("along x", "along y", "z across x", "z across y", "advance"),
}
_AXIS = {"x": 0, "y": 1, "z": 2}


def row_is_length(kind: JointKind) -> tuple[bool, ...]:
    """Which rows are lengths [m]; the others are angles, or directions' products."""
    lengths: list[bool] = []
    for held in _HELD[kind]:
        count = 3 if held in ("point", "orientation") else 1
        lengths += [held in ("point", "advance") or held.startswith("along")] * count
    return tuple(lengths)


def row_names(kind: JointKind) -> tuple[str, ...]:
    """What each row holds: `z across x` for the angle between F's z and M's x, and so on."""
    names: list[str] = []
    for held in _HELD[kind]:
        threefold = held in ("point", "orientation")
        names += [f"{held} {axis}" for axis in "xyz"] if threefold else [held]
    return tuple(names)


def free_position(kind: JointKind, p: Array) -> Array:
    """Where M's origin is seen from F when the joint is closed: what its rows hold of p is 0."""
    held = _HELD[kind]
    if "point" in held:
        return 0.0 * p
    free = [0.0 * p[..., k] if f"along {axis}" in held else p[..., k] for axis, k in _AXIS.items()]
    return np.stack(free, axis=-1)


def closure_rows(
    kind: JointKind, X_FM: Pose, pitch: float = 0.0, turn: Array | float = 0.0
) -> Array:
    """The residual φ of a cut joint [m, rad], shape (…, 6 - dof).

    Args:
        kind: of the joint that was cut.
        X_FM: its frame M seen from its frame F.
        pitch: what a screw advances [m/rad].
        turn: a screw's unwrapped angle [rad].
    """
    rows = [X_FM.p[..., :0]]
    for held in _HELD[kind]:
        if held == "point":
            rows.append(X_FM.p)
        elif held == "orientation":
            rows.append(log_rotation(X_FM.R))
        elif held == "advance":
            rows.append(X_FM.p[..., 2:] - pitch * np.asarray(turn)[..., None])
        elif held.startswith("along"):
            axis = _AXIS[held[-1]]
            rows.append(X_FM.p[..., axis : axis + 1])
        else:
            across, of = _AXIS[held[0]], _AXIS[held[-1]]
            rows.append(X_FM.R[..., across, of][..., None])
    return np.concatenate(rows, axis=-1)


def closure_gradient(kind: JointKind, X_FM: Pose, pitch: float = 0.0) -> Array:
    """G = ∂φ/∂V, shape (…, 6 - dof, 6)."""
    batch = X_FM.p.shape[:-1]
    rows = [np.zeros((*batch, 0, 6))]
    for held in _HELD[kind]:
        if held == "point":
            rows.append(np.broadcast_to(_POINT, (*batch, 3, 6)))
        elif held == "orientation":
            J = inverse_left_jacobian(log_rotation(X_FM.R))
            rows.append(np.concatenate([np.zeros_like(J), J], axis=-1))
        elif held == "advance":
            turning = -pitch * _turn_gradient(X_FM.R)
            lift = np.broadcast_to(_UNIT[2], turning.shape)
            rows.append(np.concatenate([lift, turning], axis=-1)[..., None, :])
        elif held.startswith("along"):
            rows.append(np.broadcast_to(np.eye(6)[_AXIS[held[-1]]], (*batch, 1, 6)))
        else:
            turning = _perpendicular(held, X_FM.R)
            row = np.concatenate([0.0 * turning, turning], axis=-1)
            rows.append(row[..., None, :])
    return np.concatenate(rows, axis=-2)


def closure_rate(kind: JointKind, X_FM: Pose, V: Array, pitch: float = 0.0) -> Array:
    """Ġ V, the part of φ̈ that no acceleration makes, for V of shape (…, 6), shape (…, 6 - dof)."""
    omega = V[..., 3:]
    zero = 0.0 * omega[..., :1]
    rows = [omega[..., :0]]
    for held in _HELD[kind]:
        if held == "point":
            rows.append(0.0 * omega)
        elif held == "orientation":
            error = log_rotation(X_FM.R)
            rate = apply(inverse_left_jacobian(error), omega)
            rows.append(apply(inverse_left_jacobian_rate(error, rate), omega))
        elif held == "advance":
            rows.append(-pitch * _turn_rate(X_FM.R, omega))
        elif held.startswith("along"):
            rows.append(zero)
        else:
            turning = _perpendicular(held, _spun(X_FM.R, omega))
            rows.append(np.sum(turning * omega, axis=-1, keepdims=True))
    return np.concatenate(rows, axis=-1)


def _perpendicular(held: str, R: Array) -> Array:
    """The gradient by ω of e · R e', shape (…, 3): e' × e, with e' turned by R. Linear in R."""
    across, of = _UNIT[_AXIS[held[0]]], R[..., :, _AXIS[held[-1]]]
    return cross(of, across)


def _spun(R: Array, omega: Array) -> Array:
    """Ṙ = [ω]× R, shape (…, 3, 3)."""
    return np.stack([cross(omega, R[..., :, k]) for k in range(3)], axis=-1)


def _turn_parts(R: Array) -> tuple[Array, Array, Array, Array]:
    """Cosine and sine (times a length, shape (…, 1)) of the turn about z nearest R, and their
    gradients by ω, shape (…, 3).
    """
    x, y = R[..., :, 0], R[..., :, 1]
    e0, e1 = _UNIT[0], _UNIT[1]
    cosine = R[..., 0, :1] + R[..., 1, 1:2]
    sine = R[..., 1, :1] - R[..., 0, 1:2]
    return cosine, sine, cross(x, e0) + cross(y, e1), cross(x, e1) - cross(y, e0)


def _turn_gradient(R: Array) -> Array:
    """∂θ/∂ω of the turn about z nearest R, shape (…, 3)."""
    c, s, dc, ds = _turn_parts(R)
    return np.asarray((c * ds - s * dc) / (c * c + s * s))


def _turn_rate(R: Array, omega: Array) -> Array:
    """What no angular acceleration makes of θ̈, shape (…, 1)."""
    c, s, dc, ds = _turn_parts(R)
    _, _, ddc, dds = _turn_parts(_spun(R, omega))
    cd, sd, cdd, sdd = (np.sum(g * omega, axis=-1, keepdims=True) for g in (dc, ds, ddc, dds))
    square = c * c + s * s
    turning = (c * sd - s * cd) / square
    rate = (c * sdd - s * cdd) / square - turning * 2.0 * (c * cd + s * sd) / square
    return np.asarray(rate)


def holds_one_axis(kind: JointKind) -> bool:
    """Whether the rows hold an axis by perpendicularities alone, either way round."""
    return kind in (
        JointKind.REVOLUTE,
        JointKind.CYLINDRICAL,
        JointKind.PLANAR,
        JointKind.SCREW,
    )


def is_turned_over(kind: JointKind, X_FM: Pose) -> bool:
    """Whether an axis is held the wrong way round, which the perpendicularity rows cannot see."""
    return holds_one_axis(kind) and bool(np.any(X_FM.R[..., 2, 2] < 0.0))
