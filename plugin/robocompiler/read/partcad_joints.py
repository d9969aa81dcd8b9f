"""PartCAD's joints as ours: kind, frames and start, all exact.

PartCAD's classification puts a joint of several freedoms in one native frame O on the parent:
the child sits at X_PO · M₁(v₁) ⋯ Mₙ(vₙ) · X_OC, each factor about or along an axis of O. Ours has
its axes in a fixed order along x, y, z of its own frame F, so F is O turned by a constant R_OF,
and frame M on the child is turned by the same: X_PF = X_PO R_OF, X_CM = X_OC⁻¹ R_OF.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from robocompiler.errors import UnsupportedJointError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import OPEN
from robocompiler.read.partcad_tree import pose_of
from robocompiler.read.partcad_values import Quantity
from robocompiler.spatial import Array, Pose, cross, skew

# Axes are perpendicular or parallel below this sine, as they are to PartCAD's classification.
PARALLEL = 1e-6

ADVICE = (
    "Put a body between, with joints of one freedom each, or use a kind there is: "
    "revolute, prismatic, cylindrical, screw, universal, ball, planar."
)


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """What a joint of PartCAD's is, as one of our kinds."""

    kind: JointKind
    R_OF: Array
    """Frame F (and M) in PartCAD's native joint frame."""
    order: tuple[int, ...]
    """Which of PartCAD's freedoms each of the kind's factors is."""
    pitch: float = 0.0
    """[m/rad]"""
    shift: float = 0.0
    """How far F sits along its z from O [m]: a screw's offset."""
    exchanged: bool = False
    """Whether F is on PartCAD's child, because the factors come the other way round."""

    def frames(self, joint: Any) -> tuple[Pose, Pose]:
        """X_PF and X_CM; X_CF and X_PM where the sides are exchanged."""
        R = Pose(self.R_OF, np.zeros(3))
        X_PO, X_CO = pose_of(joint.classification.origin), pose_of(joint.classification.tail)
        X_CO = X_CO.inverse()
        along = Pose(np.eye(3), np.array([0.0, 0.0, self.shift]))
        ends = (X_PO @ R @ along, X_CO @ R)
        return (ends[1], ends[0]) if self.exchanged else ends

    def start(self, joint: Any) -> tuple[float, ...]:
        """The coordinates as drawn [m, rad, quaternion]."""
        import kinematics

        if self.kind is JointKind.BALL:
            w, x, y, z = kinematics.rezeroed(joint).rotation
            return (-w, -x, -y, -z) if w < 0.0 else (w, x, y, z)
        return tuple(f.value * si_of(f) for f in (joint.freedoms[i] for i in self.order))

    def limits(self, joint: Any) -> tuple[tuple[float, float], ...]:
        """Lowest and highest value of each coordinate [m or rad]; () where all are open."""
        bounds = tuple(bounds_of(joint.freedoms[i]) for i in self.order)
        if self.kind is JointKind.SCREW:
            bounds = (_screw_bounds(joint),)
        return bounds if any(bound != OPEN for bound in bounds) else ()

    def swing_limit(self, joint: Any) -> float | None:
        """How far a ball turns from its zero [rad]."""
        if self.kind is not JointKind.BALL or joint.turn_limit is None:
            return None
        return float(joint.turn_limit) * Quantity.ANGLE.si

    def labels(self, joint: Any) -> tuple[str, ...]:
        """PartCAD's names of the coordinates; () where they are the kind's own."""
        names = joint.parameter_names()
        labels = tuple(names[i] for i in self.order)
        own = tuple(factor.value for factor in self.kind.factors)
        return () if labels == own else labels


def motion_of(joint: Any) -> Motion:
    """What a joint of PartCAD's is.

    Raises:
        UnsupportedJointError: none of our kinds.
    """
    import kinematics

    kind = joint.kind
    if kind in (kinematics.REVOLUTE, kinematics.PRISMATIC):
        return Motion(JointKind(kind), along_z(joint.classification.axes[0]), (0,))
    if kind == kinematics.FIXED:
        return Motion(JointKind.FIXED, np.eye(3), ())
    if kind == kinematics.BALL:
        return Motion(JointKind.BALL, np.eye(3), ())
    if kind in (kinematics.CYLINDRICAL, kinematics.SCREW):
        return _on_one_axis(joint)
    if kind == kinematics.UNIVERSAL:
        return _universal(joint)
    if kind == kinematics.PLANAR:
        return _planar(joint)
    free = " and ".join(joint.parameter_names())
    raise UnsupportedJointError(
        joint.name, f"free in {free}, which is no joint of one kind", ADVICE
    )


def quantity_of(freedom: Any) -> Quantity:
    """What a freedom of PartCAD's measures."""
    return Quantity.ANGLE if freedom.kind == "turn" else Quantity.LENGTH


