"""Generated dynamics: what it costs, what it is to cost, and what Pinocchio and MuJoCo cost.

Prints a table, `--json FILE` too, and exits 1 where a figure falls short; `--only GROUP ...` is for
some of them. `make bench` runs it with the environment of the consumers, which has Pinocchio,
MuJoCo and llvmlite; where one cannot be imported, what needs it is skipped with the reason, and is
no failure. How exact ours and the peers are, over sets of states, is `accuracy.py`.

Times are CPU time of the thread, one thread, the candidates of a figure in random order within each
of 20 to 60 rounds, the 20th percentile: only ratios count, and absolute times are shown to go by.

Everyone is called at one state that stands: ours in the bound buffers, MuJoCo's in `mjData`,
Pinocchio's in NumPy arrays, since it takes no other. Peers are given closed configurations and the
speeds of all joints; ours closes the loops and finds the speeds of the dependent joints in the same
call, whether or not there is anything to close. "Arrays in and out" copies coordinates, independent
speeds and efforts into the buffers first, and accelerations out. MuJoCo has the papers' settings
(`accuracy_figures/mujoco_peer.py`); `mj_forward` starts from where it ended before. In a chain all
peers close a four-bar at one point, of which one row in three is redundant.
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

from dynamics_figures import binding, timings  # noqa: E402
from groups import Group, run  # noqa: E402

GROUPS: dict[str, Group] = {
    "calls": timings.calls,
    "batch": timings.batch,
    "chain": timings.chain,
    "memory": timings.memory,
    "bind": binding.binding,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and judge."""
    return run(__doc__, GROUPS, arguments)


if __name__ == "__main__":
    sys.exit(main())
