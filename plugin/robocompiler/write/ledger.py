"""The ledger: what became of all that a mechanism says, in one format."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from robocompiler.write.fidelity import Carries, Fidelity, Property
from robocompiler.write.statements import Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What became of one statement."""

    property: Property
    where: str
    what: str
    fidelity: Fidelity
    how: str
    """What it became, or why it is lost or less; "" where there is nothing to say."""
    error: float | None = None
    """Of an approximation, measured."""
    unit: str = ""
    """Of the error: `m`, `rad`, `kg`, … or "" for a share of the whole."""

    def __str__(self) -> str:
        said, by = f"{self.where}: {self.what}", shown_error(self)
        said += f", off by {by}" if by else ""
        return f"{said}, since {self.how}" if self.how else said


def shown_error(entry: Entry) -> str:
    """As people read it; "" where none is measured."""
    if entry.error is None:
        return ""
    if not math.isfinite(entry.error):
        return "more than any number"
    return f"{entry.error:.3g} {entry.unit}" if entry.unit else f"{100.0 * entry.error:.3g} %"


@dataclass(slots=True)
class Ledger:
    """What a writer notes while it writes.

    It starts with all that the mechanism says; what a writer does not note goes as the format's
    table has it, so that nothing can be left out of the account. Of what is noted without a reason
    that of the table holds.
    """

    statements: tuple[Statement, ...] = ()
    carries: Carries = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    noted: dict[Statement, Entry] = field(default_factory=dict)

    def drop(self, of: Property, where: str, what: str, why: str = "") -> None:
        """Note what is not in the files, and why."""
        self._note(Statement(of, where, what), Fidelity.DROPPED, why)

    def drop_all(self, where: str, of: Iterable[Property], why: str) -> None:
        """Note that all that is said of something, as these properties, is not in the files."""
        for statement in self.statements:
            if statement.where == where and statement.property in of:
                self._note(statement, Fidelity.DROPPED, why)

    def approximate(
        self, of: Property, where: str, what: str, how: str, error: float, unit: str = ""
    ) -> None:
        """Note what is in the files only nearly, and by how much."""
        self._note(Statement(of, where, what), Fidelity.APPROXIMATED, how, error, unit)

    def carry(self, of: Property, where: str, what: str, how: str = "") -> None:
        """Note what is exact though the table says it is less as a rule."""
        self._note(Statement(of, where, what), Fidelity.EXACT, how)

    def warn(self, message: str) -> None:
        """Note what the user should look at; each thing once."""
        if message not in self.warnings:
            self.warnings.append(message)

    def _note(
        self,
        statement: Statement,
        to: Fidelity,
        how: str,
        error: float | None = None,
        unit: str = "",
    ) -> None:
        of, where, what = statement
        self.noted[statement] = Entry(
            property=of,
            where=where,
            what=what,
            fidelity=to,
            how=how or self._reason(of, to),
            error=error,
            unit=unit,
        )

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What became of each statement, in their order; then what was noted beyond them."""
        told = dict.fromkeys(self.statements)
        return (
            *(self.noted.get(statement) or self._as_a_rule(statement) for statement in told),
            *(entry for statement, entry in self.noted.items() if statement not in told),
        )

    def _as_a_rule(self, statement: Statement) -> Entry:
        of, where, what = statement
        fidelity = self.carries[of].fidelity
        how = self._reason(of, fidelity)
        return Entry(property=of, where=where, what=what, fidelity=fidelity, how=how)

    def _reason(self, of: Property, to: Fidelity) -> str:
        """Why a property is less than exact, where the table has it as that."""
        rule = self.carries.get(of)
        return rule.how if rule and rule.fidelity is to is not Fidelity.EXACT else ""

    @property
    def unsupported(self) -> list[Entry]:
        """What is not in the files."""
        return [entry for entry in self.entries if entry.fidelity is Fidelity.DROPPED]


def counted(entries: Iterable[Entry]) -> Mapping[Property, Mapping[Fidelity, int]]:
    """How many entries of each property are of each fidelity."""
    counts: dict[Property, dict[Fidelity, int]] = {}
    for entry in entries:
        own = counts.setdefault(entry.property, {})
        own[entry.fidelity] = own.get(entry.fidelity, 0) + 1
    return counts
