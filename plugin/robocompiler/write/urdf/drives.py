"""What drives the joints: transmissions, and a block for `ros2_control`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

from robocompiler.model.actuation import actuated_joints
from robocompiler.model.joint_kinds import Factor
from robocompiler.model.mechanism import Actuator
from robocompiler.model.validity import coordinate_names
from robocompiler.write.cutting import why_cut_there
from robocompiler.write.fidelity import ACTUATOR_PROPERTIES, Property
from robocompiler.write.links import LinkJoint, axis_values
from robocompiler.write.numbers import exact, number
from robocompiler.write.urdf.mimics import Mimic
from robocompiler.write.urdf.names import URDF_CUTTABLE, motor_of
from robocompiler.write.urdf.robot import Robot

DRAKE = "drake:"
_HARDWARE = "mock_components/GenericSystem"
"""ROS's own stand-in for hardware: its users put theirs in its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drive:
    """What drives one joint of the file."""

    name: str
    """Of the actuator, in the mechanism or by `motor_of`."""
    joint: LinkJoint
    ratio: float
    effort: float | None
    """The largest [N or N m], at the joint; None where not stated."""
    velocity: float | None
    """The largest speed of the actuator [m/s or rad/s], at the joint."""
    rotor: float
    """Inertia on the actuator's side [kg or kg m²], with what the joint states of it."""


def drives_of(robot: Robot) -> tuple[Drive, ...]:
    """What drives the joints: declared actuators of one joint, then joints that state an effort.

    Notes what is lost of the others.
    """
    declared = tuple(_declared(robot))
    driven = {drive.joint.name for drive in declared}
    return (*declared, *_stated(robot, driven))


def _declared(robot: Robot) -> Iterator[Drive]:
    mechanism = robot.compiled.mechanism
    known = coordinate_names(mechanism) if mechanism.actuators else {}
    parts = {(robot.joint(joint).name, joint.part or 0): joint for joint in robot.joints}
    armatures: set[str] = set()
    for actuator in mechanism.actuators:
        moved = [known[t.coordinate][:2] for t in actuator.transmissions]
        joints = [parts.get((joint.name, factor)) for joint, factor in moved]
        if not _kept(robot, actuator, [joint.name for joint, _ in moved]) or joints[0] is None:
            continue
        joint, ratio = joints[0], actuator.transmissions[0].ratio
        own = 0.0 if joint.name in armatures else robot.joint(joint).armature
        armatures.add(joint.name)
        yield Drive(
            name=actuator.name,
            joint=joint,
            ratio=ratio,
            effort=None if actuator.effort is None else abs(ratio) * actuator.effort,
            velocity=None if actuator.velocity is None else actuator.velocity / abs(ratio),
            rotor=actuator.armature + own / ratio**2,
        )


def _kept(robot: Robot, actuator: Actuator, joints: list[str]) -> bool:
    """Whether it can be written; what is lost is noted."""
    ledger = robot.export.ledger
    cuts = {c.chord.joint.name: c for c in robot.compiled.closures}
    cut = [name for name in joints if name in cuts]
    if cut:
        ledger.drop_all(actuator.name, ACTUATOR_PROPERTIES, f"joint '{cut[0]}' is cut")
        ledger.warn(
            f"actuator '{actuator.name}' is lost: its joint '{cut[0]}' is cut to open loop "
            f"'{cuts[cut[0]].name}': {why_cut_there(robot.compiled, cuts[cut[0]], URDF_CUTTABLE)}"
        )
    elif len(joints) > 1:
        why = "a SimpleTransmission has one joint"
        ledger.drop_all(actuator.name, ACTUATOR_PROPERTIES, why)
        shown = " and ".join(f"'{name}'" for name in joints)
        ledger.warn(
            f"actuator '{actuator.name}' is lost: it drives {shown} together, and URDF's drive one "
            "joint each, so that these are passive unless something else drives them"
        )
    return not cut and len(joints) == 1


