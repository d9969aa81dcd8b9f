"""Loops, in the model's file and in Drake's, and couplings."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from sdf_reading import files, joint, link_pose, model_of, number, pose_of, written

from arms import arm
from linkages.drawing import Drawing, at, driven_by, turn
from linkages.spatial import delta, housed, loop_with, summing_differential, summing_floats
from mechanisms import four_bar
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Actuator, Coupling, Environment, Transmission
from robocompiler.write.fidelity import Property
from robocompiler.write.ledger import Ledger
from robocompiler.write.links import link_tree
from robocompiler.write.sdf.couplings import ties
from robocompiler.write.sdf.names import sdf_names
from robocompiler.write.sdf.scene import NATIVE

NS = "{http://drake.mit.edu}"
LOOSE = "DART, ignores joints that close loops"


def floating_four_bar():
    """Its ground hangs on nothing."""
    mechanism = four_bar()
    free = {JointKind.FIXED: JointKind.FREE}
    joints = (replace(own, kind=free.get(own.kind, own.kind)) for own in mechanism.joints)
    return replace(mechanism, joints=tuple(joints))


def loaded_four_bar():
    """The same limits and damping on all of its joints, so that it is cut as without them."""
    acting = {"limits": ((-2.0, 3.0),), "damping": 0.1}
    return four_bar(joint=dict.fromkeys("ABCD", acting))


def constraints(model):
    """Of each of Drake's, both ends in the world [m]."""
    found = {}
    for own in model.findall(f"{NS}ball_constraint"):
        ends = []
        for body, point in (("body_A", "p_AP"), ("body_B", "p_BQ")):
            link = own.find(f"{NS}ball_constraint_{body}").text
            p = np.array([float(x) for x in own.find(f"{NS}ball_constraint_{point}").text.split()])
            X = link_pose(model, link)
            ends.append(X.R @ p + X.p)
        found[own.get("name")] = ends
    return found


def test_the_cut_joint_is_a_second_one_to_its_child_where_both_its_sides_meet():
    contents, _ = files(loaded_four_bar())
    model = model_of(contents)
    closing = joint(model, "C")
    child = closing.find("child").text
    others = [own for own in model.findall("joint") if own.find("child").text == child]
    assert len(others) == 2
    assert closing.find("physics/simbody/must_be_loop_joint").text == "true"
    on_child = link_pose(model, child) @ pose_of(closing)
    sides = [model.find(f"frame[@name='C/{side}']") for side in ("parent", "child")]
    for side in sides:
        on = link_pose(model, side.get("attached_to")) @ pose_of(side)
        np.testing.assert_allclose(on.p, on_child.p, atol=1e-15)
    turned = pose_of(sides[0]).R.T @ link_pose(model, sides[0].get("attached_to")).R.T
    turned = turned @ link_pose(model, child).R @ pose_of(sides[1]).R
    at_start = math.atan2(turned[1, 0], turned[0, 0])
    assert number(closing, "axis/limit/upper") == pytest.approx(3.0 - at_start, abs=1e-14)
    assert number(closing, "axis/dynamics/damping") == 0.1


def test_gazebo_and_drake_are_told_what_becomes_of_the_loops():
    """R2 to R4: in the file, and to whoever writes it."""
    for mechanism in (four_bar(), floating_four_bar()):
        contents, export = files(mechanism)
        assert any(LOOSE in warning for warning in export.ledger.warnings)
        assert b"the loops fall apart" in contents["fourbar.sdf"]
        assert b"DetachableJoint" in contents["fourbar.sdf"]  # as R2 and R3 ask
    contents, export = files(arm(JointKind.REVOLUTE))
    assert not any(LOOSE in warning for warning in export.ledger.warnings)
    assert b"fall apart" not in contents["arm.sdf"]


