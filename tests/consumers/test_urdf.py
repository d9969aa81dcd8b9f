"""URDFs of our writing, as `check_urdf` has them."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from truth import EXAMPLES
from urdf_files import written


@pytest.fixture(params=EXAMPLES)
def urdf(request, tmp_path):
    return written(request.param, tmp_path)


def checkers():
    own = Path(sys.prefix) / "bin" / "check_urdf"
    return [str(path) for path in (shutil.which("check_urdf"), own) if path and Path(path).exists()]


@pytest.mark.row("check_urdf", "URDF", agrees="a valid tree, none of it unread")
def test_check_urdf_finds_a_valid_tree(urdf):
    assert checkers()
    for checker in checkers():
        run = subprocess.run([checker, str(urdf.path)], capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        assert run.stderr == ""
        assert "root Link: world" in run.stdout