def _stated(robot: Robot, driven: set[str]) -> Iterator[Drive]:
    actuated = actuated_joints(robot.compiled.mechanism)
    for link_joint in robot.joints:
        joint = robot.joint(link_joint)
        stated = joint.effort is not None or joint.armature != 0.0
        part = link_joint.part or 0
        is_axis = Factor.ROTATION not in joint.kind.factors and part < len(joint.kind.factors)
        if stated and is_axis and link_joint.name not in driven and joint.name in actuated:
            yield Drive(
                name=motor_of(link_joint.name),
                joint=link_joint,
                ratio=1.0,
                effort=joint.effort,
                velocity=None,
                rotor=joint.armature,
            )


def transmission_elements(robot: Robot, drives: tuple[Drive, ...]) -> Iterator[Element]:
    """A SimpleTransmission each; the rotor and its gear as Drake has them."""
    names = robot.names
    for drive in drives:
        actuator = names.actuators[drive.name]
        element = Element("transmission", name=f"{actuator}_transmission")
        SubElement(element, "type").text = "transmission_interface/SimpleTransmission"
        joint = SubElement(element, "joint", name=names.joints[drive.joint.name])
        motor = SubElement(element, "actuator", name=actuator)
        for end in (joint, motor):
            what = "hardware_interface/EffortJointInterface"
            SubElement(end, "hardwareInterface").text = what
        SubElement(motor, "mechanicalReduction").text = exact([drive.ratio])
        if drive.rotor:
            SubElement(motor, f"{DRAKE}gear_ratio", value=exact([drive.ratio]))
            SubElement(motor, f"{DRAKE}rotor_inertia", value=exact([drive.rotor]))
        yield element


def ros2_control(
    robot: Robot, drives: tuple[Drive, ...], mimics: Mapping[str, Mimic], name: str
) -> Element | None:
    """The block of `ros2_control`: efforts in, positions, speeds and efforts out.

    A follower has no command there: ROS refuses one.
    """
    by_joint = {drive.joint.name: drive for drive in drives if drive.joint.name not in mimics}
    if not by_joint:
        return None
    block = Element("ros2_control", name=f"{name}_system", type="system")
    SubElement(SubElement(block, "hardware"), "plugin").text = _HARDWARE
    for drive in by_joint.values():
        joint = SubElement(block, "joint", name=robot.names.joints[drive.joint.name])
        command = SubElement(joint, "command_interface", name="effort")
        own = [d.effort for d in drives if d.joint is drive.joint]
        if all(effort is not None for effort in own):
            most = sum(effort for effort in own if effort is not None)
            for end, value in (("min", -most), ("max", most)):
                SubElement(command, "param", name=end).text = exact([value])
        position = SubElement(joint, "state_interface", name="position")
        SubElement(position, "param", name="initial_value").text = number(_standing(robot, drive))
        for what in ("velocity", "effort"):
            SubElement(joint, "state_interface", name=what)
    return block


def _standing(robot: Robot, drive: Drive) -> float:
    joint = drive.joint
    own = robot.export.q[robot.compiled.tree[joint.source].q]
    return axis_values(robot.joint(joint), own)[joint.part or 0]


def note_limits(robot: Robot, drives: tuple[Drive, ...]) -> None:
    """What a joint's one place for an effort and a speed has not of its actuators.

    Their efforts add up, if all state one, and the slowest tells how fast they are. The joint's own
    speed leaves no place for theirs; its own effort does, since `ros2_control` has theirs.
    """
    ledger = robot.export.ledger
    for drive in drives:
        joint = robot.joint(drive.joint)
        beside = [own for own in drives if own.joint is drive.joint]
        if drive.effort is not None and any(own.effort is None for own in beside):
            why = f"another actuator of joint '{joint.name}' states none, so that all have no end"
            ledger.drop_all(drive.name, {Property.ACTUATOR_EFFORT}, why)
        speeds = [own.velocity for own in beside if own.velocity is not None]
        if joint.velocity is not None or (drive.velocity or 0.0) > min(speeds, default=math.inf):
            why = f"joint '{joint.name}' has another speed limit, and URDF one place for it"
            ledger.drop_all(drive.name, {Property.ACTUATOR_VELOCITY}, why)
