"""Every exported example, cut as MJCF has it cut."""

from __future__ import annotations

import pytest
from truth import EXAMPLES, Truth, truth


@pytest.fixture(params=EXAMPLES)
def example(request: pytest.FixtureRequest) -> Truth:
    return truth(request.param)
