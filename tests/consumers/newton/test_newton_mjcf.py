import newton
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
from in_newton import NEWTON, equality_rank, loaded, run
from mjcf_names import file_names
from moving import moving
from truth import EXAMPLES, truth


def read(example, text=None):
    """Its names are MJCF's with `_` for what no USD path holds."""
    names = {body: name.replace("-", "_") for body, name in file_names(example).items()}
    source, meshes = (text, False) if text else (str(example.file()), True)
    return loaded(example, lambda own: own.add_mjcf(source, parse_meshes=meshes), names)


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
    NEWTON, "MJCF", agrees="places, mass matrix, mobility and gap in three closed configurations"
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


@pytest.mark.row(NEWTON, "MJCF", cannot="loses the coupling of joints with a hyphen in their names")
def test_newton_loses_a_coupling_of_joints_with_a_hyphen_in_their_names():
    """Seen in 1.8: it renames joints, and looks a tendon's up by their old names."""
    example = truth("gripper")
    assert len(example.compiled.couplings) == 1
    text = example.file().read_text()
    hyphens, none = (
        read(example),
        read(example, text.replace("left-", "left_").replace("right-", "right_")),
    )
    kept = []
    for own in (hyphens, none):
        solver = newton.solvers.SolverMuJoCo(own.model, use_mujoco_cpu=True)
        kept.append((solver.mj_model.ntendon, len(example.speeds) - equality_rank(solver)))
    assert kept == [(0, example.mobility + 1), (1, example.mobility)]


UNCOUPLED = [name for name in EXAMPLES if name != "gripper"]
"""Whose couplings it does not lose."""


@pytest.mark.row(
    NEWTON, "MJCF", agrees="a second of motion by its MuJoCo, to half a percent of the way"
)
@pytest.mark.parametrize("example", UNCOUPLED, indirect=True)
def test_a_second_in_newton_is_ours(example, own):
    motion = moving(example)
    assert motion.off(run(own, motion, example.assembled, 1e-3)) < 5e-3
