"""Triangles from mesh files [m]: Wavefront OBJ, and STL, binary or ASCII."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robocompiler.errors import FormatError
from robocompiler.model.geometry import Geometry, Triangles
from robocompiler.model.mechanism import Mesh
from robocompiler.spatial import Array

SAME_POINT_DECIMALS = 10
"""Vertices that agree to 0.1 nm are one."""
STL_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
"""A triangle of a binary STL file, after its header of 80 bytes and their number."""
STL_HEADER = 80


def mesh_geometry(folder: str | Path) -> Geometry:
    """The triangles of the OBJ and STL files [m] that lie beside a description.

    They are as fine as they are: no coarseness changes them.

    Args:
        folder: of the description, from which it names its files.

    Raises:
        FormatError: a file that cannot be read, or that is no whole file of its kind.
    """

    @cache
    def triangles(file: str) -> Triangles:
        path = Path(folder) / file
        try:
            data = path.read_bytes()
        except FileNotFoundError as error:
            raise FormatError(
                f"There is no mesh file '{path}': a description names its files from its own "
                "folder. From elsewhere pass `geometry=rc.mesh_geometry(FOLDER)`."
            ) from error
        except OSError as error:
            raise FormatError(f"Mesh file '{path}': {error.strerror}.") from error
        read = READERS.get(path.suffix.lower(), _stl)
        points, faces = read(data, path)
        if not np.all(np.isfinite(points)):
            raise FormatError(f"Mesh file '{path}' has a vertex that is not a number.")
        return welded(points, faces)

    def geometry(mesh: Mesh, coarseness: float) -> Triangles | None:
        return None if mesh.file is None else triangles(mesh.file)

    return geometry


def welded(points: Array, faces: NDArray[np.int64]) -> Triangles:
    """With one vertex where several points coincide, and no face that thereby vanishes.

    Vertices stay in the order in which they first come, so that what is written reads back alike.
    """
    if len(points) == 0:
        return Triangles(points, faces)
    rounded = np.round(points, SAME_POINT_DECIMALS)
    order = np.lexsort(rounded.T)  # stable, and ten times as fast as np.unique by rows
    new = np.any(rounded[order] != np.roll(rounded[order], 1, axis=0), axis=1)
    new[0] = True
    first = order[new]
    kept = np.sort(first)
    number = np.empty(len(points), dtype=np.int64)
    number[order] = np.searchsorted(kept, first)[np.cumsum(new) - 1]
    faces = number[faces]
    a, b, c = faces.T
    return Triangles(points[kept], faces[(a != b) & (b != c) & (c != a)])


def _stl(data: bytes, path: Path) -> tuple[Array, NDArray[np.int64]]:
    """The corners of the triangles one after another.

    The length tells: many a binary file begins with `solid`, as an ASCII one must.
    """
    start = STL_HEADER + 4
    count = int.from_bytes(data[STL_HEADER:start], "little")
    if len(data) >= start and len(data) == start + count * STL_RECORD.itemsize:
        records = np.frombuffer(data, STL_RECORD, offset=start)
        return _in_threes(np.asarray(records["corners"].reshape(-1, 3), dtype=float))
    found = re.findall(rb"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)", data)
    if not data.lstrip().startswith(b"solid") or b"endsolid" not in data or len(found) % 3:
        raise FormatError(f"Mesh file '{path}' is not a whole STL file.")
    try:
        return _in_threes(np.array(found, dtype=bytes).astype(float).reshape(-1, 3))
    except ValueError as error:
        raise FormatError(f"Mesh file '{path}': {error}.") from error


def _in_threes(corners: Array) -> tuple[Array, NDArray[np.int64]]:
    return corners, np.arange(len(corners), dtype=np.int64).reshape(-1, 3)


def _obj(data: bytes, path: Path) -> tuple[Array, NDArray[np.int64]]:
    """Vertices and faces; a face of more than three corners is a fan. Only `v` and `f` are read."""
    lines = [line.split() for line in data.replace(b"\\\n", b" ").splitlines()]
    try:
        points = [[float(x) for x in line[1:4]] for line in lines if line[:1] == [b"v"]]
        faces = [_corners(line[1:], len(points)) for line in lines if line[:1] == [b"f"]]
    except ValueError as error:
        raise FormatError(f"Mesh file '{path}': {error}.") from error
    fans = [(f[0], f[i], f[i + 1]) for f in faces for i in range(1, len(f) - 1)]
    corners = np.array(fans, dtype=np.int64).reshape(-1, 3)
    whole = all(len(point) == 3 for point in points) and all(len(face) > 2 for face in faces)
    if not fans or not whole or corners.min() < 0 or corners.max() >= len(points):
        raise FormatError(f"Mesh file '{path}' is not a whole OBJ file.")
    return np.array(points), corners


def _corners(words: list[bytes], count: int) -> list[int]:
    """Indices of a face's vertices: from 1, or from the end where they are negative."""
    numbers = (int(word.split(b"/")[0]) for word in words)
    return [number + count if number < 0 else number - 1 for number in numbers]


READERS: dict[str, Callable[[bytes, Path], tuple[Array, NDArray[np.int64]]]] = {
    ".obj": _obj,
    ".stl": _stl,
}
"""By suffix; what has another is taken for STL."""
