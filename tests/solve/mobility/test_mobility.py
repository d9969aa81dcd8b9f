import copy
import json
import math
import random
import time
from dataclasses import replace

import numpy as np
import pytest

import robocompiler as rc
from linkages import (
    excavator,
    many_loops,
    overconstrained,
    planar,
    planar_parallel,
    records,
    robots,
    spatial,
)
from linkages.drawing import Drawing, at, cut_at, driven_by, rounded
from linkages.stewart import stewart
from mechanisms import BARS, four_bar
from robocompiler.errors import BadValueError, NotClosedError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD
from robocompiler.solve.assembly.assemble import assemble, coordinates
from robocompiler.solve.mobility.mobility import mobility
from robocompiler.solve.mobility.text import as_data, explain


def of(mechanism, geometry_tolerance=1e-5):
    compiled = rc.compile(mechanism)
    q = coordinates(compiled, assemble(compiled, tolerance=(0.05, 0.5)))
    return mobility(compiled, q, geometry_tolerance)


def figures(found):
    return found.strict, found.at_tolerance, found.generic, found.grubler


def grubler(mechanism):
    """6 for every moving body, less 6 - f for every joint, less the couplings."""
    compiled = rc.compile(mechanism)
    joints = [*(t.edge.joint for t in compiled.tree), *(c.chord.joint for c in compiled.closures)]
    held = sum(6 - joint.kind.dof for joint in joints) + len(compiled.couplings)
    return 6 * (len(compiled.bodies) - 1) - held


def amounts(motion):
    return {rate.coordinate: rate.amount for rate in motion.rates}


def pinned(name, *joints):
    """Bodies hinged about z at points of the plane: (joint, one body, another, x, y)."""
    drawing = Drawing(name)
    for body in sorted({b for _, *between, _, _ in joints for b in between} - {WORLD}):
        drawing.body(body)
    for joint, a, b, x, y in joints:
        drawing.revolute(joint, (a, b), at(x, y))
    return drawing.mechanism()


OVERCONSTRAINED = {
    "Bennett": (overconstrained.bennett, -2),
    "Bricard": (overconstrained.bricard, 0),
    "line-symmetric Bricard": (overconstrained.line_symmetric_bricard, 0),
    "Sarrus": (overconstrained.sarrus, 0),
    "parallelogram with an extra bar": (planar.braced_parallelogram, -6),
    "four-bar": (four_bar, -2),
    "scissor of ten loops": (many_loops.scissor_lift, -29),
}


@pytest.mark.parametrize("name", OVERCONSTRAINED)
def test_linkages_that_move_by_their_proportions_have_one_freedom_that_grubler_misses(name):
    build, counted = OVERCONSTRAINED[name]
    found = of(build())
    assert figures(found) == (1, 1, 1, counted)
    assert counted == grubler(build())
    assert (int(found), str(found), found.idle, found.singular) == (1, "1", (), ())
    assert len(found.redundant) == 1 - counted
    assert found.gap > 1e9
    assert found.misfit < 1e-14


@pytest.mark.parametrize("name", OVERCONSTRAINED)
def test_rounded_to_six_decimals_they_still_do_and_what_was_assumed_is_said(name):
    found = of(rounded(OVERCONSTRAINED[name][0]()))
    assert (found.generic, str(found)) == (1, "1")
    assert found.misfit < 1e-5
    said = "\n".join(explain(found))
    assert ("taken as its makers meant it" in said) == (found.misfit > 1e-11)
    if found.strict == 0:
        assert "to their last digit it has 0" in said


@pytest.mark.parametrize("tilt", [1e-6, 5e-6])
def test_an_axis_tilted_by_rounding_is_rigid_only_below_its_tilt(tilt):
    tilted = (math.cos(tilt / 2), math.sin(tilt / 2), 0.0, 0.0)
    mechanism = four_bar(0.7)
    frames = (replace(f, rotation=tilted) if f.name == "coupler.C" else f for f in mechanism.frames)
    mechanism = replace(mechanism, frames=tuple(frames))
    found = of(mechanism)
    assert figures(found) == (0, 1, 1, -2)
    assert tilt / 10 < found.misfit < 2 * tilt
    assert max(row.misfit for row in found.redundant) <= 2 * tilt
    assert figures(of(mechanism, geometry_tolerance=tilt / 30)) == (0, 0, 0, -2)
    for tolerance in tilt * np.geomspace(0.03, 3.0, 15):
        found = of(mechanism, tolerance)
        assert found.generic == found.at_tolerance


