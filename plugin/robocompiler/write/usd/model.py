"""The whole stage: the model, its meshes and what surrounds it."""

from __future__ import annotations

import numpy as np

from robocompiler.write.usd.actuators import actuator_prims
from robocompiler.write.usd.bodies import body_prims
from robocompiler.write.usd.closures import closure_prims
from robocompiler.write.usd.couplings import couple
from robocompiler.write.usd.filters import filter_pairs
from robocompiler.write.usd.joints import joint_prims
from robocompiler.write.usd.keyframes import keyframe_prims
from robocompiler.write.usd.mujoco import describe_scene
from robocompiler.write.usd.prims import Prim, Value, real, scope
from robocompiler.write.usd.scene import ACTUATORS, JOINTS, KEYFRAMES, MATERIALS, Scene, display
from robocompiler.write.usd.shapes import material_prims, mesh_prims


def stage_prims(scene: Scene) -> list[Prim]:
    """The prims at the top: the model, then the scene, then meshes that shapes refer to."""
    name = scene.compiled.mechanism.name
    bodies = list(body_prims(scene))
    filter_pairs(scene, bodies)
    joints = [*joint_prims(scene), *closure_prims(scene)]
    couple(scene, joints)
    model = Prim(
        name=scene.model,
        type="Xform",
        kind="component",
        display=display(name, scene.model),
        children=[
            *bodies,
            *scope(JOINTS, joints),
            *scope(MATERIALS, list(material_prims(scene))),
        ],
    )
    if scene.profile.mujoco:
        model.children += scope(ACTUATORS, list(actuator_prims(scene)))
        model.children += scope(KEYFRAMES, list(keyframe_prims(scene)))
    return [model, _surroundings(scene), *mesh_prims(scene)]


def _surroundings(scene: Scene) -> Prim:
    prim = Prim(name="physicsScene", type="PhysicsScene")
    gravity = scene.compiled.mechanism.environment.gravity
    if gravity is not None:
        size = float(np.linalg.norm(gravity))
        way = np.array(gravity) / size if size else np.array([0.0, 0.0, -1.0])
        prim.attributes["physics:gravityDirection"] = Value("vector3f", tuple(way + 0.0))
        prim.attributes["physics:gravityMagnitude"] = real(size)
    if scene.profile.mujoco:
        describe_scene(prim, scene)
    return prim
