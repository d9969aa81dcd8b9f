"""Integration of the reduced dynamics: where its energy comes from and goes to (claim F5).

Prints a table, `--json FILE` too, and exits 1 where a figure falls short; `--only GROUP ...` is for
some of them. Needs what `make install` installs, and no network. Kangaroo's record is looked for
beside the checkout (see `tests/linkages/records.py`); what needs it is skipped where it is not, and
is no failure.

Measured with: energy of the states that were reached, less work of ports, wrenches and dampers,
summed as the method sums its stages: what is left is the method's error, which must fall by its
order as the step is halved. SciPy's DOP853 over the reference's dynamics. Times are CPU times of
the thread; what a longer run takes more than a shorter one.
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

from dynamics_figures import ledger  # noqa: E402
from groups import Group, run  # noqa: E402

GROUPS: dict[str, Group] = {
    "ledgers": ledger.ledgers,
    "kangaroo": ledger.kangaroo,
    "dop853": ledger.dop853,
    "times": ledger.times,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and judge."""
    return run(__doc__, GROUPS, arguments)


if __name__ == "__main__":
    sys.exit(main())
