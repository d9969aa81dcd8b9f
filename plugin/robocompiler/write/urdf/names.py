"""What the URDF calls things. Links, frames and ends of loops share one set of names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from robocompiler.compiler.compiled import Closure, CompiledMechanism
from robocompiler.model.actuation import actuated_joints
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD
from robocompiler.write.base import base_name
from robocompiler.write.links import LinkTree, intermediate, joint_of
from robocompiler.write.loops import closure_frames
from robocompiler.write.names import changed, legal_names
from robocompiler.write.statements import named_frames

TITLE = "URDF"
URDF_NATIVE = frozenset({JointKind.REVOLUTE, JointKind.PRISMATIC, JointKind.FREE})
"""Kinds that URDF has and its consumers agree on. A `planar` joint is none: MuJoCo and Drake turn
about its axis, Pinocchio about z whatever the axis is, and its coordinates have no limits."""
URDF_CUTTABLE = frozenset({JointKind.BALL, JointKind.REVOLUTE, JointKind.FREE})
"""Kinds whose closure can be said exactly in points that meet: all that Drake and Pinocchio read of
the files."""
SIDES = ("parent", "child")
"""Of a joint, as Drake calls its frames."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The file's names, by the mechanism's."""

    bodies: dict[str, str]
    """Of links: the static one, compiled bodies, and those welded to them."""
    between: dict[str, str]
    """Of links between the axes of a joint."""
    frames: dict[str, str]
    ends: dict[str, str]
    """Of the ends of closures (see `closure_ends`)."""
    loops: dict[str, str]
    states: dict[str, str]
    """Of configurations."""
    joints: dict[str, str]
    """As `link_tree` has them."""
    fixed: dict[str, str]
    """Of the fixed joint that leads to a link, by that link's name in the file."""
    tendons: dict[str, str]
    """Of couplings of several leaders."""
    actuators: dict[str, str]
    shapes: dict[str, str]
    """Of visuals; what collides is `<visual>_collision`: MuJoCo has one set of names for both."""

    def link(self, name: str) -> str:
        """Of one of the tree's links."""
        return self.bodies.get(name) or self.between[name]

    def changes(self) -> dict[str, dict[str, str]]:
        """Those that are not the mechanism's, by kind."""
        kinds = {
            "link": {**self.bodies, **self.between},
            "frame": self.frames,
            "joint": self.joints,
            "actuator": self.actuators,
            "shape": self.shapes,
            "loop": self.loops,
            "end of a loop": {legal(name): own for name, own in self.ends.items()},
            "configuration": self.states,
        }
        return {kind: changed(own) for kind, own in kinds.items() if changed(own)}


def legal(name: str) -> str:
    """A name as URDF's consumers all take it; "" where no letter or digit is left."""
    plain = re.sub(r"[^A-Za-z0-9_.-]", "_", name)
    return plain if re.search(r"[A-Za-z0-9]", plain) else ""


def closure_ends(closure: Closure) -> tuple[str, str, str, str]:
    """Its frames F and M, and the points along the axis at which a spatial hinge also meets."""
    name = closure.name
    return (*closure_frames(closure), f"{name}/axis/parent", f"{name}/axis/child")


def names_of(
    compiled: CompiledMechanism,
    tree: LinkTree,
    roots: Iterable[str],
    spatial: frozenset[str],
    states: Iterable[str],
) -> Names:
    """The names of a whole file.

    Args:
        compiled: the mechanism.
        tree: its links and joints.
        roots: names that the root links have.
        spatial: closures that meet at two points.
        states: names of configurations.

    Raises:
        UnwritableError: names of which nothing can be written.
    """
    joints = legal_names("joint", (joint.name for joint in tree.joints), legal, TITLE)
    links = {WORLD, *roots}
    # Drake makes frames of joints, called so, and fails on a link that has the name of one.
    frames_of_joints = {f"{name}_{side}" for name in joints.values() for side in SIDES}

    def shared(kind: str, names: Iterable[str]) -> dict[str, str]:
        """Of links: all in one set."""
        own = legal_names(kind, names, legal, TITLE, links | frames_of_joints)
        links.update(own.values())
        return own

    def alone(kind: str, names: Iterable[str], beside: Iterable[str] = ()) -> dict[str, str]:
        return legal_names(kind, names, legal, TITLE, beside)

    base = base_name(compiled)
    welded = (body.name for body in compiled.welded)
    bodies = shared("body", [*([base] if base else []), *welded])
    frames = shared("frame", named_frames(compiled))
    ends = shared("loop", _ends(compiled, spatial))
    between = shared("joint", (link.name for link in intermediate(tree)))
    fixed = alone("link", sorted(f"{name}_joint" for name in links), joints.values())
    return Names(
        bodies=bodies,
        between=between,
        frames=frames,
        ends=ends,
        loops=alone("loop", (closure.name for closure in compiled.closures)),
        states=alone("configuration", states),
        joints=joints,
        fixed={name: fixed[f"{name}_joint"] for name in links},
        tendons=alone("coupling", (own.name for own in compiled.couplings)),
        actuators=alone("actuator", _actuators(compiled, tree)),
        shapes=alone("shape", _shapes(compiled)),
    )


def motor_of(joint: str) -> str:
    """What drives a joint for which no actuator is declared."""
    return f"{joint}_motor"


def _shapes(compiled: CompiledMechanism) -> Iterator[str]:
    return (shape.name for body in compiled.bodies for shape in body.shapes)


def _ends(compiled: CompiledMechanism, spatial: frozenset[str]) -> list[str]:
    names: list[str] = []
    for closure in compiled.closures:
        if closure.kind is not JointKind.FREE:
            names += closure_ends(closure)[: 4 if closure.name in spatial else 2]
    return names


def _actuators(compiled: CompiledMechanism, tree: LinkTree) -> list[str]:
    declared = [actuator.name for actuator in compiled.mechanism.actuators]
    driven = actuated_joints(compiled.mechanism)
    joints = (joint.name for joint in tree.joints if joint_of(compiled, joint).name in driven)
    return [*declared, *map(motor_of, joints)]
