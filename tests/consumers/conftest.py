"""Every exported example, cut as MJCF has it cut; what tests say goes to the matrix."""

from __future__ import annotations

import pytest
import rows
from truth import EXAMPLES, Truth, truth

pytest_configure = rows.pytest_configure
pytest_runtest_makereport = rows.pytest_runtest_makereport
pytest_sessionfinish = rows.pytest_sessionfinish


@pytest.fixture(params=EXAMPLES)
def example(request: pytest.FixtureRequest) -> Truth:
    return truth(request.param)
