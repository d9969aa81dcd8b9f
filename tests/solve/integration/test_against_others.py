"""The same motions by other integrators: SciPy's DOP853 and MuJoCo."""

import numpy as np
import pytest

import robocompiler as rc
from linkages.drawing import Drawing, at, axis, solid
from linkages.in_motion import (
    ACROSS,
    by_scipy,
    compiled_at,
    free_body,
    pendulum,
    sprung_four_bar,
    with_joint,
)
from linkages.planar import GRASHOF, crank_range, four_bar_of, slider_crank
from robocompiler.model.mechanism import WORLD, Inertia


def test_a_sprung_four_bar_moves_as_by_dop853():
    compiled, q = compiled_at(sprung_four_bar(), cuts=["C"])
    right_q, right_u = by_scipy(compiled, q, 2.0, 0.1, np.array([0.2]), gravity=ACROSS)
    ran = rc.integrate(
        compiled, q, np.array([2.0]), 0.1, 2e-4, efforts={"A": 0.2}, method="rk4", gravity=ACROSS
    )
    np.testing.assert_allclose(ran.q[-1], right_q, atol=1e-9)
    assert ran.u[-1, 0] == pytest.approx(right_u, abs=1e-8)


@pytest.mark.thorough
def test_a_four_bar_is_carried_through_its_toggle_as_by_dop853_in_the_joint_that_turns_on():
    """The driven crank stops and turns back: there it determines nothing."""
    bars = GRASHOF["rocker-crank"]
    low, high = crank_range(bars)
    compiled, q = compiled_at(four_bar_of(bars, low + (high - low) / 3.0))
    D = rc.reduce(compiled, q, ["A"]).E[compiled.tree_joint("D").v.start, 0]
    none = np.zeros(3)
    right_q, _ = by_scipy(compiled, q, 3.0 * D, 0.5, np.zeros(1), ["D"], gravity=none)
    ran = rc.integrate(compiled, q, np.array([3.0]), 0.5, 2.5e-4, method="rk4", gravity=none)
    assert ran.names == ("A",)
    assert [change.names for change in ran.changes] == [("D",)]
    assert ran.u[0, 0] == 3.0
    assert ran.u[-1, 0] < 0.0
    np.testing.assert_allclose(ran.q[-1], right_q, atol=1e-8)


@pytest.mark.parametrize(("method", "order"), [("semi-implicit", 1), ("rk4", 4)])
def test_a_slider_that_was_made_independent_gets_through_its_dead_centre(method, order):
    """As nearly as the method is to what the crank has it do, for which nothing happens there."""
    compiled, q = compiled_at(slider_crank())
    S = compiled.tree_joint("S")
    turning = -0.5 / rc.reduce(compiled, q, ["A"]).E[S.v.start, 0]
    away = []
    for h in (1e-3, 5e-4):
        slid, turned = (
            rc.integrate(
                compiled,
                q,
                np.array([speed]),
                1.0,
                h,
                method=method,
                independent=[name],
                gravity=ACROSS,
                ports=(),
            )
            for name, speed in (("S", -0.5), ("A", turning))
        )
        assert slid.changes[0].names == ("A",)
        assert np.min(slid.u) < 0.0 < np.max(slid.u)
        away.append(np.abs(slid.q - turned.q).max())
    assert away[0] / away[1] == pytest.approx(2.0**order, rel=0.15)


def _slid(timestep, **asked):
    """A slider-crank whose slider is independent and which nothing is declared to drive."""
    compiled, q = compiled_at(with_joint(slider_crank(), "A", effort=None))
    u, others = np.array([-0.5]), {"independent": ["S"], "gravity": ACROSS, "method": "rk4"}
    return rc.integrate(compiled, q, u, 1.0, timestep, **others, **asked)


def test_ports_stay_where_they_were_when_other_speeds_are_made_independent():
    """The slider's, that none is declared for: what it gives is f Δx all the way."""
    ran = _slid(1e-3, efforts={"S": 2.0})
    assert len(ran.changes) == 1
    assert ran.ports == ran.names == ("S",)
    S = rc.compile(slider_crank()).tree_joint("S").q.start
    np.testing.assert_allclose(ran.ledger.of("S"), 2.0 * (ran.q[:, S] - ran.q[0, S]), atol=1e-8)


