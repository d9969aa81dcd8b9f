"""Motions whose answer is in books."""

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import robocompiler as rc
from linkages.in_motion import compiled_at, floating_four_bar, free_body, pendulum
from linkages.world_motion import walk
from robocompiler.model.mechanism import Inertia
from robocompiler.model.validity import inertia_tensor
from robocompiler.spatial import Pose, exp_rotation, rotation_of


def test_a_pendulum_swings_as_elliptic_functions_say():
    """The quarter period is K(sin θ₀/2)/ω, and sin θ/2 = k sn(K - ω t)."""
    point = Inertia(mass=2.0, center=(0.0, 0.0, -0.4), moments=(1e-3, 1e-3, 1e-3))
    compiled, q = compiled_at(pendulum(2.5, point))
    omega = np.sqrt(2.0 * 9.81 * 0.4 / (2.0 * 0.4**2 + 1e-3))
    k = np.sin(2.5 / 2.0)
    ran = rc.integrate(compiled, q, np.zeros(1), 2.0, 1e-3, method="rk4")
    sn = ellipj(ellipk(k * k) - omega * ran.times, k * k)[0]
    np.testing.assert_allclose(ran.q[:, 0], 2.0 * np.arcsin(k * sn), atol=1e-9)


def test_a_body_falls_freely_and_spins_as_a_symmetric_top_does():
    """Precession of the body's frame about what it has of angular momentum."""
    one, three = 0.03, 0.05
    top = Inertia(mass=2.0, center=(0.0, 0.0, 0.0), moments=(one, one, three))
    compiled, q = compiled_at(free_body(top))
    v, omega = np.array([1.0, -2.0, 3.0]), np.array([2.0, -1.0, 4.0])
    ran = rc.integrate(compiled, q, np.array([*v, *omega]), 1.0, 1e-3, method="rk4")
    t = ran.times[:, None]
    fallen = v * t + 0.5 * np.array([0.0, 0.0, -9.81]) * t * t
    np.testing.assert_allclose(ran.q[:, :3], fallen, atol=1e-11)
    momentum = np.array([one, one, three]) * omega  # the body's axes are the world's at first
    spin = np.array([0.0, 0.0, omega[2] * (one - three) / one])
    turned = exp_rotation(momentum / one) @ exp_rotation(spin)
    np.testing.assert_allclose(rotation_of(ran.q[-1, 3:]), turned, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(ran.q[:, 3:], axis=1), 1.0, atol=1e-14)


def test_a_spin_about_a_principal_axis_is_exact_at_any_step():
    """By rotation vectors: quaternions that are added to would be off by the fourth order."""
    compiled, q = compiled_at(free_body(Inertia(mass=1.0, moments=(0.1, 0.2, 0.25))))
    u = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 3.0])
    for method in ("semi-implicit", "rk4"):
        ran = rc.integrate(compiled, q, u, 2.0, 0.25, method=method)
        angle = 0.5 * 3.0 * 2.0
        right = [np.cos(angle), 0.0, 0.0, np.sin(angle)]
        np.testing.assert_allclose(ran.q[-1, 3:], right, atol=1e-13)


def _momenta(compiled, q, v):
    """Linear and angular momentum about the world's origin, and the centre of mass, by records."""
    walked, host = walk(compiled, q, v), {b.name: b for b in compiled.welded}
    linear, angular, middle, mass = np.zeros(3), np.zeros(3), np.zeros(3), 0.0
    for body in compiled.mechanism.bodies:
        own = host[body.name]
        center = Pose(np.eye(3), np.array(body.inertia.center))
        X = walked[own.host].at(own.pose @ center)
        p = body.inertia.mass * X.v
        tensor = X.R @ inertia_tensor(body.inertia) @ X.R.T
        linear, mass = linear + p, mass + body.inertia.mass
        angular = angular + np.cross(X.p, p) + tensor @ X.omega
        middle = middle + body.inertia.mass * X.p
    return linear, angular, middle / mass


@pytest.mark.parametrize("method", ["semi-implicit", "rk4"])
def test_what_floats_keeps_its_momentum_whatever_its_loop_does(method):
    compiled, q = compiled_at(floating_four_bar())
    u = np.array([4.0, 0.1, -0.2, 0.3, 1.0, 2.0, -1.5])  # A, then the base
    errors = []
    for h in (2e-3, 1e-3):
        ran = rc.integrate(
            compiled, q, u, 0.5, h, method=method, gravity=(0.0, 0.0, 0.0), efforts={"A": 0.1}
        )
        first, last = (_momenta(compiled, ran.q[at], ran.v[at]) for at in (0, -1))
        gone = first[2] + 0.5 * first[0] / sum(b.inertia.mass for b in compiled.mechanism.bodies)
        apart = [last[0] - first[0], last[1] - first[1], last[2] - gone]
        errors.append(float(np.max(np.abs(apart))))
    assert errors[1] < (2e-2 if method == "semi-implicit" else 1e-8)
    assert errors[1] < errors[0] / (1.8 if method == "semi-implicit" else 12.0)
