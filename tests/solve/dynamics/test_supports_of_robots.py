"""Go2 on its feet and Kangaroo on its soles; from the records beside the repository."""

from itertools import islice

import numpy as np
import pytest
from accuracy_figures.legged_states import SOLES, go2_c8, kangaroo_a
from accuracy_figures.state import rigid

import robocompiler as rc
from dynamics_oracle import reference_dynamics
from fifty_digits import floats
from linkages.records import record
from linkages.robots import FEET, KANGAROO_HOME, SUPPORTS, go2, kangaroo
from linkages.standing import go2_feet, kangaroo_soles, mass_center, momentum, potential, total_mass
from robocompiler.compiler.steps import step
from robocompiler.errors import SupportError
from robocompiler.spatial import Array


def drawn(compiled: rc.CompiledMechanism) -> Array:
    return rc.coordinates(compiled, rc.assemble(compiled))


def go2_and_feet() -> tuple[rc.CompiledMechanism, rc.Supports, Array]:
    compiled = rc.compile(go2())
    return compiled, rc.Supports(compiled, go2_feet()), drawn(compiled)


def carried_over(compiled: rc.CompiledMechanism, q: Array, to: rc.CompiledMechanism) -> Array:
    """Coordinates of the other mechanism by the names of its joints."""
    found = np.zeros(to.nq)
    for own in to.tree:
        found[own.q] = q[compiled.tree_joint(own.edge.joint.name).q]
    return found


def errors_of(state, free: rc.CompiledMechanism, support: tuple[rc.Task, ...]):
    """How far accelerations on supports are from the state's own mechanism in fifty digits."""
    compiled, efforts = state.compiled, dict(state.efforts)
    exact = reference_dynamics(
        compiled, state.q, state.u, efforts, state.wrenches, state.independent
    )
    found = rc.forward_dynamics(
        free,
        carried_over(compiled, state.q, free),
        state.u,
        efforts,
        wrenches=state.wrenches,
        support=support,
        independent=state.independent,
    )
    v_dot = np.zeros(compiled.nv)
    for own in free.tree:
        v_dot[compiled.tree_joint(own.edge.joint.name).v] = found.v_dot[own.v]
    return exact.acceleration_error(v_dot), exact.force_error(v_dot), found.dynamics


@pytest.mark.parametrize("feet", SUPPORTS)
def test_go2_has_eighteen_freedoms_less_three_for_each_foot_it_stands_on(feet):
    _, supports, q = go2_and_feet()
    found = supports.reduced(q, feet)
    assert (found.reduction.rank, len(found.names)) == (3 * len(feet), 18 - 3 * len(feet))


def test_go2_accelerates_on_each_of_its_eleven_sets_of_feet_as_in_fifty_digits():
    """Claim C8, of its first 18 states the first on each set; its mechanism has them as tasks."""
    free = rc.compile(rigid(go2(limits=False, chart=True)))
    supports, met = rc.Supports(free, go2_feet()), set()
    for state in islice(go2_c8(None), 18):
        feet = tuple(task.name for task in state.compiled.tasks)
        if feet in met:
            continue
        acceleration, force, _ = errors_of(state, free, supports.of(feet))
        assert max(acceleration, force) <= 5e-15
        met.add(feet)
    assert met == set(SUPPORTS)


@pytest.mark.thorough
def test_kangaroo_accelerates_on_both_soles_as_in_fifty_digits():
    """Claim C10, the mode that holds the most: 92 rows, of rank 76."""
    free = rc.compile(rigid(kangaroo(limits=False, motors=KANGAROO_HOME)))
    supports, found = rc.Supports(free, kangaroo_soles()), []
    for state, soles in zip(islice(kangaroo_a(None), 4), SOLES.values(), strict=True):
        if len(soles) < 2:
            continue
        acceleration, force, dynamics = errors_of(state, free, supports.of(soles))
        assert acceleration <= 1e-13
        assert force <= 5e-15
        reduction = dynamics.reduction
        found.append((reduction.jacobian.shape[0], reduction.rank, len(dynamics.names)))
    assert found == [(92, 76, 6)]


@pytest.mark.parametrize("feet", [("RR",), ("FL", "RR"), FEET])
def test_landing_feet_take_the_momentum_that_go2_loses(feet):
    """Body by body; on one foot the angular momentum about that stays what it was."""
    compiled, supports, q = go2_and_feet()
    compiled = rc.compile(rigid(compiled.mechanism))  # rotors have momentum of their own
    supports = rc.Supports(compiled, go2_feet())
    v = np.random.default_rng(5).uniform(-0.5, 0.5, compiled.nv)
    found = supports.switch(q, v, feet)
    held = found.dynamics.supported.compiled
    about = found.q[held.tree_joint(feet[0]).q]
    change = momentum(compiled, q, found.v, about) - momentum(compiled, q, v, about)
    given = np.zeros(6)
    for foot, impulse in found.impulses.items():
        arm = found.q[held.tree_joint(foot).q] - about
        given += [*impulse[:3], *(impulse[3:] + np.cross(arm, impulse[:3]))]
    np.testing.assert_allclose(change, given, atol=1e-13)
    assert np.abs(found.missing).max() < 1e-14
    assert float(found.lost) > 0.0
    if len(feet) == 1:
        np.testing.assert_allclose(change[3:], 0.0, atol=1e-14)


