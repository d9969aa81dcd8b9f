"""PartCAD's `kinematics` and `mass_properties` are on the path in its sandbox; here we put them."""

import importlib.util
import sys
from pathlib import Path

import pytest

_PARTCAD = importlib.util.find_spec("partcad")
if _PARTCAD is not None and _PARTCAD.origin is not None:
    sys.path.append(str(Path(_PARTCAD.origin).parent / "wrappers"))


@pytest.fixture(autouse=True, scope="session")
def _partcad_is_installed() -> None:
    if importlib.util.find_spec("kinematics") is None:
        pytest.skip("PartCAD is not installed here, and its modules read the request")
