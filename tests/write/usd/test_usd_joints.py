"""Joints of a stage, read by USD's own library: where they count from, and what acts on them."""

import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import robocompiler as rc
from acting import acting
from arms import MOVING, arm
from linkages.drawing import Drawing, at
from linkages.spatial import delta, loop_with
from linkages.stewart import stewart, task_pose
from mechanisms import four_bar
from robocompiler.errors import UnwritableError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD
from robocompiler.solve.state import evaluate
from robocompiler.write.fidelity import Property
from robocompiler.write.options import USD_PROFILES
from usd_reading import read_stage

FLOATS = 1e-6
LIMITS = {
    JointKind.REVOLUTE: ((-1.0, 1.2),),
    JointKind.PRISMATIC: ((-0.3, 0.4),),
    JointKind.SCREW: ((-3.0, 4.0),),
    JointKind.CYLINDRICAL: ((-1.0, 1.1), (-0.2, 0.3)),
    JointKind.UNIVERSAL: ((-0.9, 1.0), (-1.1, 0.8)),
    JointKind.PLANAR: ((-0.1, 0.2), (-0.3, 0.4), (-1.0, 1.2)),
    JointKind.TRANSLATION: ((-0.1, 0.2), (-0.3, 0.4), (-0.5, 0.6)),
    JointKind.BALL: (),
}


def written(mechanism, folder, suffix=".usda", cut=None, **options):
    path = folder / f"m{suffix}"
    compiled = rc.compile(mechanism) if cut is None else rc.compile(mechanism, frozenset({cut}))
    result = rc.write(compiled, path, **options)
    return read_stage(path), result


def lowered(profile):
    return {"usd_profile": profile, "intermediate_mass": 1e-3}


def turn(axis, angle):
    x, y, z = np.eye(3)[axis]
    c, s = math.cos(angle), math.sin(angle)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    own = np.eye(4)
    own[:3, :3] = np.eye(3) + s * cross + (1.0 - c) * cross @ cross
    return own


def motion_of(values):
    """What six freedoms are by these values: moves along the first frame's axes, then turns."""
    X = np.eye(4)
    for axis, value in values.items():
        if axis.startswith("trans"):
            X["XYZ".index(axis[-1]), 3] += value
    for axis in ("rotX", "rotY", "rotZ"):
        X = X @ turn("XYZ".index(axis[-1]), values.get(axis, 0.0))
    return X


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", MOVING)
@pytest.mark.parametrize("profile", ["newton", "mujoco", "physx"])
def test_a_coordinate_is_the_drawings_whichever_way_the_joint_is_crossed(
    profile, kind, reverse, tmp_path
):
    """By the frames alone, which is how USD counts, limits and all."""
    mechanism = arm(kind, reverse, limits=LIMITS[kind])
    stage, _ = written(mechanism, tmp_path, **lowered(profile))
    (joint,) = (j for j in mechanism.joints if j.name == "J")
    own = {name: j for name, j in stage.joints.items() if name not in ("S", "fixed")}
    values = dict(zip(joint.full_names, joint.start, strict=False))
    ends = dict(zip(joint.full_names, joint.limits, strict=False))
    if kind is JointKind.SCREW:
        values["J/advance"], ends["J/advance"] = 0.01 * joint.start[0], (-0.03, 0.04)
    assert stage.joints["S"].coordinate == pytest.approx(0.2, abs=FLOATS)
    if kind is JointKind.BALL:
        motion = np.linalg.inv(own["J"].frames[0]) @ own["J"].frames[1] if "J" in own else None
        # It counts from where it stands.
        assert motion is None or np.allclose(motion, np.eye(4), atol=FLOATS)
        return
    for name, single in own.items():
        if single.kind:
            assert single.coordinate == pytest.approx(values[name], abs=FLOATS)
            (limits,) = single.limits.values()
            assert limits == pytest.approx(ends[name], abs=FLOATS)
            continue
        axes = free_axes(kind, reverse)
        expected = motion_of({axis: values[f] for axis, f in zip(axes, values, strict=True)})
        found = np.linalg.inv(single.frames[0]) @ single.frames[1]
        np.testing.assert_allclose(found, expected, atol=FLOATS)
        for axis, factor in zip(axes, values, strict=True):
            assert single.limits[axis] == pytest.approx(ends[factor], abs=FLOATS)
        locked = {axis for axis, (low, high) in single.limits.items() if low > high}
        assert len(locked) == 6 - kind.dof