def test_a_blow_is_the_solution_of_the_impact_equations():
    """M (v⁺ - v⁻) = Kᵀ λ and K v⁺ = 0, of matrices in fifty digits; what is lost is ΔT."""
    (compiled, supports, q), names = go2_and_feet(), FEET[:3]
    lift = rc.reduce(compiled, q).E
    v = lift @ np.random.default_rng(6).uniform(-0.2, 0.2, lift.shape[1])
    found = supports.switch(q, v, names)
    held, own = supports.mode(names), found.dynamics.supported.v
    exact = reference_dynamics(
        held, found.q, np.zeros(len(found.names)), {}, independent=found.names
    )
    M, K = floats(exact.M)[np.ix_(own, own)], floats(exact.K)[:, own]
    whole = np.block([[M, -K.T], [K, np.zeros((len(K), len(K)))]])
    right = np.concatenate([M @ v, np.zeros(len(K))])
    after = np.linalg.lstsq(whole, right, rcond=1e-12)[0][: compiled.nv]
    assert np.abs(found.v - after).max() < 1e-10 * np.abs(after).max()
    assert np.abs(K @ found.v).max() < 1e-14
    assert found.lost == pytest.approx(0.5 * (v @ M @ v - found.v @ M @ found.v), rel=1e-11)


def test_what_lets_go_moves_on_and_what_stays_on_the_ground_too():
    compiled, supports, q = go2_and_feet()
    v = np.random.default_rng(7).uniform(-0.5, 0.5, compiled.nv)
    landed = supports.switch(q, v, FEET)
    for left in (("FL", "RR"), ("FR",), ()):
        lifted = supports.switch(q, landed.v, left)
        np.testing.assert_allclose(lifted.v, landed.v, rtol=0, atol=1e-14)
        assert abs(float(lifted.lost)) < 1e-25


def test_go2_at_rest_is_held_by_what_its_weight_does_along_each_motion():
    """τ_r = ∂V/∂u, V = Σ m g z by differences; with those efforts nothing accelerates."""
    compiled, supports, q = go2_and_feet()
    held = supports.of(FEET)
    u = np.zeros(6)
    found = rc.inverse_dynamics(compiled, q, u, u, support=held)
    E, h = found.dynamics.E[found.dynamics.supported.v], 1e-4
    weight = np.array(
        [
            (
                potential(compiled, step(compiled, q, h * e))
                - potential(compiled, step(compiled, q, -h * e))
            )
            / (2.0 * h)
            for e in E.T
        ]
    )
    np.testing.assert_allclose(found.generalized, weight, atol=1e-6 * 9.81 * total_mass(compiled))
    np.testing.assert_allclose(found.missing, 0.0, atol=1e-12)
    moved = rc.forward_dynamics(compiled, q, u, found.efforts, support=held)
    np.testing.assert_allclose(moved.v_dot, 0.0, atol=1e-10)


@pytest.mark.parametrize("feet", [("FL", "FR", "RL"), FEET])
def test_the_ground_carries_go2_where_its_weight_is(feet):
    """Σ F = m g and Σ r × F = m c × g."""
    compiled, supports, q = go2_and_feet()
    count = 18 - 3 * len(feet)
    rest, weight = np.zeros(count), 9.81 * total_mass(compiled)
    loads = rc.joint_loads(compiled, q, rest, rest, support=supports.of(feet))
    held, places = supports.mode(feet), supports.coordinates(q, feet)
    force, moment = np.zeros(3), np.zeros(3)
    for foot in feet:
        assert all(loads.determinate(foot))
        own = loads.of(foot)[:3]
        force += own
        moment += np.cross(places[held.tree_joint(foot).q], own)
    center = mass_center(compiled, q)
    pull = np.array([0.0, 0.0, weight])
    np.testing.assert_allclose(force, pull, atol=1e-11 * weight)
    np.testing.assert_allclose(moment, np.cross(center, pull), atol=1e-11 * weight)


def test_a_base_that_stands_on_its_feet_may_lie_on_the_ground_once():
    """Four feet leave its base the six freedoms of a frame; a point more is three rows too many."""
    compiled, supports, q = go2_and_feet()
    root = record("go2")["floating_root"]
    belly = rc.Task(name="belly", body=root, kind=rc.JointKind.FIXED)
    chest = rc.Task(name="chest", body=root, position=(0.1, 0.0, 0.0))
    feet = supports.of(FEET)
    alone = rc.reduced_dynamics(compiled, q, np.zeros(0), support=(*feet, belly))
    assert alone.names == ()
    with pytest.raises(SupportError, match="3 too many") as caught:
        rc.reduced_dynamics(compiled, q, np.zeros(0), support=(*feet, belly, chest))
    assert caught.value.rows == tuple(("chest", f"point {axis}") for axis in "xyz")


def test_two_soles_on_one_foot_of_kangaroo_are_refused_with_each_row():
    """Its own loops have sixteen rows more than their rank, which is no matter."""
    compiled = rc.compile(kangaroo(motors=KANGAROO_HOME))
    left = kangaroo_soles()[0]
    heel = rc.Task(name="heel", body=left.body, kind=rc.JointKind.FIXED)
    with pytest.raises(SupportError) as caught:
        rc.Supports(compiled, [left, heel]).reduced(drawn(compiled), ["left", "heel"])
    rows = [f"{what} {axis}" for what in ("point", "orientation") for axis in "xyz"]
    assert caught.value.rows == tuple(("heel", row) for row in rows)
    assert (caught.value.held, caught.value.free) == (12, 6)
