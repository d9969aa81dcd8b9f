"""What each test says of a consumer and a format, kept for `tools/matrix.py`.

    @pytest.mark.row("Drake", "MJCF", agrees="mass matrix, mobility and gap")
    @pytest.mark.row("Drake", "MJCF", cannot="reads no gravity")

A test that passes is the evidence of what it says: that consumer and our own model agree on
something, or that the consumer cannot do a thing. What is skipped is said too, with its reason.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("RC_MATRIX", "build/matrix"))
_rows: list[dict[str, str]] = []


def pytest_configure(config):
    config.addinivalue_line("markers", "row(consumer, format, agrees=, cannot=): see rows.py")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.when != "call" and report.passed:
        return
    for mark in item.iter_markers("row"):
        (kind, says), (consumer, form) = next(iter(mark.kwargs.items())), mark.args
        _rows.append(
            {
                "consumer": consumer,
                "format": form,
                "kind": kind,
                "says": says,
                "test": item.nodeid,
                "outcome": report.outcome,
                "reason": report.longrepr[2] if report.skipped else "",
            }
        )


def pytest_sessionfinish(session):
    """A file of each environment, by its folder's name: a second run takes its place."""
    if _rows:
        FOLDER.mkdir(parents=True, exist_ok=True)
        name = Path(sys.prefix).name.lstrip(".")
        (FOLDER / f"{name}.json").write_text(json.dumps(_rows, indent=1))
