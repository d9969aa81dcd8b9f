"""Write tests/slow.txt: the cases that `make test-fast` leaves out because each takes long.

With that file empty, `pytest -n 2 -m "not partcad and not thorough" --durations=0
--durations-min=0.2 > LOG`, then `python tools/slow_tests.py LOG --share 0.2`: of all that these
cases took, the quickest that together took this share stay in the fast part, and those that are not
in the log.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from pathlib import Path

LIST = Path(__file__).resolve().parent.parent / "tests" / "slow.txt"
DURATION = re.compile(r"([\d.]+)s (?:call|setup|teardown) +(tests/\S.*)$")


def main() -> None:
    """Read, choose, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log", type=Path)
    parser.add_argument("--share", type=float, required=True)
    options = parser.parse_args()
    slow = slowest(durations(options.log.read_text(encoding="utf-8")), options.share)
    LIST.write_text("".join(f"{name}\n" for name in slow), encoding="utf-8")


def durations(log: str) -> dict[str, float]:
    """What each case took [s], all its phases together."""
    found: dict[str, float] = {}
    for line in log.splitlines():
        if own := DURATION.match(line):
            found[own[2]] = found.get(own[2], 0.0) + float(own[1])
    return found


def slowest(took: Mapping[str, float], share: float) -> list[str]:
    """The cases without which the rest takes no more than a share of it all, by name."""
    left = sum(took.values())
    limit, slow = share * left, []
    for name in sorted(took, key=lambda name: -took[name]):
        if left <= limit:
            break
        left -= took[name]
        slow.append(name)
    return sorted(slow)


if __name__ == "__main__":
    main()
