"""Constrained forward dynamics by MuJoCo's `mj_forward`, from the same compiled mechanism.

Cut joints as equalities between sites: a ball is a `connect`, a weld a `weld`, a revolute two
`connect` 0.1 m apart on its axis; what a universal joint holds beyond its point is a spatial tendon
of constant length between x of one side and y of the other, as in the papers. The settings are
theirs too: Newton, 100 iterations, tolerance 1e-12, constraints as stiff as solref 0.004 1 and
solimp 0.9999 0.9999 0.001 make them. They are soft by design.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from accuracy_figures.state import State
from robocompiler.compiler.compiled import CompiledMechanism, Edge, TreeJoint
from robocompiler.equations.kinematics import joint_motion
from robocompiler.model.joint_kinds import Factor, JointKind
from robocompiler.model.validity import inertia_tensor
from robocompiler.spatial import Array, Pose

APART = 0.1
"""Of a revolute's two points, and of a universal's tendon from its point [m]."""
SOLREF, SOLIMP = (0.004, 1.0), (0.9999, 0.9999, 0.001, 0.5, 2.0)
AXES = {
    Factor.MOVE_X: 0,
    Factor.MOVE_Y: 1,
    Factor.MOVE_Z: 2,
    Factor.TURN_X: 0,
    Factor.TURN_Y: 1,
    Factor.TURN_Z: 2,
}


def missing() -> str | None:
    """Why there is no MuJoCo, if there is none."""
    try:
        import mujoco
    except ImportError as error:
        return f"MuJoCo cannot be imported ({error})"
    return None if hasattr(mujoco, "MjSpec") else "a MuJoCo without MjSpec"


class MuJoCo:
    """A mechanism in MuJoCo."""

    def __init__(self, compiled: CompiledMechanism, q: Array) -> None:
        import mujoco

        self.mujoco, self.compiled, self.version = mujoco, compiled, mujoco.__version__
        self.spec = spec = mujoco.MjSpec()
        spec.option.gravity = (0.0, 0.0, -9.81)
        spec.option.solver = mujoco.mjtSolver.mjSOL_NEWTON
        spec.option.iterations, spec.option.tolerance = 100, 1e-12
        spec.option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
        spec.compiler.degree = False
        self.on: dict[int, tuple[Any, Pose]] = {0: (spec.worldbody, Pose.identity())}
        self.joints: list[TreeJoint] = []
        self.sites = 0
        self.lengths: list[str] = []
        for joint in compiled.tree:
            self._add(joint, q)
        for closure in compiled.closures:
            self._close(closure.chord)
        self.model = self._compiled()
        self.data = mujoco.MjData(self.model)

    def _compiled(self) -> Any:
        model = self.spec.compile()
        for name in self.lengths:  # MuJoCo measures from the length at qpos0
            at = model.equality(name)
            own = model.tendon(name).id
            model.eq_data[at.id, 0] = np.sqrt(2.0) * APART - model.tendon_length0[own]
        return model

    def _add(self, joint: TreeJoint, q: Array) -> None:
        edge, (parent, X) = joint.edge, self.on[joint.inboard]
        ends = (edge.X_CM, edge.X_PF) if joint.reversed else (edge.X_PF, edge.X_CM)
        frame = X @ ends[0]
        if joint.prescribed:
            moved = joint_motion(edge.joint.kind, q[joint.q], edge.joint.pitch)
            moved = moved.inverse() if joint.reversed else moved
            self.on[joint.outboard] = parent, frame @ moved @ ends[1].inverse()
            return
        body = parent.add_body(name=f"b{joint.outboard}", pos=frame.position, quat=frame.quaternion)
        inner = ends[1].inverse()
        self._weigh(body, joint.outboard, inner)
        self._joint(body, joint)
        self.on[joint.outboard] = body, inner
        self.joints.append(joint)

    def _weigh(self, body: Any, index: int, X: Pose) -> None:
        inertia = self.compiled.bodies[index].inertia
        if inertia is None:
            return
        full = X.R @ inertia_tensor(inertia) @ X.R.T
        body.mass, body.ipos = inertia.mass, X.R @ np.array(inertia.center) + X.p
        body.fullinertia = [*np.diag(full), full[0, 1], full[0, 2], full[1, 2]]
        body.explicitinertial = True

    def _joint(self, body: Any, joint: TreeJoint) -> None:
        kind, kinds = joint.edge.joint.kind, self.mujoco.mjtJoint
        name = f"j{joint.v.start}"
        if kind is JointKind.FREE:
            body.add_joint(name=name, type=kinds.mjJNT_FREE, align=0)
        elif kind is JointKind.BALL and not joint.reversed:
            body.add_joint(name=name, type=kinds.mjJNT_BALL)
        else:
            sign = -1.0 if joint.reversed else 1.0
            ways = list(enumerate(kind.factors))
            for k, factor in reversed(ways) if joint.reversed else ways:
                axis = sign * np.eye(3)[AXES[factor]]
                of = kinds.mjJNT_HINGE if factor.is_turn else kinds.mjJNT_SLIDE
                body.add_joint(name=f"j{joint.v.start + k}", type=of, axis=axis)

    def _site(self, body: Any, X: Pose) -> str:
        self.sites += 1
        name = f"s{self.sites}"
        body.add_site(name=name, pos=X.position, quat=X.quaternion)
        return name

    def _close(self, chord: Edge) -> None:
        (a, X), (b, Y) = self.on[chord.parent], self.on[chord.child]
        F, M, kind = X @ chord.X_PF, Y @ chord.X_CM, chord.joint.kind
        kinds = self.mujoco.mjtEq
        self._equal(kinds.mjEQ_WELD if kind is JointKind.FIXED else kinds.mjEQ_CONNECT, a, F, b, M)
        if kind is JointKind.REVOLUTE:
            along = Pose(np.eye(3), np.array([0.0, 0.0, APART]))
            self._equal(kinds.mjEQ_CONNECT, a, F @ along, b, M @ along)
        elif kind is JointKind.UNIVERSAL:
            name = f"t{self.sites}"
            ends = [Pose(np.eye(3), APART * e) for e in np.eye(3)[:2]]
            tendon = self.spec.add_tendon(name=name)
            tendon.wrap_site(self._site(a, F @ ends[0]))
            tendon.wrap_site(self._site(b, M @ ends[1]))
            made = self.spec.add_equality(name=name, type=kinds.mjEQ_TENDON, name1=name)
            made.solref, made.solimp = SOLREF, SOLIMP
            made.data[:] = 0.0
            made.data[1] = 1.0
            self.lengths.append(name)
        elif kind not in (JointKind.BALL, JointKind.FIXED):
            raise NotImplementedError(f"a cut {kind.value} joint in MuJoCo")

    def _equal(self, of: Any, a: Any, F: Pose, b: Any, M: Pose) -> None:
        made = self.spec.add_equality(type=of, objtype=self.mujoco.mjtObj.mjOBJ_SITE)
        made.name1, made.name2 = self._site(a, F), self._site(b, M)
        made.solref, made.solimp = SOLREF, SOLIMP
        if of == self.mujoco.mjtEq.mjEQ_WELD:
            made.data[10] = 1.0  # torques count as forces at a metre

    def forward(self, state: State, v: Array) -> Array:
        """v̇ of every speed of the tree in our order, at speeds v; of places it is 0."""
        model, data, efforts = self.model, self.data, state.tree_efforts()
        data.qfrc_applied[:] = 0.0
        for joint in self.joints:
            for own, values, at in self._slots(joint):
                data.qpos[own.qposadr[0] : own.qposadr[0] + len(values)] = state.q[values]
                speeds = slice(own.dofadr[0], own.dofadr[0] + len(at))
                data.qvel[speeds], data.qfrc_applied[speeds] = v[at], efforts[at]
        data.xfrc_applied[:] = 0.0
        self._push(state)
        self.mujoco.mj_forward(model, data)
        a = np.zeros(self.compiled.nv)
        for joint in self.joints:
            for own, _, at in self._slots(joint):
                a[at] = data.qacc[own.dofadr[0] : own.dofadr[0] + len(at)]
        return a

    def _slots(self, joint: TreeJoint) -> list[tuple[Any, list[int], list[int]]]:
        """Its joints there, and their coordinates and speeds here."""
        if joint.edge.joint.kind in (JointKind.FREE, JointKind.BALL):
            own = self.model.joint(f"j{joint.v.start}")
            q, v = range(joint.q.start, joint.q.stop), range(joint.v.start, joint.v.stop)
            return [(own, list(q), list(v))]
        return [
            (self.model.joint(f"j{speeds[0]}"), list(values), list(speeds))
            for values, speeds in joint.factors
        ]

    def _push(self, state: State) -> None:
        """The wrench at the body's origin, moved to its centre of mass, where MuJoCo has it."""
        self.mujoco.mj_kinematics(self.model, self.data)
        self.mujoco.mj_comPos(self.model, self.data)
        body = next(w for w in state.compiled.welded if w.name == state.body)
        own = self.model.body(f"b{body.host}").id
        R = self.data.xmat[own].reshape(3, 3)
        origin = self.data.xpos[own] + R @ (self.on[body.host][1] @ body.pose).p
        force, moment = state.wrench[:3], state.wrench[3:]
        arm = origin - self.data.xipos[own]
        self.data.xfrc_applied[own] = np.concatenate([force, moment + np.cross(arm, force)])
