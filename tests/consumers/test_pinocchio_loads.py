"""What the balls of a Stewart platform carry, against the contact forces of Pinocchio."""

import numpy as np
import pinocchio as pin
import pytest

import robocompiler as rc
from linkages.stewart import stewart, task_pose
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.validity import inertia_tensor
from robocompiler.spatial import Pose

MADE = {
    JointKind.REVOLUTE: pin.JointModelRZ,
    JointKind.PRISMATIC: pin.JointModelPZ,
    JointKind.BALL: pin.JointModelSpherical,
}


def placed(X):
    return pin.SE3(X.R, X.p)


def pinocchio_model(compiled):
    """The tree, and the cut balls as points that meet; the index of each tree joint there."""
    model, on, index = pin.Model(), {0: (0, Pose.identity())}, {}
    model.gravity.linear = np.array([0.0, 0.0, -9.81])
    waiting = [t for t in reversed(compiled.tree) if t.inboard == 0]
    while waiting:
        joint = waiting.pop()
        edge, (parent, X) = joint.edge, on[joint.inboard]
        assert not joint.reversed
        own = model.addJoint(
            parent, MADE[edge.joint.kind](), placed(X @ edge.X_PF), edge.joint.name
        )
        on[joint.outboard], index[edge.joint.name] = (own, edge.X_CM.inverse()), own
        inertia = compiled.bodies[joint.outboard].inertia
        made = pin.Inertia(inertia.mass, np.array(inertia.center), inertia_tensor(inertia))
        model.appendBodyToJoint(own, made, placed(edge.X_CM.inverse()))
        waiting += [t for t in reversed(compiled.tree) if t.inboard == joint.outboard]
    points = pin.StdVec_RigidConstraintModel()
    for closure in compiled.closures:
        (a, X), (b, Y) = on[closure.chord.parent], on[closure.chord.child]
        ends = (a, placed(X @ closure.chord.X_PF), b, placed(Y @ closure.chord.X_CM))
        kind = pin.ContactType.CONTACT_3D
        points.append(pin.RigidConstraintModel(kind, model, *ends, pin.ReferenceFrame.LOCAL))
    return model, points, index


@pytest.mark.parametrize("time", [0.4, 5.7, 12.0])
def test_balls_carry_what_pinocchio_says(time):
    compiled = rc.compile(stewart(task_pose(time)))
    q = rc.coordinates(compiled, rc.assemble(compiled))
    names = tuple(f"leg {i} length" for i in range(6))
    u, u_dot = np.random.default_rng(4).uniform(-0.4, 0.4, (2, 6))
    motion = rc.inverse_dynamics(compiled, q, u, u_dot, independent=names)
    loads = rc.joint_loads(compiled, q, u, u_dot, independent=names)
    model, points, index = pinocchio_model(compiled)
    there, v, tau = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
    for joint in compiled.tree:
        own = model.joints[index[joint.edge.joint.name]]
        x = q[joint.q]
        there[own.idx_q : own.idx_q + own.nq] = x if own.nq == 1 else [*x[1:], x[0]]
        v[own.idx_v : own.idx_v + own.nv] = motion.v[joint.v]
        if joint.edge.joint.name in names:
            tau[own.idx_v] = motion.of(joint.edge.joint.name)
    data = model.createData()
    datas = pin.StdVec_RigidConstraintData([point.createData() for point in points])
    pin.initConstraintDynamics(model, data, points, datas)
    settings = pin.ProximalSettings(1e-14, 1e-14, 1e-12, 8)
    pin.constraintDynamics(model, data, there, v, tau, points, datas, settings)
    size = np.max(np.abs(loads.wrenches))
    for closure, own in zip(compiled.closures, datas, strict=True):
        name = closure.chord.joint.name
        assert all(loads.determinate(name))
        # Pinocchio's is on its first body, the joint's parent, along the axes of F.
        force = own.contact_force.linear
        np.testing.assert_allclose(loads.of(name)[:3], -force, atol=1e-11 * size)
        np.testing.assert_allclose(loads.of(name)[3:], 0.0, atol=1e-12 * size)
