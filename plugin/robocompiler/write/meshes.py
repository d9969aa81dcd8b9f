"""Meshes as OBJ files in metres, that all formats share, and how far they are from convex."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from robocompiler.model.geometry import Geometry, Triangles, hull_volume, is_flat, remembered
from robocompiler.model.mechanism import Mesh
from robocompiler.read.partcad_meshes import LONGEST_NAME, unused_name
from robocompiler.spatial import Array
from robocompiler.write.surfaces import (
    Mask,
    encloses_nothing,
    facing_outwards,
    open_edges,
    renumbered,
)

HEADER = "# robocompiler: metres\n"
MOST_FACES = 200_000
"""A budget: beyond it simulators load for minutes, and see nothing more."""
COARSEST = 256.0
"""Beyond it, coarser tessellation has long stopped helping."""
SMALLEST_AREA = 1e-14
"""[m²]. MuJoCo refuses a surface below 1e-15."""
NO_SHARE = 1e-9
"""Volume over that of the hull, of a surface that is no solid's."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WrittenMeshes:
    """The files of the meshes, by name of mesh, and what there is to say about them."""

    files: dict[str, str]
    """Path of the OBJ file, relative to the model, with forward slashes."""
    contents: dict[str, bytes]
    """Of each file, by path."""
    triangles: dict[str, Triangles]
    """What the files hold, facing outwards: for those who measure it, or write it again."""
    faults: dict[str, str]
    """Why a mesh has no file, in words that follow its name: `… has no triangles`."""
    warnings: tuple[str, ...]


def write_meshes(meshes: Iterable[Mesh], geometry: Geometry, folder: str = "") -> WrittenMeshes:
    """The OBJ file of each mesh, as MuJoCo loads it.

    A mesh with more faces than `MOST_FACES` is tessellated again, twice as coarsely each time,
    until it has few enough. One that it would refuse gets no file and a fault.

    Args:
        meshes: of the mechanism; their names become the files' names.
        geometry: what they look like.
        folder: where the files go, relative to the model; "" for beside it.
    """
    files: dict[str, str] = {}
    contents: dict[str, bytes] = {}
    written: dict[str, Triangles] = {}
    faults: dict[str, str] = {}
    warnings: list[str] = []
    taken: set[str] = set()
    for mesh in meshes:
        triangles = _few_enough(mesh, geometry, warnings)
        made = "has no geometry to write" if triangles is None else _made(triangles)
        if isinstance(made, str):
            faults[mesh.name] = made
            continue
        path = f"{folder}/{_stem(mesh.name, taken)}.obj".lstrip("/")
        files[mesh.name], contents[path] = path, made.data
        written[mesh.name] = made.stored
        warnings += made.remarks(mesh.name)
    return WrittenMeshes(
        files=files,
        contents=contents,
        triangles=written,
        faults=faults,
        warnings=tuple(warnings),
    )


def mesh_fault(triangles: Triangles) -> str | None:
    """Why MuJoCo would refuse a mesh that collides and is given `inertia="shell"`; None if not.

    Judged on the numbers the file holds. MuJoCo asks for no closed surface and no orientation.
    """
    if np.any((triangles.faces < 0) | (triangles.faces >= len(triangles.vertices))):
        return "has a triangle with a corner that is none of its vertices"
    triangles = _without_others(triangles)
    if not np.all(np.isfinite(_as_stored(triangles.vertices))):
        return "has a vertex that is not a number"
    proper = _Proper.of(triangles)
    corners = proper.corners
    if len(corners) == 0:
        return "has no triangles"
    if len(corners) > MOST_FACES:
        return f"has {len(corners)} triangles, and at most {MOST_FACES} are written"
    area = float(np.linalg.norm(proper.normals, axis=1).sum()) / 2.0
    if area < SMALLEST_AREA:
        return f"is too small to load, with a surface of {area * 1e6:.2g} mm²"
    if is_flat(corners.reshape(-1, 3)):
        return "is flat, so that it has no convex hull to collide with"
    return None


def obj_bytes(triangles: Triangles) -> bytes:
    """An OBJ file [m]: the same bytes for the same triangles, degenerate ones left out.

    OBJ, since it is what all consumers read: Drake takes no STL. In single precision, which is
    what they keep.
    """
    return _text(_stored(triangles, _Proper.of(triangles).which))


def _text(stored: Triangles) -> bytes:
    vertices, faces = stored.vertices, stored.faces + 1
    points = ("v %.9g %.9g %.9g\n" * len(vertices)) % tuple(np.ravel(vertices).tolist())
    corners = ("f %d %d %d\n" * len(faces)) % tuple(np.ravel(faces).tolist())
    return f"{HEADER}{points}{corners}".encode()


def hull_of(triangles: Triangles) -> float:
    """The volume of a mesh's convex hull [m³], as measured before or now."""
    return hull_volume(triangles) if triangles.hull is None else triangles.hull


