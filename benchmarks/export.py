"""Warm export of examples/fourbar: `rc:mjcf` against PartCAD's own `urdf`, interleaved.

Prints a table of figure, target and value, `--json FILE` too, and exits 1 where one falls short.
`--request FILE` takes a dumped request in place of the one that is exported here.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "plugin")]

from pc import pc, stop  # noqa: E402

EXAMPLE = ROOT / "examples" / "fourbar"
RATIO = 1.3
LIBRARY = 0.15


def main() -> int:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--runs", type=int, default=15)
    options = parser.parse_args()
    mjcf, urdf = export_times(options.runs)
    figures = {
        "warm pc export -t rc:mjcf [s]": (None, statistics.median(mjcf)),
        "warm pc export -t urdf [s]": (None, statistics.median(urdf)),
        "mjcf over urdf, median of pairs": (RATIO, median_ratio(mjcf, urdf)),
        "library, request to model text [s]": (LIBRARY, library_time(options.runs)),
    }
    for name, (target, value) in figures.items():
        goal = "" if target is None else f"  (at most {target})"
        print(f"{name:40} {value:8.3f}{goal}")
    if options.json:
        options.json.write_text(json.dumps({name: value for name, (_, value) in figures.items()}))
    return int(any(target is not None and value > target for target, value in figures.values()))


def export_times(runs: int) -> tuple[list[float], list[float]]:
    """Wall time of each export, the two formats in turn, after two of each that do not count."""
    times: dict[str, list[float]] = {"rc:mjcf": [], "urdf": []}
    with tempfile.TemporaryDirectory() as folder:
        for run in range(runs + 2):
            for target, measured in times.items():
                started = time.perf_counter()
                done = pc("export", "-t", target, "-O", folder, "-a", "fourbar", cwd=EXAMPLE)
                elapsed = time.perf_counter() - started
                if done.returncode:
                    raise SystemExit(done.stdout)
                if run >= 2:
                    measured.append(elapsed)
    return times["rc:mjcf"], times["urdf"]


def median_ratio(ours: list[float], theirs: list[float]) -> float:
    """The median over pairs of neighbouring runs: what slows one slows the other."""
    return statistics.median(a / b for a, b in zip(ours, theirs, strict=True))


def library_time(runs: int) -> float:
    """Median time from a request, as the exporter gets it, to the text of the model."""
    wrappers = Path(importlib.util.find_spec("partcad").origin).parent / "wrappers"
    sys.path.append(str(wrappers))
    import robocompiler as rc

    request = json.loads((ROOT / "tests" / "golden" / "fourbar.json").read_text())
    times = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(runs):
            started = time.perf_counter()
            compiled = rc.compile(rc.read_partcad(request))
            rc.write(compiled, Path(folder) / "fourbar.xml", rc.assemble(compiled))
            times.append(time.perf_counter() - started)
    return statistics.median(times)


if __name__ == "__main__":
    try:
        code = main()
    finally:
        stop()
    sys.exit(code)
