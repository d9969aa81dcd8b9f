"""Constrained forward dynamics by Pinocchio 4.1, from the same compiled mechanism.

Tree joints as joints, cut ones as points that meet: one for a ball, two 0.1 m apart on the axis of
a revolute, three for a weld (as a frame, CONTACT_6D, it is the same to `constraintDynamics`, but
`lcaba` does not hold it: delta_a of 1 on Kangaroo's soles). What a universal joint holds beyond its
point Pinocchio has no constraint for: as in the papers its row is met by one more effort a row,
found from the response to unit efforts, so that such a mechanism takes 2 + rows calls. Without that
row light rods turn freely about themselves, which costs `lcaba` many digits on Kangaroo.

Places of tasks stand in the world. Each algorithm has data of its own: `lcaba` spoils what it
shares with `constraintDynamics`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from accuracy_figures.state import State
from robocompiler.compiler.compiled import CompiledMechanism, TreeJoint
from robocompiler.equations.kinematics import joint_motion
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Inertia
from robocompiler.model.validity import inertia_tensor
from robocompiler.spatial import Array, Pose, rotation_of

APART = 0.1
"""Of a revolute's two points, and a weld's three [m]."""
GRAVITY = (0.0, 0.0, -9.81)
ALGORITHMS = {
    "constraintDynamics": ("constraintDynamics", 1e-12, 8),
    "lcaba, mu 1e-6": ("lcaba", 1e-6, 10),
    "lcaba, mu 1e-2": ("lcaba", 1e-2, 100),
}
"""Function, the mu of its proximal iterations, and how many there may be."""


def missing() -> str | None:
    """Why there is no Pinocchio, if there is none."""
    try:
        import pinocchio
    except ImportError as error:
        return f"Pinocchio cannot be imported ({error}); `make bench` has it"
    return None if hasattr(pinocchio, "lcaba") else "a Pinocchio without lcaba"


@dataclass(frozen=True, eq=False)
class Universal:
    """A universal joint's row: x of F stays across y of M."""

    x: tuple[int, Pose]
    """F, from the joint it is on."""
    y: tuple[int, Pose]


