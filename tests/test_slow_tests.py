"""What the fast part of the tests leaves out is there, and is what takes longest."""

import subprocess
import sys
from pathlib import Path

from slow_tests import LIST, durations, slowest

LOG = """
4.00s call     tests/a.py::test_a[x y]
0.50s setup    tests/a.py::test_a[x y]
2.00s call     tests/a.py::test_b
1.00s call     tests/b.py::test_c
0.50s call     tests/b.py::test_d
12 passed in 4.00s
"""


def test_the_slowest_cases_are_left_out_until_the_rest_takes_the_share():
    took = durations(LOG)
    assert took == {
        "tests/a.py::test_a[x y]": 4.5,
        "tests/a.py::test_b": 2.0,
        "tests/b.py::test_c": 1.0,
        "tests/b.py::test_d": 0.5,
    }
    assert slowest(took, 0.5) == ["tests/a.py::test_a[x y]"]
    assert slowest(took, 0.2) == ["tests/a.py::test_a[x y]", "tests/a.py::test_b"]
    assert slowest(took, 1.0) == []


def test_every_case_that_is_left_out_is_a_test():
    """Else it was renamed, and `tools/slow_tests.py` is to be run again."""
    names = LIST.read_text(encoding="utf-8").splitlines()
    files = sorted({name.split("::")[0] for name in names})
    root = Path(__file__).parent.parent
    listed = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", *files],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert set(names) <= set(listed)
