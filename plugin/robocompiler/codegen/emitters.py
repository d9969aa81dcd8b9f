"""Ways to run kernels, of which one is chosen: as Python, or as machine code.

Each is imported where it is chosen: who generates nothing need not load what writes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from robocompiler.codegen.kernels import Call, Made, Notes, Settings
from robocompiler.codegen.llvm.target import available
from robocompiler.errors import BadValueError
from robocompiler.spatial import Array


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


def emitter_named(name: str | None) -> Emitter:
    """The emitter of a name, `machine` or `python`; None for the fastest there is.

    Raises:
        BadValueError: another name, or machine code where `llvmlite` is not installed.
    """
    if name == "python" or (name is None and not available()):
        from robocompiler.codegen.python.emitter import PythonEmitter

        return PythonEmitter()
    if name in (None, "machine") and available():
        from robocompiler.codegen.llvm.emitter import MachineEmitter

        return MachineEmitter()
    expected = "'machine' or 'python'"
    if name == "machine":
        expected = "'python', or `llvmlite` installed (the extra `jit`)"
    raise BadValueError("Bound code", "emitter", str(name), expected)
