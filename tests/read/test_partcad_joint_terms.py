"""Limits, physics and roots: what is said of a joint besides how it moves."""

import math

import pytest
from partcad_drawing import CUBE, assembly, at, fixed, jointed, move, part, request, turn
from partcad_pair import DEG, LEADER, read, theirs

from robocompiler.errors import BadValueError, StartOutsideLimitsError, UnsupportedJointError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import OPEN, WORLD
from robocompiler.read.partcad import read_partcad


def test_limits_are_in_si_and_open_where_they_are_open():
    assert read([turn(lower=-90.0, upper=180.0)])[1].limits == (
        pytest.approx((-math.pi / 2, math.pi)),
    )
    assert read([move(upper=20.0)])[1].limits == ((-math.inf, pytest.approx(0.02)),)
    assert read([turn()])[1].limits == ()
    assert read([turn(), move(lower=0.0)])[1].limits == (OPEN, (0.0, math.inf))


def test_limits_go_with_the_coordinate_they_are_of():
    """A left-handed pair of moves is x and y the other way round."""
    steps = [move("y", upper=1.0), move("x", upper=2.0), turn("z", upper=180.0)]
    mine = read(steps)[1]
    assert mine.names == ("moveX", "moveY", "turnZ")
    assert [high for _, high in mine.limits] == pytest.approx([2e-3, 1e-3, math.pi])


def test_a_screw_is_stopped_by_its_move_as_well():
    """A move of 0 to 10 mm at 2 mm per turn, after an offset of 1 mm: -0.5 to 4.5 turns."""
    coupling = {"step": LEADER, "ratio": 2.0 / 360.0, "offset": 1.0}
    move_limited = move(value=1.0, lower=0.0, upper=10.0, coupling=coupling)
    assert read([turn(), move_limited])[1].limits == (pytest.approx((-math.pi, 9.0 * math.pi)),)
    assert read([turn(upper=90.0), move_limited])[1].limits == (
        pytest.approx((-math.pi, math.pi / 2)),
    )


def test_a_left_handed_screw_is_stopped_the_other_way_round():
    coupling = {"step": LEADER, "ratio": -2.0 / 360.0, "offset": 1.0}
    steps = [turn(), move(value=1.0, lower=0.0, upper=10.0, coupling=coupling)]
    assert read(steps)[1].limits == (pytest.approx((-9.0 * math.pi, math.pi)),)


def test_a_ball_keeps_how_far_it_turns():
    steps = [turn("x"), turn("y"), turn("z")]
    assert read(steps, turnLimit=40.0)[1].swing_limit == pytest.approx(40.0 * DEG)
    assert read(steps)[1].swing_limit is None


def test_physics_of_a_turn_is_in_radians():
    physics = {
        "damping": 0.1,
        "friction": 0.2,
        "springStiffness": 3.0,
        "springReference": 45.0,
        "maxEffort": 4.0,
        "maxVelocity": 90.0,
    }
    mine = read([turn()], physics=physics)[1]
    assert (mine.damping, mine.friction, mine.stiffness, mine.effort) == (0.1, 0.2, 3.0, 4.0)
    assert mine.spring_reference == pytest.approx(math.pi / 4)
    assert mine.velocity == pytest.approx(math.pi / 2)


def test_physics_of_a_move_is_in_metres():
    mine = read([move()], physics={"springReference": 45.0, "maxVelocity": 90.0})[1]
    assert (mine.spring_reference, mine.velocity) == (pytest.approx(0.045), pytest.approx(0.09))


def test_a_joint_that_states_no_effort_is_not_actuated():
    assert read([turn()], physics={"damping": 0.1})[1].effort is None
    assert read([turn()], physics={"maxEffort": 0})[1].effort is None


def test_what_a_joint_cannot_carry_is_named():
    physics = {"stopCfm": 0.1, "fudgeFactor": 0.5, "damping": 1.0}
    mechanism = read([turn()], physics=physics, softLimits={"lower": -1.0})[0]
    assert mechanism.warnings == (
        "Joint 'j': 'fudgeFactor' is not carried over.",
        "Joint 'j': 'softLimits' is not carried over.",
        "Joint 'j': 'stopCfm' is not carried over.",
    )


