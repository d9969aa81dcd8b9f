"""Loops: by the joints that were cut, or by what Drake has in their place.

SDFormat takes a second joint that leads to a link; Drake refuses a graph with loops, so that it is
given a file of its own, whose loops it closes by constraints between points.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from robocompiler.compiler.compiled import Closure, Module
from robocompiler.model.configuration import Configuration
from robocompiler.model.joint_kinds import JointKind
from robocompiler.spatial import Array
from robocompiler.write.loops import is_planar, lever
from robocompiler.write.names import unused
from robocompiler.write.sdf.couplings import Ties
from robocompiler.write.sdf.elements import nested, value, vector
from robocompiler.write.sdf.joints import closing_joint, joint_element
from robocompiler.write.sdf.scene import Scene

DRAKE_CUTTABLE = frozenset({JointKind.REVOLUTE, JointKind.BALL, JointKind.FREE})
"""Kinds whose closure points can say."""


def closing_elements(scene: Scene, configuration: Configuration, ties: Ties) -> Iterator[Element]:
    """The joint of each loop that was cut, as it is."""
    for closure in scene.compiled.closures:
        at = configuration.of(closure.chord.joint.name)
        own = closing_joint(scene, closure, at)
        if own is not None:
            yield joint_element(scene, own, ties, closes=True)


def drake_elements(scene: Scene) -> Iterator[Element]:
    """The same loops by points that coincide, and no contact between what they hold together."""
    used = set(scene.names.used)
    for module in scene.compiled.modules:
        for closure in (scene.compiled.closures[i] for i in module.closures):
            if closure.kind is not JointKind.FREE:
                yield from _points(scene, module, closure, used)
                yield _no_contact(scene, closure, used)


def _points(scene: Scene, module: Module, closure: Closure, used: set[str]) -> Iterator[Element]:
    """One point of a ball joint or of a planar loop; two of a hinge elsewhere, along its axis."""
    offsets = [0.0]
    planar = is_planar(scene.compiled, scene.state, closure)
    if closure.kind is JointKind.REVOLUTE and not planar:
        offsets.append(lever(scene.compiled, scene.state, module))
    for count, along in enumerate(offsets):
        suffix = "constraint" if count == 0 else "axis"
        element = Element("drake:ball_constraint", name=_name(scene, closure, suffix, used))
        for tag, text in zip(("body_A", "body_B"), _links(scene, closure), strict=True):
            element.append(value(f"drake:ball_constraint_{tag}", text))
        for tag, child in (("p_AP", False), ("p_BQ", True)):
            point = _point(scene, closure, child, along)
            element.append(vector(f"drake:ball_constraint_{tag}", point))
        yield element


def _point(scene: Scene, closure: Closure, child: bool, along: float) -> Array:
    X = scene.frame(closure.chord, child)
    return X.p + along * X.R[:, 2]


def _links(scene: Scene, closure: Closure) -> tuple[str, str]:
    edge = closure.chord
    return scene.link_name(edge.parent), scene.link_name(edge.child)


def _name(scene: Scene, closure: Closure, suffix: str, used: set[str]) -> str:
    stem = scene.names.joints[closure.chord.joint.name]
    name = unused(f"{stem}_{suffix}", used)
    used.add(name)
    return name


def _no_contact(scene: Scene, closure: Closure, used: set[str]) -> Element:
    """Between two links that a joint holds together Drake has none; here it sees no joint."""
    name = _name(scene, closure, "contact", used)
    members = (value("drake:member", link) for link in _links(scene, closure))
    ignored = value("drake:ignored_collision_filter_group", name)
    return nested("drake:collision_filter_group", *members, ignored, name=name)