def test_what_rounding_holds_a_little_more_after_a_move_is_still_a_freedom():
    """Drawn where the rounded loop agrees best, its misfit is level there and rises around."""
    assert of(rounded(overconstrained.line_symmetric_bricard()), 2e-6).generic == 1


def test_a_loop_that_misses_by_a_constant_keeps_its_freedom_at_any_tolerance():
    """One end of the coupler a micrometre off along the axes: never met, and nothing is held."""
    mechanism = four_bar(0.7)
    (end,) = (f for f in mechanism.frames if f.name == "coupler.C")
    moved = replace(end, position=(*end.position[:2], 1e-6))
    frames = tuple(moved if f is end else f for f in mechanism.frames)
    for tolerance in (1e-5, 1e-8):
        found = of(replace(mechanism, frames=frames), tolerance)
        assert (found.strict, found.generic) == (1, 1)
        assert found.misfit == pytest.approx(1e-6 / found.modules[0].size, rel=1e-3)
        (row,) = (row for row in found.redundant if row.row == "point z")
        assert (str(row), row.misfit) == ("C: point z", pytest.approx(1e-6))


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (planar.five_bar, 2),
        (planar.slider_crank, 1),
        (planar_parallel.three_rpr, 3),
        (planar_parallel.three_rrr, 3),
        (excavator.excavator, 7),
        (stewart, 6),
    ],
)
def test_mobility_is_what_the_mechanism_is_known_for_from_any_build_or_order(build, expected):
    mechanism = build()
    found = of(mechanism)
    assert int(found) == found.strict == expected
    assert found.grubler == grubler(mechanism)
    shuffled = list(mechanism.joints)
    random.Random(3).shuffle(shuffled)
    assert of(replace(mechanism, joints=tuple(shuffled))) == found


def test_the_figure_is_the_same_wherever_a_loop_is_cut_and_at_any_size():
    for cut in "ABCD":
        assert figures(of(cut_at(planar.four_bar_of(), [cut]))) == (1, 1, 1, -2)
    for scale in (1e-4, 1e3):
        assert figures(of(four_bar(scale=scale, tilt=(0.3, -0.4, 0.9)))) == (1, 1, 1, -2)


@pytest.mark.parametrize("kind", [kind for kind in JointKind if kind is not JointKind.FIXED])
def test_a_loop_in_general_position_has_what_grubler_counts(kind):
    mechanism = spatial.loop_with(kind)
    found = of(mechanism)
    assert figures(found) == (1, 1, 1, grubler(mechanism))
    assert (found.gap, found.redundant) == (None, ())


def test_a_truss_is_a_structure_and_one_bar_less_moves():
    """Maxwell's count in the plane: two triangles on two supports, 2 j = b + 3."""
    bars = [("a", WORLD, "1", 0, 0), ("b", "1", "2", 0.5, 0.8), ("c", WORLD, "2", 1, 0)]
    more = [("d", "1", "3", 0.5, 0.8), ("e", "3", "4", 1.5, 0.9), ("f", WORLD, "4", 1, 0)]
    found = of(pinned("truss", *bars, *more))
    assert figures(found)[:3] == (0, 0, 0)
    assert (int(found), str(found)) == (0, "0: a structure")
    assert str(of(pinned("hanging", *bars, more[0]))) == "1"


def test_a_floating_base_is_counted_and_said():
    joints = four_bar().joints
    free = tuple(replace(j, kind=JointKind.FREE) if j.name == "ground-world" else j for j in joints)
    found = of(replace(four_bar(), joints=free))
    assert (int(found), found.floating, str(found)) == (7, 6, "1 (+6 floating)")


def test_a_change_point_is_singular_in_a_direction_that_closes_to_first_order():
    """Flat bars a + d = b + c: the loop's velocity has one condition less there."""
    a, b, c, d = 0.2, 0.35, 0.25, 0.3
    mechanism = pinned(
        "flat",
        *(("A", WORLD, "crank", 0, 0), ("B", "crank", "coupler", a, 0)),
        *(("C", "coupler", "rocker", a + b, 0), ("D", WORLD, "rocker", d, 0)),
    )
    found = of(driven_by(cut_at(mechanism, "C"), "A"))
    assert figures(found) == (2, 2, 1, -2)
    (motion,) = found.singular
    moved = amounts(motion)
    assert a * moved["A"] + b * (moved["A"] + moved["B"]) == pytest.approx(c * moved["D"])
    assert found.dead == ()
    assert "could begin to move in 2 ways, and goes on in 1" in "\n".join(explain(found))
    assert str(found) == "1"


