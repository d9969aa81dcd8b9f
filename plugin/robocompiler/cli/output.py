"""What commands print, and the files that they write."""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from robocompiler.errors import BadValueError
from robocompiler.write.files import write_files


def print_answer(
    options: argparse.Namespace,
    data: Mapping[str, object],
    lines: Sequence[str],
    warnings: Sequence[str],
) -> None:
    """Print data or lines, as `--json` asks, and warnings to stderr."""
    print(json.dumps(data, indent=1) if options.json else "\n".join(lines), flush=True)
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)


def check_outputs(command: str, read: Sequence[Path], written: Mapping[str, Path | None]) -> None:
    """Refuse to write over what is read, or twice to one file.

    Args:
        command: named in errors.
        read: files that it reads.
        written: files that it writes, by option; None where one is not asked for.

    Raises:
        BadValueError: a file is read, or written by another option.
    """
    taken = {path.resolve() for path in read}
    for option, path in written.items():
        if path is None:
            continue
        if path.resolve() in taken:
            what = "a file of its own: it would replace what is read, or the other output"
            raise BadValueError(command, option, str(path), what)
        taken.add(path.resolve())


def write_outputs(contents: Mapping[Path, bytes]) -> None:
    """Write files, those of a folder together."""
    folders: dict[Path, dict[str, bytes]] = {}
    for path, content in contents.items():
        folders.setdefault(path.parent, {})[path.name] = content
    for folder, files in folders.items():
        write_files(folder, files)


def csv_content(titles: Sequence[str], rows: Iterable[Sequence[float]]) -> bytes:
    """Numbers as CSV, every digit kept."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(titles)
    writer.writerows([repr(value) for value in row] for row in rows)
    return text.getvalue().encode()
