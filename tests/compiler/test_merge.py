from dataclasses import replace

import numpy as np

from mechanisms import four_bar
from robocompiler.compiler.merge import merge_welded
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Body, Frame, Inertia, Joint, Mechanism
from robocompiler.model.validity import inertia_tensor
from robocompiler.spatial import exp_rotation, quaternion_of


def bodies_in_general_position(n=5):
    """Welded in a chain, each at another place and angle; body 0 free."""
    random = np.random.default_rng(7)
    bodies, frames, joints = [], [Frame(name="w", body=WORLD), Frame(name="b0.o", body="b0")], []
    joints.append(Joint(name="free", kind=JointKind.FREE, parent="w", child="b0.o"))
    for i in range(n):
        a, b, c = random.uniform(1.0, 2.0, 3)
        inertia = Inertia(
            mass=float(random.uniform(0.5, 2.0)),
            center=tuple(random.uniform(-1, 1, 3).tolist()),
            moments=(a, b, c),
            products=tuple(random.uniform(-0.2, 0.2, 3).tolist()),
        )
        bodies.append(Body(name=f"b{i}", inertia=inertia))
    for i in range(1, n):
        w, p = random.uniform(-1, 1, 3), random.uniform(-1, 1, 3)
        rotation = tuple(quaternion_of(exp_rotation(w)).tolist())
        frames += [
            Frame(name=f"F{i}", body=f"b{i - 1}", position=tuple(p.tolist()), rotation=rotation),
            Frame(name=f"M{i}", body=f"b{i}", position=tuple(w.tolist())),
        ]
        parent, child = (f"F{i}", f"M{i}") if i % 2 else (f"M{i}", f"F{i}")
        joints.append(Joint(name=f"j{i}", kind=JointKind.FIXED, parent=parent, child=child))
    return Mechanism(
        name="welded", bodies=tuple(bodies), frames=tuple(frames), joints=tuple(joints)
    )


def test_a_merged_body_weighs_balances_and_turns_as_its_parts_did():
    """Against the moments of the parts' masses as clouds of points about the world's origin."""
    mechanism = bodies_in_general_position()
    graph = merge_welded(mechanism)
    mass, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for body, welded in zip(mechanism.bodies, graph.welded, strict=True):
        X = welded.pose
        tensor = inertia_tensor(body.inertia)
        spread = np.trace(tensor) / 2 * np.eye(3) - tensor  # ∫ r rᵀ dm about the centre
        center = X.R @ np.array(body.inertia.center) + X.p
        mass += body.inertia.mass
        first += body.inertia.mass * center
        second += X.R @ spread @ X.R.T + body.inertia.mass * np.outer(center, center)
    (_, merged) = graph.bodies
    center = first / mass
    spread = second - mass * np.outer(center, center)
    np.testing.assert_allclose(merged.inertia.mass, mass)
    np.testing.assert_allclose(merged.inertia.center, center, atol=1e-14)
    expected = np.trace(spread) * np.eye(3) - spread
    np.testing.assert_allclose(inertia_tensor(merged.inertia), expected, atol=1e-13)


def test_no_fixed_joint_is_left_and_merging_again_changes_nothing():
    graph = merge_welded(bodies_in_general_position())
    assert [edge.joint.kind for edge in graph.edges] == [JointKind.FREE]
    mechanism = four_bar()
    merged = merge_welded(mechanism)
    again = replace(
        mechanism,
        bodies=merged.bodies[1:],
        frames=tuple(replace(f, body=WORLD) if f.body == "ground" else f for f in mechanism.frames),
        joints=mechanism.joints[1:],
    )
    twice = merge_welded(again)
    assert [b.inertia for b in twice.bodies[1:]] == [b.inertia for b in merged.bodies[1:]]
    assert [e.joint for e in twice.edges] == [e.joint for e in merged.edges]


def test_joints_stand_where_they_stood():
    """The frames of a joint on a merged body are where they were in the world."""
    mechanism = bodies_in_general_position()
    tip = replace(
        mechanism,
        bodies=(*mechanism.bodies, Body(name="tip", inertia=Inertia(mass=1.0, moments=(1, 1, 1)))),
        frames=(
            *mechanism.frames,
            Frame(name="tip.o", body="tip"),
            Frame(name="b4.t", body="b4", position=(0.3, 0.2, 0.1)),
        ),
        joints=(
            *mechanism.joints,
            Joint(name="hinge", kind=JointKind.REVOLUTE, parent="b4.t", child="tip.o"),
        ),
    )
    graph = merge_welded(tip)
    edge = next(e for e in graph.edges if e.joint.name == "hinge")
    X = next(w.pose for w in graph.welded if w.name == "b4")
    np.testing.assert_allclose(edge.X_PF.p, X.R @ [0.3, 0.2, 0.1] + X.p, atol=1e-14)
    assert graph.bodies[edge.parent].name == "b0"