def test_bars_stretched_to_their_length_are_a_structure_though_they_begin_to_move():
    bars = [("A", WORLD, "1", 0, 0), ("B", "1", "2", 0.2, 0), ("C", "2", "3", 0.5, 0)]
    found = of(pinned("stretched", *bars, ("D", WORLD, "3", 0.7, 0)))
    assert (figures(found)[:3], str(found)) == ((2, 2, 0), "0: a structure")
    assert len(found.singular) == 2
    carried = [("A", WORLD, "arm", 0, 0), ("B", "arm", "1", 0.1, 0), ("C", "1", "2", 0.3, 0)]
    shaky = of(pinned("stretched on an arm", *carried, ("D", "2", "arm", 0.5, 0)))
    assert (shaky.at_tolerance, str(shaky)) == (2, "1")


def test_at_its_dead_point_a_driven_rocker_leaves_the_crank_loose_and_elsewhere_not():
    """Crank folded back over the coupler: the law of cosines gives the crank's angle."""
    a, b, c, d = (BARS[n] for n in ("crank", "coupler", "rocker", "ground"))
    folded = math.pi + math.acos((d**2 + (b - a) ** 2 - c**2) / (2 * d * (b - a)))
    driven = {"D": {"effort": 1.0}}
    found = of(four_bar(folded, joint=driven))
    assert (found.generic, found.singular) == (1, ())
    (motion,) = found.dead
    assert amounts(motion) == pytest.approx({"A": 1.0, "B": -1.0 + a / b}, abs=1e-6)
    assert of(four_bar(0.7, joint=driven)).dead == ()


def test_couplings_take_a_freedom_each():
    found = of(spatial.differential())
    assert (int(found), found.grubler) == (2, 2)
    drawing = Drawing("two wheels")
    for name, x in (("left", 0.0), ("right", 0.1)):
        drawing.body(name)
        drawing.revolute(name, (WORLD, name), at(x))
    assert str(of(drawing.mechanism())) == "2"
    drawing.gear("gear", "left", "right", -1.0)
    assert (str(of(drawing.mechanism())), of(drawing.mechanism()).redundant) == ("1", ())


def test_kangaroo_moves_as_meant_also_as_it_was_published_with_axes_off_by_4e_6(monkeypatch):
    """64 of 80 rows hold it: 12 freedoms on its pelvis. Its four tilted axes leave 8 of them."""
    found = of(robots.kangaroo())
    assert (found.strict, str(found), len(found.redundant)) == (18, "12 (+6 floating)", 80 - 64)
    record = copy.deepcopy(records.record("kangaroo"))
    published = record["provenance"]["source"]["geometry_modifications"]
    axes = {change["joint"]: change["old"] for change in published}
    for joint in record["joints"]:
        joint["axis"] = axes.get(joint["id"], joint["axis"])
    monkeypatch.setattr(robots, "record", lambda name: record)
    robots._closed_joints.cache_clear()
    found = of(robots.kangaroo(floating=False))
    robots._closed_joints.cache_clear()
    assert (found.strict, found.at_tolerance, found.generic) == (8, 12, 12)


def test_the_figures_are_plain_data_and_the_same_every_time():
    compiled = rc.compile(stewart(kind="ball"))
    q = coordinates(compiled, assemble(compiled))
    start = time.perf_counter()
    found = mobility(compiled, q)
    assert time.perf_counter() - start < 0.5
    assert mobility(compiled, q) == found
    data = json.loads(json.dumps(as_data(found), allow_nan=False))
    assert (data["text"], data["generic"], len(data["idle"])) == ("6 (+6 idle)", 12, 6)


def test_coordinates_a_little_open_are_closed_first():
    """Off closure, rows that agree on it do not."""
    compiled = rc.compile(overconstrained.bennett())
    q = coordinates(compiled, assemble(compiled))
    found = mobility(compiled, q + 1e-4 * np.array([1.0, -0.5, 0.3]))
    assert figures(found) == (1, 1, 1, -2)
    assert found.misfit < 1e-13


def test_coordinates_that_are_not_closed_or_not_numbers_are_refused():
    compiled = rc.compile(four_bar())
    q = coordinates(compiled, assemble(compiled))
    with pytest.raises(NotClosedError, match=r"leave 'C' open by \d"):
        mobility(compiled, q + 0.01)
    for wrong in (q[:2], np.full_like(q, math.nan)):
        with pytest.raises(BadValueError):
            mobility(compiled, wrong)
    for tolerance in (-1.0, 0.1, math.nan):
        with pytest.raises(BadValueError, match="geometry_tolerance"):
            mobility(compiled, q, tolerance)
