"""Joints that follow those of a loop by couplings, themselves on none."""

import numpy as np
import pytest

from linkages.bound import bound, every_emitter
from linkages.drawing import Drawing, at, planar
from linkages.planar import GRASHOF, four_bar_at, four_bar_solution
from robocompiler.errors import (
    BadValueError,
)
from robocompiler.model.mechanism import WORLD


def geared(leaders, ratio=-2.0):
    """A four-bar with a wheel F on the ground that joints lead, and G that F leads."""
    drawing, bars, crank = Drawing("geared"), GRASHOF["crank-rocker"], 0.7
    d, a, b, _ = bars
    coupler, rocker = four_bar_solution(bars, crank)
    x, y = a * np.cos(crank), a * np.sin(crank)
    cx, cy = x + b * np.cos(coupler), y + b * np.sin(coupler)
    drawing.body("crank", planar(0.0, 0.0, crank))
    drawing.body("coupler", planar(x, y, coupler))
    drawing.body("rocker", planar(d, 0.0, rocker))
    drawing.revolute("A", (WORLD, "crank"), at(0.0), crank, effort=1.0)
    drawing.revolute("B", ("crank", "coupler"), planar(x, y, crank), coupler - crank)
    where = planar(cx, cy, coupler)
    drawing.revolute("C", ("coupler", "rocker"), where, rocker - coupler, closes_loop=True)
    drawing.revolute("D", (WORLD, "rocker"), at(d), rocker)
    values = {"A": crank, "B": coupler - crank, "D": rocker}
    turned = sum(factor * values[name] for name, factor in leaders.items())
    for k, (name, value) in enumerate((("F", turned), ("G", ratio * turned)), 1):
        drawing.body(name, planar(float(k), 0.0, value))
        drawing.revolute(name, (WORLD, name), at(float(k)), value)
    drawing.couple("f", "F", leaders)
    drawing.gear("g", "F", "G", ratio)
    return drawing.mechanism()


@every_emitter
@pytest.mark.parametrize("eliminate", [True, False])
@pytest.mark.parametrize("leaders", [{"A": 2.0}, {"D": 1.5}, {"A": 1.0, "D": 2.0}, {"B": 1.0}])
def test_wheels_off_a_loop_turn_with_the_joints_on_it_that_lead_them(leaders, eliminate, emitter):
    """Against the closed form of the four-bar, times the ratios."""
    own, h = bound(geared(leaders), emitter, eliminate_couplings=eliminate), 1e-5
    place = {name: own.compiled.tree_joint(name).q.start for name in "ABDFG"}

    def expected(crank):
        known = dict(zip("ABD", four_bar_at(crank), strict=True))
        turned = sum(factor * known[name] for name, factor in leaders.items())
        return np.array([*known.values(), turned, -2.0 * turned])

    crank, order = 0.75, [place[name] for name in "ABDFG"]
    own.q[place["A"]], own.v[own.compiled.tree_joint("A").v] = crank, 1.0
    own.motion()
    before, here, after = (expected(crank + k * h) for k in (-1, 0, 1))
    np.testing.assert_allclose(own.q[order], here, atol=1e-12)
    np.testing.assert_allclose(own.v[order], (after - before) / (2 * h), atol=1e-8)
    np.testing.assert_allclose(own.E[order, 0], own.v[order], atol=1e-14)
    np.testing.assert_allclose(own.c[order], (after - 2 * here + before) / h**2, atol=1e-4)


@every_emitter
def test_what_is_geared_up_is_no_further_from_closed(emitter):
    """A wheel a thousand times as fast: Newton's steps are those of the loop."""
    own = bound(geared({"D": 1.0}, ratio=1000.0), emitter, eliminate_couplings=True)
    own.q[1:3] += 0.05
    own.correct()
    assert own.recovered == 0
    np.testing.assert_allclose(own.q[:3], four_bar_at(0.7), atol=1e-12)


@every_emitter
def test_a_follower_is_put_where_it_belongs_even_where_nothing_closes(emitter):
    own = bound(geared({"D": 1.5}), emitter, eliminate_couplings=True)
    place = {name: own.compiled.tree_joint(name).q.start for name in "ABDFG"}
    own.q[place["A"]] = np.nan
    with pytest.raises(BadValueError, match="'A'"):
        own.correct()
    assert own.q[place["F"]] == pytest.approx(1.5 * own.q[place["D"]], abs=1e-15)
