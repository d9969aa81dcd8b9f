"""The loops of straight and iterated kernels over instances and states, as LLVM's assembly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from robocompiler.codegen.kernels import STATE, STEPPING, Iterated, Straight, place_of
from robocompiler.codegen.llvm.newton import Finished, Limits, write_soundness, write_steps
from robocompiler.codegen.llvm.nodes import scope
from robocompiler.codegen.llvm.text import Parameter, Text, signature
from robocompiler.codegen.plan import moving, outline

PARAMETERS: tuple[Parameter, ...] = (
    ("ptr", "%x", ""),
    ("ptr", "%y", ""),
    ("ptr", "%status", ""),
    ("i64", "%n", ""),
    ("i64", "%first", ""),
    ("i64", "%last", ""),
    ("ptr", "%table", "noalias readonly"),
    ("i64", "%count", ""),
    ("ptr", "%settings", "noalias readonly"),
)
"""The table says of each row where it starts: its number times `%n`."""
_WIDTH = '"prefer-vector-width"="512" "min-legal-vector-width"="512"'
"""Lest LLVM halve registers of processors that slow down when all of them is used."""


def write_function(kernel: Straight | Iterated, name: str, lanes: int, fused: bool) -> str:
    """A function over as many states as are a multiple of `lanes`, without what remains."""
    text = Text(lanes, fused)
    text.lines.append(f'define internal i64 @"{name}"({signature(PARAMETERS)}) {_WIDTH} {{')
    text.label("entry")
    if isinstance(kernel, Straight):
        write = partial(_write_straight, text, kernel)
    else:
        write = partial(_write_iterated, text, kernel, write_limits(text))
    text.line("br label %instances")
    write_instances(text, outline(kernel).width)
    _write_states(text)
    if lanes > 1:
        _write_ahead(text, kernel)
    _write_ends(text, write())
    return "\n".join(text.lines)


def write_setting(text: Text, name: str) -> str:
    """Write the loading of a field of `Settings`: in one lane."""
    entry = text.put(f"getelementptr double, ptr %settings, i64 {place_of(name)}")
    return text.put(f"load double, ptr {entry}")


def write_limits(text: Text) -> Limits:
    """Write the loading of the settings that steps mind."""
    values = [write_setting(text, name) for name in STEPPING]
    tolerance, contraction, noise, longest = (text.spread(value) for value in values[:4])
    return Limits(
        tolerance=tolerance, contraction=contraction, noise=noise, longest=longest, most=values[4]
    )


def write_instances(text: Text, width: int) -> None:
    """Write the head of the loop over instances, whose lines of the table have a width."""
    text.label("instances")
    text.line("%k = phi i64 [ 0, %entry ], [ %k.next, %next.instance ]")
    text.line("%failed = phi i64 [ 0, %entry ], [ %failed.here, %next.instance ]")
    text.line("%more = icmp slt i64 %k, %count")
    text.line("br i1 %more, label %instance, label %end")
    text.label("instance")
    text.line(f"%start = mul i64 %k, {width}")
    text.line("%line = getelementptr i64, ptr %table, i64 %start")


def write_entries(text: Text, start: int, count: int) -> list[str]:
    """Write the loading of some entries of the instance's line."""
    places = [
        text.put(f"getelementptr i64, ptr %line, i64 {place}")
        for place in range(start, start + count)
    ]
    return [text.put(f"load i64, ptr {place}") for place in places]


def write_instances_end(text: Text, then: str) -> None:
    """Write the foot of the loop over instances, and what comes after it."""
    text.label("next.instance")
    text.line("%k.next = add i64 %k, 1")
    text.line("br label %instances")
    text.label("end")
    text.line(then)


