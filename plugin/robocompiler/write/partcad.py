"""What PartCAD asks of an exporter, and what it is answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from robocompiler.write.known_formats import FORMATS
from robocompiler.write.ledger_table import loss_lines
from robocompiler.write.result import WriteResult

ALWAYS = frozenset({"ledger", "strict"})
"""Options that every format has."""


def options_of(request: Mapping[str, Any], name: str) -> dict[str, Any]:
    """What a request asks of `write` in a format, as keywords."""
    return {
        key: request[key] for key in sorted(FORMATS[name].options | ALWAYS) if key in request
    } | {"format": name}


def answer(result: WriteResult) -> dict[str, Any]:
    """What an exporter answers: PartCAD prints each warning, and what is lost.

    A multi-line warning is a table of all that is lost or approximated, where anything is.
    """
    table = "\n".join(loss_lines(result.ledger))
    return {
        "success": True,
        "exception": None,
        "warnings": [*result.warnings, *([table] if table else [])],
        "unsupported": [str(entry) for entry in result.unsupported],
    }
