"""The same functions for callers that have no time: of one argument, and as a method of Python."""

from __future__ import annotations

from collections.abc import Sequence

from robocompiler.codegen.llvm_text import Parameter

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
