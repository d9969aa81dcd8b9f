"""Loops and couplings of an MJCF: their rows, as MuJoCo has them."""

import math
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from mjcf_writing import loaded, written

from linkages.spatial import summing_differential
from mechanisms import bar, four_bar, four_bar_angles
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.errors import UnwritableError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import (
    WORLD,
    Body,
    Coupling,
    Frame,
    Joint,
    Mechanism,
)
from robocompiler.solve.describe import coordinates
from robocompiler.solve.mobility.mobility import mobility
from robocompiler.solve.state import evaluate, joint_pose
from robocompiler.spatial import exp_rotation, quaternion_of
from robocompiler.write.mjcf.names import MJCF_CUTTABLE

TILT = (0.3, -0.5, 0.2)


# Where the rocker of the four-bar drawn at 0.7 stands beyond half the crank's angle.
GEAR_OFFSET = four_bar_angles(0.7)[1] - 0.5 * 0.7


def test_a_planar_revolute_closure_is_one_connect_of_rank_two():
    _, _, text, _ = written(four_bar(tilt=TILT))
    model, data = loaded(text)
    assert (model.neq, data.nefc) == (1, 3)
    assert np.linalg.matrix_rank(data.efc_J.reshape(3, -1), tol=1e-10) == 2
    np.testing.assert_allclose(data.efc_pos, 0.0, atol=1e-15)


def bennett():
    """Bennett's linkage: four revolutes, no two parallel, mobility 1. Twists and lengths obey
    sin(a)/A = sin(b)/B; by Denavit-Hartenberg from joint to joint."""
    lengths, twists = (0.2, 0.3), (math.asin(0.2 / 0.4), math.asin(0.3 / 0.4))
    t1 = 1.0
    k = math.sin((twists[1] + twists[0]) / 2) / math.sin((twists[1] - twists[0]) / 2)
    t2 = 2 * math.atan(k / math.tan(t1 / 2))
    angles = (t1, t2, 2 * math.pi - t1, 2 * math.pi - t2)
    names = ("b1", "b2", "b3", "ground")
    frames, joints = [], []
    for i, body in enumerate(names):
        a, alpha = lengths[i % 2], twists[i % 2]
        rotation = tuple(quaternion_of(exp_rotation(np.array([alpha, 0.0, 0.0]))).tolist())
        frames.append(Frame(name=f"{body}.in", body=body))
        frames.append(
            Frame(name=f"{body}.out", body=body, position=(a, 0.0, 0.0), rotation=rotation)
        )
        before = names[i - 1]
        joints.append(
            Joint(
                name=f"J{i}",
                kind=JointKind.REVOLUTE,
                parent=f"{before}.out",
                child=f"{body}.in",
                start=(angles[i],),
                closes_loop=i == 3,
            )
        )
    frames.append(Frame(name="world.g", body=WORLD))
    joints.append(Joint(name="g", kind=JointKind.FIXED, parent="world.g", child="ground.in"))
    return Mechanism(
        name="bennett",
        bodies=tuple(Body(name=n, inertia=bar(0.2, 0.2)) for n in names),
        frames=tuple(frames),
        joints=tuple(joints),
    )


def test_a_spatial_revolute_closure_is_two_connects_and_leaves_the_same_mobility():
    compiled, configuration, text, _ = written(bennett())
    model, data = loaded(text)
    assert (model.neq, data.nefc) == (2, 6)
    rank = np.linalg.matrix_rank(data.efc_J.reshape(6, -1), tol=1e-8)
    assert model.nv - rank == int(mobility(compiled, coordinates(compiled, configuration))) == 1
    np.testing.assert_allclose(data.efc_pos, 0.0, atol=1e-14)


def test_a_universal_closure_is_a_point_and_a_tendon_of_four_rows():
    """A loop that only a universal joint can be cut from without losing a limit."""
    kinds = dict.fromkeys("ABD", JointKind.BALL)
    mechanism = four_bar(
        kinds={**kinds, "C": JointKind.UNIVERSAL},
        tilt=TILT,
        joint={
            **{n: {"swing_limit": 3.0, "start": ()} for n in "ABD"},
            "C": {"closure_tolerance": (10.0, 10.0), "start": (0.3, 0.2)},
        },
    )
    compiled, configuration, text, _ = written(mechanism)
    model, data = loaded(text)
    assert compiled.closures[0].kind is JointKind.UNIVERSAL
    assert data.nefc == 4
    K = data.efc_J.reshape(4, -1)
    assert np.linalg.matrix_rank(K, tol=1e-9) == 4
    assert model.nv - 4 == int(mobility(compiled, coordinates(compiled, configuration)))
    np.testing.assert_allclose(data.efc_pos, 0.0, atol=1e-14)
    # It holds what our rows hold: the motions each leaves free are the same.
    state = evaluate(compiled, coordinates(compiled, configuration))
    assert np.isclose(data.ten_length[0], math.sqrt(2) * 0.1)
    X = joint_pose(state, compiled.closures[0].chord)
    assert abs(X.R[0, 1]) < 1e-14


