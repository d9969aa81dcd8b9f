"""What a mechanism has stored: in motion, in height and in springs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.equations.inertia import momentum
from robocompiler.solve.dynamics.conditions import Conditions
from robocompiler.solve.dynamics.given import moving_tree
from robocompiler.solve.dynamics.reduced import ReducedDynamics, reduced_dynamics
from robocompiler.solve.state import evaluate
from robocompiler.spatial import Array, apply


@dataclass(frozen=True, slots=True, eq=False)
class Energy:
    """Energy [J], at one state or at each of a batch, shape (…) each."""

    kinetic: Array
    """Of bodies, and of rotors by the armature of joints and actuators."""
    gravity: Array
    """Of weights: 0 where a body's centre of mass is on the world's origin."""
    springs: Array
    """0 where they are slack."""

    @property
    def total(self) -> Array:
        """All of it."""
        return np.asarray(self.kinetic + self.gravity + self.springs)


def energy(
    compiled: CompiledMechanism, q: Array, u: Array, **conditions: Unpack[Conditions]
) -> Energy:
    """The energy of a mechanism where it stands closed and moves.

    Args:
        compiled: the mechanism.
        q: where it stands closed, shape (…, nq).
        u: independent speeds, shape (…, m).
        **conditions: see `Conditions`; wrenches and dry friction store nothing.

    Raises:
        BadValueError, UnknownNameError, NotClosedError, PartitionError, SupportError: as
            `reduced_dynamics`.
    """
    dynamics = reduced_dynamics(compiled, q, u, **conditions)
    batch = dynamics.v.shape[:-1]
    return Energy(
        kinetic=np.broadcast_to(_kinetic(dynamics), batch),
        gravity=np.broadcast_to(_gravity(dynamics), batch),
        springs=np.broadcast_to(sum((a.stored for a in dynamics.acting), np.zeros(())), batch),
    )


def _kinetic(dynamics: ReducedDynamics) -> Array:
    moving = moving_tree(dynamics, np.zeros_like(dynamics.v))
    doubled = np.zeros(dynamics.v.shape[:-1])
    for limb, own in zip(dynamics.tree.limbs, moving, strict=True):
        if limb.inertia is not None:
            doubled = doubled + np.sum(own.V * momentum(limb.inertia, own.V), axis=-1)
    for acts in dynamics.acting:
        speed = np.sum(acts.row * dynamics.v, axis=-1)
        doubled = doubled + acts.armature * speed * speed
    return np.asarray(0.5 * doubled)


def _gravity(dynamics: ReducedDynamics) -> Array:
    tree = dynamics.tree
    poses = evaluate(tree.compiled, tree.q).poses
    found = np.zeros(tree.q.shape[:-1])
    for body, X in zip(tree.compiled.bodies, poses, strict=True):
        if body.inertia is not None and body.inertia.mass:
            center = X.p + apply(X.R, np.array(body.inertia.center))
            found = found - body.inertia.mass * np.sum(dynamics.gravity * center, axis=-1)
    return found
