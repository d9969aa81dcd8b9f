"""Closures: joints that are no part of the articulation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from robocompiler.compiler.compiled import Closure
from robocompiler.model.joint_kinds import JointKind
from robocompiler.spatial import Pose
from robocompiler.write.loops import is_planar, lever
from robocompiler.write.statements import burden_property, burdens
from robocompiler.write.usd.joints import TYPES, connect
from robocompiler.write.usd.mujoco import stiffen
from robocompiler.write.usd.prims import Prim, flag, token
from robocompiler.write.usd.scene import Scene, closure_names, display, holds


def closure_prims(scene: Scene) -> Iterator[Prim]:
    """The joints that hold each loop together, beside those of the tree.

    A ball, and a hinge of a planar loop, is a spherical joint, which every importer takes; a hinge
    of a spatial loop is a hinge where the importer closes it, else two points of its axis.
    """
    compiled, state = scene.compiled, scene.state
    for module in compiled.modules:
        far = lever(compiled, state, module)
        for closure in (compiled.closures[i] for i in module.closures):
            _note_chord(scene, closure)
            if not holds(closure.kind):
                continue
            point, axis = closure_names(closure)
            if closure.kind is JointKind.BALL or is_planar(compiled, state, closure):
                yield closure_prim(scene, closure, point, JointKind.BALL, 0.0)
            elif scene.profile.hinge_closure:
                yield closure_prim(scene, closure, point, JointKind.REVOLUTE, 0.0)
            else:
                yield closure_prim(scene, closure, point, JointKind.BALL, 0.0)
                yield closure_prim(scene, closure, axis, JointKind.BALL, far)


def closure_prim(scene: Scene, closure: Closure, name: str, kind: JointKind, far: float) -> Prim:
    """One joint between the bodies that were cut apart, so far [m] along its axis."""
    given = scene.closures[name]
    prim = Prim(name=given, type=TYPES[kind], display=display(name, given))
    along = Pose(np.eye(3), np.array([0.0, 0.0, far]))
    ends = []
    for body, X in (
        (closure.chord.parent, closure.chord.X_PF),
        (closure.chord.child, closure.chord.X_CM),
    ):
        path, X_WP = scene.joint_end(scene.link_of(body))
        ends.append((path, X_WP.inverse() @ scene.state.poses[body] @ X @ along))
    (inner, X_PF), (outer, X_CM) = ends
    connect(prim, inner, outer, X_PF, X_CM)
    if kind is JointKind.REVOLUTE:
        prim.attributes["physics:axis"] = token("Z")
    prim.attributes["physics:excludeFromArticulation"] = flag(True, uniform=True)
    if scene.profile.mujoco:
        stiffen(prim, "MjcEqualityConnectAPI")
    return prim


def _note_chord(scene: Scene, closure: Closure) -> None:
    """What acts along a cut joint is lost: a joint beside the tree only holds."""
    joint = closure.chord.joint
    acting = burdens(joint)
    if acting:
        properties = {burden_property(burden, cut=True) for burden in acting}
        scene.ledger.drop_all(joint.name, properties, "this joint is cut")
        scene.ledger.warn(
            f"joint '{joint.name}' is cut to open loop '{closure.name}', which loses "
            f"{' and '.join(sorted(acting))}: every joint of the loop has something that would be "
            "lost, or cannot be cut in USD"
        )