def test_a_step_over_a_dead_centre_is_done_again_by_other_speeds():
    """So long a step that the slider is beyond its reach before it is noticed."""
    ran = _slid(0.05)
    (change,) = ran.changes
    assert change.names == ("A",)
    assert np.abs(ran.ledger.residual).max() < 0.2 * np.ptp(ran.ledger.kinetic)


def test_where_branches_meet_a_motion_is_not_made_up():
    """All four bars in one line, the crank at π: loops hold one motion less there."""
    compiled, q = compiled_at(four_bar_of(GRASHOF["change-point"], 1.0))
    with pytest.raises(rc.MechanismError, match="cannot be carried on from t = ") as caught:
        rc.integrate(compiled, q, np.array([3.0]), 3.0, 1e-3, method="rk4", gravity=np.zeros(3))
    assert np.cos(caught.value.q[0]) == pytest.approx(-1.0, abs=1e-4)
    assert caught.value.u[0] > 0.0


def test_a_body_held_at_a_point_swings_as_a_pendulum_on_a_ball():
    """The same mechanism by a support of a floating body, and by a ball joint."""
    inertia = Inertia(mass=2.0, center=(0.1, 0.05, -0.4), moments=(0.02, 0.03, 0.025))
    free, q = compiled_at(free_body(inertia))
    pin = rc.Task(name="pin", body="body")
    drawing = Drawing("ball")
    drawing.body("body", at(0.0), inertia)
    drawing.ball("ball", (WORLD, "body"), (0.0, 0.0, 0.0))
    hung, p = compiled_at(drawing.mechanism())
    spin = np.array([1.0, -2.0, 3.0])
    right = rc.integrate(hung, p, spin, 0.5, 1e-3, method="rk4")
    turning = [f"base/rotation.{axis}" for axis in "xyz"]
    ran = rc.integrate(free, q, spin, 0.5, 1e-3, method="rk4", support=[pin], independent=turning)
    np.testing.assert_allclose(ran.q[:, 3:], right.q, atol=1e-11)
    np.testing.assert_allclose(ran.q[:, :3], 0.0, atol=1e-12)
    assert ran.q.shape[1] == free.nq
    assert ran.v.shape[1] == free.nv
    assert np.abs(ran.ledger.residual).max() < 1e-8


def _chain():
    """Three links on axes in different directions, with springs and rotors."""
    drawing, inboard = Drawing("chain"), WORLD
    for i, way in enumerate([(0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.3, 1.0, 0.2)]):
        drawing.body(f"link {i}", at(0.0, 0.0, -0.3 * i), solid(1.0 + i, 0.3))
        where = axis((0.0, 0.0, -0.3 * i), way)
        own = {"stiffness": 2.0, "spring_reference": 0.2, "armature": 0.05, "effort": 100.0}
        drawing.revolute(f"joint {i}", (inboard, f"link {i}"), where, 0.0, **own)
        inboard = f"link {i}"
    return drawing.mechanism()


@pytest.mark.parametrize(("method", "theirs"), [("semi-implicit", "EULER"), ("rk4", "RK4")])
def test_an_open_chain_moves_step_by_step_as_in_mujoco(tmp_path, method, theirs):
    """Without loops theirs are the same methods, so that all digits agree."""
    mujoco = pytest.importorskip("mujoco")
    compiled, q = compiled_at(_chain())
    rc.write(compiled, tmp_path / "chain.xml", rc.assemble(compiled))
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "chain.xml"))
    model.opt.timestep, model.opt.gravity = 2e-3, (0.0, 0.0, -9.81)
    model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{theirs}")
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    data = mujoco.MjData(model)
    u = np.array([2.0, -1.0, 3.0])
    data.qpos, data.qvel = q, u
    ran = rc.integrate(compiled, q, u, 0.4, 2e-3, method=method)
    for k in range(200):
        np.testing.assert_allclose(data.qpos, ran.q[k], atol=1e-10)
        mujoco.mj_step(model, data)


def test_a_pendulum_is_the_same_by_any_emitter():
    compiled, q = compiled_at(pendulum(1.0))
    one, other = (
        rc.integrate(compiled, q, np.ones(1), 0.05, 1e-3, method="rk4", emitter=emitter)
        for emitter in ("python", None)
    )
    np.testing.assert_allclose(one.q, other.q, atol=1e-13)
