"""The states that do not fill a register: copied to where they do, with copies of the last."""

from __future__ import annotations

from collections.abc import Sequence

from robocompiler.codegen.kernels import Iterated, Straight
from robocompiler.codegen.llvm.loops import PARAMETERS
from robocompiler.codegen.llvm.text import passed, signature
from robocompiler.codegen.plan import moving, outline

_GATHER = """\
define internal void @"{name}.gather"(ptr %to, ptr %from, ptr %rows, i64 %s, i64 %rest) {{
entry:
  %final = sub i64 %rest, 1
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %i.next, %one ]
  %more = icmp slt i64 %i, {values}
  br i1 %more, label %one, label %end
one:
  %slot = sdiv i64 %i, {lanes}
  %lane = srem i64 %i, {lanes}
  %real = icmp slt i64 %lane, %rest
  %which = select i1 %real, i64 %lane, i64 %final
  %rows.slot = getelementptr i64, ptr %rows, i64 %slot
  %start = load i64, ptr %rows.slot
  %state = add i64 %s, %which
  %place = add i64 %start, %state
  %from.place = getelementptr double, ptr %from, i64 %place
  %value = load double, ptr %from.place
  %to.place = getelementptr double, ptr %to, i64 %i
  store double %value, ptr %to.place
  %i.next = add i64 %i, 1
  br label %next
end:
  ret void
}}
"""
"""to[slot, lane] = from[rows[slot] + s + lane], the last state in lanes that have none."""

_SCATTER = """\
define internal void @"{name}.scatter"(ptr %to, ptr %from, ptr %rows, ptr %slots, i64 %many, \
i64 %s, i64 %rest) {{
entry:
  br label %next
next:
  %j = phi i64 [ 0, %entry ], [ %j.next, %next.slot ]
  %more = icmp slt i64 %j, %many
  br i1 %more, label %slot, label %end
slot:
  %slots.j = getelementptr i64, ptr %slots, i64 %j
  %i = load i64, ptr %slots.j
  %rows.i = getelementptr i64, ptr %rows, i64 %i
  %start = load i64, ptr %rows.i
  %state = add i64 %start, %s
  %to.row = getelementptr double, ptr %to, i64 %state
  %own = mul i64 %i, {lanes}
  %from.row = getelementptr double, ptr %from, i64 %own
  br label %lanes
lanes:
  %l = phi i64 [ 0, %slot ], [ %l.next, %lane ]
  %within = icmp slt i64 %l, %rest
  br i1 %within, label %lane, label %next.slot
lane:
  %from.l = getelementptr double, ptr %from.row, i64 %l
  %value = load double, ptr %from.l
  %to.l = getelementptr double, ptr %to.row, i64 %l
  store double %value, ptr %to.l
  %l.next = add i64 %l, 1
  br label %lanes
next.slot:
  %j.next = add i64 %j, 1
  br label %next
end:
  ret void
}}
"""
"""to[rows[i] + s + lane] = from[i, lane] of some slots i, in lanes that have a state."""

_WHOLE = """\
define i64 @"{name}"({signature}) {{
entry:
  %none = icmp sle i64 %last, %first
  br i1 %none, label %nothing, label %some
nothing:
  ret i64 0
some:
  %buffer = alloca [{entries} x double], align 64
  %own = alloca [{lanes} x i32], align 64
  %span = sub i64 %last, %first
  %rest = and i64 %span, {mask}
  %full = sub i64 %last, %rest
  %failed.full = call i64 @"{name}.full"(ptr %x, ptr %y, ptr %status, i64 %n, i64 %first, \
i64 %full, ptr %table, i64 %count, ptr %settings)
  %remains = icmp sgt i64 %rest, 0
  br i1 %remains, label %instances, label %end
instances:
  %k = phi i64 [ 0, %some ], [ %k.next, %next.instance ]
  %failed = phi i64 [ %failed.full, %some ], [ %failed.next, %next.instance ]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %instance, label %end
instance:
  %line = mul i64 %k, {width}
  %rows = getelementptr i64, ptr %table, i64 %line
  call void @"{name}.gather"(ptr %buffer, ptr %x, ptr %rows, i64 %full, i64 %rest)
  call i64 @"{name}.full"(ptr %buffer, ptr %buffer, ptr %own, i64 {lanes}, i64 0, i64 {lanes}, \
ptr @"{name}.identity", i64 1, ptr %settings)
  call void @"{name}.scatter"(ptr %x, ptr %buffer, ptr %rows, ptr @"{name}.moving", i64 {moving}, \
i64 %full, i64 %rest)
  call void @"{name}.scatter"(ptr %y, ptr %buffer, ptr %rows, ptr @"{name}.results", \
i64 {results}, i64 %full, i64 %rest)
{statuses}
next.instance:
  %failed.next = phi i64 {failures}
  %k.next = add i64 %k, 1
  br label %instances
end:
  %all = phi i64 [ %failed.full, %some ], [ %failed, %instances ]
  ret i64 %all
}}
"""

_STATUSES = """\
  %statuses = mul i64 %k, %n
  %place = add i64 %statuses, %full
  br label %lanes
lanes:
  %l = phi i64 [ 0, %instance ], [ %l.next, %lane ]
  %failed.l = phi i64 [ %failed, %instance ], [ %failed.more, %lane ]
  %within = icmp slt i64 %l, %rest
  br i1 %within, label %lane, label %next.instance
lane:
  %own.l = getelementptr i32, ptr %own, i64 %l
  %one = load i32, ptr %own.l
  %to = add i64 %place, %l
  %status.l = getelementptr i32, ptr %status, i64 %to
  store i32 %one, ptr %status.l
  %bad = icmp slt i32 %one, 0
  %bad.count = zext i1 %bad to i64
  %failed.more = add i64 %failed.l, %bad.count
  %l.next = add i64 %l, 1
  br label %lanes"""


def write_whole(kernel: Straight | Iterated, lanes: int) -> str:
    """The function over any states, which calls that over full registers, named `NAME.full`."""
    rows, results = outline(kernel).width, len(kernel.results)
    moved = moving(kernel) if isinstance(kernel, Iterated) else []
    iterated = isinstance(kernel, Iterated)
    tables = {
        "identity": range(0, lanes * rows, lanes),
        "moving": moved,
        "results": range(kernel.inputs, rows),
    }
    whole = _WHOLE.format(
        name=kernel.name,
        signature=signature(PARAMETERS),
        entries=rows * lanes,
        lanes=lanes,
        mask=lanes - 1,
        width=rows,
        moving=len(moved),
        results=results,
        statuses=_STATUSES if iterated else "  br label %next.instance",
        failures="[ %failed.l, %lanes ]" if iterated else "[ %failed, %instance ]",
    )
    gather = _GATHER.format(name=kernel.name, values=kernel.inputs * lanes, lanes=lanes)
    scatter = _SCATTER.format(name=kernel.name, lanes=lanes)
    globals_ = [_table(f"{kernel.name}.{name}", rows) for name, rows in tables.items()]
    return "\n".join([*globals_, gather, scatter, whole])


def write_alone(kernel: Straight | Iterated) -> str:
    """The function over any states where a register holds one."""
    return (
        f'define i64 @"{kernel.name}"({signature(PARAMETERS)}) {{\n'
        f'  %failed = call i64 @"{kernel.name}.full"({passed(PARAMETERS)})\n  ret i64 %failed\n}}'
    )


def _table(name: str, entries: Sequence[int]) -> str:
    listed = ", ".join(f"i64 {entry}" for entry in entries)
    return f'@"{name}" = internal constant [{len(entries)} x i64] [{listed}]'
