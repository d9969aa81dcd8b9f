"""Newton's figures by the truth's names, of any format it has read. It holds floats."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import newton
import numpy as np
import warp
from agreement import rank
from moving import DURATION, SAMPLES
from truth import STATIC, Truth

from robocompiler.spatial import Pose, quaternion_of, rotation_of, skew
from robocompiler.write.usd.mujoco import SOLIMP, SOLREF

NEWTON = "Newton 1.8"
"""As the matrix calls it."""
OPEN_END = 1e9
"""Beyond this a limit stands for none [m or rad]."""
warp.config.quiet = True


def pose_of(transform):
    """Of its position and quaternion x y z w."""
    x, y, z, w = (float(value) for value in transform[3:])
    return Pose(rotation_of((w, x, y, z)), np.array(transform[:3], dtype=float))


@dataclass(frozen=True, eq=False)
class Loaded:
    """What Newton made of an example."""

    example: Truth
    builder: newton.ModelBuilder
    model: newton.Model
    bodies: dict[str, int]
    """Of the mechanism; `world` where what does not move is a body of its own."""

    def joints(self):
        """Of each joint of our tree: its speeds, its number here, and its first q and v here."""
        children = self.model.joint_child.numpy()
        tree = np.flatnonzero(self.model.joint_articulation.numpy() >= 0)
        q, v = self.model.joint_q_start.numpy(), self.model.joint_qd_start.numpy()
        for own in self.example.compiled.tree:
            body = self.bodies[self.example.compiled.bodies[own.outboard].name]
            (joint,) = (int(j) for j in tree if children[j] == body)
            yield own, self.example.speeds[own.v], joint, int(q[joint]), int(v[joint])

    @property
    def loops(self):
        """Numbers of the joints that are outside the tree."""
        return np.flatnonzero(self.model.joint_articulation.numpy() < 0)

    def q(self, standing, zero):
        """Its coordinates, each single one counted from where `zero` has it, a ball's likewise."""
        found = self.model.joint_q.numpy()
        for own, names, _, q, _ in self.joints():
            name = own.edge.joint.name
            if name in standing.turned:
                w, *xyz = quaternion_of(zero.turned[name].T @ standing.turned[name])
                found[q : q + 4] = (*xyz, w)
            else:
                values = [standing.coordinates[n] - zero.coordinates[n] for n in names]
                found[q : q + len(names)] = values
        return found

    def state(self, q):
        """Its bodies there."""
        state = self.model.state()
        coordinates = warp.array(q, dtype=warp.float32)
        newton.eval_fk(self.model, coordinates, self.model.joint_qd, state)
        return state

    def poses(self, state):
        """X_WB by body."""
        places = state.body_q.numpy()
        found = {name: pose_of(places[index]) for name, index in self.bodies.items()}
        return {STATIC: Pose.identity(), **found}

    def centers(self, state):
        """Of each body's mass, in the world [m]."""
        inner, poses = self.model.body_com.numpy(), self.poses(state)
        return {n: poses[n].R @ inner[i] + poses[n].p for n, i in self.bodies.items()}

    def masses(self):
        """[kg] by body."""
        mass = self.model.body_mass.numpy()
        return {name: float(mass[index]) for name, index in self.bodies.items()}

    def limits(self, zero):
        """Of each single coordinate, counted as ours."""
        ends = self.model.joint_limit_lower.numpy(), self.model.joint_limit_upper.numpy()
        found = {}
        for own, names, _, _, v in self.joints():
            if own.edge.joint.name in zero.turned:
                continue
            for offset, name in enumerate(names):
                low, high = (float(end[v + offset]) for end in ends)
                found[name] = tuple(
                    end + zero.coordinates[name] if abs(end) < OPEN_END else np.sign(end) * np.inf
                    for end in (low, high)
                )
        return found

    def speed_order(self):
        """Where each of our speeds is among those of its tree."""
        return [v + k for _, names, _, _, v in self.joints() for k in range(len(names))]

    def to_its_speeds(self, standing, zero):
        """What takes our speeds to its own: balls turn about the parent's axes here."""
        T = np.eye(len(self.example.speeds))
        for own in self.example.compiled.tree:
            name = own.edge.joint.name
            if name in standing.turned:
                at = slice(own.v.stop - 3, own.v.stop)
                T[at, at] = zero.turned[name].T @ standing.turned[name]
        return T

    def mass_matrix(self, standing, zero):
        """Over our speeds."""
        own, T = self.speed_order(), self.to_its_speeds(standing, zero)
        M = newton.eval_mass_matrix(self.model, self.state(self.q(standing, zero))).numpy()[0]
        return T.T @ M[np.ix_(own, own)].astype(float) @ T

    def closure_rows(self, standing, zero):
        """How fast the two points of each loop part for each of our speeds, (3 loops, speeds)."""
        state = self.state(self.q(standing, zero))
        J = newton.eval_jacobian(self.model, state).numpy()[0].astype(float)
        poses, centers = self.poses(state), self.centers(state)
        T, order = self.to_its_speeds(standing, zero), self.speed_order()
        moves = {STATIC: np.zeros((6, len(order)))}
        for own, _, joint, _, _ in self.joints():
            name = self.example.compiled.bodies[own.outboard].name
            moves[name] = J[6 * joint : 6 * joint + 6][:, order] @ T
        rows = [np.zeros((0, len(order)))]
        for meeting in self.example.closures:
            ends = []
            for body, X in zip(meeting.bodies, meeting.frames, strict=True):
                arm = (poses[body] @ X).p - centers[body]
                ends.append(moves[body][:3] - skew(arm) @ moves[body][3:])
            rows.append(ends[0] - ends[1])
        return np.vstack(rows)


