"""Points and frames that are held at a place: feet, soles and tools."""

import math

import numpy as np
import pytest

from linkages.drawing import Drawing, at
from linkages.planar import four_bar_of
from linkages.two_link import LOWER, TIP, UPPER, arm, arm_angles
from robocompiler import (
    JointKind,
    Task,
    Want,
    assemble,
    curvature,
    follow,
    mobility,
    reduce,
    sensitivity,
)
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.errors import (
    BadValueError,
    DuplicateNameError,
    SampleError,
    SeveralFaultsError,
    SpeedError,
    UnknownNameError,
    UnreachableError,
)
from robocompiler.model.mechanism import WORLD
from robocompiler.solve.describe import coordinates
from robocompiler.solve.reduction.partition import PartitionError
from robocompiler.write.write import write


def test_a_tip_held_at_moving_points_bends_the_arm_by_the_law_of_cosines():
    compiled = compile_mechanism(arm(), tasks=[TIP])
    angle = np.linspace(0.0, 2.0 * np.pi, 61)
    path = np.array([0.55 + 0.2 * np.cos(angle), 0.1 + 0.2 * np.sin(angle), 0.0 * angle]).T
    motion = follow(compiled, {"tip": path})
    exact = np.array([arm_angles(x, y) for x, y, _ in path])
    found = np.stack([motion.of("shoulder"), motion.of("elbow")], axis=1)
    np.testing.assert_allclose(found, exact, rtol=0, atol=1e-13)
    assert motion.held == ()


def test_a_place_stands_where_the_frame_is_drawn_until_it_is_moved():
    compiled = compile_mechanism(arm(0.4, 0.9), tasks=[TIP])
    found = assemble(compiled)
    x = UPPER * math.cos(0.4) + LOWER * math.cos(1.3)
    y = UPPER * math.sin(0.4) + LOWER * math.sin(1.3)
    np.testing.assert_allclose(found.of("tip"), (x, y, 0.0), atol=1e-15)
    assert found.moved == ()


def test_an_arm_whose_tip_is_held_has_no_freedom_of_its_own():
    compiled = compile_mechanism(arm(), tasks=[TIP])
    q = coordinates(compiled, assemble(compiled))
    assert mobility(compiled, q).generic == 0
    reduction = reduce(compiled, q)
    assert (reduction.names, reduction.rank) == ((), 2)


def test_speeds_and_accelerations_of_an_arm_are_those_of_the_closed_form():
    """The tip on a circle at a steady rate, against differences of the law of cosines."""
    compiled = compile_mechanism(arm(), tasks=[TIP])

    def place(t):
        return np.array([0.55 + 0.2 * math.cos(t), 0.1 + 0.2 * math.sin(t), 0.0])

    t, h = 0.7, 1e-4
    q = coordinates(compiled, assemble(compiled, {"tip": place(t)}))
    reduction = reduce(compiled, q)
    rate = np.array([-0.2 * math.sin(t), 0.2 * math.cos(t), 0.0])
    v = reduction.speeds(np.zeros(0), {"tip": rate})
    angles = [np.array(arm_angles(*place(t + s * h)[:2])) for s in (-1.0, 0.0, 1.0)]
    joints = [own.v.start for own in compiled.tree if not own.prescribed]
    np.testing.assert_allclose(v[joints], (angles[2] - angles[0]) / (2.0 * h), atol=1e-8)
    turning = np.array([-0.2 * math.cos(t), -0.2 * math.sin(t), 0.0])
    a = curvature(compiled, q, v, reduction) + reduction.speeds(np.zeros(0), {"tip": turning})
    second = (angles[2] - 2.0 * angles[1] + angles[0]) / h**2
    np.testing.assert_allclose(a[joints], second, atol=1e-6)


def test_a_link_too_long_bends_the_arm_as_the_law_of_cosines_says():
    """The lower link's tip moved out along it: what both joints do about that, by differences."""
    compiled = compile_mechanism(arm(), tasks=[TIP])
    q = coordinates(compiled, assemble(compiled))
    found = sensitivity(compiled, q)
    x, y, _ = assemble(compiled).of("tip")
    h = 1e-6
    longer, shorter = (np.array(arm_angles(x, y, LOWER + s * h)) for s in (1.0, -1.0))
    at = next(i for i, d in enumerate(found.dimensions) if (d.frame, d.along) == ("tip hold", "x"))
    rows = [found.speeds.index(name) for name in ("shoulder", "elbow")]
    np.testing.assert_allclose(found.motion[rows, at], (longer - shorter) / (2.0 * h), atol=1e-8)


def test_a_place_out_of_reach_is_refused_with_the_nearest():
    compiled = compile_mechanism(arm(), tasks=[TIP])
    with pytest.raises(UnreachableError, match="'tip'"):
        assemble(compiled, {"tip": (1.0, 0.0, 0.0)})
    with pytest.raises(SampleError) as caught:
        follow(compiled, {"tip": [(0.5, 0.3, 0.0), (0.0, 1.2, 0.0)]})
    assert caught.value.sample == 1


def test_a_place_is_captured_where_another_configuration_puts_the_frame():
    free = compile_mechanism(arm())
    there = assemble(free, {"shoulder": -0.3, "elbow": 1.4})
    held = compile_mechanism(arm(), tasks=[TIP])
    found = assemble(held, near=there)
    assert found.of("elbow")[0] == pytest.approx(1.4, abs=1e-15)
    x, y, _ = found.of("tip")
    assert arm_angles(x, y) == pytest.approx((-0.3, 1.4), abs=1e-14)


