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
    Kernel,
    Straight,
)
from robocompiler.codegen.operations import Node
from robocompiler.codegen.plan import SOURCES, moving, write_turn

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
    writer = written(kernel.graph, language, kernel.results)
    values = _numbers(writer, kernel.results)
    return _function(
        "results", ["x"], [_unpacked("x", kernel.inputs), *writer.lines, f"return {values}"]
    )


def _predicted(kernel: Continued, language: Language) -> str:
    iterated = kernel.iterated
    writer = written(iterated.graph, language, [kernel.ahead, *kernel.predicted])
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
    turn = write_turn(kernel, ONE)
    size, done, further = turn.size, turn.done, turn.further
    moved = [f"x{slot}" for slot in moving(kernel)]
    names = _tuple(moved)
    following = _numbers(further, [kernel.following[slot] for slot in moving(kernel)])
    body = [
        *size.lines,
        f"if {size.number(kernel.size, SUM)} <= tolerance:",
        *indented(done.lines),
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
        *indented(body),
    ]
    return _function("iterated", ["x", *STEPPING, "allowed"], lines)


def _parts(kernel: Iterated) -> str:
    turn = write_turn(kernel, MANY)
    size, done, further = turn.size, turn.done, turn.further
    inputs = _unpacked("x", kernel.inputs)
    shared = _tuple(turn.shared)
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
    return "\n".join([f"def {name}({', '.join(given)}):", *indented(lines), "", ""])


def _unpacked(name: str, count: int) -> str:
    return f"{_tuple([f'{name}{slot}' for slot in range(count)])} = {name}"


def _numbers(writer: Writer, symbols: Sequence[Symbol]) -> str:
    return _tuple([writer.number(symbol) for symbol in symbols])


def _tuple(texts: Sequence[str]) -> str:
    line = f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"
    return line if len(line) <= WIDTH else "(\n    " + ",\n    ".join(texts) + ",\n)"
