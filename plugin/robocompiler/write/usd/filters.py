"""Which bodies do not collide: those that a joint or a closure holds together."""

from __future__ import annotations

from robocompiler.write.usd.prims import Prim
from robocompiler.write.usd.scene import Scene, holds


def filter_pairs(scene: Scene, prims: list[Prim]) -> None:
    """Note on each body which others it does not collide with."""
    by_name = {prim.name: prim for prim in prims}
    compiled = scene.compiled
    edges = [*(t.edge for t in compiled.tree), *(c.chord for c in compiled.closures)]
    pairs: dict[tuple[str, str], None] = {}
    for edge in edges:
        first, second = (scene.link_of(body) for body in (edge.parent, edge.child))
        bare = not (_collides(scene, edge.parent) and _collides(scene, edge.child))
        if holds(edge.joint.kind) and not bare and (second, first) not in pairs:
            pairs[first, second] = None
    for first, second in pairs:
        prim = by_name[scene.links[first]]
        if "PhysicsFilteredPairsAPI" not in prim.schemas:
            prim.schemas += ("PhysicsFilteredPairsAPI",)
        known = prim.relations.get("physics:filteredPairs", ())
        prim.relations["physics:filteredPairs"] = (*known, scene.path(second))


def _collides(scene: Scene, body: int) -> bool:
    """Whether it has a shape: Newton warns of pairs of which one has none."""
    meshes = scene.export.meshes.files
    shapes = scene.compiled.bodies[body].shapes
    return any(s.mesh in meshes for s in shapes)
