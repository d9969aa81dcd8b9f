import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robocompiler.equations.kinematics import (
    joint_columns,
    joint_difference,
    joint_motion,
    joint_step,
)
from robocompiler.equations.residuals import closure_gradient, closure_rows
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.joint_motion import closure_gap, joint_coordinates
from robocompiler.spatial import Pose, exp_rotation, log_rotation, quaternion_of, rotation_of

PITCH = 0.3
numbers = st.floats(-2.0, 2.0, allow_nan=False)
kinds = st.sampled_from(list(JointKind))


def coordinates(kind, random):
    q = list(random.uniform(-1.2, 1.2, kind.nq))
    if kind in (JointKind.BALL, JointKind.FREE):
        q[-4:] = quaternion_of(exp_rotation(random.uniform(-1.2, 1.2, 3)))
    return np.array(q)


def pose(random):
    return Pose(exp_rotation(random.uniform(-1.0, 1.0, 3)), random.uniform(-1.0, 1.0, 3))


@pytest.mark.parametrize("angle", [1e-9, 1e-4, 0.5, 3.0, np.pi - 1e-6, np.pi - 1e-9])
def test_the_logarithm_of_a_rotation_keeps_its_digits_up_to_half_a_turn(angle):
    """Against 50 digits: the matrix is exact to 1e-16, and so must the logarithm nearly be."""
    mpmath.mp.dps = 50
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    exact = [mpmath.mpf(float(a)) * mpmath.mpf(angle) for a in axis]
    W = mpmath.matrix(
        [[0, -exact[2], exact[1]], [exact[2], 0, -exact[0]], [-exact[1], exact[0], 0]]
    )
    R = np.array(mpmath.expm(W).tolist(), dtype=float)
    np.testing.assert_allclose(log_rotation(R), axis * angle, atol=1e-15 * max(1.0, 1.0 / angle))
    np.testing.assert_allclose(exp_rotation(axis * angle), R, atol=1e-15)


@given(st.lists(numbers, min_size=3, max_size=3))
def test_a_quaternion_and_its_matrix_are_one_rotation(w):
    R = exp_rotation(np.array(w))
    np.testing.assert_allclose(rotation_of(quaternion_of(R)), R, atol=1e-15)


@pytest.mark.parametrize("kind", list(JointKind))
def test_columns_are_the_twists_of_the_motion(kind):
    """By central differences of the motion itself."""
    random = np.random.default_rng(1)
    for _ in range(10):
        q, X_AF = coordinates(kind, random), pose(random)
        X, columns = joint_columns(kind, q, PITCH, X_AF)
        for j in range(kind.dof):
            h = 1e-6 * np.eye(kind.dof)[j]
            ahead, behind = (
                X_AF @ joint_motion(kind, joint_step(kind, q, s * h), PITCH) for s in (1, -1)
            )
            spin = (ahead.R - behind.R) / 2e-6 @ X.R.T
            np.testing.assert_allclose(
                columns[3:, j], [spin[2, 1], spin[0, 2], spin[1, 0]], atol=1e-9
            )
            v = (ahead.p - behind.p) / 2e-6
            np.testing.assert_allclose(columns[:3, j], v - np.cross(columns[3:, j], X.p), atol=1e-9)


@pytest.mark.parametrize("kind", list(JointKind))
def test_a_step_and_the_difference_undo_each_other(kind):
    random = np.random.default_rng(2)
    q = coordinates(kind, random)
    delta = random.uniform(-0.5, 0.5, kind.dof)
    np.testing.assert_allclose(
        joint_difference(kind, q, joint_step(kind, q, delta)), delta, atol=1e-14
    )


@pytest.mark.parametrize("kind", list(JointKind))
def test_coordinates_are_read_back_from_the_pose_and_the_rows_are_zero_there(kind):
    random = np.random.default_rng(3)
    for _ in range(10):
        q = coordinates(kind, random)
        X = joint_motion(kind, q, PITCH)
        read = joint_coordinates(kind, X, tuple(q), PITCH)
        np.testing.assert_allclose(
            np.abs(joint_difference(kind, q, np.array(read))), 0.0, atol=1e-14
        )
        turn = read[0] if kind is JointKind.SCREW else 0.0
        np.testing.assert_allclose(closure_rows(kind, X, PITCH, turn), 0.0, atol=1e-15)
        np.testing.assert_allclose(closure_gap(kind, X, PITCH, turn), 0.0, atol=1e-15)


def test_turns_are_counted():
    X = joint_motion(JointKind.REVOLUTE, [0.3])
    (turned,) = joint_coordinates(JointKind.REVOLUTE, X, (4 * np.pi,))
    assert turned == pytest.approx(0.3 + 4 * np.pi, abs=1e-14)
    X = joint_motion(JointKind.SCREW, [40.0], PITCH)
    (turned,) = joint_coordinates(JointKind.SCREW, X, (0.0,), PITCH)
    assert turned == pytest.approx(40.0, abs=1e-12)


@pytest.mark.parametrize("kind", list(JointKind))
def test_the_gradient_of_the_rows_is_their_derivative(kind):
    """Away from closed, where every term of it counts."""
    random = np.random.default_rng(4)
    X = joint_motion(kind, coordinates(kind, random), PITCH) @ Pose(
        exp_rotation(np.array([0.2, -0.1, 0.15])), np.array([0.1, 0.2, -0.3])
    )
    G = closure_gradient(kind, X, PITCH)
    assert G.shape == (kind.rows, 6)
    near = joint_coordinates(kind, X, tuple(coordinates(kind, random)), PITCH)

    def rows(twist):
        moved = Pose(exp_rotation(twist[3:]) @ X.R, X.p + twist[:3])
        turn = joint_coordinates(kind, moved, near, PITCH)[0] if kind is JointKind.SCREW else 0.0
        return closure_rows(kind, moved, PITCH, turn)

    h = 1e-6
    columns = [(rows(h * e) - rows(-h * e)) / (2 * h) for e in np.eye(6)]
    if kind is JointKind.SCREW:  # the angle read from a tilted frame is not the turn about z
        G, columns = G[:4], [column[:4] for column in columns]
    np.testing.assert_allclose(np.array(columns).T, G, atol=1e-8)


@pytest.mark.parametrize("kind", list(JointKind))
def test_a_closure_holds_exactly_what_its_joint_does_not_free(kind):
    random = np.random.default_rng(5)
    q = coordinates(kind, random)
    X, columns = joint_columns(kind, q, PITCH, Pose.identity())
    relative = columns.copy()
    relative[:3] = [columns[i] + np.cross(columns[3:].T, X.p).T[i] for i in range(3)]
    G = closure_gradient(kind, X, PITCH)
    assert np.linalg.matrix_rank(G) == kind.rows
    np.testing.assert_allclose(G @ relative, 0.0, atol=1e-14)
