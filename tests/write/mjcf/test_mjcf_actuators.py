"""Motors, gears, rotors: MuJoCo's mass matrix and efforts against ℓ = Σ ratio · coordinate."""

import math
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from test_mjcf import loaded, written

from arms import MOVING, arm
from linkages.drawing import Drawing, at
from mechanisms import four_bar
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Actuator, Coupling, Transmission
from robocompiler.write.mjcf.names import joint_names

SINGLE = [kind for kind in MOVING if kind is not JointKind.BALL]


def motor(name, *moved, **terms):
    """Of pairs of a coordinate and a ratio."""
    transmissions = tuple(Transmission(coordinate=one, ratio=ratio) for one, ratio in moved)
    return Actuator(name=name, transmissions=transmissions, **terms)


def mass_matrix(model, data):
    M = np.zeros((model.nv, model.nv))
    try:
        mujoco.mj_fullM(model, M, data.qM)
    except (AttributeError, TypeError):
        mujoco.mj_fullM(model, data, M)
    return M


def written_with(mechanism, *actuators):
    """The model with actuators, the mass matrix they add to that without, and the ledger."""
    models, ledger = [], None
    for told in ((), actuators):
        _, _, text, ledger = written(replace(mechanism, actuators=told))
        models.append(loaded(text))
    added = mass_matrix(*models[1]) - mass_matrix(*models[0])
    return *models[1], added, ledger


def row_of(model, **ratios):
    """What ℓ̇ is of MuJoCo's speeds; a slash of a joint's name is written as two underscores."""
    row = np.zeros(model.nv)
    for joint, ratio in ratios.items():
        row[model.joint(joint.replace("__", "/")).dofadr[0]] = ratio
    return row


def efforts(model, data, *controls):
    data.ctrl[:] = controls
    mujoco.mj_forward(model, data)
    return data.qfrc_actuator.copy()


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", SINGLE)
def test_a_motor_on_one_coordinate_acts_through_its_gear_and_its_rotor_counts_by_its_square(
    kind, reverse
):
    mechanism = arm(kind, reverse)
    joint = mechanism.joints[1]
    names = joint_names(joint)[: len(kind.factors)]
    assert names == joint.full_names
    motors = [
        motor(f"m{i}", (name, -50.0 - i), effort=2.0, armature=1e-5) for i, name in enumerate(names)
    ]
    model, data, added, ledger = written_with(mechanism, *motors)
    rows = [row_of(model, **{name: -50.0 - i}) for i, name in enumerate(names)]
    np.testing.assert_allclose(added, sum(1e-5 * np.outer(row, row) for row in rows), atol=1e-15)
    controls = np.linspace(0.5, 1.5, len(names))
    expected = sum(c * row for c, row in zip(controls, rows, strict=True))
    np.testing.assert_allclose(efforts(model, data, *controls), expected, rtol=1e-14)
    assert ledger.unsupported == []


def test_a_motor_turns_its_load_as_the_closed_form_says():
    """I + n² J at the joint: a rotor of 1e-4 kg m² behind a gear of 100 weighs 1 kg m²."""
    drawing = Drawing("wheel")
    drawing.body("wheel")
    drawing.revolute("A", (WORLD, "wheel"), at(0.0))
    mechanism = drawing.mechanism()
    model, data, _, _ = written_with(mechanism, motor("m", ("A", 100.0), armature=1e-4))
    model.opt.gravity[:] = 0.0
    inertia = mechanism.bodies[0].inertia
    about = inertia.moments[2] + inertia.mass * (inertia.center[0] ** 2 + inertia.center[1] ** 2)
    efforts(model, data, 0.3)
    assert data.qacc[0] == pytest.approx(100.0 * 0.3 / (about + 1.0), rel=1e-12)


def test_a_joint_s_own_armature_and_those_of_its_motors_are_added():
    mechanism = arm(JointKind.REVOLUTE, armature=0.25)
    motors = (motor("a", ("J", 2.0), armature=0.5), motor("b", ("J", -3.0), armature=0.125))
    model, data, _, _ = written_with(mechanism, *motors)
    assert model.dof_armature[model.joint("J").dofadr[0]] == 0.25 + 4.0 * 0.5 + 9.0 * 0.125
    plain, plain_data, _, _ = written_with(arm(JointKind.REVOLUTE))
    np.testing.assert_allclose(
        mass_matrix(model, data) - mass_matrix(plain, plain_data),
        np.diag([0.0, 3.375]),
        atol=1e-14,
    )


def test_a_ball_s_armature_is_of_all_its_turns():
    model, _ = loaded(written(arm(JointKind.BALL, armature=0.5))[2])
    start = model.joint("J").dofadr[0]
    assert list(model.dof_armature[start : start + 3]) == [0.5] * 3


def test_an_actuator_of_two_joints_of_one_chain_has_a_tendon_and_the_whole_of_its_rotor():
    """A wrist's differential: the mass matrix takes up J · r rᵀ, the entry between them as well."""
    tied = motor("m", ("S", 0.5), ("J", -3.0), effort=4.0, armature=2.0)
    model, data, added, ledger = written_with(arm(JointKind.PRISMATIC), tied)
    row = row_of(model, S=0.5, J=-3.0)
    np.testing.assert_allclose(added, 2.0 * np.outer(row, row), atol=1e-14)
    np.testing.assert_allclose(efforts(model, data, 1.5), 1.5 * row, rtol=1e-14)
    data.qvel[:] = (0.7, -0.2)
    mujoco.mj_forward(model, data)
    assert data.actuator_velocity[0] == pytest.approx(row @ data.qvel, rel=1e-14)
    assert ledger.unsupported == []


