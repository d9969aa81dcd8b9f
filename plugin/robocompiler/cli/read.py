"""The file a command is given."""

from __future__ import annotations

from pathlib import Path

from robocompiler.errors import FormatError
from robocompiler.model.mechanism import Mechanism
from robocompiler.read.read import read
from robocompiler.write.export import SIDECAR


def read_file(path: Path) -> Mechanism:
    """The mechanism in a file. A model says less than what it was written from.

    Raises:
        FormatError: as `read`; of a model that was written here, with where its mechanism is.
    """
    sidecar = path.with_suffix(SIDECAR) if path.name else path
    if path.suffix != ".json" and sidecar.is_file():
        raise FormatError(
            f"'{path}' is a model, not a mechanism. What it was written from is beside it: "
            f"'{sidecar}'."
        )
    return read(path)
