"""Joints of the tree: where they stand, from where they count, and what acts on them."""

import math
from dataclasses import replace

import numpy as np
import pytest
from sdf_reading import joint, link_pose, number, pose_of, written

from arms import MOVING, arm
from mechanisms import four_bar
from robocompiler.errors import UnwritableError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Coupling
from robocompiler.solve.state import evaluate
from robocompiler.write.fidelity import Fidelity

LOWERED = (JointKind.CYLINDRICAL, JointKind.PLANAR, JointKind.TRANSLATION)
INF = math.inf


@pytest.mark.parametrize("kind", MOVING)
def test_links_stand_where_the_bodies_do_as_assembled(kind):
    model, export = written(arm(kind), intermediate_mass=0.1)
    state = evaluate(export.compiled, export.q)
    for index in (1, 2):
        body = export.compiled.bodies[index]
        link = model.find(f"link[@name='{body.name}']")
        center = link_pose(model, body.name) @ pose_of(link.find("inertial"))
        expected = state.poses[index].R @ np.array(body.inertia.center) + state.poses[index].p
        np.testing.assert_allclose(center.p, expected, atol=1e-15)
        np.testing.assert_allclose(center.R, state.poses[index].R, atol=1e-14)


def test_limits_are_counted_from_where_the_joint_stands_in_radians_and_metres():
    """R46: a hinge within ±90° that stands at 0.4 rad, a slide within 0 and 0.1 m at its end."""
    for kind, limits, at in (
        (JointKind.REVOLUTE, (-math.pi / 2, math.pi / 2), 0.4),
        (JointKind.PRISMATIC, (0.0, 0.1), 0.1),
    ):
        model, _ = written(arm(kind, limits=(limits,)))
        own = joint(model, "J")
        assert number(own, "axis/limit/lower") == pytest.approx(limits[0] - at, abs=1e-15)
        assert number(own, "axis/limit/upper") == pytest.approx(limits[1] - at, abs=1e-15)


def test_an_open_end_has_no_limit_and_a_hinge_without_any_is_continuous():
    model, _ = written(arm(JointKind.REVOLUTE, limits=((-INF, 1.0),)))
    own = joint(model, "J")
    assert own.get("type") == "revolute"
    assert own.find("axis/limit/lower") is None
    assert number(own, "axis/limit/upper") == pytest.approx(0.6, abs=1e-15)
    assert joint(model, "S").get("type") == "continuous"
    assert joint(model, "S").find("axis/limit") is None


@pytest.mark.parametrize("reverse", [False, True])
def test_a_universal_joint_has_the_limits_of_both_axes_in_the_order_they_are_met(reverse):
    mechanism = arm(JointKind.UNIVERSAL, reverse, limits=((-1.0, 0.5), (-0.7, 0.9)))
    model, _ = written(mechanism)
    own = joint(model, "J")
    lows = [number(own, f"{tag}/limit/lower") for tag in ("axis", "axis2")]
    expected = [-1.0 - 0.3, -0.7 + 0.4]
    np.testing.assert_allclose(lows, expected[::-1] if reverse else expected, atol=1e-15)


@pytest.mark.parametrize("reverse", [False, True])
def test_a_universal_joint_turns_about_f_s_x_and_m_s_y_as_they_stand(reverse):
    """Crossed backwards the child's side turns the other way, about M's y first."""
    model, export = written(arm(JointKind.UNIVERSAL, reverse))
    cross = (link_pose(model, "lower") @ pose_of(joint(model, "J"))).R
    state, edge = evaluate(export.compiled, export.q), export.compiled.tree_joint("J").edge
    x = (state.poses[edge.parent] @ edge.X_PF).R[:, 0]
    y = (state.poses[edge.child] @ edge.X_CM).R[:, 1]
    first, second = (-y, -x) if reverse else (x, y)
    for axis, tag, expected in ((0, "axis", first), (1, "axis2", second)):
        np.testing.assert_allclose(cross[:, axis], expected, atol=1e-14)
        assert joint(model, "J").find(f"{tag}/xyz").text.split()[axis] == "1"


def test_what_acts_on_a_joint_acts_along_its_axis():
    acting = {"damping": 0.2, "friction": 0.3, "effort": 4.0, "velocity": 5.0}
    model, export = written(
        arm(JointKind.REVOLUTE, stiffness=6.0, spring_reference=0.5, armature=0.7, **acting)
    )
    own = joint(model, "J")
    found = {
        "damping": number(own, "axis/dynamics/damping"),
        "friction": number(own, "axis/dynamics/friction"),
        "effort": number(own, "axis/limit/effort"),
        "velocity": number(own, "axis/limit/velocity"),
    }
    assert found == acting
    assert number(own, "axis/dynamics/spring_stiffness") == 6.0
    reference = number(own, "axis/dynamics/spring_reference")
    assert reference == pytest.approx(0.5 - 0.4, abs=1e-15)
    assert number(own, "{http://drake.mit.edu}rotor_inertia") == 0.7
    assert not export.ledger.unsupported


def test_a_screw_advances_as_either_version_has_it():
    """1.10 has metres per turn, and 1.9 radians per metre of a left-handed thread."""
    model, _ = written(arm(JointKind.SCREW))
    own = joint(model, "J")
    assert number(own, "screw_thread_pitch") == pytest.approx(2.0 * math.pi * 0.01, rel=1e-15)
    assert number(own, "thread_pitch") == pytest.approx(-1.0 / 0.01, rel=1e-15)


