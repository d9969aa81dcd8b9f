import pytest
from agreement import (
    FLOAT_CHAINS,
    FLOAT_SUMS,
    FLOATS,
    agree_on_centers,
    agree_on_limits,
    agree_on_mass_matrix,
    agree_on_masses,
    rank,
)
from in_newton import NEWTON, loaded
from mjcf_names import file_names


def read(example, text=None):
    """Its names are MJCF's with `_` for what no USD path holds."""
    names = {body: name.replace("-", "_") for body, name in file_names(example).items()}
    source = str(example.file()) if text is None else text
    return loaded(example, lambda builder: builder.add_mjcf(source), names)


@pytest.fixture
def own(example):
    return read(example)


@pytest.mark.row(NEWTON, "MJCF", agrees="bodies, joints, masses, limits and closures")
def test_newton_has_the_examples_bodies_joints_limits_and_closures(example, own):
    assert len(own.bodies) == own.model.body_count == len(example.bodies) + 1
    joints = list(own.joints())
    # The static base hangs on a fixed joint.
    assert own.model.joint_count == len(joints) + 1 + len(example.closures)
    assert len(own.loops) == len(example.closures)
    agree_on_masses(example, own.masses(), FLOATS)
    agree_on_limits(example, own.limits(example.assembled), FLOATS)


@pytest.mark.row(
    NEWTON, "MJCF", agrees="places, mass matrix and gap in three closed configurations"
)
def test_newton_agrees_in_three_closed_configurations(example, own):
    zero = example.assembled
    for standing in example.standings:
        state = own.state(own.q(standing, zero))
        agree_on_centers(standing, own.centers(state), FLOAT_CHAINS)
        M = own.mass_matrix(standing, zero)
        agree_on_mass_matrix(example, standing, M, example.speeds, FLOAT_SUMS)
        assert all(m.gap(own.poses(state)) < FLOAT_CHAINS for m in example.closures)
        freedoms = len(example.speeds) - rank(own.closure_rows(standing, zero), 1e-5)
        assert freedoms == standing.mobility + len(example.compiled.couplings)