def si_of(freedom: Any) -> float:
    """[rad or m] of PartCAD's unit of a freedom."""
    return quantity_of(freedom).si


def bounds_of(freedom: Any) -> tuple[float, float]:
    """A freedom's bounds [rad or m], infinite where open."""
    low, high = (
        None if bound is None else bound * si_of(freedom)
        for bound in (freedom.lower, freedom.upper)
    )
    return (OPEN[0] if low is None else low, OPEN[1] if high is None else high)


def along_z(axis: Sequence[float]) -> Array:
    """The shortest turn that takes z onto an axis, shape (3, 3); x is turned over for -z."""
    a = np.array(axis, dtype=float)
    if a[2] < 0.0:
        over = np.diag([1.0, -1.0, -1.0])
        return np.asarray(over @ along_z(over @ a))
    W = skew(np.array([-a[1], a[0], 0.0]))
    return np.asarray(np.eye(3) + W + W @ W / (1.0 + a[2]))


def _on_one_axis(joint: Any) -> Motion:
    """Cylindrical and screw: a turn and a move on one line, in either order since they commute."""
    axes = joint.classification.axes
    turn, move = _turn_and_move(joint)
    same_way = 1.0 if float(np.dot(axes[0], axes[1])) > 0.0 else -1.0
    R_OF = along_z(axes[turn.index])
    if joint.kind == "screw":
        ratio, offset = _screw_law(joint)
        pitch = same_way * ratio * si_of(move) / si_of(turn)
        shift = same_way * offset * si_of(move)
        return Motion(JointKind.SCREW, R_OF, (turn.index,), pitch=pitch, shift=shift)
    if same_way < 0.0:
        what = "a cylindrical joint whose turn and move point opposite ways"
        raise UnsupportedJointError(joint.name, what, "Give both the same axis.")
    return Motion(JointKind.CYLINDRICAL, R_OF, (turn.index, move.index))


def _turn_and_move(joint: Any) -> tuple[Any, Any]:
    first, second = joint.freedoms
    return (first, second) if quantity_of(first) is Quantity.ANGLE else (second, first)


def _screw_law(joint: Any) -> tuple[float, float]:
    """Ratio [mm/deg] and offset [mm] with move = ratio · turn + offset, whichever follows."""
    turn, move = _turn_and_move(joint)
    follower = move if move.follows is not None else turn
    if follower.ratio == 0.0:
        raise UnsupportedJointError(
            joint.name, "a screw without a pitch", "State its `threadStep`."
        )
    if follower is move:
        return follower.ratio, follower.offset or 0.0
    return 1.0 / follower.ratio, -(follower.offset or 0.0) / follower.ratio


def _screw_bounds(joint: Any) -> tuple[float, float]:
    """A screw's bounds [rad]: those of its turn, and those that its move's imply."""
    turn, move = _turn_and_move(joint)
    ratio, offset = _screw_law(joint)
    ends = sorted((b / si_of(move) - offset) / ratio * si_of(turn) for b in bounds_of(move))
    low, high = bounds_of(turn)
    return max(low, ends[0]), min(high, ends[1])


def _universal(joint: Any) -> Motion:
    """PartCAD's first turn is our x, its second our y."""
    first, second = (np.array(axis) for axis in joint.classification.axes)
    if abs(first @ second) > PARALLEL:
        what = "a universal joint whose two axes are not perpendicular"
        raise UnsupportedJointError(joint.name, what, ADVICE)
    return Motion(JointKind.UNIVERSAL, _frame(first, second), (0, 1))


def _planar(joint: Any) -> Motion:
    """Ours moves in F's plane and then turns; one that turns first is that, seen from the child.

    (R T)⁻¹ = T⁻¹ R⁻¹, so exchanging the sides and turning the axes over leaves every coordinate
    what it was.
    """
    axes = [np.array(axis) for axis in joint.classification.axes]
    turns_first = quantity_of(joint.freedoms[0]) is Quantity.ANGLE
    turn, a, b = (0, 1, 2) if turns_first else (2, 0, 1)
    sign = -1.0 if turns_first else 1.0
    if abs(axes[a] @ axes[b]) > PARALLEL:
        what = "a planar joint whose two moves are not perpendicular"
        raise UnsupportedJointError(joint.name, what, ADVICE)
    if sign * cross(axes[a], axes[b]) @ axes[turn] < 0.0:
        a, b = b, a
    R_OF = _frame(sign * axes[a], sign * axes[b])
    return Motion(JointKind.PLANAR, R_OF, (a, b, turn), exchanged=turns_first)


def _frame(x: Array, y: Array) -> Array:
    """The rotation with these columns, the second made exactly perpendicular to the first."""
    z = cross(x, y)
    z = z / np.linalg.norm(z)
    return np.column_stack([x, cross(z, x), z])
