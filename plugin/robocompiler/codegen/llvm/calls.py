"""Functions of a library bound to arrays, so that a call costs next to nothing."""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Callable, Sequence
from dataclasses import astuple
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robocompiler.codegen.kernels import Call, Settings
from robocompiler.codegen.llvm.jit import IN_TURN, Library, library_in_turn
from robocompiler.codegen.plan import Outline
from robocompiler.errors import UnfitArrayError
from robocompiler.spatial import Array

Whole = NDArray[np.integer[Any]]

_NO_ARGUMENTS = 4
"""CPython's METH_NOARGS."""


class _Packed(bytes):
    """Arguments, eight bytes each, that hold what they point to."""

    held: tuple[Any, ...]
    function: int
    """Address of what takes them."""


class _Method(ctypes.Structure):
    """CPython's `PyMethodDef`."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("documentation", ctypes.c_char_p),
    )


def over_states(
    library: Library,
    name: str,
    *,
    x: Array,
    y: Array,
    table: Whole,
    status: Whole | None = None,
    settings: Settings | None = None,
    states: tuple[int, int] | None = None,
    releasing: bool = False,
) -> Call:
    """A straight or iterated function that runs on some arrays whenever it is called.

    Args:
        library: where it is.
        name: of its kernel.
        x: input slots, shape (rows, states), changed where it iterates.
        y: results, shape (rows, states). May be x.
        table: rows of each instance, int64, shape (instances, inputs + results): in x, then in y.
        status: what is said of each instance at each state, int32, shape (instances, states).
            Straight functions need neither it nor settings.
        settings: what iterating minds.
        states: the first, and the one after the last; None for all.
        releasing: whether other threads of Python may run meanwhile, which takes 0.1 µs.

    Raises:
        UnfitArrayError: an array has another type, shape or order in memory.
    """
    outline = _outline(library, name, "straight", "iterated")
    n = x.shape[-1]
    _fits("x", x, np.float64, (None, n), outline.kind == "iterated")
    _fits("y", y, np.float64, (None, n), True)
    count = _table_fits(table, outline, (x.shape[0], y.shape[0]))
    first, last = states or (0, n)
    if not 0 <= first <= last <= n:
        raise UnfitArrayError("x", f"has {n} states", f"those from {first} to {last}")
    numbers = None
    if outline.kind == "iterated":
        numbers = _numbers(settings)
        _fits("status", status, np.int32, (count, n), True)
    places = table * n  # where each row starts
    return _bound(library, name, (x, y, status, n, first, last, places, count, numbers), releasing)


def along_table(
    library: Library,
    name: str,
    *,
    x: Array,
    y: Array,
    table: Whole,
    status: Whole,
    settings: Settings,
    targets: Array,
    out_x: Array,
    out_y: Array | None,
    releasing: bool = False,
) -> Call:
    """A continued function that runs on some arrays whenever it is called.

    Args:
        library: where it is.
        name: of its kernel.
        x: input slots at a closed state, shape (rows,), changed.
        y: results there, shape (rows,), changed.
        table: rows of each instance in x, then in y, then columns of the targets; int64, shape
            (instances, inputs + results + targets).
        status: how many knots each instance reaches, int32, shape (instances,).
        settings: what iterating and predicting mind.
        targets: shape (knots, columns).
        out_x: x at each knot, shape (knots, rows of x). Rows that no instance has stay.
        out_y: y at each knot, shape (knots, rows of y), or None.
        releasing: whether other threads of Python may run meanwhile.

    Raises:
        UnfitArrayError: an array has another type, shape or order in memory.
    """
    outline = _outline(library, name, "continued")
    _fits("x", x, np.float64, (None,), True)
    _fits("y", y, np.float64, (None,), True)
    _fits("targets", targets, np.float64, (None, None), False)
    knots, columns = targets.shape
    _fits("out_x", out_x, np.float64, (knots, len(x)), True)
    if out_y is not None:
        _fits("out_y", out_y, np.float64, (knots, len(y)), True)
    count = _table_fits(table, outline, (len(x), len(y), columns))
    _fits("status", status, np.int32, (count,), True)
    numbers = _numbers(settings)
    sizes = (len(x), len(y), targets, knots, columns)
    arguments = (x, y, status, *sizes, out_x, out_y, table, count, numbers)
    return _bound(library, name, arguments, releasing)


def _outline(library: Library, name: str, *kinds: str) -> Outline:
    outline = library.outlines[name]
    if outline.kind not in kinds:
        raise UnfitArrayError(name, f"is {outline.kind}", " or ".join(kinds))
    return outline


def _numbers(settings: Settings | None) -> Array:
    if settings is None:
        raise UnfitArrayError("settings", "are missing", "those of iterating")
    return np.array(astuple(settings), dtype=float)


def _fits(
    name: str,
    array: NDArray[Any] | None,
    kind: type[np.generic],
    shape: tuple[int | None, ...],
    written: bool,
) -> None:
    if array is None:
        raise UnfitArrayError(name, "is missing", f"shape {shape}")
    if array.dtype != kind:
        raise UnfitArrayError(name, f"has type {array.dtype}", kind.__name__)
    if array.ndim != len(shape) or any(
        wanted not in (None, own) for wanted, own in zip(shape, array.shape, strict=True)
    ):
        raise UnfitArrayError(name, f"has shape {array.shape}", f"{shape}, None being any")
    if not array.flags.c_contiguous or (written and not array.flags.writeable):
        raise UnfitArrayError(name, "is strided or read-only", "an array of its own")


def _table_fits(table: Whole, outline: Outline, bounds: Sequence[int]) -> int:
    """How many instances a table has, whose entries must be within arrays."""
    _fits("table", table, np.int64, (None, outline.width), False)
    for part, bound in zip(np.split(table, outline.ends, axis=1), bounds, strict=False):
        if part.size and not (part.min() >= 0 and part.max() < bound):
            raise UnfitArrayError(
                "table", f"names rows from {part.min()} to {part.max()}", f"0 to {bound - 1}"
            )
    return len(table)


def in_turn(calls: Sequence[Call]) -> Call:
    """Calls of this module as one, which adds up what they return: Python's part is there once."""
    packed = [_packed_of(call) for call in calls]
    releasing = any(isinstance(call, partial) for call in calls)
    places = np.array([len(packed), *(i for one in packed for i in _place(one))], dtype=np.int64)
    return _bound(library_in_turn(), IN_TURN, (places, *packed), releasing)


