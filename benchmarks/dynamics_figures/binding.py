"""How long it takes until generated dynamics run, in fresh processes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from figure import Figure, shown, skipped
from generated_figures.alone import measured

from linkages.robots import kangaroo
from robocompiler.codegen.llvm.target import available

WARM = 3
"""Processes."""
WHAT = {
    "Stewart": "dynamics-bind",
    "chain of 256": "dynamics-bind-chain",
    "Kangaroo": "dynamics-bind-kangaroo",
}


def binding() -> Iterator[Figure]:
    """`rc.bind_dynamics`, the first `forward()` and the first `inverse()`, tracing included."""
    title = "bind and first calls of forward and inverse dynamics [s]"
    if not available():
        yield skipped(title, "llvmlite cannot be imported")
        return
    for name, what in WHAT.items():
        if name == "Kangaroo" and not _there():
            yield skipped(f"{name}: {title}", "no record")
            continue
        with tempfile.TemporaryDirectory() as folder:
            cold = measured(what, Path(folder))
            warm = min(measured(what, Path(folder)) for _ in range(WARM))
        yield shown(f"{name}: {title}, cold", cold, "CPU time")
        yield shown(f"{name}: {title}, from the cache", warm, "CPU time")


def _there() -> bool:
    try:
        kangaroo()
    except pytest.skip.Exception:
        return False
    return True
