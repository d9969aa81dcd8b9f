"""Shapes: each mesh once, and where it is placed, with its materials."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from robocompiler.model.geometry import Triangles
from robocompiler.model.mechanism import Shape, Surface
from robocompiler.spatial import Pose
from robocompiler.write.usd.prims import Prim, Value, color, linear, placed, real, token
from robocompiler.write.usd.scene import MATERIALS, Scene, display

UNSTATED_FRICTION = 0.5
"""What PhysX and Newton take where nothing is bound."""


def mesh_prims(scene: Scene) -> list[Prim]:
    """The meshes, which shapes refer to: seen and collided with as their convex hulls."""
    meshes = scene.export.meshes.triangles
    names = scene.meshes
    return [
        Prim(
            name=names[name],
            type="Mesh",
            is_class=True,  # shown by no name, or what refers to it would have that too
            schemas=("PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"),
            attributes=mesh_attributes(triangles),
        )
        for name, triangles in meshes.items()
    ]


def mesh_attributes(triangles: Triangles) -> dict[str, Value]:
    """A mesh's corners and faces; no subdivision: it is as sharp as it is."""
    points = triangles.vertices.astype(np.float32)
    used = points[np.unique(triangles.faces)]
    return {
        "extent": Value("float3[]", np.array([used.min(axis=0), used.max(axis=0)])),
        "faceVertexCounts": Value("int[]", np.full(len(triangles.faces), 3)),
        "faceVertexIndices": Value("int[]", triangles.faces.ravel()),
        "orientation": token("rightHanded"),
        "physics:approximation": token("convexHull"),
        "points": Value("point3f[]", points + np.float32(0.0)),
        "subdivisionScheme": token("none"),
    }


def shape_prims(
    scene: Scene, shapes: Iterable[Shape], names: Mapping[str, str], X_PB: Pose
) -> Iterator[Prim]:
    """The shapes of a body: each a mesh, placed and bound to its material."""
    meshes, known = scene.meshes, scene.materials
    for shape in shapes:
        prim = Prim(
            name=names[shape.name],
            type="Mesh",
            display=display(shape.name, names[shape.name]),
            reference=f"/{meshes[shape.mesh]}",
            attributes=placed(X_PB @ shape.pose()),
        )
        material = known.get((shape.color, shape.surface))
        if material is not None:
            # MuJoCo reads friction from what is bound for all purposes only; others, from this too.
            seen = shape.color is not None or scene.profile.mujoco
            prim.schemas = ("MaterialBindingAPI",)
            bound = "material:binding" if seen else "material:binding:physics"
            prim.relations[bound] = (f"/{scene.model}/{MATERIALS}/{material}",)
        if shape.color is not None:
            prim.attributes["primvars:displayColor"] = Value("color3f[]", [linear(shape.color[:3])])
            prim.attributes["primvars:displayOpacity"] = Value("float[]", [shape.color[3]])
        yield prim


def material_prims(scene: Scene) -> Iterator[Prim]:
    """What shapes look like, and what they feel like."""
    for (rgba, surface), name in scene.materials.items():
        prim = Prim(name=name, type="Material")
        if rgba is not None:
            path = f"/{scene.model}/{MATERIALS}/{name}/shader.outputs:surface"
            prim.connections = {"outputs:surface": ("token", path)}
            prim.children.append(_shader(rgba))
        if surface != Surface():
            prim.schemas = ("PhysicsMaterialAPI",)
            prim.attributes = _grip(scene, surface)
            if any(key.startswith("newton:") for key in prim.attributes):
                prim.schemas += ("NewtonMaterialAPI",)
        yield prim


def _shader(rgba: tuple[float, float, float, float]) -> Prim:
    return Prim(
        name="shader",
        type="Shader",
        attributes={
            "info:id": token("UsdPreviewSurface"),
            "inputs:diffuseColor": color(rgba[:3]),
            "inputs:metallic": real(0.0),  # MuJoCo warns where it is not stated
            "inputs:opacity": real(rgba[3]),
            "inputs:roughness": real(0.5),
            "outputs:surface": Value("token", None),
        },
    )


def _grip(scene: Scene, surface: Surface) -> dict[str, Value]:
    """Of what is not stated, USD takes 0 for friction: then a common one is written."""
    friction = UNSTATED_FRICTION if surface.friction is None else surface.friction
    attributes = {
        "physics:staticFriction": real(friction),
        "physics:dynamicFriction": real(friction),
    }
    if surface.restitution is not None and not scene.profile.mujoco:
        attributes["physics:restitution"] = real(surface.restitution)
    if surface.torsional_friction is not None:
        attributes["newton:torsionalFriction"] = real(surface.torsional_friction)
    if surface.rolling_friction is not None:
        attributes["newton:rollingFriction"] = real(surface.rolling_friction)
    return attributes
