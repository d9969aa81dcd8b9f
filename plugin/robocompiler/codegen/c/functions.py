"""Public C99 functions: entries of arrays are gathered, a kernel called, what it made scattered."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from robocompiler.codegen.c.kernels import constant, unused
from robocompiler.codegen.c.names import comment
from robocompiler.codegen.c.records import (
    CCall,
    CFunction,
    CProgram,
    arguments,
    changed,
    constants,
    places,
    rooms,
    written,
)
from robocompiler.codegen.expressions import indented
from robocompiler.codegen.kernels import Continued, Kernel, Straight, place_of
from robocompiler.codegen.plan import outline, plain

Place = tuple[str, int]
"""An array, and an entry of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CNames:
    """What everything is called in C. In the source file numbers are `real`."""

    prefix: str
    arrays: dict[str, str]
    functions: dict[str, str]
    numbers: dict[str, str]
    kernels: dict[int, str]
    """By the identity of what is straight or iterated."""
    ahead: dict[int, str]
    """Predictions, by the identity of what is continued."""
    settings: dict[int, str]
    """By the call's identity."""
    constant: frozenset[str]
    """Arrays that are no arguments, and are not written."""

    @property
    def macro(self) -> str:
        """What macros begin with."""
        return self.prefix.upper()

    @property
    def real(self) -> str:
        """The type of numbers."""
        return f"{self.prefix}_real"

    def size(self, array: str) -> str:
        """The macro of an array's size."""
        return f"{self.macro}_{self.arrays[array].upper()}_SIZE"


def returns_status(function: CFunction) -> bool:
    """Whether it can fail."""
    return any(not isinstance(call.kernel, Straight) for call in function.calls)


def signature(program: CProgram, function: CFunction, names: CNames) -> str:
    """Its declaration, without a semicolon; an argument a line."""
    changes = written(program, function)
    given = [
        f"{'const ' * (name not in changes)}{names.real} {names.arrays[name]}[{names.size(name)}]"
        for name in arguments(program, function)
    ]
    kind = "int" if returns_status(function) else "void"
    head = f"{kind} {names.functions[function.name]}("
    return head + ("\n    " + ",\n    ".join(given) if given else "void") + ")"


def function_lines(program: CProgram, function: CFunction, names: CNames) -> list[str]:
    """Its definition: a block for each kernel that it calls.

    What is continued reads its slots as they were before the function was called, since parts may
    share some, and leaves all arrays as they were where one of them fails.
    """
    lines = [
        line
        for call in function.calls
        for group in _groups(program, function, call)
        for line in _call_lines(call, group, names)
    ]
    lines = [*_cleared(function, names), *lines]
    fails = returns_status(function)
    if any(isinstance(call.kernel, Continued) for call in function.calls):
        lines = [*_kept(program, function, names), *lines, *_restored(program, function, names)]
    given = [names.arrays[name] for name in arguments(program, function)]
    lines = [*unused(lines, *given), *_rooms(program, function, names), *lines]
    return [
        *comment(f"'{function.name}'"),
        signature(program, function, names),
        "{",
        *(["    int worst = 0;"] if fails else []),
        *indented(lines),
        *(["    return worst;"] if fails else []),
        "}",
        "",
    ]


def _cleared(function: CFunction, names: CNames) -> list[str]:
    return [
        line
        for array in function.cleared
        for line in _loop(names.size(array), f"{names.arrays[array]}[i] = {constant(0.0)};")
    ]


def _rooms(program: CProgram, function: CFunction, names: CNames) -> list[str]:
    """What a function has for itself."""
    used = dict.fromkeys((*function.x, *function.y))
    sizes = {name: size for name, size in rooms(program).items() if name in used}
    return [f"real {names.arrays[name]}[{size}] = {{0}};" for name, size in sizes.items()]


def _copied(program: CProgram, function: CFunction) -> list[str]:
    """Arrays of which a copy is kept: those that are written, and those whose entries are slots of
    what is continued.
    """
    x, fixed = places(program, function.x), {*constants(program), *rooms(program)}
    kept = written(program, function)
    for call in function.calls:
        if isinstance(call.kernel, Continued):
            inputs = call.kernel.iterated.inputs
            kept |= {x[row][0] for line in call.table for row in line[:inputs]}
    return [n for n in dict.fromkeys((*function.x, *function.y)) if n in kept - fixed]


def _kept(program: CProgram, function: CFunction, names: CNames) -> list[str]:
    lines: list[str] = []
    for array in _copied(program, function):
        name, size = names.arrays[array], names.size(array)
        lines.append(f"real {names.prefix}_was_{name}[{size}];")
        lines += _loop(size, f"{names.prefix}_was_{name}[i] = {name}[i];")
    return lines


def _restored(program: CProgram, function: CFunction, names: CNames) -> list[str]:
    lines: list[str] = []
    for array in _copied(program, function):
        if array in written(program, function):
            name = names.arrays[array]
            lines += _loop(names.size(array), f"{name}[i] = {names.prefix}_was_{name}[i];")
    return ["if (worst < 0) {", *indented(lines), "}"]


def _loop(size: str, statement: str) -> list[str]:
    return [f"for (int i = 0; i < {size}; ++i) {{", f"    {statement}", "}"]


