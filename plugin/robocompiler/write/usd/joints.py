"""The joints of the tree: frames on both sides that coincide where the coordinate is 0."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from robocompiler.equations.kinematics import joint_motion
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import OPEN
from robocompiler.spatial import Pose
from robocompiler.write.links import LinkJoint
from robocompiler.write.usd.drives import drive, slow
from robocompiler.write.usd.mujoco import describe_joint
from robocompiler.write.usd.physx import make_root
from robocompiler.write.usd.prims import Prim, point, real, token, turn
from robocompiler.write.usd.scene import FLIP, Scene, display, holds, in_degrees

TYPES = {
    JointKind.REVOLUTE: "PhysicsRevoluteJoint",
    JointKind.PRISMATIC: "PhysicsPrismaticJoint",
    JointKind.BALL: "PhysicsSphericalJoint",
    JointKind.FIXED: "PhysicsFixedJoint",
}
"""Other kinds are joints of six freedoms, some of them locked."""
AXES = {
    JointKind.CYLINDRICAL: ("rotZ", "transZ"),
    JointKind.UNIVERSAL: ("rotX", "rotY"),
    JointKind.PLANAR: ("transX", "transY", "rotZ"),
    JointKind.TRANSLATION: ("transX", "transY", "transZ"),
}
"""Free axes of kinds that are joints of six freedoms, in the order of their factors."""
ALL_AXES = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
LOCKED = (1.0, -1.0)
"""Limits of a freedom that is none: the lower above the upper."""
QUARTER = Pose(np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]), np.zeros(3))
"""About z: a hinge or a slide along z is the same with both of its frames turned so."""
UNSTATED = 1e-5
"""[m or a share of a turn]: ten times as near as Newton looks."""
_SWAPPED = str.maketrans("XY", "YX")
_TO_X = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
_TO_Y = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
_TURNS = (_TO_X, _TO_Y, np.eye(3))
"""Rotations that bring z to x, to y, to z."""


def joint_prims(scene: Scene) -> Iterator[Prim]:
    """What fixes the base, then every joint of the tree."""
    if scene.base_is_rigid:
        yield _fixed_base(scene)
    for joint in scene.tree.joints:
        if holds(joint.kind):
            yield joint_prim(scene, joint)


def _fixed_base(scene: Scene) -> Prim:
    X_WB = scene.base_pose
    prim = Prim(name="fixed", type=TYPES[JointKind.FIXED])
    if scene.profile.physx:
        make_root(prim, scene)
    connect(prim, "", scene.path(scene.tree.links[0].name), X_WB, Pose.identity())
    return prim


def joint_prim(scene: Scene, joint: LinkJoint) -> Prim:
    """A joint, with its limits."""
    X_PF, X_CM = joint_frames(scene, joint)
    name = scene.joints[joint.name]
    prim = Prim(
        name=name,
        type=TYPES.get(joint.kind, "PhysicsJoint"),
        display=display(joint.name, name),
    )
    inner, outer = scene.inner_link(joint), scene.outer_link(joint)
    connect(prim, scene.joint_end(inner)[0], scene.joint_end(outer)[0], X_PF, X_CM)
    if prim.type in ("PhysicsRevoluteJoint", "PhysicsPrismaticJoint"):
        prim.attributes["physics:axis"] = token("Z")
        _limit(prim, joint.limits, joint.turns)
    elif joint.kind is not JointKind.BALL:  # of which PhysX takes no axis but x, the default
        _lock(prim, scene, joint)
    _stand(prim, scene, joint)
    if scene.profile.mujoco:
        describe_joint(prim, scene, joint)
    else:
        drive(prim, scene, joint, coordinates(scene, joint))
    slow(prim, scene, joint)
    return prim


def joint_frames(scene: Scene, joint: LinkJoint) -> tuple[Pose, Pose]:
    """The joint's frame seen from the prim it leads from, and from that it leads to."""
    inner, outer = scene.inner_link(joint), scene.outer_link(joint)
    X_WM = scene.at[joint.child] @ _child_frame(scene, joint)
    X_WF = X_WM @ _motion(scene, joint).inverse()
    (path, X_WP), (_, X_WC) = scene.joint_end(inner), scene.joint_end(outer)
    X_PF, X_CM = X_WP.inverse() @ X_WF, X_WC.inverse() @ X_WM
    if not path and joint.kind in (JointKind.REVOLUTE, JointKind.PRISMATIC) and _is_none(X_PF):
        X_PF, X_CM = X_PF @ QUARTER, X_CM @ QUARTER
    return X_PF, X_CM


