"""Kind, frames and start of every joint, against where PartCAD itself puts the child."""

import math

import numpy as np
import pytest
from partcad_drawing import (
    CUBE,
    assembly,
    at,
    connected,
    fixed,
    jointed,
    move,
    part,
    port,
    request,
    turn,
)

from robocompiler.errors import BadValueError, StartOutsideLimitsError, UnsupportedJointError
from robocompiler.model.joint_kinds import Factor, JointKind
from robocompiler.model.mechanism import OPEN, WORLD
from robocompiler.read.partcad import read_partcad
from robocompiler.spatial import Pose, exp_rotation, rotation_of

TO = at(30.0, -20.0, 10.0, (0.3, 1.0, -0.2), 40.0)
OWN = at(-5.0, 7.0, 3.0, (1.0, 0.2, 0.5), 100.0)
DEG = math.pi / 180.0
TILTED = (0.6, 0.0, 0.8)

KINDS = {
    "revolute": (JointKind.REVOLUTE, [turn(value=25.0)]),
    "revolute about x": (JointKind.REVOLUTE, [turn("x", 200.0)]),
    "revolute about -z": (JointKind.REVOLUTE, [turn((0.0, 0.0, -1.0), 25.0)]),
    "revolute about a tilted axis": (JointKind.REVOLUTE, [turn((0.6, 0.64, -0.48), 25.0)]),
    "prismatic": (JointKind.PRISMATIC, [move(value=12.0)]),
    "prismatic by two per unit": (JointKind.PRISMATIC, [move((0.0, 2.0, 0.0), 12.0)]),
    "cylindrical": (JointKind.CYLINDRICAL, [turn(value=25.0), move(value=12.0)]),
    "cylindrical, the move first": (JointKind.CYLINDRICAL, [move("y", 12.0), turn("y", 25.0)]),
    "universal": (JointKind.UNIVERSAL, [turn("z", 25.0), turn("x", -40.0)]),
    "universal, offset": (
        JointKind.UNIVERSAL,
        [turn("z", 25.0), fixed(at(z=3.0)), turn("x", -40.0), fixed(at(x=9.0))],
    ),
    "ball": (JointKind.BALL, [turn("x", 25.0), turn("y", -40.0), turn("z", 170.0)]),
    "planar": (JointKind.PLANAR, [move("x", 12.0), move("y", -4.0), turn("z", 25.0)]),
    "planar, left-handed": (JointKind.PLANAR, [move("y", 12.0), move("x", -4.0), turn("z", 25.0)]),
    "planar, the turn first": (
        JointKind.PLANAR,
        [turn("z", 25.0), move("x", 12.0), move("y", 4.0)],
    ),
    "planar, the turn first, left-handed": (
        JointKind.PLANAR,
        [turn("z", 25.0), move("y", 12.0), move("x", 4.0)],
    ),
    "planar across a tilted axis": (
        JointKind.PLANAR,
        [move("y", 12.0), move((0.8, 0.0, -0.6), -4.0), turn(TILTED, 25.0)],
    ),
}

# The steps of a connection before the free ones: the port and the half turn.
LEADER = 2


def screw(ratio, offset, value=25.0, axis="z"):
    """A move that follows the turn before it."""
    coupling = {"step": LEADER, "ratio": ratio, "offset": offset}
    return [turn(value=value), move(axis, ratio * value + offset, coupling=coupling)]


def backward_screw(ratio, offset, value=3.0):
    """A turn that follows the move before it."""
    coupling = {"step": LEADER, "ratio": ratio, "offset": offset}
    return [move(value=value), turn(value=ratio * value + offset, coupling=coupling)]


SCREWS = {
    "screw": screw(0.01, 0.0),
    "screw, offset": screw(0.01, 5.0),
    "screw, opposed": screw(0.01, 5.0, axis=(0.0, 0.0, -1.0)),
    "screw by its move": backward_screw(36.0, 8.0),
}
ALL = {**KINDS, **{name: (JointKind.SCREW, steps) for name, steps in SCREWS.items()}}


def read(steps, static=True, **more):
    """The one joint of base and arm, with the mechanism and PartCAD's own account of it."""
    import kinematics

    arm = jointed("arm", "base", "j", connected(TO, steps, OWN), **more)
    mechanism = read_partcad(request(assembly("pair", [part("base"), arm]), static=static))
    mine = next(joint for joint in mechanism.joints if joint.name == "j")
    return mechanism, mine, kinematics.Joint(arm["joint"])


def placement(mechanism, joint, coordinates):
    """The arm seen from the base, with the joint at these coordinates."""
    frames = {frame.name: frame for frame in mechanism.frames}
    F, M = frames[joint.parent], frames[joint.child]
    X = F.pose() @ motion(joint, coordinates) @ M.pose().inverse()
    return X.inverse() if F.body == "arm" else X


