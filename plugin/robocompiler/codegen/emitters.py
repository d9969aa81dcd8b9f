"""Ways to run kernels, of which one is chosen: as Python, or as machine code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from robocompiler.codegen.kernels import Call, Kernel, Settings
from robocompiler.codegen.llvm import calls as machine_calls
from robocompiler.codegen.llvm import jit
from robocompiler.codegen.python import run as python_run
from robocompiler.codegen.python.functions import compile_kernel
from robocompiler.errors import BadValueError
from robocompiler.spatial import Array

Notes = Mapping[str, Any]
"""What a caller wants to know of a kernel without having it traced again: plain data."""


class Loaded(Protocol):
    """A kernel that can be bound to buffers, see `kernels`."""

    @property
    def notes(self) -> Notes:
        """As they were given when the kernel was made."""
        ...

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
        """What computes some states, and returns how many times an instance failed at one; if
        `releasing`, other threads run meanwhile.
        """
        ...

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
        """What follows targets, and returns how many instances did not reach all of them."""
        ...


Made = Callable[[], tuple[Kernel, Notes]]
"""Traces a kernel, and what there is to note of it."""


class Emitter(Protocol):
    """A way to run kernels."""

    @property
    def name(self) -> str:
        """As people are told."""
        ...

    @property
    def together(self) -> int:
        """How many states are computed at once: chunks of a batch are multiples of it."""
        ...

    def in_turn(self, calls: Sequence[Call]) -> Call:
        """Calls that were prepared, as one, which adds up what they return."""
        ...

    def load(self, key: str, many: bool, make: Made) -> Loaded:
        """A kernel, made anew unless it is known by its key.

        Args:
            key: of all that it is made of.
            many: whether it will be run on many states at once.
            make: traces it.
        """
        ...


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

    def load(self, key: str, many: bool, make: Made) -> Loaded:
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


class MachineEmitter:
    """Kernels as machine code of this processor, by LLVM, kept on disk."""

    @property
    def name(self) -> str:
        """Which processor, and how many states at once."""
        machine = jit.this_machine()
        return f"machine code ({machine.processor}, {machine.lanes} states at once)"

    @property
    def together(self) -> int:
        """As many as the processor's registers hold."""
        return jit.this_machine().lanes

    def in_turn(self, calls: Sequence[Call]) -> Call:
        """See `Emitter`. Within machine code, so that Python's part is there once."""
        return machine_calls.in_turn(calls)

    def load(self, key: str, many: bool, make: Made) -> Loaded:
        """See `Emitter`. Code for one state is other than for many, their bits are the same."""

        def trace() -> jit.Traced:
            kernel, notes = make()
            return [kernel], dict(notes)

        return _MachineLoaded(jit.load(trace, lanes=None if many else 1, key=key))


class _MachineLoaded:
    def __init__(self, library: jit.Library) -> None:
        self._library, self.notes = library, library.metadata
        (self._name,) = library.outlines

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
        return machine_calls.over_states(
            self._library,
            self._name,
            x=x,
            y=y,
            table=table,
            status=status,
            settings=settings,
            states=(states.start, states.stop),
            releasing=releasing,
        )

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
        return machine_calls.along_table(
            self._library,
            self._name,
            x=x[:, 0],
            y=y[:, 0],
            table=table,
            status=status[:, 0],
            settings=settings,
            targets=targets,
            out_x=out_x,
            out_y=out_y,
        )


def emitter_named(name: str | None) -> Emitter:
    """The emitter of a name, `machine` or `python`; None for the fastest there is.

    Raises:
        BadValueError: another name, or machine code where `llvmlite` is not installed.
    """
    if name == "python" or (name is None and not jit.available()):
        return PythonEmitter()
    if name in (None, "machine") and jit.available():
        return MachineEmitter()
    expected = "'machine' or 'python'"
    if name == "machine":
        expected = "'python', or `llvmlite` installed (the extra `jit`)"
    raise BadValueError("Bound code", "emitter", str(name), expected)
