"""URDFs of our writing, as Newton reads them. It holds floats."""

from dataclasses import replace

import newton
import numpy as np
import pytest
import warp
from agreement import FLOAT_CHAINS, FLOAT_SUMS, FLOATS, agree_on_centers, agree_on_masses, rank
from in_newton import NEWTON, OPEN_END, loaded, pose_of, run
from moving import moving
from truth import EXAMPLES, LOOPLESS
from urdf_files import written

from robocompiler.spatial import skew


class Read:
    """A URDF in Newton, its joints and links by the file's names."""

    def __init__(self, urdf):
        builder = newton.ModelBuilder()
        builder.add_urdf(str(urdf.path))
        self.urdf, self.model = urdf, builder.finalize(device="cpu")
        self.links = {label.split("/", 1)[1]: i for i, label in enumerate(self.model.body_label)}
        labels = [label.split("/", 1)[1] for label in self.model.joint_label]
        self.joints = {axis.name: labels.index(axis.name) for axis in urdf.axes}
        self.first = self.model.joint_qd_start.numpy()

    @property
    def order(self):
        """Of the file's axes among its speeds; each has one of its coordinates too."""
        return [int(self.first[joint]) for joint in self.joints.values()]

    def state(self, standing):
        q = np.zeros(self.model.joint_coord_count)
        q[self.order] = [axis.value(standing) for axis in self.urdf.axes]
        state = self.model.state()
        newton.eval_fk(self.model, warp.array(q, dtype=warp.float32), self.model.joint_qd, state)
        return state

    def closure_rows(self, state):
        """Of the two links of each loop, how fast they part; and how far apart they are."""
        J = newton.eval_jacobian(self.model, state).numpy()[0].astype(float)
        places, inner = state.body_q.numpy(), self.model.body_com.numpy()
        child = self.model.joint_child.numpy().tolist()
        rows, gaps = [np.zeros((0, len(self.order)))], []
        for closure in self.urdf.truth.compiled.closures:
            ends = []
            for end in ("parent", "child"):
                link = self.links[f"{closure.name}_{end}"]
                at, own = pose_of(places[link]), J[6 * child.index(link) :][:6, self.order]
                arm = -(at.R @ inner[link])
                ends.append((at.p, own[:3] - skew(arm) @ own[3:]))
            rows.append(ends[0][1] - ends[1][1])
            gaps.append(np.linalg.norm(ends[0][0] - ends[1][0]))
        return np.vstack(rows), gaps


@pytest.fixture(params=EXAMPLES)
def own(request, tmp_path):
    return Read(written(request.param, tmp_path))


@pytest.mark.row(NEWTON, "URDF", agrees="bodies, joints, masses, limits and mimics")
def test_newton_has_the_urdf_s_links_joints_masses_limits_and_mimics(own):
    model, urdf = own.model, own.urdf
    assert model.joint_dof_count == len(urdf.axes)
    mass = model.body_mass.numpy()
    masses = {body: float(mass[own.links[link]]) for body, link in urdf.bodies.items()}
    agree_on_masses(urdf.truth, masses, FLOATS)
    assert np.sum(mass) == pytest.approx(urdf.truth.mass(), rel=FLOATS)
    low, high = model.joint_limit_lower.numpy(), model.joint_limit_upper.numpy()
    for name, ends in urdf.limits.items():
        at = own.first[own.joints[name]]
        for found, end in zip((low[at], high[at]), ends, strict=True):
            assert abs(found) > OPEN_END if np.isinf(end) else abs(found - end) <= FLOATS
    followers = np.flatnonzero(model.joint_mimic_joint.numpy() >= 0)
    names = {name for name, joint in own.joints.items() if joint in followers}
    assert names == {coupling.follower.name for coupling in urdf.truth.compiled.couplings}


@pytest.mark.row(
    NEWTON, "URDF", agrees="places, mass matrix, mobility and gap in three closed configurations"
)
def test_newton_agrees_with_the_urdf_in_three_closed_configurations(own):
    urdf, inner = own.urdf, own.model.body_com.numpy()
    for standing in urdf.truth.standings:
        state = own.state(standing)
        places = {name: pose_of(state.body_q.numpy()[i]) for name, i in own.links.items()}
        centers = {
            body: places[link].R @ inner[own.links[link]] + places[link].p
            for body, link in urdf.bodies.items()
        }
        agree_on_centers(standing, centers, FLOAT_CHAINS)
        M = newton.eval_mass_matrix(own.model, state).numpy()[0][np.ix_(own.order, own.order)]
        expected = urdf.mass_matrix(standing)
        size = np.sqrt(np.diag(expected))
        assert np.max(np.abs(M - expected) / np.outer(size, size)) < FLOAT_SUMS
        rows, gaps = own.closure_rows(state)
        assert all(gap < FLOAT_CHAINS for gap in gaps)
        freedoms = len(own.order) - rank(rows, 1e-5)
        assert freedoms == standing.mobility + len(urdf.truth.compiled.couplings)


@pytest.mark.row(NEWTON, "URDF", agrees="a second of motion of what has no loops, to 0.5 %")
@pytest.mark.parametrize("name", LOOPLESS)
def test_a_second_in_newton_is_ours(name, tmp_path):
    urdf = written(name, tmp_path)
    example, motion = urdf.truth, moving(urdf.truth)
    read = loaded(example, lambda builder: builder.add_urdf(str(urdf.path)), urdf.bodies)
    zero = dict.fromkeys(example.assembled.coordinates, 0.0)
    found = run(read, motion, replace(example.assembled, coordinates=zero), 1e-3)
    assert motion.off(found) < 5e-3


@pytest.mark.row(
    NEWTON, "URDF", cannot="has no loops of a URDF; what meets are links named after them"
)
def test_newton_reads_no_loop_of_a_urdf(own):
    assert np.all(own.model.joint_articulation.numpy() >= 0)
    for closure in own.urdf.truth.compiled.closures:
        assert {f"{closure.name}_parent", f"{closure.name}_child"} <= set(own.links)
