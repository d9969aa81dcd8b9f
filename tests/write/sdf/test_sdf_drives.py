"""Actuators: plugins, limits by their gears, rotors; and an account that misses nothing."""

from dataclasses import replace

import pytest
from sdf_reading import files, joint, model_of, number, written

from arms import arm
from linkages.drawn_at_random import drawn_at_random, geared_at_random
from mechanisms import four_bar
from robocompiler.errors import MechanismError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Actuator, Coupling, Transmission

NS = "{http://drake.mit.edu}"


def motor(name, *moved, **terms):
    """Of pairs of a coordinate and a ratio."""
    transmissions = tuple(Transmission(coordinate=one, ratio=ratio) for one, ratio in moved)
    return Actuator(name=name, transmissions=transmissions, **terms)


def driven(kind, *actuators, **fields):
    return replace(arm(kind, **fields), actuators=actuators)


def lost(export):
    return {(entry.where, entry.what) for entry in export.ledger.unsupported}


def test_a_motor_is_a_plugin_on_its_joint_with_its_limits_seen_through_the_gear():
    """50 turns of the motor to one of the joint: 50 times the torque at a 50th of the speed."""
    own = motor("m", ("J", -50.0), effort=0.2, velocity=300.0, armature=1e-4)
    model, export = written(driven(JointKind.REVOLUTE, own, armature=0.5))
    plugin = model.find("plugin[@name='gz::sim::systems::ApplyJointForce']")
    assert plugin.find("joint_name").text == "J"
    assert number(joint(model, "J"), "axis/limit/effort") == pytest.approx(10.0)
    assert number(joint(model, "J"), "axis/limit/velocity") == pytest.approx(6.0)
    assert number(joint(model, "J"), f"{NS}rotor_inertia") == pytest.approx(0.5 + 2500.0 * 1e-4)
    assert not lost(export)


def test_a_joint_that_states_its_limits_keeps_them_and_the_motor_s_are_told_as_lost():
    own = motor("m", ("J", 2.0), effort=0.2, velocity=300.0)
    model, export = written(driven(JointKind.REVOLUTE, own, effort=7.0, velocity=8.0))
    assert number(joint(model, "J"), "axis/limit/effort") == 7.0
    assert number(joint(model, "J"), "axis/limit/velocity") == 8.0
    assert lost(export) == {("m", "its effort limit"), ("m", "its velocity limit")}


def test_two_motors_on_a_joint_have_no_limit_that_it_could_state():
    pair = (motor("m", ("J", 2.0), effort=0.2), motor("n", ("J", 3.0), effort=0.2))
    model, export = written(driven(JointKind.REVOLUTE, *pair))
    assert len(model.findall("plugin")) == 2
    assert joint(model, "J").find("axis/limit") is None
    assert lost(export) == {("m", "its effort limit"), ("n", "its effort limit")}


def test_a_motor_of_several_joints_is_lost_with_all_that_is_said_of_it():
    own = motor("m", ("S", 0.5), ("J", 0.5), effort=1.0, velocity=2.0, armature=0.1)
    model, export = written(driven(JointKind.REVOLUTE, own))
    assert model.find("plugin") is None
    of = ("its drive", "its effort limit", "its velocity limit", "its armature")
    assert lost(export) == {("m", what) for what in of}


def test_a_motor_of_one_axis_of_several_has_its_limit_there_and_no_plugin():
    own = motor("m", ("J/turnY", 2.0), effort=1.0, armature=0.1)
    model, export = written(driven(JointKind.UNIVERSAL, own))
    assert model.find("plugin") is None
    assert number(joint(model, "J"), "axis/limit/effort") == 0.0
    assert number(joint(model, "J"), "axis2/limit/effort") == 2.0
    assert lost(export) == {("m", "its drive"), ("m", "its armature")}


def test_a_motor_on_an_axis_of_a_lowered_joint_drives_that_axis():
    own = motor("m", ("J/moveZ", 2.0), effort=1.0)
    model, export = written(driven(JointKind.CYLINDRICAL, own), intermediate_mass=0.1)
    assert model.find("plugin/joint_name").text == "J/moveZ"
    assert number(joint(model, "J/moveZ"), "axis/limit/effort") == 2.0
    assert number(joint(model, "J/turnZ"), "axis/limit/effort") == 0.0
    assert not lost(export)


def test_a_motor_on_the_cut_joint_has_its_plugin_and_no_rotor():
    motors = tuple(motor(f"m{name}", (name, 1.0), armature=0.1) for name in "ABDC")
    model, export = written(replace(four_bar(), actuators=motors))
    (closing,) = model.findall("joint[physics]")
    names = {plugin.find("joint_name").text for plugin in model.findall("plugin")}
    assert names == set("ABDC")
    assert closing.find(f"{NS}rotor_inertia") is None
    assert lost(export) == {(f"m{closing.get('name')}", "its armature")}


@pytest.mark.parametrize("seed", range(1, 25))
def test_nothing_is_noted_that_the_mechanism_does_not_say(seed):
    """Of mechanisms of every kind of joint, loops, gears, rotors and springs."""
    mechanism = drawn_at_random(seed)
    mechanism = geared_at_random(mechanism, seed) if seed % 2 else mechanism
    try:
        _, export = files(mechanism, intermediate_mass=0.1)
    except MechanismError:
        pytest.skip("cannot be cut in this format")
    assert set(export.ledger.noted) <= set(export.ledger.statements)


def efforts(contents, file):
    model = model_of(contents, file)
    return {
        own.get("name"): number(own, "axis/limit/effort")
        for own in model.findall("joint")
        if own.get("type") != "fixed"
    }


def test_what_nothing_drives_has_no_effort_in_drake_s_file_and_no_limit_in_gz_sim_s():
    """Drake makes an actuator of every joint whose limit is not 0."""
    contents, export = files(arm(JointKind.REVOLUTE))
    assert efforts(contents, "arm.sdf") == {"S": None, "J": None}
    assert efforts(contents, "arm.drake.sdf") == {"S": 0.0, "J": 0.0}
    assert any("give it `<stem>.drake.sdf`" in told for told in export.ledger.warnings)


def test_a_follower_has_no_effort_in_drake_s_file_and_what_states_one_keeps_it():
    gear = Coupling.gear(name="gear", leader="S", follower="J", ratio=2.0)
    mechanism = replace(arm(JointKind.REVOLUTE), couplings=(gear,))
    joints = (replace(mechanism.joints[0], effort=3.0), mechanism.joints[1])
    contents, _ = files(replace(mechanism, joints=joints))
    assert efforts(contents, "arm.sdf") == {"S": 3.0, "J": None}
    assert efforts(contents, "arm.drake.sdf") == {"S": 3.0, "J": 0.0}


def test_an_actuator_that_is_lost_drives_nothing_in_drake_s_file():
    own = motor("m", ("S", 0.5), ("J", 0.5), effort=1.0)
    contents, _ = files(driven(JointKind.REVOLUTE, own))
    assert efforts(contents, "arm.drake.sdf") == {"S": 0.0, "J": 0.0}


def test_where_all_that_moves_is_driven_one_file_serves_gz_sim_and_drake():
    """By a limit, an actuator without one, or a rotor that only Drake reads."""
    driver = motor("m", ("J", 2.0))
    mechanism = driven(JointKind.REVOLUTE, driver)
    joints = (replace(mechanism.joints[0], armature=0.1), mechanism.joints[1])
    contents, export = files(replace(mechanism, joints=joints))
    assert [*contents] == ["arm.sdf"]
    assert efforts(contents, "arm.sdf") == {"S": None, "J": None}
    assert not export.ledger.warnings
