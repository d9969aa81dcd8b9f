"""Read a description from a file, by its suffix."""

from __future__ import annotations

from pathlib import Path

from robocompiler.errors import FormatError
from robocompiler.model.mechanism import Mechanism
from robocompiler.model.text import from_json


def read(path: str | Path) -> Mechanism:
    """The mechanism in a file: its own JSON (`.json`).

    Files that it names stay relative to the folder of `path` (see `mesh_geometry`).

    Raises:
        FormatError: the file is missing, of another format, or does not say what its format says.
    """
    path = Path(path)
    if path.suffix.lower() != ".json":
        raise FormatError(
            f"'{path}' cannot be read: its suffix is '{path.suffix}', not '.json' (a mechanism)."
        )
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"'{path}' cannot be read: {error}.") from error
    return from_json(text, str(path))
