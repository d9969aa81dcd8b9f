"""The loops of straight and iterated kernels over instances and states, as LLVM's assembly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from robocompiler.codegen.kernels import STATE, Iterated, Straight
from robocompiler.codegen.llvm_newton import (
    Finished,
    Limits,
    moving,
    write_soundness,
    write_steps,
)
from robocompiler.codegen.llvm_nodes import scope
from robocompiler.codegen.llvm_text import Text

PARAMETERS = (
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
"""Type, name and attributes."""
SIGNATURE = ", ".join(f"{kind} {also} {name}" for kind, name, also in PARAMETERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Pointers to the rows of an instance, each at the first state."""

    inputs: tuple[str, ...]
    results: tuple[str, ...]


def write_function(kernel: Straight | Iterated, name: str, lanes: int, fused: bool) -> str:
    """A function over as many states as are a multiple of `lanes`, without what remains."""
    text = Text(lanes, fused)
    text.lines.append(f'define internal i64 @"{name}"({SIGNATURE}) {{')
    text.label("entry")
    limits = write_limits(text) if isinstance(kernel, Iterated) else None
    text.line("br label %instances")
    rows = _write_instances(text, kernel)
    _write_states(text)
    if limits is None:
        failed = _write_straight(text, kernel, rows)
    else:
        failed = _write_iterated(text, kernel, rows, limits)
    _write_ends(text, failed)
    return "\n".join(text.lines)


def write_limits(text: Text) -> Limits:
    """Write the settings' loading, in the order of `Settings`."""

    def loaded(place: int) -> str:
        place_of = text.put(f"getelementptr double, ptr %settings, i64 {place}")
        return text.put(f"load double, ptr {place_of}")

    values = [loaded(place) for place in range(5)]
    tolerance, contraction, noise, longest = (text.spread(value) for value in values[:4])
    return Limits(
        tolerance=tolerance, contraction=contraction, noise=noise, longest=longest, most=values[4]
    )


def write_rows(text: Text, line: str, start: int, count: int, buffer: str, n: str) -> list[str]:
    """Write pointers to rows of a buffer that a line of the table has from some place on."""
    found = []
    for place in range(start, start + count):
        entry = text.put(f"getelementptr i64, ptr {line}, i64 {place}")
        row = text.put(f"load i64, ptr {entry}")
        offset = text.put(f"mul i64 {row}, {n}")
        found.append(text.put(f"getelementptr double, ptr {buffer}, i64 {offset}"))
    return found


def _write_instances(text: Text, kernel: Straight | Iterated) -> Rows:
    """Write the head of the loop over instances, up to the beginning of that over states."""
    text.label("instances")
    text.line("%k = phi i64 [ 0, %entry ], [ %k.next, %next.instance ]")
    text.line("%failed = phi i64 [ 0, %entry ], [ %failed.here, %next.instance ]")
    text.line("%more = icmp slt i64 %k, %count")
    text.line("br i1 %more, label %instance, label %end")
    text.label("instance")
    width = kernel.inputs + len(kernel.results)
    start = text.put(f"mul i64 %k, {width}")
    line = text.put(f"getelementptr i64, ptr %table, i64 {start}")
    inputs = write_rows(text, line, 0, kernel.inputs, "%x", "%n")
    results = write_rows(text, line, kernel.inputs, len(kernel.results), "%y", "%n")
    text.line("%statuses = mul i64 %k, %n")
    text.line("br label %states")
    return Rows(inputs=tuple(inputs), results=tuple(results))


def _write_states(text: Text) -> None:
    """Write the head of the loop over states."""
    text.label("states")
    text.line("%s = phi i64 [ %first, %instance ], [ %s.next, %next.states ]")
    text.line("%failed.here = phi i64 [ %failed, %instance ], [ %failed.next, %next.states ]")
    text.line(f"%s.next = add i64 %s, {text.lanes}")
    text.line("%whole = icmp sle i64 %s.next, %last")
    text.line("br i1 %whole, label %state, label %next.instance")
    text.label("state")


def _write_straight(text: Text, kernel: Straight, rows: Rows) -> str:
    known = scope(text, kernel.graph, {STATE: _loaded(text, rows.inputs)})
    known.compute(kernel.results)
    for row, result in zip(rows.results, kernel.results, strict=True):
        _store(text, row, known.real(result.index))
    return "0"


def _write_iterated(text: Text, kernel: Iterated, rows: Rows, limits: Limits) -> str:
    """Write the steps and what they give. Says how many states failed."""
    inputs = _loaded(text, rows.inputs)
    finished = write_steps(text, kernel, inputs, limits)
    status, good = write_soundness(kernel, finished)
    place = text.put("add i64 %statuses, %s")
    entry = text.put(f"getelementptr i32, ptr %status, i64 {place}")
    text.line(f"store {text.kind('i32')} {status}, ptr {entry}, align 4")
    _write_moved(text, kernel, rows, finished, good)
    nothing = text.constant(math.nan)
    for row, result in zip(rows.results, kernel.results, strict=True):
        _store(text, row, text.choose(good, finished.scope.real(result.index), nothing))
    return text.how_many(text.unless(good))


def _write_moved(text: Text, kernel: Iterated, rows: Rows, finished: Finished, good: str) -> None:
    """Write what moved to x, where it is good; else what x is, before anything is stored."""
    slots = moving(kernel)
    before = _loaded(text, [rows.inputs[slot] for slot in slots])
    for slot, old in zip(slots, before, strict=True):
        _store(text, rows.inputs[slot], text.choose(good, finished.inputs[slot], old))


def _write_ends(text: Text, failed: str) -> None:
    text.line("br label %next.states")
    text.label("next.states")
    text.line(f"%failed.next = add i64 %failed.here, {failed}")
    text.line("br label %states")
    text.label("next.instance")
    text.line("%k.next = add i64 %k, 1")
    text.line("br label %instances")
    text.label("end")
    text.line("ret i64 %failed")
    text.lines.append("}")


def _loaded(text: Text, rows: Sequence[str]) -> list[str]:
    places = [text.put(f"getelementptr double, ptr {row}, i64 %s") for row in rows]
    return [text.put(f"load {text.real}, ptr {place}, align 8") for place in places]


def _store(text: Text, row: str, value: str) -> None:
    place = text.put(f"getelementptr double, ptr {row}, i64 %s")
    text.line(f"store {text.real} {value}, ptr {place}, align 8")
