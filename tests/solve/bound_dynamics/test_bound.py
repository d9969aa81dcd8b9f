"""Generated dynamics of all kinds of mechanisms against the reference, which fifty digits judge."""

from dataclasses import replace

import numpy as np
import pytest

import robocompiler as rc
from linkages.bound import every_emitter, relative
from linkages.bound_dynamics import (
    forward_error,
    inverse_error,
    loads_of,
    put_anything,
    reference_of,
)
from linkages.crane import crane
from linkages.drawn_at_random import drawn_at_random, geared_at_random
from linkages.excavator import excavator
from linkages.known import TABLE
from linkages.many_loops import module_chain
from linkages.planar import four_bar_of
from linkages.robots import FEET, KANGAROO_HOME, go2, kangaroo, panda
from linkages.spatial import loop_with, summing_differential
from linkages.stewart import stewart, task_pose
from robocompiler.compiler.ports import Port
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Environment

PRECISE = 2e-13
KNOWN = ("five-bar", "3-RPR", "3-RRR", "braced parallelogram", "Bennett", "line-symmetric Bricard")
KNOWN += (
    "Sarrus, three sides",
    "delta, six rods idle",
    "differential",
    "Ackermann, wheels spinning",
)
ROBOTS = {
    "crane": crane,
    "excavator": excavator,
    "chain": lambda: module_chain(5),
    "summing differential": summing_differential,
    "Stewart": lambda: stewart(task_pose(5.7)),
    "Stewart, a free platform": lambda: stewart(task_pose(5.7), chart=True),
    "Go2": go2,
    "Go2 on two feet": lambda: go2(FEET[1:3]),
    "Panda": panda,
}


def dynamics_of(mechanism, emitter="python", eliminate=False, **how):
    compiled = rc.compile(mechanism, eliminate_couplings=eliminate)
    return rc.bind_dynamics(compiled, loads=loads_of(compiled), emitter=emitter, **how)


def assert_as_the_reference(own, seed=3):
    """Forward, inverse, M and L; of a state and of the same that moves and is driven otherwise."""
    put_anything(own, seed, moved=0.01)
    assert forward_error(own) < PRECISE
    put_anything(own, seed + 1, moved=0.0)
    assert inverse_error(own) < PRECISE
    found, expected = rc.BoundDerivatives(own)(), reference_of(own)
    assert max(relative(found.M, expected.M), relative(found.L, expected.L)) < PRECISE


@pytest.mark.parametrize("name", KNOWN)
def test_linkages_move_and_are_driven_as_by_the_reference(name):
    assert_as_the_reference(dynamics_of(TABLE[name][0]))


@pytest.mark.parametrize("name", ROBOTS)
def test_robots_move_and_are_driven_as_by_the_reference(name):
    assert_as_the_reference(dynamics_of(ROBOTS[name]()))


@pytest.mark.thorough
def test_kangaroo_moves_as_by_the_reference():
    own = dynamics_of(kangaroo(motors=KANGAROO_HOME))
    put_anything(own, 3, moved=0.01)
    assert forward_error(own) < PRECISE


@pytest.mark.parametrize("kind", [kind for kind in JointKind if kind is not JointKind.FREE])
def test_loops_with_a_joint_of_each_kind_do_so_too(kind):
    assert_as_the_reference(dynamics_of(loop_with(kind, reverse=True)))


@pytest.mark.parametrize("kind", [kind for kind in JointKind if 0 < kind.dof < 6])
def test_springs_dampers_and_rotors_of_cut_joints_act_too(kind):
    mechanism = loop_with(kind, reverse=True)
    acts = {"stiffness": 3.0, "spring_reference": 0.2, "damping": 0.4, "armature": 0.15}
    joints = tuple(replace(joint, **acts) for joint in mechanism.joints)
    compiled = rc.compile(replace(mechanism, joints=joints), cuts=["kind"])
    assert [closure.chord.joint.name for closure in compiled.closures] == ["kind"]
    assert_as_the_reference(rc.bind_dynamics(compiled, emitter="python"))


@every_emitter
@pytest.mark.parametrize("build", [four_bar_of, lambda: drawn_at_random(10, 5, 1)])
def test_every_emitter_says_the_same(build, emitter):
    assert_as_the_reference(dynamics_of(build(), emitter))


@pytest.mark.parametrize(
    ("seed", "bodies", "loops", "gears"),
    [(seed, 2 + seed % 7, seed % 4, seed % 3) for seed in (2, 5, 7, 8, 10, 11, 14, 15, 16)],
)
def test_what_is_drawn_at_random_does_so_too(seed, bodies, loops, gears):
    """Trees of every kind of joint, some reversed, sprung or with rotors, geared, looped."""
    assert_as_the_reference(dynamics_of(drawn_at_random(seed, bodies, loops, gears)), seed)


