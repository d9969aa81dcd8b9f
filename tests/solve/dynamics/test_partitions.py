"""Equation 21: dynamics by other independent speeds are the same dynamics (claim C13)."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import robocompiler as rc
from closed_mechanisms import MECHANISMS, closed
from linkages.robots import SUPPORTS, go2
from linkages.standing import go2_feet
from robocompiler.solve.reduction.curvature import transfer_rate
from robocompiler.solve.reduction.partition import PartitionError, speed_names
from robocompiler.spatial import Array

HELD = 1e-2
"""Condition of a dependent block above which a choice of independent speeds is a fair one."""
MOST = 25
"""Choices that are tried of a mechanism that has more."""


def acted_on(mechanism: rc.Mechanism) -> rc.Mechanism:
    """With rotors, dampers and springs on every joint of one coordinate."""
    own = {"armature": 0.02, "damping": 0.3, "stiffness": 5.0}
    return replace(
        mechanism,
        joints=tuple(
            replace(joint, **own) if joint.kind.dof == 1 else joint for joint in mechanism.joints
        ),
    )


def choices(compiled: rc.CompiledMechanism, count: int) -> list[tuple[str, ...]]:
    """Names of as many speeds, every set of them or some drawn."""
    own = set(compiled.prescribed)
    names = [name for i, name in enumerate(speed_names(compiled)) if i not in own]
    every = combinations(names, count)
    if count <= 1 or len(names) <= 8:
        return list(every)
    random = np.random.default_rng(13)
    return [tuple(random.permutation(names)[:count]) for _ in range(20 * MOST)]


def partitions(compiled: rc.CompiledMechanism, q: Array, count: int) -> list:
    """Choices that determine the others well where it stands."""
    found = []
    for names in choices(compiled, count):
        try:
            reduction = rc.reduce(compiled, q, names)
        except PartitionError:
            continue
        if reduction.condition > HELD:
            found.append(reduction.partition)
        if len(found) == MOST:
            break
    return found


def near(found: Array, exact: Array, *through: Array) -> None:
    """Alike to rounding of the numbers that it was made of."""
    sizes = [float(np.max(np.abs(x), initial=1e-3)) for x in (exact, *through)]
    np.testing.assert_allclose(found, exact, rtol=0, atol=1e-11 * max(sizes))


def compare(compiled: rc.CompiledMechanism, q: Array, support: Sequence[rc.Task] = ()) -> int:
    """Compare every fair choice with the one that is made by itself; how many there were."""
    names = [task.name for task in support]
    first = rc.Supports(compiled, support).reduced(q, names)
    random, count = np.random.default_rng(21), len(first.names)
    u, u_dot = random.uniform(-1.0, 1.0, (2, count))
    efforts = random.uniform(-5.0, 5.0, len(first.ports))
    given = {"support": support, "ports": first.ports}
    own = {"independent": first.reduction.partition, **given}
    forward = rc.forward_dynamics(compiled, q, u, efforts, **own)
    inverse = rc.inverse_dynamics(compiled, q, u, u_dot, **own)
    a = inverse.dynamics
    others = partitions(a.supported.compiled, a.tree.q, count)
    for partition in others:
        own = {"independent": partition, **given}
        turned = rc.reduce(a.supported.compiled, a.tree.q, partition)
        F, F_rate = a.reduction.transfer(turned), transfer_rate(a.reduction, turned, a.v)
        w = np.linalg.solve(F, u)
        bent = F_rate @ w
        w_dot = np.linalg.solve(F, u_dot - bent)
        same_terms(a, rc.reduced_dynamics(compiled, q, w, **own), F, bent)
        near(rc.forward_dynamics(compiled, q, w, efforts, **own).v_dot, forward.v_dot)
        same_efforts(inverse, rc.inverse_dynamics(compiled, q, w, w_dot, **own), F)
    return len(others)


def same_terms(a: rc.ReducedDynamics, b: rc.ReducedDynamics, F: Array, bent: Array) -> None:
    """Of u = F ũ; `bent` is Ḟ ũ."""
    near(b.v, a.v)
    near(b.E, a.E @ F)
    near(b.M, F.T @ a.M @ F)
    near(b.h, F.T @ (a.h + a.M @ bent), np.abs(F.T) @ np.abs(a.M @ bent))
    near(b.L, a.L @ F)
    near(b.c, a.c + a.E @ bent, np.abs(a.E) @ np.abs(bent))


def same_efforts(a: rc.InverseDynamics, b: rc.InverseDynamics, F: Array) -> None:
    """Of one motion, and its power; where something is undriven, efforts are no more than near."""
    through = np.abs(b.dynamics.M) @ np.abs(b.u_dot)
    near(b.v_dot, a.v_dot, np.abs(b.dynamics.E) @ np.abs(b.u_dot))
    near(b.generalized, F.T @ a.generalized, through)
    if not a.undriven:
        near(b.efforts, a.efforts, through)
        near(
            b.efforts @ b.dynamics.B @ b.dynamics.v,
            a.efforts @ a.dynamics.B @ a.dynamics.v,
            through,
        )


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("slider-crank", 3),
        ("five-bar", 6),
        ("braced parallelogram", 3),
        ("Bennett", 3),
        pytest.param("Stewart", 25, marks=pytest.mark.thorough),
    ],
)
def test_the_dynamics_of_a_linkage_are_one_whichever_speeds_are_independent(name, least):
    compiled, q = closed(acted_on(MECHANISMS[name][0]()))
    assert compare(compiled, q) >= least


@pytest.mark.parametrize("feet", [SUPPORTS[1]])
def test_the_dynamics_of_go2_on_its_feet_are_one_whichever_speeds_are_independent(feet):
    compiled = rc.compile(go2())
    q = rc.coordinates(compiled, rc.assemble(compiled))
    support = tuple(task for task in go2_feet() if task.name in feet)
    assert compare(compiled, q, support) >= 15
