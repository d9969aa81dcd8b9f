"""Things that one code serves: alike in all but numbers.

Numbers that differ from one to the next, such as lengths, become inputs of their code; those that
all have in common are constants in it, and vanish where they are zero or one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np

from robocompiler.spatial import Array

Plan = TypeVar("Plan")
ALIKE = 1e-9
"""Two things whose entries are this near to -1, 0 or 1 have one code."""


@dataclass(frozen=True, eq=False)
class Alike(Generic[Plan]):
    """Plans that one code serves."""

    plans: tuple[Plan, ...]
    constants: tuple[Array, ...]
    """Of each all its numbers, one after the other."""

    @property
    def first(self) -> Plan:
        """The one it is named after."""
        return self.plans[0]

    @cached_property
    def varying(self) -> Array:
        """Indices of constants that not all of them have in common."""
        table = np.array(self.constants)
        return np.flatnonzero(np.any(table != table[:1], axis=0))

    @cached_property
    def parameters(self) -> Array:
        """Those constants of each plan, shape (plans, varying)."""
        return np.array(self.constants)[:, self.varying]


def grouped(
    plans: Sequence[Plan],
    constants_of: Callable[[Plan], Array],
    structure_of: Callable[[Plan, Array], object],
) -> tuple[Alike[Plan], ...]:
    """Plans by what they have in common besides numbers, in the order of the first of each."""
    groups: dict[object, list[tuple[Plan, Array]]] = {}
    for plan in plans:
        constants = constants_of(plan)
        groups.setdefault(structure_of(plan, constants), []).append((plan, constants))
    return tuple(
        Alike(tuple(plan for plan, _ in group), tuple(own for _, own in group))
        for group in groups.values()
    )


def turn_pattern(entries: Array) -> bytes:
    """Where entries of rotations are 0, 1 or -1, all but for rounding."""
    near = np.rint(entries)
    return bytes(np.where(np.abs(entries - near) <= ALIKE, near + 0.0, np.nan).tobytes())


def size_pattern(entries: Array) -> bytes:
    """Where entries of one unit are 0, all but for rounding."""
    size = np.max(np.abs(entries), initial=0.0)
    return bytes((np.abs(entries) <= ALIKE * size).tobytes())
