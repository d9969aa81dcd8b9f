import mujoco
import numpy as np


def test_mujoco_loads_the_example_without_a_warning_and_agrees(example, capfd):
    model = mujoco.MjModel.from_xml_path(str(example.path))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    said = capfd.readouterr()
    assert said.out + said.err == ""
    assert model.body_mass.sum() == np.float64(example.mass(static=True)) or np.isclose(
        model.body_mass.sum(), example.mass(static=True), rtol=1e-12
    )
    np.testing.assert_allclose(data.subtree_com[0], example.center(static=True), atol=1e-12)
    equality = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
    K = np.zeros((data.nefc, model.nv))
    if data.nefc:
        K = data.efc_J.reshape(data.nefc, model.nv)[equality]
    rank = np.linalg.matrix_rank(K, tol=1e-8) if K.size else 0
    assert model.nv - rank == example.mobility
    assert np.abs(data.efc_pos[equality]).max(initial=0.0) < 1e-9
    for body1, at1, body2, at2 in example.closures():
        ends = [
            data.body(b).xmat.reshape(3, 3) @ at + data.body(b).xpos
            for b, at in ((body1, at1), (body2, at2))
        ]
        assert np.linalg.norm(ends[0] - ends[1]) < 1e-9


def test_no_mesh_is_larger_or_smaller_than_the_part_it_is_of(example):
    """A mesh in millimetres would be a thousand times as large as the distances between joints."""
    model = mujoco.MjModel.from_xml_path(str(example.path))
    assert model.nmesh > 0
    assert 0.005 < model.stat.extent < 5.0
