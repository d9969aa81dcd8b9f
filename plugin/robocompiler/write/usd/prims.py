"""What a stage is made of, as plain records: prims, their values and their relations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from robocompiler.spatial import Array, Pose


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """The value of an attribute."""

    type: str
    """As USD calls it: `float3`."""
    value: Any
    """A number, a text, a flag, or a sequence of these; rows of an array where the type has []."""
    uniform: bool = False
    """Whether USD lets it change with time never."""


@dataclass(slots=True, kw_only=True, eq=False)
class Prim:
    """A prim, and what is below it."""

    name: str
    type: str = ""
    """As its schema calls it: `Xform`; "" for none."""
    schemas: tuple[str, ...] = ()
    """Applied ones."""
    attributes: dict[str, Value] = field(default_factory=dict)
    relations: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Paths of prims, by name of the relationship."""
    connections: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Type of an attribute and the path of the attribute that feeds it, by its name."""
    reference: str = ""
    """Path of a prim of this stage that it is like."""
    display: str = ""
    """What people call it, where that is no legal name."""
    kind: str = ""
    """Of a model, `component`."""
    is_class: bool = False
    """Whether it is there only to be referred to."""
    children: list[Prim] = field(default_factory=list)


def real(value: float) -> Value:
    """A number in single precision."""
    return Value("float", float(value))


def double(value: float) -> Value:
    """A number."""
    return Value("double", float(value), uniform=True)


def doubles(values: Iterable[float], uniform: bool = True) -> Value:
    """Several numbers."""
    return Value("double[]", [float(v) + 0.0 for v in values], uniform=uniform)


def token(value: str) -> Value:
    """A word that the schema knows."""
    return Value("token", value, uniform=True)


def flag(value: bool, uniform: bool = False) -> Value:
    """Yes or no."""
    return Value("bool", value, uniform=uniform)


def point(values: Sequence[float]) -> Value:
    """A point in single precision."""
    return Value("point3f", _plain(values))


def vector(values: Sequence[float]) -> Value:
    """Three numbers in single precision."""
    return Value("float3", _plain(values))


def turn(quaternion: Sequence[float] | Array) -> Value:
    """A unit quaternion w x y z, in single precision."""
    return Value("quatf", _plain(quaternion))


def color(rgb: Sequence[float]) -> Value:
    """Red, green and blue of sRGB."""
    return Value("color3f", linear(rgb))


def linear(rgb: Sequence[float]) -> tuple[float, ...]:
    """A colour as USD has it: light, of which sRGB's numbers are roughly the root.

    Source: IEC 61966-2-1.
    """
    s = np.asarray(rgb, dtype=float)
    return _plain(np.where(s <= 0.04045, s / 12.92, ((s + 0.055) / 1.055) ** 2.4))


def placed(X: Pose) -> dict[str, Value]:
    """The attributes of a prim that stands at a pose in the one above, in double precision."""
    return {
        "xformOp:translate": Value("double3", _plain(X.position)),
        "xformOp:orient": Value("quatd", _plain(X.quaternion)),
        "xformOpOrder": Value("token[]", ["xformOp:translate", "xformOp:orient"], uniform=True),
    }


def scope(name: str, children: Sequence[Prim]) -> list[Prim]:
    """What holds prims together; nothing where there are none."""
    return [Prim(name=name, type="Scope", children=list(children))] if children else []


def _plain(values: Sequence[float] | Array) -> tuple[float, ...]:
    """Numbers without negative zeros, nor what is only rounding."""
    return tuple(0.0 if abs(v) < 1e-15 else float(v) for v in np.asarray(values, dtype=float))