def test_what_mjcf_cannot_close_is_cut_elsewhere_and_what_it_never_can_is_refused():
    slider = four_bar(kinds={"C": JointKind.CYLINDRICAL})
    compiled, *_ = written(slider)
    assert compiled.closures[0].kind is JointKind.REVOLUTE
    rigid = four_bar(kinds=dict.fromkeys("ABCD", JointKind.CYLINDRICAL))
    with pytest.raises(UnwritableError, match="no joint that this format can cut exactly"):
        compile_mechanism(rigid, MJCF_CUTTABLE)


def test_jointed_and_closed_pairs_do_not_collide():
    _, _, text, _ = written(four_bar())
    model, _ = loaded(text)
    pairs = {
        frozenset((model.body(s >> 16).name, model.body(s & 0xFFFF).name))
        for s in (int(s) for s in model.exclude_signature)
    }
    expected = [
        ("ground", "crank"),
        ("ground", "rocker"),
        ("crank", "coupler"),
        ("coupler", "rocker"),
    ]
    assert pairs == {frozenset(pair) for pair in expected}


def test_a_coupling_ties_the_coordinates_at_any_start():
    coupled = replace(
        four_bar(),
        couplings=(
            Coupling.gear(name="gear", leader="A", follower="D", ratio=0.5, offset=GEAR_OFFSET),
        ),
    )
    _, _, text, _ = written(coupled)
    model, data = loaded(text)
    assert model.eq("gear/coupling").type[0] == mujoco.mjtEq.mjEQ_TENDON
    assert data.joint("D").qpos[0] == pytest.approx(0.5 * 0.7 + GEAR_OFFSET, abs=1e-13)
    np.testing.assert_allclose(data.efc_pos, 0.0, atol=1e-14)


def test_a_differential_is_one_tendon_over_the_cage_and_both_its_shafts():
    """Held as long as it is at the start; away from it MuJoCo finds the coupling's residual."""
    _, _, text, _ = written(summing_differential())
    model, data = loaded(text)
    tied = [f"{name}/coupling" for name in ("cage", "final drive", "planet")]
    assert [model.eq(i).name for i in range(model.neq)] == tied
    np.testing.assert_allclose(data.efc_pos, 0.0, atol=1e-14)
    left, right, cage = (0.7, -1.9, 0.4)
    for name, turned in (("left", left), ("right", right), ("cage", cage), ("pinion", 5.0)):
        data.joint(name).qpos = turned
    mujoco.mj_forward(model, data)
    off = cage - (left + right) / 2.0
    assert data.efc_pos[0] == pytest.approx(off, abs=1e-14)


def test_what_acts_on_a_cut_joint_is_listed_as_lost():
    burden = {"damping": 0.1, "limits": ((-3.0, 3.0),)}
    _, _, _, ledger = written(four_bar(joint=dict.fromkeys("ABCD", burden)))
    lost = [str(entry) for entry in ledger.unsupported]
    assert lost == [
        "C: its limits, since this joint is cut",
        "C: its damping, since this joint is cut",
    ]
    assert ledger.warnings == [
        "joint 'C' is cut to open loop 'C', which loses its limits and its damping: 'C' is "
        "declared as closing the loop; with an effort limit or an actuator on 'C', 'A' or 'B' or "
        "'D' would be cut instead"
    ]


@pytest.mark.parametrize("effort", [1.0, 100.0, 1000.0])
def test_closures_hold_within_a_tenth_of_a_millimetre_under_their_declared_effort(effort):
    """At rest: the crank pushes with its largest effort against a rocker at its limit."""
    limits = {"limits": ((1.4, 1.45),)}
    mechanism = four_bar(tilt=TILT, joint={"A": {"effort": effort}, "D": limits})
    _, _, text, _ = written(mechanism)
    model, data = loaded(text)
    model.dof_damping[:] = 0.05 * effort
    for _ in range(int(2.0 / model.opt.timestep)):
        data.qfrc_applied[model.joint("A").dofadr[0]] = effort
        mujoco.mj_step(model, data)
    assert np.linalg.norm(data.qvel) < 1e-3
    closure = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
    assert np.linalg.norm(data.efc_force[closure]) > effort
    assert np.linalg.norm(data.efc_pos[closure]) < 1e-4


def test_a_timestep_that_is_too_long_is_used_and_warned_of():
    _, _, text, ledger = written(four_bar(joint={"A": {"effort": 1e4}}), timestep=0.005)
    model, _ = loaded(text)
    assert model.opt.timestep == 0.005
    assert any("too long to hold loops" in warning for warning in ledger.warnings)


def test_an_effort_that_no_timestep_of_ours_holds_is_warned_of():
    _, _, text, ledger = written(four_bar(joint={"A": {"effort": 1e7}}))
    model, _ = loaded(text)
    assert model.opt.timestep == 2e-5
    (warning,) = ledger.warnings
    assert "2e-05 s is too long to hold loops" in warning
    wanted = float(warning.split("; ")[1].split(" s")[0])
    assert 0.0 < wanted < 2e-5
