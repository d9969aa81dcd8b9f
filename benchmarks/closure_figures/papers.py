"""The papers' way to close a module, in NumPy like ours: what ours is counted and timed against.

Six rows of the logarithm of each cut, the cut joint's own coordinates being unknowns; the inverse
Jacobian of the logarithm by Van Loan's 12 × 12 exponential; damped normal equations to 1e-9; rows
chosen by column-pivoted QR. Constants as in their code. In its favour, kinematics are ours, the
trial's Jacobian is had with its residual, and rows are chosen once a run.

Sources: M. Dastranj, J. Mattila, arXiv 2609.11338; M. Heydari Shahna, J. Kim, J. Mattila,
arXiv 2609.35717.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import expm, qr

from robocompiler.compiler.steps import step
from robocompiler.equations.kinematics import joint_motion, joint_step
from robocompiler.equations.logarithm import log_pose
from robocompiler.solve.closure import path_columns
from robocompiler.solve.reduction.logarithm import (
    chart_columns,
    chart_coordinates,
    chart_slices,
)
from robocompiler.solve.state import evaluate, joint_pose
from robocompiler.solve.system import System
from robocompiler.spatial import Array, Pose, exp_rotation, inverse_left_jacobian, skew

SELECTED, RAW, STAGNANT, CONDITION = 1e-9, 1e-8, 1e-12, 1e-10
"""Largest selected row, largest of all rows, negligible step, and least condition of the rows."""
FIRST_DAMPING, LEAST_DAMPING, MOST_DAMPING = 1e-6, 1e-12, 1e12
WARM, HOMOTOPY = 8, 100
"""Iterations at most, along a trajectory and for each λ."""
SHARE, LEAST_SHARE = 0.1, 1e-5
"""First and greatest step of λ, and the least."""


class LostError(Exception):
    """Their method did not converge."""


@dataclass(frozen=True)
class Place:
    """A state, with all rows and their Jacobian."""

    q: Array
    chart: Array
    rho: Array
    jacobian: Array


class Papers:
    """One module, its speeds `held` prescribed and all others dependent, the cut joints' too."""

    def __init__(self, system: System, held: list[int]) -> None:
        self.compiled = system.compiled
        self.residuals = 0
        """Fresh evaluations of the residual, its Jacobian with it."""
        self.slices = chart_slices(self.compiled)
        count = self.compiled.nv + self.slices[-1][1].stop
        self.held = held
        self.free = [i for i in range(count) if i not in set(held)]
        self.rows: list[int] = []

    def begin(self, q: Array) -> Place:
        """At a closed configuration: where a trajectory starts."""
        place = self.evaluate(q, chart_coordinates(self.compiled, q))
        self.rows = self._select(place.jacobian)
        return place

    def _select(self, jacobian: Array) -> list[int]:
        """As many rows as there are unknowns, by the pivots of their transpose."""
        own = jacobian[:, self.free]
        pivots = qr(own.T, mode="r", pivoting=True)[1][: len(self.free)].tolist()
        if 1.0 / np.linalg.cond(own[pivots], 1) < CONDITION:
            raise LostError("the rows leave an unknown undetermined")
        return [int(i) for i in pivots]

    def evaluate(self, q: Array, chart: Array, defects: list[Pose] | None = None) -> Place:
        """All rows ρ = log(D⁻¹ Δ), D the defects that are left to be, and their Jacobian."""
        self.residuals += 1
        state = evaluate(self.compiled, q)
        rho, rows = [], []
        nv = self.compiled.nv
        for i, (closure, (own, speeds)) in enumerate(
            zip(self.compiled.closures, self.slices, strict=True)
        ):
            X_WC, columns = chart_columns(state, closure, chart[own])
            eta = np.zeros((6, nv + self.slices[-1][1].stop))
            eta[:, :nv] = path_columns(self.compiled, state, closure)
            eta[:, nv + speeds.start : nv + speeds.stop] = -columns
            seen = X_WC if defects is None else X_WC @ defects[i]
            X_CM = joint_motion(closure.kind, chart[own], closure.chord.joint.pitch).inverse()
            delta = X_CM @ joint_pose(state, closure.chord)
            log = log_pose(delta if defects is None else defects[i].inverse() @ delta)
            rho.append(log)
            rows.append(inverse_jacobian(log) @ seen.inverse().carry(eta))
        return Place(q, chart, np.concatenate(rho), np.concatenate(rows))

    def move(self, place: Place, delta: Array, defects: list[Pose] | None = None) -> Place:
        """After a step of all unknowns."""
        nv, chart = self.compiled.nv, np.array(place.chart)
        for closure, (own, speeds) in zip(self.compiled.closures, self.slices, strict=True):
            moved = delta[nv + speeds.start : nv + speeds.stop]
            chart[own] = joint_step(closure.kind, place.chart[own], moved)
        return self.evaluate(step(self.compiled, place.q, delta[:nv]), chart, defects)

    def correct(self, place: Place, most: int, defects: list[Pose] | None = None) -> Place:
        """Damped normal equations on the selected rows; then all rows must be met."""
        damping, count = FIRST_DAMPING, place.jacobian.shape[1]
        size = float(np.max(np.abs(place.rho[self.rows])))
        for _ in range(most):
            if size <= SELECTED:
                break
            R = place.jacobian[self.rows][:, self.free]
            normal = R.T @ R + damping * np.eye(len(self.free))
            delta = np.zeros(count)
            delta[self.free] = -np.linalg.solve(normal, R.T @ place.rho[self.rows])
            if float(np.max(np.abs(delta))) < STAGNANT:
                break
            trial = self.move(place, delta, defects)
            better = np.linalg.norm(trial.rho[self.rows]) < np.linalg.norm(place.rho[self.rows])
            if better:
                place, size = trial, float(np.max(np.abs(trial.rho[self.rows])))
            damping = damping / 10.0 if better else damping * 10.0
            damping = min(max(damping, LEAST_DAMPING), MOST_DAMPING)
        if size > SELECTED or float(np.max(np.abs(place.rho))) > RAW:
            raise LostError(f"rows of {size:.1g} are left")
        return place

    def warm(self, place: Place, to: Array) -> Place:
        """From a closed state to held coordinates a little further, by the tangent."""
        R = place.jacobian[self.rows]
        delta = np.zeros(R.shape[1])
        delta[self.held] = to
        delta[self.free] = -np.linalg.solve(R[:, self.free], R[:, self.held] @ to)
        return self.correct(self.move(place, delta), WARM)

    def homotopy(self, q: Array, chart: Array) -> Place:
        """From an open state with its held coordinates right: the defect taken away by and by."""
        place = self.evaluate(q, chart)
        drawn = np.split(place.rho, len(self.compiled.closures))
        self.rows = self._select(place.jacobian)
        done, share = 0.0, SHARE
        while done < 1.0:
            at = min(1.0, done + share)
            defects = [exp_pose((1.0 - at) * rho) for rho in drawn] if at < 1.0 else None
            try:
                here = self.evaluate(place.q, place.chart, defects)
                place = self.correct(here, HOMOTOPY, defects)
                done, share = at if at < 1.0 - 1e-12 else 1.0, min(2.0 * share, SHARE)
            except LostError:
                share /= 2.0
                if share < LEAST_SHARE:
                    raise
        return place


def inverse_jacobian(rho: Array) -> Array:
    """J⁻¹ of the logarithm, by its series where ad is small, else from the block exponential."""
    Z = np.zeros((6, 6))
    Z[:3, :3] = Z[3:, 3:] = skew(rho[3:])
    Z[:3, 3:] = skew(rho[:3])
    if np.linalg.norm(Z) <= 1e-3:
        square = Z @ Z
        return np.eye(6) - Z / 2.0 + square / 12.0 - square @ square / 720.0
    block = np.zeros((12, 12))
    block[:6, :6], block[:6, 6:] = Z, np.eye(6)
    return np.linalg.inv(expm(block)[:6, 6:])


def exp_pose(rho: Array) -> Pose:
    """The pose of a twist."""
    J = np.linalg.inv(inverse_left_jacobian(rho[3:]))
    return Pose(exp_rotation(rho[3:]), J @ rho[:3])
