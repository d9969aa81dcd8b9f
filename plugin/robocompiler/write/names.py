"""Names that a format can hold: each the mechanism's where it can be, and a note where not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from robocompiler.errors import UnwritableError

Legal = Callable[[str], str]
"""Makes of a name one of the format's, "" where nothing of it can stay."""


def legal_names(
    kind: str, names: Iterable[str], legal: Legal, title: str, taken: Iterable[str] = ()
) -> dict[str, str]:
    """What a file calls each thing of one kind.

    A name that is legal and free stays. Others are changed as little as `legal` does, and numbered
    where two meet: those that could stay keep theirs whatever the order.

    Args:
        kind: what has these names, for errors: `joint`.
        names: the mechanism's, each once.
        legal: makes one legal.
        title: of the format.
        taken: names that the format itself has, or other kinds in one space with these.

    Raises:
        UnwritableError: names of which nothing can be written.
    """
    own = list(dict.fromkeys(names))
    lost = [name for name in own if not legal(name)]
    if lost:
        shown = ", ".join(f"'{name}'" for name in lost)
        raise UnwritableError(
            f"{title} can hold nothing of the name of {kind} {shown}: give it letters or digits."
        )
    used = set(taken)
    given: dict[str, str] = {}
    for name in sorted(own, key=lambda name: legal(name) != name):
        given[name] = unused(legal(name), used)
        used.add(given[name])
    return {name: given[name] for name in own}


def unused(name: str, used: set[str]) -> str:
    """The name, numbered if need be."""
    candidate, count = name, 1
    while candidate in used:
        count += 1
        candidate = f"{name}_{count}"
    return candidate


def changed(names: Mapping[str, str]) -> dict[str, str]:
    """Those that are not the mechanism's."""
    return {name: given for name, given in names.items() if name != given}
