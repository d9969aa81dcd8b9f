"""What a C program is made of: public arrays, and functions of them that call kernels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from robocompiler.codegen.kernels import Continued, Iterated, Kernel, Settings, Straight
from robocompiler.codegen.plan import moving, outline
from robocompiler.errors import GenerationError


@dataclass(frozen=True, slots=True, kw_only=True)
class CArray:
    """An array that public functions take."""

    name: str
    size: int
    doc: str
    """Meaning, unit and order of its entries."""
    values: tuple[float, ...] | None = None
    """Of what is constant, and so no argument; it may only be read."""
    local: bool = False
    """Whether it is no argument but room that a function has while it runs, zeros at first."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CCall:
    """A kernel with its table, as kernels say: rows in x, rows in y, columns of the targets."""

    kernel: Kernel
    table: tuple[tuple[int, ...], ...]
    settings: tuple[Settings, Settings] | None = None
    """In double and in single precision; what is straight needs none."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CFunction:
    """A public function: calls in turn, on one state of the whole mechanism.

    The entries of some arrays, one after another, are the rows of `x`, of others those of `y`, or
    the targets of what is continued, which goes one knot a call. An array may be in several. Its
    arguments are the arrays, each once, in the order targets, x, y.
    """

    name: str
    doc: str
    calls: tuple[CCall, ...]
    x: tuple[str, ...]
    y: tuple[str, ...]
    targets: tuple[str, ...] = ()
    cleared: tuple[str, ...] = ()
    """Of `y`, what is set to 0 before anything is called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CSample:
    """What a function made of its arguments elsewhere, for the self-test."""

    function: str
    before: dict[str, tuple[float, ...]]
    """Entries of each argument when it is called."""
    after: dict[str, tuple[float, ...]]
    """Of some arguments, what they must be then."""
    fails: bool = False
    """Whether its status must be one of failure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CNumber:
    """A dimension, as a macro."""

    name: str
    value: int
    doc: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CProgram:
    """What a header and a source file are made of."""

    name: str
    """Of the mechanism, in any language."""
    doc: str
    arrays: tuple[CArray, ...]
    functions: tuple[CFunction, ...]
    numbers: tuple[CNumber, ...] = ()
    samples: tuple[CSample, ...] = ()
    tolerances: tuple[float, float] = (1e-9, 1e-3)
    """How far the self-test may be off in either precision, relative where that is above one."""


def constants(program: CProgram) -> dict[str, tuple[float, ...]]:
    """Arrays that are constant, by name."""
    return {array.name: array.values for array in program.arrays if array.values is not None}


def rooms(program: CProgram) -> dict[str, int]:
    """Arrays that are local, by name, with their sizes."""
    return {array.name: array.size for array in program.arrays if array.local}


def arguments(program: CProgram, function: CFunction) -> list[str]:
    """The names of the arrays that a function takes."""
    own = {*constants(program), *rooms(program)}
    taken = dict.fromkeys((*function.targets, *function.x, *function.y))
    return [name for name in taken if name not in own]


def places(program: CProgram, names: tuple[str, ...]) -> list[tuple[str, int]]:
    """Which array each row is in, and where."""
    sizes = {array.name: array.size for array in program.arrays}
    return [(name, entry) for name in names for entry in range(sizes[name])]


def changed(kernel: Kernel) -> list[int]:
    """The slots that are written back where it does not fail."""
    if isinstance(kernel, Continued):
        return list(range(kernel.iterated.inputs))
    return moving(kernel) if isinstance(kernel, Iterated) else []


def read(function: CFunction) -> set[str]:
    """The names of the arrays whose entries matter when it is called."""
    continued = any(isinstance(call.kernel, Continued) for call in function.calls)
    return {*function.targets, *function.x, *(function.y if continued else ())}


def written(program: CProgram, function: CFunction) -> set[str]:
    """The names of the arrays that a function writes to."""
    x, y = places(program, function.x), places(program, function.y)
    found = set[str](function.cleared)
    for call in function.calls:
        first, last = outline(call.kernel).ends
        for line in call.table:
            found.update(x[line[slot]][0] for slot in changed(call.kernel))
            found.update(y[row][0] for row in line[first:last])
    return found - constants(program).keys() - rooms(program).keys()


def check(program: CProgram) -> None:
    """Refuse what does not fit together.

    Raises:
        GenerationError: a name is there twice or nowhere, a row is outside, a line of a table has
            another length than its kernel says, settings are missing, or a sample does not fit.
    """
    for fault in _faults(program):
        raise GenerationError(f"C of '{program.name}': {fault}")


def _faults(program: CProgram) -> Iterator[str]:
    for names in (
        [array.name for array in program.arrays],
        [function.name for function in program.functions],
        [number.name for number in program.numbers],
    ):
        yield from (f"'{a}' is there twice" for a, b in pairwise(sorted(names)) if a == b)
    known = {array.name for array in program.arrays}
    yield from (f"'{array.name}' has no entry" for array in program.arrays if array.size < 1)
    sizes = {array.name: array.size for array in program.arrays}
    for name, values in constants(program).items():
        if len(values) != sizes[name]:
            yield f"'{name}' has {sizes[name]} entries and {len(values)} values"
    for function in program.functions:
        lost = [name for name in arguments(program, function) if name not in known]
        yield from (f"'{function.name}' takes '{name}', which is no array" for name in lost)
        if not lost:
            for call in function.calls:
                yield from _call_faults(program, function, call)
    yield from _sample_faults(program)


def _call_faults(program: CProgram, function: CFunction, call: CCall) -> Iterator[str]:
    own, names = outline(call.kernel), (function.x, function.y, function.targets)
    limits = [
        len(places(program, of))
        for of, count in zip(names, (own.inputs, own.results, own.targets), strict=True)
        for _ in range(count)
    ]
    where = f"'{function.name}' calls '{call.kernel.name}'"
    if not call.table:
        yield f"{where} for no instance"
    if call.settings is None and not isinstance(call.kernel, Straight):
        yield f"{where} without settings"
    for line in call.table:
        if len(line) != len(limits):
            yield f"{where} with {len(line)} rows where it takes {len(limits)}"
        elif any(not 0 <= row < limit for row, limit in zip(line, limits, strict=True)):
            yield f"{where} with a row outside its arrays"


def _sample_faults(program: CProgram) -> Iterator[str]:
    functions = {function.name: function for function in program.functions}
    sizes = {array.name: array.size for array in program.arrays}
    for sample in program.samples:
        if sample.function not in functions:
            yield f"a sample is of '{sample.function}', which is no function"
            continue
        if sorted(sample.before) != sorted(arguments(program, functions[sample.function])):
            yield f"a sample of '{sample.function}' gives {sorted(sample.before)}"
        if not sample.after:
            yield f"a sample of '{sample.function}' has nothing to compare"
        for name, values in (*sample.before.items(), *sample.after.items()):
            if name not in sample.before or len(values) != sizes.get(name):
                yield f"a sample of '{sample.function}' has {len(values)} entries of '{name}'"
