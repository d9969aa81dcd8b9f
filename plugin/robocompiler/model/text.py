"""The mechanism's own text form: versioned JSON that round-trips exactly.

A field that has its default is left out. Numbers are written by `repr`, so every digit comes back;
an open limit is the string "inf" or "-inf", which JSON has no number for.
"""

from __future__ import annotations

import json
import math
import sys
import types
from collections import Counter
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from robocompiler.errors import FormatError
from robocompiler.model.mechanism import Mechanism
from robocompiler.model.records import shown

FORMAT = "robocompiler-mechanism"
VERSION = 1


def to_json(mechanism: Mechanism) -> str:
    """The mechanism as JSON text, the same for equal mechanisms.

    Raises:
        FormatError: a value that is no number, text or flag, or not one that comes back.
    """
    plain = _plain(mechanism, "The mechanism")
    return json.dumps({"format": FORMAT, "version": VERSION, **plain}, indent=1) + "\n"


def from_json(text: str, source: str = "The text") -> Mechanism:
    """The mechanism that `to_json` wrote.

    Raises:
        FormatError: the text is not such JSON, or of a version this release cannot read.
    """
    data = _parsed(text, source)
    if not isinstance(data, dict) or data.pop("format", None) != FORMAT:
        raise FormatError(f'{source} is not a mechanism: it must say "format": "{FORMAT}".')
    version = data.pop("version", None)
    if type(version) is not int or version != VERSION:
        raise FormatError(
            f"{source} has version {shown(version)}; this release reads version {VERSION}."
        )
    mechanism = _record(Mechanism, data, source)
    if not isinstance(mechanism, Mechanism):
        raise FormatError(f"{source} does not hold a mechanism.")
    return mechanism


def _parsed(text: str, source: str) -> Any:
    """JSON as its standard has it: each key of an object once, and every number finite."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice = next(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)
            called = f" {shown(found['name'])}" if isinstance(found.get("name"), str) else ""
            raise FormatError(
                f"{source}: an object{called} says {shown(twice)} twice. Remove one of the two."
            )
        return found

    def number(said: str) -> float:
        if not math.isfinite(value := float(said)):
            raise FormatError(f"{source}: {said[:40]} is too large for a number.")
        return value

    def constant(said: str) -> Any:
        raise FormatError(f'{source}: {said} is no number of JSON; an open limit is "inf".')

    if text.startswith("\ufeff"):
        raise FormatError(f"{source} begins with a byte order mark: save it as UTF-8 without one.")
    try:
        return json.loads(
            text, object_pairs_hook=members, parse_float=number, parse_constant=constant
        )
    except RecursionError as error:
        raise FormatError(f"{source} is nested deeper than a mechanism can be.") from error
    except ValueError as error:  # a JSONDecodeError, or a whole number of thousands of digits
        raise FormatError(f"{source} is not JSON: {error}.") from error


def _plain(value: Any, where: str) -> Any:
    """Records as objects, tuples as lists, kinds by their names."""
    if is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: _plain(getattr(value, field.name), f"{where}, {field.name}")
            for field in fields(value)
            if field.default is MISSING or not _same(getattr(value, field.name), field.default)
        }
    if isinstance(value, tuple):
        return [_plain(item, f"{where}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, (int, float)) and abs(value) <= sys.float_info.max:
        return value
    if isinstance(value, float) and math.isinf(value):
        return str(float(value))
    raise FormatError(f"{where}: {shown(value)} cannot be written as JSON that comes back.")


def _same(value: Any, default: Any) -> bool:
    """Arrays have no one answer to whether they are equal."""
    return not isinstance(value, np.ndarray) and bool(value == default)


def _record(cls: type, data: Any, where: str) -> Any:
    if not isinstance(data, dict):
        raise FormatError(f"{where}: expected an object with the fields of a {cls.__name__}.")
    hints = _hints(cls)
    known: dict[str, Field[Any]] = {field.name: field for field in fields(cls)}
    if unknown := sorted(data.keys() - known.keys()):
        raise FormatError(f"{where}: a {cls.__name__} has no field {shown(unknown[0])}.")
    for name, field in known.items():
        if name not in data and field.default is MISSING:
            raise FormatError(f"{where}: a {cls.__name__} needs '{name}'.")
    return cls(**{n: _typed(hints[n], v, f"{where}, {n}") for n, v in data.items()})


@cache
def _hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls)


def _typed(hint: Any, value: Any, where: str) -> Any:
    """`value`, as JSON has it, as the type the record's field has."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        inner = [arg for arg in get_args(hint) if arg is not type(None)]
        return None if value is None else _typed(inner[0], value, where)
    if origin is tuple:
        return _tuple(get_args(hint), value, where)
    if is_dataclass(hint) and isinstance(hint, type):
        return _record(hint, value, where)
    if isinstance(hint, type) and issubclass(hint, Enum):
        try:
            return hint(value)
        except ValueError:
            known = ", ".join(str(member.value) for member in hint)
            raise FormatError(f"{where}: {shown(value)} is none of {known}.") from None
    return _plain_value(hint, value, where)


def _tuple(args: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise FormatError(f"{where}: expected a list.")
    hints = [args[0]] * len(value) if args[-1] is Ellipsis else list(args)
    if len(hints) != len(value):
        raise FormatError(f"{where}: expected {len(hints)} entries, not {len(value)}.")
    return tuple(
        _typed(h, v, f"{where}[{i}]") for i, (h, v) in enumerate(zip(hints, value, strict=True))
    )


def _plain_value(hint: Any, value: Any, where: str) -> Any:
    if hint is float and value in ("inf", "-inf"):
        return float(value)
    if hint is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        if abs(value) <= sys.float_info.max:
            return float(value)
        raise FormatError(f"{where}: {shown(value)} is too large for a number.")
    if isinstance(hint, type) and type(value) is hint:
        return value
    expected = {float: "a number", str: "a text", bool: "true or false"}.get(hint, str(hint))
    raise FormatError(f"{where}: expected {expected}, not {shown(value)}.")
