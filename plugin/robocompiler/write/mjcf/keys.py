"""Configurations as keys: `qpos` of each, in the order of the model's joints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

import numpy as np

from robocompiler.compiler.compiled import TreeJoint
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.describe import coordinates
from robocompiler.solve.state import evaluate
from robocompiler.spatial import Array, Pose, quaternion_product
from robocompiler.write.export import Export
from robocompiler.write.numbers import numbers
from robocompiler.write.zeros import FLOATS, is_place, note_zero

COUNTS = {
    JointKind.BALL: "it counts from where it stands, along its body's axes",
    JointKind.FREE: FLOATS,
}
"""How MuJoCo counts what it has no `ref` for."""


def key_elements(export: Export, order: Sequence[TreeJoint]) -> Iterator[Element]:
    """A `<key>` of each configuration; none where nothing moves.

    Args:
        export: the mechanism; the bodies' places where it stands are `qpos0`.
        order: the tree joints as their MJCF joints come.
    """
    compiled, start = export.compiled, export.q
    for name, configuration in export.configurations.items():
        q = coordinates(compiled, configuration)
        poses = evaluate(compiled, q).poses
        values = [x for own in order for x in joint_qpos(own, start, q, poses)]
        if values:
            yield Element("key", name=name, qpos=numbers(values))


def joint_qpos(
    tree_joint: TreeJoint, start: Array, q: Array, poses: Sequence[Pose]
) -> Sequence[float]:
    """What MuJoCo calls a joint's coordinates.

    A free joint's are its body's place in the world, a ball's how far it has turned from `qpos0`.
    Hinges and slides count as the joint does, since its coordinate at `qpos0` is their `ref`.
    """
    joint, own = tree_joint.edge.joint, q[tree_joint.q]
    if joint.kind is JointKind.FREE:
        X_WB = poses[tree_joint.outboard]
        return (*X_WB.position, *X_WB.quaternion)
    if joint.kind is JointKind.BALL:
        return [float(x) for x in _turned(tree_joint, start[tree_joint.q], own)]
    if joint.kind is JointKind.SCREW:
        return (float(own[0]), joint.pitch * float(own[0]))
    values = [float(x) for x in own]
    return values[::-1] if tree_joint.reversed else values


def _turned(tree_joint: TreeJoint, start: Array, q: Array) -> Array:
    """The rotation of the outboard body from where it starts, along its own axes, w x y z.

    Of the child side M it is q₀⁻¹ q along M's axes; of the parent side F, q₀ q⁻¹ along F's.
    """
    back = np.array([1.0, -1.0, -1.0, -1.0])
    if tree_joint.reversed:
        turn, X_BJ = quaternion_product(start, back * q), tree_joint.edge.X_PF
    else:
        turn, X_BJ = quaternion_product(back * start, q), tree_joint.edge.X_CM
    turn = np.concatenate([turn[:1], X_BJ.R @ turn[1:]])
    return np.asarray(turn / np.linalg.norm(turn))


def note_zeros(export: Export) -> None:
    """Enter from where balls and free bodies count: MuJoCo has no `ref` for them."""
    compiled, start = export.compiled, export.q
    standing = [coordinates(compiled, own) for own in export.configurations.values()]
    states = [(q, evaluate(compiled, q).poses) for q in standing]
    for own in compiled.tree:
        joint = own.edge.joint
        if joint.kind not in COUNTS or (joint.kind is JointKind.FREE and is_place(own)):
            continue
        pairs = [(joint_qpos(own, start, q, poses), q[own.q].tolist()) for q, poses in states]
        note_zero(export.ledger, joint.name, COUNTS[joint.kind], pairs)
