"""Convex hulls that shapes collide as, and what they add to the parts."""

from __future__ import annotations

import math

from robocompiler.write.fidelity import Property
from robocompiler.write.ledger import Ledger
from robocompiler.write.meshes import WrittenMeshes, convex_hull_excess, hull_of

HULL_EXCESS = 0.05
"""Share of a part's volume above which what its hull adds is worth a word."""
CONVEX = 1e-6
"""Share of it below which the hull is the part."""


def note_hulls(meshes: WrittenMeshes, ledger: Ledger) -> None:
    """By how much each part's convex hull, which a format makes of it, is larger than the part."""
    for name, shape in meshes.triangles.items():
        of = (Property.COLLISION, f"mesh {name}", "how it collides")
        excess = convex_hull_excess(shape)
        if excess < CONVEX:
            ledger.carry(*of)
        elif math.isfinite(excess):
            ledger.approximate(*of, "its convex hull adds to its volume", excess)
        else:
            how = "it encloses nothing, and its convex hull does"
            ledger.approximate(*of, how, hull_of(shape), "m³")


def warn_of_hulls(meshes: WrittenMeshes, ledger: Ledger) -> None:
    """What consumers add to parts that a format has as they are: most take their hulls."""
    hulls = {name: convex_hull_excess(shape) for name, shape in meshes.triangles.items()}
    if large := [_added(*own) for own in hulls.items() if own[1] > HULL_EXCESS]:
        ledger.warn(
            "most simulators let parts collide as their convex hulls, which add to their volumes: "
            f"{', '.join(large)}"
        )


def _added(name: str, excess: float) -> str:
    if math.isinf(excess):
        return f"{name}, which has none"
    return f"{name} +{100.0 * excess:.0f} %"
