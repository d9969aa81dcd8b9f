"""MuJoCo's figures by the truth's names, of any format it has read."""

from __future__ import annotations

import mujoco
import numpy as np
from mjcf_names import body_pose, file_names
from moving import DURATION, SAMPLES

from robocompiler.spatial import Pose, quaternion_of

MUJOCO = f"MuJoCo {'.'.join(mujoco.__version__.split('.')[:2])}"
"""As the matrix calls it."""


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


def run(example, model, motion, timestep):
    """The drivers' coordinates every tenth of a second, without contact and dry friction."""
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    model.dof_frictionloss[:] = 0.0
    model.opt.timestep = timestep
    data = standing_as(example, model, example.assembled)
    for name, speed in motion.speeds.items():
        data.joint(name).qvel[:] = speed
    for name, effort in motion.efforts.items():
        data.joint(name).qfrc_applied[:] = effort
    found = []
    for sample in range(SAMPLES + 1):
        found.append([float(data.joint(name).qpos[0]) for name in motion.drivers])
        for _ in range(round(DURATION / SAMPLES / timestep) if sample < SAMPLES else 0):
            mujoco.mj_step(model, data)
    return np.array(found)
