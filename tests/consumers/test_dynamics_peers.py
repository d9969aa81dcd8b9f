"""What generated dynamics are timed beside does accelerate the mechanism, from each state anew."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))

from dynamics_figures.cases import SIZES, MuJoCoAt, PinocchioAt, chain_case, stewart_case

ALGORITHMS = {
    "constraintDynamics": ("constraintDynamics", 1e-12, 8, 1e-12),
    "lcaba": ("lcaba", 1e-6, 10, 1e-6),
}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("name", [*SIZES, "chain"])
def test_pinocchio_accelerates_as_fifty_digits_say_and_stands_at_the_state_that_is_timed(
    name, algorithm
):
    case = chain_case(4, 2) if name == "chain" else stewart_case(name)
    peer, (*row, most) = PinocchioAt(case), ALGORITHMS[algorithm]
    call, error = peer.call(*row)
    assert error <= most
    v_dot = peer.peer.ours(case.q[0], case.v[0], np.array(call()))
    assert case.references[0].acceleration_error(v_dot) <= most


def test_mujoco_accelerates_nearly_so_from_arrays_and_in_a_batch():
    case = stewart_case("Stewart, 24 coordinates")
    peer = MuJoCoAt(case)
    assert peer.error <= 1e-2
    forward = peer.from_arrays()
    expected = forward()
    peer.peer.data.qpos[:] = 0.0
    np.testing.assert_allclose(forward(), expected, rtol=1e-6)