def loaded(example, add, names):
    """Read a file by `add(builder)`.

    Args:
        example: the truth.
        add: adds it.
        names: what the last part of each body's label is, by the mechanism's body.
    """
    builder = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
    add(builder)
    labels = [label.split("/")[-1] for label in builder.body_label]
    bodies = {name: labels.index(own) for name, own in names.items() if own in labels}
    return Loaded(example, builder, builder.finalize(device="cpu"), bodies)


def equality_rank(solver):
    """Rows that its MuJoCo holds, where the file has it."""
    data = solver.mj_data
    data.qpos[:] = solver.mj_model.qpos0
    mujoco.mj_forward(solver.mj_model, data)
    held = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
    return rank(data.efc_J.reshape(-1, solver.mj_model.nv)[held], 1e-5)


def run(own, motion, zero, timestep, stiff=False):
    """The drivers' coordinates every tenth of a second, without contact and dry friction.

    Args:
        own: what it made of the example.
        motion: how that starts, and what drives it.
        zero: where it counts from.
        timestep: [s].
        stiff: whether loops are as stiff to its MuJoCo as in an MJCF of ours.
    """
    model, example = own.model, own.example
    model.joint_friction.zero_()
    at = {n: (q + k, v + k) for _, names, _, q, v in own.joints() for k, n in enumerate(names)}
    first, second = own.state(own.q(example.assembled, zero)), model.state()
    speeds = np.zeros(model.joint_dof_count)
    for name, speed in motion.speeds.items():
        speeds[at[name][1]] = speed
    first.joint_q.assign(own.q(example.assembled, zero))
    first.joint_qd.assign(speeds)
    solver = newton.solvers.SolverMuJoCo(model, use_mujoco_cpu=True, disable_contacts=True)
    if stiff:
        solver.mj_model.eq_solref[:], solver.mj_model.eq_solimp[:] = SOLREF, SOLIMP
    control, found = model.control(), []
    efforts = np.zeros(model.joint_dof_count)
    for name, effort in motion.efforts.items():
        efforts[at[name][1]] = effort
    control.joint_f.assign(efforts)
    for sample in range(SAMPLES + 1):
        q = first.joint_q.numpy()
        found.append([q[at[name][0]] + zero.coordinates[name] for name in motion.drivers])
        for _ in range(round(DURATION / SAMPLES / timestep) if sample < SAMPLES else 0):
            solver.step(first, second, control, None, timestep)
            first, second = second, first
    return np.array(found)
