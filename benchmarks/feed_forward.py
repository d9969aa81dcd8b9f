"""Feed-forward of the reduced inverse dynamics against the papers' figures (claims F1, F2, F3).

Prints a table, `--json FILE` too, and exits 1 where a figure is not within 2 % of the papers';
`--only GROUP ...` is for some of them. Needs what `make install` installs, and no network.
Kangaroo's record is looked for beside the checkout (see `tests/linkages/records.py`); what needs it
is skipped where it is not, and is no failure.

Measured with: MuJoCo, that simulates what `rc.write` wrote (F1, F2), so that bodies, closures and
integration are not ours; and, in F3, semi-implicit Euler in the leg lengths over our own forward
dynamics.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

# Before NumPy is imported: small matrices gain by one thread.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / name) for name in ("plugin", "tests", "benchmarks")]

from dynamics_figures import direct, missions  # noqa: E402
from groups import Group, run  # noqa: E402

GROUPS: dict[str, Group] = {
    "kangaroo": missions.kangaroo,
    "stewart": missions.stewart_platform,
    "direct": direct.direct,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and judge."""
    return run(__doc__, GROUPS, arguments)


if __name__ == "__main__":
    sys.exit(main())
