import mujoco
import numpy as np
import pytest
from agreement import (
    DOUBLES,
    agree_on_centers,
    agree_on_limits,
    agree_on_mass_matrix,
    agree_on_masses,
    rank,
)
from in_mujoco import MUJOCO, equalities, mass_matrix, poses, run, speed_names, standing_as
from mjcf_names import file_names
from moving import moving


@pytest.fixture
def model(example):
    return mujoco.MjModel.from_xml_path(str(example.file()))


@pytest.mark.row(MUJOCO, "MJCF", agrees="no warning; bodies, joints, masses and limits")
def test_mujoco_loads_the_example_without_a_warning_and_has_its_bodies_joints_and_limits(
    example, capfd
):
    model = mujoco.MjModel.from_xml_path(str(example.file()))
    mujoco.mj_forward(model, mujoco.MjData(model))
    said = capfd.readouterr()
    assert said.out + said.err == ""
    names = file_names(example)
    assert {model.body(i).name for i in range(1, model.nbody)} == set(names.values())
    assert model.nbody - 1 == len(names)
    assert sorted(speed_names(model)) == sorted(example.speeds)
    masses = {body: float(model.body(name).mass[0]) for body, name in names.items()}
    agree_on_masses(example, masses)
    joints = [model.joint(name) for name in example.limits]
    limits = {
        own.name: tuple(own.range) if model.jnt_limited[own.id] else (-np.inf, np.inf)
        for own in joints
    }
    agree_on_limits(example, limits)


@pytest.mark.row(
    MUJOCO,
    "MJCF",
    agrees="places, mass matrix, mobility and gap in three closed configurations",
)
def test_mujoco_agrees_in_three_closed_configurations(example, model):
    for standing in example.standings:
        data = standing_as(example, model, standing)
        centers = {body: data.body(name).xipos for body, name in file_names(example).items()}
        agree_on_centers(standing, centers)
        assert np.linalg.norm(data.subtree_com[0] - example.center(standing)) < DOUBLES
        agree_on_mass_matrix(example, standing, mass_matrix(model, data), speed_names(model))
        K, apart = equalities(model, data)
        assert model.nv - rank(K) == standing.mobility
        assert apart < DOUBLES
        for meeting in example.closures:
            assert meeting.gap(poses(example, data)) < DOUBLES


def test_no_mesh_is_larger_or_smaller_than_the_part_it_is_of(model):
    """A mesh in millimetres would be a thousand times as large as the distances between joints."""
    assert model.nmesh > 0
    assert 0.005 < model.stat.extent < 5.0


@pytest.mark.row(MUJOCO, "MJCF", agrees="a second of motion, in the limit of small steps to 1e-5")
def test_a_second_in_mujoco_is_ours_as_its_steps_get_small(example, model):
    """Its method is of first order: a step of a fifth errs a fifth as much, and what both tend to
    is ours. At the file's own step it is half a percent of the way off.
    """
    motion, step = moving(example), model.opt.timestep
    coarse, fine = (run(example, model, motion, h) for h in (step, step / 5.0))
    assert motion.off(coarse) < 5e-3
    assert motion.off((5.0 * fine - coarse) / 4.0) < 1e-5