def test_a_screw_has_no_old_pitch_where_the_file_is_of_a_newer_version():
    coupling = Coupling.gear(name="gear", leader="S", follower="J", ratio=10.0)
    model, _ = written(replace(arm(JointKind.SCREW), couplings=(coupling,)))
    assert joint(model, "J").find("thread_pitch") is None
    assert number(joint(model, "J"), "screw_thread_pitch") == pytest.approx(0.02 * math.pi)


@pytest.mark.parametrize("kind", LOWERED)
def test_a_kind_that_sdformat_lacks_is_refused_by_name_unless_links_may_stand_between(kind):
    with pytest.raises(UnwritableError, match=rf"'J' \({kind.value}\).*intermediate_mass"):
        written(arm(kind))


def test_all_joints_that_are_refused_are_named_at_once():
    mechanism = arm(JointKind.PLANAR)
    joints = (replace(mechanism.joints[0], kind=JointKind.CYLINDRICAL, start=(0.1, 0.2)),)
    with pytest.raises(UnwritableError, match=r"'S' \(cylindrical\), 'J' \(planar\)"):
        written(replace(mechanism, joints=(*joints, mechanism.joints[1])))


@pytest.mark.parametrize("mass", [0.0, 0.25])
@pytest.mark.parametrize("kind", LOWERED)
def test_links_between_axes_weigh_what_they_may_and_the_ledger_says_what_they_add(kind, mass):
    model, export = written(arm(kind), intermediate_mass=mass)
    bodies = {body.name for body in export.compiled.bodies}
    between = [link for link in model.findall("link") if link.get("name") not in bodies]
    assert [number(link, "inertial/mass") for link in between] == [mass] * (kind.dof - 1)
    for link in between:
        moments = [number(link, f"inertial/inertia/{tag}") for tag in ("ixx", "iyy", "izz")]
        radius = (3.0 * mass / (4.0 * math.pi * 1000.0)) ** (1.0 / 3.0)  # of a ball of water
        assert moments == pytest.approx([0.4 * mass * radius**2] * 3, rel=1e-12)
    (entry,) = [e for e in export.ledger.entries if e.what == f"its kind, {kind.value}"]
    if mass:
        assert entry.fidelity is Fidelity.APPROXIMATED
        assert (entry.error, entry.unit) == (mass * (kind.dof - 1), "kg")
        assert not any("no mass" in told for told in export.ledger.warnings)
    else:
        assert entry.fidelity is Fidelity.EXACT
        assert any("'J' have no mass" in warning for warning in export.ledger.warnings)  # R42


@pytest.mark.parametrize("kind", [JointKind.BALL, JointKind.FREE])
def test_what_acts_on_a_joint_without_axes_is_lost_by_name(kind):
    acting = {"friction": 0.3, "stiffness": 1.0, "armature": 0.1, "effort": 4.0, "velocity": 5.0}
    mechanism = arm(JointKind.BALL, damping=0.2, **acting)
    if kind is JointKind.FREE:
        own = replace(mechanism.joints[1], kind=kind, start=(0.1, 0.2, 0.3, 1.0, 0.0, 0.0, 0.0))
        mechanism = replace(mechanism, joints=(mechanism.joints[0], own))
    model, export = written(mechanism)
    lost = {entry.what for entry in export.ledger.unsupported if entry.where == "J"}
    expected = {
        "its dry friction",
        "its spring",
        "its armature",
        "its effort limit",
        "its velocity limit",
    }
    if kind is JointKind.FREE:
        assert joint(model, "J") is None
        expected |= {"its damping"}
    else:
        assert number(joint(model, "J"), "axis/dynamics/damping") == 0.2
    assert lost == expected


def test_the_ledger_says_by_how_much_each_coordinate_is_less_than_the_mechanism_s():
    _, export = written(four_bar(crank=0.7))
    own = {e.where: e for e in export.ledger.entries if e.what == "where it counts from"}
    assert own["A"].error == pytest.approx(0.7)
    assert own["A"].unit == "rad"
    assert own["A"].fidelity is Fidelity.APPROXIMATED


def test_a_joint_that_stands_at_its_zero_counts_from_there():
    mechanism = arm(JointKind.REVOLUTE)
    joints = tuple(replace(own, start=(0.0,)) for own in mechanism.joints)
    _, export = written(replace(mechanism, joints=joints))
    own = [e for e in export.ledger.entries if e.what == "where it counts from"]
    assert [entry.fidelity for entry in own] == [Fidelity.EXACT] * 2


def test_joints_that_nothing_drives_take_no_effort_where_others_are_driven():
    """Drake would give each an actuator otherwise."""
    driven, _ = written(four_bar(joint={"A": {"effort": 3.0}}))
    efforts = {own.get("name"): number(own, "axis/limit/effort") for own in driven.findall("joint")}
    assert efforts == {"ground_to_world": None, "A": 3.0, "B": 0.0, "D": 0.0, "C": 0.0}
    nothing, _ = written(four_bar())
    assert not nothing.findall("joint/axis/limit/effort")


def test_a_follower_keeps_the_effort_that_its_coupling_needs():
    mechanism = replace(
        arm(JointKind.REVOLUTE),
        couplings=(Coupling.gear(name="gear", leader="S", follower="J", ratio=2.0),),
    )
    joints = (replace(mechanism.joints[0], effort=3.0), mechanism.joints[1])
    model, _ = written(replace(mechanism, joints=joints))
    assert joint(model, "J").find("axis/limit/effort") is None
