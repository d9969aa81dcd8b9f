"""Static C99 functions of kernels, on local arrays: slots in `x`, results in `y`."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from robocompiler.codegen.c.names import comment
from robocompiler.codegen.expressions import (
    ATOM,
    BOTH,
    CHOICE,
    INFIX,
    SUM,
    TEST,
    Form,
    Language,
    Writer,
    indented,
    written,
)
from robocompiler.codegen.graph import Symbol
from robocompiler.codegen.kernels import (
    NOT_CONTRACTING,
    STEPPING,
    TOO_MANY,
    UNSOUND,
    Continued,
    Iterated,
    Straight,
    place_of,
)
from robocompiler.codegen.operations import Node
from robocompiler.codegen.plan import SOURCES, moving, write_turn

CODES = {
    "NOT_CONTRACTING": NOT_CONTRACTING,
    "TOO_MANY": TOO_MANY,
    "UNSOUND": UNSOUND,
    "TOO_FAR": -4,
}
"""What a function returns where it fails; the last one only where targets are followed."""
FLOATS = 1.2e-38, 3.4e38
"""Between these a float has all its digits."""


def constant(value: float) -> str:
    """A constant in either precision."""
    sign, size = "-" if value < 0.0 else "", abs(value)
    if math.isinf(size):
        return f"{sign}(real)INFINITY"
    if size != 0.0 and not FLOATS[0] < size < FLOATS[1]:
        return f"{sign}(real){size!r}"
    return f"{sign}C({size!r})"


_CALLS: dict[str, Form] = {
    "sin": ("SIN({})", ATOM, (CHOICE,)),
    "cos": ("COS({})", ATOM, (CHOICE,)),
    "sqrt": ("SQRT({})", ATOM, (CHOICE,)),
    "rint": ("RINT({})", ATOM, (CHOICE,)),
    "atan2": ("ATAN2({}, {})", ATOM, (CHOICE, CHOICE)),
    "and": ("{} && {}", BOTH, (BOTH, TEST)),
    "select": ("{} ? {} : {}", CHOICE, (BOTH, BOTH, BOTH)),
    "number": ("({} ? C(1.0) : C(0.0))", ATOM, (BOTH,)),
    "holds": ("{} != C(0.0)", TEST, (SUM,)),
}


def _leaf(node: Node) -> str:
    return f"{SOURCES[node.source]}[{node.slot}]"


C99 = Language(
    forms=INFIX | _CALLS,
    constant=constant,
    leaf=_leaf,
    number="const real {} = {};",
    test="const int {} = {};",
    reuses=False,
)


def straight_lines(kernel: Straight, name: str) -> list[str]:
    """`void name(x, y)`: the results from the slots."""
    writer = written(kernel.graph, C99, kernel.results)
    lines = [*indented(writer.lines), *_assigned(writer, kernel.results)]
    return [
        *comment(f"Results of '{kernel.name}': {_counted(kernel)}."),
        f"static void {name}(const real *restrict x, real *restrict y)",
        "{",
        *indented(unused(lines, "x", "y")),
        *lines,
        "}",
        "",
    ]


def iterated_lines(kernel: Iterated, name: str, macro: str) -> list[str]:
    """`int name(x, y, settings, allowed)`: steps until it is done, then the results."""
    body = _iteration(kernel, macro)
    return [
        *comment(
            f"Iterates '{kernel.name}': {_counted(kernel)}. Steps must contract, and add up to no "
            "more than is allowed. Every test is so put that NaN fails."
        ),
        f"static int {name}(",
        "    real *restrict x, real *restrict y, const real *settings, real allowed)",
        "{",
        *(f"    const real {it} = settings[{place_of(it)}];" for it in STEPPING),
        f"    real last = {constant(math.inf)};",
        f"    real total = {constant(0.0)};",
        "    int steps = 0;",
        *indented(unused(body, "x", "y")),
        "    for (;;) {",
        *indented(indented(body)),
        "    }",
        "}",
        "",
    ]


def _iteration(kernel: Iterated, macro: str) -> list[str]:
    """One turn of the loop: it is done, it fails, or it steps."""
    turn = write_turn(kernel, C99)
    size, done, further = turn.size, turn.done, turn.further
    slots = moving(kernel)
    return [
        *comment("How far from done."),
        *size.lines,
        f"if ({size.number(kernel.size, SUM)} <= tolerance) {{",
        *indented([*comment("The results."), *done.lines]),
        f"    if (!({done.test(kernel.sound)})) {{",
        f"        return {macro}_UNSOUND;",
        "    }",
        *_assigned(done, kernel.results),
        "    return steps;",
        "}",
        "if (!((real)steps < most)) {",
        f"    return {macro}_TOO_MANY;",
        "}",
        *comment("The step."),
        *further.lines,
        f"const real moved = {further.number(kernel.moved)};",
        *(f"const real x{i} = {further.number(kernel.following[i])};" for i in slots),
        "total += moved;",
        "if (!(moved <= contraction * last || moved <= noise) || !(moved <= longest)",
        "    || !(total <= allowed)) {",
        f"    return {macro}_NOT_CONTRACTING;",
        "}",
        *(f"x[{i}] = x{i};" for i in slots),
        "last = moved;",
        "++steps;",
    ]


def predicted_lines(kernel: Continued, name: str) -> list[str]:
    """`real name(x, y, target, guess)`: how far ahead the targets are, and the slots there."""
    iterated = kernel.iterated
    writer = written(iterated.graph, C99, [kernel.ahead, *kernel.predicted])
    lines = [*indented(writer.lines), *_assigned(writer, kernel.predicted, "guess")]
    lines.append(f"    return {writer.number(kernel.ahead)};")
    return [
        *comment(f"Predicts '{iterated.name}' at {kernel.targets} targets: returns how far ahead."),
        f"static real {name}(const real *restrict x, const real *restrict y,",
        "    const real *restrict target, real *restrict guess)",
        "{",
        *indented(unused(lines, "x", "y", "target", "guess")),
        *lines,
        "}",
        "",
    ]


def _counted(kernel: Straight | Iterated) -> str:
    return f"{kernel.inputs} slots in x, {len(kernel.results)} results in y"


def _assigned(writer: Writer, symbols: Sequence[Symbol], array: str = "y") -> list[str]:
    return [f"    {array}[{i}] = {writer.number(symbol)};" for i, symbol in enumerate(symbols)]


def unused(lines: Sequence[str], *names: str) -> list[str]:
    """What keeps a compiler from warning of arrays that some lines do not mention."""
    text = "\n".join(lines)
    return [f"(void){name};" for name in names if not re.search(rf"\b{name}\[", text)]
