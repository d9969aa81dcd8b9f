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

_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([A-Za-zµ°/*^0-9]*)")
_EXAMPLES = {
    "radian": "35deg or 0.6rad",
    "meter": "120mm or 0.12m",
    "radian / second": "0.3rad/s",
    "meter / second": "20mm/s",
}


def read_quantity(text: str, unit: str, where: str, what: str) -> float:
    """A number in SI from text with a unit.

    Args:
        text: such as `35deg`. A bare 0 needs no unit.
        unit: what it must be convertible to, in pint's words: `radian`, `meter`, `radian / second`,
            `meter / second`; `` for a bare number.
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
    if not suffix or not unit:
        raise BadValueError(where, what, text, expected)
    try:
        import pint
    except ImportError as error:
        raise MechanismError(
            "Values with units need pint: `pip install partcad-robocompiler[cli]`."
        ) from error
    try:
        factor, root = _registry().get_root_units(suffix)
    except (pint.errors.PintError, AttributeError, ValueError, TypeError) as error:
        raise BadValueError(where, what, text, expected) from error
    if str(root) != unit:
        raise BadValueError(where, what, text, expected)
    return number * float(factor)


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
    for text in given:
        name, sign, value = text.rpartition("=")
        if not sign:
            raise BadValueError(option, "value", text, "of the form joint=35deg")
        if name not in joints:
            raise UnknownNameError(option, "joint", name, joints)
        values[name] = read_numbers(joints[name], value, option, units(joints[name]))
    return values


def read_numbers(joint: Joint, text: str, where: str, units: Sequence[str]) -> tuple[float, ...]:
    """A joint's numbers, of these units, from text with units, separated by commas."""
    parts = text.split(",")
    if len(parts) != len(units):
        expected = f"{len(units)} values, separated by commas"
        raise BadValueError(where, joint.name, text, expected)
    return tuple(
        read_quantity(part, unit, where, joint.name)
        for part, unit in zip(parts, units, strict=True)
    )
