"""A kernel led along a table as machine code, against the closed form."""

from dataclasses import replace

import numpy as np
import pytest

from codegen import arm
from codegen.llvm.generated import WAYS, iterated, library, needs_llvm
from robocompiler.codegen.llvm import calls

pytestmark = needs_llvm
LINE = np.array([[0, 1, 2, 3, 0, 1, 2, 3, 0, 1]])
either = pytest.mark.parametrize("way", ["1", "8", WAYS[5]])


def _circle(knots, radius=0.9, turn=1.5):
    angle = np.linspace(0.0, turn, knots)
    targets = np.stack([radius * np.cos(angle), radius * np.sin(angle)], -1)
    return targets, np.stack(arm.closed_form(*targets.T), -1)


def _led(targets, settings=arm.SETTINGS, way="1", off=0.0, start=None, slope=1.0):
    """Follow a table from its first point: x, y, status, the tables, how many did not finish."""
    point = targets[0] if start is None else start
    angles = np.array(arm.closed_form(*point)) + off
    x, y = np.array([*point, *angles]), arm.inverse_at(*angles).ravel() * slope
    status = np.full(1, -77, dtype=np.int32)
    out_x, out_y = np.full((2, len(targets), 4), -77.0)
    failed = calls.along_table(
        library(arm.continued, way),
        "arm_continued",
        x=x,
        y=y,
        table=LINE,
        status=status,
        settings=settings,
        targets=targets,
        out_x=out_x,
        out_y=out_y,
    )()
    return x, y, status[0], out_x, out_y, failed


@either
def test_a_table_is_followed_along_the_closed_form(way):
    targets, angles = _circle(60)
    x, y, status, out_x, out_y, failed = _led(targets, way=way)
    assert (status, failed) == (60, 0)
    np.testing.assert_array_equal(out_x[:, :2], targets)
    np.testing.assert_allclose(out_x[:, 2:], angles, atol=1e-11)
    np.testing.assert_allclose(
        out_y, arm.inverse_at(*angles.T).reshape(60, 4), rtol=1e-9, atol=1e-9
    )
    np.testing.assert_array_equal(x, out_x[-1])
    np.testing.assert_array_equal(y, out_y[-1])


@either
def test_each_knot_is_what_iterating_from_the_prediction_gives(way):
    """To the last bit: with the sums of the prediction, which is exact here to a few of them."""
    targets, _ = _circle(40)
    _, _, _, out_x, out_y, _ = _led(targets, way=way)
    kernel = arm.continued()
    for before, results, target, after, then in zip(
        out_x, out_y, targets[1:], out_x[1:], out_y[1:], strict=False
    ):
        sources = {"x": before, "y": results, "t": target}
        start = kernel.iterated.graph.evaluate(kernel.predicted, sources)
        alone, y, status, _ = iterated(arm.iterated, start[:, None], arm.SETTINGS, way)
        assert status[0] in (1, 2)
        np.testing.assert_allclose(after, alone[:, 0], rtol=0, atol=1e-13)
        np.testing.assert_allclose(then, y[:, 0], rtol=1e-11)


@either
@pytest.mark.parametrize("out_of_reach", [0, 1, 17, 39])
def test_it_stops_before_a_point_that_is_out_of_reach(way, out_of_reach):
    targets, angles = _circle(40)
    start = targets[0].copy()
    targets[out_of_reach] = 1.3, 0.1
    settings = replace(arm.SETTINGS, reach=1e3)
    x, y, status, out_x, out_y, failed = _led(targets, settings, way, start=start)
    assert (status, failed) == (out_of_reach, 1)
    last = max(out_of_reach - 1, 0)
    np.testing.assert_allclose(x[2:], angles[last], atol=1e-11)
    np.testing.assert_allclose(y, arm.inverse_at(*angles[last]).ravel(), rtol=1e-9, atol=1e-9)
    assert (out_x[out_of_reach:] == -77.0).all()
    assert (out_y[out_of_reach:] == -77.0).all()


