"""The benchmark of feed-forward: what is asked, what drives are told, and what steps come to."""

from __future__ import annotations

from dataclasses import replace

import feed_forward
import numpy as np
import pytest
from dynamics_figures import missions, requests
from dynamics_figures.direct import integrated, went
from dynamics_figures.missions import pushed, stewart_drive
from dynamics_figures.simulated import at_center

import robocompiler as rc
from linkages.kangaroo_request import AMPLITUDES, requested
from linkages.robots import KANGAROO_HOME, KANGAROO_MOTORS
from linkages.stewart import stewart


def _drive(steps, start, **changed):
    """Some steps of the Stewart mission."""
    whole = stewart_drive(2e-3)[0]
    some = slice(start, start + steps)
    cut = {name: getattr(whole, name)[some] for name in ("times", "values", "speeds", "efforts")}
    return replace(whole, **(cut | changed))


def test_the_speeds_and_rates_that_kangaroo_is_asked_for_are_those_of_its_values():
    t, h = 0.05 + 0.1 * np.arange(40), 1e-4  # none where the third derivative jumps
    (before, slow, _), (_, speeds, rates), (after, fast, _) = (
        requested(t + by) for by in (-h, 0.0, h)
    )
    np.testing.assert_allclose(speeds, (after - before) / (2.0 * h), atol=1e-8)
    np.testing.assert_allclose(rates, (fast - slow) / (2.0 * h), atol=1e-7)


def test_kangaroo_is_asked_to_start_and_end_at_home_and_to_swing_in_between():
    home = [KANGAROO_HOME[name] for name in KANGAROO_MOTORS]
    values, speeds, rates = requested(np.array([0.0, 2.0, 4.0]))
    np.testing.assert_array_equal(values[[0, 2]], [home, home])
    np.testing.assert_array_equal([speeds[[0, 2]], rates[[0, 2]]], np.zeros((2, 2, 12)))
    swung = AMPLITUDES[5] * np.sin(2.0 * np.pi - 0.5)
    assert values[1, 5] - home[5] == pytest.approx(swung, abs=1e-15)


def test_a_command_is_what_is_fed_forward_and_pd_and_is_cut_off():
    drive = _drive(1, 0, efforts=np.full((1, 6), 100.0))
    missed, late = np.full(6, 1e-3), np.full(6, 0.02)
    command = drive.effort(0, drive.values[0] - missed, drive.speeds[0] - late)
    np.testing.assert_allclose(command, 100.0 + 24.0 + 13.0)
    np.testing.assert_array_equal(drive.effort(0, drive.values[0] - 1.0, drive.speeds[0]), 900.0)
    alone = drive.alone().effort(0, drive.values[0] - missed, drive.speeds[0] - late)
    np.testing.assert_allclose(alone, 24.0 + 13.0)


@pytest.mark.parametrize(
    ("t", "row", "most"), [(5.675, 0, 80.0), (11.375, 1, 120.0), (14.4, 3, 12.0)]
)
def test_the_platform_is_pushed_by_half_a_sine(t, row, most):
    expected = np.zeros(6)
    expected[row] = most
    np.testing.assert_allclose(pushed(t), expected, rtol=1e-12)
    assert not np.any([pushed(t + by) for by in (-0.21, 0.21)])


def test_a_wrench_has_the_same_moment_about_any_point_wherever_it_is_told():
    random = np.random.default_rng(5)
    wrench, origin, center, point = random.normal(size=6), *random.normal(size=(3, 3))
    moved = at_center(wrench, origin, center)
    np.testing.assert_array_equal(moved[:3], wrench[:3])
    there, here = (
        w[3:] + np.cross(at - point, w[:3]) for w, at in ((wrench, origin), (moved, center))
    )
    np.testing.assert_allclose(here, there, atol=1e-14)


def test_steps_are_semi_implicit():
    """At a constant rate a, k steps lead to a dt² k (k + 1) / 2; an explicit step to k (k - 1)."""
    drive = _drive(6, 0)
    values, speeds = integrated(drive, lambda k, x, v, f: np.full(6, 3.0))
    k = np.tile(np.arange(6)[:, None], 6)
    np.testing.assert_allclose(values - values[0], 3.0 * 4e-6 * k * (k + 1) / 2, atol=1e-15)
    np.testing.assert_allclose(speeds - speeds[0], 3.0 * 2e-3 * k, atol=1e-15)


@pytest.mark.thorough
def test_a_mission_goes_where_a_loop_over_the_references_forward_dynamics_does():
    """While it is pushed, and badly told: its motors start with nothing fed forward."""
    drive = _drive(25, 2800).alone()
    compiled = rc.compile(stewart())
    bound = rc.bind(compiled, independent=requests.LENGTHS)
    path = dict(zip(requests.LENGTHS, drive.values[:1].T, strict=True))
    bound.follow(path)

    def forward(k, x, v, efforts):
        bound.q[[compiled.tree_joint(name).q.start for name in requests.LENGTHS]] = x
        bound.correct()
        found = rc.forward_dynamics(
            compiled,
            bound.q,
            v,
            efforts,
            independent=requests.LENGTHS,
            wrenches={"platform": pushed(float(drive.times[k]))},
        )
        assert found.names == found.ports == requests.LENGTHS
        return found.u_dot

    values, speeds = integrated(drive, forward)
    run = went(compiled, drive)
    assert np.max(np.abs(values - drive.values)) > 1e-3
    np.testing.assert_allclose(run.values, values, atol=1e-13)
    np.testing.assert_allclose(run.speeds, speeds, atol=1e-12)


@pytest.mark.thorough
def test_the_figures_of_the_platform_in_mujoco_hold():
    pytest.importorskip("mujoco")
    assert feed_forward.main(["--only", "stewart"]) == 0


def test_without_the_record_kangaroos_figures_are_skipped_with_the_reason(monkeypatch, capsys):
    monkeypatch.setattr(missions, "held_kangaroo", lambda: pytest.skip("none"))
    assert feed_forward.main(["--only", "kangaroo"]) == 0
    assert "skipped" in capsys.readouterr().out
