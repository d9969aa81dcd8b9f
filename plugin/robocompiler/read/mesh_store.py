"""Triangles kept from one export to the next, in the folder PartCAD gives a plugin for that.

Tessellating a part and measuring its hull cost more than all the rest of an export, and give the
same every time: the key is the solid's own content and how finely it is meshed.
"""

from __future__ import annotations

import contextlib
import hashlib
import secrets
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from robocompiler.model.geometry import Triangles, hull_volume

# Raised with every change of what is stored, or of how a solid is tessellated.
VERSION = 1

Key = tuple[str | float, ...]


@dataclass(frozen=True, slots=True)
class MeshStore:
    """A folder of tessellated solids; None keeps nothing."""

    folder: Path | None

    @staticmethod
    def of(request: Mapping[str, Any]) -> MeshStore:
        """The store in a PartCAD request's `cache_dir`."""
        given = request.get("cache_dir")
        return MeshStore(Path(given) / "meshes" if isinstance(given, str) and given else None)

    def get(self, key: Key, make: Callable[[], Triangles | None]) -> Triangles | None:
        """What is stored under `key`, or else what `make` gives, stored with its hull's volume."""
        if self.folder is None:
            return make()
        name = hashlib.sha256(repr((VERSION, *key)).encode()).hexdigest()
        path = self.folder / f"{name}.npz"
        if (stored := _load(path)) is not None:
            return stored
        made = make()
        if made is None:
            return None
        measured = replace(made, hull=hull_volume(made))
        with contextlib.suppress(OSError):  # a folder that cannot be written keeps nothing
            _save(path, measured)
        return measured


def _load(path: Path) -> Triangles | None:
    """What `_save` wrote; None where there is nothing, or not all of it."""
    try:
        with np.load(path) as stored:
            return Triangles(stored["vertices"], stored["faces"], float(stored["hull"]))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def _save(path: Path, triangles: Triangles) -> None:
    """Under another name first, so that nobody reads half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{secrets.token_hex(8)}.npz")
    try:
        np.savez(
            temporary,
            vertices=triangles.vertices,
            faces=triangles.faces,
            hull=np.float64(triangles.hull or 0.0),
        )
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
