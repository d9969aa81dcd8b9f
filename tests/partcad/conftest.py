"""One state of PartCAD for all of these tests, whose daemons are stopped before and after."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pc import stop


@pytest.fixture(scope="session", autouse=True)
def _no_stale_daemon() -> Iterator[None]:
    """A warm daemon serves files as they were."""
    stop()
    yield
    stop()
