"""Joints of every kind in MuJoCo 4.0: several between two bodies are one of all their freedoms."""

import mujoco
import mujoco._usd  # registers what decodes USD
import numpy as np
import pytest
from agreement import FLOATS
from in_mujoco import MUJOCO
from usd_kinds import KINDS, written

from robocompiler.model.joint_kinds import JointKind


@pytest.mark.row(MUJOCO, "USD", agrees="profile `mujoco`: joints of every kind, crossed either way")
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_mujoco_moves_a_joint_of_any_kind_as_we_do(kind, reverse, tmp_path):
    path, samples = written(kind, reverse, "mujoco", tmp_path)
    model = mujoco.MjSpec.from_file(str(path)).compile()
    assert model.nbody == 4
    screw = kind is JointKind.SCREW
    assert model.nv == 1 + kind.dof + screw
    assert model.neq == screw
    data = mujoco.MjData(model)
    for moved in samples:
        data.qpos[:] = model.qpos0
        for name, value in moved.axes.items():
            data.joint(f"/arm/joints/{name}").qpos[0] = value
        mujoco.mj_forward(model, data)
        for body, X in moved.poses.items():
            own = data.body(f"/arm/{body}")
            np.testing.assert_allclose(own.xpos, X.p, atol=FLOATS)
            np.testing.assert_allclose(own.xmat.reshape(3, 3), X.R, atol=FLOATS)
        if screw:
            assert np.abs(data.efc_pos[: data.ne]).max() < FLOATS