def gripper():
    drawing = Drawing("gripper")
    for name, y in (("left", 0.1), ("right", -0.1)):
        drawing.body(name)
        drawing.prismatic(name, (WORLD, name), at(0.0, y, 0.0), 0.0)
    return drawing.mechanism()


def test_between_two_branches_the_efforts_are_exact_and_the_rotor_is_listed_as_lost():
    """MuJoCo's mass matrix has no entry there: it would drop the half of the rotor unsaid."""
    halves = motor("m", ("left", 0.5), ("right", 0.5), armature=2.0)
    model, data, added, ledger = written_with(gripper(), halves)
    np.testing.assert_array_equal(added, 0.0)
    np.testing.assert_allclose(efforts(model, data, 8.0), [4.0, 4.0], rtol=1e-14)
    assert [str(entry) for entry in ledger.unsupported] == [
        "m: its armature, since 'left' and 'right' are on different branches of the tree"
    ]
    _, _, _, ledger = written_with(gripper(), replace(halves, armature=0.0))
    assert ledger.unsupported == []


@pytest.mark.parametrize("moved", [[("S", 1.0)], [("S", 1.0), ("J", 1.0)]])
def test_the_largest_effort_holds_on_the_motor_s_side_of_the_gear(moved):
    limited = motor("m", *((name, 10.0 * ratio) for name, ratio in moved), effort=2.0)
    model, data, _, _ = written_with(arm(JointKind.REVOLUTE), limited)
    expected = 20.0 * row_of(model, **dict(moved))
    np.testing.assert_allclose(efforts(model, data, 99.0), expected, rtol=1e-14)
    np.testing.assert_allclose(efforts(model, data, -99.0), -expected, rtol=1e-14)
    model, data, _, _ = written_with(arm(JointKind.REVOLUTE), replace(limited, effort=None))
    np.testing.assert_allclose(efforts(model, data, 99.0), 99.0 * expected / 2.0, rtol=1e-14)


def test_a_velocity_limit_is_listed_as_lost():
    _, _, _, ledger = written_with(arm(JointKind.REVOLUTE), motor("m", ("J", 1.0), velocity=3.0))
    assert [str(entry) for entry in ledger.unsupported] == [
        "m: its velocity limit, since MJCF has none"
    ]


def test_an_actuator_keeps_its_joint_from_being_cut_and_is_lost_by_name_where_it_cannot():
    compiled, _, _, ledger = written(replace(four_bar(), actuators=(motor("m", ("C", 1.0)),)))
    assert [closure.chord.joint.name for closure in compiled.closures] == ["A"]
    assert ledger.unsupported == []
    every = [motor(f"m{name}", (name, 2.0), velocity=1.0) for name in "ABD"]
    every.append(motor("all", ("A", 0.5), ("C", 0.5), armature=1.0))
    compiled, _, text, ledger = written(replace(four_bar(), actuators=tuple(every)))
    (cut,) = [closure.chord.joint.name for closure in compiled.closures]
    model, _ = loaded(text)
    lost = {entry.where for entry in ledger.unsupported if entry.what == "its drive"}
    assert lost == {"all", f"m{cut}"} - {"mC"}
    assert f"all: its drive, since joint '{cut}' is cut" in map(str, ledger.unsupported)
    assert {model.actuator(i).name for i in range(model.nu)} == {a.name for a in every} - lost
    assert model.dof_armature.tolist() == [0.0] * model.nv
    assert any(f"actuator 'all' is lost: its joint '{cut}' is cut" in w for w in ledger.warnings)


def test_an_actuator_of_a_coupling_s_name_has_a_tendon_of_its_own():
    coupling = Coupling.gear(name="m", leader="left", follower="right", ratio=1.0)
    told = replace(
        gripper(), couplings=(coupling,), actuators=(motor("m", ("left", 1.0), ("right", 1.0)),)
    )
    model, _ = loaded(written(told)[2])
    assert (model.ntendon, model.nu) == (2, 1)


@pytest.mark.parametrize("gear", [1.0, 50.0])
def test_the_timestep_is_as_short_for_an_actuator_s_effort_as_for_a_joint_s(gear):
    """And longer where a rotor is there to be turned: what opens a loop is the acceleration."""
    stated = four_bar(joint={"A": {"effort": 1e4}})
    driven = motor("m", ("A", gear), effort=1e4 / gear)
    steps = []
    for told in (
        stated,
        replace(four_bar(), actuators=(driven,)),
        replace(four_bar(), actuators=(replace(driven, armature=1e3 / gear**2),)),
        four_bar(joint={"A": {"effort": 1e4, "armature": 1e3}}),
        four_bar(),
    ):
        model, _ = loaded(written(told)[2])
        steps.append(model.opt.timestep)
    assert steps[0] == steps[1] < steps[2] == steps[3] <= steps[4]


def test_motors_at_rest_leave_the_motion_as_it_was():
    data = []
    for told in ((), (motor("m", ("A", 50.0), effort=1.0), motor("n", ("A", 1.0), ("B", 1.0)))):
        model, run = loaded(
            written(replace(four_bar(joint={"C": {"closes_loop": True}}), actuators=told))[2]
        )
        model.opt.timestep = 1e-4
        for _ in range(200):
            mujoco.mj_step(model, run)
        data.append(run.qpos.copy())
    np.testing.assert_allclose(data[0], data[1], atol=1e-12)
    assert math.isfinite(data[0][0])
