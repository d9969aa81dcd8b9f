"""What writing hands back."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from robocompiler.write.fidelity import Fidelity
from robocompiler.write.ledger import Entry


@dataclass(frozen=True, slots=True)
class WriteResult:
    """The files written, the model first, what became of all that the mechanism says, and what to
    look at.
    """

    files: tuple[Path, ...]
    ledger: tuple[Entry, ...]
    warnings: tuple[str, ...]
    names: dict[str, dict[str, str]] = field(default_factory=dict)
    """By kind of thing (`body`, `joint`, …): what the file calls each, where that is another name
    than the mechanism's."""

    @property
    def unsupported(self) -> tuple[Entry, ...]:
        """What is not in the files."""
        return tuple(entry for entry in self.ledger if entry.fidelity is Fidelity.DROPPED)
