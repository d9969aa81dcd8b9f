"""Meshes as Wavefront OBJ, since Drake reads no STL."""

from __future__ import annotations

import numpy as np

from robocompiler.model.geometry import Triangles, remembered
from robocompiler.write.meshes import WrittenMeshes


def obj_files(meshes: WrittenMeshes) -> dict[str, str]:
    """Path of each mesh's OBJ file, beside its STL file."""
    return {name: f"{file.removesuffix('.stl')}.obj" for name, file in meshes.files.items()}


def obj_contents(meshes: WrittenMeshes) -> dict[str, bytes]:
    """The OBJ files, by path."""
    files = obj_files(meshes)
    return {files[name]: obj_bytes(own) for name, own in meshes.triangles.items()}


@remembered
def obj_bytes(triangles: Triangles) -> bytes:
    """An OBJ file [m], its numbers to the precision that STL has."""
    vertices, faces = triangles.vertices, np.asarray(triangles.faces) + 1
    points = ("v %.9g %.9g %.9g\n" * len(vertices)) % tuple(np.ravel(vertices).tolist())
    corners = ("f %d %d %d\n" * len(faces)) % tuple(np.ravel(faces).tolist())
    return f"{points}{corners}".encode()
