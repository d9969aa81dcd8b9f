"""What drives a joint: its effort limit, on the joint's side of any gear."""

from __future__ import annotations

from robocompiler.model.actuation import actuated_joints
from robocompiler.model.mechanism import Actuator
from robocompiler.model.validity import coordinate_names
from robocompiler.write.links import LinkJoint
from robocompiler.write.usd.prims import Prim, real, token
from robocompiler.write.usd.scene import Scene


def drive(prim: Prim, scene: Scene, joint: LinkJoint, axes: tuple[str, ...]) -> None:
    """Drives of force for those coordinates of a joint that something moves: no spring, no damper,
    only how much they can do.

    Args:
        prim: of the joint.
        scene: of the stage.
        joint: the joint, or one axis of it.
        axes: what USD calls the joint's coordinates, in their order.
    """
    own = scene.joint_of(joint.source)
    driven = actuated_joints(scene.compiled.mechanism).get(own.name, frozenset())
    for number, axis in enumerate(axes):
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
        most = largest_effort(scene, own.name, factor)
        if most is not None:
            prim.attributes[f"{name}:maxForce"] = real(most)


def largest_effort(scene: Scene, joint: str, factor: int) -> float | None:
    """The most that drives a coordinate [N or N m]: the joint's own limit, or what its actuators
    can do together; None where that is not stated.
    """
    own = next(j for j in scene.compiled.mechanism.joints if j.name == joint)
    if own.effort is not None:
        return own.effort
    efforts = [
        None if actuator.effort is None else abs(ratio) * actuator.effort
        for actuator, ratio in actuators_of(scene, joint, factor)
    ]
    known = [effort for effort in efforts if effort is not None]
    return sum(known) if known and len(known) == len(efforts) else None


def actuators_of(scene: Scene, joint: str, factor: int) -> list[tuple[Actuator, float]]:
    """The actuators that move a coordinate and no other, and their ratios to it."""
    mechanism = scene.compiled.mechanism
    known = coordinate_names(mechanism) if mechanism.actuators else {}
    found = []
    for actuator in mechanism.actuators:
        if len(actuator.transmissions) != 1:
            continue
        (transmission,) = actuator.transmissions
        moved, index = known[transmission.coordinate]
        if moved.name == joint and index == factor:
            found.append((actuator, transmission.ratio))
    return found