@pytest.mark.parametrize("eliminate", [False, True])
@pytest.mark.parametrize("seed", [3, 7, 12])
def test_gears_and_actuators_across_branches_and_loops_do_so_too(seed, eliminate):
    """Their couplings are rows, or their followers no unknowns."""
    mechanism = geared_at_random(drawn_at_random(seed, 6, seed % 3, 0), seed)
    own = dynamics_of(mechanism, eliminate=eliminate)
    assert len(own.bound.compiled.eliminated) == eliminate
    assert_as_the_reference(own, seed)


@pytest.mark.parametrize(("cut", "ratio"), [((), 0.0), (((0, 0, -3.0),), 2.0)])
def test_a_port_that_is_not_just_on_its_own_speed_gives_the_efforts_that_the_least_squares_do(
    cut, ratio
):
    """One that moves nothing, which divides nothing, and one on a cut joint besides."""
    compiled = rc.compile(four_bar_of())
    speed = compiled.tree_joint("A").v.start
    port = Port(name="drive", tree=((speed, ratio),), cut=cut)
    own = rc.bind_dynamics(compiled, independent=["A"], ports=[port], emitter="python")
    put_anything(own)
    assert inverse_error(own) < PRECISE


def test_several_robots_in_one_mechanism_do_not_feel_each_other():
    """Each moves as alone; arms of one kind share their code."""
    first, second = four_bar_of(crank=0.7), renamed(four_bar_of(crank=0.9), "other ")
    both = dynamics_of(joined(first, second))
    assert_as_the_reference(both)
    alone = dynamics_of(first)
    shared = [both.independent.index(name) for name in alone.independent]
    alone.q[...] = [both.q[both.bound.compiled.tree_joint(name).q][0] for name in tree_names(alone)]
    alone.v[alone.independent_speeds] = [both.v[i] for i in both_speeds(both)][shared[0]]
    alone.efforts[...] = both.efforts[shared]
    both.wrenches["other coupler"][...] = 0.0
    for own in (alone, both):
        for wrench in own.wrenches.values():
            wrench[...] = 0.0
        own.forward()
    np.testing.assert_allclose(both.u_dot[shared], alone.u_dot, rtol=1e-12)


def tree_names(own):
    return [t.edge.joint.name for t in own.bound.compiled.tree]


def both_speeds(own):
    return own.bound.code.layout.partition.independent


def renamed(mechanism, before):
    """With another name for everything but the world."""
    bodies = tuple(replace(b, name=before + b.name) for b in mechanism.bodies)
    frames = tuple(
        replace(f, name=before + f.name, body=f.body if f.body == "world" else before + f.body)
        for f in mechanism.frames
    )
    joints = tuple(
        replace(j, name=before + j.name, parent=before + j.parent, child=before + j.child)
        for j in mechanism.joints
    )
    return replace(mechanism, bodies=bodies, frames=frames, joints=joints)


def joined(first, second):
    return replace(
        first,
        bodies=first.bodies + second.bodies,
        frames=first.frames + second.frames,
        joints=first.joints + second.joints,
    )


def test_gravity_is_that_of_the_call_then_of_the_mechanism_then_nine_point_eight_one():
    mechanism = panda()
    for stated, given, expected in (
        (None, None, (0.0, 0.0, -9.81)),
        ((1.0, 2.0, 3.0), None, (1.0, 2.0, 3.0)),
        ((1.0, 2.0, 3.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    ):
        own = dynamics_of(
            replace(mechanism, environment=Environment(gravity=stated)), gravity=given
        )
        np.testing.assert_array_equal(own.code.gravity, expected)
        own.inverse()
        assert relative(own.tau, reference_of(own).efforts(own.u_dot)) < PRECISE
        assert bool(np.abs(own.tau).max() > 0.1) is any(expected)


def test_a_mechanism_of_which_nothing_moves_has_dynamics_of_nothing():
    """Rigid loops: clusters without a freedom, and what hangs on them none that moves."""
    for seed in (1, 7):
        mechanism = drawn_at_random(seed, 2, 3, 0)
        own = rc.bind_dynamics(rc.compile(mechanism), emitter="python", ports=())
        own.forward()
        own.inverse()
        found = rc.BoundDerivatives(own)()
        assert own.bound.compiled.nv > 0
        assert own.u_dot.shape == own.tau.shape == (0,)
        assert (found.M.shape, found.efforts_q.shape) == ((0, 0), (0, 0))
        np.testing.assert_allclose(own.v_dot, 0.0)
