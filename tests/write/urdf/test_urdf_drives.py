"""Limits, followers and drives of a URDF."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from arms import arm
from linkages.spatial import differential, summing_differential, summing_floats
from mechanisms import four_bar
from reported import FOLLOWING, fingers
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Actuator, Coupling, Transmission
from robocompiler.write.fidelity import Fidelity, Property
from robocompiler.write.urdf.mimics import UNLIMITED
from urdfs import DRAKE, Written, vector


def limit(joint):
    own = joint.find("limit")
    return None if own is None else {name: float(value) for name, value in own.attrib.items()}


def motor(name, *moved, **terms):
    transmissions = tuple(Transmission(coordinate=one, ratio=ratio) for one, ratio in moved)
    return Actuator(name=name, transmissions=transmissions, **terms)


def with_actuators(mechanism, *actuators):
    return replace(mechanism, actuators=actuators)


def revolute(**terms):
    return arm(JointKind.REVOLUTE, **terms)


# ----------------------------------------------------------------------------------- limits


@pytest.mark.parametrize(
    ("terms", "kind", "expected"),
    [
        ({}, "continuous", None),
        ({"effort": 3.0}, "continuous", {"effort": 3.0, "velocity": UNLIMITED}),
        ({"velocity": 4.0}, "continuous", {"effort": UNLIMITED, "velocity": 4.0}),
        (
            {"limits": ((-1.0, 2.0),)},
            "revolute",
            {"lower": -1.0, "upper": 2.0, "effort": UNLIMITED, "velocity": UNLIMITED},
        ),
        (
            {"limits": ((-math.inf, 2.0),), "effort": 5.0, "velocity": 6.0},
            "revolute",
            {"lower": -UNLIMITED, "upper": 2.0, "effort": 5.0, "velocity": 6.0},
        ),
    ],
)
def test_a_hinge_states_its_limits_and_no_infinity(terms, kind, expected):
    joint = Written(revolute(**terms)).joint("J")
    assert joint.get("type") == kind
    assert limit(joint) == expected


def test_a_slide_without_limits_states_some_that_nothing_reaches():
    joint = Written(arm(JointKind.PRISMATIC)).joint("J")
    ends = {"lower": -UNLIMITED, "upper": UNLIMITED}
    assert limit(joint) == {**ends, "effort": UNLIMITED, "velocity": UNLIMITED}


def test_damping_and_friction_act_on_each_axis_of_a_joint_of_several():
    own = Written(arm(JointKind.CYLINDRICAL, damping=0.3, friction=0.4), intermediate_mass=0.0)
    for name in ("J_turnZ", "J_moveZ"):
        assert own.joint(name).find("dynamics").attrib == {"damping": "0.3", "friction": "0.4"}


# -------------------------------------------------------------------------------- followers


def geared(ratio=2.0, offset=0.1, follower=(), leader=()):
    """Two hinges of one arm, the outer following the inner."""
    mechanism = revolute(limits=follower)
    first = replace(mechanism.joints[0], limits=leader, start=(0.2,))
    second = replace(mechanism.joints[1], start=(ratio * 0.2 + offset,))
    gear = Coupling.gear(name="gear", leader="S", follower="J", ratio=ratio, offset=offset)
    return replace(mechanism, joints=(first, second), couplings=(gear,))


def test_a_follower_states_what_it_follows_and_both_have_limits():
    own = Written(geared(leader=((-0.5, 1.0),)))
    mimic = own.joint("J").find("mimic")
    assert (mimic.get("joint"), mimic.get("multiplier"), mimic.get("offset")) == ("S", "2.0", "0.1")
    found = limit(own.joint("J"))
    assert (found["lower"], found["upper"]) == (-0.9, 2.1)
    model, _ = own.mujoco()
    assert model.neq == 1
    np.testing.assert_allclose(model.eq_data[0][:2], (0.1, 2.0))
    assert own.ledger.warnings == []


@pytest.mark.parametrize("ratio", [2.0, -2.0])
def test_a_leader_gets_the_limits_that_its_follower_s_leave_it(ratio):
    own = Written(geared(ratio=ratio, follower=((-0.9, 2.1),)))
    found = limit(own.joint("S"))
    expected = sorted(((-0.9 - 0.1) / ratio, (2.1 - 0.1) / ratio))
    np.testing.assert_allclose((found["lower"], found["upper"]), expected)
    assert own.joint("S").get("type") == "revolute"


def test_limits_that_both_state_stay():
    own = Written(geared(leader=((-0.5, 1.0),), follower=((-0.3, 3.0),)))
    assert limit(own.joint("J"))["upper"] == 3.0
    assert limit(own.joint("S"))["upper"] == 1.0


def test_where_neither_has_limits_both_get_some_that_nothing_reaches_and_it_is_said():
    own = Written(geared())
    for name in ("J", "S"):
        assert own.joint(name).get("type") == "revolute"
        assert limit(own.joint(name))["upper"] == -limit(own.joint(name))["lower"] == UNLIMITED
    (told,) = [warning for warning in own.ledger.warnings if "'J' follows 'S'" in warning]
    assert told.endswith("Give one of the two `limits` to have limits that stop it")


@pytest.mark.parametrize("ratio", [2.0, -2.0])
def test_a_limit_on_one_side_leaves_the_follower_one(ratio):
    own = Written(geared(ratio=ratio, leader=((-0.5, math.inf),)))
    found = limit(own.joint("J"))
    expected = (-0.9, UNLIMITED) if ratio > 0.0 else (-UNLIMITED, 1.1)
    assert (found["lower"], found["upper"]) == expected


def test_chains_of_followers_name_the_first_leader():
    """The planet leads both shafts; with it led by the pinion, all follow that."""
    mechanism = differential()
    chain = Coupling.gear(name="chain", leader="cage", follower="planet", ratio=0.5, offset=0.2)
    starts = {joint.name: joint.start[0] for joint in mechanism.joints if joint.start}
    offset = starts["planet"] - 0.5 * starts["cage"]
    chain = replace(chain, offset=offset)
    own = Written(replace(mechanism, couplings=(*mechanism.couplings, chain)))
    for name, multiplier in (("cage", 1 / 3.5), ("planet", 0.5 / 3.5), ("right", -0.5 / 3.5)):
        mimic = own.joint(name).find("mimic")
        assert mimic.get("joint") == "pinion"
        assert float(mimic.get("multiplier")) == pytest.approx(multiplier, rel=1e-15)
    assert float(own.joint("right").find("mimic").get("offset")) == pytest.approx(-offset)
    for name in ("cage", "planet", "left", "right"):
        mimic = own.joint(name).find("mimic")
        said = float(mimic.get("multiplier")) * starts["pinion"] + float(mimic.get("offset"))
        assert said == pytest.approx(starts[name], abs=1e-14)


@pytest.mark.parametrize(("leader", "follower", "met"), FOLLOWING)
def test_a_follower_that_pinocchio_meets_before_its_leader_is_told(leader, follower, met):
    own = Written(fingers(leader, follower))
    told = f"refuses to couple joint '{follower}' to '{leader}'"
    assert any(told in warning for warning in own.ledger.warnings) != met


def test_a_coupling_to_several_leaders_is_a_tendon_of_drake_s_and_a_warning_says_so():
    own = Written(summing_differential())
    assert own.joint("pinion").find("mimic").get("joint") == "cage"
    assert own.joint("cage").find("mimic") is None
    tendons = own.root.findall(f"{DRAKE}tendon_constraint")
    assert [tendon.get("name") for tendon in tendons] == ["cage", "planet"]
    values = dict(own.export.configuration.values)
    for tendon, terms in zip(
        tendons,
        ({"cage": 1.0, "left": -0.5, "right": -0.5}, {"planet": 1.0, "left": -1.0, "cage": 1.0}),
        strict=True,
    ):
        space = f"{DRAKE}tendon_constraint_"
        said = {e.get("name"): float(e.get("a")) for e in tendon.findall(f"{space}joint")}
        assert said == terms
        length = sum(a * values[name][0] for name, a in said.items())
        assert length + float(tendon.find(f"{space}offset").get("value")) == pytest.approx(0.0)
    for name in ("cage", "planet"):
        assert any(f"coupling '{name}' has several" in w for w in own.ledger.warnings)


def test_a_coupling_of_three_that_float_is_lost_since_drake_would_fail_on_it():
    own = Written(summing_floats())
    assert own.root.find(f"{DRAKE}tendon_constraint") is None
    lost = [entry.where for entry in own.ledger.unsupported if entry.property is not Property.ZERO]
    assert lost == ["sum"]


def test_an_axis_of_a_joint_of_several_may_lead():
    mechanism = arm(JointKind.CYLINDRICAL)
    gear = Coupling.gear(name="gear", leader="J/moveZ", follower="J/turnZ", ratio=10.0)
    own = Written(replace(mechanism, couplings=(gear,)), intermediate_mass=0.0)
    mimic = own.joint("J_turnZ").find("mimic")
    assert (mimic.get("joint"), mimic.get("multiplier")) == ("J_moveZ", "10.0")


# ----------------------------------------------------------------------------------- drives


def commands(own):
    """Of each joint in the block for ROS: least and largest effort."""
    return {
        joint.get("name"): tuple(float(p.text) for p in joint.findall("command_interface/param"))
        for joint in own.root.findall("ros2_control/joint")
    }


def test_a_geared_motor_has_its_ratio_and_its_efforts_count_at_the_joint():
    terms = {"effort": 0.5, "velocity": 100.0, "armature": 1e-4}
    own = Written(with_actuators(revolute(), motor("m 1", ("J", -50.0), **terms)))
    transmission = own.root.find("transmission")
    assert transmission.find("type").text == "transmission_interface/SimpleTransmission"
    assert transmission.find("joint").get("name") == "J"
    actuator = transmission.find("actuator")
    assert actuator.get("name") == "m_1"
    assert actuator.find("mechanicalReduction").text == "-50.0"
    assert actuator.find(f"{DRAKE}gear_ratio").get("value") == "-50.0"
    assert actuator.find(f"{DRAKE}rotor_inertia").get("value") == "0.0001"
    assert commands(own) == {"J": (-25.0, 25.0)}
    assert limit(own.joint("J")) == {"effort": 25.0, "velocity": 2.0}
    assert own.ledger.unsupported == []
    assert own.export.names["actuator"] == {"m 1": "m_1"}


def test_what_the_joint_states_stays_and_what_has_no_place_beside_it_is_lost():
    mechanism = revolute(effort=7.0, velocity=3.0)
    own = Written(with_actuators(mechanism, motor("m", ("J", 2.0), effort=5.0, velocity=10.0)))
    assert limit(own.joint("J")) == {"effort": 7.0, "velocity": 3.0}
    assert commands(own) == {"J": (-10.0, 10.0)}
    assert own.entry(Property.ACTUATOR_VELOCITY, "m").fidelity is Fidelity.DROPPED
    assert len(own.root.findall("transmission")) == 1


@pytest.mark.parametrize("order", [1, -1])
def test_of_two_actuators_of_a_joint_what_has_no_place_is_lost_and_not_said_to_be_exact(order):
    """One of them may do anything, so that both together may."""
    strong = motor("strong", ("J", 2.0), effort=5.0, velocity=10.0)
    slow = motor("slow", ("J", 1.0), velocity=1.0)
    own = Written(with_actuators(revolute(), *(strong, slow)[::order]))
    assert limit(own.joint("J")) == {"effort": UNLIMITED, "velocity": 1.0}
    lost = [(entry.property, entry.where) for entry in own.ledger.unsupported]
    assert sorted(lost, key=str) == [
        (Property.ACTUATOR_EFFORT, "strong"),
        (Property.ACTUATOR_VELOCITY, "strong"),
    ]


def test_a_joint_that_states_an_effort_is_driven_and_a_passive_one_is_not():
    own = Written(revolute(effort=7.0))
    assert commands(own) == {"J": (-7.0, 7.0)}
    assert [e.find("joint").get("name") for e in own.root.findall("transmission")] == ["J"]
    assert [e.get("name") for e in own.srdf.findall("passive_joint")] == ["S"]
    position = own.root.find("ros2_control/joint/state_interface/param")
    assert float(position.text) == pytest.approx(0.4)


def test_what_nothing_drives_has_no_block_for_drives():
    own = Written(revolute())
    assert own.root.find("ros2_control") is None
    assert own.root.find("transmission") is None


def test_a_joint_s_own_armature_stands_with_its_motor_s_on_the_motor_s_side():
    mechanism = revolute(armature=0.5)
    own = Written(with_actuators(mechanism, motor("m", ("J", 10.0), armature=1e-3)))
    rotor = float(own.root.find(f"transmission/actuator/{DRAKE}rotor_inertia").get("value"))
    assert 10.0**2 * rotor == pytest.approx(0.5 + 10.0**2 * 1e-3)


def test_an_actuator_of_several_joints_is_lost_aloud():
    own = Written(with_actuators(revolute(), motor("both", ("S", 0.5), ("J", 0.5), effort=1.0)))
    assert own.root.find("transmission") is None
    assert {e.property for e in own.ledger.unsupported} == {
        Property.SHARED_ACTUATOR,
        Property.ACTUATOR_EFFORT,
    }
    assert any("'both' is lost: it drives 'S' and 'J'" in w for w in own.ledger.warnings)


def test_an_actuator_whose_joint_is_cut_is_lost_aloud():
    mechanism = four_bar(joint={name: {"effort": 1.0} for name in "ABD"})
    own = Written(with_actuators(mechanism, motor("m", ("C", 1.0), effort=1.0)))
    (closure,) = own.compiled.closures
    if closure.chord.joint.name == "C":
        assert own.entry(Property.ACTUATOR, "m").fidelity is Fidelity.DROPPED
        assert any("actuator 'm' is lost" in w for w in own.ledger.warnings)
    else:
        assert commands(own)["C"] == (-1.0, 1.0)


def test_a_follower_takes_no_command():
    mechanism = geared(leader=((-0.5, 1.0),))
    joints = tuple(replace(j, effort=1.0) for j in mechanism.joints)
    own = Written(replace(mechanism, joints=joints))
    assert list(commands(own)) == ["S"]
    assert own.srdf.find("passive_joint") is None


def test_the_drives_of_the_extended_urdf_are_those_of_the_others():
    own = Written(four_bar(joint={"A": {"effort": 1.0}}))
    _, *lines = own.files["fourbar.robot.yaml"].decode().splitlines()
    parsed = {key: json.loads(value) for key, value in (line.split(": ", 1) for line in lines)}
    assert parsed["name_mot"] == ["A"] == list(commands(own))


def test_a_mimic_s_numbers_are_read_back_as_they_were():
    """No digit is lost on the way."""
    own = Written(geared(ratio=1.0 / 3.0, offset=0.1 + 0.2, leader=((-1.0, 1.0),)))
    mimic = own.joint("J").find("mimic")
    assert float(mimic.get("multiplier")) == 1.0 / 3.0
    assert float(vector(mimic.get("offset"))[0]) == 0.1 + 0.2