def _packed_of(call: Any) -> _Packed:
    found = call.keywords["packed"] if isinstance(call, partial) else call.__self__
    if not isinstance(found, _Packed):
        raise TypeError("what runs in turn are calls of machine code")
    return found


def _place(packed: _Packed) -> tuple[int, int]:
    """Where a function is, and where its arguments are."""
    return packed.function, ctypes.cast(ctypes.c_char_p(packed), ctypes.c_void_p).value or 0


def _bound(library: Library, name: str, arguments: Sequence[Any], releasing: bool) -> Call:
    """A call with arguments packed once: as a method of CPython, or through `ctypes`."""
    packed = _Packed(b"".join(map(_eight_bytes, arguments)))
    packed.held, packed.function = (library, *arguments), library.address(f"{name}.packed")
    if sys.implementation.name == "cpython" and not releasing:
        create = _method_creator()
        method = _method(library.address(f"{name}.method"))
        bound: Call = create(ctypes.byref(method), packed, None)
        return bound
    function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_char_p)(packed.function)
    return partial(_run, function, packed=packed)


def _run(function: Callable[[bytes], int], packed: _Packed) -> int:
    return function(packed)


def _eight_bytes(argument: Any) -> bytes:
    if isinstance(argument, int):
        return struct.pack("<q" if sys.byteorder == "little" else ">q", argument)
    if isinstance(argument, bytes):  # held, and not an argument
        return b""
    address = 0 if argument is None else argument.ctypes.data
    return struct.pack("=Q", address)


@cache
def _method(address: int) -> _Method:
    """Kept for good, since objects that Python still has may point to it."""
    return _Method(b"generated", address, _NO_ARGUMENTS, None)


@cache
def _method_creator() -> Callable[..., Any]:
    """CPython's `PyCFunction_NewEx`."""
    create = ctypes.pythonapi.PyCFunction_NewEx
    create.restype = ctypes.py_object
    create.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return create
