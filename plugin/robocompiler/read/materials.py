"""What this package knows of its own materials beyond PartCAD's density and friction."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

CATALOGUE = Path(__file__).parents[3] / "materials" / "surfaces.json"
"""Beside the library in the PartCAD package; absent where only the library is installed."""

PACKAGE = "materials"
"""The catalogue's package, below wherever the plugin is mounted."""

# PartCAD hands the density on as it is written.
DENSITY_TOLERANCE = 1e-9


def material_of(name: str | None, density: float | None) -> Mapping[str, Any]:
    """The catalogue's entry for a material; empty for one that is not of this package.

    Args:
        name: as the part states it, such as `rc/materials:steel-s235`.
        density: of the part [kg/m³]. Where it is not the catalogue's, another material goes by
            that name, or the part overrides it: neither is the one that was measured.
    """
    package, _, bare = (name or "").rpartition(":")
    if package.rpartition("/")[2] != PACKAGE:
        return {}
    entry = catalogue().get(bare, {})
    stated = quantity(entry, "density")
    if density is None or stated is None:
        return {}
    return entry if same_density(density, stated) else {}


def same_density(a: float, b: float) -> bool:
    """Whether two densities are one."""
    return abs(a - b) <= DENSITY_TOLERANCE * b


def quantity(entry: Mapping[str, Any], key: str) -> Any:
    """One value of an entry, without its source; None where nobody published one."""
    said = entry.get(key)
    return said.get("value") if isinstance(said, Mapping) else said


@cache
def catalogue() -> Mapping[str, Mapping[str, Any]]:
    """Every material of this package, by its name."""
    if not CATALOGUE.is_file():
        return {}
    materials: Mapping[str, Mapping[str, Any]] = json.loads(CATALOGUE.read_text("utf-8"))[
        "materials"
    ]
    return materials
