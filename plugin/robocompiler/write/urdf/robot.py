"""What all elements of a URDF are made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

from robocompiler.compiler.compiled import Closure, CompiledMechanism
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Joint
from robocompiler.spatial import Pose
from robocompiler.write.angles import roll_pitch_yaw
from robocompiler.write.base import base_name, base_pose
from robocompiler.write.export import Export
from robocompiler.write.links import LinkJoint, LinkTree, joint_of, link_tree
from robocompiler.write.loops import is_planar, lever
from robocompiler.write.numbers import numbers
from robocompiler.write.statements import named_frames
from robocompiler.write.urdf.names import URDF_NATIVE, Names, names_of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Robot:
    """A mechanism as links, with the names they have in the file."""

    export: Export
    tree: LinkTree
    names: Names
    root: str | None
    """The link without mass that the tree hangs on; None where a floating body is the root."""
    base: str | None
    """The file's name of the link of all that is welded to the world."""
    floating: int | None
    """Index of the compiled body that is the whole tree's root and floats."""
    levers: Mapping[str, float]
    """How far along its axis [m] the second point of each spatial hinge's closure is, by name."""

    @property
    def compiled(self) -> CompiledMechanism:
        """The mechanism."""
        return self.export.compiled

    @property
    def closures(self) -> tuple[Closure, ...]:
        """Those that hold something."""
        return tuple(c for c in self.compiled.closures if c.kind is not JointKind.FREE)

    def link(self, body: int) -> str:
        """The file's link of a compiled body."""
        if body == 0:
            return self.base or str(self.root)
        return self.names.bodies[self.compiled.bodies[body].name]

    def X_LB(self, body: int) -> Pose:
        """A compiled body's frame seen from its link's."""
        if body == 0:
            return base_pose(self.compiled).inverse() if self.base else Pose.identity()
        return self.tree.of_body(body).X_BL.inverse()

    @property
    def joints(self) -> Iterator[LinkJoint]:
        """Those that are joints of the file: not the one by which the root floats."""
        for joint in self.tree.joints:
            if self.floating is None or self.compiled.tree[joint.source].inboard != 0:
                yield joint

    def joint(self, link_joint: LinkJoint) -> Joint:
        """The mechanism's joint that one is, or is part of."""
        return joint_of(self.compiled, link_joint)

    def parent(self, joint: LinkJoint) -> tuple[str, Pose]:
        """The link that a joint starts from, and where the child's is seen from it at zero.

        What is free of the world hangs on the root itself, all else on the static link.
        """
        if joint.parent != self.tree.links[0].name:
            return self.names.link(joint.parent), joint.X_PC
        if joint.kind is JointKind.FREE or self.base is None:
            return str(self.root), joint.X_PC
        return self.base, self.X_LB(0) @ joint.X_PC


def robot_of(export: Export) -> Robot:
    """The mechanism as links.

    Raises:
        UnwritableError: names of which nothing can be written.
    """
    compiled = export.compiled
    tree = link_tree(compiled, export.q, URDF_NATIVE, zero=True)
    floating = _floating_root(compiled)
    root = export.options.root or (WORLD if floating is None else None)
    levers = _levers(export)
    roots = [name for name in (root,) if name]
    names = names_of(compiled, tree, roots, frozenset(levers), export.configurations)
    base = base_name(compiled)
    return Robot(
        export=export,
        tree=tree,
        names=names,
        root=root,
        base=names.bodies[base] if base else None,
        floating=floating,
        levers=levers,
    )


def _floating_root(compiled: CompiledMechanism) -> int | None:
    """The body that a mechanism hangs on which is one tree and nowhere held by the world."""
    roots = [joint for joint in compiled.tree if joint.inboard == 0]
    frames = {frame.name: frame.body for frame in compiled.mechanism.frames}
    held = any(0 in (c.chord.parent, c.chord.child) for c in compiled.closures)
    named = any(frames[name] == WORLD for name in named_frames(compiled))
    if base_name(compiled) or held or named or len(roots) != 1:
        return None
    return roots[0].outboard


def _levers(export: Export) -> dict[str, float]:
    compiled, state = export.compiled, export.state
    return {
        closure.name: lever(compiled, state, module)
        for module in compiled.modules
        for closure in (compiled.closures[i] for i in module.closures)
        if closure.kind is JointKind.REVOLUTE and not is_planar(compiled, state, closure)
    }


def origin(parent: Element, X: Pose) -> None:
    """The `<origin>` of an element."""
    SubElement(parent, "origin", xyz=numbers(X.position), rpy=numbers(roll_pitch_yaw(X.R)))
