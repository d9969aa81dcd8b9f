"""Machine code on disk, by the hash of what it was made of.

Code that is loaded is run. So the folder and each file must belong to the user, be what they seem
(not links), and be writable by nobody else; otherwise there is no cache, which is said once. A hash
in each file finds what was cut off or damaged. What does not fit is deleted and made again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import stat
import struct
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robocompiler.errors import CacheWarning

LARGEST = 256 * 2**20
"""How many bytes all files may have together; the least recently used are deleted."""
STALE = 3600.0
"""Seconds after which a temporary file is what an interrupted run left."""
_MAGIC, _VERSION = b"RCobject", 1
_HEADER = struct.Struct("<8sI32sQQ32s")
"""Magic, version, key, lengths of metadata and code, and the SHA-256 of both."""
_ENDING, _TEMPORARY = ".object", ".temporary"
_said: set[str] = set()


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What is kept."""

    metadata: dict[str, Any]
    """What JSON can say."""
    code: bytes


def folder() -> Path:
    """Where it is: `$ROBOCOMPILER_CACHE`, or `robocompiler` where the user's caches are."""
    if given := os.environ.get("ROBOCOMPILER_CACHE"):
        return Path(given)
    caches = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (caches if caches.is_absolute() else Path("~/.cache").expanduser()) / "robocompiler"


def read(key: str) -> Entry | None:
    """What is kept for a key, a SHA-256 in hexadecimal digits; None if nothing fits."""
    with _opened() as place:
        if place is None:
            return None
        name = key + _ENDING
        try:
            data = _content(place, name)
        except FileNotFoundError:
            return None
        except OSError:  # a link, or not a file
            data = None
        entry = None if data is None else _unpacked(key, data)
        with contextlib.suppress(OSError):
            if entry is None:
                os.unlink(name, dir_fd=place)
            else:
                os.utime(name, dir_fd=place, follow_symlinks=False)
        return entry


def write(key: str, entry: Entry) -> None:
    """Keep something for a key. A file appears whole or not at all, whoever else writes it."""
    data = _packed(key, entry)
    with _opened() as place:
        if place is None:
            return
        temporary = f".{key[:16]}.{os.getpid()}.{secrets.token_hex(8)}{_TEMPORARY}"
        try:
            _create(place, temporary, data)
            os.rename(temporary, key + _ENDING, src_dir_fd=place, dst_dir_fd=place)
        except OSError as error:
            _say(f"it cannot be written: {error.strerror}")
        finally:
            with contextlib.suppress(OSError):
                os.unlink(temporary, dir_fd=place)
        with contextlib.suppress(OSError):
            _tidy(place)


@contextlib.contextmanager
def _opened() -> Iterator[int | None]:
    """The folder, made if it is not there; None, and a warning, if it must not be used."""
    place = None
    try:
        place = _trusted_folder()
    except (OSError, RuntimeError, ValueError) as error:
        _say(str(getattr(error, "strerror", None) or error))
    try:
        yield place
    finally:
        if place is not None:
            os.close(place)


def _trusted_folder() -> int:
    """Its descriptor, so that what was checked is what is used.

    Raises:
        ValueError: others may write to it.
    """
    if not hasattr(os, "getuid") or os.open not in os.supports_dir_fd:
        raise ValueError("this system does not say whose a file is")
    path = folder()
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    place = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    if not _own(os.fstat(place)):
        os.close(place)
        raise ValueError("it belongs to another user, or others may write to it")
    return place


def _own(status: os.stat_result) -> bool:
    """Whether only this user could have written something."""
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _content(place: int, name: str) -> bytes | None:
    """What is in a file; None if others may have written it."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe would block
    with os.fdopen(os.open(name, flags, dir_fd=place), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or not _own(status) or status.st_size > LARGEST:
            return None
        return file.read()


def _create(place: int, name: str, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, 0o600, dir_fd=place), "wb") as file:
        file.write(data)


def _packed(key: str, entry: Entry) -> bytes:
    metadata = json.dumps(entry.metadata).encode()
    digest = hashlib.sha256(metadata + entry.code).digest()
    lengths = len(metadata), len(entry.code)
    header = _HEADER.pack(_MAGIC, _VERSION, bytes.fromhex(key), *lengths, digest)
    return header + metadata + entry.code


def _unpacked(key: str, data: bytes) -> Entry | None:
    """What is in a file; None if it is not as it was written, or for another key."""
    if len(data) < _HEADER.size:
        return None
    magic, version, own, size, code, digest = _HEADER.unpack_from(data)
    content = data[_HEADER.size :]
    if (magic, version, own) != (_MAGIC, _VERSION, bytes.fromhex(key)):
        return None
    if len(content) != size + code or hashlib.sha256(content).digest() != digest:
        return None
    return Entry(metadata=json.loads(content[:size]), code=content[size:])


def _tidy(place: int) -> None:
    """Delete what was interrupted, and what was used longest ago if there is too much."""
    now, kept = time.time(), []
    with os.scandir(place) as files:
        for file in files:
            status = file.stat(follow_symlinks=False)
            if file.name.endswith(_TEMPORARY) and now - status.st_mtime > STALE:
                _delete(place, file.name)
            elif file.name.endswith(_ENDING):
                kept.append((status.st_mtime_ns, status.st_size, file.name))
    total = sum(size for _, size, _ in kept)
    for _, size, name in sorted(kept):
        if total <= LARGEST:
            return
        _delete(place, name)
        total -= size


def _delete(place: int, name: str) -> None:
    with contextlib.suppress(OSError):  # another process was faster
        os.unlink(name, dir_fd=place)


def _say(reason: str) -> None:
    """Once in a process for each reason."""
    if reason in _said:
        return
    _said.add(reason)
    warnings.warn(
        f"Generated code is not kept, so that it is compiled each time: {reason}. The folder is "
        f"'{_shown()}'; ROBOCOMPILER_CACHE may name another one that only you can write to.",
        CacheWarning,
        stacklevel=3,
    )


def _shown() -> str:
    try:
        return str(folder())
    except RuntimeError:  # no home
        return "~/.cache/robocompiler"
