"""Links: what they weigh, what is seen of them and what collides; and the frames on them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from xml.etree.ElementTree import Element

import numpy as np

from robocompiler.model.mechanism import WORLD, Inertia, Shape, Surface
from robocompiler.model.validity import inertia_tensor
from robocompiler.spatial import Array, Pose
from robocompiler.write.inertias import ball, writable_tensor
from robocompiler.write.names import unused
from robocompiler.write.numbers import numbers
from robocompiler.write.sdf.elements import nested, pose, scalar, value
from robocompiler.write.sdf.names import has_base, legal
from robocompiler.write.sdf.scene import Scene
from robocompiler.write.statements import named_frames

WEIGHTLESS = Inertia(mass=0.0)
"""What nothing is said of: without `<inertial>` SDFormat takes a link for 1 kg."""
MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


def link_elements(scene: Scene, intermediate_mass: float) -> Iterator[Element]:
    """The base, if there is one, and the links of the tree, each where it stands in the world."""
    if has_base(scene.compiled):
        yield _body_element(scene, scene.names.links[WORLD], 0, Pose.identity())
    places = {scene.tree.links[0].name: Pose.identity()}
    for joint, link in zip(scene.tree.joints, scene.tree.links[1:], strict=True):
        places[link.name] = places[joint.parent] @ joint.X_PC
        name = scene.names.links[link.name]
        if link.body is None:
            inertial = inertial_element(ball(intermediate_mass), Pose.identity())
            yield nested("link", pose(places[link.name]), inertial, name=name)
        else:
            yield _body_element(scene, name, link.body, scene.state.poses[link.body])


def _body_element(scene: Scene, name: str, body: int, X_WB: Pose) -> Element:
    own, X_BL = scene.compiled.bodies[body], scene.link_pose(body)
    X_LB = X_BL.inverse()
    inertial = inertial_element(own.inertia or WEIGHTLESS, X_LB)
    element = nested("link", pose(X_WB @ X_BL), inertial, name=name)
    used: set[str] = set()
    for shape in own.shapes:
        if shape.mesh in scene.files:
            element.extend(_shape_elements(shape, scene.files[shape.mesh], X_LB, used))
    return element


def inertial_element(inertia: Inertia, X_LB: Pose) -> Element:
    """The `<inertial>`, its tensor along the link's axes, so that no consumer can turn it wrong."""
    tensor = X_LB.R @ inertia_tensor(inertia) @ X_LB.R.T
    center = Pose(np.eye(3), X_LB.R @ np.array(inertia.center) + X_LB.p)
    entries = _writable(tensor)
    moments = (scalar(tag, entries[i]) for tag, i in zip(MOMENTS, ENTRIES, strict=True))
    mass = scalar("mass", inertia.mass)
    return nested("inertial", pose(center), mass, nested("inertia", *moments))


def _writable(tensor: Array) -> Array:
    return writable_tensor(tensor) if np.any(tensor) else tensor


def _shape_elements(shape: Shape, file: str, X_LB: Pose, used: set[str]) -> Iterator[Element]:
    """What is seen and what collides: the same mesh."""
    place, stem = X_LB @ shape.pose(), legal(shape.name) or shape.mesh
    for tag in ("visual", "collision"):
        name = unused(f"{stem}_{tag}", used)
        used.add(name)
        mesh = nested("mesh", value("uri", file))
        element = nested(tag, pose(place), nested("geometry", mesh), name=name)
        described = _material(shape) if tag == "visual" else _surface(shape.surface)
        if described is not None:
            element.append(described)
        yield element


def _material(shape: Shape) -> Element | None:
    if shape.color is None:
        return None
    color = numbers(shape.color)
    return nested("material", value("ambient", color), value("diffuse", color))


def _surface(surface: Surface) -> Element | None:
    """Friction alike in both directions; spinning friction by the patch that makes it so.

    A patch of radius a with coefficient 1 withstands 3π/16 a per normal force. Bounce has a
    threshold below which there is none, and SDFormat's own is 100 km/s.
    """
    element = Element("surface")
    if surface.restitution is not None:
        restitution = scalar("restitution_coefficient", surface.restitution)
        element.append(nested("bounce", restitution, value("threshold", "0")))
    friction = Element("friction")
    if surface.torsional_friction is not None:
        radius = 16.0 * surface.torsional_friction / (3.0 * math.pi)
        patch = (value("use_patch_radius", "true"), scalar("patch_radius", radius))
        friction.append(nested("torsional", value("coefficient", "1"), *patch))
    if surface.friction is not None:
        ways = (scalar(tag, surface.friction) for tag in ("mu", "mu2"))
        friction.append(nested("ode", *ways))
    if len(friction):
        element.append(friction)
    return element if len(element) else None


def frame_elements(scene: Scene) -> Iterator[Element]:
    """Bodies welded to others, frames that someone named, and both sides of each cut joint."""
    bodies = scene.compiled.welded
    for welded in bodies:
        link = scene.link_name(welded.host)
        if scene.names.links[welded.name] != link:
            X_LB = scene.link_pose(welded.host).inverse() @ welded.pose
            yield _frame(scene.names.links[welded.name], link, X_LB)
    hosts = {welded.name: (welded.host, welded.pose) for welded in bodies}
    hosts[WORLD] = (0, Pose.identity())
    frames = {frame.name: frame for frame in scene.compiled.mechanism.frames}
    for name in named_frames(scene.compiled):
        host, X_HB = hosts[frames[name].body]
        X_LF = scene.link_pose(host).inverse() @ X_HB @ frames[name].pose()
        yield _frame(scene.names.frames[name], scene.link_name(host), X_LF)
    for closure in scene.compiled.closures:
        edge = closure.chord
        for name, child in zip(scene.names.closures[closure.name], (False, True), strict=True):
            link = scene.link_name(edge.child if child else edge.parent)
            yield _frame(name, link, scene.frame(edge, child))


def _frame(name: str, link: str, X_LF: Pose) -> Element:
    return nested("frame", pose(X_LF), name=name, attached_to=link)
