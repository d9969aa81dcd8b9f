"""Whether MuJoCo and XML can hold the names of a finished model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import UnwritableError
from robocompiler.write.comments import UNHOLDABLE
from robocompiler.write.statements import named_frames

SECTIONS = {"equality": "equality", "tendon": "tendon", "actuator": "actuator"}
"""Sections whose elements share one set of names, whatever their tags."""
KINDS = {
    ("body", "joint"): "joint",
    ("body", "freejoint"): "joint",
    ("body", "geom"): "geom",
    ("worldbody", "geom"): "geom",
    ("body", "site"): "site",
    ("worldbody", "site"): "site",
    ("body", "body"): "body",
    ("worldbody", "body"): "body",
    ("asset", "mesh"): "mesh",
    ("keyframe", "key"): "key",
}
"""By tag of the parent and tag."""
PLURALS = {"body": "bodies", "equality": "equalities", "mesh": "meshes"}


def check_names(root: Element, compiled: CompiledMechanism) -> None:
    """Whether every name is there, can be written, and is the only one of its kind.

    Raises:
        UnwritableError: all that is wrong, with what to rename.
    """
    named = list(_named(root))
    faults = [
        f"a {kind} has no name, so that nothing can refer to it" for kind, name in named if not name
    ]
    owners = _owners(compiled)
    for (kind, name), count in Counter(named).items():
        if name and count > 1:
            renamed = " or ".join(_owners_of(name, owners[kind])) or f"one of the {kind}s"
            faults.append(f"{count} {PLURALS.get(kind, f'{kind}s')} '{name}' (rename {renamed})")
    for text in dict.fromkeys(value for e in root.iter() for value in e.attrib.values()):
        if UNHOLDABLE.search(text):
            faults.append(f"the name {text!a} has a character that XML cannot hold")
    if faults:
        raise UnwritableError(f"MJCF cannot be written with these names: {'; '.join(faults)}.")


def _named(root: Element) -> Iterator[tuple[str, str]]:
    """Kind and name of everything that has a name of its own, the world's body first."""
    yield "body", "world"
    for parent in root.iter():
        for child in parent:
            kind = SECTIONS.get(str(parent.tag)) or KINDS.get((str(parent.tag), str(child.tag)))
            name = child.get("name")
            if kind is not None and name is not None:
                yield kind, name


def _owners(compiled: CompiledMechanism) -> dict[str, list[tuple[str, str]]]:
    """What in the mechanism the names of each kind of element are made from."""
    mechanism = compiled.mechanism
    joints = [("joint", joint.name) for joint in mechanism.joints]
    bodies = [("body", body.name) for body in mechanism.bodies]
    loops = [("loop", closure.name) for closure in compiled.closures]
    couplings = [("coupling", coupling.name) for coupling in mechanism.couplings]
    actuators = [("actuator", actuator.name) for actuator in mechanism.actuators]
    return {
        "joint": joints,
        "body": bodies,
        "geom": [("shape", shape.name) for body in mechanism.bodies for shape in body.shapes],
        "site": [*bodies, *loops, *(("frame", name) for name in named_frames(compiled))],
        "mesh": [("mesh", mesh.name) for mesh in mechanism.meshes],
        "equality": [*loops, *couplings, *joints],
        "tendon": [*loops, *couplings, *joints, *actuators],
        "actuator": actuators,
        "key": [],
    }


def _owners_of(name: str, owners: Iterable[tuple[str, str]]) -> list[str]:
    """Those of which the name is, or with whose name and a slash it begins."""
    return [
        f"{what} '{owner}'"
        for what, owner in owners
        if name == owner or name.startswith(f"{owner}/")
    ]
