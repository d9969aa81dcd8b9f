"""The bodies of an MJCF model: joints, inertias, geoms and sites."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism, Edge, TreeJoint
from robocompiler.model.joint_kinds import Factor, JointKind
from robocompiler.model.mechanism import OPEN, Inertia, Joint, Shape, Surface
from robocompiler.model.validity import inertia_tensor
from robocompiler.solve.state import State, joint_pose
from robocompiler.spatial import Array, Pose
from robocompiler.write.base import base_name, base_pose
from robocompiler.write.inertias import writable_tensor
from robocompiler.write.ledger import Ledger
from robocompiler.write.loops import closure_frames
from robocompiler.write.mjcf.losses import note_losses
from robocompiler.write.mjcf.names import joint_names
from robocompiler.write.numbers import exact, number, numbers
from robocompiler.write.statements import frame_places

# MuJoCo needs both ends of a range; an open one stands this far out [m or rad].
OPEN_END = 1e10
# Sliding, torsional and rolling friction where nobody states them: MuJoCo's defaults.
MUJOCO_FRICTION = (1.0, 0.005, 0.0001)


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """What the elements are made from."""

    compiled: CompiledMechanism
    state: State
    q: Array
    meshes: frozenset[str]
    """Names of the meshes that could be written; shapes of others are left out."""
    rotors: Mapping[str, float]
    """What actuators add to the armature of MJCF joints [kg or kg m²]."""
    ledger: Ledger


def world_elements(scene: Scene) -> tuple[list[Element], list[TreeJoint]]:
    """The bodies below `<worldbody>`, and the tree joints in the order of their joints.

    What does not move is one static body, since Pinocchio reads no further than the first root.
    Free bodies are top-level, as MuJoCo wants them, whatever they are free of: a free joint holds
    nothing.
    """
    order: list[TreeJoint] = []
    roots: list[Element] = []
    base = base_name(scene.compiled)
    X_WB = base_pose(scene.compiled)
    free = [t for t in scene.compiled.tree if _is_free(t)]
    if base is not None:
        element = _placed("body", base, X_WB)
        _fill(scene, element, 0, X_WB)
        for tree_joint in scene.compiled.tree:
            if tree_joint.inboard == 0 and not _is_free(tree_joint):
                element.append(_body(scene, tree_joint, X_WB, order))
        roots.append(element)
    else:
        roots.extend(_site_elements(scene.compiled, 0, X_WB, None))
    roots += [_body(scene, tree_joint, Pose.identity(), order) for tree_joint in free]
    return roots, order


def _is_free(tree_joint: TreeJoint) -> bool:
    return tree_joint.edge.joint.kind is JointKind.FREE


def _placed(tag: str, name: str, X: Pose) -> Element:
    element = Element(tag, name=name)
    if np.any(X.p):
        element.set("pos", numbers(X.position))
    if not np.array_equal(X.R, np.eye(3)):
        element.set("quat", numbers(X.quaternion))
    return element


def _body(scene: Scene, tree_joint: TreeJoint, inboard: Pose, order: list[TreeJoint]) -> Element:
    """A body where it stands, with the joint that leads to it and all that is outboard."""
    X_WB = scene.state.poses[tree_joint.outboard]
    body = scene.compiled.bodies[tree_joint.outboard]
    element = _placed("body", body.name, inboard.inverse() @ X_WB)
    order.append(tree_joint)
    element.extend(joint_elements(scene, tree_joint, X_WB))
    _fill(scene, element, tree_joint.outboard, Pose.identity())
    for outward in scene.compiled.tree:
        if outward.inboard == tree_joint.outboard and not _is_free(outward):
            element.append(_body(scene, outward, X_WB, order))
    return element


def _fill(scene: Scene, element: Element, index: int, X_HB: Pose) -> None:
    """Inertia, geoms and sites of a compiled body; `X_HB` is the element's frame in its host's."""
    body = scene.compiled.bodies[index]
    X_BH = X_HB.inverse()
    if body.inertia is not None:
        element.append(inertial_element(body.inertia, X_BH))
    for shape in body.shapes:
        if shape.mesh in scene.meshes:
            element.append(geom_element(shape, X_BH))
    element.extend(_site_elements(scene.compiled, index, X_BH, element.get("name")))


def _site_elements(
    compiled: CompiledMechanism, index: int, X_BH: Pose, own: str | None
) -> Iterator[Element]:
    """What is found again on a compiled body: bodies welded to it, frames, sides of closures.

    Args:
        compiled: the mechanism.
        index: of the body.
        X_BH: its frame seen from the element's.
        own: the welded body that the element itself is.
    """
    for welded in compiled.welded:
        if welded.host == index and welded.name != own:
            yield _placed("site", welded.name, X_BH @ welded.pose)
    for name, (host, X_HF) in frame_places(compiled).items():
        if host == index:
            yield _placed("site", name, X_BH @ X_HF)
    for closure in compiled.closures:
        parent, child = closure_frames(closure)
        for at, name, X in (
            (closure.chord.parent, parent, closure.chord.X_PF),
            (closure.chord.child, child, closure.chord.X_CM),
        ):
            if at == index:
                yield _placed("site", name, X_BH @ X)


def inertial_element(inertia: Inertia, X_BH: Pose) -> Element:
    """The `<inertial>`, its tensor along the body's axes, so that no consumer can turn it wrong."""
    tensor = X_BH.R @ writable_tensor(inertia_tensor(inertia)) @ X_BH.R.T
    entries = [tensor[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    return Element(
        "inertial",
        pos=numbers(X_BH.R @ np.array(inertia.center) + X_BH.p),
        mass=number(inertia.mass),
        fullinertia=exact(entries),
    )


def geom_element(shape: Shape, X_BH: Pose) -> Element:
    """The `<geom>` of a shape: it is seen, and collides as its mesh's convex hull."""
    element = _placed("geom", shape.name, X_BH @ shape.pose())
    element.set("mesh", shape.mesh)
    if shape.color is not None:
        element.set("rgba", numbers(shape.color))
    _describe_surface(element, shape.surface)
    return element


def _describe_surface(element: Element, surface: Surface) -> None:
    """Friction as far as the material states it; MuJoCo's own numbers for the rest.

    Spinning and rolling only meet friction where `condim` asks for it.
    """
    spin, roll = surface.torsional_friction, surface.rolling_friction
    given = (surface.friction, spin, roll)
    if all(value is None for value in given):
        return
    stated = [
        own if value is None else value for value, own in zip(given, MUJOCO_FRICTION, strict=True)
    ]
    last = max(i for i, value in enumerate(given) if value is not None)
    element.set("friction", numbers(stated[: last + 1]))
    if roll is not None:
        element.set("condim", "6")
    elif spin is not None:
        element.set("condim", "4")


def joint_elements(scene: Scene, tree_joint: TreeJoint, X_WB: Pose) -> list[Element]:
    """The MJCF joints of a tree joint, in the order MuJoCo applies them, inboard first.

    Each is written where the mechanism stands, its coordinate there as `ref`: so a hinge's or
    slide's qpos is the joint's coordinate, and `qpos0` is the assembled configuration.
    """
    joint, q = tree_joint.edge.joint, scene.q[tree_joint.q]
    lost = note_losses(scene.ledger, joint, q.tolist())
    X_BW = X_WB.inverse()
    anchor = (X_BW @ _frame_m(scene.state, tree_joint.edge)).p
    if joint.kind is JointKind.FREE:
        return [Element("freejoint", name=joint.name)]
    if joint.kind is JointKind.BALL:
        return [_ball_element(joint, anchor, {loss.burden for loss in lost})]
    axes = X_BW.adjoint() @ scene.state.columns[:, tree_joint.v]
    if joint.kind is JointKind.SCREW:
        return _screw_elements(scene, joint, axes, anchor, float(q[0]))
    names = joint_names(joint)
    order = range(len(names))[:: -1 if tree_joint.reversed else 1]
    elements: list[Element] = []
    for i in order:
        factor = joint.kind.factors[i]
        element = _axis_element(names[i], factor, axes[:, i], anchor, float(q[i]))
        _describe_joint(element, joint, i, scene.rotors)
        elements.append(element)
    return elements


def _frame_m(state: State, edge: Edge) -> Pose:
    """X_WM: every axis a joint turns about passes through M's origin."""
    return state.poses[edge.parent] @ edge.X_PF @ joint_pose(state, edge)


def _axis_element(name: str, factor: Factor, axis: Array, anchor: Array, q: float) -> Element:
    element = Element("joint", name=name, type="hinge" if factor.is_turn else "slide")
    direction = axis[3:] if factor.is_turn else axis[:3]
    element.set("axis", numbers(direction / np.linalg.norm(direction)))
    if factor.is_turn and np.any(np.abs(anchor) > 0.0):
        element.set("pos", numbers(anchor))
    if number(q) != "0":
        element.set("ref", number(q))
    return element


def _screw_elements(
    scene: Scene, joint: Joint, axes: Array, anchor: Array, turn: float
) -> list[Element]:
    """A hinge and a slide on one axis; a tendon ties them (see `ties`)."""
    names, axis = joint_names(joint), np.concatenate([axes[3:, 0], axes[3:, 0]])
    hinge = _axis_element(names[0], Factor.TURN_Z, axis, anchor, turn)
    slide = _axis_element(names[1], Factor.MOVE_Z, axis, anchor, joint.pitch * turn)
    _describe_joint(hinge, joint, 0, scene.rotors)
    return [hinge, slide]


def _ball_element(joint: Joint, anchor: Array, lost: Container[str]) -> Element:
    element = Element("joint", name=joint.name, type="ball", pos=numbers(anchor))
    if joint.swing_limit is not None and "swing" not in lost:
        element.set("limited", "true")
        element.set("range", numbers((0.0, joint.swing_limit)))
    _dynamics(element, joint, lost, joint.armature)
    return element


def _describe_joint(
    element: Element, joint: Joint, index: int, rotors: Mapping[str, float]
) -> None:
    low, high = joint.limits[index] if joint.limits else OPEN
    if (low, high) != OPEN:
        element.set("limited", "true")
        element.set("range", numbers((max(low, -OPEN_END), min(high, OPEN_END))))
    if joint.stiffness:
        element.set("springref", number(joint.spring_reference))
    if joint.effort is not None:
        element.set("actuatorfrclimited", "true")
        element.set("actuatorfrcrange", numbers((-joint.effort, joint.effort)))
    armature = joint.armature + rotors.get(joint_names(joint)[index], 0.0)
    _dynamics(element, joint, (), armature)


def _dynamics(element: Element, joint: Joint, lost: Container[str], armature: float) -> None:
    if armature:
        element.set("armature", exact([armature]))
    for attribute, burden, value in (
        ("damping", "damping", joint.damping),
        ("frictionloss", "friction", joint.friction),
        ("stiffness", "spring", joint.stiffness),
    ):
        if value and burden not in lost:
            element.set(attribute, number(value))


def scene_elements(worldbody: Element, ground_plane: bool, light: bool) -> None:
    """What the user asked to see around the mechanism."""
    if light:
        SubElement(worldbody, "light", pos="0 0 3", dir="0 0 -1", type="directional")
    if ground_plane:
        SubElement(worldbody, "geom", name="ground_plane", type="plane", size="0 0 0.05")
