"""How long it takes until generated code runs, in fresh processes."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from figure import Figure, at_most, shown, skipped
from timing import PERCENTILE

from generated_figures.alone import measured
from generated_figures.problems import stewart_problem
from robocompiler.codegen.llvm import jit
from robocompiler.codegen.llvm.target import available, this_machine
from robocompiler.compiler.generate import KERNELS

COLD, WARM = 3, 7
"""Processes."""


def compiling() -> Iterator[Figure]:
    """`rc.bind` and the first `correct()`, llvmlite's import and all tracing included."""
    title = "Stewart: bind and first call [s]"
    if not available():
        yield skipped(title, "llvmlite cannot be imported")
        return
    cold = []
    for _ in range(COLD):
        with tempfile.TemporaryDirectory() as folder:
            cold.append(measured("compile", Path(folder)))
            warm = [measured("compile", Path(folder)) for _ in range(WARM)]
    cold_time, warm_time = (float(np.percentile(times, PERCENTILE)) for times in (cold, warm))
    yield at_most(f"{title}, cold", cold_time, 0.8, "prototype 0.3")
    yield at_most(f"{title}, from the cache", warm_time, 0.04, "prototype 0.003 and tracing")


def kernels() -> Iterator[Figure]:
    """What each of the platform's kernels takes LLVM, and how large it is."""
    title = "Stewart, LLVM"
    if not available():
        yield skipped(title, "llvmlite cannot be imported")
        return
    code, target = stewart_problem().bound.code, this_machine()
    for name in KERNELS:
        for lanes in (1, target.lanes):
            kernel = code.kernel(0, name)
            began = time.thread_time()
            made = jit.compile_kernels([kernel], lanes, target)
            seconds = time.thread_time() - began
            size = f"{len(made) / 1e3:.0f} kB, code generator's level {jit.EFFORT}"
            yield shown(f"{title}: `{name}`, {lanes} at once [s]", seconds, size)
