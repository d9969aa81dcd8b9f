"""Pass: number coordinates, inboard before outboard."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from robocompiler.compiler.compiled import Edge, TreeJoint


@dataclass(frozen=True, slots=True, eq=False)
class Numbering:
    """The tree joints in order, with their coordinates."""

    tree: tuple[TreeJoint, ...]
    nq: int
    nv: int


def number_coordinates(edges: tuple[Edge, ...], cut: Container[str]) -> Numbering:
    """Walk the tree from the world, depth first, joints of a body by their names.

    Args:
        edges: every joint; those named in `cut` are left out, the others make a tree.
        cut: names of the joints that were cut.
    """
    near: dict[int, list[tuple[Edge, int]]] = {}
    for edge in sorted(edges, key=lambda e: e.joint.name, reverse=True):
        if edge.joint.name not in cut:
            near.setdefault(edge.parent, []).append((edge, edge.child))
            near.setdefault(edge.child, []).append((edge, edge.parent))
    tree: list[TreeJoint] = []
    nq = nv = 0
    reached = {0}
    waiting = [(0, edge, other) for edge, other in near.get(0, [])]
    while waiting:
        inboard, edge, outboard = waiting.pop()
        if outboard in reached:
            continue
        reached.add(outboard)
        kind = edge.joint.kind
        q, v = slice(nq, nq + kind.nq), slice(nv, nv + kind.dof)
        tree.append(TreeJoint(edge=edge, inboard=inboard, outboard=outboard, q=q, v=v))
        nq, nv = q.stop, v.stop
        waiting += [(outboard, e, o) for e, o in near[outboard] if o not in reached]
    return Numbering(tree=tuple(tree), nq=nq, nv=nv)