def test_tasks_that_make_no_sense_are_refused_together():
    tasks = [
        Task(name="tip", body="lover"),
        Task(name="elbow", body="lower"),
        Task(name="free", body="lower", kind=JointKind.FREE),
        Task(name="turned", body="lower", rotation=(1.0, 1.0, 0.0, 0.0)),
        Task(name="off", body="lower", position=(math.nan, 0.0, 0.0)),
    ]
    with pytest.raises(SeveralFaultsError) as caught:
        compile_mechanism(arm(), tasks=tasks)
    kinds = [type(fault) for fault in caught.value.faults]
    assert kinds.count(BadValueError) == 3
    assert {DuplicateNameError, UnknownNameError} <= set(kinds)


def test_a_task_on_what_cannot_move_is_refused():
    drawing = Drawing("on a plinth")
    drawing.body("plinth")
    drawing.joint("base", JointKind.FIXED, (WORLD, "plinth"), at())
    drawing.body("door")
    drawing.revolute("hinge", ("plinth", "door"), at())
    with pytest.raises(BadValueError, match="body=plinth is not a body that moves"):
        compile_mechanism(drawing.mechanism(), tasks=[Task(name="g", body="plinth")])


def test_the_place_of_a_task_is_no_independent_joint():
    compiled = compile_mechanism(arm(), tasks=[TIP])
    q = coordinates(compiled, assemble(compiled))
    with pytest.raises(PartitionError, match="the place of a task"):
        reduce(compiled, q, ["tip"])
    with pytest.raises(UnknownNameError, match="task 'top'"):
        reduce(compiled, q).speeds(np.zeros(0), {"top": np.zeros(3)})


def test_what_is_written_says_that_tasks_are_left_out(tmp_path):
    compiled = compile_mechanism(arm(), tasks=[TIP])
    for name in ("arm.json", "arm.xml"):
        result = write(compiled, tmp_path / name)
        assert [str(entry) for entry in result.unsupported if "tip" in entry.where] == [
            "task 'tip': that it holds 'lower', since a task is of the study, not of the mechanism"
        ]


def test_a_configuration_without_places_is_written_where_it_stands(tmp_path):
    mechanism = arm()
    there = assemble(compile_mechanism(mechanism), {"shoulder": -0.3, "elbow": 1.4})
    free, held = (
        write(compile_mechanism(mechanism, tasks=tasks), tmp_path / f"{len(tasks)}.xml", there)
        for tasks in ([], [TIP])
    )
    assert held.files[0].read_text() == free.files[0].read_text()


def test_speeds_of_places_take_batches_as_everything_does():
    """One configuration and many rates; and each rate at a configuration of its own."""
    compiled = compile_mechanism(arm(), tasks=[TIP])
    paths = [(0.5, 0.2, 0.0), (0.6, 0.1, 0.0), (0.4, -0.3, 0.0)]
    q = np.array([coordinates(compiled, assemble(compiled, {"tip": at})) for at in paths])
    rates = np.array([(0.1, 0.0, 0.0), (0.0, 0.2, 0.0), (-0.1, 0.3, 0.0)])
    for own in (q[0], q):
        found = reduce(compiled, own).speeds(np.zeros(0), {"tip": rates})
        for i, rate in enumerate(rates):
            alone = reduce(compiled, own if own.ndim == 1 else own[i])
            np.testing.assert_allclose(found[i], alone.speeds(np.zeros(0), {"tip": rate}))


def test_a_place_may_start_at_a_speed_and_the_arm_goes_along():
    """Against differences of the law of cosines; other places stand still."""
    compiled = compile_mechanism(arm(), tasks=[TIP])
    x, y, rate, h = 0.6, 0.2, (0.1, -0.3), 1e-6
    ahead, behind = (arm_angles(x + s * h * rate[0], y + s * h * rate[1]) for s in (1.0, -1.0))
    exact = (np.array(ahead) - np.array(behind)) / (2.0 * h)
    for asked in ((*rate, 0.0), Want((*rate, 0.0))):
        found = assemble(compiled, {"tip": (x, y, 0.0)}, speeds={"tip": asked})
        speeds = [found.speeds_of(name)[0] for name in ("shoulder", "elbow")]
        np.testing.assert_allclose(speeds, exact, atol=1e-8)
        assert found.speeds_of("tip") == pytest.approx((*rate, 0.0), abs=1e-15)
    with pytest.raises(SpeedError, match=r"'tip' cannot move at .* 0 mm/s only"):
        assemble(compiled, speeds={"tip": (0.0, 0.0, 0.1)})
    with pytest.raises(SpeedError, match="'shoulder'"):
        assemble(compiled, speeds={"shoulder": 0.3})


def test_what_holds_a_task_takes_no_name_from_a_loop():
    """The loop is declared at C and cut at B; in the alphabet the task comes first."""
    task = Task(name="0", body="coupler", position=(0.1, 0.05, 0.0))
    compiled = compile_mechanism(four_bar_of(), keep=["C"], tasks=[task])
    named = {closure.name: closure.chord.joint.name for closure in compiled.closures}
    assert named == {"C": "B", "0 hold": "0 hold"}
