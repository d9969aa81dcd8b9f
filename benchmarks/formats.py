"""All formats of examples/stewart, one after the other in a new process, from where it is compiled.

Its meshes are kept in a folder as `pc export` keeps them; importing USD's library counts. Prints a
table of each format's share of CPU time, first and again, `--json FILE` too, and exits 1 where all
take longer than they may. What disturbs a shared machine only makes things slower: the 20th
percentile counts.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "plugin")]

import numpy as np  # noqa: E402

EXPORTED = ROOT / "build" / "exports" / "stewart"
LIMIT = 0.5
"""For all formats together [s]."""
PERCENTILE = 20.0


def main() -> int:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--once", type=Path, help="measure here, with meshes kept in this folder")
    options = parser.parse_args()
    if options.once:
        print(json.dumps(times(options.once)))
        return 0
    if not EXPORTED.is_dir():
        raise SystemExit(f"{EXPORTED} is not there: run `make exports`")
    found = measured(options.runs)
    report(found)
    if options.json:
        options.json.write_text(json.dumps(found))
    return int(found["all, first"] > LIMIT)


def times(kept: Path) -> dict[str, float]:
    """CPU time [s] of each format, written twice, in this process."""
    import robocompiler as rc
    from robocompiler.model.geometry import Triangles
    from robocompiler.model.mechanism import Mesh
    from robocompiler.read.mesh_store import MeshStore
    from robocompiler.write.known_formats import FORMATS

    mechanism = rc.read(EXPORTED / "stewart.mechanism.json")
    store, stl = MeshStore(kept), rc.mesh_geometry(EXPORTED)
    compiled = rc.compile(mechanism)

    @cache
    def geometry(mesh: Mesh, coarseness: float) -> Triangles | None:
        return store.get((mesh.name, coarseness), lambda: stl(mesh, coarseness))

    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for which in ("first", "again"):
            configuration = None
            for name, form in FORMATS.items():
                options = {}
                if "intermediate_mass" in form.options:
                    options["intermediate_mass"] = 0.001
                path = Path(folder) / f"stewart{form.suffixes[0]}"
                started = time.process_time()
                configuration = configuration or rc.assemble(compiled)
                rc.write(compiled, path, configuration, format=name, geometry=geometry, **options)
                found[f"{name}, {which}"] = time.process_time() - started
            found[f"all, {which}"] = sum(found[f"{name}, {which}"] for name in FORMATS)
    return found


def measured(runs: int) -> dict[str, float]:
    """The times of new processes, after one that fills the folder of meshes."""
    with tempfile.TemporaryDirectory() as kept:
        command = [sys.executable, __file__, "--once", kept]
        every = [
            json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
            for _ in range(runs + 1)
        ][1:]
    return {
        name: float(np.percentile([own[name] for own in every], PERCENTILE)) for name in every[0]
    }


def report(found: dict[str, float]) -> None:
    """A line for each format: its share of a new process's time, and how it is to MJCF again."""
    titles = ("first [s]", "share", "again [s]", "to MJCF")
    cells = "".join(title.rjust(11) for title in titles)
    print(f"{'Stewart, meshes kept':20}{cells}")
    for name in [name.removesuffix(", first") for name in found if name.endswith(", first")]:
        first, again = found[f"{name}, first"], found[f"{name}, again"]
        share = first / found["all, first"]
        goal = f"  (first: at most {LIMIT})" if name == "all" else ""
        to = again / found["mjcf, again"]
        print(f"{name:20}{first:11.3f}{share:11.0%}{again:11.3f}{to:11.2f}{goal}")


if __name__ == "__main__":
    sys.exit(main())
