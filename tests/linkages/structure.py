"""The papers' figures of a compiled mechanism, counted independently of the library's own count.

The papers write every closure as six rows, on the coordinates of the tree and the freedoms of the
joint that was cut; the library writes minimal rows. Ranks are taken where nothing lies between
what counts and rounding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.rows import linearize
from robocompiler.equations.kinematics import joint_columns
from robocompiler.model.joint_motion import joint_coordinates
from robocompiler.solve.closure import length_scale, row_scales, scaled_jacobian
from robocompiler.solve.state import evaluate, joint_pose, starting_coordinates
from robocompiler.spatial import Pose, skew


@dataclass(frozen=True)
class Structure:
    """A compiled mechanism in the papers' figures."""

    tree: int
    """Speeds of the tree."""
    cuts: int
    augmented: int
    """Those speeds, and the freedoms of the joints that were cut."""
    rows: int
    """Six for each cut."""
    rank: int
    physical: tuple[int, int]
    """Minimal rows, and their rank."""
    mobility: int


def rank_of(K, least=1e-9):
    """Of a scaled matrix, where nothing lies between what counts and rounding."""
    s = np.linalg.svd(K, compute_uv=False) if K.size else np.zeros(0)
    if not s.size or s[0] == 0.0:
        return 0
    found = int(np.sum(s > least * s[0]))
    assert found == len(s) or s[found] < 1e-4 * s[found - 1], s / s[0]
    return found


def papers_rows(compiled, q):
    """The papers' Jacobian: for each cut, the relative twist of its two sides less its own motion.

    Over angles and lengths made one unit; columns are the speeds, then the freedoms of each cut.
    """
    state = evaluate(compiled, q)
    lengths = [length_scale(compiled, state, module) for module in compiled.modules]
    size = max(lengths, default=1.0)
    chart = sum(closure.kind.dof for closure in compiled.closures)
    K, at = np.zeros((6 * len(compiled.closures), compiled.nv + chart)), compiled.nv
    for i, closure in enumerate(compiled.closures):
        joint, X_FM = closure.chord.joint, joint_pose(state, closure.chord)
        X_FW = (state.poses[closure.chord.parent] @ closure.chord.X_PF).inverse()
        for sign, path in ((-1.0, closure.to_parent), (1.0, closure.to_child)):
            for v in (compiled.tree[index].v for index in path):
                K[6 * i : 6 * i + 6, v] = sign * X_FW.carry(state.columns[:, v])
        near = joint_coordinates(joint.kind, X_FM, joint.initial, joint.pitch)
        own = joint_columns(joint.kind, near, joint.pitch, Pose.identity())[1]
        K[6 * i : 6 * i + 6, at : at + joint.kind.dof] = -own
        rows = K[6 * i : 6 * i + 6]
        rows[:3] -= skew(X_FM.p) @ rows[3:]
        rows[:3] /= size
        at += joint.kind.dof
    # A speed whose twist has no rotation is a length.
    is_length = np.array([np.all(K[3::6, j] == 0) and _only_linear(K, j) for j in range(at)])
    return K * np.where(is_length, size, 1.0)


def _only_linear(K, column):
    turning = K[:, column].reshape(-1, 6)[:, 3:]
    return bool(np.all(np.abs(turning) < 1e-12))


def physical_rank(compiled, q, least=1e-9):
    modules = compiled.modules
    return sum(rank_of(scaled_jacobian(compiled, q, module), least) for module in modules)


def structure_of(compiled, q):
    K = papers_rows(compiled, q)
    physical = physical_rank(compiled, q)
    return Structure(
        tree=compiled.nv,
        cuts=len(compiled.closures),
        augmented=K.shape[1],
        rows=K.shape[0],
        rank=rank_of(K),
        physical=(linearize(compiled, q).residual.size, physical),
        mobility=compiled.nv - physical,
    )


def drawn_structure(mechanism):
    compiled = compile_mechanism(mechanism)
    return structure_of(compiled, starting_coordinates(compiled))


def blocks(compiled, independent):
    """How many dependent coordinates each component has, cut joints' freedoms included.

    Closures belong together where their paths share a joint that is not independent (2.6).
    """
    fixed = {i for i, t in enumerate(compiled.tree) if t.edge.joint.name in independent}
    groups = []
    for closure in compiled.closures:
        own, chart = set(closure.path) - fixed, closure.kind.dof
        for group in [group for group in groups if group[0] & own]:
            groups.remove(group)
            own, chart = own | group[0], chart + group[1]
        groups.append((own, chart))
    dof = [t.edge.joint.kind.dof for t in compiled.tree]
    return sorted(sum(dof[i] for i in own) + chart for own, chart in groups)


def residual_of(compiled, q):
    """Largest row left, in rad or m over the module's size."""
    worst = [0.0]
    for module in compiled.modules:
        length = length_scale(compiled, evaluate(compiled, q), module)
        phi = row_scales(compiled, module, length) * linearize(compiled, q, module).residual
        worst.append(float(np.max(np.abs(phi), initial=0.0)))
    return max(worst)


def body_rows(compiled, q, name):
    """The velocity of a body by each speed, shape (6, nv)."""
    state = evaluate(compiled, q)
    body = next(w.host for w in compiled.welded if w.name == name)
    inboard = {t.outboard: t for t in compiled.tree}
    J = np.zeros((6, compiled.nv))
    while body in inboard:
        v = inboard[body].v
        J[:, v] = state.columns[:, v]
        body = inboard[body].inboard
    return J


def assert_same(found, expected, tolerance, only=None):
    """Two sets of values by name: angles but for whole turns, quaternions but for their sign."""
    for name, value in expected.items():
        if not value or (only is not None and name not in only):
            continue
        a, b = np.array(found[name]), np.array(value)
        if len(a) >= 4:
            a[-4:] *= np.sign(a[-4:] @ b[-4:])
        off = [math.remainder(d, 2.0 * math.pi) if len(a) < 4 else d for d in a - b]
        assert np.max(np.abs(off)) < tolerance, (name, found[name], value)
