"""Convex hulls that shapes collide as, and what they add to the parts."""

from __future__ import annotations

import math

from robocompiler.write.fidelity import Property
from robocompiler.write.ledger import Ledger
from robocompiler.write.meshes import WrittenMeshes, convex_hull_excess

HULL_EXCESS = 0.05
"""Share of a part's volume above which what its hull adds is worth a word."""
CONVEX = 1e-6
"""Share of it below which the hull is the part."""


def note_hulls(meshes: WrittenMeshes, ledger: Ledger) -> None:
    """By how much each part's convex hull is larger than the part."""
    hulls = {name: convex_hull_excess(shape) for name, shape in meshes.triangles.items()}
    for name, excess in hulls.items():
        of = (Property.COLLISION, f"mesh {name}", "how it collides")
        if excess < CONVEX:
            ledger.carry(*of)
        else:
            ledger.approximate(*of, "its convex hull adds to its volume", excess)
    if large := [_added(*own) for own in hulls.items() if own[1] > HULL_EXCESS]:
        shown = ", ".join(large)
        ledger.warn(f"parts collide as their convex hulls, which add to their volumes: {shown}")


def _added(name: str, excess: float) -> str:
    if math.isinf(excess):
        return f"{name}, which has none"
    return f"{name} +{100.0 * excess:.0f} %"
