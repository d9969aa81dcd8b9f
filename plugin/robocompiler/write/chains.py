"""Joints that are chains of single axes, and what the links between these add."""

from __future__ import annotations

from collections.abc import Iterable

from robocompiler.model.mechanism import Joint
from robocompiler.write.fidelity import joint_property
from robocompiler.write.ledger import Ledger
from robocompiler.write.links import axis_factors


def note_chains(joints: Iterable[Joint], intermediate_mass: float, ledger: Ledger) -> None:
    """By how much each is heavier than the mechanism's.

    Args:
        joints: those that are chains in the format.
        intermediate_mass: of each link between axes [kg]; where it is 0 the joints are as they are.
        ledger: where that goes.
    """
    if not intermediate_mass:
        return
    for joint in joints:
        added = intermediate_mass * (len(axis_factors(joint.kind)) - 1)
        of = (joint_property(joint.kind), joint.name, f"its kind, {joint.kind.value}")
        how = f"links of {intermediate_mass:g} kg stand between its axes"
        ledger.approximate(*of, how, added, "kg")
