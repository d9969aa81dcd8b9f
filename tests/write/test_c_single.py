"""C of numbers with seven digits, against what sixteen make of the same states."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

import robocompiler as rc
from linkages.bound import bound, shaken
from linkages.overconstrained import bricard
from linkages.planar import braced_parallelogram

GCC = shutil.which("gcc")
REDUNDANT = {"braced parallelogram": braced_parallelogram, "Bricard": bricard}


@pytest.mark.skipif(GCC is None, reason="there is no gcc")
@pytest.mark.parametrize("name", REDUNDANT)
def test_rows_that_are_not_solved_are_not_asked_for_digits_that_are_not_there(name, tmp_path):
    """Newton stops at 1e-5; what it does not solve is met to a few times that."""
    own = bound(REDUNDANT[name](), "python")
    (source, _) = rc.write(own.compiled, tmp_path / "own.c").files
    target = tmp_path / "own.so"
    options = ["-std=c99", "-O1", "-DOWN_FLOAT", "-shared", "-fPIC"]
    subprocess.run([GCC, *options, source, "-o", target, "-lm"], check=True)
    correct = ctypes.CDLL(target).own_correct
    E = np.zeros(own.E.size, dtype=np.float32)
    for start in shaken(own, 400, 0.05, 0.05, seed=3):
        own.q = start
        own.correct()
        q = start.astype(np.float32)
        assert correct(*(ctypes.c_void_p(x.ctypes.data) for x in (q, E))) >= 0
        np.testing.assert_allclose(q, own.q, atol=1e-3)
