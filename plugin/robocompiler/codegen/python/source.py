"""Python text of kernels: of one state on floats, and of many on NumPy arrays.

Both are functions of values alone: none writes to what it is given. Those of one state raise an
ArithmeticError or a ValueError where NumPy would go on with ∞ or NaN.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from robocompiler.codegen.expressions import (
    ATOM,
    BOTH,
    CHOICE,
    INFIX,
    PRODUCT,
    SUM,
    TEST,
    Form,
    Language,
    Writer,
    section,
)
from robocompiler.codegen.graph import Symbol
from robocompiler.codegen.kernels import (
    NOT_CONTRACTING,
    RESULTS,
    STATE,
    TARGETS,
    TOO_MANY,
    UNSOUND,
    Continued,
    Iterated,
    Kernel,
    Straight,
)
from robocompiler.codegen.operations import Node
from robocompiler.codegen.plan import moving, sections

SOURCES = {STATE: "x", RESULTS: "y", TARGETS: "target"}
"""What variables of inputs are called, with the slot behind."""

WIDTH = 80
"""A tuple that is longer than this takes a line for each entry."""

_CALLS: dict[str, Form] = {
    "sin": ("sin({})", ATOM, (CHOICE,)),
    "cos": ("cos({})", ATOM, (CHOICE,)),
    "sqrt": ("sqrt({})", ATOM, (CHOICE,)),
    "atan2": ("atan2({}, {})", ATOM, (CHOICE, CHOICE)),
    "holds": ("{} != 0.0", TEST, (SUM,)),
}
_ONE: dict[str, Form] = {
    "rint": ("round({}, 0)", ATOM, (CHOICE,)),  # with places it is a float, and takes NaN
    "and": ("{} and {}", BOTH, (BOTH, TEST)),
    "select": ("{1} if {0} else {2}", CHOICE, (BOTH, BOTH, BOTH)),
    "number": ("(1.0 if {} else 0.0)", ATOM, (BOTH,)),
}
_MANY: dict[str, Form] = {
    "rint": ("rint({})", ATOM, (CHOICE,)),
    "and": ("{} & {}", BOTH, (ATOM, ATOM)),
    "select": ("where({}, {}, {})", ATOM, (CHOICE, CHOICE, CHOICE)),
    "number": ("{} * 1.0", PRODUCT, (ATOM,)),
}


def _leaf(node: Node) -> str:
    return f"{SOURCES[node.source]}{node.slot}"


def _language(forms: dict[str, Form]) -> Language:
    return Language(
        forms=INFIX | _CALLS | forms,
        constant=repr,
        leaf=_leaf,
        number="{} = {}",
        test="{} = {}",
        reuses=True,  # fewer names are faster, and let go of arrays
    )


ONE, MANY = _language(_ONE), _language(_MANY)


def one_source(kernel: Kernel) -> str:
    """Functions of one state, on floats.

    Straight: `results(x)`. Iterated: `iterated(x, tolerance, contraction, noise, longest, most,
    allowed)`, of the status, the slots that move, and the results, or None for both;
    `allowed` is what the steps may add up to. Continued: also `predicted(x, y, target)`, of how far
    ahead and the slots. Sequences are taken, tuples given.
    """
    if isinstance(kernel, Straight):
        return _results(kernel, ONE)
    if isinstance(kernel, Iterated):
        return _iterated(kernel)
    return _iterated(kernel.iterated) + _predicted(kernel, ONE)


def many_source(kernel: Kernel) -> str:
    """Functions of many states, on arrays of them.

    Straight: `results(x)`. Iterated: `sized(x)`, of the size, and of what the others share with it;
    `finished(x, shared)`, of whether it is sound, and the results; `stepped(x, shared)`, of how far
    it moved, and the slots that move. Continued: also `predicted(x, y, target)`.
    """
    if isinstance(kernel, Straight):
        return _results(kernel, MANY)
    if isinstance(kernel, Iterated):
        return _parts(kernel)
    return _parts(kernel.iterated) + _predicted(kernel, MANY)


def _results(kernel: Straight, language: Language) -> str:
    part = section(kernel.graph, kernel.results)
    writer = Writer(kernel.graph, language)
    writer.write(part)
    values = _numbers(writer, kernel.results)
    return _function(
        "results", ["x"], [_unpacked("x", kernel.inputs), *writer.lines, f"return {values}"]
    )


def _predicted(kernel: Continued, language: Language) -> str:
    iterated = kernel.iterated
    part = section(iterated.graph, [kernel.ahead, *kernel.predicted])
    writer = Writer(iterated.graph, language)
    writer.write(part)
    values = _numbers(writer, kernel.predicted)
    lines = [
        _unpacked("x", iterated.inputs),
        _unpacked("y", len(iterated.results)),
        _unpacked("target", kernel.targets),
        *writer.lines,
        f"return {writer.number(kernel.ahead)}, {values}",
    ]
    return _function("predicted", ["x", "y", "target"], lines)


def _iterated(kernel: Iterated) -> str:
    first, finish, step = sections(kernel)
    size = Writer(kernel.graph, ONE)
    size.write(first, [finish, step])
    done, further = size.after(), size.after()
    done.write(finish)
    further.write(step)
    moved = [f"x{slot}" for slot in moving(kernel)]
    names = _tuple(moved)
    following = _numbers(further, [kernel.following[slot] for slot in moving(kernel)])
    body = [
        *size.lines,
        f"if {size.number(kernel.size, SUM)} <= tolerance:",
        *_indented(done.lines),
        f"    if not {done.test(kernel.sound, ATOM)}:",
        f"        return {UNSOUND}, None, None",
        f"    return steps, {names}, {_numbers(done, kernel.results)}",
        "if not steps < most:",
        f"    return {TOO_MANY}, None, None",
        *further.lines,
        f"moved = {further.number(kernel.moved)}",
        "total += moved",
        "if (",
        "    not (moved <= contraction * last or moved <= noise)",
        "    or not moved <= longest",
        "    or not total <= allowed",
        "):",
        f"    return {NOT_CONTRACTING}, None, None",
        *([f"{names} = {following}"] if moved else []),
        "last = moved",
        "steps += 1",
    ]
    lines = [
        _unpacked("x", kernel.inputs),
        "steps, last, total = 0, inf, 0.0",
        "while True:",
        *_indented(body),
    ]
    given = ["x", "tolerance", "contraction", "noise", "longest", "most", "allowed"]
    return _function("iterated", given, lines)


def _parts(kernel: Iterated) -> str:
    first, finish, step = sections(kernel)
    size = Writer(kernel.graph, MANY)
    size.write(first, [finish, step])
    done, further = size.after(), size.after()
    done.write(finish)
    further.write(step)
    inputs = _unpacked("x", kernel.inputs)
    shared = _tuple(size.variables(first, [finish, step]))
    unpacked = [inputs, *([f"{shared} = shared"] if shared != "()" else [])]
    results = _numbers(done, kernel.results)
    following = _numbers(further, [kernel.following[slot] for slot in moving(kernel)])
    sound, moved = done.test(kernel.sound), further.number(kernel.moved)
    return (
        _function(
            "sized", ["x"], [inputs, *size.lines, f"return {size.number(kernel.size)}, {shared}"]
        )
        + _function(
            "finished", ["x", "shared"], [*unpacked, *done.lines, f"return {sound}, {results}"]
        )
        + _function(
            "stepped", ["x", "shared"], [*unpacked, *further.lines, f"return {moved}, {following}"]
        )
    )


def _function(name: str, given: Sequence[str], lines: Iterable[str]) -> str:
    return "\n".join([f"def {name}({', '.join(given)}):", *_indented(lines), "", ""])


def _indented(lines: Iterable[str]) -> list[str]:
    return ["    " + line.replace("\n", "\n    ") for line in lines]


def _unpacked(name: str, count: int) -> str:
    return f"{_tuple([f'{name}{slot}' for slot in range(count)])} = {name}"


def _numbers(writer: Writer, symbols: Sequence[Symbol]) -> str:
    return _tuple([writer.number(symbol) for symbol in symbols])


def _tuple(texts: Sequence[str]) -> str:
    line = f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"
    return line if len(line) <= WIDTH else "(\n    " + ",\n    ".join(texts) + ",\n)"
