"""The tree's dynamics, its loops open: M v̇ + h = τ, with what acts on every joint by itself.

Springs, dampers and rotors act on the coordinates of cut joints too, and through actuators: they
enter by how the tree's speeds make those coordinates' own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.compiled import Closure, CompiledMechanism
from robocompiler.compiler.limbs import limbs_of
from robocompiler.compiler.ports import Port
from robocompiler.equations.dynamics import (
    Limb,
    Motions,
    Moving,
    inward,
    masses,
    motions,
    outward,
    own_wrench,
)
from robocompiler.equations.free_motion import free_displacement, free_speeds
from robocompiler.equations.kinematics import joint_difference
from robocompiler.equations.loops import around
from robocompiler.model.joint_kinds import Factor
from robocompiler.model.mechanism import Joint
from robocompiler.spatial import Array


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """Where and how the tree moves."""

    compiled: CompiledMechanism
    limbs: tuple[Limb, ...]
    at: Motions
    q: Array
    """Shape (…, nq)."""
    v: Array
    """Shape (…, nv), of the same leading axes."""
    cut: tuple[CutSpeeds, ...]
    """Of each closure."""


@dataclass(frozen=True, slots=True, eq=False)
class CutSpeeds:
    """How a cut joint's own speeds follow from the tree's, where its loop is closed."""

    closure: Closure
    rows: Array
    """Shape (…, dof, nv)."""
    bias: Array
    """Their rates at v̇ = 0, shape (…, dof)."""
    displacement: Array
    """How far its coordinates are from where its spring is slack [m or rad], shape (…, dof)."""

    @property
    def joint(self) -> Joint:
        """The joint that was cut."""
        return self.closure.chord.joint


def tree_at(compiled: CompiledMechanism, q: Array, v: Array) -> Tree:
    """The tree at q (…, nq) and v (…, nv), which are of the same leading axes."""
    limbs = limbs_of(compiled)
    cut = tuple(_cut_speeds(compiled, closure, q, v) for closure in compiled.closures)
    return Tree(compiled, limbs, motions(limbs, q), q, v, cut)


def _cut_speeds(compiled: CompiledMechanism, closure: Closure, q: Array, v: Array) -> CutSpeeds:
    joint, at = closure.chord.joint, around(closure.loop, q)
    rows, bias = free_speeds(joint.kind, at, v)
    return CutSpeeds(
        closure=closure,
        rows=rows,
        bias=bias,
        displacement=free_displacement(
            joint.kind, at.X_FM, joint.initial, joint.spring_reference, joint.pitch
        ),
    )


def base_moving(gravity: Array, batch: tuple[int, ...]) -> Moving:
    """The world, which accelerates against gravity [m/s²]."""
    A = np.zeros((*batch, 6))
    A[..., :3] = -gravity
    return Moving(np.zeros((*batch, 6)), A)


def tree_efforts(tree: Tree, a: Array, gravity: Array) -> Array:
    """The efforts that bodies take to accelerate at a (…, nv), gravity with them, (…, nv)."""
    moving = outward(tree.limbs, tree.at, tree.v, a, base_moving(gravity, a.shape[:-1]))
    wrenches = [
        None if limb.inertia is None else own_wrench(limb.inertia, own)
        for limb, own in zip(tree.limbs, moving, strict=True)
    ]
    return inward(tree.limbs, tree.at, wrenches, tree.compiled.nv)[0]


def tree_masses(tree: Tree) -> Array:
    """The mass matrix of bodies alone, shape (…, nv, nv)."""
    inertias = [limb.inertia for limb in tree.limbs]
    M = masses(tree.limbs, tree.at, inertias, tree.compiled.nv).M
    return np.broadcast_to(M, (*tree.q.shape[:-1], *M.shape[-2:]))


@dataclass(frozen=True, slots=True, eq=False)
class Acting:
    """A coordinate on which something acts: of the tree, of a cut joint or of an actuator."""

    name: str
    row: Array
    """How its speed follows from the tree's, shape (…, nv)."""
    bias: Array
    """Its rate at v̇ = 0, shape (…)."""
    armature: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    spring: Array | float = 0.0
    """The effort that its spring takes to be held where it is [N or N m], shape (…)."""
    stored: Array | float = 0.0
    """What its spring holds [J], shape (…)."""


def acting(tree: Tree, ports: Sequence[Port] = ()) -> tuple[Acting, ...]:
    """What acts on each coordinate of the joints, and the rotors of actuators."""
    found: list[Acting] = []
    unit = np.eye(tree.compiled.nv)
    nothing = np.zeros(tree.v.shape[:-1])
    for joint in tree.compiled.tree:
        own = joint.edge.joint
        if joint.prescribed or not _acts(own):
            continue
        q = tree.q[..., joint.q]
        start = np.broadcast_to(np.asarray(own.kind.zero) + _references(own), q.shape)
        away = joint_difference(own.kind, start, q)
        for k, name in enumerate(own.speed_names):
            found.append(_acting(own, name, unit[joint.v.start + k], nothing, away[..., k]))
    for cut in tree.cut:
        if _acts(cut.joint):
            for k, name in enumerate(cut.joint.speed_names):
                away = cut.displacement[..., k]
                found.append(_acting(cut.joint, name, cut.rows[..., k, :], cut.bias[..., k], away))
    for port, (row, bias) in zip(ports, port_rows(tree, ports), strict=True):
        if port.armature:
            found.append(Acting(port.name, row, bias, armature=port.armature))
    return tuple(found)


def _references(joint: Joint) -> Array:
    """Where each coordinate's spring is slack, 0 for those of a rotation: added to its zero."""
    return np.concatenate(
        [
            [0.0] * 4 if factor is Factor.ROTATION else [joint.spring_reference]
            for factor in joint.kind.factors
        ]
    )


def _acts(joint: Joint) -> bool:
    """Whether anything acts on a joint's coordinates by themselves."""
    return any((joint.armature, joint.damping, joint.friction, joint.stiffness))


def _acting(joint: Joint, name: str, row: Array, bias: Array, away: Array) -> Acting:
    k = joint.stiffness
    return Acting(
        name=name,
        row=row,
        bias=bias,
        armature=joint.armature,
        damping=joint.damping,
        friction=joint.friction,
        spring=k * away,
        stored=0.5 * k * away * away,
    )


def port_rows(tree: Tree, ports: Sequence[Port]) -> list[tuple[Array, Array]]:
    """Of each port how its speed follows from the tree's (…, nv), and its rate at v̇ = 0 (…)."""
    found = []
    for port in ports:
        row, bias = np.zeros(tree.compiled.nv), np.zeros(tree.v.shape[:-1])
        for speed, ratio in port.tree:
            row[speed] += ratio
        for closure, speed, ratio in port.cut:
            cut = tree.cut[closure]
            row = row + ratio * cut.rows[..., speed, :]
            bias = bias + ratio * cut.bias[..., speed]
        found.append((row, bias))
    return found
