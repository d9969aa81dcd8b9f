"""Sine, cosine, atan2 and rounding as LLVM's assembly, with the same bits however many lanes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from robocompiler.codegen.llvm.text import Text

WIDEST = 1e6
"""Sines are given for angles up to this [rad]; NaN beyond, which every test of a kernel refuses."""
ABREAST = 4
"""How many angles of one state are done at once."""
_QUARTER_TURN = (1.57079632673412561417, 6.07710050630396597660e-11, 2.02226624879595063154e-21)
"""π/2 in parts; quarter turns below 2²⁰ times either of the first two, of 33 bits, are exact."""
_NEAREST = 6755399441055744.0
"""1.5·2⁵²: what is added to it is rounded to a whole number, which is in its last bits."""
_SINE = (
    1.58969099521155010221e-10,
    -2.50507602534068634195e-08,
    2.75573137070700676789e-06,
    -1.98412698298579493134e-04,
    8.33333333332248946124e-03,
    -1.66666666666666324348e-01,
)
_COSINE = (
    -1.13596475577881948265e-11,
    2.08757232129817482790e-09,
    -2.75573143513906633035e-07,
    2.48015872894767294178e-05,
    -1.38888888888741095749e-03,
    4.16666666666666019037e-02,
)
"""(sin(y) − y)/y³ and (cos(y) − 1 + y²/2)/y⁴ in y², |y| ≤ π/4: fdlibm's, highest power first."""


def sine_and_cosine(text: Text, angle: str) -> tuple[str, str]:
    """Both of an angle [rad], within 1.6 units in the last place up to 1000 rad, 2.2 beyond.

    Cody and Waite's reduction to the nearest quarter turn, then fdlibm's polynomials.
    """
    quarters, y = _reduced(text, angle)
    z = text.real_operation("fmul", y, y)
    cubed = text.real_operation("fmul", z, y)
    sine = text.multiply_add(cubed, _polynomial(text, _SINE, z), y)
    rough = text.multiply_add(text.constant(-0.5), z, text.constant(1.0))
    squared = text.real_operation("fmul", z, z)
    cosine = text.multiply_add(squared, _polynomial(text, _COSINE, z), rough)
    kind = text.kind("i64")
    odd = text.put(f"and {kind} {quarters}, {text.whole(1)}")
    odd = text.put(f"icmp ne {kind} {odd}, {text.whole(0)}")
    after = text.put(f"add {kind} {quarters}, {text.whole(1)}")
    return (
        _turned(text, text.choose(odd, cosine, sine), quarters),
        _turned(text, text.choose(odd, sine, cosine), after),
    )


def sines_and_cosines(text: Text, angles: Sequence[str]) -> list[tuple[str, str]]:
    """The same of several angles of one state, side by side in a register: with the same bits."""
    found: list[tuple[str, str]] = []
    for start in range(0, len(angles), ABREAST):
        group = angles[start : start + ABREAST]
        if len(group) == 1:
            found.append(sine_and_cosine(text, group[0]))
            continue
        kind, side_by_side = f"<{ABREAST} x double>", "poison"
        for lane in range(ABREAST):  # no lane is left undefined: that could be slow
            angle = group[min(lane, len(group) - 1)]
            put = f"insertelement {kind} {side_by_side}, double {angle}, i32 {lane}"
            side_by_side = text.put(put)
        text.lanes = ABREAST
        both = sine_and_cosine(text, side_by_side)
        text.lanes = 1
        for lane in range(len(group)):
            taken = (text.put(f"extractelement {kind} {own}, i32 {lane}") for own in both)
            sine, cosine = taken
            found.append((sine, cosine))
    return found


def nearest(text: Text, value: str) -> str:
    """The nearest whole number, halves to even ones, as `rint` gives it."""
    large = text.constant(2.0**52)
    size = text.call("fabs", value)
    rounded = text.real_operation("fsub", text.real_operation("fadd", size, large), large)
    rounded = text.call("copysign", rounded, value)
    return text.choose(text.compare("olt", size, large), rounded, value)


def arctangent(text: Text, y: str, x: str) -> str:
    """The C library's `atan2`, lane by lane."""
    if text.lanes == 1:
        return text.put(f"call double @robocompiler_atan2(double {y}, double {x})")
    result = "poison"
    for lane in range(text.lanes):
        a, b = (text.put(f"extractelement {text.real} {v}, i32 {lane}") for v in (y, x))
        one = text.put(f"call double @robocompiler_atan2(double {a}, double {b})")
        result = text.put(f"insertelement {text.real} {result}, double {one}, i32 {lane}")
    return result


def _reduced(text: Text, angle: str) -> tuple[str, str]:
    """Quarter turns, as whole numbers but for the upper bits, and what is left: NaN if too many."""
    magic = text.constant(_NEAREST)
    shifted = text.multiply_add(angle, text.constant(2.0 / math.pi), magic)
    quarters = text.put(f"bitcast {text.real} {shifted} to {text.kind('i64')}")
    turns = text.real_operation("fsub", shifted, magic)
    known = text.compare("ole", text.call("fabs", angle), text.constant(WIDEST))
    y = text.choose(known, angle, text.constant(math.nan))
    for part in _QUARTER_TURN:
        y = text.multiply_add(turns, text.constant(-part), y)
    return quarters, y


def _polynomial(text: Text, coefficients: Sequence[float], z: str) -> str:
    """By Horner's scheme."""
    value = text.constant(coefficients[0])
    for coefficient in coefficients[1:]:
        value = text.multiply_add(value, z, text.constant(coefficient))
    return value


def _turned(text: Text, value: str, quarters: str) -> str:
    """Negated where the second bit of the quarters is set."""
    kind = text.kind("i64")
    sign = text.put(f"and {kind} {quarters}, {text.whole(2)}")
    sign = text.put(f"shl {kind} {sign}, {text.whole(62)}")
    bits = text.put(f"bitcast {text.real} {value} to {kind}")
    bits = text.put(f"xor {kind} {bits}, {sign}")
    return text.put(f"bitcast {kind} {bits} to {text.real}")
