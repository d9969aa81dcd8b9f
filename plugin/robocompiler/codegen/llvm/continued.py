"""Continued kernels as LLVM's assembly: one instance after another, knot by knot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from robocompiler.codegen.kernels import RESULTS, STATE, TARGETS, Continued
from robocompiler.codegen.llvm.loops import (
    write_entries,
    write_instances,
    write_instances_end,
    write_limits,
    write_setting,
)
from robocompiler.codegen.llvm.newton import Finished, Limits, write_soundness, write_steps
from robocompiler.codegen.llvm.nodes import Scope, scope
from robocompiler.codegen.llvm.text import Parameter, Text, signature
from robocompiler.codegen.plan import outline

PARAMETERS: tuple[Parameter, ...] = (
    ("ptr", "%x", ""),
    ("ptr", "%y", ""),
    ("ptr", "%status", ""),
    ("i64", "%rows.x", ""),
    ("i64", "%rows.y", ""),
    ("ptr", "%targets", "noalias readonly"),
    ("i64", "%knots", ""),
    ("i64", "%targets.width", ""),
    ("ptr", "%out.x", "noalias"),
    ("ptr", "%out.y", "noalias"),
    ("ptr", "%table", "noalias readonly"),
    ("i64", "%count", ""),
    ("ptr", "%settings", "noalias readonly"),
)

_LAST = """\
copied:
  %copied.i = phi i64 [ 0, %end ], [ %copied.next, %next.copied ]
  %copying = icmp slt i64 %copied.i, %count
  br i1 %copying, label %copy, label %return
copy:
  %copy.status = getelementptr i32, ptr %status, i64 %copied.i
  %copy.count = load i32, ptr %copy.status
  %copy.wide = sext i32 %copy.count to i64
  %copy.knot = sub i64 %copy.wide, 1
  %copy.from = mul i64 %copy.knot, %rows.x
  %copy.line = mul i64 %copied.i, {width}
  %copy.any = icmp sgt i64 %copy.wide, 0
  br i1 %copy.any, label %slots, label %next.copied
slots:
  %slot = phi i64 [ 0, %copy ], [ %slot.next, %slot.copied ]
  %slot.more = icmp slt i64 %slot, {inputs}
  br i1 %slot.more, label %slot.copied, label %next.copied
slot.copied:
  %slot.place = add i64 %copy.line, %slot
  %slot.entry = getelementptr i64, ptr %table, i64 %slot.place
  %slot.row = load i64, ptr %slot.entry
  %slot.out = add i64 %copy.from, %slot.row
  %slot.from = getelementptr double, ptr %out.x, i64 %slot.out
  %slot.value = load double, ptr %slot.from
  %slot.to = getelementptr double, ptr %x, i64 %slot.row
  store double %slot.value, ptr %slot.to
  %slot.next = add i64 %slot, 1
  br label %slots
next.copied:
  %copied.next = add i64 %copied.i, 1
  br label %copied
return:
  ret i64 %failed
}}"""
"""x at the last knots, from the table: after all, since several instances may begin with a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Instance:
    """Names of what a line of the table says."""

    rows: tuple[str, ...]
    """Of the input slots in x."""
    places: tuple[str, ...]
    """Pointers to the results in y."""
    result_rows: tuple[str, ...]
    columns: tuple[str, ...]
    """Of the targets."""
    begun: dict[str, list[str]]
    """What x and y are before the first knot."""


def write_continued(kernel: Continued, fused: bool) -> str:
    """The function of a continued kernel."""
    text, iterated = Text(1, fused), kernel.iterated
    text.lines.append(f'define i64 @"{kernel.name}"({signature(PARAMETERS)}) {{')
    text.label("entry")
    limits = write_limits(text)
    reach, leap = write_setting(text, "reach"), write_setting(text, "leap")
    text.line("%some.y = icmp ne ptr %out.y, null")
    text.line("br label %instances")
    instance = _write_instance(text, kernel)
    held = {source: [text.name() for _ in names] for source, names in instance.begun.items()}
    text.label("knot")
    place = len(text.lines)
    text.line("%all = icmp sge i64 %reached, %knots")
    text.line("br i1 %all, label %stopped, label %predict")
    text.label("predict")
    known = scope(text, iterated.graph, held | {TARGETS: _targets(text, instance)})
    inputs, limits = _write_prediction(known, kernel, limits, reach, leap)
    finished = write_steps(text, iterated, inputs, limits)
    _, good = write_soundness(iterated, finished)
    text.line(f"br i1 {good}, label %reach, label %stopped")
    reached = _write_reached(kernel, instance, finished)
    text.phis(place, [("%reached", "i64", {"instance": "0", "next.knot": "%reached.next"})])
    text.phis(place, _merged(held, instance.begun, reached))
    _write_stopped(text, kernel, instance, held[RESULTS])
    return "\n".join(text.lines)


