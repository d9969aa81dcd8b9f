"""The ledger as tables that people read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from robocompiler.tables import table
from robocompiler.write.fidelity import Fidelity
from robocompiler.write.ledger import Entry, counted, shown_error

SAID = {Fidelity.DROPPED: "lost", Fidelity.APPROXIMATED: "approximated"}
"""What is less than exact, the worst first."""
RENAMED_SHOWN = 4
"""Of names of a kind that are others in the file; a ledger has all."""


def count_lines(entries: Sequence[Entry]) -> list[str]:
    """Of each property that is stated, how many times it is exact, approximated and dropped."""
    rows = [("property", *(fidelity.value for fidelity in Fidelity))]
    for of, counts in counted(entries).items():
        cells = (str(counts[fidelity]) if fidelity in counts else "-" for fidelity in Fidelity)
        rows.append((of.value, *cells))
    return table(rows)


def loss_lines(entries: Sequence[Entry]) -> list[str]:
    """What is lost, and what approximated, by how much, and why; none where all is exact."""
    rows = [
        (said, entry.where, entry.what, shown_error(entry), entry.how)
        for fidelity, said in SAID.items()
        for entry in entries
        if entry.fidelity is fidelity
    ]
    if not rows:
        return []
    counts = [sum(row[0] == said for row in rows) for said in SAID.values()]
    title = f"of {len(entries)} things that the mechanism says, {_numbered(counts)}"
    return [title, *table([("", "of", "what", "off by", "why"), *rows])]


def renamed_lines(names: Mapping[str, Mapping[str, str]]) -> list[str]:
    """For each kind of thing, what the file calls some otherwise: the first, and how many more."""
    lines = []
    for kind, own in names.items():
        shown = [f"'{name}' is '{given}'" for name, given in own.items()]
        more = len(shown) - RENAMED_SHOWN
        rest = f" and {more} more" if more > 0 else ""
        lines.append(f"{kind}: {', '.join(shown[:RENAMED_SHOWN])}{rest}")
    return lines


def _numbered(counts: Sequence[int]) -> str:
    return " and ".join(
        f"{count} {'is' if count == 1 else 'are'} {said}"
        for count, said in zip(counts, SAID.values(), strict=True)
        if count
    )
