"""Derivatives of generated dynamics against differences in fifty digits, loops closed anew."""

from dataclasses import replace

import numpy as np
import pytest

import robocompiler as rc
from linkages.bound import every_emitter, relative
from linkages.bound_dynamics import loads_of, put_anything, reference_of
from linkages.differences import Residual
from linkages.drawing import Drawing, solid, turn
from linkages.drawn_at_random import drawn_at_random, geared_at_random
from linkages.overconstrained import bennett
from linkages.planar import four_bar_of, slider_crank
from linkages.spatial import loop_with, summing_differential
from linkages.stewart import stewart, task_pose
from robocompiler.compiler.steps import step
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD
from robocompiler.spatial import exp_rotation, log_rotation, rotation_of

PRECISE = 1e-12
MECHANISMS = {
    "four-bar": four_bar_of,
    "slider-crank": slider_crank,
    "summing differential": summing_differential,
    "Bennett": bennett,
    "Stewart": lambda: stewart(task_pose(5.7)),
    "loop with a screw": lambda: loop_with(JointKind.SCREW, reverse=True),
    "loop with a ball": lambda: loop_with(JointKind.BALL, reverse=True),
    **{f"random {seed}": lambda seed=seed: drawn_at_random(seed, 4, 2, 1) for seed in (0, 8, 16)},
    **{f"tree {seed}": lambda seed=seed: drawn_at_random(seed, 4, 0, 2) for seed in (6, 11)},
}


def dynamics_of(mechanism, emitter="python", **how):
    compiled = rc.compile(mechanism, **how)
    own = rc.bind_dynamics(compiled, loads=loads_of(compiled), emitter=emitter)
    put_anything(own, 2, moved=0.01)
    own.bound.motion()
    return own


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_residual_changes_as_differences_in_fifty_digits_say(name):
    """By moves and by speeds; any accelerations, efforts and wrenches act."""
    own = dynamics_of(MECHANISMS[name]())
    found, exact = rc.BoundDerivatives(own)(), Residual(own)
    assert relative(found.residual_q, exact.by_moves()) < PRECISE
    assert relative(found.residual_u, exact.by_speeds()) < PRECISE
    expected = reference_of(own)
    assert relative(found.M, expected.M) < PRECISE
    assert relative(found.L, expected.L) < PRECISE


@pytest.mark.parametrize("seed", [7, 20])
def test_it_changes_so_with_followers_that_are_no_unknowns_too(seed):
    """Actuators are left out, and loops: the reference in fifty digits knows few cut joints."""
    mechanism = replace(
        geared_at_random(drawn_at_random(seed, 5, 0, 0, fitted=False), seed), actuators=()
    )
    own = dynamics_of(mechanism, eliminate_couplings=True)
    found, exact = rc.BoundDerivatives(own)(), Residual(own)
    assert relative(found.residual_q, exact.by_moves()) < PRECISE
    assert relative(found.residual_u, exact.by_speeds()) < PRECISE


@every_emitter
def test_states_of_a_batch_have_the_derivatives_that_they_have_alone(emitter):
    single = dynamics_of(slider_crank(), emitter)
    many = single.batch(3)
    put_anything(many, 6)
    many.forward()
    found = rc.BoundDerivatives(many)()
    for state in range(3):
        for name in ("q", "v", "u_dot", "efforts"):
            setattr(single, name, getattr(many, name)[:, state])
        for name, wrench in single.wrenches.items():
            wrench[...] = many.wrenches[name][:, state]
        single.bound.motion()
        alone = rc.BoundDerivatives(single)()
        for name in ("residual_q", "residual_u", "M", "L"):
            np.testing.assert_array_equal(getattr(found, name)[state], getattr(alone, name))


def test_forward_dynamics_changes_as_its_differences_say():
    """Where nothing is left of the residual: u̇ by moves, speeds and efforts, by differences."""
    own = dynamics_of(drawn_at_random(0, 4, 2, 1))
    own.forward()
    found, near = rc.BoundDerivatives(own)(), 1e-6
    q, speeds, E = own.q.copy(), own.independent_speeds, own.bound.E.copy()
    u, efforts = own.v[speeds].copy(), own.efforts.copy()

    def u_dot(move=0.0, faster=0.0, harder=0.0):
        own.q = step(own.bound.compiled, q, E @ (move + np.zeros(len(u))))
        own.v[speeds], own.efforts = u + faster, efforts + harder
        own.forward()
        return own.u_dot.copy()

    for name, kind, count in (
        ("u_dot_q", "move", len(u)),
        ("u_dot_u", "faster", len(u)),
        ("u_dot_efforts", "harder", len(efforts)),
    ):
        columns = [
            (u_dot(**{kind: near * way}) - u_dot(**{kind: -near * way})) / (2.0 * near)
            for way in np.eye(count)
        ]
        assert relative(getattr(found, name), np.stack(columns, axis=-1)) < 1e-7


def test_inverse_dynamics_takes_efforts_that_make_up_for_each_change():
    """Lᵀ ∂f = ∂r along what ports can do; of more ports than freedoms the least."""
    own = dynamics_of(four_bar_of())
    found = rc.BoundDerivatives(own)()
    for name, change in (("q", found.residual_q), ("u", found.residual_u), ("u_dot", found.M)):
        efforts = getattr(found, f"efforts_{name}")
        np.testing.assert_allclose(found.L.T @ efforts, change, rtol=1e-12)
        np.testing.assert_allclose(efforts, np.linalg.pinv(found.L.T) @ change, rtol=1e-12)


@every_emitter
@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.5, 3.0])
def test_a_spring_on_a_ball_stiffens_as_the_logarithm_does_at_its_zero_too(angle, emitter):
    """At rest and where nothing pulls, τ = k log R: its derivative by differences of that."""
    drawing = Drawing("sprung")
    drawing.body("b", inertia=solid())
    drawing.joint("ball", JointKind.BALL, (WORLD, "b"), turn((0.0,) * 3), stiffness=2.0)
    compiled = rc.compile(drawing.mechanism())
    own = rc.bind_dynamics(compiled, gravity=(0.0, 0.0, 0.0), emitter=emitter)
    axis = np.array([0.6, 0.0, 0.8])
    own.q = [np.cos(angle / 2), *(np.sin(angle / 2) * axis)]
    own.bound.motion()
    found, near, R = rc.BoundDerivatives(own)(), 1e-6, rotation_of(own.q)
    columns = [
        (log_rotation(R @ exp_rotation(near * way)) - log_rotation(R @ exp_rotation(-near * way)))
        / near
        for way in np.eye(3)
    ]
    np.testing.assert_allclose(found.residual_q, np.stack(columns, axis=-1), atol=1e-8)
    own.inverse()
    np.testing.assert_allclose(own.tau, 2.0 * log_rotation(R), atol=1e-14)


def test_springs_of_a_free_joint_pull_to_their_reference_but_those_of_its_rotation_to_zero():
    drawing = Drawing("hung up")
    drawing.body("b", inertia=solid())
    sprung = {"stiffness": 3.0, "spring_reference": 0.2}
    drawing.joint("free", JointKind.FREE, (WORLD, "b"), turn((0.0,) * 3), **sprung)
    own = rc.bind_dynamics(
        rc.compile(drawing.mechanism()), gravity=(0.0, 0.0, 0.0), emitter="python"
    )
    own.inverse()
    np.testing.assert_allclose(own.tau, [-0.6, -0.6, -0.6, 0.0, 0.0, 0.0], atol=1e-15)
