"""A figure: what was measured, what it is to be, and what it is measured against."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A row of the table."""

    name: str
    value: str
    """As it is shown."""
    number: float | None
    """As it was measured; None where it is none."""
    target: str
    holds: bool | None
    """None for what has no target, or could not be measured."""
    reference: str = ""
    """What others reach, or what it was judged by."""

    @property
    def judgement(self) -> str:
        """One word."""
        return {True: "ok", False: "SHORT", None: "-"}[self.holds]


def at_most(name: str, value: float, most: float, reference: str = "") -> Figure:
    """A figure to be no greater than something. One that is no number is."""
    return Figure(
        name=name,
        value=f"{value:.3g}",
        number=float(value),
        target=f"<= {most:g}",
        holds=bool(value <= most),
        reference=reference,
    )


def at_least(name: str, value: float, least: float, reference: str = "") -> Figure:
    """A figure to be no less than something."""
    return Figure(
        name=name,
        value=f"{value:.3g}",
        number=float(value),
        target=f">= {least:g}",
        holds=bool(value >= least),
        reference=reference,
    )


def near(name: str, value: float, target: float, share: float, reference: str = "") -> Figure:
    """A figure to be something but for a share of it."""
    return Figure(
        name=name,
        value=f"{value:.5g}",
        number=float(value),
        target=f"{target:g} +- {100.0 * share:g} %",
        holds=bool(abs(value - target) <= share * abs(target)),
        reference=reference,
    )


def equal(name: str, found: object, expected: object, reference: str = "") -> Figure:
    """What was counted, and what it must be."""
    return Figure(
        name=name,
        value=_short(found),
        number=None,
        target=_short(expected),
        holds=bool(found == expected),
        reference=reference,
    )


def shown(name: str, value: float, reference: str = "") -> Figure:
    """A figure with nothing to reach."""
    return Figure(
        name=name,
        value=f"{value:.3g}",
        number=float(value),
        target="",
        holds=None,
        reference=reference,
    )


def skipped(name: str, why: str) -> Figure:
    """What could not be measured here."""
    return Figure(name=name, value="skipped", number=None, target="", holds=None, reference=why)


def _short(counted: object) -> str:
    """Counts without the names of a record."""
    if hasattr(counted, "__dataclass_fields__"):
        counted = tuple(asdict(counted).values())
    if isinstance(counted, tuple):
        return " ".join(_short(x) for x in counted)
    return str(counted).replace(" ", "")


def table(figures: Iterable[Figure]) -> str:
    """One line a figure, in columns."""
    head = ("figure", "measured", "target", "", "reference")
    lines = [(f.name, f.value, f.target, f.judgement, f.reference) for f in figures]
    widths = [max(map(len, column)) for column in zip(head, *lines, strict=True)]
    return "\n".join(_line(line, widths) for line in (head, *lines))


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    return "  ".join(padded).rstrip()


def write_json(figures: Iterable[Figure], path: Path) -> None:
    """All figures to a file, that is there as a whole or not at all."""
    text = json.dumps([asdict(figure) for figure in figures], indent=1)
    handle, name = tempfile.mkstemp(dir=path.resolve().parent, prefix=f"{path.name}.")
    try:
        with os.fdopen(handle, "w") as file:
            file.write(text + "\n")
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