@pytest.mark.parametrize("profile", USD_PROFILES)
@pytest.mark.parametrize("kind", [JointKind.REVOLUTE, JointKind.PRISMATIC])
def test_a_joint_at_the_world_s_origin_has_a_frame_there_that_newton_takes_for_stated(
    kind, profile, tmp_path
):
    drawing = Drawing("at the origin")
    drawing.body("b", at())
    drawing.joint("j", kind, (WORLD, "b"), at(), 0.3)
    stage, _ = written(drawing.mechanism(), tmp_path, usd_profile=profile)
    joint = stage.joints["j"]
    assert joint.coordinate == pytest.approx(0.3, abs=FLOATS)
    np.testing.assert_allclose(joint.axis, [0.0, 0.0, 1.0], atol=FLOATS)
    if joint.bodies[0] == "":
        assert not np.allclose(joint.frames[0], np.eye(4), atol=0.1)


def test_an_open_freedom_is_said_to_be_open_since_newton_locks_what_is_not(tmp_path):
    stage, _ = written(arm(JointKind.PLANAR), tmp_path, usd_profile="newton")
    limits = stage.joints["J"].limits
    assert {axis for axis, ends in limits.items() if ends == (-math.inf, math.inf)} == {
        "transX",
        "transY",
        "rotZ",
    }


def free_axes(kind, reverse):
    """Of six freedoms, in the order of the kind's factors; crossed backwards, x and y change."""
    axes = {
        JointKind.CYLINDRICAL: ("rotZ", "transZ"),
        JointKind.UNIVERSAL: ("rotX", "rotY"),
        JointKind.PLANAR: ("transX", "transY", "rotZ"),
        JointKind.TRANSLATION: ("transX", "transY", "transZ"),
    }[kind]
    swap = str.maketrans("XY", "YX")
    return tuple(axis.translate(swap) for axis in axes) if reverse else axes


@pytest.mark.parametrize("profile", USD_PROFILES)
@pytest.mark.parametrize(
    ("mechanism", "loops"),
    [(four_bar(), 1), (delta(), 5), (stewart(task_pose(5.7)), 5)],
    ids=["four-bar", "delta", "Stewart"],
)
def test_each_loop_is_one_excluded_ball_that_is_closed_where_the_bodies_stand(
    profile, mechanism, loops, tmp_path
):
    """R14 to R16: what is outside the articulation is marked, and the rest is a tree."""
    stage, _ = written(mechanism, tmp_path, **lowered(profile))
    closures = stage.closures()
    assert len(closures) == loops
    for closure in closures.values():
        assert closure.kind == "Spherical"
        assert closure.gap < FLOATS
    tree = [j for j in stage.joints.values() if not j.excluded]
    pairs = {j.bodies for j in tree}
    outer = [body for _, body in pairs]
    assert len(outer) == len(set(outer))
    # Without a base each joint on the world starts an articulation; PhysX fixes a base by its weld.
    based = "fixed" in stage.joints
    on_world = sum(joint.bodies[0] == "" for joint in tree)
    roots = sum(body.articulation for body in stage.bodies.values())
    assert roots == (0 if based and profile == "physx" else on_world)


@pytest.mark.parametrize("profile", USD_PROFILES)
@pytest.mark.parametrize("ends", [("left", WORLD), (WORLD, "left")])
def test_a_closure_leads_to_a_body_where_its_other_side_is_the_bare_world(ends, profile, tmp_path):
    """MuJoCo leaves out one that leads to nothing."""
    drawing = Drawing("held")
    drawing.body("left", at(0.2))
    drawing.revolute("hinge", (WORLD, "left"), at(), effort=1.0)
    drawing.ball("tip", ends, (0.0, 0.0, 0.5), closes_loop=True)
    stage, _ = written(drawing.mechanism(), tmp_path, usd_profile=profile)
    (closure,) = stage.closures().values()
    assert closure.bodies[1] != ""
    assert closure.gap < FLOATS


def test_a_hinge_of_a_spatial_loop_is_two_points_of_its_axis_or_a_hinge(tmp_path):
    mechanism = loop_with(JointKind.REVOLUTE, reverse=True)
    generic, _ = written(mechanism, tmp_path, cut=JointKind.REVOLUTE, intermediate_mass=1e-3)
    name, axis = generic.closures()
    point, second = generic.closures().values()
    assert axis == f"{name}/axis"
    assert {point.kind, second.kind} == {"Spherical"}
    between = second.frames[0][:3, 3] - point.frames[0][:3, 3]
    assert 0.01 - FLOATS <= np.linalg.norm(between) <= 0.1 + FLOATS
    for profile in ("physx", "newton"):
        folder = tmp_path / profile  # USD keeps a layer by its path
        folder.mkdir()
        stage, _ = written(mechanism, folder, cut=JointKind.REVOLUTE, **lowered(profile))
        (hinge,) = stage.closures().values()
        assert hinge.kind == "Revolute"
        for one, other in ((point, hinge), (second, hinge)):
            off = np.cross(one.frames[0][:3, 3] - other.frames[0][:3, 3], other.axis)
            assert np.linalg.norm(off) < FLOATS
        assert hinge.gap < FLOATS
        z = [X[:3, 2] for X in hinge.frames]
        np.testing.assert_allclose(z[0], z[1], atol=FLOATS)


