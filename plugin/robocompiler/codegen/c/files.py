"""C99 for controllers: nothing allocated, nothing written but arguments, no library but libm."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass

from robocompiler.codegen.c.functions import CNames, function_lines, returns_status, signature
from robocompiler.codegen.c.kernels import (
    CODES,
    constant,
    iterated_lines,
    predicted_lines,
    straight_lines,
)
from robocompiler.codegen.c.names import HEADERS, RESERVED, comment, identifier, identifiers
from robocompiler.codegen.c.records import (
    CArray,
    CCall,
    CFunction,
    CNumber,
    CProgram,
    arguments,
    check,
    constants,
    read,
    written,
)
from robocompiler.codegen.c.self_test import self_test_lines
from robocompiler.codegen.kernels import Continued, Iterated, Settings, Straight
from robocompiler.codegen.operations import FUNCTIONS
from robocompiler.codegen.plan import plain

FAILURES = {
    "NOT_CONTRACTING": "Steps do not become smaller: out of reach, not near, or not a number.",
    "TOO_MANY": "Not done after the most steps that are allowed.",
    "UNSOUND": "Done where results cannot be relied upon, as at a singularity.",
    "TOO_FAR": "The targets are too far from the last state.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CFiles:
    """A header and a source file that includes it."""

    prefix: str
    """What all names begin with, and the files' names are, before `.h` and `.c`."""
    header: str
    source: str


def c_files(program: CProgram) -> CFiles:
    """C99 text of a program, in double or single precision as a macro says.

    Raises:
        GenerationError: what it is made of does not fit together.
    """
    check(program)
    names = _names(program)
    header, source = _header_lines(program, names), _source_lines(program, names)
    return CFiles(
        prefix=names.prefix, header="\n".join(header) + "\n", source="\n".join(source) + "\n"
    )


def _calls(program: CProgram) -> list[CCall]:
    """Each once."""
    calls = [call for function in program.functions for call in function.calls]
    return list({id(call): call for call in calls}.values())


def _kernels(program: CProgram) -> dict[int, Straight | Iterated]:
    return {id(plain(call.kernel)): plain(call.kernel) for call in _calls(program)}


def _continued(program: CProgram) -> dict[int, Continued]:
    kernels = [call.kernel for call in _calls(program)]
    return {id(kernel): kernel for kernel in kernels if isinstance(kernel, Continued)}


def _names(program: CProgram) -> CNames:
    """A name of everything; those at file scope begin with the mechanism's, arguments do not."""
    prefix = identifier(program.name, HEADERS).lower()
    arrays = _arguments(program, prefix)
    static = {"real", "deviation", "compare"}
    static |= {f"sample_{place}" for place in range(len(program.samples))}

    def named(kind: str, of: Iterable[int]) -> dict[int, str]:
        names = {key: f"{kind}_{place}" for place, key in enumerate(of)}
        static.update(names.values())
        return {key: f"{prefix}_{name}" for key, name in names.items()}

    kernels, ahead = named("kernel", _kernels(program)), named("ahead", _continued(program))
    settings = named("settings", (id(call) for call in _calls(program) if call.settings))
    public = identifiers([function.name for function in program.functions], static)
    numbers = identifiers([number.name for number in program.numbers], _macros(arrays))
    return CNames(
        prefix=prefix,
        arrays=arrays,
        functions={key: f"{prefix}_{name}" for key, name in public.items()},
        numbers={key: f"{prefix}_{name}".upper() for key, name in numbers.items()},
        kernels=kernels,
        ahead=ahead,
        settings=settings,
        constant=frozenset(constants(program)),
    )


def _arguments(program: CProgram, prefix: str) -> dict[str, str]:
    """What arrays are called: none begins as what is at file scope does, which it would hide."""
    before = "b" if prefix.startswith("a") else "a"
    found = dict[str, str]()
    for array in program.arrays:
        hides = identifier(array.name, ()).lower().startswith(f"{prefix}_")
        text = f"{before} {array.name}" if hides else array.name
        found[array.name] = identifier(text, {*RESERVED, *found.values()})
        if array.values is not None:
            found[array.name] = f"{prefix}_constant_{len(found)}"
    return found


def _macros(arrays: dict[str, str]) -> set[str]:
    """What macros of dimensions must not be."""
    return {"H", "FLOAT", "SELF_TEST", *CODES, *(f"{name}_SIZE" for name in arrays.values())}