@either
def test_it_stops_where_a_prediction_goes_farther_than_it_may(way):
    targets, angles = _circle(40)
    steps = np.linalg.norm(np.diff(angles, axis=0), axis=1)
    settings = replace(arm.SETTINGS, reach=steps.mean() * 1.1)
    assert _led(targets, settings, way)[2] == 40
    targets = np.delete(targets, 25, axis=0)
    assert _led(targets, settings, way)[2] == 25


@either
def test_it_stops_where_steps_go_farther_than_the_prediction_foresaw(way):
    """From angles that are off, the first knot takes a correction of the size of the fault."""
    targets, _ = _circle(10)
    near = targets[0] * np.array([1.0, 1.0 + 1e-9]) + np.array([0.0, 1e-3])
    targets = np.vstack([near, targets[1:]])
    start = _circle(10)[0][0]
    assert _led(targets, way=way, start=start, off=1e-5)[2] == 10
    assert _led(targets, way=way, start=start, off=1e-2)[2] == 0
    assert _led(targets, replace(arm.SETTINGS, leap=100.0), way, start=start, off=1e-2)[2] == 10
    tight = replace(arm.SETTINGS, leap=0.0, noise=1e-14)
    assert _led(targets, tight, way, start=start, off=1e-5)[2] == 0


@either
@pytest.mark.parametrize("source", ["x", "y", "targets"])
def test_it_stops_where_something_is_no_number(way, source):
    targets, _ = _circle(10)
    start = targets[0].copy()
    if source == "targets":
        targets[4, 1] = np.nan
    off, slope = (np.nan if source == place else good for place, good in (("x", 0.0), ("y", 1.0)))
    x, y, status, out_x, _, failed = _led(targets, way=way, start=start, off=off, slope=slope)
    assert (status, failed) == (4 if source == "targets" else 0, 1)
    assert (out_x[status:] == -77.0).all()
    assert np.isfinite(x).all() == (source != "x")
    assert np.isfinite(y).all() == (source == "targets")


def test_several_instances_go_each_its_own_way_from_rows_they_share():
    """One table for both, the elbow one way or the other."""
    targets, angles = _circle(30)
    other = np.stack(arm.closed_form(*targets.T, elbow=-1.0), -1)
    table = np.array([[6, 2, 5, 1, 3, 0, 2, 1, 2, 0], [6, 2, 0, 7, 4, 7, 5, 6, 2, 0]])
    x, y, columns = np.full(9, 4.25), np.full(8, 4.25), np.full((30, 3), np.nan)
    x[table[0, :4]], x[table[1, :4]] = [*targets[0], *angles[0]], [*targets[0], *other[0]]
    y[table[0, 4:8]] = arm.inverse_at(*angles[0]).ravel()
    y[table[1, 4:8]] = arm.inverse_at(*other[0]).ravel()
    columns[:, [2, 0]] = targets
    status, out_x = np.zeros(2, dtype=np.int32), np.full((30, 9), 4.25)
    run = calls.along_table(
        library(arm.continued),
        "arm_continued",
        x=x,
        y=y,
        table=table,
        status=status,
        settings=arm.SETTINGS,
        targets=columns,
        out_x=out_x,
        out_y=None,
    )
    assert run() == 0
    assert list(status) == [30, 30]
    np.testing.assert_allclose(out_x[:, [5, 1]], angles, atol=1e-11)
    np.testing.assert_allclose(out_x[:, [0, 7]], other, atol=1e-11)
    np.testing.assert_array_equal(out_x[:, [6, 2]], targets)
    np.testing.assert_array_equal(x, out_x[-1])
    np.testing.assert_allclose(
        y[table[1, 4:8]], arm.inverse_at(*other[-1]).ravel(), rtol=1e-9, atol=1e-9
    )
    assert (out_x[:, [3, 4, 8]] == 4.25).all()


def test_a_table_without_knots_leaves_all_as_it_is():
    targets, _ = _circle(3)
    x, y, status, *_, failed = _led(targets[:0], start=targets[0])
    assert (status, failed) == (0, 0)
    np.testing.assert_array_equal(x[:2], targets[0])
    np.testing.assert_array_equal(y, arm.inverse_at(*arm.closed_form(*targets[0])).ravel())
