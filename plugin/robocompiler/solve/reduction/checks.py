"""Arrays that callers give: those of no sense are refused by name."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import BadValueError, raise_all
from robocompiler.spatial import Array


def read_q(compiled: CompiledMechanism, q: object, where: str) -> Array:
    """Coordinates as floats, shape (…, nq).

    Raises:
        BadValueError: no numbers, of another length, or not finite; of what is not compiled.
    """
    check_compiled(compiled, where)
    expected = f"of shape (…, {compiled.nq})"
    remedy = "of a configuration `rc.coordinates(compiled, configuration)` gives them"
    array = floats(q, where, "q", f"an array {expected}: {remedy}")
    if array.ndim == 0 or array.shape[-1] != compiled.nq:
        raise BadValueError(where, "q", f"an array of shape {array.shape}", expected)
    if not np.all(np.isfinite(array)):
        at = int(np.argwhere(~np.isfinite(array))[0][-1])
        joint = next(t.edge.joint.name for t in compiled.tree if t.q.start <= at < t.q.stop)
        raise BadValueError(where, "q", f"a coordinate of '{joint}'", "a finite number")
    return array


def check_compiled(compiled: object, where: str) -> None:
    """Refuse what no mechanism is that was compiled, such as one that is not yet."""
    if not isinstance(compiled, CompiledMechanism):
        expected = "a compiled mechanism: `rc.compile(mechanism)` makes one"
        raise BadValueError(where, "compiled", said(compiled), expected)


def said(given: object) -> str:
    """What something is, in a few words."""
    name = type(given).__name__
    is_short = isinstance(given, (str, bytes, bool, int, float)) or given is None
    return repr(given)[:40] if is_short else f"{'an' if name[0] in 'aeiouAEIO' else 'a'} {name}"


def floats(given: object, where: str, parameter: str, expected: str) -> Array:
    """Real numbers as an array; text that reads as a number is none.

    Raises:
        BadValueError: anything else.
    """
    try:
        array = np.asarray(given)
        if array.dtype.kind not in "fiubO":
            raise TypeError
        return np.asarray(array, dtype=float)
    except (TypeError, ValueError):
        raise BadValueError(where, parameter, said(given), expected) from None


def read_numbers(given: object, names: Sequence[str], where: str, parameter: str) -> Array:
    """A finite number for each of these names along the last axis, shape (…, names).

    Raises:
        BadValueError: anything else.
    """
    shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
    expected = f"an array of shape (…, {len(names)}), a number for each of: {shown}"
    numbers = floats(given, where, parameter, expected)
    check_numbers(numbers, names, where, parameter)
    return numbers


def read_mapping(given: object, where: str, parameter: str, what: str) -> dict[str, object]:
    """What is given by name; None is nothing.

    Raises:
        BadValueError: no mapping; `what` says of what to what it is one.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise BadValueError(where, parameter, said(given), f"a mapping of {what}")
    return dict(given)


def read_names(given: object, where: str, parameter: str) -> tuple[str, ...]:
    """Names, in their order.

    Raises:
        BadValueError: one text, which would be read letter by letter, or what is no sequence.
        UnknownNameError: an entry that is no text.
    """
    if isinstance(given, str):
        raise BadValueError(where, parameter, repr(given), f"a sequence of names: [{given!r}]")
    if not isinstance(given, Sequence):
        raise BadValueError(where, parameter, said(given), "a sequence of names")
    raise_all(
        BadValueError(where, parameter, f"{said(name)} at {at}", "a name")
        for at, name in enumerate(given)
        if not isinstance(name, str)
    )
    return tuple(given)


def one_number(given: object, where: str, parameter: str) -> float:
    """One real number, which may be infinite or none (NaN).

    Raises:
        BadValueError: anything else.
    """
    array = floats(given, where, parameter, "a number")
    if array.shape:
        raise BadValueError(where, parameter, f"an array of shape {array.shape}", "one number")
    return float(array)


def joint_batch(where: str, **batches: tuple[int, ...]) -> tuple[int, ...]:
    """The leading axes of several arrays together, by their names.

    Raises:
        BadValueError: they do not go together, or hold no state at all.
    """
    joined: tuple[int, ...] = ()
    for name, own in batches.items():
        try:
            joined = np.broadcast_shapes(joined, own)
        except ValueError:
            expected = f"one that goes with {joined}, the batch of what else is given"
            raise BadValueError(where, name, f"a batch of shape {own}", expected) from None
        if math.prod(joined) == 0:
            what = f"a batch of shape {own}"
            raise BadValueError(where, name, what, "one state or more")
    return joined


def check_numbers(given: Array, names: Sequence[str], where: str, parameter: str) -> None:
    """Refuse what is not a finite number for each of these names along the last axis."""
    shape = np.shape(given)
    if not shape or shape[-1] != len(names):
        shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
        expected = f"of shape (…, {len(names)})" + (f", for each of: {shown}" if names else "")
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
