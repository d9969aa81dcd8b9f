import math
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from mjcf_writing import loaded, written

from arms import MOVING, arm
from mechanisms import four_bar
from robocompiler.compiler.steps import step
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import (
    OPEN,
    Environment,
)
from robocompiler.solve.describe import coordinates
from robocompiler.solve.mass import gravity_effort, mass_matrix
from robocompiler.solve.mobility.mobility import mobility
from robocompiler.solve.state import evaluate, joint_pose
from robocompiler.spatial import exp_rotation, quaternion_of
from robocompiler.write.mjcf.names import joint_names


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", MOVING)
def test_bodies_are_where_our_kinematics_puts_them_for_any_coordinates(kind, reverse):
    """MuJoCo moves its joints; the tree joint's coordinates are read from its qpos."""
    compiled, configuration, text, _ = written(arm(kind, reverse))
    model, data = loaded(text)
    q = coordinates(compiled, configuration)
    tree_joint = next(t for t in compiled.tree if t.edge.joint.name == "J")
    names = joint_names(tree_joint.edge.joint)
    delta = np.linspace(0.1, 0.3, compiled.nv)
    q = step(compiled, q, delta)
    if kind is JointKind.BALL:
        turn = delta[tree_joint.v]
        X_BM = tree_joint.edge.X_PF if tree_joint.reversed else tree_joint.edge.X_CM
        if tree_joint.reversed:
            R_FM = joint_pose(
                evaluate(compiled, coordinates(compiled, configuration)), tree_joint.edge
            ).R
            turn = -(R_FM @ turn)
        data.joint("J").qpos = tuple(quaternion_of(exp_rotation(X_BM.R @ turn)).tolist())
    elif kind is JointKind.SCREW:
        (turn,) = q[tree_joint.q]
        data.joint(names[0]).qpos, data.joint(names[1]).qpos = turn, 0.01 * turn
    else:
        for name, value in zip(names, q[tree_joint.q], strict=True):
            data.joint(name).qpos = value
    data.joint("S").qpos = q[next(t for t in compiled.tree if t.edge.joint.name == "S").q]
    mujoco.mj_kinematics(model, data)
    state = evaluate(compiled, q)
    for body, X in zip(compiled.bodies[1:], state.poses[1:], strict=True):
        np.testing.assert_allclose(data.body(body.name).xpos, X.p, atol=1e-14)
        np.testing.assert_allclose(data.body(body.name).xmat.reshape(3, 3), X.R, atol=1e-14)


@pytest.mark.parametrize("kind", [JointKind.REVOLUTE, JointKind.UNIVERSAL, JointKind.PLANAR])
def test_mass_matrix_and_gravity_are_mujoco_s(kind):
    compiled, configuration, text, _ = written(arm(kind))
    model, data = loaded(text)
    state = evaluate(compiled, coordinates(compiled, configuration))
    M = np.zeros((model.nv, model.nv))
    try:
        mujoco.mj_fullM(model, M, data.qM)
    except (AttributeError, TypeError):
        mujoco.mj_fullM(model, data, M)
    np.testing.assert_allclose(mass_matrix(compiled, state), M, atol=1e-14)
    effort = gravity_effort(compiled, state, np.array(model.opt.gravity))
    np.testing.assert_allclose(-effort, data.qfrc_bias, atol=1e-13)


def test_qpos0_is_the_assembled_configuration_in_the_cad_s_coordinates():
    compiled, configuration, text, _ = written(four_bar(0.7), values={"A": 1.3})
    model, data = loaded(text)
    for name in "ABD":
        assert data.joint(name).qpos[0] == pytest.approx(configuration.of(name)[0], abs=1e-15)
    np.testing.assert_array_equal(model.key_qpos[0], model.qpos0)
    assert data.joint("A").qpos[0] == 1.3
    assert compiled.closures[0].name == "C"


