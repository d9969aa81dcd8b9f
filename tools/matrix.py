"""Print what consumers made of each format, as their tests have it in build/matrix.

`python tools/matrix.py FOLDER` fails where a row is missing, or has nothing that a test has shown.
"""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path

Row = dict[str, str]

EXPECTED = {
    "MuJoCo 4.0": ("MJCF", "URDF", "USD"),
    "MuJoCo 3.17": ("MJCF", "URDF"),
    "Pinocchio 4.1": ("MJCF", "URDF", "SRDF", "Extended URDF"),
    "Drake 1.51": ("MJCF", "URDF", "SDF"),
    "Newton 1.8": ("MJCF", "URDF", "USD"),
    "PhysX (ovphysx 0.7)": ("USD",),
    "check_urdf": ("URDF",),
    "ign sdf": ("SDF",),
    "UsdValidation": ("USD",),
    "USD converters": ("MJCF", "URDF"),
}
OPTIONAL = {
    "PhysX (ovphysx 0.7)": "not run here: `make test-physx`, under NVIDIA's licence for Omniverse"
}
"""Consumers that need more than `make test-consumers` installs."""
WIDTH = 100


def main(folder: Path) -> int:
    """The number of rows that are missing or empty, or failed."""
    rows = [row for path in sorted(folder.glob("*.json")) for row in json.loads(path.read_text())]
    faults = 0
    for consumer, formats in EXPECTED.items():
        for form in formats:
            own = [r for r in rows if (r["consumer"], r["format"]) == (consumer, form)]
            lines = list(said(own)) or [OPTIONAL.get(consumer, "MISSING: no test says anything")]
            faults += lines[0].startswith("MISSING") or any(r["outcome"] == "failed" for r in own)
            show(f"{consumer}, {form}", lines)
    unexpected = {(r["consumer"], r["format"]) for r in rows} - {
        (consumer, form) for consumer, formats in EXPECTED.items() for form in formats
    }
    for consumer, form in sorted(unexpected):
        show(f"{consumer}, {form}", ["MISSING from tools/matrix.py, which does not expect it"])
    return faults + len(unexpected)


def said(rows: list[Row]) -> Iterable[str]:
    """What the tests of one consumer and format say, each thing once, failures first."""
    groups: dict[tuple[str, str, str, str], list[str]] = {}
    for row in rows:
        key = (row["outcome"], row["kind"], row["says"], row["reason"])
        groups.setdefault(key, []).append(row["test"])
    order = {"failed": 0, "passed": 1, "skipped": 2}
    for (outcome, kind, says, reason), tests in sorted(
        groups.items(), key=lambda group: (order[group[0][0]], group[0][1])
    ):
        name = tests[0].split("[")[0].split("/")[-1]
        if outcome == "failed":
            yield f"FAILED: {kind} {says} ({', '.join(tests)})"
        elif outcome == "skipped":
            yield f"not run: {says}: {reason.removeprefix('Skipped: ')}"
        elif kind == "cannot":
            yield f"cannot: {says} ({name})"
        else:
            of = f" of {len(tests)} examples" if len(tests) > 1 else ""
            yield f"agrees: {says}{of}"


def show(title: str, lines: list[str]) -> None:
    """One row, its sentences below one another."""
    for number, line in enumerate(lines):
        head = title if number == 0 else ""
        wrapped = textwrap.wrap(line, WIDTH, subsequent_indent=" ")
        for index, part in enumerate(wrapped):
            print(f"{head if index == 0 else '':24} {part}")


if __name__ == "__main__":
    sys.exit(1 if main(Path(sys.argv[1])) else 0)
