"""Accelerations against fifty digits: ours and the peers', what is to be reached, and the papers'.

Prints a table, `--json FILE` too, and exits 1 where a figure falls short; `--only GROUP ...` is for
some of them. An evenly spread sample of the states is judged in a minute and a half, all of them
with `--all` in eight. `make bench` runs it with the environment of the consumers, which has
Pinocchio, MuJoCo and Arb; where one of the peers cannot be imported its rows are skipped with the
reason, and without Arb (python-flint) the reference takes five times as long. The robots' records
are looked for beside the checkout (see `tests/linkages/records.py`); what needs them is skipped
where they are not.

The reference (`tests/dynamics_oracle.py`) closes each configuration again in fifty digits, keeping
the independent coordinates to the last bit, and evaluates everything there. Ours and every peer get
the configuration as doubles closed to rounding, and the speeds that follow: ours from the
independent ones, peers as the reference rounds them. delta_a, delta_f and r_c are the papers'
(equation 23). Which states, and what was chosen where the papers' draws are lost:
`accuracy_figures/states.py`. How the peers hold what they have no joint or constraint for:
`accuracy_figures/pinocchio_peer.py`, `mujoco_peer.py`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

# Before NumPy is imported: one thread.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / name) for name in ("plugin", "tests", "benchmarks")]

from accuracy_figures import powers, sets  # noqa: E402
from groups import Group, run  # noqa: E402

GROUPS: dict[str, Group] = {
    "stewart": sets.stewart,
    "excavator": sets.excavator,
    "kangaroo": sets.kangaroo,
    "go2": sets.go2,
    "power": powers.balance,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and judge."""
    return run(__doc__, GROUPS, arguments, sets.take)


if __name__ == "__main__":
    sys.exit(main())
