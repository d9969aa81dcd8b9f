"""What PhysX's own schemas say beyond USD's."""

from __future__ import annotations

from robocompiler.write.usd.prims import Prim, Value
from robocompiler.write.usd.scene import ROOT, Scene

POSITION_ITERATIONS, VELOCITY_ITERATIONS = 64, 16
"""With PhysX's 32 and 1, two parallelograms coupled to one another come apart in a few steps."""


def make_root(prim: Prim, scene: Scene) -> None:
    """An articulation starts at a prim."""
    prim.schemas += (ROOT,)
    if scene.profile.physx:
        prim.schemas += ("PhysxArticulationAPI",)
        name = "physxArticulation:solver"
        prim.attributes[f"{name}PositionIterationCount"] = Value("int", POSITION_ITERATIONS)
        prim.attributes[f"{name}VelocityIterationCount"] = Value("int", VELOCITY_ITERATIONS)
