"""Functions of one state, of each of several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from robocompiler.errors import BadValueError, MechanismError, SampleError, raise_all

Found = TypeVar("Found")


def of_each(
    solve: Callable[..., Found], samples: Sequence[Mapping[str, Any]], **common: Any
) -> tuple[Found, ...]:
    """What a function of one state gives for each of several, in their order.

    For `static_equilibrium`, `select_velocity`, `integrate` and whatever else takes one state:
    `rc.of_each(rc.static_equilibrium, [{"near": a}, {"near": b}], compiled=compiled, held=["A"])`.

    Args:
        solve: the function.
        samples: for each sample the arguments that are its own, by their names.
        **common: those that all have in common; a sample's own come before them.

    Raises:
        SampleError: samples that fail, all of them at once, each with its cause.
        BadValueError: no sequence of mappings.
    """
    if isinstance(samples, (str, bytes)) or not isinstance(samples, Sequence):
        said = f"a {type(samples).__name__}"
        raise BadValueError("Samples", "samples", said, "a sequence of mappings")
    found, faults = list[Found](), list[MechanismError]()
    for at, own in enumerate(samples):
        if not isinstance(own, Mapping):
            said = f"a {type(own).__name__}"
            raise BadValueError("Samples", f"samples[{at}]", said, "arguments by their names")
        try:
            found.append(solve(**{**common, **own}))
        except MechanismError as cause:
            faults.append(SampleError(at, len(samples), cause))
    raise_all(faults)
    return tuple(found)
