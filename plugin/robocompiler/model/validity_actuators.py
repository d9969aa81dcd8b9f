"""Faults of actuators: what they are called, and what they move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from robocompiler.errors import ActuatorError, MechanismError, UnknownNameError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Actuator, Joint, Mechanism
from robocompiler.model.validity_names import coordinate_names


def actuator_faults(mechanism: Mechanism) -> Iterator[MechanismError]:
    """All that is wrong with them but values that cannot be, and two of one name."""
    if not mechanism.actuators:
        return
    known = coordinate_names(mechanism)
    whole = {joint.name: joint for joint in mechanism.joints if not _is_single(joint)}
    for actuator in mechanism.actuators:
        where = actuator.source or f"Actuator '{actuator.name}'"
        yield from _transmission_faults(actuator, where)
        for name in dict.fromkeys(t.coordinate for t in actuator.transmissions):
            if name not in known:
                yield _unknown(name, where, known, whole)
        moved = [transmission.coordinate for transmission in actuator.transmissions]
        if moved != [actuator.name] and actuator.name in {*known, *whole}:
            yield ActuatorError(
                f"{where}: '{actuator.name}' is also what a joint or its coordinate is called, "
                "which this actuator does not move alone: its effort could be meant for either. "
                "Rename the actuator."
            )


def _transmission_faults(actuator: Actuator, where: str) -> Iterator[MechanismError]:
    moved = [transmission.coordinate for transmission in actuator.transmissions]
    if not moved:
        yield ActuatorError(
            f"{where} moves nothing. State the joint coordinates that it moves, or remove it."
        )
    for name in sorted({name for name in moved if moved.count(name) > 1}):
        yield ActuatorError(
            f"{where} moves '{name}' twice. State it once, with the sum of the ratios."
        )
    for transmission in actuator.transmissions:
        if transmission.ratio == 0.0:
            yield ActuatorError(
                f"{where}: a ratio of 0 to '{transmission.coordinate}' moves nothing. State how "
                "far the actuator moves per unit of it, or leave it out."
            )


def _unknown(
    name: str,
    where: str,
    known: Mapping[str, tuple[Joint, int]],
    whole: Mapping[str, Joint],
) -> MechanismError:
    """Why a name is no coordinate that can be moved: a joint's, its rotation's, or nobody's."""
    joint = whole.get(name) or whole.get(name.rpartition("/")[0])
    own = [said for said, (its, _) in known.items() if its is joint]
    if joint is None or (own and name != joint.name):
        return UnknownNameError(where, "joint coordinate", name, known)
    said = f"{where} cannot move '{name}'"
    if own:
        choices = ", ".join(f"'{choice}'" for choice in own)
        return ActuatorError(f"{said}: a {joint.kind.value} joint has several. State {choices}.")
    if joint.kind is JointKind.FIXED:
        return ActuatorError(f"{said}: a fixed joint has no coordinate. Name one that moves.")
    return ActuatorError(
        f"{said}: the coordinates of a {joint.kind.value} joint are none that an actuator can "
        "move one by one. Put joints of one freedom there, with bodies between them."
    )


def _is_single(joint: Joint) -> bool:
    """Whether its name is its one coordinate's."""
    return joint.kind.nq == 1
