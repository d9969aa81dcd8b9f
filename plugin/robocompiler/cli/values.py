"""Values with units, as people type them: `35deg`, `120mm`, `0.3rad/s`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import BadValueError, MechanismError, UnknownNameError
from robocompiler.model.mechanism import Joint
from robocompiler.model.shown import coordinate_units

_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([A-Za-zµ°/*^0-9²]*)")
_EXAMPLES = {
    "radian": "35deg or 0.6rad",
    "meter": "120mm or 0.12m",
    "radian / second": "0.3rad/s",
    "meter / second": "20mm/s",
    "radian / second ** 2": "2rad/s^2",
    "meter / second ** 2": "9.81m/s^2",
    "newton": "120N",
    "newton * meter": "2N*m",
    "second": "0.1s",
    "kilogram": "1g or 0.001kg",
}
_SI = {
    "radian": ("rad",),
    "meter": ("m",),
    "radian / second": ("rad/s",),
    "meter / second": ("m/s",),
    "radian / second ** 2": ("rad/s^2", "rad/s²", "rad/s2"),
    "meter / second ** 2": ("m/s^2", "m/s²", "m/s2"),
    "newton": ("N",),
    "newton * meter": ("N*m", "Nm"),
    "second": ("s",),
    "kilogram": ("kg",),
}
"""Units in SI, which need no library."""


def read_quantity(text: str, unit: str, where: str, what: str) -> float:
    """A number in SI from text with a unit.

    Args:
        text: such as `35deg`. A bare 0 needs no unit.
        unit: what it must be convertible to, in pint's words, a key of `_SI`: `radian`,
            `meter / second`, `newton * meter`; `` for a bare number.
        where: named in errors.
        what: likewise.

    Raises:
        BadValueError: no number, no unit, an unknown one or one of another dimension.
        MechanismError: pint is not installed.
    """
    expected = f"a value such as {_EXAMPLES[unit]}" if unit else "a bare number"
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        raise BadValueError(where, what, text, expected)
    number, suffix = float(match[1]), match[2]
    if not suffix and (not unit or number == 0.0):
        return number
    factor = factor_of(suffix, unit) if suffix and unit else None
    if factor is None:
        raise BadValueError(where, what, text, expected)
    return number * factor


def factor_of(suffix: str, unit: str) -> float | None:
    """How much of an SI unit, in pint's words, another unit is; None where it is none of that kind.

    Raises:
        MechanismError: pint is not installed, and the unit is not SI.
    """
    if suffix in _SI[unit]:
        return 1.0
    try:
        import pint
    except ImportError as error:
        raise MechanismError(
            "Values with units need pint: `pip install partcad-robocompiler[cli]`."
        ) from error
    try:
        factor, root = _registry().get_root_units(suffix)
    except (pint.errors.PintError, AttributeError, ValueError, TypeError):
        return None
    own, wanted = _registry().get_root_units(unit)
    return float(factor) / float(own) if root == wanted else None


@cache
def _registry() -> Any:
    """All units that pint knows, read from its file once: that takes a sixth of a second."""
    import pint

    return pint.UnitRegistry()


def read_assignments(
    compiled: CompiledMechanism,
    given: Sequence[str],
    option: str,
    units: Callable[[Joint], Sequence[str]] = coordinate_units,
) -> dict[str, tuple[float, ...]]:
    """Numbers by joint name from `joint=35deg`, or `joint=10mm,5deg` where it has several.

    Args:
        compiled: the mechanism.
        given: the texts.
        option: named in errors.
        units: the SI unit of each of a joint's numbers: its coordinates, or its speeds.
    """
    joints = compiled.joints
    values: dict[str, tuple[float, ...]] = {}
    for name, value in split_assignments(given, option, "joint=35deg"):
        if name not in joints:
            raise UnknownNameError(option, "joint", name, joints)
        values[name] = read_numbers(name, value, option, units(joints[name]))
    return values


def split_assignments(given: Sequence[str], option: str, example: str) -> list[tuple[str, str]]:
    """Names and what is said of each, of texts such as `joint=35deg`.

    Raises:
        BadValueError: one without a name, or a name that comes twice.
    """
    found: dict[str, str] = {}
    for text in given:
        name, sign, value = text.rpartition("=")
        if not sign:
            raise BadValueError(option, "value", text, f"of the form {example}")
        if name in found:
            raise BadValueError(option, name, f"{found[name]} and {value}", "one value")
        found[name] = value
    return list(found.items())


def read_numbers(what: str, text: str, where: str, units: Sequence[str]) -> tuple[float, ...]:
    """Numbers of these units from text with units, separated by commas."""
    parts = text.split(",")
    if len(parts) != len(units):
        expected = f"{len(units)} values, separated by commas"
        raise BadValueError(where, what, text, expected)
    return tuple(
        read_quantity(part, unit, where, what) for part, unit in zip(parts, units, strict=True)
    )
