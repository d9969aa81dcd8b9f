"""Export every example as MJCF into a folder, `NAME/NAME.xml` each, for the consumers' tests."""

from __future__ import annotations

import sys
from pathlib import Path

from pc import ROOT, pc, stop


def main(folder: Path) -> int:
    """The number of examples that could not be exported."""
    failed = 0
    for package in sorted(path.parent for path in ROOT.glob("examples/*/partcad.yaml")):
        target = folder / package.name
        target.mkdir(parents=True, exist_ok=True)
        done = pc("export", "-t", "rc:mjcf", "-O", target, "-a", package.name, cwd=package)
        if done.returncode:
            failed += 1
            print(done.stdout, file=sys.stderr)
    return failed


if __name__ == "__main__":
    try:
        code = main(Path(sys.argv[1]).resolve())
    finally:
        stop()
    sys.exit(code)
