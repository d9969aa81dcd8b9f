import math
from dataclasses import replace

import numpy as np
import pytest

import robocompiler as rc
from linkages import spatial
from linkages.drawing import Drawing, at, axis
from linkages.stewart import stewart
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD
from robocompiler.solve.assembly.assemble import assemble, coordinates
from robocompiler.solve.mobility.mobility import mobility
from robocompiler.solve.mobility.text import explain

UP = (0.0, 0.0, 1.0)
BALL, HOOKE, ROLLING = JointKind.BALL, JointKind.UNIVERSAL, JointKind.CYLINDRICAL


def of(mechanism):
    compiled = rc.compile(mechanism)
    return mobility(compiled, coordinates(compiled, assemble(compiled)))


def shaft(tilt=0.0, effort=None):
    """A shaft in two bearings 0.3 m apart, the second of which is tilted on its housing [rad]."""
    drawing = Drawing("shaft")
    drawing.body("shaft")
    drawing.revolute("front", (WORLD, "shaft"), at(0.0), effort=effort)
    drawing.revolute("back", (WORLD, "shaft"), at(0.0, 0.0, 0.3))
    tilted = (math.cos(tilt / 2), math.sin(tilt / 2), 0.0, 0.0)
    mechanism = drawing.mechanism()
    frames = (replace(f, rotation=tilted) if f.name == "back.F" else f for f in mechanism.frames)
    return replace(mechanism, frames=tuple(frames))


def rod(foot, head, parts=("rod",), between=()):
    """A platform held by one rod in parts, from a foot on the world; and by a hinge and a slide."""
    drawing = Drawing("rod")
    p, q = np.array([0.1, 0.2, 0.0]), np.array([0.3, 0.1, 0.5])
    bodies = [WORLD, *(drawing.body(part) for part in parts), drawing.body("platform")]
    drawing.body("slide")
    drawing.prismatic("slide", (WORLD, "slide"), axis((0.5, 0.0, 0.0), UP))
    drawing.revolute("hinge", ("slide", "platform"), axis((0.5, 0.0, 0.4), (0.0, 1.0, 0.2)))
    for i, kind in enumerate((foot, *between, head)):
        where = axis(p if i == 0 else q if i == len(parts) else (p + q) / 2, q - p)
        drawing.joint(f"joint {i}", kind, (bodies[i], bodies[i + 1]), where)
    return drawing.mechanism()


def test_idle_spins_are_named_and_counted_apart():
    found = of(stewart(kind="ball"))
    assert (int(found), str(found)) == (12, "6 (+6 idle)")
    assert {i.bodies for i in found.idle} == {(f"barrel {k}", f"rod {k}") for k in range(6)}
    assert str(of(stewart(kind="universal"))) == "6"
    delta = of(spatial.delta())
    assert (int(delta), str(delta)) == (9, "3 (+6 idle)")
    assert {i.bodies for i in delta.idle} == {(f"rod {k}.{s}",) for k in range(3) for s in (0, 1)}
    assert any(line.startswith("idle: rod 0.0 (between 0.0.") for line in explain(delta))


@pytest.mark.parametrize(
    ("mechanism", "idle", "extra"),
    [
        (rod(BALL, BALL), [("rod",)], 1),
        (rod(HOOKE, BALL), [], 1),
        (rod(BALL, BALL, ("low", "high"), (ROLLING,)), [("high",), ("low",)], 2),
        (rod(BALL, BALL, ("low", "high"), (JointKind.PRISMATIC,)), [("high", "low")], 2),
        (rod(BALL, BALL, ("low", "high"), (JointKind.SCREW,)), [("high", "low")], 2),
    ],
)
def test_a_rod_spins_idly_between_two_balls_and_not_on_a_hooke_joint(mechanism, idle, extra):
    if any(joint.kind is JointKind.SCREW for joint in mechanism.joints):
        joints = (replace(j, pitch=0.1 * (j.kind is JointKind.SCREW)) for j in mechanism.joints)
        mechanism = replace(mechanism, joints=tuple(joints))
    found = of(mechanism)
    assert sorted(freedom.bodies for freedom in found.idle) == idle
    # The platform has a slide and a hinge; a rod of one length holds one of them.
    assert int(found) - len(found.idle) == extra


