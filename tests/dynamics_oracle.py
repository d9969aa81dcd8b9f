"""Constrained forward dynamics in fifty digits, whatever the mechanism, to judge others by.

The configuration is closed again in fifty digits and the speeds follow from the independent ones
there; nothing is of doubles but what was given. Bodies are walked in the world by the textbook
formulas of relative motion, M = Σ m Jᵀ J + Jᵀ I J over geometric Jacobians of their centres of
mass, and the bias from the accelerations at v̇ = 0: none of the recursions of what is judged.
Rows of closures, their Jacobian and curvature are those of `compiler.rows`, proved elsewhere.

Where loops hold more rows than their rank, their geometry is rounded, so that no configuration
meets all rows to fifty digits. Those met are the combinations of rows that change with the
dependent speeds; what the others are off is `Reference.misfit`. Another choice of combinations
(`weights`) is as good, so that what the choice changes is the floor of such a reference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fifty_digits import digits, floats, middle, product, solved, to_fifty_digits
from linkages.joint_rows import coordinate_row, joint_rows
from linkages.world_motion import Walked, across, walk
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.elimination import carried
from robocompiler.compiler.rows import curvature_rows, linearize
from robocompiler.compiler.steps import step
from robocompiler.model.validity import inertia_tensor
from robocompiler.solve.reduction.blocks import Block
from robocompiler.solve.reduction.partition import Partition, choose_partition
from robocompiler.spatial import Array

GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True, eq=False)
class Reference:
    """What follows at a state. Arrays of objects are of fifty digits, over the tree's speeds."""

    q: Array
    v: Array
    independent: tuple[int, ...]
    """Speeds that u holds, in its order."""
    E: Array
    c: Array
    """v̇ = E u̇ + c."""
    M: Array
    h: Array
    """With gravity, damping and springs: M v̇ + h = τ + Kᵀ λ."""
    K: Array
    gamma: Array
    tau: Array
    """Efforts and wrenches."""
    pushed: Array
    """Of these the wrenches."""
    exact_u_dot: Array
    exact_v_dot: Array
    misfit: float
    """The largest row that is left [m, rad]."""

    @property
    def u_dot(self) -> Array:
        """u̇, rounded."""
        return floats(self.exact_u_dot)

    @property
    def v_dot(self) -> Array:
        """v̇ of every speed of the tree, rounded."""
        return floats(self.exact_v_dot)

    @property
    def off(self) -> float:
        """By how much v̇ itself may be off, where python-flint counts it."""
        return max((a.off for a in self.exact_v_dot), default=0.0)

    def acceleration_error(self, v_dot: Array) -> float:
        """δ_a of equation 23."""
        off, size = floats(digits(v_dot) - self.exact_v_dot), self.v_dot
        return _largest(off) / max(1.0, _largest(size))

    def force_error(self, v_dot: Array) -> float:
        """δ_f of equation 23."""
        off = floats(self.M @ (digits(v_dot) - self.exact_v_dot))
        return _largest(off) / max(1.0, _largest(floats(self.tau)), _largest(floats(self.h)))

    def row_error(self, v_dot: Array) -> float:
        """r_c of equation 23 [m/s², rad/s²]."""
        return _largest(floats(self.K @ digits(v_dot) + self.gamma))

    def effort_error(self, generalized: Array, u_dot: Array) -> float:
        """How far τ_r = M u̇ + h of an inverse dynamics is off, over the largest of τ and h."""
        needed = self.M @ (self.E @ digits(u_dot) + self.c) + self.h - self.pushed
        off = floats(digits(generalized) - self.E.T @ needed)
        return _largest(off) / max(1.0, _largest(floats(self.tau)), _largest(floats(self.h)))

    def power_error(self, v_dot: Array) -> float:
        """By how much [W] energy that v̇ makes differs from what efforts and wrenches put in."""
        taken = self.M @ digits(v_dot) + self.h - self.tau
        return abs(float(self.v @ taken))

    def stored_error(self, stored: float, u_dot: Array) -> float:
        """By how much [W] the energy grows otherwise at u̇, where nothing is damped."""
        taken = self.M @ (self.E @ digits(u_dot) + self.c) + self.h
        return abs(float(self.v @ taken - stored))


