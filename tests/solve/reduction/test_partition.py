import math

import numpy as np
import pytest

from closed_mechanisms import LENGTHS, closed, made
from linkages.drawing import Drawing, at, driven_by
from linkages.excavator import CYLINDER_SPACE, JOINT_SPACE, excavator
from linkages.planar import GRASHOF, crank_range, four_bar_of
from linkages.robots import KANGAROO_MOTORS, SUPPORTS, go2, kangaroo
from linkages.stewart import stewart, task_pose
from robocompiler.errors import UnknownNameError
from robocompiler.model.mechanism import WORLD
from robocompiler.solve.reduction.partition import PartitionError
from robocompiler.solve.reduction.reduce import RankChangedError, reduce, repartition


def test_actuated_joints_come_first_and_idle_spins_after():
    assert reduce(*made("Stewart")).names == LENGTHS
    assert reduce(*made("five-bar")).names == ("A", "E")
    names = reduce(*made("delta")).names
    assert names[:3] == ("0", "1", "2")
    rods = {name.split("/")[0].rsplit(".", 1)[0] for name in names[3:]}
    assert rods == {f"{k}.{side}" for k in range(3) for side in (0, 1)}
    floating = driven_by(stewart(chart=True), LENGTHS[:3])
    assert reduce(*closed(floating)).names[:3] == LENGTHS[:3]


def test_requested_joints_come_first_as_requested_and_are_completed():
    compiled, q = made("Stewart")
    asked = ("leg 2 x", "leg 0 ball", "leg 4 length")
    reduction = reduce(compiled, q, asked)
    expected = ("leg 2 x", *(f"leg 0 ball/rotation.{a}" for a in "xyz"), "leg 4 length")
    assert reduction.names[:5] == expected
    assert reduction.names[5] in LENGTHS
    assert np.abs(reduction.jacobian @ reduction.E).max() < 1e-13


def refusal(compiled, q, asked, **options):
    with pytest.raises(PartitionError) as caught:
        reduce(compiled, q, asked, **options)
    return caught.value


def test_a_request_that_cannot_work_names_the_joints_that_would():
    compiled, q = made("five-bar")
    many = refusal(compiled, q, ["A", "B", "D"])
    assert many.refused == ("D",)
    assert "3 are asked for, and loop 'C' has 2 freedoms" in str(many)
    assert reduce(compiled, q, many.would_work).names == ("A", "B")
    missing = refusal(compiled, q, ["D"], complete=False)
    assert "leave 1 freedoms" in str(missing)
    assert reduce(compiled, q, missing.would_work, complete=False).names == missing.would_work
    assert "asked for twice" in str(refusal(compiled, q, ["A", "A"]))
    cut = refusal(compiled, q, ["C"])
    assert "it was cut" in str(cut)
    for name in cut.would_work:
        assert reduce(compiled, q, [name]).names[0] == name
    with pytest.raises(UnknownNameError, match="no joint or speed 'crank'"):
        reduce(compiled, q, ["crank"])


def test_a_pair_that_moves_as_one_is_refused_and_every_name_given_works_instead():
    """A prismatic leg's rod and barrel spin together: foot and head turn as one about its axis."""
    compiled, q = made("Stewart, balls")
    spin = [f"leg 0 ball/rotation.{a}" for a in "xyz"]
    asked = [*LENGTHS, "leg 0 foot/rotation.z", spin[2]]
    error = refusal(compiled, q, asked)
    assert error.refused == (spin[2],)
    assert "follows from" in str(error)
    assert len(error.would_work) > 1
    for name in error.would_work:
        assert reduce(compiled, q, [*asked[:-1], name]).names[7] == name


def test_a_joint_its_loops_hold_still_is_refused():
    drawing = Drawing("truss")
    drawing.body("bar 0")
    drawing.body("bar 1")
    drawing.body("bob")
    drawing.revolute("left", (WORLD, "bar 0"), at(0.0))
    drawing.revolute("right", (WORLD, "bar 1"), at(0.3))
    drawing.revolute("top", ("bar 0", "bar 1"), at(0.1, 0.2), closes_loop=True)
    drawing.revolute("swing", (WORLD, "bob"), at(1.0))
    compiled, q = closed(drawing.mechanism())
    assert reduce(compiled, q).names == ("swing",)
    assert "does not let it move" in str(refusal(compiled, q, ["left"]))
    assert refusal(compiled, q, [], complete=False).would_work == ("swing",)


