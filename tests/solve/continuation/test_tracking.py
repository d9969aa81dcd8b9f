import numpy as np

from linkages.drawing import Drawing, at, axis, spared
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.steps import step
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Mechanism
from robocompiler.solve.continuation.homotopy import hold_speeds
from robocompiler.solve.continuation.tracking import place_at, travel
from robocompiler.solve.state import starting_coordinates
from robocompiler.solve.system import systems_of


def raft() -> Mechanism:
    """A floating body on one leg of three hinges, its foot held by a ball."""
    drawing = Drawing("raft")
    drawing.body("raft", at(0.1, 0.2, 0.5))
    drawing.joint(
        "base",
        JointKind.FREE,
        (WORLD, "raft"),
        at(0.0),
        *(0.1, 0.2, 0.5, 1.0, 0.0, 0.0, 0.0),
        **spared(JointKind.FREE),
    )
    inner = "raft"
    hips = {"hip": ((0.1, 0.2, 0.5), (1, 0, 0)), "thigh": ((0.1, 0.2, 0.48), (0, 1, 0))}
    for name, (point, along) in {**hips, "knee": ((0.25, 0.2, 0.25), (0, 1, 0))}.items():
        drawing.body(name)
        drawing.revolute(name, (inner, name), axis(point, along), **spared(JointKind.REVOLUTE))
        inner = name
    drawing.ball("foot", (WORLD, inner), (0.1, 0.22, 0.0), closes_loop=True)
    return drawing.mechanism()


def test_a_floating_base_is_put_exactly_where_it_is_to_be_in_one_step():
    """Its quaternion's rounding must not make another step of the way, of nothing."""
    (system,) = systems_of(compile_mechanism(raft()))
    q = starting_coordinates(system.compiled)
    random = np.random.default_rng(0)
    for _ in range(8):
        base = np.zeros(system.compiled.nv)
        base[system.speeds_of("base")] = random.uniform(-0.03, 0.03, 6)
        target = step(system.compiled, q, base)
        drivers = system.speeds_of("base")
        place = place_at(system, hold_speeds(system, q, drivers), q)
        states: list[np.ndarray] = []
        went = travel(system, place, drivers, target, states.append)
        assert went.refusal is None
        assert len(states) == 1
        np.testing.assert_array_equal(went.place.point.q[:7], target[:7])
        assert went.place.point.misfit < 1e-14