def reference_dynamics(
    compiled: CompiledMechanism,
    q: Array,
    u: Array,
    efforts: Array | Mapping[str, float],
    wrenches: Mapping[str, Sequence[float]] | None = None,
    independent: Sequence[str] | Partition = (),
    gravity: Sequence[float] = GRAVITY,
    weights: Array | None = None,
) -> Reference:
    """How the mechanism accelerates, its loops and tasks held, in fifty digits.

    Args:
        compiled: the mechanism; its armature, damping and springs count, dry friction does not.
        q: where it stands, closed to rounding, of doubles or of more, shape (nq,). Independent
            coordinates are kept to the last bit, the others are closed again.
        u: speeds of the independent joints, as `rc.reduce(compiled, q, independent)` orders them.
        efforts: on every speed of the tree, shape (nv,), or on coordinates by their names, as
            transmissions call them: of the tree or of cut revolute or prismatic joints.
        wrenches: force [N] and moment [N m] on bodies by name, world's axes, at their origins.
        independent: which speeds these are, as `rc.reduce` takes them.
        gravity: [m/s²]
        weights: of rows, shape (rows,): which of redundant rows are met; all alike where None.
    """
    there, q, partition = digits(q), floats(digits(q)), independent
    if not isinstance(partition, Partition):
        partition = choose_partition(compiled, q, tuple(partition))
    exact = to_fifty_digits(compiled)
    blocks = [_Block(compiled, block, q, weights) for block in partition.blocks]
    there = _closed(exact, there, blocks)
    found = linearize(exact, there)
    K = digits(found.jacobian)
    E = _lift(exact, K, partition.independent, blocks)
    v = product(E, digits(u)[:, None])[:, 0]
    gamma = digits(curvature_rows(exact, there, v))
    c = np.array(digits(np.zeros((compiled.nv, 1))))
    for block in blocks:
        c[block.dependent, 0] = -block.solve(K, gamma[:, None])[:, 0]
    c = carried(compiled, c)[:, 0]
    walked = walk(exact, there, v)
    M, h = tree_terms(exact, walked, there, v, digits(gravity))
    pushed = _pushed(exact, walked, wrenches or {})
    tau = _driven(exact, walked, efforts, v) + pushed
    right = tau - h - product(M, c[:, None])[:, 0]
    reduced = product(E.T, product(M, E))
    u_dot = solved(reduced, product(E.T, right[:, None]))[:, 0]
    v_dot = product(E, u_dot[:, None])[:, 0] + c
    misfit = _largest(floats(found.residual))
    terms = (E, c, M, h, K, gamma, tau, pushed)
    return Reference(there, v, partition.independent, *terms, u_dot, v_dot, misfit)


class _Block:
    """Rows and dependent speeds that are solved together, and the rows' combinations solved."""

    def __init__(self, compiled: CompiledMechanism, block: Block, q: Array, weights: Array | None):
        self.rows, self.dependent = list(block.rows), list(block.dependent)
        K = linearize(compiled, q).jacobian[self.rows][:, self.dependent]
        own = np.ones(len(self.rows)) if weights is None else np.asarray(weights)[self.rows]
        Q, R = np.linalg.qr(own[:, None] * K)
        self.inverse = digits(np.linalg.inv(R))
        """Of W K, to the digits of a double."""
        self.W = digits((Q * own[:, None]).T)
        """The combinations, shape (dependent, rows)."""

    def solve(self, K: Array, right: Array) -> Array:
        """x with W K x = W right, over its dependent speeds."""
        block = product(self.W, K[self.rows][:, self.dependent])
        return solved(block, product(self.W, right[self.rows]))

    def correction(self, residual: Array) -> Array:
        """Newton's step of its dependent speeds, to the digits of a double."""
        combined = product(self.W, residual[self.rows][:, None])
        return -product(self.inverse, combined)[:, 0]


def _closed(exact: CompiledMechanism, q: Array, blocks: Sequence[_Block]) -> Array:
    """The closed configuration next to this one: each step wins the digits of a double."""
    for _ in range(12):
        residual, delta = digits(linearize(exact, q).residual), digits(np.zeros(exact.nv))
        for block in blocks:
            delta[block.dependent] = block.correction(residual)
        q = middle(step(exact, q, delta))
        if _largest(floats(delta)) < 1e-45:
            return q
    raise ValueError("the loops do not close to fifty digits")