def _write_states(text: Text) -> None:
    """Write the head of the loop over states."""
    text.line("%statuses = mul i64 %k, %n")
    text.line("br label %states")
    text.label("states")
    text.line("%s = phi i64 [ %first, %instance ], [ %s.next, %next.states ]")
    text.line("%failed.here = phi i64 [ %failed, %instance ], [ %failed.next, %next.states ]")
    text.line(f"%s.next = add i64 %s, {text.lanes}")
    text.line("%whole = icmp sle i64 %s.next, %last")
    text.line("br i1 %whole, label %state, label %next.instance")
    text.label("state")
    text.line("%x.here = getelementptr double, ptr %x, i64 %s")
    text.line("%y.here = getelementptr double, ptr %y, i64 %s")


def _write_ahead(text: Text, kernel: Straight | Iterated) -> None:
    """Have the next states fetched while these are computed.

    Of many states rows lie pages apart, where processors foresee nothing: to wait for each row
    takes as long as to compute. What lies behind the last state is not read.
    """
    for at in range(outline(kernel).width):
        place = _place(text, kernel, at)
        ahead = text.put(f"getelementptr double, ptr {place}, i64 {text.lanes}")
        text.line(f"call void @llvm.prefetch.p0(ptr {ahead}, i32 0, i32 3, i32 1)")


def _write_straight(text: Text, kernel: Straight) -> str:
    known = scope(text, kernel.graph, {STATE: _loaded(text, kernel, range(kernel.inputs))})
    known.compute(kernel.results)
    for at, result in enumerate(kernel.results, kernel.inputs):
        _store(text, kernel, at, known.real(result.index))
    return "0"


def _write_iterated(text: Text, kernel: Iterated, limits: Limits) -> str:
    """Write the steps and what they give. Says how many states failed."""
    inputs = _loaded(text, kernel, range(kernel.inputs))
    finished = write_steps(text, kernel, inputs, limits)
    status, good = write_soundness(kernel, finished)
    place = text.put("add i64 %statuses, %s")
    entry = text.put(f"getelementptr i32, ptr %status, i64 {place}")
    text.line(f"store {text.kind('i32')} {status}, ptr {entry}, align 4")
    _write_moved(text, kernel, finished, good)
    nothing = text.constant(math.nan)
    for at, result in enumerate(kernel.results, kernel.inputs):
        given = text.choose(good, finished.scope.real(result.index), nothing)
        _store(text, kernel, at, given)
    return text.how_many(text.unless(good))


def _write_moved(text: Text, kernel: Iterated, finished: Finished, good: str) -> None:
    """Write what moved to x, where it is good; else what x is, before anything is stored."""
    slots = moving(kernel)
    before = _loaded(text, kernel, slots)
    for slot, old in zip(slots, before, strict=True):
        _store(text, kernel, slot, text.choose(good, finished.inputs[slot], old))


def _write_ends(text: Text, failed: str) -> None:
    text.line("br label %next.states")
    text.label("next.states")
    text.line(f"%failed.next = add i64 %failed.here, {failed}")
    text.line("br label %states")
    write_instances_end(text, "ret i64 %failed")
    text.lines.append("}")


def _place(text: Text, kernel: Straight | Iterated, at: int) -> str:
    """Write where an entry of the instance's line is at the state: x or y, and how far on.

    The line is read again for each state: pointers to so many rows would not fit into registers,
    and reading what has been put aside costs as much.
    """
    (row,) = write_entries(text, at, 1)
    start = "%x.here" if at < kernel.inputs else "%y.here"
    return text.put(f"getelementptr double, ptr {start}, i64 {row}")


def _loaded(text: Text, kernel: Straight | Iterated, slots: Sequence[int]) -> list[str]:
    places = [_place(text, kernel, slot) for slot in slots]
    return [text.put(f"load {text.real}, ptr {place}, align 8") for place in places]


def _store(text: Text, kernel: Straight | Iterated, at: int, value: str) -> None:
    place = _place(text, kernel, at)
    text.line(f"store {text.real} {value}, ptr {place}, align 8")
