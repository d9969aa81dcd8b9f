"""Where the bodies of a mechanism are, and what its loops hold, straight from its records.

By 4 × 4 matrices and SciPy's rotations: nothing of the compiler, of the equations or of `solve`,
but for how `standing_at` reads what a cut joint's coordinates are.
Poses of joints of every kind; motions of revolute, prismatic, universal and ball joints.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.transform import Rotation

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.joint_motion import joint_coordinates
from robocompiler.model.mechanism import WORLD, Joint, Mechanism
from robocompiler.solve.state import evaluate, joint_pose

Matrix = np.ndarray
Values = Mapping[str, Sequence[float]]


def matrix(position: Sequence[float], rotation: Sequence[float]) -> Matrix:
    """A pose of a position [m] and a quaternion, w first."""
    X = np.eye(4)
    w, x, y, z = rotation
    X[:3, :3], X[:3, 3] = Rotation.from_quat((x, y, z, w)).as_matrix(), position
    return X


def motion(joint: Joint, q: Sequence[float]) -> Matrix:
    """A joint's frame M seen from F."""
    X, kind = np.eye(4), joint.kind
    if kind is JointKind.FREE:
        return matrix(q[:3], q[3:])
    if kind is JointKind.BALL:
        return matrix((0.0, 0.0, 0.0), q)
    if kind is JointKind.UNIVERSAL:
        X[:3, :3] = Rotation.from_euler("XY", q).as_matrix()
    elif kind is JointKind.PRISMATIC:
        X[2, 3] = q[0]
    elif kind is JointKind.TRANSLATION:
        X[:3, 3] = q
    elif kind is not JointKind.FIXED:
        turn = q[2] if kind is JointKind.PLANAR else q[0]
        X[:3, :3] = Rotation.from_rotvec((0.0, 0.0, turn)).as_matrix()
        X[:3, 3] = {
            JointKind.REVOLUTE: (0.0, 0.0, 0.0),
            JointKind.CYLINDRICAL: (0.0, 0.0, q[-1]),
            JointKind.SCREW: (0.0, 0.0, joint.pitch * turn),
            JointKind.PLANAR: (*q[:2], 0.0),
        }[kind]
    return X


def twists(kind: JointKind, X_WF: Matrix, X_WM: Matrix) -> Matrix:
    """The spatial twist of M against F in the world by each of a joint's speeds, (6, dof)."""
    if kind is JointKind.PRISMATIC:
        return np.concatenate([X_WF[:3, 2], np.zeros(3)])[:, None]
    axes = {
        JointKind.REVOLUTE: [X_WF[:3, 2]],
        JointKind.UNIVERSAL: [X_WF[:3, 0], X_WM[:3, 1]],
        JointKind.BALL: list(X_WM[:3, :3].T),
        JointKind.FIXED: [],
    }[kind]
    columns = [np.concatenate([np.cross(X_WF[:3, 3], a), a]) for a in axes]
    return np.array(columns).T.reshape(6, -1)


