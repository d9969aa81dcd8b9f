"""The closures against the papers' figures: what was measured, what it is to be, and theirs.

Prints a table, `--json FILE` too, and exits 1 where a figure falls short; `--only GROUP ...` is for
some of them. Needs what `make install` installs, and no network. The robots' records are looked for
beside the checkout (see `tests/linkages/records.py`); what needs them is skipped where they are
not, and is no failure.

Measured with: closed forms, in 50 digits for the crane (mpmath); the geometry of the records by
4 x 4 matrices and SciPy's rotations (`tests/linkages/oracle.py`); central differences; counts of
`tests/linkages/structure.py`; the papers' formulation in `closure_figures/papers.py`, timed in the
same run by CPU time of the thread, one BLAS thread, in random order with ours: only ratios count.
What the papers report is quoted as it is, measured by them on another machine.

Not here: claims C2, C5, C8 and C10, which are dynamics. The papers' excavator, and the crane of
PACDM, are not public: ours are self-made, with the same structure.
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

from closure_figures import (  # noqa: E402
    accelerations,
    crane,
    geometry,
    robot_models,
    steps,
    stewart_models,
)
from groups import Group, run  # noqa: E402

GROUPS: dict[str, Group] = {
    "exact": geometry.exact_geometry,
    "rounded": geometry.rounded_geometry,
    "structure": geometry.structure,
    "one-motor": geometry.one_motor,
    "curvature": accelerations.curvature,
    "crane": crane.trajectory,
    "crane-fixed": crane.fixed,
    "evaluations": steps.evaluations,
    "continuation": steps.continuation,
    "stewart-models": stewart_models.models,
    "excavator-models": robot_models.excavator,
    "go2-models": robot_models.legged,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and judge."""
    return run(__doc__, GROUPS, arguments)


if __name__ == "__main__":
    sys.exit(main())
