"""Which coordinates can keep the values they are given, and moving them there with loops closed."""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism, Module
from robocompiler.solve.closing import Closed, close_module, module_speeds
from robocompiler.solve.closure import (
    length_scale,
    linearize,
    rank_of,
    row_scales,
    scaled_jacobian,
    speed_scales,
)
from robocompiler.solve.state import difference, evaluate, step
from robocompiler.spatial import Array

# Joints are moved in steps of at most this [rad, or m over the module's size].
LONGEST_STEP = math.radians(2.0)
# Steps are halved this often at most before a value counts as out of reach.
HALVINGS = 12
# A step is taken only where the corrector moves the rest by less than this share of it from where
# it was predicted: on another branch it would not.
CORRECTION = 0.3
# Below this smallest singular value the rest does not follow from the held joints alone, and it
# is predicted to go on as it went: straight through a change point, not round its corner.
NEARLY_SINGULAR = 1e-3


def holdable_speeds(
    compiled: CompiledMechanism, q: Array, module: Module, first: Container[str]
) -> list[int]:
    """Speeds of a module that can be prescribed together at a closed q, as many as there are.

    Joints named in `first` are taken first, then actuated joints, then the others from the world
    outward; each that the rest of the module can still follow. A speed can be prescribed where
    its row of the null space of K is independent of those of the speeds prescribed already.
    """
    own = module_speeds(compiled, module)
    K = scaled_jacobian(compiled, q, module)[:, own]
    _, _, Vt = np.linalg.svd(K)
    freedom = Vt[rank_of(K) :].T
    priorities = _priorities(compiled, module, first)
    order = sorted(range(len(own)), key=lambda i: (priorities[i], i))
    held: list[int] = []
    basis = np.zeros((0, freedom.shape[1]))
    for i in order:
        row = freedom[i] - basis.T @ (basis @ freedom[i])
        row = row - basis.T @ (basis @ row)
        size = float(np.linalg.norm(row))
        if size > 1e-4:
            held.append(own[i])
            basis = np.vstack([basis, row / size])
    return held


def _priorities(compiled: CompiledMechanism, module: Module, first: Container[str]) -> list[int]:
    """Of each of the module's speeds, the lowest first."""
    priorities: list[int] = []
    for joint in (compiled.tree[index].edge.joint for index in module.joints):
        rank = 0 if joint.name in first else 1 if joint.effort is not None else 2
        priorities += [rank] * joint.kind.dof
    return priorities


@dataclass(slots=True)
class _Move:
    """A module on its way: what is held, what follows, and how it went so far."""

    compiled: CompiledMechanism
    module: Module
    held: list[int]
    free: list[int]
    scales: Array
    rows: Array
    last: Array | None = None
    """The step taken before, shape (nv,)."""

    def predicted(self, q: Array, drive: Array) -> Array:
        """The step of all joints that goes with a step `drive` of the held ones."""
        K = self.rows[:, None] * linearize(self.compiled, q, self.module).jacobian
        free = K[:, self.free] / self.scales[self.free]
        U, s, Vt = np.linalg.svd(free, full_matrices=False)
        whole = drive.copy()
        if len(s) == len(self.free) and (not len(s) or s[-1] > NEARLY_SINGULAR):
            follow = -(Vt.T @ ((U.T @ (K @ drive)) / s))
            whole[self.free] = follow / self.scales[self.free]
        elif self.last is not None:
            before = self.last[self.held] * self.scales[self.held]
            now = drive[self.held] * self.scales[self.held]
            share = float(before @ now / (before @ before))
            whole[self.free] = share * self.last[self.free]
        return whole

    def size(self, delta: Array, speeds: Sequence[int]) -> float:
        """The largest of some speeds of a step [rad, or m over the module's size]."""
        return float(np.max(np.abs(delta * self.scales)[list(speeds)], initial=0.0))


def move_held(
    compiled: CompiledMechanism, q: Array, module: Module, held: Sequence[int], target: Array
) -> Array:
    """Move the held speeds from a closed q towards their target, the rest of the module following.

    Short steps, each predicted by the tangent and then corrected; halved where the loops do not
    close or the corrector leaves the prediction, so that the branch is kept. Returns as near the
    target as the loops let them come.
    """
    if not held:
        return q
    free = [speed for speed in module_speeds(compiled, module) if speed not in set(held)]
    length = length_scale(compiled, evaluate(compiled, q, module.joints), module)
    scales = speed_scales(compiled, length)
    move = _Move(compiled, module, list(held), free, scales, row_scales(compiled, module, length))
    before = close_module(compiled, q, module, free)
    longest = LONGEST_STEP
    while longest >= LONGEST_STEP / 2**HALVINGS:
        drive = np.zeros(compiled.nv)
        left = difference(compiled, before.q, target, module.joints)
        drive[move.held] = left[move.held]
        size = move.size(drive, move.held)
        if size == 0.0:
            break
        share = min(1.0, longest / size)
        trial = _try(move, before, share * drive)
        if trial is None:
            longest = min(longest, size) / 2.0
            continue
        before, longest = trial, min(2.0 * longest, LONGEST_STEP)
        if share == 1.0:
            break
    return before.q


def _try(move: _Move, before: Closed, drive: Array) -> Closed | None:
    """One step, or None where it does not close near where it was predicted."""
    compiled, module = move.compiled, move.module
    delta = move.predicted(before.q, drive)
    ahead = step(compiled, before.q, delta, module.joints)
    trial = close_module(compiled, ahead, module, move.free)
    if trial.misfit > max(10.0 * before.misfit, 1e-10):
        return None
    whole = move.size(delta, [*move.held, *move.free])
    off = difference(compiled, ahead, trial.q, module.joints)
    if move.size(off, move.free) > CORRECTION * whole:
        return None
    move.last = difference(compiled, before.q, trial.q, module.joints)
    return trial
