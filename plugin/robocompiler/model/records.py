"""Every value that a mechanism is made of, with the place it is at and the type it should have."""

from __future__ import annotations

import types
from collections.abc import Hashable
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import numpy as np

from robocompiler.model.mechanism import Mechanism


class Leaf(NamedTuple):
    """A number, text, flag or kind that a field of a record holds."""

    record: Any
    """The record with a name that it belongs to: a joint, a shape, …"""
    where: str
    """What that record is called: `Joint 'A'`, or `joints[2]` where its name cannot be shown."""
    path: str
    """Where in that record it is: `inertia.moments[1]`."""
    owner: type
    """The type of the record whose field it is: `Inertia`."""
    field: str
    """That field: `moments`."""
    value: Any
    expected: str = ""
    """What it should be, where its type is wrong; empty where it is right."""


def leaves(mechanism: Mechanism) -> list[Leaf]:
    """All values of a mechanism that are not their field's default, in the order of its fields."""
    if not isinstance(mechanism, Mechanism):
        expected = "of type Mechanism"
        return [Leaf(mechanism, "The mechanism", "", Mechanism, "", mechanism, expected)]
    found: list[Leaf] = []
    _fields(mechanism, Leaf(mechanism, "Mechanism", "", Mechanism, "", mechanism), found)
    return found


def is_name(value: Any) -> bool:
    """Whether a text can be a name: something to see, and nothing that cannot be seen."""
    return isinstance(value, str) and value.isprintable() and bool(value.strip())


def shown(value: Any) -> str:
    """A value as an error may quote it: short, and of characters that can be printed."""
    if isinstance(value, str):
        value = f"'{value}'"
    elif isinstance(value, np.generic):
        value = value.item()
    elif isinstance(value, int) and abs(value) > 10**30:
        value = f"a whole number of {value.bit_length()} bits"
    elif isinstance(value, (list, dict)):
        value = f"a {type(value).__name__} of {len(value)}"
    text = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(value)[:80]
    )
    return text[:80] + ("…" if len(str(value)) > 80 or len(text) > 80 else "")


class _Type(NamedTuple):
    """What a field holds."""

    type: Any
    """Of a record, a kind or a plain value; `tuple` for several."""
    optional: bool
    items: tuple[_Type, ...]
    """Of a tuple's entries; one for a tuple of any length."""
    length: int | None
    """Of a tuple; None where it may have any."""
    is_record: bool = False


@cache
def _field_types(record: Hashable) -> dict[str, tuple[_Type, Any]]:
    """The type and default of each field; a type itself is no cheap thing to take apart."""
    hints = get_type_hints(record)
    return {f.name: (_type_of(hints[f.name]), f.default) for f in fields(record)}  # type: ignore[arg-type]


def _type_of(hint: Any) -> _Type:
    args = get_args(hint)
    if get_origin(hint) in (Union, types.UnionType):
        inner = _type_of(next(arg for arg in args if arg is not type(None)))
        return inner._replace(optional=True)
    if get_origin(hint) is tuple and args[-1] is Ellipsis:
        return _Type(tuple, False, (_type_of(args[0]),), None)
    if get_origin(hint) is tuple:
        return _Type(tuple, False, tuple(map(_type_of, args)), len(args))
    return _Type(hint, False, (), None, is_dataclass(hint))


def _fields(record: Any, at: Leaf, found: list[Leaf]) -> None:
    """The values of a record but those left at their default. One with a name is a place."""
    owner: Any = type(record)
    types_ = _field_types(owner)
    if "name" in types_:
        own = f"{owner.__name__} '{record.name}'" if is_name(record.name) else ""
        at = Leaf(record, own or at.path or at.where, "", owner, "", record)
    for name, (type_, default) in types_.items():
        value = getattr(record, name)
        if value is not default:
            path = f"{at.path}.{name}" if at.path else name
            _values(type_, Leaf(at.record, at.where, path, owner, name, value), found)


def _values(type_: _Type, at: Leaf, found: list[Leaf]) -> None:
    if type_.optional and at.value is None:
        return
    if type_.type is tuple:
        _items(type_, at, found)
    elif type_.is_record and type(at.value) is type_.type:
        _fields(at.value, at, found)
    elif not type_.is_record and _fits(type_.type, at.value):
        found.append(at)
    else:
        expected = _SAID.get(type_.type) or f"of type {type_.type.__name__}"
        found.append(at._replace(expected=expected))


def _items(type_: _Type, at: Leaf, found: list[Leaf]) -> None:
    if not isinstance(at.value, tuple):
        found.append(at._replace(expected="a tuple"))
        return
    if type_.length is not None and type_.length != len(at.value):
        found.append(at._replace(expected=f"a tuple of {type_.length}"))
        return
    inner = type_.items if type_.length is not None else type_.items * len(at.value)
    for i, (item, value) in enumerate(zip(inner, at.value, strict=True)):
        path = f"{at.path}[{i}]"
        _values(item, Leaf(at.record, at.where, path, at.owner, at.field, value), found)


_SAID = {float: "a number", str: "a text", bool: "True or False"}


def _fits(hint: Any, value: Any) -> bool:
    if hint is float:
        is_number = isinstance(value, (int, float, np.integer, np.floating))
        return is_number and not isinstance(value, bool)
    if hint is bool:
        return isinstance(value, (bool, np.bool_))
    return isinstance(value, hint) and (hint is str or issubclass(hint, Enum))
