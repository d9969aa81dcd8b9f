"""The ledger as a file.

One JSON object, the same bytes for the same export. Its keys are always there:

    version   1; raised when a key goes or changes its meaning, and not when one is added
    format    as `write` calls it: `mjcf`
    file      the model's name
    entries   a list: what became of each thing that the mechanism says, in the mechanism's order
      property  what kind of thing, as the table in the README calls it
      where     what it is said of: `crank`, `mesh bar`
      what      in words that follow it: `its damping`
      fidelity  `exact`, `approximated` or `dropped`
      how       what it became, or why it is less; "" where there is nothing to say
      error     of an approximation, where it is measured and finite; else null
      unit      of the error, "" for a share of the whole; null where there is none
    warnings  a list: what else to look at
    names     what the file calls things otherwise, by kind: {"joint": {"the mechanism's": "its"}}
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from robocompiler.write.export import LEDGER, Export
from robocompiler.write.formats import Format
from robocompiler.write.ledger import Entry

VERSION = 1
"""Of what is in the file."""


def ledger_file(form: Format, export: Export, warnings: Sequence[str]) -> dict[str, bytes]:
    """The file, by name.

    Args:
        form: the format.
        export: what is written, its ledger complete.
        warnings: all that the export says.
    """
    data = {
        "version": VERSION,
        "format": form.name,
        "file": export.file,
        "entries": [entry_data(entry) for entry in export.ledger.entries],
        "warnings": list(warnings),
        "names": export.names,
    }
    text = json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False)
    return {export.file + LEDGER: f"{text}\n".encode()}


def entry_data(entry: Entry) -> dict[str, Any]:
    """What became of one statement, as JSON has it."""
    measured = entry.error is not None and math.isfinite(entry.error)
    return {
        "property": entry.property.value,
        "where": entry.where,
        "what": entry.what,
        "fidelity": entry.fidelity.value,
        "how": entry.how,
        "error": entry.error if measured else None,
        "unit": entry.unit if measured else None,
    }
