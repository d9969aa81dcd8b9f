"""URDFs of our writing, as MuJoCo reads them, 3.17 and 4.0."""

import mujoco
import numpy as np
import pytest
from agreement import DOUBLES, agree_on_centers, agree_on_masses
from in_mujoco import MUJOCO, run
from moving import moving
from truth import EXAMPLES, LOOPLESS
from urdf_files import written

from robocompiler.spatial import Pose


@pytest.fixture(params=[name for name in EXAMPLES if name != "stewart"])
def urdf(request, tmp_path):
    return written(request.param, tmp_path)


@pytest.mark.row(
    MUJOCO, "URDF", cannot="takes no link without mass between axes, so no joint of several as is"
)
def test_mujoco_takes_no_link_without_mass_between_axes(tmp_path):
    urdf = written("stewart", tmp_path)
    with pytest.raises(ValueError, match="mass and inertia of moving bodies"):
        mujoco.MjModel.from_xml_path(str(urdf.path))


@pytest.mark.row(MUJOCO, "URDF", agrees="links between axes that have a mass, and what they add")
def test_mujoco_takes_links_between_axes_that_have_a_mass(tmp_path):
    urdf = written("stewart", tmp_path, mass=1e-3)
    model = mujoco.MjModel.from_xml_path(str(urdf.path))
    assert model.nv == len(urdf.axes)
    # Six universal joints have one such link each, and the ball has two.
    assert model.body_mass.sum() == pytest.approx(urdf.truth.mass() + 8e-3, rel=1e-12)
    noted = [entry.error for entry in urdf.result.ledger if entry.error is not None]
    assert sum(noted) == pytest.approx(8e-3)


@pytest.mark.row(
    MUJOCO, "URDF", agrees="no warning; bodies, joints, masses, limits, mimics and meshes in metres"
)
def test_mujoco_loads_the_example_without_a_warning(urdf, capfd):
    model = mujoco.MjModel.from_xml_path(str(urdf.path))
    said = capfd.readouterr()
    assert said.out + said.err == ""
    assert {model.joint(i).name for i in range(model.njnt)} == {axis.name for axis in urdf.axes}
    masses = {body: float(model.body(link).mass[0]) for body, link in urdf.bodies.items()}
    agree_on_masses(urdf.truth, masses)
    assert model.neq == len(urdf.truth.compiled.couplings)
    assert model.nmesh > 0
    assert 0.005 < model.stat.extent < 5.0
    for name, ends in urdf.limits.items():
        joint = model.joint(name)
        if np.all(np.isfinite(ends)):
            assert tuple(joint.range) == ends


@pytest.mark.row(MUJOCO, "URDF", agrees="places and mass matrix in three closed configurations")
def test_mujoco_agrees_in_three_closed_configurations(urdf):
    model = mujoco.MjModel.from_xml_path(str(urdf.path))
    data = mujoco.MjData(model)
    for standing in urdf.truth.standings:
        for axis in urdf.axes:
            data.joint(axis.name).qpos[0] = axis.value(standing)
        mujoco.mj_forward(model, data)
        agree_on_centers(standing, {b: data.body(n).xipos for b, n in urdf.bodies.items()})
        for body, link in urdf.bodies.items():
            own = data.body(link)
            X = urdf.body_pose(body, Pose(own.xmat.reshape(3, 3), own.xpos))
            np.testing.assert_allclose(X.p, standing.poses[body].p, atol=DOUBLES)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        names = [model.joint(i).name for i in range(model.njnt)]
        urdf.agree_on_mass_matrix(standing, M, names)
        # MuJoCo's URDF has no loops: what meets stands on links named after them.
        for closure in urdf.truth.compiled.closures:
            ends = [data.body(f"{closure.name}_{end}").xpos for end in ("parent", "child")]
            assert np.linalg.norm(ends[0] - ends[1]) < DOUBLES


@pytest.mark.row(MUJOCO, "URDF", agrees="a second of motion of what has no loops, to 1e-5")
@pytest.mark.parametrize("name", LOOPLESS)
def test_a_second_in_mujoco_is_ours_as_its_steps_get_small(name, tmp_path):
    urdf = written(name, tmp_path)
    model, motion = mujoco.MjModel.from_xml_path(str(urdf.path)), moving(urdf.truth)
    coarse, fine = (run(urdf.truth, model, motion, timestep) for timestep in (1e-3, 2e-4))
    assert motion.off(coarse) < 5e-3
    assert motion.off((5.0 * fine - coarse) / 4.0) < 1e-5


@pytest.mark.row(
    MUJOCO, "URDF", cannot="has no loops of a URDF; what meets are links named after them"
)
def test_mujoco_reads_no_loop_of_a_urdf(urdf):
    model = mujoco.MjModel.from_xml_path(str(urdf.path))
    closures = urdf.truth.compiled.closures
    assert model.neq == len(urdf.truth.compiled.couplings)
    links = {model.body(i).name for i in range(model.nbody)}
    assert {f"{own.name}_{end}" for own in closures for end in ("parent", "child")} <= links