CLOSED = {
    JointKind.PRISMATIC: {"linear"},
    JointKind.CYLINDRICAL: {"rotZ", "transZ"},
    JointKind.UNIVERSAL: {"rotX", "rotY"},
    JointKind.PLANAR: {"transX", "transY", "rotZ"},
    JointKind.TRANSLATION: {"transX", "transY", "transZ"},
}


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", CLOSED)
def test_for_physx_a_cut_joint_of_any_kind_is_that_joint_outside_the_articulation(
    kind, reverse, tmp_path
):
    """Its frames meet, since PhysX warns of those that are apart; a universal joint's axes cross
    squarely, the first body's y and the second's x, which is the drawing's the other way round.
    """
    compiled = rc.compile(loop_with(kind, reverse=reverse), frozenset({kind}))
    path = tmp_path / "m.usda"
    rc.write(compiled, path, **lowered("physx"))
    (joint,) = read_stage(path).closures().values()
    chord = compiled.closures[0].chord
    parent, child = (compiled.bodies[body].name for body in (chord.parent, chord.child))
    state = evaluate(compiled, rc.coordinates(compiled, rc.assemble(compiled)))
    X_WF, X_WM = state.poses[chord.parent] @ chord.X_PF, state.poses[chord.child] @ chord.X_CM
    assert joint.gap < FLOATS
    free = {axis for axis, (low, high) in joint.limits.items() if low < high}
    if kind is JointKind.PRISMATIC:
        assert joint.kind == "Prismatic"
        np.testing.assert_allclose(joint.axis, X_WF.R[:, 2], atol=FLOATS)
    else:
        assert free == CLOSED[kind]
    if kind is JointKind.UNIVERSAL:
        assert joint.bodies == (child, parent)
        assert abs(joint.frames[0][:3, 1] @ joint.frames[1][:3, 0]) < FLOATS
        np.testing.assert_allclose(joint.frames[0][:3, :3], X_WM.R, atol=FLOATS)
    else:
        assert joint.bodies == (parent, child)
        for frame in joint.frames:
            np.testing.assert_allclose(frame[:3, :3], X_WM.R, atol=FLOATS)


@pytest.mark.parametrize("mass", [None, 0.0])
def test_a_joint_that_needs_a_body_between_is_refused_by_name_where_that_has_no_mass(
    mass, tmp_path
):
    with pytest.raises(UnwritableError, match=r"'J' \(universal\).*intermediate_mass"):
        written(arm(JointKind.UNIVERSAL), tmp_path, intermediate_mass=mass)
    assert not list(tmp_path.iterdir())


def test_a_screw_is_refused_for_importers_that_nobody_names(tmp_path):
    with pytest.raises(UnwritableError, match=r"'J' \(screw\).*usd_profile"):
        written(arm(JointKind.SCREW), tmp_path, intermediate_mass=1e-3)


@pytest.mark.parametrize(("profile", "unit"), [("newton", 1.0), ("physx", math.radians(1.0))])
def test_a_screws_advance_mimics_its_turn(profile, unit, tmp_path):
    """PhysX counts a turn that a move mimics in degrees, Newton in radians."""
    stage, _ = written(arm(JointKind.SCREW), tmp_path, **lowered(profile))
    leader, offset, ratio = stage.joints["J/advance"].mimic
    assert (leader, offset) == ("J", 0.0)
    assert ratio == pytest.approx(0.01 * unit, rel=FLOATS)


@pytest.mark.parametrize("profile", ["generic", "physx", "newton"])
def test_what_acts_on_a_joint_is_said_per_degree_where_it_turns(profile, tmp_path):
    stage, _ = written(acting(), tmp_path, usd_profile=profile)
    joint, motor = stage.joints["J"], stage.joints["S"]
    assert joint.damping == pytest.approx(0.5, rel=FLOATS)
    assert joint.friction == pytest.approx(0.07, rel=FLOATS)
    assert joint.armature == pytest.approx(0.02, rel=FLOATS)
    assert joint.velocity == pytest.approx(2.0, rel=FLOATS)
    assert joint.drives["angular"] == {"stiffness": 0.0, "damping": 0.0, "maxForce": 3.0}
    # 3² · 0.001 and 3 · 2, seen through the motor's gear.
    assert motor.armature == pytest.approx(0.009, rel=FLOATS)
    assert motor.drives["angular"]["maxForce"] == 6.0
    leader, offset, ratio = joint.mimic
    assert (leader, ratio) == ("S", -2.0)
    assert offset == pytest.approx(0.8, rel=FLOATS)


