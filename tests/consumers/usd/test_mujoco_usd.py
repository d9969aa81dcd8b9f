"""USD of profile `mujoco` and of none in particular, as MuJoCo 4.0 reads it.

Of `generic` it takes hinges, slides and closures, and three things otherwise than they are meant:
it counts from where the bodies stand instead of from where joint frames meet, so that limits and
the offsets of couplings are elsewhere; it leaves out balls of the tree, with a warning; and it
takes a mimic's offset for one from there. Hence `mjc:ref` and hinges in the profile of its own.
"""

import mujoco
import mujoco._usd  # registers what decodes USD
import numpy as np
import pytest
from agreement import (
    FLOATS,
    agree_on_centers,
    agree_on_limits,
    agree_on_mass_matrix,
    agree_on_masses,
    rank,
)
from in_mujoco import MUJOCO, equalities, mass_matrix
from moving import DURATION, SAMPLES, moving
from truth import EXAMPLES
from usd_files import written

from robocompiler.spatial import Pose


def load(path):
    return mujoco.MjSpec.from_file(str(path)).compile()


@pytest.fixture(params=EXAMPLES)
def stage(request, tmp_path):
    return written(request.param, "mujoco", tmp_path)


def standing_as(stage, model, standing):
    data = mujoco.MjData(model)
    for joint, value in stage.axes(standing).items():
        data.joint(joint).qpos[0] = value
    mujoco.mj_forward(model, data)
    return data


@pytest.mark.row(
    MUJOCO, "USD", agrees="profile `mujoco`: no warning; bodies, joints, masses, limits, meshes"
)
def test_mujoco_loads_the_example_without_a_warning(stage, capfd):
    model = load(stage.path)
    said = capfd.readouterr()
    assert said.out + said.err == ""
    own = stage.truth
    joints = {model.joint(i).name for i in range(model.njnt)}
    assert joints == set(stage.axes(own.assembled))
    bodies = {stage.body(name) for name in (*own.bodies, *own.masses)}
    assert {model.body(i).name for i in range(1, model.nbody)} == bodies
    masses = {name: float(model.body(stage.body(name)).mass[0]) for name in own.masses}
    agree_on_masses(own, masses, FLOATS)
    found = {}
    for name in own.limits:
        joint = model.joint(stage.joint(name))
        found[name] = tuple(joint.range) if joint.limited[0] else (-np.inf, np.inf)
    agree_on_limits(own, found, FLOATS)
    # It loads a mesh for each shape, though the stage has each once.
    assert model.nmesh == sum(len(body.shapes) for body in own.compiled.bodies)
    assert 0.005 < model.stat.extent < 5.0


@pytest.mark.row(
    MUJOCO,
    "USD",
    agrees="profile `mujoco`: places, mass matrix, mobility and gap in three closed configurations",
)
def test_mujoco_agrees_in_three_closed_configurations(stage):
    model, own = load(stage.path), stage.truth
    names = [model.joint(i).name for i in range(model.njnt)]
    for standing in own.standings:
        data = standing_as(stage, model, standing)
        centers = {name: data.body(stage.body(name)).xipos for name in own.masses}
        agree_on_centers(standing, centers, FLOATS)
        for body in own.bodies:
            found = data.body(stage.body(body))
            X = stage.body_pose(body, Pose(found.xmat.reshape(3, 3), found.xpos))
            np.testing.assert_allclose(X.p, standing.poses[body].p, atol=FLOATS)
            np.testing.assert_allclose(X.R, standing.poses[body].R, atol=FLOATS)
        columns, E = stage.speeds(standing)
        order = [names.index(name) for name in columns]
        inverse = np.linalg.inv(E)
        M = inverse.T @ mass_matrix(model, data)[np.ix_(order, order)] @ inverse
        agree_on_mass_matrix(own, standing, M, own.speeds, FLOATS)
        J, gap = equalities(model, data)
        assert gap < FLOATS
        assert model.nv - rank(J, 1e-6) == standing.mobility


@pytest.mark.row(MUJOCO, "USD", agrees="profile `mujoco`: a key where the file stands, closed")
def test_the_first_key_is_where_the_example_is_assembled(stage):
    model = load(stage.path)
    assert model.nkey == 1
    np.testing.assert_allclose(model.key_qpos[0], model.qpos0, atol=FLOATS)


@pytest.mark.row(
    MUJOCO,
    "USD",
    cannot="profile `generic`: counts coordinates from where bodies stand, not from joint frames",
)
def test_of_a_generic_stage_mujoco_has_coordinates_of_its_own(tmp_path):
    stage = written("gate", "generic", tmp_path)
    model = load(stage.path)
    assert model.qpos0.tolist() == [0.0]
    stage = written("slider_crank", "generic", tmp_path)
    model = load(stage.path)
    slide = model.joint(stage.joint("piston-frame"))
    # The stroke is from 0.06 to 0.14 m, and the file stands at 0.11: here that is 0, out of range.
    np.testing.assert_allclose(slide.range, [0.06, 0.14], rtol=FLOATS)
    assert model.qpos0[slide.qposadr[0]] == 0.0


@pytest.mark.row(MUJOCO, "USD", cannot="profile `generic`: leaves out a ball of the tree")
def test_of_a_generic_stage_mujoco_leaves_out_a_ball_and_says_so(tmp_path, capfd):
    stage = written("stewart", "generic", tmp_path)
    model = load(stage.path)
    said = capfd.readouterr()
    assert "Unsupported joint type" in said.out + said.err
    joints = {model.joint(i).name for i in range(model.njnt)}
    assert stage.joint("leg-1") not in joints


@pytest.mark.row(MUJOCO, "USD", agrees="profile `generic`: trees of hinges and slides, and loops")
@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "stewart"])
def test_a_generic_stage_stands_closed_in_mujoco(name, tmp_path, capfd):
    stage = written(name, "generic", tmp_path)
    model = load(stage.path)
    said = capfd.readouterr()
    assert said.out + said.err == ""
    own, data = stage.truth, mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    centers = {body: data.body(stage.body(body)).xipos for body in own.masses}
    agree_on_centers(own.assembled, centers, FLOATS)
    connects = model.eq_type == mujoco.mjtEq.mjEQ_CONNECT
    assert np.count_nonzero(connects) == len(own.closures)
    rows = data.efc_pos[: 3 * len(own.closures)]
    assert data.ncon == 0
    if not own.compiled.couplings:
        assert np.abs(rows).max(initial=0.0) < FLOATS


def run(stage, model, motion, timestep):
    """The drivers' coordinates every tenth of a second, without contact and dry friction."""
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    model.dof_frictionloss[:] = 0.0
    model.opt.timestep = timestep
    data = standing_as(stage, model, stage.truth.assembled)
    for name, speed in motion.speeds.items():
        data.joint(stage.joint(name)).qvel[:] = speed
    for name, effort in motion.efforts.items():
        data.joint(stage.joint(name)).qfrc_applied[:] = effort
    found = []
    for sample in range(SAMPLES + 1):
        found.append([float(data.joint(stage.joint(n)).qpos[0]) for n in motion.drivers])
        for _ in range(round(DURATION / SAMPLES / timestep) if sample < SAMPLES else 0):
            mujoco.mj_step(model, data)
    return np.array(found)


@pytest.mark.row(MUJOCO, "USD", agrees="profile `mujoco`: a second of motion, within 0.5 %")
def test_mujoco_moves_as_we_do(stage):
    motion = moving(stage.truth)
    off = motion.off(run(stage, load(stage.path), motion, 1e-3))
    assert off < 5e-3
