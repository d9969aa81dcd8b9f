"""Bound dynamics state by state: batches, threads, copies, and states that are refused."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

import robocompiler as rc
from linkages.bound import every_emitter
from linkages.bound_dynamics import forward_error, inverse_error, put_anything, reference_of
from linkages.drawing import Drawing, solid, starting_at, turn
from linkages.drawn_at_random import drawn_at_random
from linkages.planar import four_bar_of
from robocompiler.compiler.ports import Port
from robocompiler.errors import BadValueError, UnknownNameError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Inertia
from robocompiler.solve.dynamics.massless import MasslessError

COPIES = {
    "copied": copy.copy,
    "deeply": copy.deepcopy,
    "pickled": lambda own: pickle.loads(pickle.dumps(own)),
}
RESULTS = ("q", "v", "u_dot", "v_dot", "tau", "efforts")


def branching(emitter, loads=("b4", "b2")):
    """Two clusters on one that is a loop, with springs, rotors, loads."""
    compiled = rc.compile(drawn_at_random(10, 5, 1))
    return rc.bind_dynamics(compiled, loads=loads, emitter=emitter)


@every_emitter
def test_states_of_a_batch_are_to_the_bit_what_they_are_alone(emitter):
    """Whatever else is computed beside them, and in however many threads."""
    single = branching(emitter)
    given = single.batch(8)
    put_anything(given, 2)
    for count, threads in ((1, 1), (3, 2), (8, 1), (8, 2)):
        many = single.batch(count, threads)
        for name in ("q", "v", "efforts", "u_dot"):
            setattr(many, name, getattr(given, name)[:, :count])
        for name, wrench in many.wrenches.items():
            wrench[...] = given.wrenches[name][:, :count]
        many.forward()
        for state in range(count):
            found = run_alone(single, given, state)
            for name in RESULTS:
                np.testing.assert_array_equal(getattr(many, name)[:, state], found[name])


def run_alone(single, given, state):
    for name in ("q", "v", "efforts", "u_dot"):
        setattr(single, name, getattr(given, name)[:, state])
    for name, wrench in single.wrenches.items():
        wrench[...] = given.wrenches[name][:, state]
    single.forward()
    return {name: getattr(single, name).copy() for name in RESULTS}


def test_a_hundred_states_in_two_threads_are_each_the_reference():
    many = branching("python").batch(100, threads=2)
    put_anything(many, 5)
    many.forward()
    for state in (0, 49, 99):
        dynamics = reference_of(many, state)
        u_dot = np.linalg.solve(dynamics.M, dynamics.L.T @ many.efforts[:, state] - dynamics.h)
        np.testing.assert_allclose(many.u_dot[:, state], u_dot, rtol=1e-10, atol=1e-10)
    u_dot = many.u_dot.copy()
    many.inverse()
    np.testing.assert_array_equal(many.u_dot, u_dot)
    again = many.efforts.copy()
    many.forward()
    np.testing.assert_allclose(many.u_dot, u_dot, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(many.efforts, again)


@every_emitter
@pytest.mark.parametrize("how", COPIES)
def test_a_copy_has_all_that_stands_there_and_buffers_of_its_own(how, emitter):
    own = rc.bind_dynamics(rc.compile(four_bar_of()), loads=["coupler"], emitter=emitter)
    put_anything(own)
    own.forward()
    made = COPIES[how](own)
    for name in RESULTS:
        np.testing.assert_array_equal(getattr(made, name), getattr(own, name))
        assert not np.shares_memory(getattr(made, name), getattr(own, name))
    np.testing.assert_array_equal(made.wrenches["coupler"], own.wrenches["coupler"])
    before = own.v_dot.copy()
    made.efforts[...] = 100.0
    made.forward()
    assert forward_error(made) < 1e-13
    np.testing.assert_array_equal(own.v_dot, before)
    own.forward()
    np.testing.assert_array_equal(own.v_dot, before)


def test_a_copy_of_a_batch_is_a_batch():
    many = rc.bind_dynamics(rc.compile(four_bar_of()), emitter="python").batch(4)
    put_anything(many)
    made = pickle.loads(pickle.dumps(many))
    for own in (many, made):
        own.forward()
    np.testing.assert_array_equal(made.v_dot, many.v_dot)


def test_what_is_assigned_is_copied_in_and_must_be_of_its_shape():
    own = rc.bind_dynamics(rc.compile(four_bar_of()), loads=["coupler"], emitter="python")
    buffer, given = own.efforts, np.array([3.0])
    own.efforts = given
    own.u_dot = [2.0]
    given[0] = 7.0
    assert own.efforts is buffer
    assert (own.efforts[0], own.u_dot[0]) == (3.0, 2.0)
    for name in ("efforts", "u_dot", "q", "v"):
        with pytest.raises(BadValueError, match="of shape"):
            setattr(own, name, np.zeros(7))
    with pytest.raises(TypeError):
        own.wrenches["coupler"] = np.zeros(6)


@every_emitter
@pytest.mark.parametrize("name", ["efforts", "u_dot", "coupler"])
def test_what_is_no_number_makes_results_of_no_number_until_it_is_gone(name, emitter):
    """Nothing of it stays in what clusters tell each other."""
    own = rc.bind_dynamics(rc.compile(four_bar_of()), loads=["coupler"], emitter=emitter)
    put_anything(own)
    run = own.inverse if name == "u_dot" else own.forward
    run()
    before = {key: getattr(own, key).copy() for key in RESULTS}
    buffer = own.wrenches[name] if name == "coupler" else getattr(own, name)
    kept = buffer.copy()
    buffer[0] = np.nan
    run()
    assert np.isnan(own.tau if name == "u_dot" else own.v_dot).any()
    buffer[...] = kept
    run()
    for key, expected in before.items():
        np.testing.assert_array_equal(getattr(own, key), expected)


@pytest.mark.parametrize("name", ["q", "v"])
def test_coordinates_and_speeds_that_are_no_numbers_are_refused(name):
    own = rc.bind_dynamics(rc.compile(four_bar_of()), emitter="python")
    getattr(own, name)[...] = np.nan
    for run in (own.forward, own.inverse):
        with pytest.raises(BadValueError):
            run()


def test_loads_are_on_what_is_there_and_moves():
    compiled = rc.compile(four_bar_of())
    with pytest.raises(UnknownNameError, match="nothing"):
        rc.bind_dynamics(compiled, loads=["nothing"], emitter="python")
    with pytest.raises(BadValueError, match="a body that moves"):
        rc.bind_dynamics(compiled, loads=["A.F"], emitter="python")


# Motions that move nothing


def coaxial(tiny):
    """On a slide two hinges of one axis, between them a body that weighs so little, and an arm."""
    drawing = Drawing("coaxial")
    drawing.body("base", inertia=solid())
    drawing.body("light", turn((0.3, 0.2, 0.1)), Inertia(mass=tiny, moments=(tiny, tiny, tiny)))
    drawing.body("heavy", turn((1.0, 0.2, 0.5), (0.3, 0.1, 0.2)))
    drawing.body("arm", turn((0.2, 0.0, 0.1), (0.5, 0.2, 0.0)))
    drawing.prismatic("slide", (WORLD, "base"), turn((0.2, 0.5, 0.7)))
    axis = turn((0.7, -0.4, 0.3), (0.1, 0.2, 0.3))
    drawing.revolute("one", ("base", "light"), axis, 0.3)
    drawing.revolute("two", ("light", "heavy"), axis, 0.4)
    drawing.revolute("end", ("heavy", "arm"), turn((0.4, 0.9, 0.0), (0.5, 0.2, 0.1)), 0.3)
    return rc.compile(drawing.mechanism())


def ports_of(compiled, together):
    """A port on each joint, of which one moves both hinges where they are to be one cluster."""
    speed = {t.edge.joint.name: t.v.start for t in compiled.tree}
    ports = [Port(name=name, tree=((at, 1.0),)) for name, at in speed.items()]
    if together:
        ports[1] = Port(name="both", tree=((speed["one"], 1.0), (speed["two"], 1.0)))
    return ports


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("tiny", [1e-16, 1e-18, 1e-25])
def test_a_motion_that_moves_nothing_is_refused_in_one_cluster_and_across_two(tiny, together):
    """Where what hangs on the first hinge takes its mass away, rounding is all that is left."""
    compiled = coaxial(tiny)
    own = rc.bind_dynamics(compiled, ports=ports_of(compiled, together), emitter="python")
    own.efforts[...] = 1.0
    with pytest.raises(MasslessError) as caught:
        own.forward()
    assert {"one", "two"} <= set(caught.value.joints)


def differential(seed, light=1e-20):
    """Three hinges of one axis, of which the couplings turn the last, that alone weighs, back."""
    random, drawing = np.random.default_rng(seed), Drawing("differential")
    axis, inboard = turn(random.uniform(-1.0, 1.0, 3)), WORLD
    for name in "ABC":
        weighs = solid() if name == "C" else Inertia(mass=light, moments=(light,) * 3)
        drawing.body(name, turn(random.uniform(-1.0, 1.0, 3)), weighs)
        drawing.revolute(name, (inboard, name), axis)
        inboard = name
    gears = [
        rc.Coupling.gear(name=f"gear {name}", leader="A", follower=name, ratio=ratio)
        for name, ratio in (("B", -0.4), ("C", -0.6))
    ]
    return rc.compile(replace(drawing.mechanism(), couplings=tuple(gears)))


@pytest.mark.parametrize("eliminate", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_where_what_follows_takes_all_mass_away_rounding_is_not_taken_for_it(seed, eliminate):
    given = differential(seed)
    compiled = rc.compile(given.mechanism, eliminate_couplings=eliminate)
    q = rc.coordinates(compiled, rc.assemble(compiled))
    at = {"independent": ["A"]}
    own = rc.bind_dynamics(compiled, emitter="python", **at)
    own.efforts[...] = 1.0
    for call in (
        own.forward,
        lambda: rc.forward_dynamics(compiled, q, [0.0], [1.0], **at),
        lambda: rc.mixed_dynamics(compiled, q, [0.0], efforts={"A": 1.0}, **at),
        lambda: rc.momentum_consistent(compiled, q, np.ones(compiled.nv), **at),
    ):
        with pytest.raises(MasslessError):
            call()


def test_what_little_is_left_of_a_mass_that_others_take_away_is_enough():
    compiled = differential(1, light=1e-6)
    own = rc.bind_dynamics(compiled, independent=["A"], emitter="python")
    own.efforts[...] = 1.0
    own.forward()
    # The first two are spheres that turn at 1 and 0.6.
    np.testing.assert_allclose(own.u_dot, 1.0 / (1e-6 * (1.0 + 0.36)), rtol=1e-8)


def bead():
    """On a light rail that turns, drawn away from its axis."""
    light = Inertia(mass=1e-20, moments=(1e-20, 1e-20, 1e-20))
    drawing = Drawing("bead")
    drawing.body("rail", turn((0.2, 0.3, 0.1)), light)
    drawing.body("bead", turn((0.2, 0.3, 0.1)), replace(light, mass=1.0))
    drawing.revolute("turn", (WORLD, "rail"), turn((0.2, 0.3, 0.1)))
    along = turn((0.2, 0.3, 0.1)) @ turn((0.0, np.pi / 2, 0.0))
    drawing.prismatic("slide", ("rail", "bead"), along)
    return rc.compile(starting_at(drawing.mechanism(), slide=0.3))


@every_emitter
def test_what_the_code_refuses_and_the_reference_does_not_is_recovered(emitter):
    """A bead on a rail all but at its axis: less than rounding of what it weighs as drawn."""
    compiled = bead()
    many = rc.bind_dynamics(compiled, emitter=emitter).batch(3)
    many.efforts[...] = 1.0
    many.q[compiled.tree_joint("slide").q] = [[0.3, 1e-8, 0.4]]
    many.forward()
    assert many.bound.recovered == 1
    found = reference_forward(many, 1)
    np.testing.assert_array_equal(many.u_dot[:, 1], found.u_dot)
    np.testing.assert_array_equal(many.v_dot[:, 1], found.v_dot)
    for state in (0, 2):
        expected = reference_forward(many, state).u_dot
        np.testing.assert_allclose(many.u_dot[:, state], expected, rtol=1e-12)


def reference_forward(many, state):
    return rc.forward_dynamics(
        many.bound.compiled,
        many.q[:, state],
        many.v[many.independent_speeds, state],
        many.efforts[:, state],
        independent=many.independent,
        ports=many._ports,
    )


def test_a_place_that_moves_is_refused_where_the_reference_would_have_to_do_it():
    """The reference holds it still."""
    task = rc.Task(name="held", body="bead", kind=JointKind.BALL)
    compiled = rc.compile(bead().mechanism, tasks=[task])
    own = rc.bind_dynamics(compiled, emitter="python")
    own.v[list(own.bound.compiled.prescribed)] = 0.1
    with pytest.raises(BadValueError, match="moving place"):
        own._recover_state(0)


@every_emitter
def test_a_refused_state_leaves_the_others_of_a_batch_and_the_next_call_as_they_are(emitter):
    """Though what clusters were told of it is NaN."""
    own = rc.bind_dynamics(bead(), emitter=emitter).batch(3)
    put_anything(own, 4)
    own.forward()
    before, q = own.v_dot.copy(), own.q.copy()
    own.q[own.bound.compiled.tree_joint("slide").q, 1] = 1e-9
    own.forward()
    assert own.bound.recovered == 1
    np.testing.assert_array_equal(own.v_dot[:, ::2], before[:, ::2])
    own.q = q
    own.forward()
    np.testing.assert_array_equal(own.v_dot, before)


def test_supports_hold_bodies_in_bound_dynamics_as_in_the_reference():
    """As places that are prescribed and weigh nothing."""
    compiled = rc.compile(drawn_at_random(2, 4, 0))
    task = rc.Task(name="held", body="b3", position=(0.1, 0.2, 0.3), kind=JointKind.BALL)
    own = rc.bind_dynamics(compiled, support=[task], loads=["b2"], emitter="python")
    put_anything(own, 7, moved=0.0)
    own.v[list(own.bound.compiled.prescribed)] = 0.0
    assert forward_error(own) < 1e-12
    u_dot = own.u_dot.copy()
    free = own.bound.compiled
    q = np.concatenate([own.q[free.tree_joint(t.edge.joint.name).q] for t in compiled.tree])
    found = rc.forward_dynamics(
        compiled,
        q,
        own.v[own.independent_speeds],
        own.efforts,
        wrenches=dict(own.wrenches),
        support=[task],
        independent=own.independent,
        ports=own._ports,
    )
    np.testing.assert_allclose(u_dot, found.u_dot, rtol=1e-10, atol=1e-10)
    assert inverse_error(own) < 1e-12
