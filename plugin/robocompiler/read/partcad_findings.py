"""What reading a request turns up besides the mechanism: faults, warnings, and names in use."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from robocompiler.errors import MechanismError


@dataclass(slots=True)
class Findings:
    """Faults and warnings of one request, collected while it is read."""

    faults: list[MechanismError] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def warn(self, message: str) -> None:
        """Say something once."""
        if message not in self.warnings:
            self.warnings.append(message)

    def not_carried(self, where: str, names: Iterable[str]) -> None:
        """Name what the mechanism has no place for."""
        for name in sorted(names):
            self.warn(f"{where}: '{name}' is not carried over.")


@dataclass(slots=True)
class Names:
    """Names in use, so that a second thing of one name becomes `name-2`, as PartCAD's bodies do."""

    taken: set[str] = field(default_factory=set)

    def claim(self, name: str) -> str:
        """The name itself, or with the lowest free number."""
        free, count = name, 1
        while free in self.taken:
            count += 1
            free = f"{name}-{count}"
        self.taken.add(free)
        return free
