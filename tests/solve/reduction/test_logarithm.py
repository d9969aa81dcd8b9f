import numpy as np
import pytest
from scipy.linalg import expm, logm

from closed_mechanisms import KINDS, closed, compiled_at
from linkages.overconstrained import bennett
from linkages.planar import braced_parallelogram, four_bar_of
from linkages.spatial import delta
from linkages.stewart import stewart, task_pose
from mechanisms import open_chain_loop
from robocompiler.compiler.steps import step
from robocompiler.equations.kinematics import joint_motion, joint_step
from robocompiler.equations.logarithm import (
    chart_residual,
    inverse_pose_jacobian,
    log_pose,
    nearest_chart,
)
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.reduction.curvature import curvature
from robocompiler.solve.reduction.logarithm import (
    chart_coordinates,
    chart_lift,
    chart_slices,
    curvature_logarithm,
    linearize_logarithm,
)
from robocompiler.solve.reduction.reduce import reduce
from robocompiler.solve.state import starting_coordinates
from robocompiler.spatial import Pose, exp_rotation, skew


def hat(twist):
    matrix = np.zeros((4, 4))
    matrix[:3, :3], matrix[:3, 3] = skew(twist[3:]), twist[:3]
    return matrix


def ad(twist):
    v, w = skew(twist[:3]), skew(twist[3:])
    return np.block([[w, v], [np.zeros((3, 3)), w]])


def pose(matrix):
    return Pose(matrix[:3, :3], matrix[:3, 3])


def chart_step(compiled, chart, delta):
    """The chart's coordinates moved by δ, joint by joint."""
    moved = np.array(chart)
    for closure, (own, speeds) in zip(compiled.closures, chart_slices(compiled), strict=True):
        moved[own] = joint_step(closure.kind, chart[own], delta[speeds])
    return moved


CLOSED = {kind.value: lambda kind=kind: closed(open_chain_loop(kind), {kind}) for kind in KINDS}
CLOSED |= {
    "four-bar": lambda: closed(four_bar_of()),
    "Bennett": lambda: closed(bennett()),
    "braced parallelogram": lambda: closed(braced_parallelogram()),
    "delta": lambda: closed(delta()),
    "Stewart": lambda: closed(stewart(task_pose(5.7))),
}


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, 0.05, 1.0, 2.5, np.pi - 1e-6])
def test_the_logarithm_of_a_pose_is_that_of_its_matrix(angle):
    axis = np.array([0.6, -0.48, 0.64])
    rho = np.concatenate([[0.3, -0.7, 0.2], angle * axis])
    found = log_pose(pose(expm(hat(rho))))
    np.testing.assert_allclose(found, rho, atol=2e-9 if angle > 3.0 else 1e-14)
    if 0.0 < angle < 3.0:
        np.testing.assert_allclose(hat(found), np.real(logm(expm(hat(rho)))), atol=1e-13)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, 0.03, 0.5, 2.0, 3.1])
def test_the_inverse_jacobian_is_the_inverse_of_the_integral_of_the_exponential(angle):
    """By Van Loan's block exponential, and by the closed form in powers of ad."""
    rho = np.concatenate([[0.3, -0.7, 0.2], angle * np.array([0.6, -0.48, 0.64])])
    Z = ad(rho)
    block = expm(np.block([[Z, np.eye(6)], [np.zeros((6, 12))]]))
    found = inverse_pose_jacobian(rho)
    np.testing.assert_allclose(found @ block[:6, 6:], np.eye(6), atol=2e-14)
    if angle > 0.4:
        s, c, t = np.sin(angle), np.cos(angle), angle
        a = 2 / t**2 + (t + 3 * s) / (4 * t * (c - 1))
        b = 1 / t**4 + (t + s) / (4 * t**3 * (c - 1))
        powers = np.eye(6) - Z / 2 + a * Z @ Z + b * Z @ Z @ Z @ Z
        np.testing.assert_allclose(found, powers, atol=1e-12)


@pytest.mark.parametrize("kind", list(JointKind))
def test_the_chart_takes_out_what_the_joint_frees_and_nothing_else(kind):
    random = np.random.default_rng(5)
    q = random.uniform(-1.0, 1.0, (4, kind.nq))
    if kind in (JointKind.BALL, JointKind.FREE):
        q[:, -4:] /= np.linalg.norm(q[:, -4:], axis=1, keepdims=True) * np.sign(q[:, -4:-3])
    X_FM = joint_motion(kind, q, 0.05)
    chart = nearest_chart(kind, X_FM, 0.05)
    np.testing.assert_allclose(np.broadcast_to(chart, q.shape), q, atol=1e-13)
    assert np.abs(chart_residual(kind, X_FM, chart, 0.05)).max(initial=0.0) < 1e-14
    held = 1e-3 * random.uniform(-1.0, 1.0, 6)
    off = X_FM @ Pose(exp_rotation(held[3:]), held[:3])
    assert np.abs(chart_residual(kind, off, chart, 0.05)).max() > 1e-4