@pytest.mark.parametrize("kind", [JointKind.UNIVERSAL, JointKind.TRANSLATION])
def test_a_rotor_is_not_taken_for_one_of_all_coordinates_of_a_joint(kind, tmp_path):
    """Newton has one armature for all of a joint: each of ours turns with one coordinate."""
    mechanism = arm(kind, armature=0.25)
    (joint,) = (j for j in mechanism.joints if j.name == "J")
    motors = tuple(
        rc.Actuator(
            name=f"{name} motor",
            transmissions=(rc.Transmission(coordinate=name, ratio=2.0),),
            armature=0.5 * number,
        )
        for number, name in enumerate(joint.full_names)
    )
    stage, result = written(replace(mechanism, actuators=motors), tmp_path, usd_profile="newton")
    assert stage.joints["J"].armature == 0.25
    lost = {e.where for e in result.unsupported if e.property is Property.ROTOR}
    assert lost == {motor.name for motor in motors[1:]}


def test_the_effort_of_one_of_two_actuators_is_lost_where_the_other_may_do_anything(tmp_path):
    mechanism = arm(JointKind.REVOLUTE)
    moved = (rc.Transmission(coordinate="J", ratio=2.0),)
    strong = rc.Actuator(name="strong", transmissions=moved, effort=3.0)
    other = rc.Actuator(name="other", transmissions=moved)
    for motors, effort in (((strong,), 6.0), ((other, strong), None)):
        stage, result = written(replace(mechanism, actuators=motors), tmp_path)
        assert stage.joints["J"].drives["angular"].get("maxForce", math.inf) == (effort or math.inf)
        lost = {e.where for e in result.unsupported if e.property is Property.ACTUATOR_EFFORT}
        assert lost == (set() if effort else {"strong"})


def test_both_joints_of_a_coupling_have_finite_limits(tmp_path):
    """R19: PhysX leaves the coupling out otherwise; the follower's are what its leader's become."""
    stage, _ = written(acting(), tmp_path)
    low, high = stage.joints["S"].limits["angular"]
    assert (low, high) == pytest.approx((-2000.0 * math.pi, 2000.0 * math.pi))
    assert stage.joints["J"].limits["angular"] == pytest.approx((0.8 - 2 * high, 0.8 - 2 * low))


def test_where_joints_stand_is_said_too_since_physx_goes_by_that(tmp_path):
    from pxr import Usd

    written(acting(), tmp_path)
    stage = Usd.Stage.Open(str(tmp_path / "m.usda"))
    for name, value in (("S", 0.2), ("J", 0.4)):
        attribute = f"/arm/joints/{name}.state:angular:physics:position"
        found = stage.GetAttributeAtPath(attribute).Get()
        assert found == pytest.approx(math.degrees(value), rel=FLOATS)


@pytest.mark.parametrize("profile", USD_PROFILES)
def test_what_is_lost_is_something_that_was_said(profile, tmp_path):
    """No note beyond the statements, and nothing between them."""
    _, result = written(acting(), tmp_path, usd_profile=profile)
    compiled = rc.compile(acting())
    own = tmp_path / "again.json"
    rc.write(compiled, own)
    said = {(entry.property, entry.where, entry.what) for entry in result.ledger}
    assert len(said) == len(result.ledger)
    lost = {f"{e.where}: {e.what}" for e in result.ledger if e.fidelity.value == "dropped"}
    expected = {
        "mujoco": {"J: its velocity limit"},
        "newton": {"J: its spring", "both: its drive", "both: its armature"},
    }
    assert lost == expected.get(profile, expected["newton"])


def test_without_usds_library_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pxr", None)
    with pytest.raises(UnwritableError, match=r"pip install 'partcad-robocompiler\[usd\]'"):
        rc.write(rc.compile(four_bar()), tmp_path / "m.usda")
    assert not list(Path(tmp_path).iterdir())


def test_for_physx_joints_on_the_bare_world_are_on_a_body_that_is_fixed(tmp_path):
    """They have no coordinate in its articulations otherwise."""
    stage, result = written(arm(JointKind.REVOLUTE), tmp_path, usd_profile="physx")
    assert stage.joints["fixed"].bodies == ("", "world")
    assert stage.joints["S"].bodies == ("world", "upper")
    assert stage.joints["S"].coordinate == pytest.approx(0.2, abs=FLOATS)
    assert any("'world' is a body of 1 kg" in warning for warning in result.warnings)
    plain, _ = written(arm(JointKind.REVOLUTE), tmp_path, ".usdc")
    assert set(plain.bodies) == {"upper", "lower"}