def _header_lines(program: CProgram, names: CNames) -> list[str]:
    macro = names.macro
    return [
        *comment(
            f"{program.name}",
            program.doc,
            f"C99. Numbers are double, or float where {macro}_FLOAT is defined, which must be "
            "alike wherever this is included. All functions may be called from several threads: "
            "they write to nothing but their arguments. Matrices are stored row by row. Compile "
            "without -ffast-math: it takes away the tests for what is not a number.",
        ),
        f"#ifndef {macro}_H",
        f"#define {macro}_H",
        "",
        f"#ifdef {macro}_FLOAT",
        f"typedef float {names.real};",
        "#else",
        f"typedef double {names.real};",
        "#endif",
        "",
        *(line for number in program.numbers for line in _number_lines(number, names)),
        *(
            line
            for array in program.arrays
            if array.values is None and not array.local
            for line in _array_lines(array, names)
        ),
        *comment("What a function returns where it fails; otherwise how many steps it took."),
        *(
            line
            for code, value in CODES.items()
            for line in (*comment(FAILURES[code]), f"#define {macro}_{code} ({value})")
        ),
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        *(line for function in program.functions for line in _declared(program, function, names)),
        "#ifdef __cplusplus",
        "}",
        "#endif",
        "",
        "#endif",
    ]


def _number_lines(number: CNumber, names: CNames) -> list[str]:
    return [*comment(number.doc), f"#define {names.numbers[number.name]} {number.value}", ""]


def _array_lines(array: CArray, names: CNames) -> list[str]:
    said = f"Entries of '{array.name}': {array.doc}"
    return [*comment(said), f"#define {names.size(array.name)} {array.size}", ""]


def _constant_lines(array: CArray, names: CNames) -> list[str]:
    """The definition of an array that is no argument."""
    if array.values is None:
        return []
    numbers = (f"    {constant(value)}," for value in array.values)
    name = f"{names.arrays[array.name]}[{array.size}]"
    return [*comment(array.doc), f"static const real {name} = {{", *numbers, "};", ""]


def _declared(program: CProgram, function: CFunction, names: CNames) -> list[str]:
    docs = {array.name: array.doc for array in program.arrays}
    reads, writes = read(function), written(program, function)
    given = [
        f"{names.arrays[name]}[{names.size(name)}] "
        f"({' and '.join(['in'] * (name in reads) + ['out'] * (name in writes))}): {docs[name]}"
        for name in arguments(program, function)
    ]
    return [
        *comment(function.doc, *given, *_returned(function)),
        f"{signature(program, function, names)};",
        "",
    ]


def _returned(function: CFunction) -> list[str]:
    if not returns_status(function):
        return []
    said = (
        "Returns the most steps that a part took, or a negative number where one failed: the "
        "lowest. "
    )
    if any(isinstance(call.kernel, Continued) for call in function.calls):
        return [said + "Where one failed, all is as it was."]
    return [said + "A part that failed is left as it was; its results are not numbers."]


def _source_lines(program: CProgram, names: CNames) -> list[str]:
    parts = [_kernel_lines(kernel, names) for kernel in _kernels(program).values()]
    parts += [
        predicted_lines(kernel, names.ahead[key]) for key, kernel in _continued(program).items()
    ]
    parts += [function_lines(program, function, names) for function in program.functions]
    macros = ["real", "C", *(name.upper() for name in FUNCTIONS)]
    return [
        *comment(f"{program.name}: see {names.prefix}.h."),
        f'#include "{names.prefix}.h"',
        "",
        "#include <math.h>",
        "",
        *comment("For this file only."),
        *(f"#undef {name}" for name in macros),
        f"#define real {names.real}",
        f"#ifdef {names.macro}_FLOAT",
        *_precision("f"),
        "#else",
        *_precision(""),
        "#endif",
        "",
        *_settings_lines(program, names),
        *(line for array in program.arrays for line in _constant_lines(array, names)),
        *(line for part in parts for line in part),
        *self_test_lines(program, names),
        "",
        *(f"#undef {name}" for name in macros),
    ]


def _kernel_lines(kernel: Straight | Iterated, names: CNames) -> list[str]:
    """The static function of a kernel."""
    name = names.kernels[id(kernel)]
    if isinstance(kernel, Straight):
        return straight_lines(kernel, name)
    return iterated_lines(kernel, name, names.macro)


def _precision(suffix: str) -> list[str]:
    """A constant's suffix, and the functions of a precision."""
    given = {name: "(a, b)" if name == "atan2" else "(a)" for name in FUNCTIONS}
    return [
        f"#define C(value) value{'##' * bool(suffix)}{suffix}",
        *(f"#define {name.upper()}{of} {name}{suffix}{of}" for name, of in given.items()),
    ]


def _settings_lines(program: CProgram, names: CNames) -> list[str]:
    pairs = [(names.settings[id(call)], call.settings) for call in _calls(program) if call.settings]
    if not pairs:
        return []
    return [
        *comment("What iterating minds."),
        f"#ifdef {names.macro}_FLOAT",
        *(_settings_line(name, single) for name, (_, single) in pairs),
        "#else",
        *(_settings_line(name, double) for name, (double, _) in pairs),
        "#endif",
        "",
    ]


def _settings_line(name: str, settings: Settings) -> str:
    values: Sequence[float] = astuple(settings)
    numbers = "".join(
        f"    {constant(float(value))}, /* {field} */\n"
        for field, value in zip(Settings.__slots__, values, strict=True)
    )
    return f"static const real {name}[{len(values)}] = {{\n{numbers}}};"
