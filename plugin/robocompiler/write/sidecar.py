"""The mechanism beside a model, which may be the very description that the model is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from robocompiler.errors import FormatError
from robocompiler.model.mechanism import Mechanism
from robocompiler.model.text import from_json, to_json
from robocompiler.write.export import SIDECAR


def sidecar_bytes(path: Path, mechanism: Mechanism, files: Mapping[str, str]) -> bytes:
    """The mechanism, its meshes' files as they are beside it.

    Where the file there says the same mechanism it is kept as it is, and so are the meshes that it
    names: it may be the user's own, and they may be finer than what is written, or have no file
    there at all, since a format can load none.

    Args:
        path: of the file, there or not yet.
        mechanism: what is written.
        files: those written, by mesh, relative to the folder.
    """
    own = _with_files(mechanism, files)
    text = to_json(own).encode()
    there = _content(path)
    said = None if there in (b"", text) else _mechanism(there, path)
    if said is None or _with_files(said, {}) != _with_files(mechanism, {}):
        return text
    named = {m.name: m.file for m in said.meshes if m.file and (path.parent / m.file).is_file()}
    merged = _with_files(mechanism, {**files, **named})
    return there if merged == said else to_json(merged).encode()


def is_written_mechanism(there: bytes, content: bytes) -> bool:
    """Whether a file can be replaced: one that we wrote, or that says the same mechanism.

    What we write is known by its bytes, which are the same for equal mechanisms; a description of
    a user's own has other words.

    Args:
        there: what is in the file.
        content: what is to be in it.
    """
    said, new = (_mechanism(own, Path(SIDECAR)) for own in (there, content))
    if said is None or new is None:
        return False
    return to_json(said).encode() == there or _with_files(said, {}) == _with_files(new, {})


def _content(path: Path) -> bytes:
    """Of a file; nothing where there is none that can be read."""
    try:
        return path.read_bytes()
    except (OSError, ValueError):
        return b""


def _mechanism(content: bytes, path: Path) -> Mechanism | None:
    """What a file says; None where that is no mechanism."""
    try:
        return from_json(content.decode(), str(path))
    except (FormatError, UnicodeDecodeError):
        return None


def _with_files(mechanism: Mechanism, files: Mapping[str, str]) -> Mechanism:
    named = tuple(replace(mesh, file=files.get(mesh.name)) for mesh in mechanism.meshes)
    return replace(mechanism, meshes=named)
