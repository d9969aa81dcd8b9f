"""Kind, frames and start of every joint, against where PartCAD itself puts the child."""

import numpy as np
import pytest
from partcad_drawing import assembly, at, connected, fixed, jointed, move, part, port, request, turn
from partcad_pair import DEG, LEADER, OWN, TO, read, theirs

from robocompiler.errors import UnsupportedJointError
from robocompiler.model.joint_kinds import Factor, JointKind
from robocompiler.read.partcad import read_partcad
from robocompiler.spatial import Pose, exp_rotation, rotation_of

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
