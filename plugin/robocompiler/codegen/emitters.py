"""Ways to run kernels, of which one is chosen: as Python, or as machine code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from robocompiler.codegen import python
from robocompiler.codegen.kernels import Kernel, Settings
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
    ) -> Callable[[], int]:
        """What computes some states, and returns how many times an instance failed at one."""
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
    ) -> Callable[[], int]:
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

    def load(self, key: str, many: bool, make: Made) -> Loaded:
        """See `Emitter`. Nothing is kept between runs."""
        return _PythonLoaded(*make())


class _PythonLoaded:
    def __init__(self, kernel: Kernel, notes: Notes) -> None:
        self.notes = notes
        self._compiled = python.compile_kernel(kernel)

    def prepare(
        self,
        x: Array,
        y: Array,
        status: Array | None,
        table: Array,
        settings: Settings | None,
        states: range,
    ) -> Callable[[], int]:
        return python.prepare(
            self._compiled, x, y, status, table, settings, states.start, states.stop
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
    ) -> Callable[[], int]:
        return python.prepare_continued(
            self._compiled, x, y, status, targets, out_x, out_y, table, settings
        )


def emitter_named(name: str | None) -> Emitter:
    """The emitter of a name; None for the fastest there is.

    Raises:
        BadValueError: another name.
    """
    if name in (None, "python"):
        return PythonEmitter()
    raise BadValueError("Bound code", "emitter", str(name), "'machine' or 'python'")
