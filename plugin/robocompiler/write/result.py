"""What a writer hands back."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Unsupported:
    """Something the mechanism says and the format cannot."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass(frozen=True, slots=True)
class WriteResult:
    """The files written, the model first, all that they leave out, and what to look at."""

    files: tuple[Path, ...]
    unsupported: tuple[Unsupported, ...]
    warnings: tuple[str, ...]


@dataclass(slots=True)
class Ledger:
    """What a writer notes while it writes."""

    unsupported: list[Unsupported] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def cannot_say(self, where: str, what: str) -> None:
        """Note what the format has no way to say; each thing once."""
        entry = Unsupported(where, what)
        if entry not in self.unsupported:
            self.unsupported.append(entry)

    def warn(self, message: str) -> None:
        """Note what the user should look at; each thing once."""
        if message not in self.warnings:
            self.warnings.append(message)