@pytest.mark.parametrize("kind", KINDS)
def test_the_path_assembled_differential_is_that_of_the_residual_even_off_closure(kind):
    compiled = compiled_at(open_chain_loop(kind), {kind})
    q = starting_coordinates(compiled)
    random = np.random.default_rng(6)
    slices = chart_slices(compiled)
    chart = chart_step(
        compiled, chart_coordinates(compiled, q), random.uniform(-0.3, 0.3, slices[-1][1].stop)
    )
    found = linearize_logarithm(compiled, q, chart)
    assert np.abs(found.residual).max() > 0.1
    nv, h = compiled.nv, 1e-3

    def residual(delta):
        there = step(compiled, q, delta[:nv]), chart_step(compiled, chart, delta[nv:])
        return linearize_logarithm(compiled, *there).residual

    for j, e in enumerate(np.eye(found.jacobian.shape[1])):
        slopes = [(residual(s * e) - residual(-s * e)) / (2 * s) for s in (h, 2 * h)]
        np.testing.assert_allclose(
            found.jacobian[:, j], (4 * slopes[0] - slopes[1]) / 3, atol=5e-11
        )


@pytest.mark.parametrize("name", CLOSED)
def test_either_form_of_the_closures_annihilates_the_lift_of_the_other(name):
    compiled, q = CLOSED[name]()
    chart = chart_coordinates(compiled, q)
    logs = linearize_logarithm(compiled, q, chart)
    assert np.abs(logs.residual).max() < 1e-14
    reduction = reduce(compiled, q)
    _, s, Vt = np.linalg.svd(logs.jacobian)
    rank = int(np.sum(s > 1e-10 * s[0]))
    null = Vt[rank:].T
    assert null.shape[1] == reduction.E.shape[1]
    assert np.abs(reduction.jacobian @ null[: compiled.nv]).max() < 3e-15
    moved = np.vstack([reduction.E, chart_lift(compiled, q) @ reduction.E])
    size = max(1.0, np.abs(moved).max())
    assert np.abs(logs.jacobian @ moved).max() < 3e-15 * size
    np.testing.assert_allclose(
        null[: compiled.nv], reduction.E @ null[list(reduction.independent)], atol=1e-14 * size
    )


@pytest.mark.parametrize("name", CLOSED)
def test_either_form_bends_the_lift_alike(name):
    """c of the minimal rows leaves the logarithms' second derivative at zero."""
    compiled, q = CLOSED[name]()
    reduction = reduce(compiled, q)
    u = np.random.default_rng(7).uniform(-1.0, 1.0, len(reduction.independent))
    v = reduction.E @ u
    lift = chart_lift(compiled, q)
    gamma = curvature_logarithm(compiled, q, v, lift @ v)
    K = linearize_logarithm(compiled, q, chart_coordinates(compiled, q)).jacobian
    c = curvature(compiled, q, v, reduction)
    rest = K[: len(gamma), : compiled.nv] @ c + gamma
    chart_columns = K[: len(gamma), compiled.nv :]
    chart_part, *_ = np.linalg.lstsq(chart_columns, -rest, rcond=None)
    assert np.abs(rest + chart_columns @ chart_part).max() < 1e-13 * max(1.0, v @ v)


def test_a_stewart_platform_has_thirty_rows_of_rank_thirty_on_thirty_six_unknowns():
    compiled, q = closed(stewart(task_pose(5.7)))
    logs = linearize_logarithm(compiled, q, chart_coordinates(compiled, q))
    assert logs.jacobian.shape == (30, 36)
    assert np.linalg.matrix_rank(logs.jacobian) == 30
    assert (compiled.nv, len(compiled.closures), len(reduce(compiled, q).names)) == (21, 5, 6)


def test_a_batch_of_logarithms_gives_what_each_gives():
    compiled, q = closed(stewart())
    random = np.random.default_rng(8)
    batch = step(
        compiled,
        np.broadcast_to(q, (3, compiled.nq)),
        random.uniform(-0.1, 0.1, (3, compiled.nv)),
    )
    chart = np.broadcast_to(chart_coordinates(compiled, q), (3, 20))
    together = linearize_logarithm(compiled, batch, chart)
    lift = chart_lift(compiled, batch)
    for i in range(3):
        alone = linearize_logarithm(compiled, batch[i], chart[i])
        np.testing.assert_allclose(together.residual[i], alone.residual, atol=1e-15)
        np.testing.assert_allclose(together.jacobian[i], alone.jacobian, atol=1e-15)
        np.testing.assert_allclose(lift[i], chart_lift(compiled, batch[i]), atol=1e-14)
