"""The reference that dynamics is judged by, against Lagrange and the energy of bodies."""

from dataclasses import replace

import numpy as np
import pytest

from closed_mechanisms import made
from dynamics_oracle import (
    GRAVITY,
    kinetic_energy,
    potential_energy,
    reference_dynamics,
    tree_terms,
)
from fifty_digits import digits, floats, to_fifty_digits
from linkages.crane import crane
from linkages.stewart import stewart, task_pose
from linkages.world_motion import across, walk
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.steps import step
from robocompiler.model.joint_kinds import Factor, JointKind
from robocompiler.solve.reduction.reduce import reduce
from robocompiler.solve.state import starting_coordinates

H = digits(1e-12)


def with_terms(compiled):
    """Armature, damping and springs on every joint that can have them."""

    def fitted(edge):
        joint = edge.joint
        single = len(joint.kind.factors) == joint.kind.dof
        spring = {"stiffness": 3.0, "spring_reference": 0.2} if single else {}
        return replace(edge, joint=replace(joint, armature=0.05, damping=0.4, **spring))

    tree = tuple(replace(t, edge=fitted(t.edge)) for t in compiled.tree)
    simple = (JointKind.REVOLUTE, JointKind.PRISMATIC)
    closures = tuple(
        replace(c, chord=fitted(c.chord)) if c.kind in simple else c for c in compiled.closures
    )
    return replace(compiled, tree=tree, closures=closures)


def of(name):
    if name == "crane":
        compiled = compile_mechanism(crane())
        return compiled, starting_coordinates(compiled)
    return made(name)


@pytest.mark.parametrize("name", ["crane", "universal", "screw", "cylindrical", "planar"])
def test_the_bias_is_lagranges(name):
    """h = Ṁ v - ∂T/∂q + ∂V/∂q, by differences of M and of the potential alone; of a rotation's
    speeds, which are the turned frame's, ω × ∂T/∂ω with it."""
    compiled, q = of(name)
    exact, there = to_fifty_digits(compiled), digits(q)
    v = digits(np.random.default_rng(3).uniform(-1.0, 1.0, compiled.nv))
    gravity = digits(GRAVITY)

    def at(q_):
        walked = walk(exact, q_, v)
        M, _ = tree_terms(exact, walked, q_, v, gravity)
        return M, potential_energy(exact, walked, q_, v, gravity)

    M, h = tree_terms(exact, walk(exact, there, v), there, v, gravity)
    (ahead, _), (behind, _) = (at(step(exact, there, s * (v * H))) for s in (1, -1))
    expected = ((ahead - behind) @ v) / (2.0 * H)
    for joint in compiled.tree:
        for factor, (_, own) in zip(joint.edge.joint.kind.factors, joint.factors, strict=True):
            if factor is Factor.ROTATION:
                expected[list(own)] += across(v[list(own)], (M @ v)[list(own)])
    for i in range(compiled.nv):
        e = digits(np.eye(compiled.nv)[i])
        (M, V), (N, W) = (at(step(exact, there, s * (e * H))) for s in (1, -1))
        expected[i] = expected[i] + ((V - W) - 0.5 * (v @ (M - N) @ v)) / (2.0 * H)
    assert np.abs(floats(expected - h)).max() < 1e-18 * max(1.0, np.abs(floats(h)).max())


@pytest.mark.parametrize("name", ["crank-rocker", "Stewart", "Stewart, chart", "crane", "delta"])
def test_the_energy_grows_by_what_is_put_in(name):
    """d(T + V)/dt of the bodies, springs and armature along the motion, of efforts less losses."""
    compiled, q = of(name)
    compiled = with_terms(compiled)
    random = np.random.default_rng(5)
    u = random.uniform(-1.0, 1.0, len(reduce(compiled, q).independent))
    tau = random.uniform(-5.0, 5.0, compiled.nv)
    body = compiled.bodies[-1].name
    wrench = random.uniform(-5.0, 5.0, 6)
    found = reference_dynamics(compiled, q, u, tau, {body: wrench})
    exact, gravity = to_fifty_digits(compiled), digits(GRAVITY)
    v, a = found.v, found.exact_v_dot

    def energy(sign):
        moved = step(exact, found.q, v * (sign * H) + a * (0.5 * H * H))
        faster = v + a * (sign * H)
        walked = walk(exact, moved, faster)
        return kinetic_energy(exact, walked, moved, faster) + potential_energy(
            exact, walked, moved, faster, gravity
        )

    grows = float((energy(1) - energy(-1)) / (2.0 * H))
    moving = walk(exact, found.q, v)[-1]
    given = floats(moving.v) @ wrench[:3] + floats(moving.omega) @ wrench[3:]
    still = reference_dynamics(without_damping(compiled), q, u, tau, {body: wrench})
    lost = floats(v) @ floats(found.h - still.h)
    assert lost > 0.0
    put_in = floats(v) @ tau + given - lost
    assert grows == pytest.approx(put_in, rel=1e-13, abs=1e-12)


def without_damping(compiled):
    def bare(edge):
        return replace(edge, joint=replace(edge.joint, damping=0.0))

    tree = tuple(replace(t, edge=bare(t.edge)) for t in compiled.tree)
    closures = tuple(replace(c, chord=bare(c.chord)) for c in compiled.closures)
    return replace(compiled, tree=tree, closures=closures)


def test_the_same_platform_cut_in_another_way_accelerates_alike():
    """Efforts by joints' names, on the same six lengths: 21 speeds and 24, other trees."""
    lengths, found = [f"leg {i} length" for i in range(6)], []
    efforts = dict(zip(lengths, (10.0, -30.0, 50.0, 20.0, -5.0, 70.0), strict=True))
    for drawn in (
        stewart(task_pose(5.7)),
        stewart(task_pose(5.7), tree_ball=3),
        stewart(task_pose(5.7), chart=True),
    ):
        compiled = compile_mechanism(drawn)
        q = starting_coordinates(compiled)
        u = np.array([0.1, -0.2, 0.15, 0.3, -0.1, 0.05])
        wrench = {"payload": (1.0, 2.0, -3.0, 0.5, -0.2, 0.1)}
        found.append(reference_dynamics(compiled, q, u, efforts, wrench, lengths).u_dot)
    np.testing.assert_allclose(found[1], found[0], rtol=1e-11)
    np.testing.assert_allclose(found[2], found[0], rtol=1e-11)


def test_errors_are_those_of_equation_23():
    compiled, q = made("Stewart")
    u = np.full(6, 0.3)
    found = reference_dynamics(compiled, q, u, np.ones(compiled.nv))
    exact = found.v_dot
    assert found.acceleration_error(exact) < 1e-16
    off = np.array(exact)
    off[0] += 1e-3
    size = max(1.0, np.abs(exact).max())
    assert found.acceleration_error(off) == pytest.approx(1e-3 / size)
    M, h = floats(found.M), floats(found.h)
    assert found.force_error(off) == pytest.approx(
        1e-3 * np.abs(M[:, 0]).max() / max(1.0, np.abs(h).max())
    )
    assert found.row_error(off) == pytest.approx(
        1e-3 * np.abs(floats(found.K[:, 0])).max(), rel=1e-9
    )
