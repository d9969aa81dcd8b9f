"""The base of every error, and several of them at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

Made = TypeVar("Made")


class MechanismError(Exception):
    """Base of them all: catch this to catch what the input, not the library, did wrong."""

    def __str__(self) -> str:
        """What it says, with every character that cannot be printed escaped: it quotes input."""
        return "".join(
            c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode()
            for c in super().__str__()
        )


class SeveralFaultsError(MechanismError):
    """More than one thing is wrong with a mechanism; `faults` holds each."""

    def __init__(self, faults: Sequence[MechanismError]) -> None:
        self.faults = tuple(faults)
        lines = "\n".join(f"  {i}. {fault}" for i, fault in enumerate(self.faults, 1))
        super().__init__(f"{len(self.faults)} faults:\n{lines}")


def raise_all(faults: Iterable[MechanismError]) -> None:
    """Raise what was found: nothing, the only fault, or all of them as one error."""
    found = list(faults)
    if len(found) == 1:
        raise found[0]
    if found:
        raise SeveralFaultsError(found)


def made_of_each(makers: Mapping[str, Callable[[], Made]]) -> dict[str, Made]:
    """What each makes, by name; what several raise is raised at once."""
    found: dict[str, Made] = {}
    faults: list[MechanismError] = []
    for name, make in makers.items():
        try:
            found[name] = make()
        except SeveralFaultsError as several:
            faults += several.faults
        except MechanismError as fault:
            faults.append(fault)
    raise_all(faults)
    return found


class FormatError(MechanismError):
    """A file or a request does not say what its format says."""
