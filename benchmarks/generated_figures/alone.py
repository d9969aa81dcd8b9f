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
from linkages.robots import kangaroo
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


def dynamics_time(mechanism: rc.Mechanism) -> float:
    """Bind dynamics and run them once each way [s], all being compiled and assembled."""
    compiled = rc.compile(mechanism)
    near = rc.assemble(compiled)
    began = time.thread_time()
    _moved(compiled, near)
    return time.thread_time() - began


def peak(mechanism: rc.Mechanism, run: Callable[[rc.CompiledMechanism], None]) -> float:
    """Peak memory [MB] of everything imported, the mechanism compiled, and what is then run."""
    import scipy.linalg  # noqa: F401

    compiled = rc.compile(mechanism)
    available()  # imports llvmlite
    run(compiled)
    return _peak()


def _nothing(_: rc.CompiledMechanism) -> None:
    pass


def _closed(compiled: rc.CompiledMechanism) -> None:
    """Assemble, bind, close, lift and evaluate."""
    bound = rc.bind(compiled)
    bound.correct()
    bound.motion()
    bound.evaluate()


def _moved(compiled: rc.CompiledMechanism, near: rc.Configuration | None = None) -> None:
    """Bind, accelerate, and find the efforts."""
    bound = rc.bind_dynamics(compiled, near=near)
    bound.forward()
    bound.inverse()


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
    "dynamics-bind": lambda: dynamics_time(stewart(chart=True)),
    "dynamics-bind-chain": lambda: dynamics_time(module_chain(256)),
    "dynamics-bind-kangaroo": lambda: dynamics_time(kangaroo()),
    "chain": lambda: peak(module_chain(256), _nothing),
    "chain-run": lambda: peak(module_chain(256), _closed),
    "chain-dynamics": lambda: peak(module_chain(256), _moved),
    "stewart": lambda: peak(stewart(chart=True), _nothing),
    "stewart-run": lambda: peak(stewart(chart=True), _closed),
    "stewart-dynamics": lambda: peak(stewart(chart=True), _moved),
}


if __name__ == "__main__":
    print(WHAT[sys.argv[1]]())
