"""What drives each coordinate, and what SDFormat says of it: an effort limit on the joint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.model.actuation import actuated_joints
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Actuator, Joint
from robocompiler.model.validity_names import coordinate_names
from robocompiler.write.fidelity import ACTUATOR_PROPERTIES, Property
from robocompiler.write.ledger import Ledger

PASSIVE = 0.0
"""The effort limit of what nothing drives: Drake gives such a joint no actuator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drive:
    """Of one coordinate, on the joint's side of all gears."""

    effort: float | None
    """Limit [N or N m]; None where nobody stated one."""
    velocity: float | None
    """Limit [m/s or rad/s]; None likewise."""
    inertia: float
    """Armature, and rotors by their gears' squares [kg or kg m²]."""


def drives(compiled: CompiledMechanism, for_drake: bool = False) -> dict[str, Drive]:
    """Of every single coordinate, by the name that couplings and actuators use.

    Where the mechanism says of some joints that they are driven, the others are not; where it says
    so of none, users of gz-sim may drive any. A follower is moved by its coupling, which gz-sim's
    engines enforce by the follower's effort, so it keeps its own. Drake makes an actuator of
    every joint whose limit is not 0, and enforces couplings by constraints, so its file has 0 of
    all that is not driven by something that the file has.

    Args:
        compiled: the mechanism.
        for_drake: whether it is of the file for Drake alone.
    """
    mechanism = compiled.mechanism
    driven = actuated_joints(mechanism)
    followers = {coupling.follower for coupling in mechanism.couplings}
    motors = _single_motors(compiled)
    found: dict[str, Drive] = {}
    for name, (joint, factor) in coordinate_names(mechanism).items():
        own = motors.get(name, [])
        passive = (
            bool(driven) and factor not in driven.get(joint.name, ()) and name not in followers
        )
        if for_drake:
            passive = not own and joint.effort is None and joint.armature == 0.0
        found[name] = Drive(
            effort=PASSIVE if passive else _limit(joint.effort, own, "effort"),
            velocity=_limit(joint.velocity, own, "velocity"),
            inertia=joint.armature + sum(ratio**2 * motor.armature for motor, ratio in own),
        )
    return found


def drake_differs(compiled: CompiledMechanism) -> bool:
    """Whether Drake would make actuators of the gz-sim file's joints that nothing drives."""
    return drives(compiled) != drives(compiled, for_drake=True)


def _single_motors(compiled: CompiledMechanism) -> dict[str, list[tuple[Actuator, float]]]:
    """Actuators of one coordinate, and their ratios, by that coordinate."""
    found: dict[str, list[tuple[Actuator, float]]] = {}
    for actuator in compiled.mechanism.actuators:
        if len(actuator.transmissions) == 1:
            (moved,) = actuator.transmissions
            found.setdefault(moved.coordinate, []).append((actuator, moved.ratio))
    return found


def _limit(stated: float | None, motors: list[tuple[Actuator, float]], what: str) -> float | None:
    """The joint's own limit, or what that of its only actuator makes of it."""
    if stated is not None or len(motors) != 1:
        return stated
    ((actuator, ratio),) = motors
    if what == "effort":
        return None if actuator.effort is None else abs(ratio) * actuator.effort
    return None if actuator.velocity is None else actuator.velocity / abs(ratio)


def motors(compiled: CompiledMechanism, ledger: Ledger) -> Iterator[Actuator]:
    """Those that a plugin on one joint can drive; what is lost of the others is noted."""
    known = coordinate_names(compiled.mechanism) if compiled.mechanism.actuators else {}
    beside = _single_motors(compiled)
    for actuator in compiled.mechanism.actuators:
        if len(actuator.transmissions) > 1:
            why = "SDFormat's plugins and limits are of one joint each"
            ledger.drop_all(actuator.name, ACTUATOR_PROPERTIES, why)
            continue
        (moved,) = actuator.transmissions
        joint, _ = known[moved.coordinate]
        if joint.kind is JointKind.UNIVERSAL:
            why = "gz-sim's plugin drives joints of one axis"
            ledger.drop(Property.ACTUATOR, actuator.name, "its drive", why)
        else:
            yield actuator
        _note_limits(actuator, joint, len(beside[moved.coordinate]) > 1, ledger)
        if actuator.armature and (why := no_rotor(compiled, joint)):
            ledger.drop(Property.ROTOR, actuator.name, "its armature", why)


def no_rotor(compiled: CompiledMechanism, joint: Joint) -> str:
    """Why nothing that turns with a joint and is no body can be said; "" where it can."""
    if any(closure.chord.joint.name == joint.name for closure in compiled.closures):
        return "only Drake reads a rotor, and it takes no joint that closes a loop"
    if joint.kind is JointKind.UNIVERSAL:
        return "only Drake reads a rotor, and it has none on a universal joint"
    return ""


def _note_limits(actuator: Actuator, joint: Joint, beside: bool, ledger: Ledger) -> None:
    """An SDFormat joint has one limit of each sort."""
    for of, own, stated, what in (
        (Property.ACTUATOR_EFFORT, actuator.effort, joint.effort, "effort"),
        (Property.ACTUATOR_VELOCITY, actuator.velocity, joint.velocity, "velocity"),
    ):
        if own is not None and (beside or stated is not None):
            why = "its joint has another actuator" if stated is None else "its joint states its own"
            ledger.drop(of, actuator.name, f"its {what} limit", why)
