"""Putting the files of one export where they belong: all of them, or none."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from robocompiler.errors import OutputError

Step = Callable[[], object]


def write_files(folder: Path, files: Mapping[str, bytes]) -> tuple[Path, ...]:
    """Write files into an existing folder, replacing those of the same names.

    Everything is written under other names first and renamed when all of it is there. When
    something fails, files that were replaced are put back, and what was added is removed, new
    sub-folders included. Files of other names are never touched.

    Args:
        folder: where they go.
        files: content by path, relative to the folder, with forward slashes.

    Returns:
        The files written, in the order given.

    Raises:
        OutputError: the folder or a file cannot be written.
    """
    with _reported(folder):
        usable = folder.is_dir()
    if not usable:
        raise OutputError(folder, "it is not a folder" if folder.exists() else "no such folder")
    undo: list[Step] = []
    tidy: list[Step] = []
    paths = [_inside(folder, path) for path in files]
    try:
        targets = [_target(path, undo) for path in paths]
        staged = [
            _stage(target, content, undo)
            for target, content in zip(targets, files.values(), strict=True)
        ]
        for temporary, target in zip(staged, targets, strict=True):
            _replace(temporary, target, undo, tidy)
    except BaseException:
        _run(reversed(undo))
        raise
    _run(tidy)
    return tuple(paths)


def _inside(folder: Path, path: str) -> Path:
    parts = PurePosixPath(path)
    if parts.is_absolute() or ".." in parts.parts or not parts.name:
        raise OutputError(folder / path, "that is not a file inside the folder")
    return folder / parts


def _target(path: Path, undo: list[Step]) -> Path:
    """The file that a path means, behind links, its folder made where there is none yet."""
    with _reported(path.parent):
        for parent in reversed(path.parents):
            if not parent.is_dir():
                _make(parent, undo)
    with _reported(path):
        if path.exists() and not path.is_file():
            what = "a folder" if path.is_dir() else "a device"
            raise OutputError(path, f"{what} of that name is in the way")
        return Path(os.path.realpath(path))


def _make(folder: Path, undo: list[Step]) -> None:
    """A folder that was not there; another export may make it at the same time."""
    try:
        folder.mkdir()
    except FileExistsError:
        if not folder.is_dir():
            raise
    else:
        undo.append(folder.rmdir)


def _stage(target: Path, content: bytes, undo: list[Step]) -> Path:
    """Write a file's content beside it, under a name that nothing has."""
    temporary = _unused_name(target)
    undo.append(lambda: temporary.unlink(missing_ok=True))
    with _reported(target), temporary.open("xb") as file:
        file.write(content)
    return temporary


def _replace(temporary: Path, target: Path, undo: list[Step], tidy: list[Step]) -> None:
    """Give a staged file its name; what had that name is kept until the end."""
    with _reported(target):
        if target.exists():
            kept = _unused_name(target)
            undo.append(lambda: kept.unlink(missing_ok=True))
            tidy.append(kept.unlink)
            _keep(target, kept)
            undo.append(lambda: kept.replace(target))
        else:
            undo.append(lambda: target.unlink(missing_ok=True))
        temporary.replace(target)


def _keep(target: Path, kept: Path) -> None:
    """A second name for a file, so that the first never misses; a copy where none can be had."""
    try:
        kept.hardlink_to(target)
    except OSError:
        shutil.copy2(target, kept)


def _unused_name(target: Path) -> Path:
    return target.with_name(f".robocompiler-{secrets.token_hex(8)}")


@contextlib.contextmanager
def _reported(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(path, (error.strerror or str(error)).lower()) from error
    except ValueError as error:  # a name with a character that no file system takes
        raise OutputError(path, str(error)) from error


def _run(steps: Iterable[Step]) -> None:
    """Take every step: one that fails does not stop the others."""
    for step in steps:
        with contextlib.suppress(OSError):
            step()
