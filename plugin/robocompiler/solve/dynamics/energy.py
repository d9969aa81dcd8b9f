"""What a mechanism has stored: in motion, in height and in springs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.equations.dynamics import outward
from robocompiler.equations.inertia import momentum
from robocompiler.solve.dynamics.conditions import Conditions
from robocompiler.solve.dynamics.reduced import reduced_dynamics
from robocompiler.solve.dynamics.tree import Acting, Tree, base_moving
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
    return stored_energy(dynamics.tree, dynamics.acting, dynamics.gravity)


def stored_energy(tree: Tree, acts: Sequence[Acting], gravity: Array) -> Energy:
    """The energy of a tree that moves as its loops let it, with what acts on its coordinates.

    Args:
        tree: where and how it moves.
        acts: of joints, cut ones too, and of actuators.
        gravity: [m/s²], shape (3,).
    """
    batch = tree.v.shape[:-1]
    return Energy(
        kinetic=np.broadcast_to(_kinetic(tree, acts, gravity), batch),
        gravity=np.broadcast_to(_gravity(tree, gravity), batch),
        springs=np.broadcast_to(sum((a.stored for a in acts), np.zeros(())), batch),
    )


def _kinetic(tree: Tree, acts: Sequence[Acting], gravity: Array) -> Array:
    base = base_moving(gravity, tree.v.shape[:-1])
    doubled = np.zeros(tree.v.shape[:-1])
    moving = outward(tree.limbs, tree.at, tree.v, np.zeros_like(tree.v), base)
    for limb, own in zip(tree.limbs, moving, strict=True):
        if limb.inertia is not None:
            doubled = doubled + np.sum(own.V * momentum(limb.inertia, own.V), axis=-1)
    for own_acts in acts:
        speed = np.sum(own_acts.row * tree.v, axis=-1)
        doubled = doubled + own_acts.armature * speed * speed
    return np.asarray(0.5 * doubled)


def _gravity(tree: Tree, gravity: Array) -> Array:
    poses = evaluate(tree.compiled, tree.q).poses
    found = np.zeros(tree.q.shape[:-1])
    for body, X in zip(tree.compiled.bodies, poses, strict=True):
        if body.inertia is not None and body.inertia.mass:
            center = X.p + apply(X.R, np.array(body.inertia.center))
            found = found - body.inertia.mass * np.sum(gravity * center, axis=-1)
    return found
