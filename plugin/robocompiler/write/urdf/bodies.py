"""The links of a URDF: inertia, what is seen and what collides, and frames as links."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Body, Inertia, Shape
from robocompiler.model.validity import inertia_tensor
from robocompiler.spatial import Array, Pose
from robocompiler.write.inertias import ball, writable_tensor
from robocompiler.write.links import intermediate
from robocompiler.write.names import unused
from robocompiler.write.numbers import exact, numbers
from robocompiler.write.statements import named_frames
from robocompiler.write.urdf.names import closure_ends
from robocompiler.write.urdf.robot import Robot, origin

Color = tuple[float, float, float, float]


def link_elements(robot: Robot, materials: Mapping[Color, str]) -> Iterator[Element]:
    """The links: the root, the static one, bodies in their order, then those between axes."""
    if robot.root:
        yield Element("link", name=robot.root)
    if robot.base:
        yield _body_link(robot, 0, materials)
    for index in range(1, len(robot.compiled.bodies)):
        yield _body_link(robot, index, materials)
    for link in intermediate(robot.tree):
        element = Element("link", name=robot.names.link(link.name))
        if mass := robot.export.options.intermediate_mass:
            element.append(_inertial_of(ball(mass), Pose.identity()))
        yield element


def _body_link(robot: Robot, index: int, materials: Mapping[Color, str]) -> Element:
    body, X_LB = robot.compiled.bodies[index], robot.X_LB(index)
    element = Element("link", name=robot.link(index))
    if body.inertia is not None:
        element.append(_inertial_of(body.inertia, X_LB))
    element.extend(_shapes(robot, body, X_LB, materials))
    return element


def _inertial_of(inertia: Inertia, X_LB: Pose) -> Element:
    tensor = X_LB.R @ writable_tensor(inertia_tensor(inertia)) @ X_LB.R.T
    return _inertial(inertia.mass, X_LB.R @ np.array(inertia.center) + X_LB.p, tensor)


def _inertial(mass: float, center: Array, tensor: Array) -> Element:
    """The `<inertial>`, its tensor along the link's axes: consumers turn others wrong."""
    element = Element("inertial")
    origin(element, Pose(np.eye(3), center))
    SubElement(element, "mass", value=exact([mass]))
    entries = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2)}
    entries["izz"] = (2, 2)
    own = {name: exact([tensor[at]]) for name, at in entries.items()}
    SubElement(element, "inertia", own)
    return element


def _shapes(
    robot: Robot, body: Body, X_LB: Pose, materials: Mapping[Color, str]
) -> Iterator[Element]:
    files, names = robot.export.meshes.files, robot.names.shapes
    shapes = [shape for shape in body.shapes if shape.mesh in files]
    for tag, after in (("visual", ""), ("collision", "_collision")):
        for shape in shapes:
            element = Element(tag, name=names[shape.name] + after)
            origin(element, X_LB @ shape.pose())
            SubElement(SubElement(element, "geometry"), "mesh", filename=files[shape.mesh])
            if tag == "visual" and shape.color is not None:
                SubElement(element, "material", name=materials[shape.color])
            yield element


def materials_of(robot: Robot) -> dict[Color, str]:
    """A name for each colour, after its numbers from 0 to 255."""
    used: set[str] = set()
    named: dict[Color, str] = {}
    for color in (shape.color for shape in _all_shapes(robot)):
        if color is not None and color not in named:
            code = "".join(f"{round(255.0 * part):02x}" for part in color)
            named[color] = unused(f"color_{code}", used)
            used.add(named[color])
    return named


def material_elements(materials: Mapping[Color, str]) -> Iterator[Element]:
    """The colours, each defined once."""
    for color, name in materials.items():
        element = Element("material", name=name)
        SubElement(element, "color", rgba=numbers(color))
        yield element


def _all_shapes(robot: Robot) -> Iterator[Shape]:
    for body in robot.compiled.bodies:
        yield from body.shapes


def frame_elements(robot: Robot) -> Iterator[Element]:
    """What has a place and no mass: a link without inertia each, fixed to the link it is on."""
    for host, name, X_BF in frames_of(robot):
        yield Element("link", name=name)
        yield fixed_joint(robot, robot.link(host), name, robot.X_LB(host) @ X_BF)


def fixed_joint(robot: Robot, parent: str, child: str, X: Pose) -> Element:
    """The fixed joint that leads to a link."""
    element = Element("joint", name=robot.names.fixed[child], type="fixed")
    origin(element, X)
    SubElement(element, "parent", link=parent)
    SubElement(element, "child", link=child)
    return element


def frames_of(robot: Robot) -> Iterator[tuple[int, str, Pose]]:
    """Body, name in the file and pose on the body: of what is welded, named, and cut."""
    compiled = robot.compiled
    for welded in compiled.welded:
        name = robot.names.bodies[welded.name]
        if name != robot.link(welded.host):
            yield welded.host, name, welded.pose
    places = {body.name: (body.host, body.pose) for body in compiled.welded}
    frames = {frame.name: frame for frame in compiled.mechanism.frames}
    for name in named_frames(compiled):
        frame = frames[name]
        host, X_HB = places.get(frame.body, (0, Pose.identity()))
        yield host, robot.names.frames[name], X_HB @ frame.pose()
    for closure in compiled.closures:
        if closure.kind is JointKind.FREE:
            continue
        chord, own = closure.chord, [robot.names.ends.get(name) for name in closure_ends(closure)]
        along = Pose(np.eye(3), np.array([0.0, 0.0, robot.levers.get(closure.name, 0.0)]))
        places_of_ends = (
            (chord.parent, chord.X_PF),
            (chord.child, chord.X_CM),
            (chord.parent, chord.X_PF @ along),
            (chord.child, chord.X_CM @ along),
        )
        for end, (body, X) in zip(own, places_of_ends, strict=True):
            if end is not None:
                yield body, end, X
