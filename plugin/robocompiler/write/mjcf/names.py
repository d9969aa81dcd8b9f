"""What the MJCF calls things. `simulate` finds them again by the same functions."""

from __future__ import annotations

from robocompiler.compiler.compiled import Closure, CompiledMechanism, CoordinateRef
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Joint

MJCF_CUTTABLE = frozenset({JointKind.BALL, JointKind.REVOLUTE, JointKind.UNIVERSAL, JointKind.FREE})
"""Kinds whose closure MJCF can write exactly: by `connect`s, a tendon, or, for free, nothing."""

CLOSURE_CLASS = "closure"
"""Default class of everything that holds loops and ties."""

CUTS = "cuts"
"""Name of the text that lists, as JSON, the joints that were cut."""


def joint_names(joint: Joint) -> tuple[str, ...]:
    """The MJCF joints a joint is written as, in the order of its factors."""
    if joint.kind is JointKind.SCREW:
        return (joint.name, f"{joint.name}/advance")
    return (joint.name,) if joint.kind is JointKind.FREE else joint.full_names


def coordinate_name(compiled: CompiledMechanism, ref: CoordinateRef) -> str:
    """The MJCF joint of one coordinate."""
    tree_joint = compiled.tree[ref.tree_joint]
    names = joint_names(tree_joint.edge.joint)
    return names[ref.v - int(tree_joint.v.start)]


def closure_equalities(closure: Closure) -> tuple[str, ...]:
    """Every equality element a closure may be written as; the first is its point."""
    return (closure.name, f"{closure.name}/axis", f"{closure.name}/cross")


def coupling_tie(name: str) -> str:
    """The tendon and the equality of a coupling; a loop may have its name too."""
    return f"{name}/coupling"


def motor_tendon(name: str) -> str:
    """The tendon of an actuator that moves several joints."""
    return f"{name}/gears"


def screw_tie(joint: Joint) -> str:
    """The tendon and the equality between a screw's turn and its advance."""
    return f"{joint.name}/thread"
