"""A kernel compiled to Python functions, and what they make of values: of one state, or of many."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from robocompiler.codegen.kernels import (
    NOT_CONTRACTING,
    TOO_MANY,
    UNSOUND,
    Iterated,
    Kernel,
)
from robocompiler.codegen.plan import Outline, moving, outline, plain
from robocompiler.codegen.python.source import many_source, one_source
from robocompiler.spatial import Array

Functions = dict[str, Callable[..., Any]]

ONE_NAMES = {
    "sin": math.sin,
    "cos": math.cos,
    "sqrt": math.sqrt,
    "atan2": math.atan2,
    "round": round,
    "inf": math.inf,
}
MANY_NAMES = {
    "sin": np.sin,
    "cos": np.cos,
    "sqrt": np.sqrt,
    "atan2": np.arctan2,
    "rint": np.rint,
    "where": np.where,
}
"""What each source may call, and nothing else."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PythonKernel:
    """A kernel and its functions, as `one_source` and `many_source` describe them."""

    kernel: Kernel
    outline: Outline
    moving: list[int]
    """Slots that a step changes."""
    one: Functions
    many: Callable[[], Functions]
    """Compiled when it is first called."""


def compile_kernel(kernel: Kernel) -> PythonKernel:
    """A kernel as Python functions, for `run`."""
    inner = plain(kernel)
    return PythonKernel(
        kernel=kernel,
        outline=outline(kernel),
        moving=moving(inner) if isinstance(inner, Iterated) else [],
        one=_functions(one_source(kernel), kernel.name, ONE_NAMES),
        many=functools.cache(lambda: _functions(many_source(kernel), kernel.name, MANY_NAMES)),
    )


def _functions(source: str, name: str, names: dict[str, Any]) -> Functions:
    found: dict[str, Any] = {"__builtins__": {}, **names}
    exec(compile(source, f"<kernel {name}>", "exec"), found)
    return {key: value for key, value in found.items() if key not in names}


def results_one(compiled: PythonKernel, given: Sequence[float]) -> Sequence[float]:
    """The results of what is straight."""
    try:
        found: Sequence[float] = compiled.one["results"](given)
    except (ArithmeticError, ValueError):
        return _alone(compiled.many()["results"], given)
    return found


def predict_one(compiled: PythonKernel, *given: Sequence[float]) -> tuple[float, Sequence[float]]:
    """How far ahead it is, and what each slot is there, from slots, results and targets."""
    try:
        ahead, guess = compiled.one["predicted"](*given)
    except (ArithmeticError, ValueError):

        def flat(*columns: Sequence[Array]) -> list[Any]:
            ahead, guess = compiled.many()["predicted"](*columns)
            return [ahead, *guess]

        ahead, *guess = _alone(flat, *given)
    return ahead, guess


@np.errstate(all="ignore")
def _alone(function: Callable[..., Sequence[Any]], *given: Sequence[float]) -> list[float]:
    """What a function of many states makes of one."""
    values = function(*(np.array(numbers)[:, None] for numbers in given))
    return [float(np.asarray(value).item()) for value in values]


def iterate_one(
    compiled: PythonKernel, given: Sequence[float], numbers: tuple[float, ...], allowed: float
) -> tuple[int, Sequence[float], Sequence[float]]:
    """The status of a state, and if that is not below 0, the slots that move and the results.

    Args:
        compiled: the kernel.
        given: the slots.
        numbers: the settings' tolerance, contraction, noise, longest and most.
        allowed: what the steps may add up to.
    """
    try:
        found: tuple[int, Sequence[float], Sequence[float]] = compiled.one["iterated"](
            given, *numbers, allowed
        )
    except (ArithmeticError, ValueError):
        column = np.array(given)[:, None]
        status, moved, results = iterate_many(compiled, column, numbers, allowed)
        return int(status[0]), moved[:, 0].tolist(), results[:, 0].tolist()
    return found


@np.errstate(all="ignore")
def iterate_many(
    compiled: PythonKernel, given: Array, numbers: tuple[float, ...], allowed: float
) -> tuple[Array, Array, Array]:
    """The same of many states, a column each; where one fails, the slots are as they were given.

    Returns:
        the status, the slots that move, and the results, which are NaN where it fails.
    """
    tolerance, contraction, noise, longest, most = numbers
    sized, stepped = compiled.many()["sized"], compiled.many()["stepped"]
    count, slots = given.shape[1], compiled.moving
    status = np.full(count, TOO_MANY, dtype=np.int32)
    moved, results = given[slots], np.full((compiled.outline.results, count), math.nan)
    x, places = given, np.arange(count)  # of those that still move
    last, total, steps = np.full(count, math.inf), np.zeros(count), 0
    while places.size:
        size, shared = sized(x)
        done = _each(size <= tolerance, places.size)
        if done.any():
            _finish(compiled, (x, shared, places, done), steps, (status, moved, results))
            x, shared, (places, last, total) = _kept(~done, x, shared, places, last, total)
        if not steps < most or not places.size:
            break
        length, following = stepped(x, shared)
        total = total + length
        held = ((length <= contraction * last) | (length <= noise)) & (length <= longest)
        held = _each(held & (total <= allowed), places.size)
        status[places[~held]] = NOT_CONTRACTING
        x = x.copy()
        for slot, value in zip(slots, following, strict=True):
            x[slot] = value
        last, steps = _each(length, places.size), steps + 1
        if not held.all():
            x, _, (places, last, total) = _kept(held, x, (), places, last, total)
    return status, moved, results


def _finish(
    compiled: PythonKernel,
    now: tuple[Array, Sequence[Array], Array, Array],
    steps: int,
    ends: tuple[Array, Array, Array],
) -> None:
    """Write the status, the slots that move, and the results of states that are done."""
    x, shared, places, done = now
    status, moved, results = ends
    x, shared, (places,) = _kept(done, x, shared, places)
    sound, values = compiled.many()["finished"](x, shared)
    sound = _each(sound, places.size)
    status[places] = np.where(sound, steps, UNSOUND)
    places = places[sound]
    moved[:, places] = x[compiled.moving][:, sound]
    for row, value in zip(results, values, strict=True):
        row[places] = _each(value, sound.size)[sound]


def _kept(
    which: Array, x: Array, shared: Sequence[Array], *others: Array
) -> tuple[Array, Sequence[Array], list[Array]]:
    """Some states of several."""
    if which.all():
        return x, shared, list(others)
    return x[:, which], [row[which] for row in shared], [row[which] for row in others]


def _each(value: Any, count: int) -> Array:
    """A value of every state, which may be one for all."""
    return np.broadcast_to(value, (count,))
