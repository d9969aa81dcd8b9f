"""What a valid mechanism is: every fault of one, found together."""

from __future__ import annotations

from robocompiler.errors import MechanismError
from robocompiler.model.mechanism import Mechanism
from robocompiler.model.records import leaves
from robocompiler.model.validity_actuators import actuator_faults
from robocompiler.model.validity_graph import (
    coupling_faults,
    piece_faults,
    repeated_joint_faults,
    same_body_faults,
)
from robocompiler.model.validity_masses import (
    body_faults,
    group_faults,
    inertia_tensor,
    mass_faults,
)
from robocompiler.model.validity_names import coordinate_names, name_faults, sound_part
from robocompiler.model.validity_numbers import start_faults, type_faults, value_faults
from robocompiler.model.welds import bodies_of, welded_groups

__all__ = ["bodies_of", "coordinate_names", "faults_of", "inertia_tensor", "welded_groups"]


def faults_of(mechanism: Mechanism) -> list[MechanismError]:
    """All that is wrong with a mechanism, in a fixed order; empty for a valid one.

    What is at fault hides only what cannot be judged without it: a value of the wrong type
    everything, a name that refers to nothing what hangs together, a number what follows from it.
    """
    held = leaves(mechanism)
    if wrong_types := type_faults(held):
        return wrong_types
    names, values = name_faults(mechanism), value_faults(mechanism, held)
    wrong = {id(record) for record, _ in values}
    sound = sound_part(mechanism, [record for record, _ in values])
    bodies = [body for body in mechanism.bodies if id(body) not in wrong]
    weighed = {body.name: list(body_faults(body)) for body in bodies}
    joints = [joint for joint in mechanism.joints if id(joint) not in wrong]
    return [
        *names,
        *(error for _, error in values),
        *same_body_faults(sound),
        *repeated_joint_faults(sound),
        *(() if names else mass_faults(mechanism)),
        *(error for body in bodies for error in weighed[body.name]),
        *(() if names else _group_faults(mechanism, wrong, weighed)),
        *(error for joint in joints for error in start_faults(joint)),
        *(() if names else piece_faults(mechanism)),
        *coupling_faults(mechanism),
        *actuator_faults(mechanism),
    ]


def _group_faults(
    mechanism: Mechanism, wrong: set[int], weighed: dict[str, list[MechanismError]]
) -> list[MechanismError]:
    """Inertias of what is welded together, where all frames and the bodies are sound."""
    if any(id(frame) in wrong for frame in mechanism.frames):
        return []
    bodies = {body.name for body in mechanism.bodies if weighed.get(body.name, True)}
    return list(group_faults(mechanism, bodies))
