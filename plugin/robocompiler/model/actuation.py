"""What is actuated: asked in one place, so that every pass means the same by it."""

from __future__ import annotations

from robocompiler.model.mechanism import Mechanism
from robocompiler.model.validity_names import coordinate_names


def actuated_joints(mechanism: Mechanism) -> dict[str, frozenset[int]]:
    """The joints that something drives, by name, and which of their factors it drives.

    All factors of a joint that states an effort, or an armature: where a rotor turns, a motor
    turns it. Of a joint that a declared actuator moves, those that it moves.

    Args:
        mechanism: a valid one.
    """
    driven: dict[str, set[int]] = {
        joint.name: set(range(len(joint.kind.factors)))
        for joint in mechanism.joints
        if joint.effort is not None or joint.armature != 0.0
    }
    known = coordinate_names(mechanism) if mechanism.actuators else {}
    for actuator in mechanism.actuators:
        for transmission in actuator.transmissions:
            joint, factor = known[transmission.coordinate]
            driven.setdefault(joint.name, set()).add(factor)
    return {name: frozenset(factors) for name, factors in driven.items()}