def _groups(program: CProgram, function: CFunction, call: CCall) -> list[list[list[list[Place]]]]:
    """The places of slots, results, targets: lines in turn that use the same arrays, together."""
    ends = outline(call.kernel).ends
    of = [places(program, arrays) for arrays in (function.x, function.y, function.targets)]
    lines = [
        [
            [of[0][row] for row in line[: ends[0]]],
            [of[1][row] for row in line[ends[0] : ends[1]]],
            [of[2][row] for row in line[ends[1] :]],
        ]
        for line in call.table
    ]
    same = groupby(lines, key=lambda line: [[name for name, _ in part] for part in line])
    return [list(group) for _, group in same]


def _call_lines(call: CCall, group: list[list[list[Place]]], names: CNames) -> list[str]:
    """A loop over instances, each of which finds its entries in a line of a table."""
    rows = [[entry for part in line for _, entry in part] for line in group]
    inputs, results, targets = ([name for name, _ in part] for part in group[0])
    width = len(rows[0])
    kind = "unsigned short" if max(map(max, rows), default=0) < 2**16 else "unsigned long"
    name = names.kernels[id(plain(call.kernel))]
    ends = len(inputs), len(inputs) + len(results)
    body = [
        f"const {kind} *row = rows[instance];",
        f"real in[{max(1, len(inputs))}];",
        f"real out[{max(1, len(results))}];",
        *_moves(inputs, 0, _read_from(call, names), "in[{slot}] = {array}[{row}];"),
        *_body(call, name, (inputs, results, targets), ends, names),
    ]
    return [
        "{",
        *indented(comment(_legend(call.kernel, inputs, results, targets))),
        f"    static const {kind} rows[{len(rows)}][{width}] = {{",
        *(f"        {{{', '.join(map(str, line))}}}," for line in rows),
        "    };",
        f"    for (int instance = 0; instance < {len(rows)}; ++instance) {{",
        *indented(indented(body)),
        "    }",
        "}",
    ]


def _read_from(call: CCall, names: CNames) -> CNames:
    """Names by which slots are read: of what is continued those of copies."""
    if not isinstance(call.kernel, Continued):
        return names
    copies = {
        array: name if array in names.constant else f"{names.prefix}_was_{name}"
        for array, name in names.arrays.items()
    }
    return replace(names, arrays=copies)


def _legend(kernel: Kernel, *parts: Sequence[str]) -> str:
    kinds = ("slots of", "results to", "targets of")
    runs = [
        f"{len(list(run))} {kind} '{name}'"
        for kind, part in zip(kinds, parts, strict=True)
        for name, run in groupby(part)
    ]
    return f"Entries that each instance of '{kernel.name}' uses: {', '.join(runs)}."


def _body(
    call: CCall,
    name: str,
    parts: tuple[list[str], list[str], list[str]],
    ends: tuple[int, int],
    names: CNames,
) -> list[str]:
    inputs, results, targets = parts
    scattered = _moves(results, ends[0], names, "{array}[{row}] = out[{slot}];")
    if isinstance(call.kernel, Straight):
        return [f"{name}(in, out);", *scattered]
    settings = names.settings[id(call)]
    back = [
        f"{names.arrays[inputs[slot]]}[row[{slot}]] = {{}}[{slot}];"
        for slot in changed(call.kernel)
        if inputs[slot] not in names.constant
    ]
    if isinstance(call.kernel, Continued):
        return [
            f"real guess[{len(inputs)}];",
            f"real goal[{max(1, len(targets))}];",
            *_moves(targets, ends[1], names, "goal[{slot}] = {array}[{row}];"),
            *_moves(results, ends[0], names, "out[{slot}] = {array}[{row}];"),
            f"const real ahead = {names.ahead[id(call.kernel)]}(in, out, goal, guess);",
            f"int status = {names.macro}_TOO_FAR;",
            f"if (ahead <= {settings}[{place_of('reach')}]) {{",
            f"    status = {name}(guess, out, {settings},",
            f"        {settings}[{place_of('leap')}] * ahead + {settings}[{place_of('noise')}]);",
            "}",
            *_guarded([*(line.format("guess") for line in back), *scattered]),
            *_judged(),
        ]
    nothing = _moves(results, ends[0], names, "{array}[{row}] = (real)NAN;")
    return [
        f"const int status = {name}(in, out, {settings}, {constant(math.inf)});",
        *_guarded([*(line.format("in") for line in back), *scattered], nothing),
        *_judged(),
    ]


def _judged() -> list[str]:
    """The lowest status where one failed, else the most steps."""
    return [
        "if (status < 0 ? status < worst : worst >= 0 && status > worst) {",
        "    worst = status;",
        "}",
    ]


def _guarded(lines: Sequence[str], otherwise: Sequence[str] = ()) -> list[str]:
    if not lines and not otherwise:
        return []
    tail = ["} else {", *indented(otherwise)] if otherwise else []
    return ["if (status >= 0) {", *indented(lines), *tail, "}"]


def _moves(arrays: Sequence[str], start: int, names: CNames, form: str) -> list[str]:
    """Statements that move entries: a loop for each run of an array's."""
    lines, slot = list[str](), 0
    for name, run in groupby(arrays):
        count = len(list(run))
        array = names.arrays[name]
        if count == 1:
            lines.append(form.format(array=array, slot=slot, row=f"row[{start + slot}]"))
        else:
            row = f"row[{start} + slot]" if start else "row[slot]"
            lines += [
                f"for (int slot = {slot}; slot < {slot + count}; ++slot) {{",
                f"    {form.format(array=array, slot='slot', row=row)}",
                "}",
            ]
        slot += count
    return lines