@pytest.mark.parametrize("reverse", [False, True])
def test_limits_springs_damping_and_efforts_arrive_in_si_and_unshifted(reverse):
    fields = {
        "limits": ((-1.0, math.inf),),
        "damping": 0.3,
        "friction": 0.2,
        "stiffness": 4.0,
        "spring_reference": -0.1,
        "effort": 7.0,
        "velocity": 2.0,
    }
    _, _, text, ledger = written(arm(JointKind.REVOLUTE, reverse, **fields))
    model, data = loaded(text)
    joint = model.joint("J")
    assert joint.range[0] == -1.0
    assert joint.range[1] > 1e9
    assert (joint.damping[0], joint.frictionloss[0], joint.stiffness[0]) == (0.3, 0.2, 4.0)
    assert model.qpos_spring[joint.qposadr[0]] == -0.1
    assert list(model.jnt_actfrcrange[joint.id]) == [-7.0, 7.0]
    assert [str(entry) for entry in ledger.unsupported] == [
        "J: its velocity limit, since MJCF has none"
    ]
    # The spring pulls towards its reference, with the joint where it starts, at 0.4.
    assert data.qfrc_spring[joint.dofadr[0]] == pytest.approx(-4.0 * (0.4 + 0.1))


def test_a_free_root_is_a_top_level_body_and_a_welded_one_the_only_static_body():
    mechanism = four_bar()
    _, _, text, _ = written(mechanism)
    model, _ = loaded(text)
    assert model.body("ground").parentid[0] == 0
    assert model.body("ground").dofnum[0] == 0
    free = tuple(
        replace(j, kind=JointKind.FREE) if j.name == "ground-world" else j for j in mechanism.joints
    )
    compiled, configuration, text, _ = written(replace(mechanism, joints=free))
    model, data = loaded(text)
    assert model.body("ground").parentid[0] == 0
    assert model.body("ground").dofnum[0] == 6
    rank = np.linalg.matrix_rank(data.efc_J.reshape(data.nefc, -1), tol=1e-9)
    assert model.nv - rank == int(mobility(compiled, coordinates(compiled, configuration))) == 7


