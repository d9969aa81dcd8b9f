"""What the elements of a model are made from."""

from __future__ import annotations

from dataclasses import dataclass

from robocompiler.compiler.compiled import CompiledMechanism, Edge
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD
from robocompiler.solve.state import State
from robocompiler.spatial import Array, Pose
from robocompiler.write.base import base_pose
from robocompiler.write.export import Export
from robocompiler.write.ledger import Ledger
from robocompiler.write.links import LinkTree, link_tree
from robocompiler.write.sdf.drives import Drive, drives
from robocompiler.write.sdf.names import Names, sdf_names

NATIVE = frozenset(
    {
        JointKind.REVOLUTE,
        JointKind.PRISMATIC,
        JointKind.SCREW,
        JointKind.UNIVERSAL,
        JointKind.BALL,
        JointKind.FREE,
    }
)
"""Kinds that SDFormat has: a free joint is none at all."""


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A mechanism where it stands, as links with names."""

    compiled: CompiledMechanism
    q: Array
    state: State
    tree: LinkTree
    names: Names
    files: dict[str, str]
    """Of the meshes that could be written, by name; shapes of others are left out."""
    drives: dict[str, Drive]
    """What drives each single coordinate, by its name."""
    ledger: Ledger
    for_drake: bool
    """Whether it is for Drake alone, which has its own ways."""

    def link_pose(self, body: int) -> Pose:
        """X_BL of a compiled body's link."""
        return base_pose(self.compiled) if body == 0 else self.tree.of_body(body).X_BL

    def link_name(self, body: int) -> str:
        """What a compiled body's link is called; `world` where it has none."""
        return self.names.links.get(self.tree.of_body(body).name, WORLD)

    def frame(self, edge: Edge, child: bool) -> Pose:
        """A joint's frame M, or F, seen from the link that it is on."""
        body, X = (edge.child, edge.X_CM) if child else (edge.parent, edge.X_PF)
        return self.link_pose(body).inverse() @ X


def scene_of(export: Export, for_drake: bool = False) -> Scene:
    """The scene of an export.

    Raises:
        UnwritableError: names that SDFormat cannot hold.
    """
    compiled, q = export.compiled, export.q
    tree = link_tree(compiled, q, NATIVE, zero=False)
    names = sdf_names(compiled, tree)
    return Scene(
        compiled=compiled,
        q=q,
        state=export.state,
        tree=tree,
        names=names,
        files=export.meshes.files,
        drives=drives(compiled, for_drake),
        ledger=export.ledger,
        for_drake=for_drake,
    )
