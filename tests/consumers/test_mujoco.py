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
from mjcf_names import body_pose, file_names

from robocompiler.spatial import Pose, quaternion_of


@pytest.fixture
def model(example):
    return mujoco.MjModel.from_xml_path(str(example.file()))


def standing_as(example, model, standing):
    """The consumer where the truth stands, by joint names."""
    data = mujoco.MjData(model)
    for name, value in standing.coordinates.items():
        data.joint(name).qpos[:] = value
    for name, R in standing.turned.items():
        # A ball of MuJoCo's turns from where the file has it.
        start = example.assembled.turned[name]
        data.joint(name).qpos[-4:] = quaternion_of(start.T @ R)
    mujoco.mj_forward(model, data)
    return data


def speed_names(model):
    """Of each row of its mass matrix; a ball's three are about the axes of the body it turns."""
    names = []
    for joint in range(model.njnt):
        own = model.joint(joint)
        ball = own.type[0] == mujoco.mjtJoint.mjJNT_BALL
        names += [f"{own.name}/rotation.{axis}" for axis in "xyz"] if ball else [own.name]
    return names


def poses(example, data):
    found = {}
    for body, name in file_names(example).items():
        own = data.body(name)
        found[body] = body_pose(example, body, Pose(own.xmat.reshape(3, 3), own.xpos))
    return found


def mass_matrix(model, data):
    """Column by column: how it is stored changes from one MuJoCo to the next."""
    M = np.zeros((model.nv, model.nv))
    for row, unit in zip(M, np.eye(model.nv), strict=True):
        mujoco.mj_mulM(model, data, row, unit)
    return M


def equalities(model, data):
    """Rows of its equality constraints, and by how much they are open."""
    rows = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
    J = data.efc_J.reshape(-1, model.nv) if data.nefc else np.zeros((0, model.nv))
    return J[rows], np.abs(data.efc_pos[rows]).max(initial=0.0)


@pytest.mark.row("MuJoCo 3.17", "MJCF", agrees="no warning; bodies, joints, masses and limits")
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
    "MuJoCo 3.17",
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
