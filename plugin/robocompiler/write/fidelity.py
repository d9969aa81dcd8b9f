"""What a mechanism can say, and how faithfully a format says it: the words of the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from robocompiler.model.joint_kinds import JointKind


class Fidelity(Enum):
    """How much of something stays."""

    EXACT = "exact"
    APPROXIMATED = "approximated"
    DROPPED = "dropped"


class Property(Enum):
    """What a mechanism can say, in the words of the table."""

    REVOLUTE_JOINT = "revolute joint"
    PRISMATIC_JOINT = "prismatic joint"
    SCREW_JOINT = "screw joint"
    CYLINDRICAL_JOINT = "cylindrical joint"
    UNIVERSAL_JOINT = "universal joint"
    BALL_JOINT = "ball joint"
    PLANAR_JOINT = "planar joint"
    TRANSLATION_JOINT = "translation joint"
    FREE_JOINT = "free joint"
    REVOLUTE_CLOSURE = "closure of a revolute joint"
    PRISMATIC_CLOSURE = "closure of a prismatic joint"
    SCREW_CLOSURE = "closure of a screw joint"
    CYLINDRICAL_CLOSURE = "closure of a cylindrical joint"
    UNIVERSAL_CLOSURE = "closure of a universal joint"
    BALL_CLOSURE = "closure of a ball joint"
    PLANAR_CLOSURE = "closure of a planar joint"
    TRANSLATION_CLOSURE = "closure of a translation joint"
    FREE_CLOSURE = "closure of a free joint"
    ZERO = "where a joint counts from"
    LIMITS = "limits"
    SWING = "swing limit of a ball"
    DAMPING = "damping"
    FRICTION = "dry friction"
    SPRING = "spring"
    ARMATURE = "armature"
    EFFORT = "effort limit"
    VELOCITY = "velocity limit"
    CUT_LIMITS = "limits of a cut joint"
    CUT_TERMS = "damping, friction, spring, armature, effort and velocity of a cut joint"
    COUPLING = "coupling to one leader"
    SUM_COUPLING = "coupling to several leaders"
    ACTUATOR = "actuator of one joint"
    SHARED_ACTUATOR = "actuator of several joints"
    ACTUATOR_EFFORT = "effort limit of an actuator"
    ACTUATOR_VELOCITY = "velocity limit of an actuator"
    ROTOR = "rotor inertia of an actuator"
    INERTIA = "mass, centre of mass and inertia"
    WELDED = "place of a body welded to another"
    FRAME = "named frame"
    VISUAL = "shape, as it is seen"
    COLLISION = "shape, as it collides"
    COLOR = "colour"
    SLIDING_FRICTION = "sliding friction of a surface"
    SPINNING_FRICTION = "torsional friction of a surface"
    ROLLING_FRICTION = "rolling friction of a surface"
    RESTITUTION = "restitution of a surface"
    GRAVITY = "gravity"
    DRAG = "drag of the medium"
    BUOYANCY = "buoyancy in the medium"
    CONFIGURATION = "where it stands, and named configurations"
    TASK = "task"


ACTUATOR_PROPERTIES = frozenset(
    {
        Property.ACTUATOR,
        Property.SHARED_ACTUATOR,
        Property.ACTUATOR_EFFORT,
        Property.ACTUATOR_VELOCITY,
        Property.ROTOR,
    }
)
"""All that can be said of an actuator."""


@dataclass(frozen=True, slots=True)
class Carried:
    """How a format carries a property."""

    fidelity: Fidelity
    """As a rule; the ledger of an export says where it is less."""
    how: str
    """What it becomes, or why it is lost; with the exceptions. A phrase for a cell of a table."""


Carries = Mapping[Property, Carried]
"""How a format carries each property: all of them."""


def exact(how: str) -> Carried:
    """Said as it is."""
    return Carried(Fidelity.EXACT, how)


def approximated(how: str) -> Carried:
    """Said nearly; the ledger has by how much."""
    return Carried(Fidelity.APPROXIMATED, how)


def dropped(why: str) -> Carried:
    """Not said."""
    return Carried(Fidelity.DROPPED, why)


def joint_property(kind: JointKind) -> Property:
    """Of a joint of the tree."""
    return Property(f"{kind.value} joint")


def closure_property(kind: JointKind) -> Property:
    """Of a joint that was cut."""
    return Property(f"closure of a {kind.value} joint")
