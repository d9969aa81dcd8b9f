"""Write a compiled mechanism as URDF, with its loops, its drives and its configurations beside."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from robocompiler.errors import OutputError
from robocompiler.spatial import Pose
from robocompiler.write.comments import comment
from robocompiler.write.export import Export
from robocompiler.write.hulls import warn_of_hulls
from robocompiler.write.urdf.bodies import (
    fixed_joint,
    frame_elements,
    link_elements,
    material_elements,
    materials_of,
)
from robocompiler.write.urdf.drives import (
    drives_of,
    note_limits,
    ros2_control,
    transmission_elements,
)
from robocompiler.write.urdf.joints import Terms, joint_elements
from robocompiler.write.urdf.loops import (
    ball_constraints,
    independent_joints,
    loop_elements,
    robot_yaml,
)
from robocompiler.write.urdf.losses import note_losses
from robocompiler.write.urdf.lowering import check_lowered
from robocompiler.write.urdf.mimics import limits_of, mimics_of, note_order
from robocompiler.write.urdf.names import legal
from robocompiler.write.urdf.readers import note_readers
from robocompiler.write.urdf.robot import Robot, robot_of
from robocompiler.write.urdf.srdf import srdf
from robocompiler.write.urdf.tendons import tendon_elements

DRAKE_SPACE = "http://drake.mit.edu"
EXTENDED = ".robot.yaml"
"""In place of the model's suffix: the loops, as Extended URDF has them."""
_HEADER = (
    "Joint coordinates as in the CAD, m and rad; loops are beside the tree. 1e10 is no limit: URDF "
    "asks for a number where none is stated."
)


def contents(export: Export) -> dict[str, bytes]:
    """The model's file, its SRDF, and where it has loops its `robot.yaml`.

    Raises:
        UnwritableError: names that URDF cannot hold, or joints that it lacks.
        OutputError: a model with its SRDF's name.
    """
    check_lowered(export)
    robot = robot_of(export)
    export.names.update(robot.names.changes())
    drives, mimics = drives_of(robot), mimics_of(robot)
    note_losses(robot)
    note_order(robot, mimics)
    note_limits(robot, drives)
    warn_of_hulls(export.meshes, export.ledger)
    limits = limits_of(robot, mimics)
    note_readers(robot, limits)
    terms = Terms(
        drives=drives,
        mimics=mimics,
        limits=limits,
        independent=independent_joints(robot, drives, mimics),
    )
    name = legal(export.compiled.mechanism.name) or "robot"
    model = Element("robot", {"name": name, "xmlns:drake": DRAKE_SPACE})
    model.append(comment(_HEADER))
    model.append(_for_mujoco())
    model.extend(_robot_elements(robot, terms, name))
    semantics = f"{export.stem}.srdf"
    if semantics.lower() == export.file.lower():
        raise OutputError(Path(export.file), "its SRDF is called so; give the model another suffix")
    files = {export.file: _text(model), semantics: _text(srdf(robot, drives, mimics, name))}
    if robot.closures:
        files[export.stem + EXTENDED] = robot_yaml(robot, drives)
    return {path: text.encode() for path, text in files.items()}


def _robot_elements(robot: Robot, terms: Terms, name: str) -> Iterator[Element | Element[Any]]:
    materials = materials_of(robot)
    yield from material_elements(materials)
    yield from link_elements(robot, materials)
    yield from _root_joints(robot)
    yield from joint_elements(robot, terms)
    yield from frame_elements(robot)
    yield from loop_elements(robot)
    yield from ball_constraints(robot)
    yield from tendon_elements(robot)
    drives = tuple(terms.drives)
    yield from transmission_elements(robot, drives)
    block = ros2_control(robot, drives, terms.mimics, name)
    if block is not None:
        yield block


def _root_joints(robot: Robot) -> Iterator[Element]:
    """What is fixed to the root: the static link, or what floats under a root of its own."""
    if robot.root and robot.base:
        yield fixed_joint(robot, robot.root, robot.base, robot.X_LB(0).inverse())
    elif robot.root and robot.floating is not None:
        yield fixed_joint(robot, robot.root, robot.link(robot.floating), Pose.identity())


def _for_mujoco() -> Element:
    """What MuJoCo would do otherwise: drop folders of meshes, and links that do not move."""
    element = Element("mujoco")
    flags = ("strippath", "fusestatic", "discardvisual", "balanceinertia")
    SubElement(element, "compiler", dict.fromkeys(flags, "false"))
    return element


def _text(root: Element) -> str:
    indent(root)
    return '<?xml version="1.0"?>\n' + tostring(root, encoding="unicode") + "\n"