def _lift(
    exact: CompiledMechanism, K: Array, independent: Sequence[int], blocks: Sequence[_Block]
) -> Array:
    E = digits(np.zeros((exact.nv, len(independent))))
    own = digits(np.eye(len(independent)))
    E[list(independent)] = own
    driven = K[:, list(independent)]
    for block in blocks:
        E[block.dependent] = -block.solve(K, driven)
    return np.asarray(carried(exact, E))


def tree_terms(
    exact: CompiledMechanism, walked: Walked, q: Array, v: Array, gravity: Array
) -> tuple[Array, Array]:
    """M and h of the tree: bodies, armature, damping and springs, of cut joints too."""
    M, h = digits(np.zeros((exact.nv, exact.nv))), digits(np.zeros(exact.nv))
    for body, moving in zip(exact.bodies, walked, strict=True):
        if body.inertia is None or not moving.axes:
            continue
        at, mass = moving.shifted(moving.R @ digits(body.inertia.center)), body.inertia.mass
        inertia = moving.R @ digits(inertia_tensor(body.inertia)) @ moving.R.T
        speeds, linear, angular = at.jacobians(at.p)
        M[np.ix_(speeds, speeds)] += mass * (linear.T @ linear) + angular.T @ (inertia @ angular)
        force = mass * (at.a - gravity)
        moment = inertia @ at.alpha + across(at.omega, inertia @ at.omega)
        h[speeds] = h[speeds] + linear.T @ force + angular.T @ moment
    for row in joint_rows(exact, walked, q, v):
        rate, J = row.J @ v, row.J
        M += row.armature * np.outer(J, J)
        h = h + J * (row.armature * row.bias + row.damping * rate + row.stiffness * row.stretch)
    return M, h


def kinetic_energy(exact: CompiledMechanism, walked: Walked, q: Array, v: Array) -> Array:
    """T [J] of bodies and armature, from their motion and not from M."""
    energy = 0.0 * v[0]
    for body, moving in zip(exact.bodies, walked, strict=True):
        if body.inertia is not None:
            at = moving.shifted(moving.R @ digits(body.inertia.center))
            spin = moving.R.T @ at.omega
            turning = spin @ (digits(inertia_tensor(body.inertia)) @ spin)
            energy = energy + 0.5 * (body.inertia.mass * (at.v @ at.v) + turning)
    for row in joint_rows(exact, walked, q, v):
        energy = energy + 0.5 * row.armature * (row.J @ v) ** 2
    return energy


def potential_energy(
    exact: CompiledMechanism, walked: Walked, q: Array, v: Array, gravity: Array
) -> Array:
    """V [J] of bodies and springs."""
    energy = 0.0 * v[0]
    for body, moving in zip(exact.bodies, walked, strict=True):
        if body.inertia is not None:
            at = moving.shifted(moving.R @ digits(body.inertia.center))
            energy = energy - body.inertia.mass * (gravity @ at.p)
    for row in joint_rows(exact, walked, q, v):
        if row.stiffness:
            energy = energy + 0.5 * row.stiffness * row.stretch**2
    return energy


def _driven(
    exact: CompiledMechanism, walked: Walked, efforts: Array | Mapping[str, float], v: Array
) -> Array:
    """Efforts on the tree's speeds."""
    if not isinstance(efforts, Mapping):
        return digits(np.asarray(efforts, dtype=float))
    tau = digits(np.zeros(exact.nv))
    for name, effort in efforts.items():
        tau = tau + coordinate_row(exact, name, walked, v).J * float(effort)
    return tau


def _pushed(
    exact: CompiledMechanism, walked: Walked, wrenches: Mapping[str, Sequence[float]]
) -> Array:
    """What wrenches on bodies do to the tree's speeds."""
    tau = digits(np.zeros(exact.nv))
    for name, wrench in wrenches.items():
        own = next(welded for welded in exact.welded if welded.name == name)
        at = walked[own.host].at(own.pose)
        speeds, linear, angular = at.jacobians(at.p)
        force, moment = digits(wrench[:3]), digits(wrench[3:])
        tau[speeds] = tau[speeds] + linear.T @ force + angular.T @ moment
    return tau


def _largest(x: Array) -> float:
    return float(np.max(np.abs(x), initial=0.0))
