"""Drake's tendons, by which URDF and SDFormat tell it of couplings of several leaders."""

from __future__ import annotations

from robocompiler.compiler.compiled import CompiledCoupling, CompiledMechanism, CoordinateRef
from robocompiler.model.joint_kinds import JointKind

MOST_TREES = 2
"""Drake 1.51 fails when it simulates a tendon of joints of more."""
WHY_TREES = "Drake's tendons take joints of at most two trees that start from the world"


def spans_too_many_trees(
    compiled: CompiledMechanism, coupling: CompiledCoupling, based: bool
) -> bool:
    """Whether Drake would fail on it.

    Args:
        compiled: the mechanism.
        coupling: between joints of it.
        based: whether what joints hold to the world starts from a link of the file: then all of it
            is one tree to Drake.
    """
    roots = {_root(compiled, ref, based) for ref, _ in coupling.terms}
    return len(roots) > MOST_TREES


def _root(compiled: CompiledMechanism, ref: CoordinateRef, based: bool) -> int:
    """The body at which the tree of a coordinate's joint starts; 0 for that of the base."""
    leads_to = {t.outboard: t for t in compiled.tree}
    own = compiled.tree[ref.tree_joint]
    while own.inboard != 0:
        own = leads_to[own.inboard]
    return 0 if based and own.edge.joint.kind is not JointKind.FREE else own.outboard
