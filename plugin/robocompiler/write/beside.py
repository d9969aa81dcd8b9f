"""What stands beside a model already: ours is replaced, what a user made is not."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path

from robocompiler.errors import ForeignFilesError
from robocompiler.write.comments import MARK
from robocompiler.write.export import LEDGER, SIDECAR
from robocompiler.write.sidecar import is_written_mechanism

HEAD = 1000
"""Bytes of a file within which it says who wrote it."""
KEYS_OF_LEDGERS = frozenset({"version", "format", "file", "entries", "warnings", "names"})
"""By which one is known, of any export and version."""


def check_beside(path: Path, contents: Mapping[str, bytes], shared: Container[str] = ()) -> None:
    """Refuse to replace files that the user has not named and that are not of our making.

    Args:
        path: of the model, as the user named it: what has that name may be replaced.
        contents: what is to be written, by path from its folder.
        shared: of these the meshes, which have rules of their own.

    Raises:
        ForeignFilesError: all of them.
    """
    foreign = [
        path.parent / name
        for name, content in contents.items()
        if name != path.name and name not in shared and _is_foreign(path.parent / name, content)
    ]
    if foreign:
        raise ForeignFilesError(path, foreign)


def left_over(path: Path, endings: Iterable[str], contents: Container[str]) -> Iterator[str]:
    """Warn of files of exports before that this one does not bring up to date.

    Args:
        path: of the model.
        endings: in place of the model's suffix, of files that are written of some mechanisms only.
        contents: what is to be written, by path from the model's folder.
    """
    for name in (path.stem + ending for ending in endings):
        there = _there(path.parent / name)
        if there and name not in contents and _is_ours(name, there, b""):
            yield f"'{name}' is of an export before: this one writes none, so delete that"


def _is_foreign(file: Path, content: bytes) -> bool:
    """Whether a file is there that would be lost: neither ours, nor empty, nor the same."""
    there = _there(file)
    if there is None:
        return True
    return there not in (b"", content) and not _is_ours(file.name, there, content)


def _there(file: Path) -> bytes | None:
    """What a file holds: nothing where there is none, None where it cannot be read."""
    try:
        return file.read_bytes() if file.is_file() else b""
    except ValueError:  # a name that no file has, which whoever writes it will report
        return b""
    except OSError:
        return None


def _is_ours(name: str, there: bytes, content: bytes) -> bool:
    if name.endswith(SIDECAR):
        return is_written_mechanism(there, content)
    if name.endswith(LEDGER):
        return _is_ledger(there)
    return MARK.encode() in there[:HEAD]


def _is_ledger(content: bytes) -> bool:
    try:
        data = json.loads(content)
    except ValueError:
        return False
    return isinstance(data, dict) and data.keys() >= KEYS_OF_LEDGERS
