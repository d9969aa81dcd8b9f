"""What PartCAD asks of an exporter, and what it is answered."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from robocompiler.errors import UnreadOptionError, raise_all
from robocompiler.write.known_formats import FORMATS
from robocompiler.write.ledger_table import loss_lines, renamed_lines
from robocompiler.write.result import WriteResult

ALWAYS = frozenset({"ledger", "strict"})
"""Options that every format has."""
OF_READING = frozenset(
    {"static", "tolerance", "angularTolerance", "closure_tolerance", "closure_angle_tolerance"}
)
"""What the readers of a request take from it: options of every format too."""
OF_PARTCAD = frozenset(
    {
        *("shape_name", "shape_kind", "shape_type", "package_name", "shape_tree", "wrapped"),
        *("properties", "world", "reproducible", "cache_dir", "density"),
        *("viewport_origin", "viewport_up"),
    }
)
"""What PartCAD puts into a request, or reads there itself: of every format, and of `pc render`."""
OF_ITS_EXPORTERS: Mapping[str, Mapping[str, Any]] = {
    "urdf": {
        "ascii": False,
        "inertial": True,
        "effort": 1000.0,
        "velocity": 100.0,
        "composites": "refuse",
    }
}
"""What PartCAD's own exporter of the same name states: it lies below this one's, in each request.
Another value is a user's."""
OF_NONE = {
    "configurations": (
        "`pc export` writes where the mechanism stands; `python -m robocompiler convert "
        "NAME.mechanism.json -o FILE --configuration NAME:JOINT=VALUE` writes others with it"
    ),
    "independent": "it is of C code, which `python -m robocompiler convert -o FILE.c` writes",
}
"""Options of `rc.write` that no entry of `partcad.yaml` has, and what to do instead."""
TYPING_ERROR = 0.75
"""Names at least so alike (`difflib`) are one and its typing error."""


def options_of(request: Mapping[str, Any], name: str) -> dict[str, Any]:
    """What a request asks of `write` in a format, as keywords.

    Raises:
        UnreadOptionError: with `strict`, options of other formats and misspelt ones. Not what
            resembles no option: a later PartCAD may have put it there.
    """
    if request.get("strict") is True:
        raise_all(fault for fault in _unread(request, name) if fault.meant)
    return {
        key: request[key] for key in sorted(FORMATS[name].options | ALWAYS) if key in request
    } | {"format": name}


def unread(request: Mapping[str, Any], name: str) -> list[str]:
    """Warnings of what a request states and nothing reads."""
    return [str(fault) for fault in _unread(request, name)]


def _unread(request: Mapping[str, Any], name: str) -> list[UnreadOptionError]:
    own = FORMATS[name].options | ALWAYS | OF_READING
    beneath = OF_ITS_EXPORTERS.get(name, {})
    where = f"`export: {{{name}: …}}`"
    return [
        UnreadOptionError(where, key, *_meant(key, own), own)
        for key in sorted(set(request) - own - OF_PARTCAD)
        if not (key in beneath and request[key] == beneath[key])
    ]


def _meant(key: str, own: frozenset[str]) -> tuple[str, str]:
    """What a key that is no option most likely is, and why it is none here; empty for neither."""
    elsewhere = {**_of_others(), **OF_NONE}
    meant = key if key in elsewhere else _nearest(key, own) or _nearest(key, elsewhere)
    return meant, "" if meant in own else elsewhere.get(meant, "")


def _of_others() -> dict[str, str]:
    """Of which formats an option is, for those that formats have of their own."""
    titles: dict[str, list[str]] = {}
    for form in FORMATS.values():
        for option in form.options:
            titles.setdefault(option, []).append(form.title)
    return {option: f"'{option}' is of {', '.join(of)}" for option, of in titles.items()}


def _nearest(key: str, names: Iterable[str]) -> str:
    return next(iter(difflib.get_close_matches(key, sorted(names), n=1, cutoff=TYPING_ERROR)), "")


def answer(result: WriteResult, unread: Sequence[str] = ()) -> dict[str, Any]:
    """What an exporter answers: PartCAD prints each warning, and what is lost.

    A multi-line warning is a table of all that is lost or approximated, where anything is.

    Args:
        result: of `write`.
        unread: warnings of what was asked for in vain.
    """
    table = "\n".join(loss_lines(result.ledger))
    renamed = [f"the file calls things otherwise: {line}" for line in renamed_lines(result.names)]
    return {
        "success": True,
        "exception": None,
        "warnings": [*unread, *result.warnings, *renamed, *([table] if table else [])],
        "unsupported": [str(entry) for entry in result.unsupported],
    }