class Pinocchio:
    """A mechanism in Pinocchio."""

    def __init__(self, compiled: CompiledMechanism, q: Array) -> None:
        import pinocchio as pin

        self.pin, self.compiled = pin, compiled
        self.model = pin.Model()
        self.model.gravity.linear = np.array(GRAVITY)
        self.on: dict[int, tuple[int, Pose]] = {0: (0, Pose.identity())}
        self.joints: list[TreeJoint] = []
        self._tree(q)
        self._bodies()
        self.universals: list[Universal] = []
        self.constraints = pin.StdVec_RigidConstraintModel()
        for closure in compiled.closures:
            self._closure(closure.chord)
        self._calls: dict[str, Callable[[Array, Array, Array], Array]] = {}

    def _tree(self, q: Array) -> None:
        """Depth first, as Pinocchio numbers."""
        waiting = [t for t in reversed(self.compiled.tree) if t.inboard == 0]
        while waiting:
            joint = waiting.pop()
            edge, (parent, X) = joint.edge, self.on[joint.inboard]
            ends = (edge.X_CM, edge.X_PF) if joint.reversed else (edge.X_PF, edge.X_CM)
            frame = X @ ends[0]
            if joint.prescribed:
                moved = joint_motion(edge.joint.kind, q[joint.q], edge.joint.pitch)
                moved = moved.inverse() if joint.reversed else moved
                self.on[joint.outboard] = parent, frame @ moved @ ends[1].inverse()
            else:
                made = self._joint(joint)
                own = self.model.addJoint(parent, made, self._placed(frame), edge.joint.name)
                self.on[joint.outboard] = own, ends[1].inverse()
                self.joints.append(joint)
            waiting += [t for t in reversed(self.compiled.tree) if t.inboard == joint.outboard]

    def _joint(self, joint: TreeJoint) -> Any:
        pin, kind = self.pin, joint.edge.joint.kind
        if joint.reversed:
            back = {
                JointKind.REVOLUTE: pin.JointModelRevoluteUnaligned,
                JointKind.PRISMATIC: pin.JointModelPrismaticUnaligned,
            }
            return back[kind](np.array([0.0, 0.0, -1.0]))
        return {
            JointKind.REVOLUTE: pin.JointModelRZ,
            JointKind.PRISMATIC: pin.JointModelPZ,
            JointKind.BALL: pin.JointModelSpherical,
            JointKind.FREE: pin.JointModelFreeFlyer,
        }[kind]()

    def _bodies(self) -> None:
        for index, body in enumerate(self.compiled.bodies):
            own, X = self.on[index]
            if body.inertia is not None and own:
                made = self._inertia(body.inertia)
                self.model.appendBodyToJoint(own, made, self._placed(X))

    def _inertia(self, inertia: Inertia) -> Any:
        return self.pin.Inertia(inertia.mass, np.array(inertia.center), inertia_tensor(inertia))

    def _placed(self, X: Pose) -> Any:
        return self.pin.SE3(X.R, X.p)

    def _closure(self, chord: Any) -> None:
        (a, X), (b, Y) = self.on[chord.parent], self.on[chord.child]
        F, M, kind = X @ chord.X_PF, Y @ chord.X_CM, chord.joint.kind
        count = {JointKind.REVOLUTE: 2, JointKind.FIXED: 3}.get(kind, 1)
        if kind is JointKind.UNIVERSAL:
            self.universals.append(Universal((a, F), (b, M)))
        elif kind not in (JointKind.BALL, JointKind.REVOLUTE, JointKind.FIXED):
            raise NotImplementedError(f"a cut {kind.value} joint in Pinocchio")
        for place in APART * np.array([[0, 0, 0], [0, 0, 1], [1, 0, 0]])[:count]:
            there = Pose(np.eye(3), place)
            ends = (a, self._placed(F @ there), b, self._placed(M @ there))
            if a == 0:  # what is held to the world has the world second, or Pinocchio crashes
                ends = (*ends[2:], *ends[:2])
            point, local = self.pin.ContactType.CONTACT_3D, self.pin.ReferenceFrame.LOCAL
            made = self.pin.RigidConstraintModel(point, self.model, *ends, local)
            self.constraints.append(made)

    def _datas(self) -> Any:
        return self.pin.StdVec_RigidConstraintData([c.createData() for c in self.constraints])

    def prepared(
        self, function: str, mu: float, most: int, given: Sequence[Array]
    ) -> Callable[[], Array]:
        """A call that gives v̇, in an array of Pinocchio's, of what q, v and τ hold by then."""
        pin, data = self.pin, self.model.createData()
        datas = pin.StdVec_RigidConstraintData([c.createData() for c in self.constraints])
        if function == "lcaba":
            pin.computeJointMinimalOrdering(self.model, data, self.constraints)
        else:
            pin.initConstraintDynamics(self.model, data, self.constraints, datas)
        settings = pin.ProximalSettings(1e-14, 1e-14, mu, most)
        held = (self.constraints, datas, settings)
        return partial(getattr(pin, function), self.model, data, *given, *held)

    def _call(self, algorithm: str) -> Callable[[Array, Array, Array], Array]:
        """The same of other arrays each time, and of data that are made once."""
        if algorithm not in self._calls:
            own = [np.zeros(self.model.nq), *np.zeros((2, self.model.nv))]
            prepared = self.prepared(*ALGORITHMS[algorithm], own)

            def call(*given: Array) -> Array:
                for place, array in zip(own, given, strict=True):
                    place[:] = array
                return np.array(prepared())

            self._calls[algorithm] = call
        return self._calls[algorithm]

    def forward(self, algorithm: str, state: State, v: Array) -> Array:
        """v̇ of every speed of the tree in our order, at speeds v; of places it is 0."""
        q, speeds, tau = self.arrays(state, v)
        call = self._call(algorithm)
        found = call(q, speeds, tau)
        if self.universals:
            found = self._with_universals(call, q, speeds, tau, found)
        return self.ours(state.q, v, found)

    def _with_universals(
        self,
        call: Callable[[Array, Array, Array], Array],
        q: Array,
        v: Array,
        tau: Array,
        free: Array,
    ) -> Array:
        """One effort a row, from the responses to unit efforts at rest and without weight."""
        rows, gamma = self._universal_rows(q, v)
        kept, still = np.array(self.model.gravity.linear), np.zeros_like(v)
        self.model.gravity.linear = np.zeros(3)
        answers = np.array([call(q, still, row) for row in rows]).T
        self.model.gravity.linear = kept
        efforts = np.linalg.solve(rows @ answers, -(gamma + rows @ free))
        return call(q, v, tau + rows.T @ efforts)

    def _universal_rows(self, q: Array, v: Array) -> tuple[Array, Array]:
        pin, model = self.pin, self.model
        data = model.createData()
        pin.forwardKinematics(model, data, q, v, np.zeros(model.nv))
        pin.computeJointJacobians(model, data, q)
        rows, gamma = [], []
        for universal in self.universals:
            J, omega, alpha, axes = [], [], [], []
            for (joint, X), k in ((universal.x, 0), (universal.y, 1)):
                own = pin.getJointJacobian(model, data, joint, pin.ReferenceFrame.LOCAL)
                R = data.oMi[joint].rotation
                J.append(R @ own[3:])
                omega.append(R @ data.v[joint].angular)
                alpha.append(R @ data.a[joint].angular)
                axes.append(R @ X.R[:, k])
            a, b = axes
            across = np.cross(a, b)
            turning = np.cross(np.cross(omega[0], a), b) + np.cross(a, np.cross(omega[1], b))
            rows.append(across @ (J[0] - J[1]))
            gamma.append(across @ (alpha[0] - alpha[1]) + turning @ (omega[0] - omega[1]))
        return np.array(rows), np.array(gamma)

    def arrays(self, state: State, v: Array) -> tuple[Array, Array, Array]:
        """q, v and τ as Pinocchio has them."""
        q, speeds = self.pin.neutral(self.model), np.zeros(self.model.nv)
        tau, efforts = np.zeros(self.model.nv), state.tree_efforts()
        for index, joint in enumerate(self.joints, 1):
            at, own = self.model.joints[index].idx_q, self.model.joints[index].idx_v
            q[at : at + joint.q.stop - joint.q.start] = _quaternion_last(joint, state.q[joint.q])
            moving, acting = v[joint.v], efforts[joint.v]
            if joint.edge.joint.kind is JointKind.FREE:
                R = rotation_of(state.q[joint.q][3:])
                moving, acting = (np.concatenate([R.T @ x[:3], x[3:]]) for x in (moving, acting))
            speeds[own : own + len(moving)], tau[own : own + len(moving)] = moving, acting
        return q, speeds, tau + self._wrench(state, q)

    def _wrench(self, state: State, q: Array) -> Array:
        pin, data = self.pin, self.model.createData()
        pin.computeJointJacobians(self.model, data, q)
        body = next(w for w in state.compiled.welded if w.name == state.body)
        joint, X = self.on[body.host]
        J = pin.getJointJacobian(self.model, data, joint, pin.ReferenceFrame.LOCAL)
        R, p = data.oMi[joint].rotation, (X @ body.pose).p
        force, moment = R.T @ state.wrench[:3], R.T @ state.wrench[3:]
        return np.asarray(J[:3].T @ force + J[3:].T @ (moment + np.cross(p, force)))

    def ours(self, q: Array, v: Array, found: Array) -> Array:
        """v̇ in our order. Linear accelerations of a free joint are of the moved frame's axes."""
        a = np.zeros(self.compiled.nv)
        for index, joint in enumerate(self.joints, 1):
            own = self.model.joints[index].idx_v
            part = found[own : own + joint.v.stop - joint.v.start]
            if joint.edge.joint.kind is JointKind.FREE:
                R, omega = rotation_of(q[joint.q][3:]), v[joint.v][3:]
                turned = R @ part[:3] + R @ np.cross(omega, R.T @ v[joint.v][:3])
                part = np.concatenate([turned, part[3:]])
            a[joint.v] = part
        return a


def _quaternion_last(joint: TreeJoint, q: Array) -> Array:
    """w last, where Pinocchio has it, and of unit length."""
    if joint.edge.joint.kind not in (JointKind.BALL, JointKind.FREE):
        return q
    w, *xyz = q[-4:] / np.linalg.norm(q[-4:])
    return np.array([*q[:-4], *xyz, w])
