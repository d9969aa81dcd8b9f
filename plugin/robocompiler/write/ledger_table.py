"""The ledger as tables that people read."""

from __future__ import annotations

from collections.abc import Sequence

from robocompiler.tables import table
from robocompiler.write.fidelity import Fidelity
from robocompiler.write.ledger import Entry, counted, shown_error

SAID = {Fidelity.DROPPED: "lost", Fidelity.APPROXIMATED: "approximated"}
"""What is less than exact, the worst first."""


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


def _numbered(counts: Sequence[int]) -> str:
    return " and ".join(
        f"{count} {'is' if count == 1 else 'are'} {said}"
        for count, said in zip(counts, SAID.values(), strict=True)
        if count
    )
