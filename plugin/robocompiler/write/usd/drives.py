"""What drives and slows a joint, as USD's own schemas and Newton's for joints have it."""

from __future__ import annotations

from robocompiler.model.actuation import actuated_joints
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Joint
from robocompiler.write.links import LinkJoint
from robocompiler.write.usd.acting import acting
from robocompiler.write.usd.prims import Prim, real, token
from robocompiler.write.usd.scene import Scene, in_degrees

MIXED = frozenset({JointKind.CYLINDRICAL, JointKind.PLANAR})
"""Kinds that turn and move in one joint, whose coordinates have one damping in two units."""


def drive(prim: Prim, scene: Scene, joint: LinkJoint, axes: dict[str, int]) -> None:
    """Drives of force for those coordinates of a joint that something moves: no spring, no damper,
    only how much they can do.

    Args:
        prim: of the joint.
        scene: of the stage.
        joint: the joint, or one axis of it.
        axes: what USD calls the joint's coordinates, and which of its values each is.
    """
    own = scene.joint_of(joint.source)
    driven = actuated_joints(scene.compiled.mechanism).get(own.name, frozenset())
    for axis, number in axes.items():
        factor = number if joint.part is None else joint.part
        if factor not in driven:
            continue
        prim.schemas += (f"PhysicsDriveAPI:{axis}",)
        name = f"drive:{axis}:physics"
        prim.attributes |= {
            f"{name}:type": token("force"),
            f"{name}:stiffness": real(0.0),
            f"{name}:damping": real(0.0),
        }
        effort = acting(scene, own, factor).effort
        if effort is not None:
            prim.attributes[f"{name}:maxForce"] = real(effort)


def slow(prim: Prim, scene: Scene, joint: LinkJoint) -> None:
    """Damping, friction, armature and velocity limit: one number each for all coordinates.

    Of turns per degree, as USD has angles. A rotor turns with one coordinate: where the joint has
    several, the number has no place for it.
    """
    own = scene.joint_of(joint.source)
    if joint.kind in MIXED or is_advance(own, joint):
        return
    turns = joint.turns or joint.kind in (JointKind.BALL, JointKind.UNIVERSAL)
    single = joint.kind in (JointKind.REVOLUTE, JointKind.PRISMATIC)
    said = {
        "damping": own.damping / in_degrees(1.0) if turns else own.damping,
        "friction": own.friction,
        "armature": acting(scene, own, joint.part or 0).armature if single else own.armature,
    }
    if own.velocity is not None and not scene.profile.mujoco:
        said["velocityLimit"] = in_degrees(own.velocity) if turns else own.velocity
    written = {f"newton:{name}": real(value) for name, value in said.items() if value}
    if written:
        prim.schemas += ("NewtonJointAPI",)
        prim.attributes |= written


def is_advance(own: Joint, joint: LinkJoint) -> bool:
    """Whether it is the advance of a screw, of which all that acts does so on its turn."""
    return own.kind is JointKind.SCREW and joint.part == 1
