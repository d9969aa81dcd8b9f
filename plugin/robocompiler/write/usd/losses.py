"""What of a mechanism a stage has not, or only nearly, where its table says otherwise."""

from __future__ import annotations

from robocompiler.write.fidelity import Property
from robocompiler.write.meshes import convex_hull_excess
from robocompiler.write.usd.scene import Scene

# Convex hulls that add more than this share of a part's volume are worth a word.
HULL_EXCESS = 0.05
# Below this share of it a hull is the part.
CONVEX = 1e-6


def note_losses(scene: Scene) -> None:
    """Enter all exceptions to the table."""
    _note_collision(scene)


def _note_collision(scene: Scene) -> None:
    """By how much each part's convex hull is larger than the part."""
    ledger = scene.ledger
    written = scene.export.meshes.triangles
    hulls = {name: convex_hull_excess(shape) for name, shape in written.items()}
    for name, excess in hulls.items():
        of = (Property.COLLISION, f"mesh {name}", "how it collides")
        if excess < CONVEX:
            ledger.carry(*of)
        else:
            ledger.approximate(*of, "its convex hull adds to its volume", excess)
    if large := {name: excess for name, excess in hulls.items() if excess > HULL_EXCESS}:
        shown = ", ".join(f"{name} +{100.0 * excess:.0f} %" for name, excess in large.items())
        ledger.warn(f"parts collide as their convex hulls, which add to their volumes: {shown}")
