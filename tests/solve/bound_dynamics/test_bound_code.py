"""How much code there is for a mechanism's dynamics, when it is another, and where it is kept."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import robocompiler as rc
from codegen.llvm.generated import needs_llvm
from dynamics_oracle import tree_terms
from fifty_digits import digits, floats, to_fifty_digits
from linkages.bound_dynamics import put_anything
from linkages.drawn_at_random import drawn_at_random
from linkages.many_loops import chain_crank, module_chain
from linkages.planar import four_bar_of
from linkages.world_motion import walk
from robocompiler.compiler.rows import curvature_rows, linearize
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Actuator, Transmission
from robocompiler.solve.bound_dynamics import code as dynamics_code


def dynamics_of(mechanism, **how):
    return rc.bind_dynamics(rc.compile(mechanism), emitter="python", **how)


@pytest.mark.parametrize("modules", [3, 12])
def test_a_chain_has_a_cluster_for_each_module_and_three_types_however_long_it_is(modules):
    """The first, the last, and all between; so many kernels run, linear in the modules."""
    code = dynamics_of(module_chain(modules)).code
    assert (len(code.places.plans), len(code.places.types)) == (modules, 3)
    runs = {name: code.runs(name) for name in ("forward", "inverse")}
    assert [len(own) for own in runs.values()] == [7, 5]  # the ends lack a walk
    clusters = [sum(len(own) for _, (_, own) in run) for run in runs.values()]
    assert clusters == [3 * modules - 2, 2 * modules - 1]


def test_each_cluster_runs_after_what_it_hangs_on_outward_and_before_it_inward():
    """In every walk, whatever types stand beside each other."""
    code = dynamics_of(drawn_at_random(10, 8, 1)).code
    parents = [plan.cluster.parent for plan in code.places.plans]
    assert len(parents) > 3
    for walk_number, backward in ((0, False), (1, True), (2, False)):
        order = [at for own, (_, part) in code.runs("forward") if own == walk_number for at in part]
        order = order[::-1] if backward else order
        for at in order:
            if parents[at] in order:
                assert order.index(parents[at]) < order.index(at)


def contents(mechanism, **how):
    return dynamics_of(mechanism, **how).code._contents


def test_code_is_another_for_every_number_and_the_same_wherever_it_is_bound():
    bar = four_bar_of()
    joint, body = bar.joints[0], bar.bodies[0]
    chain = module_chain(2)
    there = rc.assemble(rc.compile(chain), {"000.A": chain_crank(3), "001.A": chain_crank(4)})
    assert contents(chain) == contents(chain) == contents(chain, near=there)
    heavier = replace(body, inertia=replace(body.inertia, mass=2.0 * body.inertia.mass))
    drive = Actuator(name="m", transmissions=(Transmission(coordinate="A"),), armature=0.1)
    seen = {
        *contents(bar),
        *contents(bar, gravity=(0.0, 0.0, 1.0)),
        *contents(bar, loads=["coupler"]),
        *contents(replace(bar, bodies=(heavier, *bar.bodies[1:]))),
        *contents(replace(bar, actuators=(drive,))),
        *contents(replace(bar, actuators=(replace(drive, armature=0.2),))),
    }
    for name in ("armature", "damping", "stiffness"):
        for value in (0.1, 0.2):
            changed = replace(joint, **{name: value})
            seen |= {*contents(replace(bar, joints=(changed, *bar.joints[1:])))}
    assert len(seen) == 12


SECOND = """
import numpy as np
import robocompiler as rc
from linkages.planar import four_bar_of
from robocompiler.solve.bound_dynamics import code

def traced(*_):
    raise AssertionError("it was traced again")

code.generate_dynamics = traced
own = rc.bind_dynamics(rc.compile(four_bar_of()), emitter="machine")
own.v[...], own.efforts[...] = 1.0, 2.0
own.forward()
own.inverse()
print(own.v_dot.tolist())
"""


@needs_llvm
@pytest.mark.skipif(not hasattr(os, "getuid"), reason="there is no cache on this system")
def test_a_second_process_traces_nothing(tmp_path, monkeypatch):
    """It loads what the first left, and says the same to the bit."""
    monkeypatch.setenv("ROBOCOMPILER_CACHE", str(tmp_path / "kept"))
    own = rc.bind_dynamics(rc.compile(four_bar_of()), emitter="machine")
    own.v[...], own.efforts[...] = 1.0, 2.0
    own.forward()
    own.inverse()
    paths = [Path(rc.__file__).parents[1], Path(__file__).parents[2]]
    found = subprocess.run(
        [sys.executable, "-c", SECOND],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == str(own.v_dot.tolist())


def test_code_is_traced_once_for_all_clusters_of_a_type(monkeypatch):
    seen, original = [], dynamics_code.generate_dynamics
    monkeypatch.setattr(
        dynamics_code,
        "generate_dynamics",
        lambda kind, name: (seen.append((id(kind), name)), original(kind, name))[1],
    )
    own = dynamics_of(module_chain(9, crank=0.61234))  # of which nothing is kept
    for run in (own.forward, own.inverse, own.batch(4).forward):
        run()
    assert len(seen) == len(set(seen)) <= 6


def test_places_of_tasks_that_move_carry_what_is_held_along():
    """K v̇ + γ = 0 and Eᵀ (M v̇ + h - τ) = 0 at all speeds, in fifty digits."""
    task = rc.Task(name="held", body="b3", position=(0.1, 0.2, 0.3), kind=JointKind.BALL)
    compiled = rc.compile(drawn_at_random(2, 4, 0), tasks=[task])
    own = rc.bind_dynamics(compiled, emitter="python", gravity=(0.0, 0.0, -9.81))
    put_anything(own, 3, moved=0.0)
    assert np.abs(own.v[list(compiled.prescribed)]).min() > 0.0
    own.forward()
    exact, q, v = to_fifty_digits(compiled), digits(own.q), digits(own.v)
    K, v_dot = linearize(exact, q).jacobian, digits(own.v_dot)
    assert np.abs(floats(K @ v)).max() < 1e-14
    assert np.abs(floats(K @ v_dot + curvature_rows(exact, q, v))).max() < 1e-12
    M, h = tree_terms(exact, walk(exact, q, v), q, v, digits(np.array([0.0, 0.0, -9.81])))
    tau = np.zeros(compiled.nv)
    tau[list(own.bound.code.layout.partition.independent)] = own.efforts
    left = floats(own.bound.E.T @ (M @ v_dot + h - digits(tau)))
    assert np.abs(left).max() < 1e-12
    np.testing.assert_array_equal(own.v_dot[list(compiled.prescribed)], 0.0)
