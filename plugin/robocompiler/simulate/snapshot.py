"""Pictures of a scene before and after a run, framed alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from robocompiler.errors import BadValueError
from robocompiler.simulate.raster import Canvas, Image, write_png
from robocompiler.simulate.surfaces import Stage, Surface, surfaces_of
from robocompiler.spatial import Array

ISOMETRIC = (100.0, -100.0, 100.0)
OVERSAMPLING = 2
MARGIN = 0.06
"""Of the picture, on each side."""
TOP, BOTTOM = np.array([250.0, 251.0, 253.0]), np.array([214.0, 220.0, 228.0])
"""Colours of the background."""
AMBIENT, HEADLIGHT, SUN = 0.35, 0.25, 0.45
"""How much of a part's colour each light shows: from everywhere, from the eye, from the sun."""
SUNWARD = np.array([-0.35, 0.75, 0.56])
"""Where the sun is: right, up and towards the eye; of length 1."""
CREASE = 0.85
"""Cosine of the angle between neighbouring faces beyond which their edge is drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """Looks from a direction at everything there is, without perspective."""

    axes: Array
    """Rows: right, up, towards the eye."""
    middle: Array
    """What is in the middle of the picture: along `axes` [m]."""
    scale: float
    """[pixels/m]"""
    width: int
    height: int

    def project(self, points: Array) -> Array:
        """Points of the world to x and y in pixels, and depth, nearer is larger; any shape."""
        seen = points @ self.axes.T - self.middle
        corner = np.array([self.width / 2.0, self.height / 2.0, 0.0])
        return np.asarray(seen * np.array([1.0, -1.0, 1.0]) * self.scale + corner)


def draw_snapshots(
    model: Any, stages: Mapping[str, Stage], request: Mapping[str, Any], folder: Path
) -> dict[str, str]:
    """Draw each stage that the request names a file for.

    Args:
        model: of the scene.
        stages: where its geoms are, by moment.
        request: `files` by moment, `width`, `height`, `viewport_origin`, `viewport_up`, as
            PartCAD states them; only PNG is drawn.
        folder: where the files go.

    Returns:
        The file of each moment drawn, relative to the folder.
    """
    if request.get("format", "png") != "png":
        raise BadValueError("snapshot", "format", str(request["format"]), "png")
    files = {moment: name for moment, name in request["files"].items() if moment in stages}
    seen = {moment: list(surfaces_of(model, stages[moment])) for moment in files}
    size = (int(request.get("width") or 512), int(request.get("height") or 512))
    everything = [surface for surfaces in seen.values() for surface in surfaces]
    camera = _camera(
        everything,
        np.array(request.get("viewport_origin") or ISOMETRIC, dtype=float),
        np.array(request.get("viewport_up") or (0.0, 0.0, 1.0), dtype=float),
        size,
    )
    for moment, name in files.items():
        write_png(folder / name, _picture(seen[moment], camera))
    return files


def _camera(everything: list[Surface], origin: Array, up: Array, size: tuple[int, int]) -> Camera:
    """Looks from `origin` towards the middle, `up` upwards, and fits everything that ends."""
    toward = origin / np.linalg.norm(origin)
    right = np.cross(up, toward)
    if np.linalg.norm(right) < 1e-9:
        right = np.cross(np.eye(3)[np.abs(toward).argmin()], toward)
    right = right / np.linalg.norm(right)
    axes = np.stack([right, np.cross(toward, right), toward])
    corners = [s.triangles.reshape(-1, 3) for s in everything if not s.endless]
    points = np.concatenate([*corners, np.zeros((0 if any(map(len, corners)) else 1, 3))]) @ axes.T
    low, high = points.min(axis=0), points.max(axis=0)
    width, height = (n * OVERSAMPLING for n in size)
    span = np.maximum((high - low)[:2], 1e-6)
    scale = float(min((1.0 - 2.0 * MARGIN) * np.array([width, height]) / span))
    return Camera(axes, (low + high) / 2.0, scale, width, height)


def _picture(surfaces: list[Surface], camera: Camera) -> Image:
    triangles = np.concatenate([np.zeros((0, 3, 3)), *(s.triangles for s in surfaces)])
    owner = np.repeat(np.arange(len(surfaces)), [len(s.triangles) for s in surfaces])
    colors = np.array([s.color for s in surfaces]).reshape(-1, 3)
    canvas = Canvas(camera.width, camera.height)
    canvas.draw(camera.project(triangles))
    fade = np.linspace(0.0, 1.0, camera.height)[:, None]
    picture = np.repeat((TOP + (BOTTOM - TOP) * fade)[:, None, :], camera.width, axis=1)
    seen = canvas.nearest.reshape(camera.height, camera.width)
    drawn = seen >= 0
    normals = _normals(triangles) @ camera.axes.T
    normals *= np.where(normals[:, 2:] < 0.0, -1.0, 1.0)
    shine = AMBIENT + HEADLIGHT * normals[:, 2] + SUN * np.clip(normals @ SUNWARD, 0.0, 1.0)
    picture[drawn] = 255.0 * colors[owner[seen[drawn]]] * shine[seen[drawn], None]
    picture[_outlines(seen, owner, normals)] *= 0.45
    return _shrunk(picture)


def _normals(triangles: Array) -> Array:
    across = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    length = np.linalg.norm(across, axis=1, keepdims=True)
    return np.asarray(across / np.where(length > 0.0, length, 1.0))


def _outlines(seen: Any, owner: Any, normals: Array) -> Any:
    """Pixels where one part ends at another or at the background, or a face at a sharp edge."""
    part = np.where(seen >= 0, owner[seen], -1) if len(owner) else seen
    normal = normals[seen] if len(normals) else np.zeros((*seen.shape, 3))
    edge = np.zeros(seen.shape, dtype=bool)
    for axis in (0, 1):
        before = [slice(None)] * 2
        after = [slice(None)] * 2
        before[axis], after[axis] = slice(None, -1), slice(1, None)
        b, a = tuple(before), tuple(after)
        differs = part[b] != part[a]
        differs |= (np.einsum("ijk,ijk->ij", normal[b], normal[a]) < CREASE) & (part[b] >= 0)
        edge[b] |= differs
    return edge


def _shrunk(picture: Array) -> Image:
    """Average `OVERSAMPLING` squared pixels into one."""
    n = OVERSAMPLING
    height, width = picture.shape[0] // n, picture.shape[1] // n
    mean = picture.reshape(height, n, width, n, 3).mean(axis=(1, 3))
    return np.asarray(np.clip(mean, 0.0, 255.0), dtype=np.uint8)
