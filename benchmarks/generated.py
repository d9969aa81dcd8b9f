"""Generated code: what it costs and how exact it is, what it is to be, and what peers reach.

Prints a table, `--json FILE` too, and exits 1 where a figure falls short; `--only GROUP ...` is for
some of them. `make bench` runs it with the environment of the consumers, which has Pinocchio and
llvmlite; where either cannot be imported, what needs it is skipped with the reason, and is no
failure. The robots' records are looked for beside the checkout (see `tests/linkages/records.py`).

Times are CPU time of the thread, one thread, the candidates of a figure in random order within each
of 30 or 60 rounds, the 20th percentile: only ratios count, and absolute times are shown to go by.
A call is timed with its start written into the bound buffer. Whoever is compared with solves the
same problem from the same starts to the same tolerance, and is held to the same result.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

# Before NumPy is imported: what is timed runs in one thread, and small matrices gain by it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / name) for name in ("plugin", "tests", "benchmarks")]

from generated_figures import compiling, cycles, exactness, many, single  # noqa: E402
from groups import Group, run  # noqa: E402

GROUPS: dict[str, Group] = {
    "exact": exactness.mechanisms,
    "exact-robots": exactness.robots,
    "pinocchio": single.pinocchio,
    "batch": many.batch,
    "path": many.path,
    "operations": single.operations,
    "reference": single.reference,
    "compile": compiling.compiling,
    "kernels": compiling.kernels,
    "chain": many.chain,
    "memory": many.memory,
    "cycles": cycles.evaluation,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and judge."""
    return run(__doc__, GROUPS, arguments)


if __name__ == "__main__":
    sys.exit(main())
