"""Places of tasks in bound code: they are given, as independent coordinates are, and may move."""

import numpy as np
import pytest

import robocompiler as rc
from linkages.bound import every_emitter, relative
from linkages.robots import FEET, go2
from linkages.two_link import TIP, arm, arm_angles
from robocompiler.compiler.rows import linearize
from robocompiler.errors import BadValueError, ClosureError
from robocompiler.solve.reduction.curvature import curvature
from robocompiler.solve.reduction.reduce import reduce


@every_emitter
def test_an_arm_bends_as_the_law_of_cosines_says_where_its_tip_is_moved_to(emitter):
    own, h = rc.bind(rc.compile(arm(), tasks=[TIP]), emitter=emitter), 1e-4
    place = own.compiled.tree_joint("tip")
    joints = [own.compiled.tree_joint(name).q.start for name in ("shoulder", "elbow")]
    assert own.independent == ()
    rate = np.array([0.3, -0.2])
    for point in (np.array([0.6, 0.5]), np.array([0.62, 0.45]), np.array([0.6, 0.48])):
        own.q[place.q], own.v[place.v] = [*point, 0.0], [*rate, 0.0]
        own.motion()
        before, here, after = (np.array(arm_angles(*(point + k * h * rate))) for k in (-1, 0, 1))
        np.testing.assert_array_equal(own.q[place.q], [*point, 0.0])
        np.testing.assert_allclose(own.q[joints], here, atol=1e-12)
        np.testing.assert_allclose(own.v[joints], (after - before) / (2 * h), atol=1e-6)
        np.testing.assert_allclose(own.c[joints], (after - 2 * here + before) / h**2, atol=1e-5)
    assert own.recovered == 0


@every_emitter
def test_a_place_that_the_arm_cannot_reach_is_refused(emitter):
    """Too far, and out of its plane: a row on which no joint of it has any hold."""
    own = rc.bind(rc.compile(arm(), tasks=[TIP]), emitter=emitter)
    home = own.q.copy()
    for off in ([0.5, 0.5, 0.0], [0.0, 0.0, 1e-6], [0.0, 0.0, 0.1]):
        own.q = home
        own.q[own.compiled.tree_joint("tip").q] += off
        with pytest.raises(ClosureError, match="tip"):
            own.correct()


@every_emitter
def test_feet_that_are_moved_are_the_reference_s(emitter):
    """Go2 standing on four places, its base independent: all joints follow both."""
    at_feet = {
        joint.name.split()[0]: next(f for f in mechanism.frames if f.name == joint.child)
        for mechanism in [go2(FEET, limits=False)]
        for joint in mechanism.joints
        if joint.name.endswith("foot")
    }
    tasks = [rc.Task(name=f"{n} at", body=f.body, position=f.position) for n, f in at_feet.items()]
    compiled = rc.compile(go2(limits=False), tasks=tasks)
    own = rc.bind(compiled, independent=["base"], emitter=emitter)
    partition, random = own.code.layout.partition, np.random.default_rng(5)
    for _ in range(3):
        for task in tasks:
            tree = compiled.tree_joint(task.name)
            own.q[tree.q] += random.uniform(-0.01, 0.01, 3)
            own.v[tree.v] = random.uniform(-0.1, 0.1, 3)
        u = own.v[list(partition.independent)] = random.uniform(-0.1, 0.1, 6)
        given = own.q.copy()
        own.motion()
        for task in tasks:
            tree = compiled.tree_joint(task.name)
            np.testing.assert_array_equal(own.q[tree.q], given[tree.q])
        reduction = reduce(compiled, own.q, partition)
        places = {task.name: own.v[compiled.tree_joint(task.name).v] for task in tasks}
        assert np.abs(linearize(compiled, own.q).residual).max() < 1e-13
        assert relative(own.E, reduction.E) < 1e-12
        assert relative(own.v, reduction.speeds(u, places)) < 1e-12
        assert relative(own.c, curvature(compiled, own.q, own.v, reduction)) < 1e-11
    assert own.recovered == 0


@every_emitter
def test_a_place_that_moves_as_nothing_can_follow_is_refused(emitter):
    """Out of the arm's plane: the tip would be torn off."""
    own = rc.bind(rc.compile(arm(), tasks=[TIP]), emitter=emitter)
    place = own.compiled.tree_joint("tip").v
    for off in (1e-3, -5.0):
        own.v[place] = [0.3, -0.2, off]
        with pytest.raises(BadValueError, match="'tip'"):
            own.motion()
    own.v[place] = [0.3, -0.2, 0.0]
    own.motion()
    K = linearize(own.compiled, own.q).jacobian
    np.testing.assert_allclose(K @ own.v, 0.0, atol=1e-15)
