"""Forward and inverse dynamics against `dynamics_oracle`, which nothing of them is in."""

from dataclasses import replace

import numpy as np
import pytest

import robocompiler as rc
from closed_mechanisms import KIND_OF_CUT, closed
from dynamics_oracle import GRAVITY, reference_dynamics
from linkages.excavator import excavator
from linkages.planar import four_bar_of, slider_crank
from linkages.robots import FEET, go2
from linkages.stewart import stewart, task_pose
from mechanisms import open_chain_loop

SINGLE = (rc.JointKind.REVOLUTE, rc.JointKind.PRISMATIC)
MECHANISMS = {
    "four-bar": four_bar_of,
    "slider-crank": slider_crank,
    "excavator": excavator,
    "Stewart": lambda: stewart(task_pose(5.7)),
    "Stewart, a free platform": lambda: stewart(task_pose(5.7), chart=True),
    "Go2 on two feet": lambda: go2(FEET[1:3]),
}
CUT = {"cut revolute": rc.JointKind.REVOLUTE, "cut prismatic": rc.JointKind.PRISMATIC}


def fitted(mechanism):
    """Armature, damping and a spring on every joint of one coordinate, in the tree or cut."""

    def joint(j):
        if j.kind not in SINGLE:
            return j
        terms = {"armature": 0.3, "damping": 0.7, "stiffness": 11.0, "spring_reference": 0.1}
        return replace(j, **terms)

    return replace(mechanism, joints=tuple(map(joint, mechanism.joints)))


def standing(name):
    """Compiled and closed, fitted."""
    if name in CUT:
        assert CUT[name].value in KIND_OF_CUT
        return closed(fitted(open_chain_loop(CUT[name], reverse=True)), {CUT[name]})
    compiled = rc.compile(fitted(MECHANISMS[name]()))
    return compiled, rc.coordinates(compiled, rc.assemble(compiled))


def motion(compiled, q, seed=3):
    """Independent speeds, a port on every speed of one coordinate, and a wrench."""
    random = np.random.default_rng(seed)
    u = random.uniform(-1.0, 1.0, len(rc.reduce(compiled, q).names))
    names = [t.edge.joint.name for t in compiled.tree if t.edge.joint.kind in SINGLE]
    names += [c.chord.joint.name for c in compiled.closures if c.kind in SINGLE]
    efforts = dict(zip(names, random.uniform(-40.0, 40.0, len(names)).tolist(), strict=True))
    body = compiled.bodies[-1].name
    return u, efforts, {body: random.uniform(-20.0, 20.0, 6)}


def driven_everywhere(mechanism_of, efforts):
    """The mechanism with an actuator on each of these joints."""
    drives = tuple(
        rc.Actuator(name=name, transmissions=(rc.Transmission(coordinate=name),))
        for name in efforts
    )
    return replace(mechanism_of, actuators=drives)


@pytest.mark.parametrize("name", [*MECHANISMS, *CUT])
def test_accelerations_are_those_of_fifty_digits(name):
    compiled, q = standing(name)
    u, efforts, push = motion(compiled, q)
    compiled = replace(compiled, mechanism=driven_everywhere(compiled.mechanism, efforts))
    exact = reference_dynamics(compiled, q, u, efforts, push)
    found = rc.forward_dynamics(compiled, q, u, efforts, wrenches=push, gravity=GRAVITY)
    assert exact.acceleration_error(found.v_dot) < 1e-13
    assert exact.force_error(found.v_dot) < 1e-14
    np.testing.assert_allclose(found.u_dot, exact.u_dot, rtol=0, atol=1e-12 * size(exact.u_dot))
    needed = rc.inverse_dynamics(
        compiled, q, u, exact.u_dot, wrenches=push, gravity=GRAVITY
    ).generalized
    assert exact.effort_error(needed, exact.u_dot) < 1e-14


@pytest.mark.parametrize("name", ["four-bar", "excavator", "cut prismatic"])
def test_a_rotor_behind_gears_on_several_joints_weighs_on_all_of_them(name):
    """One of them is cut."""
    compiled, q = standing(name)
    first = next(t.edge.joint.name for t in compiled.tree if t.edge.joint.kind in SINGLE)
    cut = compiled.closures[0].chord.joint.name
    geared = (
        rc.Transmission(coordinate=first, ratio=7.0),
        rc.Transmission(coordinate=cut, ratio=-3.0),
    )
    drive = rc.Actuator(name="drive", transmissions=geared, armature=0.02)
    compiled = replace(compiled, mechanism=replace(compiled.mechanism, actuators=(drive,)))
    u, _, push = motion(compiled, q)
    exact = reference_dynamics(compiled, q, u, {first: 7.0 * 5.0, cut: -3.0 * 5.0}, push)
    found = rc.forward_dynamics(compiled, q, u, {"drive": 5.0}, wrenches=push, gravity=GRAVITY)
    assert exact.acceleration_error(found.v_dot) < 1e-13
    bare = replace(compiled, mechanism=replace(compiled.mechanism, actuators=()))
    lighter = reference_dynamics(bare, q, u, {first: 7.0 * 5.0, cut: -3.0 * 5.0}, push)
    assert lighter.acceleration_error(found.v_dot) > 1e-6


@pytest.mark.parametrize("kind", [rc.JointKind.BALL, rc.JointKind.FIXED, rc.JointKind.REVOLUTE])
def test_a_support_holds_as_the_same_task_that_is_compiled_does(kind):
    mechanism = fitted(excavator())
    tip = rc.Task(name="tip", body="bucket", position=(0.3, 0.1, 0.4), kind=kind)
    free, held = rc.compile(mechanism), rc.compile(mechanism, tasks=[tip])
    q = rc.coordinates(free, rc.assemble(free))
    there = rc.coordinates(held, rc.assemble(held))
    u = np.random.default_rng(4).uniform(-0.5, 0.5, 7 - kind.rows)
    efforts, push = {"slew": 300.0, "stick cylinder": -4e3}, {"stick": (10, -20, 30, 1, 2, 3)}
    independent = rc.reduce(held, there).names
    exact = reference_dynamics(held, there, u, efforts, push, independent)
    given = {"wrenches": push, "gravity": GRAVITY, "independent": independent}
    found = rc.forward_dynamics(free, q, u, efforts, support=[tip], **given)
    expected = [exact.v_dot[held.tree_joint(t.edge.joint.name).v] for t in free.tree]
    np.testing.assert_allclose(
        found.v_dot, np.concatenate(expected), rtol=0, atol=1e-11 * size(exact.v_dot)
    )


def size(x):
    return max(1.0, float(np.abs(x).max()))
