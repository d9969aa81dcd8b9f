"""What acts on joints and has no place in a URDF, beyond what it never says."""

from __future__ import annotations

import math

from robocompiler.compiler.compiled import Closure, TreeJoint
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Joint
from robocompiler.solve.describe import coordinates
from robocompiler.write.cutting import why_cut_there
from robocompiler.write.fidelity import Property
from robocompiler.write.links import axis_values
from robocompiler.write.statements import BURDENS, burden_property, burdens
from robocompiler.write.urdf.names import URDF_CUTTABLE
from robocompiler.write.urdf.robot import Robot
from robocompiler.write.zeros import is_place, leads_to_body

ON_HINGES = (Property.DAMPING, Property.FRICTION)
"""What of a ball its three hinges have."""
# The sine of an angle between two axes below which they are square.
SQUARE = 1e-12


def note_losses(robot: Robot) -> None:
    """Enter what is lost, or less than exact, of balls, of what floats and of cut joints."""
    for tree_joint in robot.compiled.tree:
        kind = tree_joint.edge.joint.kind
        if kind is JointKind.BALL:
            _note_ball(robot, tree_joint)
        elif kind is JointKind.FREE:
            _drop(robot, tree_joint.edge.joint, f"URDF has none for a {kind.value} joint")
            _note_floating(robot, tree_joint)
    for closure in robot.compiled.closures:
        _note_cut(robot, closure)


def _note_floating(robot: Robot, tree_joint: TreeJoint) -> None:
    """A root that floats has no joint in the file, which consumers add; others have one there."""
    joint, ledger = tree_joint.edge.joint, robot.export.ledger
    is_root = tree_joint.outboard == robot.floating
    if is_root:
        how = "the root link: consumers make it float"
        ledger.carry(Property.FREE_JOINT, joint.name, f"its kind, {joint.kind.value}", how)
    if not (is_place(tree_joint) if is_root else leads_to_body(tree_joint)):
        why = "what floats counts to its link, a root from the world"
        ledger.drop(Property.ZERO, joint.name, "where it counts from", why)


def _note_ball(robot: Robot, tree_joint: TreeJoint) -> None:
    """Its hinges turn as it does where the second is at 0, elsewhere out of square by its sine."""
    joint, ledger = tree_joint.edge.joint, robot.export.ledger
    _drop(robot, joint, "URDF has none for a ball joint", kept=ON_HINGES)
    off, acting = _out_of_square(robot, tree_joint), burdens(joint)
    for burden, of, what in BURDENS:
        if burden in acting and of in ON_HINGES:
            how = "it acts on three hinges, which are square where the second is at 0"
            if off > SQUARE:
                ledger.approximate(of, joint.name, what, how, off)
            else:
                ledger.carry(of, joint.name, what, f"{how}, as it stands")


def _out_of_square(robot: Robot, tree_joint: TreeJoint) -> float:
    """At worst, in the configurations that are written."""
    sines = []
    for configuration in robot.export.configurations.values():
        q = coordinates(robot.compiled, configuration)
        _, second, _ = axis_values(tree_joint.edge.joint, q[tree_joint.q])
        sines.append(abs(math.sin(second)))
    return max(sines)


def _drop(robot: Robot, joint: Joint, why: str, kept: tuple[Property, ...] = ()) -> None:
    acting = burdens(joint)
    for burden, of, what in BURDENS:
        if burden in acting and of is not Property.SPRING and of not in kept:
            robot.export.ledger.drop(of, joint.name, what, why)


def _note_cut(robot: Robot, closure: Closure) -> None:
    joint, ledger = closure.chord.joint, robot.export.ledger
    acting = burdens(joint)
    lost = [(burden, what) for burden, _, what in BURDENS if burden in acting]
    for burden, what in lost:
        of = burden_property(burden, cut=True)
        ledger.drop(of, joint.name, what, "this joint is cut")
    if lost:
        ledger.warn(
            f"joint '{joint.name}' is cut to open loop '{closure.name}', which loses "
            f"{' and '.join(what for _, what in lost)}: "
            f"{why_cut_there(robot.compiled, closure, URDF_CUTTABLE)}"
        )