def _write_instance(text: Text, kernel: Continued) -> _Instance:
    """Write the head of the loop over instances, up to the first knot."""
    own = outline(kernel)
    write_instances(text, own.width)
    rows = write_entries(text, 0, own.inputs)
    result_rows = write_entries(text, own.ends[0], own.results)
    columns = write_entries(text, own.ends[1], own.targets)
    places = [_place(text, "%x", row) for row in rows]
    result_places = [_place(text, "%y", row) for row in result_rows]
    begun = {STATE: _loaded(text, places), RESULTS: _loaded(text, result_places)}
    text.line("br label %knot")
    return _Instance(
        rows=tuple(rows),
        places=tuple(result_places),
        result_rows=tuple(result_rows),
        columns=tuple(columns),
        begun=begun,
    )


def _targets(text: Text, instance: _Instance) -> list[str]:
    """Write the loading of the knot's targets."""
    line = text.put("mul i64 %reached, %targets.width")
    places = [text.put(f"add i64 {line}, {column}") for column in instance.columns]
    return _loaded(text, [_place(text, "%targets", place) for place in places])


def _write_prediction(
    known: Scope, kernel: Continued, limits: Limits, reach: str, leap: str
) -> tuple[list[str], Limits]:
    """Write where the iteration begins, if it is within reach, and how far it may go."""
    text = known.text
    known.compute([kernel.ahead, *kernel.predicted])
    ahead = known.real(kernel.ahead.index)
    far = text.real_operation("fmul", leap, ahead)
    whole = text.real_operation("fadd", far, limits.noise)
    near = text.compare("ole", ahead, reach)
    inputs = [known.real(symbol.index) for symbol in kernel.predicted]
    text.line(f"br i1 {near}, label %iterate, label %stopped")
    text.label("iterate")
    return inputs, replace(limits, whole=whole)


def _write_reached(
    kernel: Continued, instance: _Instance, finished: Finished
) -> dict[str, list[str]]:
    """Write a knot to the tables. Gives its state and its results."""
    text = finished.scope.text
    results = [finished.scope.real(s.index) for s in kernel.iterated.results]
    text.label("reach")
    _write_line(text, "%out.x", "%rows.x", instance.rows, finished.inputs)
    text.line("br i1 %some.y, label %reach.y, label %next.knot")
    text.label("reach.y")
    _write_line(text, "%out.y", "%rows.y", instance.result_rows, results)
    text.line("br label %next.knot")
    text.label("next.knot")
    text.line("%reached.next = add i64 %reached, 1")
    text.line("br label %knot")
    return {STATE: list(finished.inputs), RESULTS: results}


def _write_line(
    text: Text, table: str, width: str, rows: Sequence[str], values: Sequence[str]
) -> None:
    """Write values to the knot's line of a table."""
    start = text.put(f"mul i64 %reached, {width}")
    line = _place(text, table, start)
    for row, value in zip(rows, values, strict=True):
        text.line(f"store double {value}, ptr {_place(text, line, row)}")


def _merged(
    held: dict[str, list[str]], begun: dict[str, list[str]], reached: dict[str, list[str]]
) -> list[tuple[str, str, dict[str, str]]]:
    """Of what is held from knot to knot, what it is at the first, and at the next."""
    return [
        (name, "double", {"instance": first, "next.knot": then})
        for source, names in held.items()
        for name, first, then in zip(names, begun[source], reached[source], strict=True)
    ]


def _write_stopped(
    text: Text, kernel: Continued, instance: _Instance, results: Sequence[str]
) -> None:
    """Write what the last knot leaves in y and in the status; and, after all, in x."""
    text.label("stopped")
    for place, result in zip(instance.places, results, strict=True):
        text.line(f"store double {result}, ptr {place}")
    entry = text.put("getelementptr i32, ptr %status, i64 %k")
    count = text.put("trunc i64 %reached to i32")
    text.line(f"store i32 {count}, ptr {entry}")
    short = text.put("icmp slt i64 %reached, %knots")
    text.line("%failed.here = add i64 %failed, " + text.put(f"zext i1 {short} to i64"))
    text.line("br label %next.instance")
    write_instances_end(text, "br label %copied")
    own = outline(kernel)
    text.lines.append(_LAST.format(width=own.width, inputs=own.inputs))


def _place(text: Text, start: str, entry: str) -> str:
    return text.put(f"getelementptr double, ptr {start}, i64 {entry}")


def _loaded(text: Text, places: Sequence[str]) -> list[str]:
    return [text.put(f"load double, ptr {place}") for place in places]