def motion(joint, coordinates):
    """The product of the kind's elementary motions, as the names of its factors say."""
    X, rest = Pose.identity(), list(coordinates)
    for factor in joint.kind.factors:
        axis = np.eye(3)["XYZ".find(factor.value[-1])]
        if factor is Factor.ROTATION:
            X = X @ Pose(rotation_of(np.array(rest)), np.zeros(3))
            break
        value = rest.pop(0)
        along = value if not factor.is_turn else 0.0
        along += joint.pitch * value if factor is Factor.HELIX_Z else 0.0
        angle = value if factor.is_turn else 0.0
        X = X @ Pose(exp_rotation(axis * angle), axis * along)
    return X


def theirs(partcad_joint, values=None):
    """Where PartCAD puts the arm seen from the base."""
    q, t = partcad_joint.location(values)
    return Pose(rotation_of(np.array(q)), np.array(t) * 1e-3)


def same(a, b, tolerance=1e-12):
    np.testing.assert_allclose(a.R, b.R, atol=tolerance)
    np.testing.assert_allclose(a.p, b.p, atol=tolerance)


@pytest.mark.parametrize("case", ALL)
def test_every_kind_is_read_as_what_it_is(case):
    kind, steps = ALL[case]
    assert read(steps)[1].kind is kind


@pytest.mark.parametrize("case", ALL)
def test_a_joint_starts_where_partcad_draws_it(case):
    mechanism, mine, partcad = read(ALL[case][1])
    same(placement(mechanism, mine, mine.initial), theirs(partcad))


@pytest.mark.parametrize("case", [case for case in ALL if ALL[case][0] is not JointKind.BALL])
def test_a_joint_moves_as_partcad_moves_it(case):
    """At other values, each coordinate found by the name PartCAD gives it."""
    mechanism, mine, partcad = read(ALL[case][1])
    rng = np.random.default_rng(7)
    for _ in range(5):
        values = list(rng.uniform(-50.0, 50.0, len(partcad.freedoms)))
        for freedom in partcad.freedoms:
            if freedom.follows is not None:
                values[freedom.index] = freedom.ratio * values[freedom.follows] + freedom.offset
        by_name = dict(zip(partcad.parameter_names(), range(len(values)), strict=True))
        q = [
            values[by_name[label]] * (DEG if factor.is_turn else 1e-3)
            for factor, label in zip(mine.kind.factors, mine.names, strict=True)
        ]
        same(placement(mechanism, mine, q), theirs(partcad, values))


def test_a_ball_turns_as_partcad_turns_it():
    mechanism, mine, partcad = read(KINDS["ball"][1])
    axes = np.eye(3)
    values = [70.0, -20.0, 110.0]
    R = np.linalg.multi_dot([exp_rotation(axes[i] * values[i] * DEG) for i in range(3)])
    same(placement(mechanism, mine, Pose(R, np.zeros(3)).quaternion), theirs(partcad, values))


def test_a_screw_advances_by_its_pitch_per_radian():
    assert read(SCREWS["screw, offset"])[1].pitch == pytest.approx(0.01e-3 / DEG, rel=1e-14)
    assert read(SCREWS["screw, opposed"])[1].pitch == pytest.approx(-0.01e-3 / DEG, rel=1e-14)
    assert read(SCREWS["screw by its move"])[1].pitch == pytest.approx(1e-3 / (36 * DEG), rel=1e-14)


def test_a_connection_frame_is_called_as_its_port():
    arm = jointed("arm", "base", "j", connected(TO, [turn()], OWN), ports=[port("pin", OWN)])
    tree = assembly("pair", [part("base", ports=[port("bore", TO)]), arm])
    mine = read_partcad(request(tree)).joints[0]
    assert (mine.parent, mine.child) == ("base.bore", "arm.pin")


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


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([move("x"), move("y")], "Joint 'j' is free in moveX and moveY, which is no joint of one"),
        ([turn("x"), fixed(at(z=5.0)), turn("y")], "Joint 'j' is free in turnX and turnY"),
        ([turn("z"), turn(TILTED)], "universal joint whose two axes are not perpendicular"),
        ([move("x"), move((0.6, 0.8, 0.0)), turn("z")], "two moves are not perpendicular"),
        ([turn("z"), move((0.0, 0.0, -1.0))], "turn and move point opposite ways"),
    ],
)
def test_a_joint_of_no_kind_is_refused_by_name(steps, message):
    """And nothing else is: what it holds is not reported as loose."""
    with pytest.raises(UnsupportedJointError, match=message):
        read(steps)


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
    (mine,) = read_partcad(request(tree, static=False)).joints
    half = math.sqrt(0.5)
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
