"""Names and values that refer to nothing, or not to one thing."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from robocompiler.errors.base import MechanismError


class UnknownNameError(MechanismError):
    """A name refers to nothing."""

    def __init__(self, where: str, what: str, name: str, known: Iterable[str]) -> None:
        self.where, self.what, self.name = where, what, name
        choices = sorted(set(known))
        self.nearest = tuple(difflib.get_close_matches(str(name), choices, n=1, cutoff=0.4))
        if self.nearest:
            hint = f"Did you mean '{self.nearest[0]}'?"
        elif choices:
            shown = ", ".join(f"'{choice}'" for choice in choices[:8])
            hint = f"There are: {shown}{', …' if len(choices) > 8 else ''}."
        else:
            hint = "There is none to choose from."
        super().__init__(f"{where}: there is no {what} '{name}'. {hint}")


class AmbiguousNameError(MechanismError):
    """A name refers to several things."""

    def __init__(self, where: str, what: str, name: str, count: int) -> None:
        self.where, self.what, self.name, self.count = where, what, name, count
        super().__init__(
            f"{where}: {count} {what}s are called '{name}', so which one is meant cannot be told. "
            "Give each a `name:` of its own."
        )


class DuplicateNameError(MechanismError):
    """Two things of one kind have one name."""

    def __init__(self, what: str, name: str, sources: Sequence[str] = ()) -> None:
        self.what, self.name = what, name
        said = f" ({'; '.join(s for s in sources if s)})" if any(sources) else ""
        super().__init__(f"Two {what} are called '{name}'{said}. Rename one of them.")


class UnknownKindError(MechanismError):
    """A joint kind that does not exist."""

    def __init__(self, where: str, kind: str, known: Iterable[str]) -> None:
        self.where, self.kind = where, kind
        super().__init__(
            f"{where}: there is no joint kind '{kind}'. There are: {', '.join(known)}."
        )


class BadValueError(MechanismError):
    """A value that cannot be read, or has the wrong dimension."""

    def __init__(self, where: str, parameter: str, value: str, expected: str) -> None:
        self.where, self.parameter, self.value = where, parameter, value
        super().__init__(f"{where}: {parameter}={value} is not {expected}.")


class UnreadOptionError(MechanismError):
    """An option that an export was asked for by, and that nothing reads."""

    def __init__(
        self, where: str, option: str, meant: str, reason: str, known: Iterable[str]
    ) -> None:
        self.where, self.option, self.meant = where, option, meant
        asked = f": did you mean '{meant}'?" if meant else "."
        why = f": {reason}." if reason else asked
        super().__init__(
            f"{where}: '{option}' has no effect{why} Options are {', '.join(sorted(known))}."
        )
