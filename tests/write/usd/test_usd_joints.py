"""Joints of a stage, read by USD's own library: where they count from, and what acts on them."""

import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from usd_writing import FLOATS, lowered, written

import robocompiler as rc
from acting import acting
from arms import MOVING, arm
from linkages.drawing import Drawing, at
from mechanisms import four_bar
from robocompiler.errors import UnwritableError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD
from robocompiler.write.fidelity import Fidelity, Property
from robocompiler.write.options import USD_PROFILES

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


@pytest.mark.parametrize("mass", [None, 0.0])
@pytest.mark.parametrize(
    ("profile", "kind"), [("generic", JointKind.UNIVERSAL), ("newton", JointKind.PLANAR)]
)
def test_a_joint_that_needs_a_body_between_is_refused_by_name_where_that_has_no_mass(
    profile, kind, mass, tmp_path
):
    """Newton's, which has planar joints, where one is crossed backwards."""
    with pytest.raises(UnwritableError, match=rf"'J' \({kind.value}\).*intermediate_mass"):
        written(arm(kind, reverse=True), tmp_path, usd_profile=profile, intermediate_mass=mass)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("profile", "kind", "reverse", "bodies"),
    [
        ("generic", JointKind.UNIVERSAL, False, 1),
        ("physx", JointKind.TRANSLATION, False, 2),
        ("physx", JointKind.SCREW, True, 1),
        ("newton", JointKind.SCREW, False, 1),
        ("newton", JointKind.PLANAR, False, 0),
        ("newton", JointKind.PLANAR, True, 2),
        ("mujoco", JointKind.PLANAR, True, 0),
    ],
)
def test_what_bodies_between_axes_add_is_in_the_ledger(profile, kind, reverse, bodies, tmp_path):
    stage, result = written(arm(kind, reverse), tmp_path, **lowered(profile))
    assert len(stage.bodies.keys() - {"world"}) == 2 + bodies  # PhysX has a base too
    own = next(e for e in result.ledger if e.where == "J" and e.what.startswith("its kind"))
    assert (own.error or 0.0) == pytest.approx(1e-3 * bodies)
    assert (own.fidelity is Fidelity.APPROXIMATED) == (bodies > 0)


def test_how_far_a_ball_s_hinges_are_from_square_is_what_its_damping_is_off_by(tmp_path):
    """As MuJoCo has a ball: exact where it stands, off by a sine where a key turns the second."""
    mechanism = arm(JointKind.BALL, damping=0.1)
    compiled = rc.compile(mechanism)
    turned = rc.assemble(compiled, {"J": (math.cos(0.15), 0.0, math.sin(0.15), 0.0)})
    drawn = rc.assemble(compiled, {"J": (1.0, 0.0, 0.0, 0.0)})
    for configurations, error in (({}, None), ({"nod": turned}, math.sin(0.3))):
        result = rc.write(
            compiled,
            tmp_path / "m.usda",
            drawn,
            usd_profile="mujoco",
            configurations=configurations,
        )
        (own,) = (e for e in result.ledger if (e.where, e.what) == ("J", "its damping"))
        assert own.error == (None if error is None else pytest.approx(error))


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
