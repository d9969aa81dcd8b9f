"""Kernels run as Python: always there, ready at once, and what other emitters are held against.

A few states are computed one by one on floats, which cost a twentieth of NumPy's operations on
arrays of one. Where a float's operation raises (a division by nothing, a root of less), that
instance at that state is computed anew on arrays, whose ∞ and NaN then decide as in machine code.
Many states are computed on arrays, a chunk at a time; those done or failed leave the chunk.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.codegen.kernels import STEPPING, Call, Continued, Settings, Straight
from robocompiler.codegen.python.functions import (
    PythonKernel,
    iterate_many,
    iterate_one,
    predict_one,
    results_one,
)
from robocompiler.spatial import Array

FEW = 32
"""Up to so many states, floats are faster than arrays (measured with 40 to 4000 operations)."""
CHUNK = 2048
"""States computed at once: so many hide what a call costs, and still fit a cache (measured)."""


@dataclass(frozen=True, slots=True)
class _Instance:
    """The rows of an instance."""

    inputs: Array
    moving: Array
    """Rows in x of the slots that a step changes."""
    results: Array
    targets: Array


@dataclass(frozen=True, slots=True)
class _Instances:
    """The rows of several instances, one after another."""

    inputs: Array
    results: Array
    slots: tuple[slice, ...]
    """Of each, where its inputs are among all."""

    @staticmethod
    def of(instances: Sequence[_Instance]) -> _Instances:
        """All of these."""
        ends = np.cumsum([len(own.inputs) for own in instances]).tolist()
        return _Instances(
            np.concatenate([own.inputs for own in instances]),
            np.concatenate([own.results for own in instances]),
            tuple(slice(a, b) for a, b in zip([0, *ends[:-1]], ends, strict=True)),
        )


def prepare(
    compiled: PythonKernel,
    x: Array,
    y: Array,
    status: Array | None,
    table: Array,
    settings: Settings | None,
    first: int = 0,
    last: int | None = None,
) -> Call:
    """Bind a kernel that is straight or iterated to buffers.

    Args:
        compiled: the kernel.
        x: shape (rows, states).
        y: shape (rows, states); may be `x`.
        status: int32, shape (instances, states); what is straight needs none.
        table: shape (instances, inputs + results): rows in `x`, then in `y`.
        settings: what is straight needs none.
        first: the first state computed.
        last: the first one not computed; all by default.

    Returns:
        what computes those states, and returns how many times an instance failed at a state.
    """
    states = range(first, x.shape[1] if last is None else last)
    instances = _instances(compiled, table)
    few = len(states) <= FEW
    if isinstance(compiled.kernel, Straight):
        if few and len(instances) > 1 and not np.shares_memory(x, y):
            return functools.partial(
                _straight_apart, compiled, x, y, _Instances.of(instances), states
            )
        straight = _straight_few if few else _straight_many
        return functools.partial(straight, compiled, x, y, instances, states)
    if status is None or settings is None or isinstance(compiled.kernel, Continued):
        raise TypeError("what is iterated needs a status and settings; what is continued, targets")
    iterated = _iterated_few if few else _iterated_many
    numbers = _stepping(settings)
    return functools.partial(iterated, compiled, x, y, status, instances, numbers, states)


def prepare_continued(
    compiled: PythonKernel,
    x: Array,
    y: Array,
    status: Array,
    targets: Array,
    out_x: Array,
    out_y: Array | None,
    table: Array,
    settings: Settings,
) -> Call:
    """Bind a kernel that is continued to buffers.

    Args:
        compiled: the kernel.
        x: shape (rows, 1).
        y: shape (rows, 1), the results at `x`; may be `x`.
        status: int32, shape (instances, 1): becomes how many knots were reached.
        targets: shape (knots, columns).
        out_x: shape (knots, rows of x); of knots reached, the rows of input slots are written.
        out_y: the same of results, or None.
        table: shape (instances, inputs + results + targets): rows in `x`, in `y`, then columns.
        settings: what iterating and predicting mind.

    Returns:
        what follows the targets, and returns how many instances did not reach all knots.
    """
    return functools.partial(
        _continued,
        compiled,
        (x[:, 0], y[:, 0], status[:, 0], targets, out_x, out_y),
        _instances(compiled, table),
        settings,
    )


def _instances(compiled: PythonKernel, table: Array) -> list[_Instance]:
    parts = (np.split(row, compiled.outline.ends) for row in np.asarray(table, dtype=np.intp))
    return [
        _Instance(inputs, inputs[compiled.moving], results, targets)
        for inputs, results, targets in parts
    ]


def _stepping(settings: Settings) -> tuple[float, ...]:
    return tuple(getattr(settings, name) for name in STEPPING)


def _chunks(states: range) -> Iterator[slice]:
    for start in range(states.start, states.stop, CHUNK):
        yield slice(start, min(start + CHUNK, states.stop))


def _straight_few(
    compiled: PythonKernel, x: Array, y: Array, instances: Sequence[_Instance], states: range
) -> int:
    for instance in instances:
        for state in states:
            given = x[instance.inputs, state].tolist()
            y[instance.results, state] = results_one(compiled, given)
    return 0


def _straight_apart(
    compiled: PythonKernel, x: Array, y: Array, instances: _Instances, states: range
) -> int:
    """Where what one instance writes is read by none: gathered and scattered once for all."""
    one = compiled.one["results"]
    for state in states:
        given = x[instances.inputs, state].tolist()
        found: list[float] = []
        try:
            for own in instances.slots:
                found += one(given[own])
        except (ArithmeticError, ValueError):
            found = [r for own in instances.slots for r in results_one(compiled, given[own])]
        y[instances.results, state] = found
    return 0


@np.errstate(all="ignore")
def _straight_many(
    compiled: PythonKernel, x: Array, y: Array, instances: Sequence[_Instance], states: range
) -> int:
    results = compiled.many()["results"]
    for instance in instances:
        for chunk in _chunks(states):
            values = results(x[instance.inputs, chunk])
            for row, value in zip(instance.results, values, strict=True):
                y[row, chunk] = value
    return 0


def _iterated_few(
    compiled: PythonKernel,
    x: Array,
    y: Array,
    status: Array,
    instances: Sequence[_Instance],
    numbers: tuple[float, ...],
    states: range,
) -> int:
    failed = 0
    for place, instance in enumerate(instances):
        for state in states:
            given = x[instance.inputs, state].tolist()
            steps, moved, results = iterate_one(compiled, given, numbers, math.inf)
            status[place, state] = steps
            if steps < 0:
                failed += 1
                y[instance.results, state] = math.nan
            else:
                x[instance.moving, state] = moved
                y[instance.results, state] = results
    return failed


def _iterated_many(
    compiled: PythonKernel,
    x: Array,
    y: Array,
    status: Array,
    instances: Sequence[_Instance],
    numbers: tuple[float, ...],
    states: range,
) -> int:
    failed = 0
    for place, instance in enumerate(instances):
        for chunk in _chunks(states):
            given = x[instance.inputs, chunk]
            steps, moved, results = iterate_many(compiled, given, numbers, math.inf)
            status[place, chunk] = steps
            x[instance.moving, chunk] = moved
            y[instance.results, chunk] = results
            failed += int(np.count_nonzero(steps < 0))
    return failed


def _continued(
    compiled: PythonKernel,
    buffers: tuple[Array, Array, Array, Array, Array, Array | None],
    instances: Sequence[_Instance],
    settings: Settings,
) -> int:
    x, y, status, targets, out_x, out_y = buffers
    failed = 0
    for place, instance in enumerate(instances):
        given, results = x[instance.inputs].tolist(), y[instance.results].tolist()
        goals = targets[:, instance.targets].tolist()
        knots = list(_followed(compiled, given, results, goals, settings))
        status[place] = len(knots)
        failed += len(knots) < len(goals)
        if knots:
            x[instance.inputs], y[instance.results] = knots[-1]
            out_x[: len(knots), instance.inputs] = [slots for slots, _ in knots]
            if out_y is not None:
                out_y[: len(knots), instance.results] = [results for _, results in knots]
    return failed


def _followed(
    compiled: PythonKernel,
    given: Sequence[float],
    results: Sequence[float],
    goals: Sequence[Sequence[float]],
    settings: Settings,
) -> Iterator[tuple[Sequence[float], Sequence[float]]]:
    """The slots and results at each knot that is reached."""
    numbers = _stepping(settings)
    for goal in goals:
        ahead, guess = predict_one(compiled, given, results, goal)
        if not ahead <= settings.reach:
            return
        allowed = settings.leap * ahead + settings.noise
        steps, moved, results = iterate_one(compiled, guess, numbers, allowed)
        if steps < 0:
            return
        given = list(guess)
        for slot, value in zip(compiled.moving, moved, strict=True):
            given[slot] = value
        yield given, results
