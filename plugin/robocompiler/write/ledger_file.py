"""The ledger as a file."""

from __future__ import annotations

import json
import math
from typing import Any

from robocompiler.write.export import Export
from robocompiler.write.formats import Format
from robocompiler.write.ledger import Entry

LEDGER = ".ledger.json"
"""After the model's whole name."""


def ledger_file(form: Format, export: Export) -> dict[str, bytes]:
    """The ledger as JSON: one object, the same bytes for the same export."""
    data = {
        "format": form.name,
        "file": export.file,
        "entries": [entry_data(entry) for entry in export.ledger.entries],
        "warnings": export.ledger.warnings,
        "names": export.names,
    }
    text = json.dumps(data, indent=1, ensure_ascii=False)
    return {export.file + LEDGER: f"{text}\n".encode()}


def entry_data(entry: Entry) -> dict[str, Any]:
    """What became of one statement, as JSON has it."""
    said: dict[str, Any] = {
        "property": entry.property.value,
        "where": entry.where,
        "what": entry.what,
        "fidelity": entry.fidelity.value,
    }
    if entry.how:
        said["how"] = entry.how
    if entry.error is not None:
        # JSON has no infinity, which a hull adds to what encloses nothing.
        error = entry.error if math.isfinite(entry.error) else None
        said |= {"error": error, "unit": entry.unit}
    return said
