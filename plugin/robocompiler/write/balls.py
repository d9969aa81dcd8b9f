"""Balls that are joints of the tree, which those who count one coordinate a joint trip over."""

from __future__ import annotations

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.model.joint_kinds import JointKind
from robocompiler.write.ledger import Ledger


def warn_of_balls(compiled: CompiledMechanism, ledger: Ledger) -> None:
    """Name them. Loops are cut at balls first: these are on none, or the last of several loops."""
    balls = [t.edge.joint.name for t in compiled.tree if t.edge.joint.kind is JointKind.BALL]
    if balls:
        shown = ", ".join(f"'{name}'" for name in balls)
        ledger.warn(
            f"a ball stays in the tree: {shown}. It has a quaternion and three speeds, and what "
            "counts one number a joint, as much software of robot learning does, misreads the "
            "whole model: there describe the ball as three revolute joints in a row, or find each "
            "joint's numbers by its own address"
        )
