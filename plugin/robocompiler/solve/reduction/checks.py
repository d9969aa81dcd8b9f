"""Arrays that callers give: those of no sense are refused by name."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import BadValueError
from robocompiler.spatial import Array


def read_q(compiled: CompiledMechanism, q: object, where: str) -> Array:
    """Coordinates as floats, shape (…, nq).

    Raises:
        BadValueError: no numbers, of another length, or not finite.
    """
    expected = f"of shape (…, {compiled.nq})"
    try:
        array = np.asarray(q, dtype=float)
    except (TypeError, ValueError):
        remedy = "of a configuration `rc.coordinates(compiled, configuration)` gives them"
        what = f"an array {expected}: {remedy}"
        raise BadValueError(where, "q", f"a {type(q).__name__}", what) from None
    if array.ndim == 0 or array.shape[-1] != compiled.nq:
        raise BadValueError(where, "q", f"an array of shape {array.shape}", expected)
    if not np.all(np.isfinite(array)):
        at = int(np.argwhere(~np.isfinite(array))[0][-1])
        joint = next(t.edge.joint.name for t in compiled.tree if t.q.start <= at < t.q.stop)
        raise BadValueError(where, "q", f"a coordinate of '{joint}'", "a finite number")
    return array


def check_numbers(given: Array, names: Sequence[str], where: str, parameter: str) -> None:
    """Refuse what is not a finite number for each of these names along the last axis."""
    shape = np.shape(given)
    if not shape or shape[-1] != len(names):
        expected = f"of shape (…, {len(names)})"
        raise BadValueError(where, parameter, f"an array of shape {shape}", expected)
    if not np.all(np.isfinite(given)):
        at = int(np.argwhere(~np.isfinite(given))[0][-1])
        raise BadValueError(where, parameter, f"that of '{names[at]}'", "a finite number")


def first_of(q: Array, where: str) -> Array:
    """The first configuration of a batch of shape (…, nq).

    Raises:
        BadValueError: there is none.
    """
    batch = q.reshape(math.prod(q.shape[:-1]), q.shape[-1])
    if not len(batch):
        raise BadValueError(where, "q", f"an array of shape {q.shape}", "one configuration or more")
    return np.asarray(batch[0])
