"""Triangles for the meshes of a description: from PartCAD's live solids, or from STL files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robocompiler.errors import FormatError
from robocompiler.model.geometry import Geometry, Triangles
from robocompiler.model.mechanism import Mesh
from robocompiler.parameters import EXPORT, positive
from robocompiler.read.mesh_store import MeshStore
from robocompiler.read.partcad_meshes import geometry_nodes, mesh_key, mesh_names
from robocompiler.spatial import Array
from robocompiler.units import METRES_PER_MM

DEFAULT_TOLERANCE = 0.1
"""[mm], as PartCAD's own exporters have it."""
DEFAULT_ANGULAR_TOLERANCE = 0.1
"""[rad], likewise."""
WIDEST_ANGLE = 1.0
"""[rad] between neighbouring facets of a round, however coarse: beyond, a cylinder is a prism."""
SAME_POINT_DECIMALS = 10
"""Vertices that agree to 0.1 nm are one."""

STL_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
"""A triangle of a binary STL file, after its header of 80 bytes and their number."""
STL_HEADER = 80


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
    return _welded(np.array(points) * METRES_PER_MM, np.array(faces, dtype=np.int64))


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


def _welded(points: Array, faces: NDArray[np.int64]) -> Triangles:
    """With one vertex where several points coincide, and no face that thereby vanishes."""
    rounded = np.round(points, SAME_POINT_DECIMALS)
    order = np.lexsort(rounded.T)  # stable, and ten times as fast as np.unique by rows
    new = np.any(rounded[order] != np.roll(rounded[order], 1, axis=0), axis=1)
    new[0] = True
    number = np.empty(len(points), dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    faces = number[faces]
    a, b, c = faces.T
    return Triangles(points[order[new]], faces[(a != b) & (b != c) & (c != a)])


def stl_geometry(folder: Path) -> Geometry:
    """The triangles of the STL files [m], binary or ASCII, that lie beside a description.

    They are as fine as they are: no coarseness changes them.

    Raises:
        FormatError: a file that cannot be read, or that is not an STL file.
    """

    @cache
    def triangles(file: str) -> Triangles:
        try:
            data = (folder / file).read_bytes()
        except OSError as error:
            raise FormatError(f"Mesh file '{folder / file}': {error.strerror}.") from error
        corners = _stl_corners(data, folder / file)
        return _welded(corners, np.arange(len(corners), dtype=np.int64).reshape(-1, 3))

    def geometry(mesh: Mesh, coarseness: float) -> Triangles | None:
        return None if mesh.file is None else triangles(mesh.file)

    return geometry


def _stl_corners(data: bytes, path: Path) -> Array:
    """The corners of the triangles one after another, shape (3 m, 3).

    The length tells: many a binary file begins with `solid`, as an ASCII one must.
    """
    start = STL_HEADER + 4
    count = int.from_bytes(data[STL_HEADER:start], "little")
    if len(data) >= start and len(data) == start + count * STL_RECORD.itemsize:
        records = np.frombuffer(data, STL_RECORD, offset=start)
        return np.asarray(records["corners"].reshape(-1, 3), dtype=float)
    found = re.findall(rb"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)", data)
    if not data.lstrip().startswith(b"solid") or b"endsolid" not in data or len(found) % 3:
        raise FormatError(f"Mesh file '{path}' is not a whole STL file.")
    try:
        return np.array(found, dtype=bytes).astype(float).reshape(-1, 3)
    except ValueError as error:
        raise FormatError(f"Mesh file '{path}': {error}.") from error
