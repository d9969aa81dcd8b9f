"""A mechanism as MuJoCo simulates it: written by `rc.write`, with the protocol's numbers put in.

The writer's model has what the protocol asks for: a `connect` for each cut, and for a universal
joint the equality of a spatial tendon between two sites, one along each axis of its cross.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import robocompiler as rc
from dynamics_figures.requests import Drive
from robocompiler.spatial import Array

IMPEDANCE = (0.9999, 0.9999, 0.001)


@dataclass(frozen=True, eq=False)
class Simulated:
    """What a run came to."""

    missed: Array
    """What motors were short of [m], shape (steps, motors)."""
    peak: float
    """The largest command [N]."""
    places: Array
    """Where the body that was watched was [m], shape (steps, 3)."""


def model_of(
    compiled: rc.CompiledMechanism, dt: float, time_constant: float, *, smooth: bool = False
) -> Any:
    """MuJoCo's model: implicitfast, Newton to 1e-12.

    Args:
        compiled: the mechanism; its joints' armature is put in, whether or not it is written.
        dt: the step [s].
        time_constant: of its closures [s].
        smooth: whether contact and friction loss are off.
    """
    import mujoco

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.xml"
        rc.write(compiled, path)
        spec = mujoco.MjSpec.from_file(str(path))
    option = spec.option
    option.timestep, option.iterations, option.tolerance = dt, 100, 1e-12
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    option.solver = mujoco.mjtSolver.mjSOL_NEWTON
    option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    if smooth:
        off = mujoco.mjtDisableBit
        option.disableflags = off.mjDSBL_CONTACT | off.mjDSBL_FRICTIONLOSS
    for equality in spec.equalities:
        equality.solref[:2] = (time_constant, 1.0)
        equality.solimp[:3] = IMPEDANCE
    for tree_joint in compiled.tree:
        joint = tree_joint.edge.joint
        if joint.armature:
            spec.joint(joint.name).armature = joint.armature
    return spec.compile()


def simulate(
    model: Any,
    drive: Drive,
    body: str | None = None,
    pushed: Callable[[float], Array] | None = None,
) -> Simulated:
    """Run a drive from where the model was written.

    Args:
        model: of `model_of`.
        drive: of its motors.
        body: what is watched and pushed.
        pushed: the wrench on it at its frame's origin [N, N m] at a time [s], world axes.
    """
    import mujoco

    data = mujoco.MjData(model)
    joints = [model.joint(name).id for name in drive.motors]
    at, speed = model.jnt_qposadr[joints], model.jnt_dofadr[joints]
    index = model.body(body).id if body else 0
    missed, places, peak = np.zeros_like(drive.values), np.zeros((len(drive.times), 3)), 0.0
    for k, t in enumerate(drive.times):
        mujoco.mj_step1(model, data)
        values = data.qpos[at]
        command = drive.effort(k, values, data.qvel[speed])
        missed[k], places[k] = drive.values[k] - values, data.xpos[index]
        peak = max(peak, float(np.max(np.abs(command))))
        data.qfrc_applied[speed] = command
        if pushed is not None:
            data.xfrc_applied[index] = at_center(pushed(t), data.xpos[index], data.xipos[index])
        mujoco.mj_step2(model, data)
    return Simulated(missed, peak, places)


def at_center(wrench: Array, origin: Array, center: Array) -> Array:
    """The same wrench as MuJoCo has it: at the centre of mass."""
    force = wrench[:3]
    return np.concatenate([force, wrench[3:] + np.cross(origin - center, force)])


def inverse_efforts(model: Any, found: rc.InverseDynamics) -> Array:
    """What MuJoCo's inverse dynamics of the tree takes for a motion, loops open: Eᵀ τ, (knots, m).

    The motion starts where the model was written. Joints turn, slide, or are balls; armature and
    damping are in it, constraints are not.
    """
    import mujoco

    data, before = mujoco.MjData(model), model.opt.disableflags
    compiled = found.dynamics.tree.compiled
    qpos, efforts = _qpos(model, compiled, found.dynamics.tree.q), np.zeros_like(found.v)
    firsts = [model.joint(t.edge.joint.name).dofadr[0] for t in compiled.tree]
    widths = [t.v.stop - t.v.start for t in compiled.tree]
    speeds = np.concatenate([np.arange(i, i + n) for i, n in zip(firsts, widths, strict=True)])
    model.opt.disableflags = before | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    for k in range(len(qpos)):
        data.qpos = qpos[k]
        data.qvel[speeds], data.qacc[speeds] = found.v[k], found.v_dot[k]
        mujoco.mj_inverse(model, data)
        efforts[k] = data.qfrc_inverse[speeds]
    model.opt.disableflags = before
    return found.dynamics.along(efforts)


def _qpos(model: Any, compiled: rc.CompiledMechanism, q: Array) -> Array:
    """MuJoCo's coordinates, shape (knots, nq): its balls are at no turn where they were written."""
    import mujoco

    qpos = np.tile(model.qpos0, (len(q), 1))
    for tree_joint in compiled.tree:
        at = model.joint(tree_joint.edge.joint.name).qposadr[0]
        own = np.array(q[:, tree_joint.q])
        if tree_joint.edge.joint.kind is rc.JointKind.BALL:
            home = q[0, tree_joint.q] * (1.0, -1.0, -1.0, -1.0)
            for turn in own:
                mujoco.mju_mulQuat(turn, home, turn.copy())
        qpos[:, at : at + own.shape[1]] = own
    return qpos