def test_a_screw_advances_by_its_pitch():
    _, _, text, _ = written(arm(JointKind.SCREW))
    model, data = loaded(text)
    data.joint("J").qpos[0] += 3.0
    data.joint("J/advance").qpos[0] += 3.0 * 0.01
    mujoco.mj_forward(model, data)
    row = data.efc_pos[data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
    np.testing.assert_allclose(row, 0.0, atol=1e-15)


def test_gravity_and_medium_are_the_scene_s():
    world = Environment(gravity=(1.0, 2.0, -3.0), density=998.0, viscosity=0.001)
    _, _, text, ledger = written(replace(four_bar(), environment=world))
    model, _ = loaded(text)
    assert list(model.opt.gravity) == [1.0, 2.0, -3.0]
    assert (model.opt.density, model.opt.viscosity) == (998.0, 0.001)
    assert any("buoyancy" in str(entry) for entry in ledger.unsupported)


EVERYTHING = {
    "damping": 0.1,
    "friction": 0.2,
    "stiffness": 3.0,
    "armature": 0.3,
    "effort": 4.0,
    "velocity": 5.0,
}


@pytest.mark.parametrize("kind", [*MOVING, JointKind.FREE])
def test_what_acts_on_a_joint_is_in_the_model_or_in_the_ledger(kind):
    """Of any kind: every number stated is found by MuJoCo, or listed."""
    zero = kind.zero
    fields = {**EVERYTHING, "start": zero}
    if kind is JointKind.BALL:
        fields["swing_limit"] = 1.0
    else:
        single = [(-2.0, 3.0) if factor.nq == 1 else OPEN for factor in kind.factors]
        fields["limits"] = tuple(single)
    if kind is JointKind.SCREW:
        fields["pitch"] = 0.01
    mechanism = arm(JointKind.REVOLUTE)
    joints = (mechanism.joints[0], replace(mechanism.joints[1], kind=kind, **fields))
    _, _, text, ledger = written(replace(mechanism, joints=joints))
    model, _ = loaded(text)
    lost = {str(entry).removeprefix("J: ").split(",")[0] for entry in ledger.unsupported}
    numbers = [j for j in range(model.njnt) if model.joint(j).name.split("/")[0] == "J"]
    if kind is JointKind.SCREW:
        numbers = numbers[:1]
    dofs = [d for d in range(model.nv) if model.dof_jntid[d] in numbers]
    held = {
        "its damping": model.dof_damping[dofs] == 0.1,
        "its dry friction": model.dof_frictionloss[dofs] == 0.2,
        "its armature": model.dof_armature[dofs] == 0.3,
        "its spring": np.array([np.ravel(model.jnt_stiffness[j])[0] == 3.0 for j in numbers]),
        "its effort limit": model.jnt_actfrcrange[numbers, 1] == 4.0,
        "its velocity limit": np.array([False]),
        "its swing limit" if kind is JointKind.BALL else "its limits": np.isin(
            model.jnt_range[numbers, 1], (1.0, 3.0)
        ),
    }
    for what, found in held.items():
        assert np.all(found) == (what not in lost), what


def test_a_ball_is_judged_where_it_stands_and_not_where_it_is_drawn():
    """Its limit and its spring count from its zero, MuJoCo's from `qpos0`."""
    fields = {"swing_limit": 2.0, "stiffness": 3.0}
    away = (math.cos(0.15), math.sin(0.15), 0.0, 0.0)
    for drawn, stands, sayable in (
        (away, (1.0, 0.0, 0.0, 0.0), True),
        ((1.0, 0.0, 0.0, 0.0), away, False),
    ):
        mechanism = arm(JointKind.BALL)
        ball = replace(mechanism.joints[1], start=drawn, **fields)
        mechanism = replace(mechanism, joints=(mechanism.joints[0], ball))
        _, _, text, ledger = written(mechanism, values={"J": stands})
        model, data = loaded(text)
        assert bool(model.joint("J").range[1] == 2.0) is sayable
        assert bool(np.ravel(model.joint("J").stiffness)[0] == 3.0) is sayable
        assert (not ledger.unsupported) is sayable
        if not sayable:
            assert [str(entry) for entry in ledger.unsupported] == [
                "J: its swing limit, since this ball does not stand at its zero",
                "J: its spring, since this ball does not stand at its zero",
            ]
        np.testing.assert_allclose(data.qfrc_spring, 0.0, atol=1e-12)


def test_limits_and_efforts_do_not_hang_on_the_compiler_s_autolimits():
    _, _, text, _ = written(arm(JointKind.REVOLUTE, limits=((-1.0, 1.0),), effort=7.0))
    model, _ = loaded(text.replace('autolimits="true"', 'autolimits="false"'))
    joint = model.joint("J").id
    assert model.jnt_limited[joint] == 1
    assert model.jnt_actfrclimited[joint] == 1


def test_a_free_joint_between_two_moving_bodies_makes_a_top_level_body():
    """It holds nothing, so the body is as free in the world; MuJoCo takes no free joint below."""
    mechanism = arm(JointKind.BALL)
    start = (0.1, 0.2, 0.3, math.cos(0.15), 0.0, math.sin(0.15), 0.0)
    free = replace(mechanism.joints[1], kind=JointKind.FREE, start=start)
    compiled, configuration, text, _ = written(
        replace(mechanism, joints=(mechanism.joints[0], free))
    )
    model, data = loaded(text)
    assert model.body("lower").parentid[0] == 0
    assert model.nv == compiled.nv
    state = evaluate(compiled, coordinates(compiled, configuration))
    for body, X in zip(compiled.bodies[1:], state.poses[1:], strict=True):
        np.testing.assert_allclose(data.body(body.name).xpos, X.p, atol=1e-14)
        np.testing.assert_allclose(data.body(body.name).xmat.reshape(3, 3), X.R, atol=1e-14)


def test_the_model_begins_with_what_it_is():
    _, _, text, _ = written(four_bar())
    assert text.splitlines()[1].strip() == (
        "<!-- fourbar: 4 bodies, 1 loop, 0 couplings, mobility 1 -->"
    )