def test_a_shaft_in_two_bearings_idles_unless_something_drives_it():
    """Also where the bearings are in line only to rounding: then nothing else is held either."""
    for tilt, strict in ((0.0, 1), (1e-6, 0)):
        found = of(shaft(tilt))
        assert (found.strict, int(found), str(found)) == (strict, 1, "0 (+1 idle): a structure")
        assert found.idle[0].bodies == ("shaft",)
        assert set(found.idle[0].joints) == {"front", "back"}
    assert str(of(shaft(effort=1.0))) == "1"


def test_axes_in_line_only_where_they_are_drawn_idle_nothing():
    """A passive wrist, its first and last axis in line at its zero."""
    drawing = Drawing("wrist")
    bodies = [WORLD, *(drawing.body(name) for name in ("yaw", "pitch", "hand"))]
    for i, direction in enumerate((UP, (1.0, 0.0, 0.0), UP)):
        drawing.revolute(f"joint {i}", (bodies[i], bodies[i + 1]), axis((0, 0, 0.1 * i), direction))
    found = of(drawing.mechanism())
    assert (str(found), found.idle) == ("3", ())


def test_what_a_gear_ties_to_something_else_does_not_idle():
    drawing = Drawing("rolls")
    for name, x in (("left", 0.0), ("right", 0.1)):
        drawing.body(name)
        drawing.revolute(f"{name} front", (WORLD, name), at(x), closes_loop=name == "right")
        drawing.revolute(f"{name} back", (WORLD, name), at(x, 0.0, 0.3), closes_loop=name == "left")
    assert str(of(drawing.mechanism())) == "0 (+2 idle): a structure"
    cut = {closure.chord.joint.name for closure in rc.compile(drawing.mechanism()).closures}
    leader, follower = (
        next(f"{name} {end}" for end in ("front", "back") if f"{name} {end}" not in cut)
        for name in ("left", "right")
    )
    drawing.gear("gear", leader, follower, -1.0)
    found = of(drawing.mechanism())
    assert (str(found), found.idle) == ("1", ())


def test_what_advances_as_it_turns_does_not_idle():
    """A nut between a screw and a sliding bearing in line."""
    drawing = Drawing("nut")
    drawing.body("nut")
    drawing.joint("bearing", ROLLING, (WORLD, "nut"), at(0.0))
    drawing.joint("screw", JointKind.SCREW, (WORLD, "nut"), at(0.0, 0.0, 0.1), pitch=0.05)
    found = of(drawing.mechanism())
    assert (str(found), found.idle) == ("1", ())


def test_a_floating_body_with_one_hinge_does_not_idle_about_it():
    drawing = Drawing("floating")
    drawing.joint("float", JointKind.FREE, (WORLD, drawing.body("base")), at(0.0))
    drawing.revolute("hinge", ("base", drawing.body("arm")), at(0.1))
    found = of(drawing.mechanism())
    assert (str(found), found.idle) == ("1 (+6 floating)", ())


@pytest.mark.parametrize("eliminate", [False, True])
@pytest.mark.parametrize(
    ("ratio", "said"), [(-1.0, "0 (+1 idle): a structure"), (2.0, "1"), (-1.1, "1")]
)
def test_a_shaft_between_two_bearings_that_are_geared_idles_if_they_turn_against_each_other(
    eliminate, ratio, said
):
    """It spins while what it carries stands, unless the gear takes that along."""
    drawing = Drawing("shaft")
    drawing.body("shaft")
    drawing.body("disc")
    drawing.revolute("in", (WORLD, "shaft"), at(0.0, 0.0, 0.0))
    drawing.revolute("out", ("shaft", "disc"), at(0.0, 0.0, 0.1))
    drawing.gear("gear", "in", "out", ratio)
    compiled = rc.compile(drawing.mechanism(), eliminate_couplings=eliminate)
    assert str(mobility(compiled, coordinates(compiled, assemble(compiled)))) == said
