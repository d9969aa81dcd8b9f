"""What a PartCAD connection says about moving it: damping, friction, springs, efforts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypedDict

from robocompiler.errors import BadValueError, UnsupportedJointError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.read.partcad_findings import Findings
from robocompiler.read.partcad_values import Quantity

SI = frozenset({"damping", "friction", "springStiffness", "maxEffort"})
"""PartCAD's keys in SI units, each along every coordinate of the joint."""

REFERENCE, VELOCITY = "springReference", "maxVelocity"
"""PartCAD's keys in degrees or millimetres, as the coordinate has it."""


class JointPhysics(TypedDict, total=False):
    """The fields of a `Joint` that a connection's physics states; what it does not is left out."""

    damping: float
    friction: float
    stiffness: float
    spring_reference: float
    effort: float
    velocity: float


def joint_physics(joint: Any, name: str, kind: JointKind, findings: Findings) -> JointPhysics:
    """What a joint of PartCAD's states as its physics.

    Faults: what is no number; a spring of which it cannot be told in what unit it is slack.
    Warnings: what a mechanism has no place for.
    """
    where = f"Joint '{name}'"
    stated = _numbers(joint.physics, where, findings)
    fields = JointPhysics()
    if "damping" in stated:
        fields["damping"] = stated["damping"]
    if "friction" in stated:
        fields["friction"] = stated["friction"]
    if "springStiffness" in stated:
        fields["stiffness"] = stated["springStiffness"]
    if stated.get("maxEffort"):  # 0 is no actuator: it neither moves nor holds anything
        fields["effort"] = stated["maxEffort"]
    lost = joint.physics.keys() - SI - {REFERENCE, VELOCITY}
    quantities = {Quantity.ANGLE if f.is_turn else Quantity.LENGTH for f in kind.factors}
    si = next(iter(quantities)).si if len(quantities) == 1 else None
    if VELOCITY in stated and si is not None:
        fields["velocity"] = stated[VELOCITY] * si
    elif VELOCITY in stated:
        lost = lost | {VELOCITY}
    if REFERENCE in stated and si is not None and kind is not JointKind.BALL:
        fields["spring_reference"] = stated[REFERENCE] * si
    elif stated.get(REFERENCE) and stated.get("springStiffness"):
        what = f"a {kind.value} joint with a spring that is slack at {stated[REFERENCE]:g}"
        advice = "A joint of one freedom, or of turns or moves alone, says in what unit that is."
        findings.faults.append(UnsupportedJointError(name, what, advice))
    findings.not_carried(where, [*lost, *(["softLimits"] if joint.soft_limits else [])])
    return fields


def _numbers(physics: Mapping[str, Any], where: str, findings: Findings) -> dict[str, float]:
    """What we carry; what of it is no finite number is at fault."""
    numbers: dict[str, float] = {}
    for key in sorted(physics.keys() & {*SI, REFERENCE, VELOCITY}):
        value = physics[key]
        if isinstance(value, (int, float)) and math.isfinite(value):
            numbers[key] = float(value)
        else:
            findings.faults.append(BadValueError(where, key, str(value), "a finite number"))
    return numbers
