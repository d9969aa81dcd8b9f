"""Shapes: each mesh once, and where it is placed, with its materials."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from robocompiler.model.geometry import Triangles
from robocompiler.model.mechanism import Shape, Surface
from robocompiler.spatial import Pose
from robocompiler.write.names import legal_names
from robocompiler.write.usd.prims import Prim, Value, color, placed, real, token
from robocompiler.write.usd.scene import MATERIALS, Scene, display, legal


def mesh_prims(scene: Scene) -> list[Prim]:
    """The meshes, which shapes refer to: seen and collided with as their convex hulls."""
    meshes = scene.export.meshes.triangles
    names = mesh_names(scene)
    return [
        Prim(
            name=names[name],
            type="Mesh",
            display=display(name, names[name]),
            is_class=True,
            schemas=("PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"),
            attributes=mesh_attributes(triangles),
        )
        for name, triangles in meshes.items()
    ]


def mesh_names(scene: Scene) -> dict[str, str]:
    """Names of the prims at the top that hold the meshes."""
    prefixed = {name: f"_mesh_{name}" for name in scene.export.meshes.triangles}
    given = legal_names("mesh", prefixed.values(), legal, "USD", (scene.model,))
    return {name: given[long] for name, long in prefixed.items()}


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
    """The shapes of a body: each a mesh, placed and bound to its materials."""
    meshes, looks, grips = mesh_names(scene), colors(scene), surfaces(scene)
    for shape in shapes:
        prim = Prim(
            name=names[shape.name],
            type="Mesh",
            display=display(shape.name, names[shape.name]),
            reference=f"/{meshes[shape.mesh]}",
            attributes=placed(X_PB @ shape.pose()),
        )
        if shape.color is not None:
            prim.schemas = ("MaterialBindingAPI",)
            prim.relations["material:binding"] = (_material(scene, looks[shape.color]),)
            prim.attributes["primvars:displayColor"] = Value("color3f[]", [shape.color[:3]])
            prim.attributes["primvars:displayOpacity"] = Value("float[]", [shape.color[3]])
        if shape.surface in grips:
            prim.schemas = ("MaterialBindingAPI",)
            prim.relations["material:binding:physics"] = (_material(scene, grips[shape.surface]),)
        yield prim


def colors(scene: Scene) -> dict[tuple[float, float, float, float], str]:
    """A name for each colour that a shape has, in the order they are met."""
    found = dict.fromkeys(s.color for s in _written(scene) if s.color is not None)
    return {rgba: f"color_{number}" for number, rgba in enumerate(found, 1)}


def surfaces(scene: Scene) -> dict[Surface, str]:
    """A name for each surface of which something is stated."""
    found = dict.fromkeys(s.surface for s in _written(scene) if s.surface != Surface())
    return {surface: f"surface_{number}" for number, surface in enumerate(found, 1)}


def _written(scene: Scene) -> Sequence[Shape]:
    meshes = scene.export.meshes.files
    return [s for body in scene.compiled.bodies for s in body.shapes if s.mesh in meshes]


def _material(scene: Scene, name: str) -> str:
    return f"/{scene.model}/{MATERIALS}/{name}"


def material_prims(scene: Scene) -> list[Prim]:
    """What shapes look like, and what they feel like."""
    looks = [_look(scene, name, rgba) for rgba, name in colors(scene).items()]
    return [*looks, *(_grip(scene, name, surface) for surface, name in surfaces(scene).items())]


def _look(scene: Scene, name: str, rgba: tuple[float, float, float, float]) -> Prim:
    path = f"{_material(scene, name)}/shader"
    shader = Prim(
        name="shader",
        type="Shader",
        attributes={
            "info:id": token("UsdPreviewSurface"),
            "inputs:diffuseColor": color(rgba[:3]),
            "inputs:opacity": real(rgba[3]),
            "inputs:roughness": real(0.5),
            "outputs:surface": Value("token", None),
        },
    )
    surface = {"outputs:surface": ("token", f"{path}.outputs:surface")}
    return Prim(name=name, type="Material", connections=surface, children=[shader])


def _grip(scene: Scene, name: str, surface: Surface) -> Prim:
    attributes: dict[str, Value] = {}
    schemas: tuple[str, ...] = ("PhysicsMaterialAPI",)
    if surface.friction is not None:
        attributes["physics:staticFriction"] = real(surface.friction)
        attributes["physics:dynamicFriction"] = real(surface.friction)
    if surface.restitution is not None:
        attributes["physics:restitution"] = real(surface.restitution)
    if scene.profile.newton:
        schemas = ("PhysicsMaterialAPI", "NewtonMaterialAPI")
        if surface.torsional_friction is not None:
            attributes["newton:torsionalFriction"] = real(surface.torsional_friction)
        if surface.rolling_friction is not None:
            attributes["newton:rollingFriction"] = real(surface.rolling_friction)
    return Prim(name=name, type="Material", schemas=schemas, attributes=attributes)
