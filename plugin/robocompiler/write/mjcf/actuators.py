"""Actuators as motors: on a joint through a gear, or on several through a fixed tendon.

A tendon's length is Σ coefficient · joint, with the ratios as coefficients the actuator's own
coordinate, so that the tendon's armature is the rotor's. MuJoCo adds it to its mass matrix only
where that has entries: between joints of which one is inboard of the other. What it has not between
two branches it would drop without a word, so such a rotor is listed as lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from robocompiler.compiler.compiled import Closure, CompiledMechanism
from robocompiler.model.mechanism import Actuator
from robocompiler.model.validity import coordinate_names
from robocompiler.spatial import Array
from robocompiler.write.cutting import why_cut_there
from robocompiler.write.fidelity import ACTUATOR_PROPERTIES, Property
from robocompiler.write.ledger import Ledger
from robocompiler.write.mjcf.names import MJCF_CUTTABLE, joint_names, motor_tendon
from robocompiler.write.numbers import exact


@dataclass(frozen=True, slots=True, kw_only=True)
class Motor:
    """An actuator none of whose joints was cut."""

    actuator: Actuator
    joints: tuple[tuple[str, float], ...]
    """MJCF joints that it moves, and the ratio to each."""
    factors: tuple[tuple[int, int], ...]
    """The tree joint of each, and which of its factors that is."""
    has_armature: bool
    """Whether it has one that MuJoCo adds as it is."""

    @property
    def on_one_joint(self) -> bool:
        """Whether it needs no tendon."""
        return len(self.joints) == 1


def motors(compiled: CompiledMechanism) -> tuple[Motor, ...]:
    """The actuators that can be written, in their order."""
    known = coordinate_names(compiled.mechanism) if compiled.mechanism.actuators else {}
    index = {tree_joint.edge.joint.name: i for i, tree_joint in enumerate(compiled.tree)}
    found: list[Motor] = []
    for actuator in compiled.mechanism.actuators:
        moved = [(*known[t.coordinate], t.ratio) for t in actuator.transmissions]
        if any(joint.name not in index for joint, _, _ in moved):
            continue
        at = [index[joint.name] for joint, _, _ in moved]
        motor = Motor(
            actuator=actuator,
            joints=tuple((joint_names(joint)[factor], ratio) for joint, factor, ratio in moved),
            factors=tuple((i, factor) for i, (_, factor, _) in zip(at, moved, strict=True)),
            has_armature=actuator.armature > 0.0 and _on_one_chain(compiled, at),
        )
        found.append(motor)
    return tuple(found)


def _on_one_chain(compiled: CompiledMechanism, joints: list[int]) -> bool:
    """Whether all lie on the way from the world to the outermost of them."""
    leads_to = {t.outboard: i for i, t in enumerate(compiled.tree)}
    way, body = set[int](), compiled.tree[max(joints)].outboard
    while body in leads_to:
        way.add(leads_to[body])
        body = compiled.tree[leads_to[body]].inboard
    return way.issuperset(joints)


def rotor_inertias(compiled: CompiledMechanism) -> dict[str, float]:
    """What motors on one joint add to its armature [kg or kg m²], by MJCF joint."""
    added: dict[str, float] = {}
    for motor in motors(compiled):
        if motor.on_one_joint and motor.has_armature:
            ((joint, ratio),) = motor.joints
            added[joint] = added.get(joint, 0.0) + ratio**2 * motor.actuator.armature
    return added


def motor_rows(compiled: CompiledMechanism) -> Iterator[tuple[Motor, Array]]:
    """Each motor with what its speed is of the mechanism's, shape (nv,).

    Args:
        compiled: with the speeds that MJCF gives it (`opened`).
    """
    for motor in motors(compiled):
        row = np.zeros(compiled.nv)
        for (i, factor), (_, ratio) in zip(motor.factors, motor.joints, strict=True):
            row[compiled.tree[i].factors[factor][1].start] = ratio
        yield motor, row


def motor_tendons(compiled: CompiledMechanism) -> Iterator[Element]:
    """The tendon of each motor that moves several joints."""
    for motor in motors(compiled):
        if not motor.on_one_joint:
            tendon = Element("fixed", name=motor_tendon(motor.actuator.name))
            if motor.has_armature:
                tendon.set("armature", exact([motor.actuator.armature]))
            for joint, ratio in motor.joints:
                SubElement(tendon, "joint", joint=joint, coef=exact([ratio]))
            yield tendon


def motor_elements(compiled: CompiledMechanism, ledger: Ledger) -> Iterator[Element]:
    """The `<motor>` of each actuator; its control is its effort [N or N m]."""
    written = {motor.actuator.name: motor for motor in motors(compiled)}
    cuts = {closure.chord.joint.name: closure for closure in compiled.closures}
    for actuator in compiled.mechanism.actuators:
        motor = written.get(actuator.name)
        if motor is None:
            _note_cut(actuator, compiled, cuts, ledger)
            continue
        _note_losses(motor, ledger)
        element = Element("motor", name=actuator.name)
        if motor.on_one_joint:
            ((joint, ratio),) = motor.joints
            element.set("joint", joint)
            element.set("gear", exact([ratio]))
        else:
            element.set("tendon", motor_tendon(actuator.name))
        if actuator.effort is not None:
            for what in ("ctrl", "force"):
                element.set(f"{what}limited", "true")
                element.set(f"{what}range", exact((-actuator.effort, actuator.effort)))
        yield element


def _note_losses(motor: Motor, ledger: Ledger) -> None:
    actuator = motor.actuator
    if actuator.armature and not motor.has_armature:
        joints = " and ".join(f"'{joint}'" for joint, _ in motor.joints)
        why = f"{joints} are on different branches of the tree"
        ledger.drop(Property.ROTOR, actuator.name, "its armature", why)


def _note_cut(
    actuator: Actuator, compiled: CompiledMechanism, cuts: Mapping[str, Closure], ledger: Ledger
) -> None:
    """A joint that was cut has no coordinate that a motor could act on."""
    known = coordinate_names(compiled.mechanism)
    joints = dict.fromkeys(known[t.coordinate][0].name for t in actuator.transmissions)
    for name in (name for name in joints if name in cuts):
        ledger.drop_all(actuator.name, ACTUATOR_PROPERTIES, f"joint '{name}' is cut")
        ledger.warn(
            f"actuator '{actuator.name}' is lost: its joint '{name}' is cut to open loop "
            f"'{cuts[name].name}': {why_cut_there(compiled, cuts[name], MJCF_CUTTABLE)}"
        )
