"""Kernels run as Python."""

from __future__ import annotations

from collections.abc import Sequence

from robocompiler.codegen.kernels import Call, Kernel, Made, Notes, Settings
from robocompiler.codegen.python import run as python_run
from robocompiler.codegen.python.functions import compile_kernel
from robocompiler.spatial import Array


class PythonEmitter:
    """Kernels as Python: always there, ready at once."""

    name = "Python"
    together = 1

    def in_turn(self, calls: Sequence[Call]) -> Call:
        """See `Emitter`."""

        def run() -> int:
            failed = 0
            for call in calls:
                failed += call()
            return failed

        return run

    def load(self, key: str, many: bool, make: Made) -> _PythonLoaded:
        """See `Emitter`. Nothing is kept between runs."""
        return _PythonLoaded(*make())


class _PythonLoaded:
    def __init__(self, kernel: Kernel, notes: Notes) -> None:
        self.notes = notes
        self._compiled = compile_kernel(kernel)

    def prepare(
        self,
        x: Array,
        y: Array,
        status: Array | None,
        table: Array,
        settings: Settings | None,
        states: range,
        releasing: bool = False,
    ) -> Call:
        first, last = states.start, states.stop
        return python_run.prepare(self._compiled, x, y, status, table, settings, first, last)

    def prepare_continued(
        self,
        x: Array,
        y: Array,
        status: Array,
        targets: Array,
        out_x: Array,
        out_y: Array | None,
        table: Array,
        settings: Settings,
    ) -> Call:
        return python_run.prepare_continued(
            self._compiled, x, y, status, targets, out_x, out_y, table, settings
        )
