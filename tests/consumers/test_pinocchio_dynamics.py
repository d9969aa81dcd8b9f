"""How a mechanism accelerates, as Pinocchio and MuJoCo have it from its tree and its closures."""

import sys
from pathlib import Path

import numpy as np
import pytest

import robocompiler as rc

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))

from accuracy_figures import legged_states, states
from accuracy_figures.mujoco_peer import MuJoCo
from accuracy_figures.pinocchio_peer import Pinocchio

SETS = {
    "Stewart": states.stewart_b,
    "excavator": states.excavator_b,
    "Go2": legged_states.go2_c8,
    "Kangaroo": legged_states.kangaroo_a,
}


@pytest.mark.parametrize("name", SETS)
def test_accelerations_are_those_of_pinocchio_and_nearly_those_of_mujoco(name):
    """MuJoCo's constraints are soft: on light parts they give way by some hundredths."""
    for state in SETS[name](3):
        free, q = state.without_support()
        found = rc.forward_dynamics(free, q, state.u, state.efforts, **state.conditions())
        ours, v = state.with_support(found.v_dot), state.with_support(found.v)
        size = max(1.0, float(np.abs(ours).max()))
        theirs = Pinocchio(state.compiled, state.q).forward("constraintDynamics", state, v)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-11 * size)
        soft = MuJoCo(state.compiled, state.q).forward(state, v)
        off = found.dynamics.tree_mass @ (ours - soft)
        scale = max(1.0, float(np.abs(found.dynamics.tree_bias).max()))
        assert float(np.abs(off).max()) < 0.02 * scale
