"""The same functions for callers that have no time: of one argument, and as a method of Python."""

from __future__ import annotations

from collections.abc import Sequence

from robocompiler.codegen.llvm.text import Parameter

DECLARATIONS = """\
declare ptr @robocompiler_bytes(ptr)
declare ptr @robocompiler_integer(i64)
"""
"""CPython's `PyBytes_AsString` and `PyLong_FromLongLong`."""

_METHOD = """\
define ptr @"{name}.method"(ptr %self, ptr %nothing) {{
  %packed = call ptr @robocompiler_bytes(ptr %self)
  %given = call i64 @"{name}.packed"(ptr %packed)
  %result = call ptr @robocompiler_integer(i64 %given)
  ret ptr %result
}}"""


def write_calls(name: str, parameters: Sequence[Parameter]) -> str:
    """Of a function: `NAME.packed`, whose arguments are eight bytes each in one place.

    And `NAME.method`, a `PyCFunction` without arguments, whose object is the bytes of that place.
    """
    lines = [f'define i64 @"{name}.packed"(ptr %packed) {{']
    for i, (kind, _, _) in enumerate(parameters):
        lines.append(f"  %place.{i} = getelementptr i64, ptr %packed, i64 {i}")
        lines.append(f"  %given.{i} = load {kind}, ptr %place.{i}, align 1")
    given = ", ".join(f"{kind} %given.{i}" for i, (kind, _, _) in enumerate(parameters))
    lines.append(f'  %result = call i64 @"{name}"({given})')
    return "\n".join([*lines, "  ret i64 %result\n}", _METHOD.format(name=name)])


_IN_TURN = """\
define i64 @"{name}"(ptr %places) {{
entry:
  %count = load i64, ptr %places
  br label %next
next:
  %i = phi i64 [0, %entry], [%after, %call]
  %failed = phi i64 [0, %entry], [%sum, %call]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %call, label %end
call:
  %pair = shl i64 %i, 1
  %at = add i64 %pair, 1
  %to = add i64 %pair, 2
  %place.function = getelementptr i64, ptr %places, i64 %at
  %place.packed = getelementptr i64, ptr %places, i64 %to
  %function = load ptr, ptr %place.function
  %packed = load ptr, ptr %place.packed
  %given = call i64 %function(ptr %packed)
  %sum = add i64 %failed, %given
  %after = add i64 %i, 1
  br label %next
end:
  ret i64 %failed
}}
"""


def write_in_turn(name: str) -> str:
    """A module with a function that calls packed ones in turn and adds up what they return.

    Its argument is where their number stands, then of each where it is and where its arguments are.
    """
    parameters: tuple[Parameter, ...] = (("ptr", "places", ""),)
    return "\n".join([DECLARATIONS, _IN_TURN.format(name=name), write_calls(name, parameters)])
