"""What is measured in a process of its own: compile times, and peak memory.

`python alone.py WHAT` prints one number: CPU seconds, or megabytes.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import robocompiler as rc
from linkages.many_loops import module_chain
from linkages.stewart import stewart
from robocompiler.codegen.llvm.target import available


def measured(what: str, cache: Path | None = None) -> float:
    """A number of a fresh process.

    Args:
        what: one of `WHAT`.
        cache: the folder of machine code; that of this process where None.
    """
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    # Users' processes find the bytecode that the first one left, whatever is set here.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if cache is not None:
        environment["ROBOCOMPILER_CACHE"] = str(cache)
    command = [sys.executable, __file__, what]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout)


def compile_time() -> float:
    """Bind the platform and close it once [s], it being compiled and assembled."""
    compiled = rc.compile(stewart(chart=True))
    near = rc.assemble(compiled)
    began = time.thread_time()
    rc.bind(compiled, near=near).correct()
    return time.thread_time() - began


def peak(mechanism: rc.Mechanism, run: bool) -> float:
    """Peak memory [MB] of everything imported and the mechanism compiled; with `run` it is then
    assembled, bound, closed, lifted and evaluated.
    """
    import scipy.linalg  # noqa: F401

    compiled = rc.compile(mechanism)
    available()  # imports llvmlite
    if run:
        bound = rc.bind(compiled)
        bound.correct()
        bound.motion()
        bound.evaluate()
    return _peak()


def _peak() -> float:
    """Of this process. `getrusage` would tell that of its parent, where that is greater."""
    status = Path("/proc/self/status")
    if status.is_file():
        lines = status.read_text().splitlines()
        return next(int(line.split()[1]) / 1e3 for line in lines if line.startswith("VmHWM"))
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


WHAT: dict[str, Callable[[], float]] = {
    "compile": compile_time,
    "chain": lambda: peak(module_chain(256), run=False),
    "chain-run": lambda: peak(module_chain(256), run=True),
    "stewart": lambda: peak(stewart(chart=True), run=False),
    "stewart-run": lambda: peak(stewart(chart=True), run=True),
}


if __name__ == "__main__":
    print(WHAT[sys.argv[1]]())
