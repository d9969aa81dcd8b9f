"""What is generated: functions over many instances and many states, from one graph each.

A kernel reads and writes rows of two buffers, `x` and `y`, of shape (rows, states) each, a state
being a column: a structure of arrays. Which rows it uses, a table says, a line for each instance:
the rows in `x` of its input slots, then the rows in `y` of its results. So one kernel serves every
module of its type, and every mechanism that has such a module. `x` and `y` may be one buffer,
in which what steps change is written before results.

Every emitter must do exactly what is said here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from robocompiler.codegen.graph import Graph, Symbol

STATE, RESULTS, TARGETS = "x", "y", "t"
"""What inputs of a graph come from: input slots; in predictions also results; and targets."""
NOT_CONTRACTING, TOO_MANY, UNSOUND = -1, -2, -3
"""Status of an instance at a state that failed; otherwise how many steps it took."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Straight:
    """y ← results(x)."""

    name: str
    graph: Graph
    inputs: int
    """How many input slots there are."""
    results: tuple[Symbol, ...]
    """What goes to each result slot."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Iterated:
    """x ← following(x) until `size` is within the tolerance; then y ← results(x).

    last = ∞, then for each step: where size ≤ tolerance it is done, with the status the number of
    steps so far, or UNSOUND where `sound` does not hold. After `most` steps it fails with TOO_MANY.
    Where not moved ≤ max(contraction · last, noise), or not moved ≤ longest, it fails with
    NOT_CONTRACTING; otherwise x ← following(x), last = moved. Every test is so put that NaN fails.

    Where it fails, x is left as it was, and all results are NaN. So states are independent of one
    another, whichever are computed at once.
    """

    name: str
    graph: Graph
    inputs: int
    size: Symbol
    moved: Symbol
    following: tuple[Symbol, ...]
    """Of each input slot what it is after a step: itself where it does not move."""
    sound: Symbol
    """A test: whether the results can be relied upon."""
    results: tuple[Symbol, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Continued:
    """A table of targets followed from a closed state: x ← predicted(x, y, t), then iterated.

    For each knot, t being its targets: `ahead` and `predicted` of the last state and its results;
    it stops where not ahead ≤ reach. Then as `iterated`, from there; moreover it stops, with
    NOT_CONTRACTING, where the steps' `moved` add up to more than leap · ahead + noise. The state
    and the results of a knot are written to tables, and are where the next starts. Where it stops,
    x and y are those of the last knot, and the status is how many knots were reached.
    """

    iterated: Iterated
    targets: int
    """How many target slots there are."""
    predicted: tuple[Symbol, ...]
    """What each input slot is before it is iterated. Inputs also come from `RESULTS`, `TARGETS`."""
    ahead: Symbol
    """How far that is."""

    @property
    def name(self) -> str:
        """Of what it iterates, continued."""
        return f"{self.iterated.name}_continued"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What iterating minds. The fields are passed in this order, as doubles."""

    tolerance: float
    contraction: float
    """What a step may be of the step before."""
    noise: float
    """Steps this small need not contract."""
    longest: float
    """What a step may be at most."""
    most: float
    """How many steps there may be."""
    reach: float = 0.0
    """How far a prediction may go."""
    leap: float = 0.0
    """What all steps together may be of the prediction."""


STEPPING = ("tolerance", "contraction", "noise", "longest", "most")
"""The settings that steps mind."""


def place_of(setting: str) -> int:
    """Where a setting is among those that are passed."""
    return [field.name for field in fields(Settings)].index(setting)


Kernel = Straight | Iterated | Continued
Call = Callable[[], int]
"""A kernel bound to buffers: runs, and says how many times an instance failed at a state."""
Notes = Mapping[str, Any]
"""What a caller wants to know of a kernel without having it traced again: plain data."""
Made = Callable[[], tuple[Kernel, Notes]]
"""Traces a kernel, and what there is to note of it."""
