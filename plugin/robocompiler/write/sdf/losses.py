"""What SDFormat cannot say of a joint, or says from another origin."""

from __future__ import annotations

import math
from collections.abc import Sequence

from robocompiler.compiler.compiled import TreeJoint
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Joint
from robocompiler.write.chains import note_chains
from robocompiler.write.fidelity import Property
from robocompiler.write.sdf.drives import no_rotor
from robocompiler.write.sdf.scene import NATIVE, Scene
from robocompiler.write.statements import BURDENS, burden_property, burdens
from robocompiler.write.zeros import FLOATS, is_place, note_zero, place

SAYABLE = {JointKind.BALL: frozenset({"damping"}), JointKind.FREE: frozenset[str]()}
"""What SDFormat can say of kinds that have no axis; of an axis it can say all."""
# Coordinates [m or rad] this near their zero are there.
AT_ZERO = 1e-12


def note_losses(scene: Scene, intermediate_mass: float | None) -> None:
    """Enter what is lost of each joint, and from where it counts."""
    lowered = [t.edge.joint for t in scene.compiled.tree if t.edge.joint.kind not in NATIVE]
    if lowered and not intermediate_mass:
        shown = ", ".join(f"'{joint.name}'" for joint in lowered)
        scene.ledger.warn(
            f"the links between the axes of {shown} have no mass: Drake takes that, and other "
            "engines may not; `intermediate_mass` gives them one"
        )
    note_chains(lowered, intermediate_mass or 0.0, scene.ledger)
    for tree_joint in scene.compiled.tree:
        _note_burdens(scene, tree_joint.edge.joint, cut=False)
        _note_zero(scene, tree_joint)
    for closure in scene.compiled.closures:
        _note_burdens(scene, closure.chord.joint, cut=True)


def _note_burdens(scene: Scene, joint: Joint, cut: bool) -> None:
    acting, sayable = burdens(joint), SAYABLE.get(joint.kind)
    for burden, _, what in BURDENS:
        if burden not in acting:
            continue
        why = ""
        if sayable is not None and burden not in sayable:
            why = f"SDFormat has none for a {joint.kind.value} joint"
        elif burden == "armature":
            why = no_rotor(scene.compiled, joint)
        if why:
            scene.ledger.drop(burden_property(burden, cut), joint.name, what, why)


def _note_zero(scene: Scene, tree_joint: TreeJoint) -> None:
    """By how much a coordinate of the file is less than the mechanism's."""
    joint = tree_joint.edge.joint
    of = (Property.ZERO, joint.name, "where it counts from")
    at = scene.q[tree_joint.q].tolist()
    if joint.kind is JointKind.FREE and not is_place(tree_joint):
        stands = place(scene.state.poses[tree_joint.outboard])
        note_zero(scene.ledger, joint.name, FLOATS, [(stands, at)])
        return
    by, unit = _shift(joint, at)
    if joint.kind is JointKind.FREE or by < AT_ZERO:
        scene.ledger.carry(*of)
    else:
        scene.ledger.approximate(*of, "it counts from where it stands", by, unit)


def _shift(joint: Joint, at: Sequence[float]) -> tuple[float, str]:
    """The farthest that a coordinate of it stands from its zero, turns before moves."""
    if joint.kind is JointKind.BALL:
        return 2.0 * math.atan2(math.hypot(*at[1:]), abs(at[0])), "rad"
    pairs = list(zip(joint.kind.factors, at, strict=False))
    turns = [abs(value) for factor, value in pairs if factor.is_turn]
    moves = [abs(value) for factor, value in pairs if not factor.is_turn]
    if max(turns, default=0.0) >= AT_ZERO:
        return max(turns), "rad"
    return max(moves, default=0.0), "m"
