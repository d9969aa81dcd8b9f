"""Every exported example, cut as MJCF has it cut; what tests say goes to the matrix."""

from __future__ import annotations

import matrix
import pytest
from truth import EXAMPLES, Truth, truth

pytest_configure = matrix.pytest_configure
pytest_runtest_makereport = matrix.pytest_runtest_makereport
pytest_sessionfinish = matrix.pytest_sessionfinish


@pytest.fixture(params=EXAMPLES)
def example(request: pytest.FixtureRequest) -> Truth:
    return truth(request.param)
