"""Tests that need OCP, in PartCAD's sandbox, which has it: nothing is installed there."""

import os
import subprocess
import sysconfig

import pc
import pytest

GATE = pc.ROOT / "examples" / "gate"
NEED_OCP = (
    "tests/read/test_geometry.py",
    "tests/write/test_meshes.py::test_mujoco_sees_the_bounding_box_that_occt_measures",
)


@pytest.mark.partcad
def test_what_tessellates_holds_in_the_sandbox_it_runs_in(tmp_path):
    made = pc.pc("export", "-t", "step", "-O", tmp_path, "-a", "gate", cwd=GATE)
    assert made.returncode == 0, made.stdout  # so that there is a sandbox
    (python,) = pc.STATE.glob("state/sandbox/pc-py-venv-*/bin/python")
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *NEED_OCP],
        cwd=pc.ROOT,
        env={**os.environ, "PYTHONPATH": sysconfig.get_paths()["purelib"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "skipped" not in done.stdout.splitlines()[-1]
