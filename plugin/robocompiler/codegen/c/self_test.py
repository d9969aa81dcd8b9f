"""A C99 program that runs stored states and compares what comes out with stored results."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from robocompiler.codegen.c.functions import CNames, returns_status
from robocompiler.codegen.c.names import comment, string
from robocompiler.codegen.c.records import CProgram, CSample, arguments

_HELPERS = """
/* How far a value is from what it must be, relative where that is above one. */
static double {prefix}_deviation(double found, double wanted)
{{
    const double size = wanted < 0.0 ? -wanted : wanted;
    const double off = found < wanted ? wanted - found : found - wanted;
    if (found != found || wanted != wanted) {{
        return (found != found) == (wanted != wanted) ? 0.0 : (double)INFINITY;
    }}
    if (!(found < wanted) && !(found > wanted)) {{
        return 0.0; /* infinite, both of them, too */
    }}
    return size > 1.0 ? off / size : off;
}}

/* The worst deviation of an array's entries from some that are given, all others being 0. */
static double {prefix}_compare(
    const real *found, const int *where, const double *wanted, int count, int size)
{{
    double worst = 0.0;
    int next = 0;
    for (int i = 0; i < size; ++i) {{
        double there = 0.0;
        if (next < count && where[next] == i) {{
            there = wanted[next];
            ++next;
        }}
        const double off = {prefix}_deviation((double)found[i], there);
        if (!(off <= worst)) {{
            worst = off;
        }}
    }}
    return worst;
}}
"""


def self_test_lines(program: CProgram, names: CNames) -> list[str]:
    """`main`, for the end of the source file, where a macro asks for it, if there are samples."""
    if not program.samples:
        return []
    double, single = program.tolerances
    count = len(program.samples)
    return [
        f"#ifdef {names.macro}_SELF_TEST",
        "#include <stdio.h>",
        *_HELPERS.format(prefix=names.prefix).splitlines(),
        "",
        *(
            line
            for place, sample in enumerate(program.samples)
            for line in _sample_lines(place, sample, program, names)
        ),
        *comment("Prints the worst deviation of each sample; returns 0 where all are small."),
        "int main(void)",
        "{",
        "    const int single = sizeof(real) < sizeof(double);",
        f"    const double allowed = single ? {single!r} : {double!r};",
        "    int failed = 0;",
        *(f"    failed += {names.prefix}_sample_{place}(allowed);" for place in range(count)),
        f'    printf("%d of {count} samples failed\\n", failed);',
        "    return failed == 0 ? 0 : 1;",
        "}",
        "#endif",
    ]


def _sample_lines(place: int, sample: CSample, program: CProgram, names: CNames) -> list[str]:
    function = next(own for own in program.functions if own.name == sample.function)
    given = [names.arrays[name] for name in arguments(program, function)]
    call, status = f"{names.functions[function.name]}({', '.join(given)});", "0"
    verdict = "!(worst <= allowed)"
    if returns_status(function):
        call, status = f"const int status = {call}", "status"
        verdict += " || status >= 0" if sample.fails else " || status < 0"
    return [
        *comment(f"A state of '{function.name}'{', which fails there' * sample.fails}."),
        f"static int {names.prefix}_sample_{place}(double allowed)",
        "{",
        *(line for name, values in sample.before.items() for line in _given(name, values, names)),
        "    double worst = 0.0;",
        f"    {call}",
        *(line for name, values in sample.after.items() for line in _judged(name, values, names)),
        '    printf("%s: status %d, worst deviation %.3g of %.3g\\n",',
        f"        {string(function.name)}, {status}, worst, allowed);",
        f"    return {verdict};",
        "}",
        "",
    ]


def _given(name: str, values: Sequence[float], names: CNames) -> list[str]:
    """An argument: a copy of what is stored, in the precision at hand. Zeros are not stored."""
    array, size = names.arrays[name], names.size(name)
    stored = _stored(values, "given")
    lines = [f"    static real {array}[{size}];"]
    if not stored:
        return lines
    return [
        *lines,
        "    {",
        *stored,
        f"        for (int i = 0; i < {_count(values)}; ++i) {{",
        f"            {array}[where[i]] = (real)given[i];",
        "        }",
        "    }",
    ]


def _judged(name: str, values: Sequence[float], names: CNames) -> list[str]:
    array, size = names.arrays[name], names.size(name)
    stored, compare = _stored(values, "wanted"), f"{names.prefix}_compare({array}, "
    given = f"where, wanted, {_count(values)}, " if stored else "NULL, NULL, 0, "
    return [
        "    {",
        *stored,
        f"        const double off = {compare}{given}{size});",
        "        worst = off <= worst ? worst : off;",
        "    }",
    ]


def _count(values: Sequence[float]) -> int:
    """How many are not 0."""
    return sum(value != 0.0 for value in values)


def _stored(values: Sequence[float], name: str) -> list[str]:
    """What is not 0, and where it is: most of a lift and of a Jacobian is 0."""
    places = [i for i, value in enumerate(values) if value != 0.0]
    if not places:
        return []
    count, there = len(places), [str(i) for i in places]
    return [
        f"        static const int where[{count}] = {_rows(there)};",
        f"        static const double {name}[{count}] = {_list(values[i] for i in places)};",
    ]


def _list(values: Iterable[float]) -> str:
    return _rows([_number(float(value)) for value in values])


def _rows(texts: Sequence[str]) -> str:
    rows = [", ".join(texts[i : i + 4]) for i in range(0, len(texts), 4)]
    return "{\n            " + ",\n            ".join(rows) + "}"


def _number(value: float) -> str:
    if math.isnan(value):
        return "(double)NAN"
    if math.isinf(value):
        return "-(double)INFINITY" if value < 0.0 else "(double)INFINITY"
    return repr(value)