@remembered
def convex_hull_excess(triangles: Triangles) -> float:
    """How much larger a mesh's convex hull is than what the mesh encloses: V_hull / V - 1.

    0 for a flat or empty mesh, whose hull adds nothing; infinite where the hull is solid and the
    mesh encloses nothing. A mesh that is inside out counts as its outside would.
    """
    hull = hull_of(triangles)
    if hull == 0.0:
        return 0.0
    centred = triangles.vertices - triangles.vertices.mean(axis=0)
    volume = abs(Triangles(centred, triangles.faces).volume())
    return max(0.0, hull / volume - 1.0) if volume > NO_SHARE * hull else math.inf


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Made:
    """What a surface becomes."""

    stored: Triangles
    data: bytes
    turned: int
    """How many of its triangles faced inwards."""
    given: int
    """How many there were."""
    edges: int
    """That bound holes."""
    is_solid: bool

    def remarks(self, name: str) -> Iterator[str]:
        """What is to be said of it, by the mesh's name."""
        if self.turned == self.given:
            yield (
                f"Mesh '{name}' is inside out: all of its {self.given} triangles face inwards, "
                "and are written turned."
            )
        elif self.turned:
            yield (
                f"Mesh '{name}' is partly inside out: {self.turned} of its {self.given} triangles "
                "face the wrong way, and are written turned."
            )
        if self.edges:
            yield (
                f"Mesh '{name}' is not closed: {self.edges} of its edges bound a hole. Its solid "
                "is not whole, or a face of it could not be tessellated."
            )
        elif not self.is_solid:
            yield f"Mesh '{name}' encloses no volume: it is a surface and no solid."


@remembered
def _made(given: Triangles) -> _Made | str:
    """What a surface becomes, or why it cannot be written."""
    if (fault := mesh_fault(given)) is not None:
        return fault
    given = _without_others(given)
    outwards, turned = facing_outwards(given)
    stored = _stored(outwards, _Proper.of(given).which)
    return _Made(
        stored=stored,
        data=_text(stored),
        turned=turned,
        given=len(given.faces),
        edges=open_edges(outwards),
        is_solid=not encloses_nothing(outwards),
    )


def _without_others(triangles: Triangles) -> Triangles:
    """Without vertices that are no triangle's corner: they are nowhere on the surface."""
    used, faces = renumbered(triangles.faces, len(triangles.vertices))
    if np.all(used):
        return triangles
    return replace(triangles, vertices=triangles.vertices[used], faces=faces)


def _stored(triangles: Triangles, proper: Mask) -> Triangles:
    """What the file holds: in single precision, no triangle without area, no vertex without one."""
    used, faces = renumbered(triangles.faces[proper], len(triangles.vertices))
    return replace(triangles, vertices=_as_stored(triangles.vertices[used]), faces=faces)


def _few_enough(mesh: Mesh, geometry: Geometry, warnings: list[str]) -> Triangles | None:
    """A mesh's triangles, coarsened while they are too many and that helps."""
    fine = triangles = geometry(mesh, 1.0)
    coarseness = 1.0
    while triangles is not None and len(triangles.faces) > MOST_FACES and coarseness < COARSEST:
        coarseness *= 2.0
        triangles = geometry(mesh, coarseness)
    if fine is None or triangles is None or len(triangles.faces) > MOST_FACES:
        return fine
    if triangles is not fine:
        change = triangles.volume() / fine.volume() - 1.0 if fine.volume() else 0.0
        warnings.append(
            f"Mesh '{mesh.name}' has {len(fine.faces)} triangles at the tolerance asked for, and "
            f"at most {MOST_FACES} are written. It is written with {len(triangles.faces)}, at "
            f"{coarseness:g} times that tolerance, which changes its volume by {change:+.2%}."
        )
    return triangles


@dataclass(frozen=True, slots=True, eq=False)
class _Proper:
    """The triangles that still have an area once their corners are stored."""

    which: Mask
    """Of all."""
    corners: Array
    """As they are stored, shape (m, 3, 3)."""
    normals: Array
    """Twice each one's area, along its outward normal, shape (m, 3)."""

    @staticmethod
    def of(triangles: Triangles) -> _Proper:
        """Of a surface."""
        corners = _as_stored(triangles.vertices)[triangles.faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        which = np.any(normals != 0.0, axis=1)
        return _Proper(which, corners[which], normals[which])


def _as_stored(points: Array) -> Array:
    """Coordinates as a file holds them: in single precision, no negative zeros."""
    return points.astype(np.float32).astype(float) + 0.0


def _stem(name: str, taken: set[str]) -> str:
    """A file's name for a mesh, the mesh's own where it is plain; then it counts as taken."""
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "_", name).strip("._")[:LONGEST_NAME] or "mesh"
    stem = unused_name(plain, taken)
    taken.add(stem.lower())
    return stem