def test_drake_s_file_has_points_in_place_of_the_joint_and_no_contact_across_it():
    contents, _ = files(four_bar())
    model = model_of(contents, "fourbar.drake.sdf")
    assert joint(model, "C") is None
    ((name, ends),) = constraints(model).items()
    assert name == "C_constraint"
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-15)
    group = model.find(f"{NS}collision_filter_group")
    members = {member.text for member in group.findall(f"{NS}member")}
    assert members == {"coupler", "rocker"}
    assert group.find(f"{NS}ignored_collision_filter_group").text == group.get("name")


def test_a_hinge_of_a_spatial_loop_is_two_points_along_its_axis_to_drake():
    """The driven joint is spared; of the others the hinge is the only one of Drake's."""
    contents, export = files(loop_with(JointKind.REVOLUTE), intermediate_mass=0.1)
    model = model_of(contents, f"{export.stem}.drake.sdf")
    (first, second) = constraints(model).values()
    for ends in (first, second):
        np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)
    frame = next(f for f in model.findall("frame") if f.get("name").endswith("/parent"))
    along = (link_pose(model, frame.get("attached_to")) @ pose_of(frame)).R[:, 2]
    apart = second[0] - first[0]
    np.testing.assert_allclose(apart / np.linalg.norm(apart), along, atol=1e-9)
    assert 0.01 <= np.linalg.norm(apart) <= 0.1


def test_each_of_many_loops_is_closed_in_both_files():
    """R52: the parents of a delta's platform."""
    contents, export = files(delta())
    closed = {closure.chord.joint.name for closure in export.compiled.closures}
    assert len(closed) == 5
    model = model_of(contents)
    assert {own.get("name") for own in model.findall("joint[physics]")} == closed
    assert len(constraints(model_of(contents, "delta.drake.sdf"))) == 5


def slides():
    """A loop of slides, every one of which is driven but `last`."""
    drawing = Drawing("slides")
    names = [
        WORLD,
        drawing.body("a", at(0.1, 0.2, 0.3)),
        drawing.body("b", at(0.2, 0.1, 0.1)),
        WORLD,
    ]
    for index, (inner, outer) in enumerate(pairwise(names)):
        where = turn((0.3 * index, 0.2, 0.4 * index), (0.1 * index, 0.0, 0.2))
        drawing.prismatic(f"slide {index}", (inner, outer), where, 0.02 * index)
    return driven_by(drawing.mechanism(), ["slide 0", "slide 1"])


def test_a_loop_that_no_points_can_close_costs_drake_s_file_and_not_the_model_s():
    contents, export = files(slides())
    assert list(contents) == ["slides.sdf"]
    (warning,) = [w for w in export.ledger.warnings if "there is no 'slides.drake.sdf'" in w]
    assert "'slide 2' (prismatic)" in warning
    assert joint(model_of(contents), "slide 2").get("type") == "prismatic"


def test_what_acts_on_a_joint_that_drake_s_file_cuts_is_told():
    _, export = files(loaded_four_bar())
    told = [w for w in export.ledger.warnings if "'C'" in w]
    assert told == ["'fourbar.drake.sdf' has not of 'C', which is cut: its limits and its damping"]


def test_a_coupling_of_one_leader_is_a_mimic_whatever_the_ratio_and_where_joints_stand():
    """R21: the follower turns by the ratio; that it stands by the offset is what poses say."""
    mechanism = replace(
        arm(JointKind.REVOLUTE),
        couplings=(Coupling.gear(name="gear", leader="S", follower="J", ratio=-2.0, offset=0.8),),
    )
    contents, export = files(mechanism)
    assert b'version="1.11"' in contents["arm.sdf"]
    assert any("DART, holds no joint to its `mimic`" in told for told in export.ledger.warnings)
    mimic = joint(model_of(contents), "J").find("axis/mimic")
    assert mimic.attrib == {"joint": "S", "axis": "axis"}
    assert number(mimic, "multiplier") == -2.0
    assert number(mimic, "offset") == pytest.approx(0.0, abs=1e-15)
    assert number(mimic, "reference") == 0.0


