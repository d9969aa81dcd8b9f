"""Inverse dynamics by what bodies weigh: linear, and true of bodies that weigh something else."""

from dataclasses import replace

import numpy as np
import pytest

import robocompiler as rc
from linkages.drawing import Drawing, at
from linkages.excavator import excavator
from linkages.planar import four_bar_of
from linkages.robots import go2
from linkages.stewart import stewart, task_pose, variants
from linkages.two_link import UPPER, arm
from robocompiler.model.mechanism import WORLD, Inertia

MECHANISMS = {
    "four-bar": four_bar_of,
    "Stewart, bodies welded and their frames elsewhere": lambda: stewart(
        task_pose(5.7), variants()["body frames"]
    ),
    "excavator": excavator,
    "Go2, floating": go2,
}


def sprung(mechanism):
    own = {"damping": 0.7, "armature": 0.1}
    return replace(mechanism, joints=tuple(replace(j, **own) for j in mechanism.joints))


def moving(mechanism, states=3):
    compiled = rc.compile(mechanism)
    q = rc.coordinates(compiled, rc.assemble(compiled))
    reduction = rc.reduce(compiled, q)
    shape = (2, states, len(reduction.names))
    return compiled, q, reduction.names, *np.random.default_rng(6).uniform(-0.5, 0.5, shape)


@pytest.mark.parametrize("name", MECHANISMS)
def test_what_bodies_weigh_gives_inverse_dynamics_and_so_does_anything_else_they_might(name):
    compiled, q, names, u, u_dot = moving(sprung(MECHANISMS[name]()))
    pushed = {compiled.mechanism.bodies[-1].name: np.array([3.0, -2.0, 5.0, 0.4, 0.2, -0.1])}
    given = {"independent": names, "wrenches": pushed}
    found = rc.regressor(compiled, q, u, u_dot, **given)
    inverse = rc.inverse_dynamics(compiled, q, u, u_dot, **given)
    size = np.max(np.abs(inverse.generalized))
    np.testing.assert_allclose(found.generalized, inverse.generalized, atol=1e-13 * size)
    random = np.random.default_rng(3)
    other, parameters = heavier(compiled.mechanism, random)
    pi = [parameters[n.rpartition("/")[0]][i % 10] for i, n in enumerate(found.names)]
    changed = rc.inverse_dynamics(rc.compile(other), q, u, u_dot, **given).generalized
    predicted = found.Y @ np.array(pi) + found.rest
    np.testing.assert_allclose(predicted, changed, atol=1e-13 * np.max(np.abs(changed)))


def heavier(mechanism, random):
    """Other bodies, and the ten numbers of each as the textbook has them (Steiner)."""
    bodies, parameters = [], {}
    for body in mechanism.bodies:
        m, c = random.uniform(0.5, 3.0), random.uniform(-0.2, 0.2, 3)
        tensor = np.diag(random.uniform(0.10, 0.13, 3)) + 0.002 * (np.ones((3, 3)) - np.eye(3))
        inertia = Inertia(
            mass=m, center=tuple(c), moments=tuple(np.diag(tensor)), products=(0.002,) * 3
        )
        about = tensor + m * (c @ c * np.eye(3) - np.outer(c, c))
        entries = [about[i, j] for i in range(3) for j in range(i, 3)]
        parameters[body.name] = [m, *(m * c), *entries]
        bodies.append(replace(body, inertia=inertia))
    return replace(mechanism, bodies=tuple(bodies)), parameters


def test_a_pendulum_shows_three_of_its_ten_parameters():
    """Of what turns about a fixed level axis only Izz, mcx and mcy are felt."""
    drawing = Drawing("pendulum")
    drawing.body("bob", at())
    drawing.revolute("pivot", (WORLD, "bob"), at())
    compiled = rc.compile(drawing.mechanism())
    q, u, u_dot = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 20, 1))
    found = rc.regressor(compiled, q, u, u_dot, gravity=(0.0, -9.81, 0.0))
    Y = found.Y[:, 0, :]
    felt = [n for n, column in zip(found.names, Y.T, strict=True) if np.any(abs(column) > 1e-12)]
    assert felt == ["bob/mcx", "bob/mcy", "bob/Izz"]
    c, s = np.cos(q[:, 0]), np.sin(q[:, 0])
    book = np.stack([9.81 * c, -9.81 * s, u_dot[:, 0]], axis=1)
    np.testing.assert_allclose(Y[:, [1, 2, 9]], book, atol=1e-13)


def test_an_arm_of_two_links_shows_six_combinations_and_they_predict_it():
    """The textbook's: of the upper link three, the lower one's mass among them, of the lower three.

    W. Khalil, E. Dombre, Modeling, Identification and Control of Robots (2002), chapter 9.
    """
    compiled = rc.compile(arm())
    q, u, u_dot = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 20, 2))
    given = {"gravity": (0.0, -9.81, 0.0)}
    found = rc.regressor(compiled, q, u, u_dot, **given)
    base = rc.base_parameters(found)
    assert len(base.names) == 6
    told = base.combinations @ found.parameters
    predicted = found.Y[..., list(base.columns)] @ told
    needed = rc.inverse_dynamics(compiled, q, u, u_dot, **given).generalized
    np.testing.assert_allclose(predicted, needed, atol=1e-12)
    at = [found.names.index(name) for name in ("lower/m", "upper/mcx", "upper/Izz")]
    mass = np.zeros(20)
    mass[at] = [1.0, -UPPER, -(UPPER**2)]  # a lower mass that the upper link has less at its end
    np.testing.assert_allclose(base.combinations @ mass, 0.0, atol=1e-12)


def test_supports_are_no_bodies():
    compiled, q, _, _, _ = moving(go2())
    foot = rc.Task(name="stand", body="base", position=(0.0, 0.0, 0.0))
    bodies = {body.name for body in compiled.mechanism.bodies}
    name = "base" if "base" in bodies else compiled.mechanism.bodies[0].name
    support = (replace(foot, body=name),)
    count = len(rc.reduced_dynamics(compiled, q, np.zeros(15), support=support).names)
    found = rc.regressor(compiled, q, np.ones(count), np.ones(count), support=support)
    assert {n.rpartition("/")[0] for n in found.names} == bodies
    inverse = rc.inverse_dynamics(compiled, q, np.ones(count), np.ones(count), support=support)
    np.testing.assert_allclose(found.generalized, inverse.generalized, atol=1e-11)
