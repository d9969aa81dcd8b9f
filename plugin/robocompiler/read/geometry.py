"""Triangles for the meshes of a description, from PartCAD's live solids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

from robocompiler.model.geometry import Geometry, Triangles
from robocompiler.parameters import EXPORT, positive
from robocompiler.read.mesh_files import welded
from robocompiler.read.mesh_store import MeshStore
from robocompiler.read.partcad_meshes import geometry_nodes, mesh_key, mesh_names
from robocompiler.units import METRES_PER_MM

DEFAULT_TOLERANCE = 0.1
"""[mm], as PartCAD's own exporters have it."""
DEFAULT_ANGULAR_TOLERANCE = 0.1
"""[rad], likewise."""
WIDEST_ANGLE = 1.0
"""[rad] between neighbouring facets of a round, however coarse: beyond, a cylinder is a prism."""


def read_geometry(request: Mapping[str, Any]) -> Geometry:
    """The triangles of a PartCAD request's solids, tessellated when first asked for.

    The solid of a mesh is the live `shape` of a node that `mesh_names` names it after: all the
    solids and faces in it, in the node's own frame. A dumped request has no live shapes and so
    no triangles.

    Args:
        request: with the `shape_tree`, and how far [mm] and how steeply [rad] a facet may leave
            its surface: `tolerance`, `angularTolerance`; and where what was tessellated may be
            kept for the next time: `cache_dir`.
    """
    tree = request["shape_tree"]
    tolerance = _stated(request, "tolerance", DEFAULT_TOLERANCE)
    angle = _stated(request, "angularTolerance", DEFAULT_ANGULAR_TOLERANCE)
    names = mesh_names(tree)
    solids: dict[str, tuple[str, Any]] = {}
    for node in geometry_nodes(tree):
        if (key := mesh_key(node)) is not None:
            solids[names[key]] = key, node.get("shape")
    store = MeshStore.of(request)

    @cache
    def triangles(name: str, coarseness: float) -> Triangles | None:
        key, shape = solids.get(name, ("", None))
        if shape is None:
            return None
        fineness = tolerance * coarseness, min(angle * coarseness, WIDEST_ANGLE)
        return store.get((key, *fineness), lambda: _tessellate(shape, *fineness))

    return lambda mesh, coarseness: triangles(mesh.name, coarseness)


def _stated(request: Mapping[str, Any], parameter: str, default: float) -> float:
    value = request.get(parameter)
    return default if value is None else positive(EXPORT, parameter, value)


def _tessellate(shape: Any, tolerance: float, angle: float) -> Triangles | None:
    """Mesh a shape [mm] anew; None where it has no face. A face that cannot be meshed is a hole.

    What an earlier, finer meshing left on the shape is removed first: OCCT would keep it. Faces
    that are nothing but triangles (an imported mesh) stay as they are.
    """
    from OCP.BRepMesh import BRepMesh_IncrementalMesh
    from OCP.BRepTools import BRepTools

    BRepTools.Clean_s(shape)
    BRepMesh_IncrementalMesh(
        shape, tolerance, isRelative=False, theAngDeflection=angle, isInParallel=True
    )
    points: list[tuple[float, float, float]] = []
    faces: list[tuple[int, int, int]] = []
    for triangulation, transformation, turned in _triangulations(shape):
        first = len(points) - 1  # OCCT counts from 1
        for i in range(1, triangulation.NbNodes() + 1):
            point = triangulation.Node(i).Transformed(transformation)
            points.append((point.X(), point.Y(), point.Z()))
        for i in range(1, triangulation.NbTriangles() + 1):
            a, b, c = triangulation.Triangle(i).Get()
            b, c = (c, b) if turned else (b, c)
            faces.append((first + a, first + b, first + c))
    if not faces:
        return None
    return welded(np.array(points) * METRES_PER_MM, np.array(faces, dtype=np.int64))


def _triangulations(shape: Any) -> Iterator[tuple[Any, Any, bool]]:
    """Each face's triangulation, its placement, and whether its triangles face inwards."""
    from OCP.BRep import BRep_Tool
    from OCP.TopAbs import TopAbs_FACE, TopAbs_REVERSED
    from OCP.TopExp import TopExp_Explorer
    from OCP.TopLoc import TopLoc_Location
    from OCP.TopoDS import TopoDS

    explorer = TopExp_Explorer(shape, TopAbs_FACE)
    while explorer.More():
        face = TopoDS.Face_s(explorer.Current())
        location = TopLoc_Location()
        triangulation = BRep_Tool.Triangulation_s(face, location)
        if triangulation is not None:
            transformation = location.Transformation()
            turned = (face.Orientation() == TopAbs_REVERSED) != transformation.IsNegative()
            yield triangulation, transformation, turned
        explorer.Next()
