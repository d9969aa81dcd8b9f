"""What acts along one coordinate of a joint, whoever says it."""

from __future__ import annotations

from dataclasses import dataclass

from robocompiler.model.mechanism import Actuator, Joint
from robocompiler.model.validity import coordinate_names
from robocompiler.write.usd.scene import Scene


@dataclass(frozen=True, slots=True, kw_only=True)
class Acting:
    """What acts along a coordinate, in SI units."""

    joint: Joint
    armature: float
    """With the rotors of the actuators that move it alone [kg or kg m²]."""
    effort: float | None
    """The most that drives it [N or N m]: the joint's own limit, or what its actuators can do
    together; None where that is not stated."""


def acting(scene: Scene, joint: Joint, factor: int) -> Acting:
    """What acts along one of a joint's coordinates."""
    motors = actuators_of(scene, joint, factor)
    rotors = sum(ratio**2 * actuator.armature for actuator, ratio in motors)
    efforts = [abs(r) * actuator.effort for actuator, r in motors if actuator.effort is not None]
    together = sum(efforts) if efforts and len(efforts) == len(motors) else None
    return Acting(
        joint=joint,
        armature=joint.armature + rotors,
        effort=together if joint.effort is None else joint.effort,
    )


def actuators_of(scene: Scene, joint: Joint, factor: int) -> list[tuple[Actuator, float]]:
    """The actuators that move a coordinate and no other, and their ratios to it."""
    mechanism = scene.compiled.mechanism
    known = coordinate_names(mechanism) if mechanism.actuators else {}
    found = []
    for actuator in mechanism.actuators:
        if len(actuator.transmissions) != 1:
            continue
        (transmission,) = actuator.transmissions
        moved, index = known[transmission.coordinate]
        if moved.name == joint.name and index == factor:
            found.append((actuator, transmission.ratio))
    return found


def beside(scene: Scene, actuator: Actuator) -> list[Actuator]:
    """The actuators that move the one coordinate that this one moves, itself among them."""
    (moved,) = actuator.transmissions
    joint, factor = coordinate_names(scene.compiled.mechanism)[moved.coordinate]
    return [own for own, _ in actuators_of(scene, joint, factor)]
