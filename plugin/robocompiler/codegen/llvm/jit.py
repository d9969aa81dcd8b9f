"""Kernels as machine code in this process, compiled by LLVM or from the cache."""

from __future__ import annotations

import ctypes
import hashlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from robocompiler.codegen.kernels import Kernel
from robocompiler.codegen.llvm import cache as disk
from robocompiler.codegen.llvm import packed
from robocompiler.codegen.llvm.target import Target, available, this_machine
from robocompiler.codegen.plan import Outline, outline

__all__ = ["Library", "available", "compile_kernels", "load", "this_machine"]

IN_TURN = "in_turn"
VERSION = 3
"""Of what `assembly` writes: raise it with every change of it, so that no older object is used."""
EFFORT = 1
"""Of LLVM's code generator, no passes before it: what is written here leaves them little to do."""
Traced = tuple[Sequence[Kernel], dict[str, Any]]
"""Kernels, and what JSON can say of them that their caller needs."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Library:
    """Functions that can be called as long as this is there. `calls` binds them to arrays."""

    outlines: Mapping[str, Outline]
    """Of each function, by the name of its kernel."""
    metadata: dict[str, Any]
    """The caller's."""
    compiled: bool
    """Whether LLVM ran, rather than the code being found in the cache."""
    code: bytes
    """An object file."""
    _engine: Any

    def address(self, name: str) -> int:
        """Of a function, of `NAME.packed` or of `NAME.method`: see `packed`.

        Raises:
            KeyError: there is none of that name.
        """
        found = int(self._engine.get_function_address(name))
        if not found:
            raise KeyError(name)
        return found


def compile_kernels(kernels: Sequence[Kernel], lanes: int, target: Target) -> bytes:
    """An object file with kernels of different names, each over as many states at once."""
    return _compiled(_assembly(kernels, lanes, target), target)


def load(
    trace: Callable[[], Traced],
    *,
    lanes: int | None = None,
    key: str | None = None,
    target: Target | None = None,
    kept: bool = True,
) -> Library:
    """Kernels as functions.

    Args:
        trace: gives the kernels, and what belongs to them.
        lanes: how many states are computed at once: 1 for the least delay of one, None for as
            many as the processor's registers hold.
        key: whatever says what `trace` would give, so that it need not run if the cache has it.
        target: None for this processor.
        kept: whether there is a cache.
    """
    target = target or this_machine()
    lanes = lanes or target.lanes
    traced = None
    if key is None:
        traced = trace()
        key = _assembly(traced[0], lanes, target) + repr(traced[1])
    digest = _digest(key, lanes, target)
    entry = disk.read(digest) if kept else None
    compiled = entry is None
    if entry is None:
        entry = _entry(*(traced or trace()), lanes, target)
        if kept:
            disk.write(digest, entry)
    return Library(
        outlines={name: Outline(**one) for name, one in entry.metadata["outlines"].items()},
        metadata=entry.metadata["caller"],
        compiled=compiled,
        code=entry.code,
        _engine=_engine(entry.code, target),
    )


@cache
def library_in_turn() -> Library:
    """A function that calls others in turn, see `packed.write_in_turn`."""
    target = this_machine()
    code = _compiled(packed.write_in_turn(IN_TURN), target)
    engine = _engine(code, target)
    return Library(outlines={}, metadata={}, compiled=True, code=code, _engine=engine)


def _entry(
    kernels: Sequence[Kernel], metadata: dict[str, Any], lanes: int, target: Target
) -> disk.Entry:
    return disk.Entry(
        metadata={
            "outlines": {kernel.name: asdict(outline(kernel)) for kernel in kernels},
            "caller": json.loads(json.dumps(metadata)),  # as it will be read again
        },
        code=compile_kernels(kernels, lanes, target),
    )


def _digest(key: str, lanes: int, target: Target) -> str:
    """Of all that code depends on."""
    import llvmlite
    import llvmlite.binding as llvm

    versions = (llvmlite.__version__, llvm.llvm_version_info, VERSION, EFFORT, sys.byteorder)
    parts = (key, lanes, target, *versions)
    return hashlib.sha256("\0".join(repr(part) for part in parts).encode()).hexdigest()


def _machine(target: Target) -> Any:
    """LLVM's, for a processor."""
    import llvmlite.binding as llvm

    _initialized()
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.processor, features=target.features, opt=EFFORT, reloc="pic", jit=True
    )


def _assembly(kernels: Sequence[Kernel], lanes: int, target: Target) -> str:
    # What the cache has needs none of the writers, whose import takes a fifth of a start.
    from robocompiler.codegen.llvm.assembly import llvm_assembly

    return llvm_assembly(kernels, lanes, target.fused)


def _compiled(assembly: str, target: Target) -> bytes:
    import llvmlite.binding as llvm

    machine = _machine(target)
    module = llvm.parse_assembly(assembly)
    module.verify()
    return bytes(machine.emit_object(module))


def _engine(code: bytes, target: Target) -> Any:
    """What holds the functions of an object file."""
    import llvmlite.binding as llvm

    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine(target))
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


@cache
def _initialized() -> None:
    """Prepare LLVM for this process, and say where the functions are that code calls."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    mathematics = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)
    for name, function in (
        ("atan2", mathematics.atan2),
        ("bytes", ctypes.pythonapi.PyBytes_AsString),
        ("integer", ctypes.pythonapi.PyLong_FromLongLong),
    ):
        address = ctypes.cast(function, ctypes.c_void_p).value
        llvm.add_symbol(f"robocompiler_{name}", address)
