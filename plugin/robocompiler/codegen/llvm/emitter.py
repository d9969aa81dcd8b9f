"""Kernels run as machine code."""

from __future__ import annotations

from collections.abc import Sequence

from robocompiler.codegen.kernels import Call, Made, Settings
from robocompiler.codegen.llvm import calls as machine_calls
from robocompiler.codegen.llvm import jit
from robocompiler.spatial import Array


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

    def load(self, key: str, many: bool, make: Made) -> _MachineLoaded:
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