def _is_none(X: Pose) -> bool:
    """Whether Newton takes a frame on the world for one that is not stated.

    It then puts it where the joint would be at 0 as the bodies stand, wherever that is.
    """
    return bool(np.linalg.norm(X.p) < UNSTATED and abs(X.quaternion[0]) > 1.0 - UNSTATED)


def _child_frame(scene: Scene, joint: LinkJoint) -> Pose:
    """The joint's frame seen from the link it leads to: z along its axis, if it has one.

    One crossed backwards has its axes turned round, so that its coordinates stay the mechanism's.
    """
    R = np.eye(3)
    if joint.kind in (JointKind.REVOLUTE, JointKind.PRISMATIC):
        along = joint.X_CM.R.T @ np.array(joint.axis)
        index = int(np.argmax(np.abs(along)))
        R = _TURNS[index] @ (np.eye(3) if along[index] > 0.0 else FLIP)
    elif _crossed_backwards(scene, joint):
        R = FLIP
    return joint.X_CM @ Pose(R, np.zeros(3))


def _crossed_backwards(scene: Scene, joint: LinkJoint) -> bool:
    """Whether a joint of six freedoms leads to the mechanism's parent side."""
    return joint.kind in AXES and scene.compiled.tree[joint.source].reversed


def _motion(scene: Scene, joint: LinkJoint) -> Pose:
    """How its frame on the far side stands in that on the near side."""
    at = joint.at
    if _crossed_backwards(scene, joint) and joint.kind is not JointKind.CYLINDRICAL:
        x, y, *rest = at
        at = (y, x, *rest)
    return joint_motion(joint.kind, np.array(at), 0.0)


def connect(prim: Prim, inner: str, outer: str, X_PF: Pose, X_CM: Pose) -> None:
    """The bodies that a joint is between, and its frames on them.

    Args:
        prim: of the joint.
        inner: path of the body that it leads from; "" for the world.
        outer: of that it leads to.
        X_PF: its frame on the first.
        X_CM: on the second.
    """
    for number, path, X in ((0, inner, X_PF), (1, outer, X_CM)):
        if path:
            prim.relations[f"physics:body{number}"] = (path,)
        prim.attributes[f"physics:localPos{number}"] = point(X.position)
        prim.attributes[f"physics:localRot{number}"] = turn(X.quaternion)


def _limit(prim: Prim, limits: tuple[float, float], turns: bool) -> None:
    if limits != OPEN:
        low, high = (in_degrees(v) if turns else v for v in limits)
        prim.attributes["physics:lowerLimit"] = real(low)
        prim.attributes["physics:upperLimit"] = real(high)


def _lock(prim: Prim, scene: Scene, joint: LinkJoint) -> None:
    """Which of the six freedoms are locked, and the limits of the others."""
    limits = scene.joint_of(joint.source).limits
    factors = coordinates(scene, joint)
    free_only(prim, {axis: limits[i] if limits else OPEN for axis, i in factors.items()})


def free_only(prim: Prim, free: dict[str, tuple[float, float]]) -> None:
    """Lock all of a joint's six freedoms but some, which have these limits [m or rad].

    Open ones are stated too: Newton locks what is not.
    """
    for axis in ALL_AXES:
        low, high = free.get(axis, LOCKED)
        if axis in free and axis.startswith("rot"):
            low, high = in_degrees(low), in_degrees(high)
        prim.schemas += (f"PhysicsLimitAPI:{axis}",)
        prim.attributes[f"limit:{axis}:physics:low"] = real(low)
        prim.attributes[f"limit:{axis}:physics:high"] = real(high)


def coordinates(scene: Scene, joint: LinkJoint) -> dict[str, int]:
    """What USD calls a joint's coordinates, and which of its values each is; none of a ball's."""
    if joint.kind in (JointKind.REVOLUTE, JointKind.PRISMATIC):
        return {"angular" if joint.turns else "linear": 0}
    axes = AXES.get(joint.kind, ())
    if _crossed_backwards(scene, joint):
        axes = tuple(axis.translate(_SWAPPED) for axis in axes)
    return {axis: index for index, axis in enumerate(axes)}


def _stand(prim: Prim, scene: Scene, joint: LinkJoint) -> None:
    """Where the joint stands: PhysX and Newton take it from here, not from where the bodies are."""
    for axis, index in coordinates(scene, joint).items():
        turns = axis == "angular" or axis.startswith("rot")
        at = joint.at[index]
        prim.schemas += (f"PhysicsJointStateAPI:{axis}",)
        prim.attributes[f"state:{axis}:physics:position"] = real(in_degrees(at) if turns else at)
