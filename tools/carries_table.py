"""Write what each format carries into the README and `docs/carries.md`, from the formats' tables.

`python tools/carries_table.py` rewrites both; a test fails where they are not what it writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from robocompiler.write.fidelity import Carried, Fidelity, Property
from robocompiler.write.formats import Format
from robocompiler.write.known_formats import FORMATS
from robocompiler.write.options import USD_PROFILES, WriteOptions

ROOT = Path(__file__).resolve().parent.parent
README, DETAILS = ROOT / "README.md", ROOT / "docs" / "carries.md"
BEGIN = "<!-- Written by tools/carries_table.py -->"
END = "<!-- To here -->"
SYMBOLS = {Fidelity.EXACT: "●", Fidelity.APPROXIMATED: "◐", Fidelity.DROPPED: "○"}
GROUPS = {
    Property.REVOLUTE_JOINT: "joints of the tree",
    Property.REVOLUTE_CLOSURE: "closures: joints that were cut",
    Property.ZERO: "what a joint states",
    Property.COUPLING: "couplings and actuators",
    Property.INERTIA: "bodies and frames",
    Property.VISUAL: "shapes and surfaces",
    Property.GRAVITY: "the world, and what is asked of the mechanism",
}
"""What each group of rows is called, by the first of them."""
WIDTH = 48
"""So many characters of a cell are enough, where there is a comma or a colon before."""
VARIANTS = {
    "usd_profile": [(f"`usd_profile: {p}`", {"usd_profile": p}) for p in USD_PROFILES[1:]],
    "intermediate_mass": [("`intermediate_mass: 0.001`", {"intermediate_mass": 0.001})],
}
"""Options that change what a format carries, with values that do."""


def readme(text: str) -> str:
    """The README with the table of all formats between its marks."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{overview()}{END}{after}"


def overview() -> str:
    """One row for each property, one column for each format: how faithfully, in a few words."""
    tables = [form.carries(WriteOptions()) for form in FORMATS.values()]
    rows = [["of the mechanism", *(form.title for form in FORMATS.values())]]
    for of in Property:
        if of in GROUPS:
            rows.append([f"**{GROUPS[of]}**", *("" for _ in tables)])
        rows.append([of.value, *(_cell(carries[of]) for carries in tables)])
    return _markdown(rows)


def details() -> str:
    """Every word of each format's table, one after the other, and what options change."""
    parts = [
        f"{BEGIN}\n\n# What each format carries\n\n"
        "As a rule: the ledger of an export says what became of each thing that a mechanism says.\n"
    ]
    for form in FORMATS.values():
        parts.append(f"\n## {form.title}\n\n{_markdown(_rows(form, WriteOptions()))}")
        for title, options in _variants(form):
            rows = [row for row in _rows(form, options) if row not in _rows(form, WriteOptions())]
            if rows:
                head = _rows(form, options)[:1]
                parts.append(f"\nWith {title}:\n\n{_markdown([*head, *rows])}")
    return "".join(parts)


def _variants(form: Format) -> Iterator[tuple[str, WriteOptions]]:
    for option, values in VARIANTS.items():
        if option in form.options:
            yield from ((title, replace(WriteOptions(), **changed)) for title, changed in values)


def _rows(form: Format, options: WriteOptions) -> list[list[str]]:
    carries = form.carries(options)
    rows = [["of the mechanism", "", f"in {form.title}"]]
    return rows + [[of.value, SYMBOLS[carries[of].fidelity], carries[of].how] for of in Property]


def _cell(carried: Carried) -> str:
    """The symbol and the words before any exception, not too many; `…` stands for the others."""
    how = carried.how.partition(";")[0]
    stops = [match.start() for match in re.finditer("[,:] ", how) if match.start() <= WIDTH]
    if len(how) > WIDTH and stops:
        how = how[: stops[-1]]
    return f"{SYMBOLS[carried.fidelity]} {how}{' …' if how != carried.how else ''}"


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    lines = ["|" + "".join(f" {cell} |" if cell else " |" for cell in row) for row in escaped]
    lines.insert(1, f"|{'---|' * len(rows[0])}")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Rewrite both files."""
    README.write_text(readme(README.read_text(encoding="utf-8")), encoding="utf-8")
    DETAILS.write_text(details(), encoding="utf-8")


if __name__ == "__main__":
    main()
