"""The formats there are."""

from __future__ import annotations

from pathlib import Path

from robocompiler.errors import FormatError
from robocompiler.write.mjcf.format import MJCF
from robocompiler.write.sdf.format import SDF
from robocompiler.write.urdf.format import URDF
from robocompiler.write.usd.format import USD

FORMATS = {known.name: known for known in (MJCF, URDF, SDF, USD)}
"""Formats of models, by name."""
OTHERS = {".json": "json", ".c": "c"}
"""What is no model: the mechanism itself, and code."""


def format_name(path: Path, asked: str | None) -> str:
    """Which format is meant, by name or by the file's suffix.

    Raises:
        FormatError: none is.
    """
    suffixes = {s: known.name for known in FORMATS.values() for s in known.suffixes} | OTHERS
    name = asked or suffixes.get(path.suffix.lower(), "")
    if name not in suffixes.values():
        raise FormatError(
            f"'{path}' names no format: a suffix is one of {', '.join(suffixes)}, "
            f"`format` one of {', '.join([*FORMATS, *OTHERS.values()])}."
        )
    return name