@dataclass(frozen=True)
class Standing:
    """A mechanism whose joints stand at values; those in `cut` are walked around."""

    mechanism: Mechanism
    values: Values
    cut: Collection[str]
    bodies: dict[str, Matrix] = field(init=False)
    inboard: dict[str, tuple[Joint, str, float]] = field(init=False)
    """For each body the joint to it, from which body, and 1 where it is the joint's child."""
    frames: dict[str, Matrix] = field(init=False)
    """Every frame in the world."""

    def __post_init__(self) -> None:
        frames = {frame.name: frame for frame in self.mechanism.frames}
        on = {name: matrix(f.position, f.rotation) for name, f in frames.items()}
        for name, empty in (("bodies", {WORLD: np.eye(4)}), ("inboard", {}), ("frames", {})):
            object.__setattr__(self, name, empty)
        waiting = [joint for joint in self.mechanism.joints if joint.name not in self.cut]
        while waiting:
            left = []
            for joint in waiting:
                a, b = frames[joint.parent].body, frames[joint.child].body
                X = on[joint.parent] @ motion(joint, self.values.get(joint.name, ()))
                X_AB = X @ np.linalg.inv(on[joint.child])
                if a in self.bodies:
                    self.bodies[b], self.inboard[b] = self.bodies[a] @ X_AB, (joint, a, 1.0)
                elif b in self.bodies:
                    X_BA = np.linalg.inv(X_AB)
                    self.bodies[a], self.inboard[a] = self.bodies[b] @ X_BA, (joint, b, -1.0)
                else:
                    left.append(joint)
            waiting = left
        self.frames.update({n: self.bodies[f.body] @ on[n] for n, f in frames.items()})

    def gap(self, joint: Joint) -> tuple[float, float]:
        """How far [m, rad] the sides of a cut joint are apart, it being at its value."""
        wanted = self.frames[joint.parent] @ motion(joint, self.values[joint.name])
        off = np.linalg.inv(wanted) @ self.frames[joint.child]
        turned = Rotation.from_matrix(off[:3, :3]).magnitude()
        return float(np.linalg.norm(off[:3, 3])), float(turned)

    @property
    def gaps(self) -> tuple[float, float]:
        """The most by which any cut joint is open [m, rad]."""
        found = [self.gap(joint) for joint in self.mechanism.joints if joint.name in self.cut]
        return max((a for a, _ in found), default=0.0), max((b for _, b in found), default=0.0)

    def loop(self, joint: Joint) -> dict[str, tuple[Joint, float]]:
        """The joints of the tree that move M of a cut joint against its F, and their signs."""
        bodies = {frame.name: frame.body for frame in self.mechanism.frames}
        found: dict[str, tuple[Joint, float]] = {}
        for end, side in ((bodies[joint.child], 1.0), (bodies[joint.parent], -1.0)):
            at = end
            while at != WORLD:
                own, at, sign = self.inboard[at]
                if own.name in found:
                    del found[own.name]  # inboard of both sides
                else:
                    found[own.name] = (own, side * sign)
        return found


def standing_at(compiled: CompiledMechanism, q: Matrix) -> Standing:
    """The mechanism's records at q, its cut joints standing as they do."""
    state = evaluate(compiled, q)
    values = {t.edge.joint.name: tuple(q[t.q].tolist()) for t in compiled.tree}
    cut = [closure.chord for closure in compiled.closures]
    for edge in cut:
        joint = edge.joint
        values[joint.name] = joint_coordinates(
            joint.kind, joint_pose(state, edge), joint.initial, joint.pitch
        )
    return Standing(compiled.mechanism, values, {edge.joint.name for edge in cut})


def loop_rows(standing: Standing, slots: Mapping[str, slice], count: int) -> Matrix:
    """For each cut joint its loop's six rows: over the speeds of the tree, then its own.

    Args:
        standing: a closed mechanism.
        slots: where each tree joint's speeds are.
        count: how many these are.
    """
    cut = [joint for joint in standing.mechanism.joints if joint.name in standing.cut]
    added = sum(joint.kind.dof for joint in cut)
    K, at = np.zeros((6 * len(cut), count + added)), count
    for i, joint in enumerate(cut):
        rows = K[6 * i : 6 * i + 6]
        for own, sign in standing.loop(joint).values():
            ends = standing.frames[own.parent], standing.frames[own.child]
            if own.kind is not JointKind.FIXED:
                rows[:, slots[own.name]] = sign * twists(own.kind, *ends)
        ends = standing.frames[joint.parent], standing.frames[joint.child]
        rows[:, at : at + joint.kind.dof] = -twists(joint.kind, *ends)
        # At the joint's own point: far from the world's origin rows would be all but dependent.
        rows[:3] += np.cross(np.eye(3), ends[1][:3, 3]).T @ rows[3:]
        at += joint.kind.dof
    return K


def lift(K: Matrix, independent: Sequence[int], count: int) -> tuple[Matrix, bool]:
    """The motion of the tree's `count` speeds by the independent ones, and whether it is settled.

    Settled where the others, cut joints' speeds among them, have as much rank as they are many,
    and all rows together have no more.
    """
    dependent = [i for i in range(K.shape[1]) if i not in set(independent)]
    if not len(K):
        return np.eye(count)[:, list(independent)], not dependent
    s = np.linalg.svd(K[:, dependent], compute_uv=False)
    whole = np.linalg.svd(K, compute_uv=False)
    rank = int(np.sum(s > 1e-9 * s[0])) if s.size else 0
    settled = rank == len(dependent) == int(np.sum(whole > 1e-9 * whole[0]))
    E = np.zeros((K.shape[1], len(independent)))
    E[list(independent), range(len(independent))] = 1.0
    E[dependent] = -np.linalg.pinv(K[:, dependent], rcond=1e-9) @ K[:, list(independent)]
    return E[:count], settled