def test_a_driver_at_its_toggle_is_not_among_the_independent():
    """There the crank has no motion of its own: a rocker's end of travel, by the closed form."""
    bars = GRASHOF["double-rocker"]
    low, high = crank_range(bars)
    compiled, q = closed(four_bar_of(bars, low if low > 0.0 else high))
    assert reduce(compiled, q).names != ("A",)
    assert "does not let it move" in str(refusal(compiled, q, ["A"]))


@pytest.mark.parametrize("space", [JOINT_SPACE, CYLINDER_SPACE])
def test_an_excavator_is_moved_by_its_joints_or_by_its_cylinders(space):
    compiled, q = closed(excavator())
    reduction = reduce(compiled, q, space, complete=False)
    assert reduction.names == space
    assert np.abs(reduction.jacobian @ reduction.E).max() < 1e-14


def test_parallel_cylinders_are_refused_and_a_missing_joint_is_found():
    compiled, q = closed(excavator())
    pair = refusal(compiled, q, ["boom cylinder 0", "boom cylinder 1"])
    assert pair.refused == ("boom cylinder 1",)
    assert "follows from 'boom cylinder 0'" in str(pair) or "has 1 freedoms" in str(pair)
    for left_out in JOINT_SPACE:
        asked = [name for name in JOINT_SPACE if name != left_out]
        assert reduce(compiled, q, asked).names[:6] == tuple(asked)
        missing = refusal(compiled, q, asked, complete=False)
        assert reduce(compiled, q, [*asked, missing.would_work[-1]], complete=False).rank == 16


@pytest.mark.parametrize(("soles", "free"), [((), 18), (("left",), 12), (("left", "right"), 6)])
def test_kangaroo_has_the_papers_independents_and_its_motors_are_among_them(soles, free):
    """Its base, where it floats, and twelve motors; on two soles, six of those."""
    compiled, q = closed(kangaroo(soles=soles))
    reduction = reduce(compiled, q)
    assert (reduction.rank, len(reduction.names)) == (compiled.nv - free, free)
    assert len(set(reduction.names) & set(KANGAROO_MOTORS)) == min(12, free)
    assert np.abs(reduction.jacobian @ reduction.E).max() < 1e-12


@pytest.mark.parametrize("feet", SUPPORTS)
def test_go2_on_any_of_its_feet_has_the_papers_ranks(feet):
    compiled, q = closed(go2(feet))
    reduction = reduce(compiled, q)
    assert (reduction.rank, len(reduction.names)) == (3 * len(feet), 18 - 3 * len(feet))


def test_a_partition_that_degrades_is_changed_and_the_motion_goes_on():
    """Driven by its rocker, a crank-rocker comes to where the rocker turns back."""
    bars = GRASHOF["crank-rocker"]
    d, a, b, c = bars
    toggle = math.acos((d * d + (a + b) ** 2 - c * c) / (2.0 * d * (a + b)))
    compiled, q = closed(four_bar_of(bars, toggle - 0.5))
    reduction = reduce(compiled, q, ["D"])
    names, worst, nearer = [], 1.0, np.geomspace(0.5, 1e-5, 40)
    for apart in (*-nearer, *nearer[::-1]):
        _, q = closed(four_bar_of(bars, toggle + apart))
        before = reduce(compiled, q, reduction.partition)
        reduction = repartition(compiled, q, reduction)
        names.append(reduction.names[0])
        worst = min(worst, float(reduction.condition))
        if reduction.partition is not before.partition:
            u = reduction.transfer(before) @ np.ones(1)
            np.testing.assert_allclose(reduction.E @ u, before.E @ np.ones(1), rtol=1e-9)
    assert set(names) == {"D", "A"}
    assert names == sorted(names, reverse=True)
    assert worst > 1e-3


def test_a_partition_that_serves_is_kept():
    compiled, q = made("Stewart")
    reduction = reduce(compiled, q, ("leg 2 x", "leg 0 ball", "leg 4 length"))
    _, p = closed(stewart(task_pose(6.0)))
    assert repartition(compiled, p, reduction).partition is reduction.partition


def test_where_the_rank_falls_no_partition_is_invented():
    """A parallelogram folded flat may go on as a contra-parallelogram: it is singular."""
    compiled, q = closed(four_bar_of(GRASHOF["parallelogram"], 0.7))
    reduction = reduce(compiled, q)
    _, flat = closed(four_bar_of(GRASHOF["parallelogram"], 0.0))
    with pytest.raises(RankChangedError) as caught:
        repartition(compiled, flat, reduction)
    assert (caught.value.before, caught.value.now) == (2, 1)
    assert set(caught.value.gained) == {"B", "D"}
