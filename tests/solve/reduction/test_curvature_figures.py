import numpy as np
import pytest

from closed_mechanisms import KIND_OF_CUT, closed, made, moving
from fifty_digits import digits, floats, to_fifty_digits
from linkages.moving import apart, go2_moving, stewart_moving
from linkages.robots import SUPPORTS, go2, kangaroo
from robocompiler.compiler.rows import curvature_rows, linearize
from robocompiler.compiler.steps import difference, step
from robocompiler.solve.reduction.curvature import curvature
from robocompiler.solve.reduction.reduce import reduce

EXACT = ["crank-rocker", "slider-crank", "Bennett", "Bricard", "delta", "Stewart", *KIND_OF_CUT]


def is_nothing(step):
    """Whether a step of fifty digits changes none of those that count."""
    return np.abs(floats(step)).max() < 1e-45


def in_fifty_digits(compiled, q):
    """The closed q next to this one, and the lift there, by refinement: all of fifty digits."""
    exact, there = to_fifty_digits(compiled), digits(q)
    for _ in range(2):
        reduction = reduce(compiled, floats(there))
        for _ in range(6):
            left = reduction.inverse @ linearize(exact, there).residual
            there = step(exact, there, -left)
            if is_nothing(left):
                break
    K = linearize(exact, there).jacobian
    E = digits(reduction.E)
    for _ in range(5):
        left = reduction.inverse @ (K @ E)
        E = E - left
        if is_nothing(left):
            break
    return exact, there, E, reduction


@pytest.mark.parametrize("name", EXACT)
def test_lift_and_curvature_agree_with_fifty_digits_of_the_motion_itself(name):
    """c from second differences of re-closed configurations, 1e-10 apart: no K̇ in it at all."""
    compiled, q = made(name)
    exact, there, E, reduction = in_fifty_digits(compiled, q)
    q = reduction.q
    assert np.abs(floats(there) - q).max() < 1e-15
    np.testing.assert_allclose(
        reduction.E, floats(E), rtol=0, atol=3e-14 * np.abs(reduction.E).max()
    )
    u, v = moving(reduction)
    h, apart = 1e-10, 0
    for sign in (1, -1):
        delta_ = digits(sign * h * (E @ digits(u)))
        for _ in range(8):
            left = reduction.inverse @ linearize(exact, step(exact, there, delta_)).residual
            delta_ = delta_ - left
            if is_nothing(left):
                break
        apart = apart + difference(exact, there, step(exact, there, delta_))
    expected = floats(apart / digits(h) ** 2)
    found = curvature(compiled, q, v, reduction)
    size = max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * size)


@pytest.mark.parametrize("name", EXACT)
def test_curvature_agrees_with_the_papers_centred_difference(name):
    """γ ≈ (K(q + h v) - K(q - h v)) v / 2h with h = 1e-5 / max(1, |v|)."""
    compiled, q = made(name)
    reduction = reduce(compiled, q)
    _, v = moving(reduction)
    h = 1e-5 / max(1.0, float(np.linalg.norm(v)))
    ahead, behind = (linearize(compiled, step(compiled, q, s * h * v)).jacobian for s in (1, -1))
    gamma = (ahead - behind) @ v / (2 * h)
    found = curvature(compiled, q, v, reduction)
    expected = -reduction.inverse @ gamma
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=2e-8 * max(1.0, v @ v))
    assert not found[list(reduction.independent)].any()


@pytest.mark.parametrize(("states", "omitted"), [(stewart_moving, 1.010), (go2_moving, 1.445)])
def test_physical_accelerations_stay_closed_at_four_times_speed(states, omitted):
    """Claims C3 and C9: 12 states each; without the curvature the papers' 1.010 and 1.445 m/s²."""
    found = [apart(state) for state in states()]
    assert len(found) == 12
    assert max(within for within, _ in found) < 2e-15
    assert max(without for _, without in found) == pytest.approx(omitted, rel=0.005)


def test_physical_accelerations_of_legged_robots_stay_closed_at_four_times_speed():
    """On any feet or soles, at the seeds: ≤ 1e-13 m/s² with the curvature; far from it without."""
    random = np.random.default_rng(20260925)
    supports = [go2(feet) for feet in SUPPORTS]
    supports += [kangaroo(soles=soles) for soles in ((), ("left",), ("left", "right"))]
    for mechanism in supports:
        compiled, q = closed(mechanism)
        reduction = reduce(compiled, q)
        count = len(reduction.independent)
        v = reduction.E @ (4.0 * random.uniform(-0.12, 0.12, count))
        lifted = reduction.E @ random.uniform(-0.3, 0.3, count)
        gamma = curvature_rows(compiled, q, v)
        c = curvature(compiled, q, v, reduction)
        assert np.abs(reduction.jacobian @ (lifted + c) + gamma).max() < 1e-13
        assert np.abs(gamma).max() > 1e-3
