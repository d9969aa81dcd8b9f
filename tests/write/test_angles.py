"""Angles of rotations against SciPy's."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from robocompiler.write.angles import roll_pitch_yaw


@pytest.mark.parametrize(
    "pitch", [0.3, math.pi / 2, -math.pi / 2, math.pi / 2 - 1e-9, 1e-8 - math.pi / 2]
)
def test_angles_turn_as_the_matrix_does_also_where_roll_and_yaw_are_one(pitch):
    R = Rotation.from_euler("xyz", [0.7, pitch, -2.1]).as_matrix()
    again = Rotation.from_euler("xyz", roll_pitch_yaw(R)).as_matrix()
    np.testing.assert_allclose(again, R, atol=2e-15)