def test_a_speed_in_two_units_is_named():
    mechanism = read([turn(), move()], physics={"maxVelocity": 10.0})[0]
    assert mechanism.warnings == ("Joint 'j': 'maxVelocity' is not carried over.",)


def test_a_spring_slack_at_two_units_is_refused():
    physics = {"springStiffness": 1.0, "springReference": 10.0}
    with pytest.raises(UnsupportedJointError, match="Joint 'j' is a cylindrical joint with a spr"):
        read([turn(), move()], physics=physics)


def test_a_damping_that_is_no_number_is_refused():
    with pytest.raises(BadValueError, match="Joint 'j': damping=inf is not a finite number"):
        read([turn()], physics={"damping": math.inf})


def test_a_start_outside_the_limits_is_refused():
    with pytest.raises(
        StartOutsideLimitsError, match=r"starts at 25 deg, outside .* \[30, 60\] deg"
    ):
        read([turn(value=25.0, lower=30.0, upper=60.0)])


def test_a_static_root_is_fixed_where_it_is_drawn():
    tree = assembly("pair", [part("base", ports=[])], location=at(10.0, 20.0, 30.0))
    mechanism = read_partcad(request(tree))
    (mine,) = mechanism.joints
    frames = {frame.name: frame for frame in mechanism.frames}
    assert (mine.name, mine.kind) == ("pair-world", JointKind.FIXED)
    assert frames[mine.parent].body == WORLD
    assert frames[mine.parent].position == pytest.approx((0.01, 0.02, 0.03))
    assert frames[mine.child].position == (0.0, 0.0, 0.0)


def test_a_loose_root_is_free_and_starts_where_it_is_drawn():
    tree = assembly("pair", [part("base")], location=at(10.0, 20.0, 30.0, (0, 0, 1), 90.0))
    mechanism = read_partcad(request(tree, static=False))
    (mine,) = mechanism.joints
    half = math.sqrt(0.5)
    assert [frame.position for frame in mechanism.frames] == [(0.0, 0.0, 0.0)] * 2
    assert mine.kind is JointKind.FREE
    assert mine.start == pytest.approx((0.01, 0.02, 0.03, half, 0.0, 0.0, half))


def test_a_scene_says_which_of_its_elements_are_fixed():
    ball, table = part("ball", at(z=50.0)), part("table", fixed=True)
    tree = {**assembly("yard", [ball, table]), "kind": "scene"}
    joints = {joint.name: joint.kind for joint in read_partcad(request(tree)).joints}
    assert joints == {"ball-world": JointKind.FREE, "table-world": JointKind.FIXED}


def test_a_floating_joint_is_a_free_body_that_starts_where_it_is_drawn():
    freedoms = [move("x", 3.0), move("y"), move("z", 50.0), turn("x"), turn("y"), turn("z", 90.0)]
    mechanism, mine, _ = read([fixed(at()), *freedoms])
    world = next(frame for frame in mechanism.frames if frame.name == mine.parent)
    assert (mine.kind, world.body) == (JointKind.FREE, WORLD)
    _, _, partcad = read([fixed(at()), *freedoms])
    drawn = theirs(partcad)
    assert mine.start == pytest.approx((*drawn.position, *drawn.quaternion), abs=1e-12)


def test_a_root_body_does_not_take_the_name_of_a_joint():
    tree = assembly("pair", [part("base"), jointed("arm", "base", "pair-world", [turn()])])
    assert [joint.name for joint in read_partcad(request(tree)).joints] == [
        "pair-world",
        "pair-world-2",
    ]


def test_a_part_alone_is_one_body():
    lone = {**part("cube"), "location": None}
    mechanism = read_partcad(request(lone))
    assert [body.name for body in mechanism.bodies] == ["cube"]
    assert mechanism.bodies[0].inertia.mass == CUBE["mass"]
