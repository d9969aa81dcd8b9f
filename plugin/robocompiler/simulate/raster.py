"""Triangles to pixels: a z-buffer in NumPy.

Needs no GPU, no display and no library: VTK's wheel ends the process where the machine has neither
EGL nor OSMesa, and Matplotlib sorts triangles by their middles, which shows hidden ones.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robocompiler.spatial import Array

Image = NDArray[np.uint8]
Index = NDArray[np.int64]

# Pixels looked at in one go: what bounds the memory.
BATCH = 1 << 21


class Canvas:
    """A picture in the making. x to the right, y down, and the nearest has the largest depth."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.depth = np.full(width * height, -np.inf)
        self.nearest = np.full(width * height, -1, dtype=np.int64)
        """The triangle that is seen at each pixel; -1 where there is none."""

    def draw(self, triangles: Array) -> None:
        """Fill triangles, shape (n, 3, 3): corners' x and y in pixels, and depth."""
        low = np.clip(np.floor(triangles[:, :, :2].min(axis=1)), 0, [self.width, self.height])
        high = np.clip(np.ceil(triangles[:, :, :2].max(axis=1)), 0, [self.width, self.height])
        sides = (high - low).astype(np.int64)
        corners = low.astype(np.int64)
        for batch, side in _batches(sides):
            self._draw_batch(triangles, batch, corners[batch], side)

    def _draw_batch(self, triangles: Array, batch: Index, corner: Index, side: Index) -> None:
        """Triangles whose boxes are at most `side` wide and high, all in one go."""
        columns, rows = np.arange(side[0]), np.arange(side[1])
        x = (corner[:, 0, None, None] + columns[None, None, :]) + 0.5
        y = (corner[:, 1, None, None] + rows[None, :, None]) + 0.5
        a, b, c = (triangles[batch, i, :, None, None] for i in range(3))
        area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
        with np.errstate(divide="ignore", invalid="ignore"):
            v = ((x - a[:, 0]) * (c[:, 1] - a[:, 1]) - (y - a[:, 1]) * (c[:, 0] - a[:, 0])) / area
            w = ((y - a[:, 1]) * (b[:, 0] - a[:, 0]) - (x - a[:, 0]) * (b[:, 1] - a[:, 1])) / area
            depth = a[:, 2] + v * (b[:, 2] - a[:, 2]) + w * (c[:, 2] - a[:, 2])
            inside = (v >= 0.0) & (w >= 0.0) & (v + w <= 1.0)
        inside &= (x < self.width) & (y < self.height)
        which, row, column = np.nonzero(inside)
        pixel = (corner[which, 1] + row) * self.width + corner[which, 0] + column
        self._keep_nearest(pixel, depth[inside], batch[which])

    def _keep_nearest(self, pixel: Index, depth: Array, triangle: Index) -> None:
        closer = depth > self.depth[pixel]
        pixel, depth, triangle = pixel[closer], depth[closer], triangle[closer]
        # Of several writes to one pixel the last one stays.
        order = np.argsort(depth, kind="stable")
        self.depth[pixel[order]] = depth[order]
        self.nearest[pixel[order]] = triangle[order]


def _batches(sides: Index) -> Iterator[tuple[Index, Index]]:
    """Triangles in groups of like size, each small enough to be drawn in one go."""
    sizes = np.ceil(np.log2(np.maximum(sides, 1))).astype(np.int64)
    seen = (sides > 0).all(axis=1)
    for size in np.unique(sizes[seen], axis=0):
        group = np.flatnonzero(seen & (sizes == size).all(axis=1))
        side = sides[group].max(axis=0)
        count = max(1, BATCH // int(side.prod()))
        for start in range(0, len(group), count):
            yield group[start : start + count], side


def write_png(path: Path, image: Image) -> None:
    """Write an image, shape (height, width, 3)."""
    height, width, _ = image.shape
    rows = np.hstack([np.zeros((height, 1), np.uint8), image.reshape(height, width * 3)])

    def chunk(kind: bytes, body: bytes) -> bytes:
        check = zlib.crc32(kind + body)
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", check)

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows.tobytes(), 6))
        + chunk(b"IEND", b"")
    )
