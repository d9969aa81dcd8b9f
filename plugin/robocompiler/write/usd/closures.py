"""Closures: joints that are no part of the articulation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from robocompiler.compiler.compiled import Closure
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import OPEN
from robocompiler.spatial import Pose
from robocompiler.write.cutting import why_cut_there
from robocompiler.write.loops import is_planar, lever
from robocompiler.write.statements import BURDENS, burden_property, burdens
from robocompiler.write.usd.joints import AXES, TYPES, connect, free_only
from robocompiler.write.usd.mujoco import stiffen
from robocompiler.write.usd.prims import Prim, flag, token
from robocompiler.write.usd.scene import Scene, closure_names, display, holds

MOVING = frozenset(
    {JointKind.PRISMATIC, JointKind.CYLINDRICAL, JointKind.PLANAR, JointKind.TRANSLATION}
)
"""Kinds whose frames may be apart, and that are the same joint wherever along it they meet."""


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
            if closure.kind is JointKind.BALL or _is_point(scene, closure):
                yield closure_prim(scene, closure, point, JointKind.BALL, 0.0)
            elif scene.profile.hinge_closure:
                yield closure_prim(scene, closure, point, closure.kind, 0.0)
            else:
                yield closure_prim(scene, closure, point, JointKind.BALL, 0.0)
                yield closure_prim(scene, closure, axis, JointKind.BALL, far)


def closure_prim(scene: Scene, closure: Closure, name: str, kind: JointKind, far: float) -> Prim:
    """One joint between the bodies that were cut apart, so far [m] along its axis."""
    given = scene.closures[name]
    prim = Prim(name=given, type=TYPES.get(kind, "PhysicsJoint"), display=display(name, given))
    connect(prim, *_ends(scene, closure, far))
    if kind in (JointKind.REVOLUTE, JointKind.PRISMATIC):
        prim.attributes["physics:axis"] = token("Z")
    elif kind is not JointKind.BALL:
        free_only(prim, dict.fromkeys(AXES[kind], OPEN))
    prim.attributes["physics:excludeFromArticulation"] = flag(True, uniform=True)
    if scene.profile.mujoco:
        stiffen(prim, "MjcEqualityConnectAPI")
    return prim


def _ends(scene: Scene, closure: Closure, far: float) -> tuple[str, str, Pose, Pose]:
    """The two bodies, and the joint's frames on them.

    Where a kind moves, its frames meet as the bodies stand, not where the coordinate is 0: nobody
    counts it, and PhysX warns of frames that are apart. A universal joint turns in PhysX about the
    second body's axis first.
    """
    chord, along = closure.chord, Pose(np.eye(3), np.array([0.0, 0.0, far]))
    X_WF = scene.state.poses[chord.parent] @ chord.X_PF @ along
    X_WM = scene.state.poses[chord.child] @ chord.X_CM @ along
    if closure.kind in MOVING:
        X_WF = X_WM
    ends = []
    for body, X in ((chord.parent, X_WF), (chord.child, X_WM)):
        path, X_WP = scene.joint_end(scene.link_of(body))
        ends.append((path, X_WP.inverse() @ X))
    on_world = not ends[1][0]  # MuJoCo leaves out a joint that leads to what is no body
    if closure.kind is JointKind.UNIVERSAL or on_world:
        ends = ends[::-1]
    (inner, X_PF), (outer, X_CM) = ends
    return inner, outer, X_PF, X_CM


def _is_point(scene: Scene, closure: Closure) -> bool:
    """Whether it is a hinge of a planar loop, of which one point is enough."""
    hinge = closure.kind is JointKind.REVOLUTE
    return hinge and is_planar(scene.compiled, scene.state, closure)


def _note_chord(scene: Scene, closure: Closure) -> None:
    """What acts along a cut joint is lost: a joint beside the tree only holds."""
    joint = closure.chord.joint
    acting = burdens(joint)
    if acting:
        properties = {burden_property(burden, cut=True) for burden in acting}
        scene.ledger.drop_all(joint.name, properties, "this joint is cut")
        scene.ledger.warn(
            f"joint '{joint.name}' is cut to open loop '{closure.name}', which loses "
            f"{' and '.join(what for burden, _, what in BURDENS if burden in acting)}: "
            f"{why_cut_there(scene.compiled, closure, scene.profile.cuttable)}"
        )