def test_where_a_follower_stands_ahead_of_its_leader_it_stays_ahead():
    """By 0.01: as where a coupling could not be met to rounding."""
    coupling = Coupling.gear(name="gear", leader="S", follower="J", ratio=-2.0, offset=0.8)
    export = files(replace(arm(JointKind.REVOLUTE), couplings=(coupling,)))[1]
    compiled, q = export.compiled, export.q.copy()
    q[compiled.tree_joint("J").q] += 0.01
    names = sdf_names(compiled, link_tree(compiled, q, NATIVE, zero=False))
    said = ties(compiled, q, names, Ledger())
    # At the leader's 0 in the file, 0.2, the follower is to be at 0.4: 0.01 back from where it is.
    assert number(said.mimics["J"], "offset") == pytest.approx(-0.01, abs=1e-15)
    assert float(said.drake_mimics["J"].get("offset")) == pytest.approx(-0.01, abs=1e-15)


def test_a_coupling_of_several_leaders_is_drake_s_alone_and_lost_over_three_branches():
    contents, export = files(summing_differential())
    model = model_of(contents)
    assert [own.get("name") for own in model.findall(f"{NS}tendon_constraint")] == [
        "planet_coupling"
    ]
    assert [entry.where for entry in export.ledger.unsupported] == ["cage"]
    assert any("'planet' has several leaders" in told for told in export.ledger.warnings)


def test_on_a_base_all_branches_are_of_one_tree_to_drake():
    """Which it counts from the world, so that a link bolted to it is the root of all."""
    contents, export = files(housed(summing_differential()))
    told = [own.get("name") for own in model_of(contents).findall(f"{NS}tendon_constraint")]
    assert told == ["cage_coupling", "planet_coupling"]
    assert export.ledger.unsupported == []


def test_a_coupling_of_three_that_float_is_lost():
    assert [entry.where for entry in files(summing_floats())[1].ledger.unsupported] == ["sum"]


@pytest.mark.parametrize(("leader", "axis"), [("J/turnX", "axis"), ("J/turnY", "axis2")])
@pytest.mark.parametrize("reverse", [False, True])
def test_a_mimic_names_the_axis_of_a_universal_joint(leader, axis, reverse):
    start = {"J/turnX": 0.3, "J/turnY": -0.4}[leader]
    coupling = Coupling.gear(
        name="gear", leader=leader, follower="S", ratio=1.5, offset=0.2 - 1.5 * start
    )
    model, _ = written(replace(arm(JointKind.UNIVERSAL, reverse), couplings=(coupling,)))
    other = {"axis": "axis2", "axis2": "axis"}[axis] if reverse else axis
    assert joint(model, "S").find("axis/mimic").attrib == {"joint": "J", "axis": other}
    assert joint(model, "S").find(f"{NS}mimic") is None


def test_the_world_has_the_gravity_that_is_stated_and_drake_s_has_none_to_ignore():
    moon = Environment(gravity=(0.0, 0.1, -1.62))
    contents, export = files(replace(four_bar(), environment=moon))
    assert b"<gravity>0 0.1 -1.62</gravity>" in contents["fourbar.sdf"]
    assert b"gravity" not in contents["fourbar.drake.sdf"]
    assert any("[0.0, 0.1, -1.62] m/s²" in warning for warning in export.ledger.warnings)
    contents, export = files(four_bar())
    assert b"gravity" not in contents["fourbar.sdf"]
    assert not [e for e in export.ledger.entries if e.property is Property.GRAVITY]


def test_drake_s_file_has_nothing_that_drake_would_leave_out():
    """Nor what it calls deprecated."""
    motor = Actuator(name="m", transmissions=(Transmission(coordinate="drive"),))
    mechanism = replace(loop_with(JointKind.SCREW), actuators=(motor,))
    contents, export = files(mechanism, intermediate_mass=0.1)
    main, drakes = (model_of(contents, f"{export.stem}{end}") for end in (".sdf", ".drake.sdf"))
    for tag in ("plugin", "joint/thread_pitch"):
        assert main.find(tag) is not None
        assert drakes.find(tag) is None
