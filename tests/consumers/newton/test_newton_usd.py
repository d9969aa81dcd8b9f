"""USD as Newton reads it: profile `newton`, and `generic` where its importer has all of that."""

import warnings
from dataclasses import replace

import newton
import numpy as np
import pytest
from agreement import (
    FLOAT_CHAINS,
    FLOAT_SUMS,
    FLOATS,
    agree_on_centers,
    agree_on_limits,
    agree_on_mass_matrix,
    agree_on_masses,
    rank,
)
from in_newton import NEWTON, Loaded, loaded, run
from moving import moving
from truth import EXAMPLES, STATIC
from usd_files import written

from robocompiler.spatial import quaternion_of


class LoadedStage(Loaded):
    """Balls turn about the axes of the joint's frames, which are the drawing's here."""

    def q(self, standing, zero):
        found = super().q(standing, zero)
        for own, _, _, q, _ in self.joints():
            name = own.edge.joint.name
            if name in standing.turned:
                R = own.edge.X_CM.R
                turned = R.T @ zero.turned[name].T @ standing.turned[name] @ R
                w, *xyz = quaternion_of(turned)
                found[q : q + 4] = (*xyz, w)
        return found

    def to_its_speeds(self, standing, zero):
        T = super().to_its_speeds(standing, zero)
        for own in self.example.compiled.tree:
            if own.edge.joint.name in standing.turned:
                at = slice(own.v.stop - 3, own.v.stop)
                T[at, at] = own.edge.X_CM.R.T @ T[at, at]
        return T


def read(stage, **asked):
    """As Newton has it; it says nothing while it reads."""
    own = stage.truth
    names = {body: stage.body(body).split("/")[-1] for body in (*own.bodies, STATIC)}
    with warnings.catch_warnings():
        warnings.simplefilter("error", newton.NewtonWarning)
        found = loaded(own, lambda builder: builder.add_usd(str(stage.path), **asked), names)
    return LoadedStage(own, found.builder, found.model, found.bodies)


def zero_of(truth):
    """Where Newton counts from: as ours; a ball from where the file has it."""
    coordinates = dict.fromkeys(truth.assembled.coordinates, 0.0)
    return replace(truth.assembled, coordinates=coordinates)


@pytest.fixture(params=EXAMPLES)
def stage(request, tmp_path):
    return written(request.param, "newton", tmp_path)


@pytest.mark.row(NEWTON, "USD", agrees="profile `newton`: bodies, joints, masses, limits, closures")
def test_newton_has_the_examples_bodies_joints_limits_and_closures(stage):
    own, example = read(stage), stage.truth
    assert len(own.bodies) == own.model.body_count == len(example.bodies) + 1
    joints = list(own.joints())
    # The static base hangs on a fixed joint.
    assert own.model.joint_count == len(joints) + 1 + len(example.closures)
    assert len(own.loops) == len(example.closures)
    agree_on_masses(example, own.masses(), FLOATS)
    agree_on_limits(example, own.limits(zero_of(example)), FLOATS)


@pytest.mark.row(
    NEWTON,
    "USD",
    agrees="profile `newton`: places, mass matrix and gap in three closed configurations",
)
def test_newton_agrees_in_three_closed_configurations(stage):
    own, example = read(stage), stage.truth
    zero = zero_of(example)
    for standing in example.standings:
        state = own.state(own.q(standing, zero))
        agree_on_centers(standing, own.centers(state), FLOAT_CHAINS)
        M = own.mass_matrix(standing, zero)
        agree_on_mass_matrix(example, standing, M, example.speeds, FLOAT_SUMS)
        assert all(m.gap(own.poses(state)) < FLOAT_CHAINS for m in example.closures)
        freedoms = len(example.speeds) - rank(own.closure_rows(standing, zero), 1e-5)
        assert freedoms == standing.mobility + len(example.compiled.couplings)


@pytest.mark.row(NEWTON, "USD", agrees="profile `newton`: a second of motion by its MuJoCo, to 1 %")
@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "stewart"])
def test_a_second_in_newton_is_ours(name, tmp_path):
    stage = written(name, "newton", tmp_path)
    motion = moving(stage.truth)
    assert motion.off(run(read(stage), motion, zero_of(stage.truth), 1e-3)) < 1e-2


@pytest.mark.row(NEWTON, "USD", cannot="closes loops softly, by MuJoCo's own numbers, under weight")
def test_newton_closes_loops_softly_whatever_they_carry(tmp_path):
    """Thirty kilograms of Stewart sag: as stiff as in our MJCF they move as ours do."""
    stage = written("stewart", "newton", tmp_path)
    motion, zero = moving(stage.truth), zero_of(stage.truth)
    soft, stiff = (run(read(stage), motion, zero, 1e-3, stiff=own) for own in (False, True))
    assert motion.off(soft) > 5e-2
    assert motion.off(stiff) < 5e-3


@pytest.mark.row(NEWTON, "USD", agrees="where joints stand, by its resolver of PhysX's schema")
def test_newton_starts_where_the_file_stands_if_it_is_told_to_read_joint_states(stage):
    resolvers = [
        newton.usd.SchemaResolverNewton(),
        newton.usd.SchemaResolverPhysx(),
    ]
    own, example = read(stage, schema_resolvers=resolvers), stage.truth
    start = own.model.joint_q.numpy()
    expected = own.q(example.assembled, zero_of(example))
    np.testing.assert_allclose(start, expected, atol=FLOAT_CHAINS)


@pytest.mark.row(NEWTON, "USD", cannot="by itself starts at zero coordinates, not where bodies are")
def test_newton_by_itself_starts_at_zero(tmp_path):
    own = read(written("pendulum", "newton", tmp_path))
    assert own.model.joint_q.numpy().tolist() == [0.0]


@pytest.mark.row(NEWTON, "USD", agrees="profile `generic`: bodies, masses, limits and closures")
@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "stewart"])
def test_newton_takes_a_generic_stage(name, tmp_path):
    generic = written(name, "generic", tmp_path)
    own, example = read(generic), generic.truth
    agree_on_masses(example, own.masses(), FLOATS)
    zero = zero_of(example)
    limits = own.limits(zero)
    tied = {r.name for c in example.compiled.couplings for r in (c.follower, *c.leaders)}
    limits |= {name: example.limits[name] for name in tied}
    agree_on_limits(example, limits, FLOATS)
    assert len(own.loops) == len(example.closures)
    state = own.state(own.q(example.assembled, zero))
    agree_on_centers(example.assembled, own.centers(state), FLOAT_CHAINS)
