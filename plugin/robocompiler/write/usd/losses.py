"""What of a mechanism a stage has not, or only nearly, where its table says otherwise."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from robocompiler.compiler.compiled import TreeJoint
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Actuator, Joint, Surface
from robocompiler.solve.describe import coordinates
from robocompiler.write.balls import warn_of_balls
from robocompiler.write.export import ASSEMBLED
from robocompiler.write.fidelity import ACTUATOR_PROPERTIES, Property
from robocompiler.write.hulls import note_hulls
from robocompiler.write.links import LinkJoint
from robocompiler.write.statements import BURDENS, burdens
from robocompiler.write.usd.acting import beside
from robocompiler.write.usd.actuators import moved_joints, rotor_counts
from robocompiler.write.usd.bodies import WEIGHTLESS_BASE
from robocompiler.write.usd.drives import MIXED
from robocompiler.write.usd.joints import AXES
from robocompiler.write.usd.keyframes import ball_turns
from robocompiler.write.usd.scene import Scene
from robocompiler.write.usd.shapes import UNSTATED_FRICTION
from robocompiler.write.zeros import FLOATS, is_place, note_zero, place

# Rotations [rad] below are none.
NO_ROTATION = 1e-9
ONE_NUMBER = frozenset({"damping", "friction", "armature", "velocity"})
"""What a joint states once for all its coordinates."""
ON_HINGES = frozenset({"damping", "friction", "armature"})
"""What of a ball its three hinges have, where these are what it is."""


def note_losses(scene: Scene) -> None:
    """Enter all exceptions to the table."""
    _note_joints(scene)
    _note_actuators(scene)
    note_hulls(scene.export.meshes, scene.ledger)
    if JointKind.BALL in scene.native:
        warn_of_balls(scene.compiled, scene.ledger)
    _note_surfaces(scene)
    if scene.base_is_rigid and scene.compiled.bodies[0].inertia is None:
        scene.ledger.warn(
            f"what does not move states no mass, and {scene.profile.why_rigid}: '{scene.base}' is "
            f"a body of {WEIGHTLESS_BASE.mass:g} kg, fixed"
        )
    where = f"configuration '{ASSEMBLED}'"
    scene.ledger.carry(Property.CONFIGURATION, where, "its coordinates", "where the bodies stand")


def _note_joints(scene: Scene) -> None:
    for tree_joint in scene.compiled.tree:
        joint = tree_joint.edge.joint
        if joint.kind is JointKind.BALL and joint.kind not in scene.native:
            _note_hinges(scene, tree_joint)
        acting = burdens(joint)
        for burden, of, what in BURDENS:
            why = _reason(scene, joint, burden)
            if burden in acting and why is not None:
                scene.ledger.drop(of, joint.name, what, why)
        if joint.kind is JointKind.FREE and not is_place(tree_joint):
            stands = place(scene.state.poses[tree_joint.outboard])
            at = scene.export.q[tree_joint.q].tolist()
            note_zero(scene.ledger, joint.name, FLOATS, [(stands, at)])
        if joint.kind is JointKind.BALL:
            turned = 2.0 * float(np.linalg.norm(scene.export.q[tree_joint.q][1:]))
            if turned > NO_ROTATION:
                why = "a ball counts from where it stands"
                scene.ledger.drop(Property.ZERO, joint.name, "where it counts from", why)


def _note_hinges(scene: Scene, ball: TreeJoint) -> None:
    """How far the three hinges that are a ball are from square, at worst, in the configurations
    that are written.
    """
    joint, each = ball.edge.joint, scene.export.configurations.values()
    turns = (ball_turns(scene, ball, coordinates(scene.compiled, own)) for own in each)
    off, acting = max(abs(math.sin(second)) for _, second, _ in turns), burdens(joint)
    for burden, of, what in BURDENS:
        if off > NO_ROTATION and burden in acting & ON_HINGES:
            how = "it acts on three hinges, which are square where it stands"
            scene.ledger.approximate(of, joint.name, what, how, off)


def _reason(scene: Scene, joint: Joint, burden: str) -> str | None:
    """Why a stage cannot say what acts on a joint, though it can of others; None where it can."""
    kind = joint.kind
    if kind is JointKind.FREE:
        return "USD has no joint that holds nothing"
    if kind is JointKind.BALL and burden in ("effort", "spring"):
        return "a ball's has no axis"
    if kind in MIXED and kind in scene.native and burden in ONE_NUMBER:
        return "one joint that turns and moves has one number for both"
    return None


def _note_actuators(scene: Scene) -> None:
    """Those of which a joint was cut, and what a drive has not."""
    for actuator in scene.compiled.mechanism.actuators:
        moved = moved_joints(scene, actuator)
        if moved is None:
            why = "a joint that it moves is cut"
            scene.ledger.drop_all(actuator.name, ACTUATOR_PROPERTIES, why)
            scene.ledger.warn(f"actuator '{actuator.name}' is lost: {why}")
        elif scene.profile.mujoco:
            if len(moved) > 1 and not rotor_counts(scene, moved):
                why = "its joints are on different branches of the tree"
                scene.ledger.drop_all(actuator.name, {Property.ROTOR}, why)
        else:
            for of, why in _not_in_drives(scene, actuator, [joint for joint, _ in moved]):
                scene.ledger.drop_all(actuator.name, {of}, why)


def _not_in_drives(
    scene: Scene, actuator: Actuator, moved: list[LinkJoint]
) -> Iterator[tuple[Property, str]]:
    if len(moved) > 1:
        yield from ((of, "a drive is of one joint") for of in ACTUATOR_PROPERTIES)
        return
    joint = scene.joint_of(moved[0].source)
    if joint.effort is not None:
        yield Property.ACTUATOR_EFFORT, "its joint states one of its own"
    elif any(other.effort is None for other in beside(scene, actuator)):
        yield Property.ACTUATOR_EFFORT, "another that drives its joint states none"
    if moved[0].kind in AXES:
        yield Property.ROTOR, "a joint of several freedoms has one number for all"


def _note_surfaces(scene: Scene) -> None:
    """Surfaces of which something is stated, but not how they slide: USD takes 0 for that."""
    stated = {surface for _, surface in scene.materials if surface != Surface()}
    if any(surface.friction is None for surface in stated):
        scene.ledger.warn(
            "a surface states how it spins, rolls or bounces, but no friction, which USD would "
            f"take for 0: {UNSTATED_FRICTION} is written"
        )
