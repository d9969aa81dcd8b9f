"""From what cut joints hold with to the wrench in every joint.

All wrenches of joints are on the child (M's side) from the parent (F's side), along F's axes and
about M's origin.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robocompiler.compiler.limbs import limb_frames
from robocompiler.equations.dynamics import inward
from robocompiler.equations.free_motion import free_rows
from robocompiler.equations.inertia import wrench_from
from robocompiler.equations.kinematics import joint_motion
from robocompiler.solve.dynamics.given import Given, minus
from robocompiler.solve.dynamics.tree import Tree
from robocompiler.solve.loads.multipliers import Holds
from robocompiler.spatial import Array, Pose, apply, cross


def loads_of_motion(given: Given, holds: Holds, multipliers: Array) -> Array:
    """The wrench of every joint and the effort of every coupling, by multipliers (…, rows) that
    balance the motion, shape (…, 6 · joints + couplings).
    """
    tree, alone = given.dynamics.tree, _free_wrenches(given, holds)
    chords = [own + held for own, held in zip(alone, _held(holds, multipliers), strict=True)]
    return _joined(tree, holds, given.taken, chords, multipliers)


def loads_of_nothing(tree: Tree, holds: Holds, multipliers: Array) -> Array:
    """The same of multipliers (combinations, …, rows) that balance nothing."""
    none = [None] * len(tree.limbs)
    return _joined(tree, holds, none, _held(holds, multipliers), multipliers)


def _joined(
    tree: Tree,
    holds: Holds,
    taken: Sequence[Array | None],
    chords: Sequence[Array],
    multipliers: Array,
) -> Array:
    on = _on_limbs(tree, holds, chords)
    left = [minus(own, other) for own, other in zip(taken, on, strict=True)]
    passed = inward(tree.limbs, tree.at, left, tree.compiled.nv)[2]
    batch, count = multipliers.shape[:-1], len(holds.couplings)
    found = [*_of_tree(tree, passed), *chords]
    found = [np.broadcast_to(own, (*batch, 6)) for own in found]
    return np.concatenate([*found, multipliers[..., multipliers.shape[-1] - count :]], axis=-1)


def along_tree(given: Given) -> Array:
    """What ports, rotors, springs and dampers, and what is missing, give along the tree's speeds,
    shape (…, nv).
    """
    dynamics = given.dynamics
    efforts = apply(np.swapaxes(dynamics.B, -1, -2), given.efforts)
    for own, taken in zip(dynamics.acting, given.acting, strict=True):
        efforts = efforts - own.row * taken[..., None]
    efforts = np.array(np.broadcast_to(efforts, given.v_dot.shape))
    efforts[..., list(dynamics.reduction.independent)] += given.missing
    return efforts


def to_be_held(given: Given) -> Array:
    """r of Kᵀ λ = r, shape (…, nv)."""
    tree = given.dynamics.tree
    taken = inward(tree.limbs, tree.at, given.taken, tree.compiled.nv)[0]
    return np.asarray(taken - along_tree(given))


def _free_wrenches(given: Given, holds: Holds) -> list[Array]:
    """What acts along the free axes of each cut joint, as a wrench like the results', (…, 6)."""
    dynamics, compiled = given.dynamics, given.dynamics.tree.compiled
    rotors = {port.name: port.armature for port in dynamics.ports}
    ports = given.efforts - np.array([*rotors.values()]) * given.port_rates
    joints = list(zip(dynamics.acting, given.acting, strict=True))
    joints = joints[: len(joints) - sum(1 for armature in rotors.values() if armature)]
    acts = {own.name: taken for own, taken in joints}
    found = []
    for index, (closure, held) in enumerate(zip(compiled.closures, holds.closures, strict=True)):
        along = np.zeros((*given.v_dot.shape[:-1], closure.kind.dof))
        for k, name in enumerate(closure.chord.joint.speed_names):
            along[..., k] -= acts.get(name, 0.0)
        for at, port in enumerate(dynamics.ports):
            for cut, speed, ratio in port.cut:
                if cut == index:
                    along[..., speed] += ratio * ports[..., at]
        rows = free_rows(closure.kind, held.X_FM.R)
        found.append(apply(np.swapaxes(rows, -1, -2), along))
    return found


def _held(holds: Holds, multipliers: Array) -> list[Array]:
    """What the rows of each cut joint hold with, as a wrench like the results', (…, 6)."""
    return [
        apply(np.swapaxes(held.gradient, -1, -2), multipliers[..., held.rows])
        for held in holds.closures
    ]


def _on_limbs(tree: Tree, holds: Holds, chords: Sequence[Array]) -> list[Array | None]:
    """The wrenches of cut joints on each limb, seen from its own frame, (…, 6)."""
    compiled, frames = tree.compiled, limb_frames(tree.compiled)
    limb = {joint.outboard: at for at, joint in enumerate(compiled.tree)}
    found: list[Array | None] = [None] * len(tree.limbs)
    for closure, held, wrench in zip(compiled.closures, holds.closures, chords, strict=True):
        edge, X = closure.chord, held.X_FM
        child = frames[edge.child].inverse() @ edge.X_CM
        parent = frames[edge.parent].inverse() @ edge.X_PF @ Pose(np.eye(3), X.p)
        turned = Pose(X.R.swapaxes(-1, -2), np.zeros(3))
        for body, own in (
            (edge.child, wrench_from(child, wrench_from(turned, wrench))),
            (edge.parent, -wrench_from(parent, wrench)),
        ):
            if body in limb:
                before = found[limb[body]]
                found[limb[body]] = own if before is None else before + own
    return found


def _of_tree(tree: Tree, passed: Sequence[Array]) -> list[Array]:
    """Wrenches that joints of the tree transmit to their limbs, as seen from F about M's origin."""
    found = list[Array]()
    for joint, wrench in zip(tree.compiled.tree, passed, strict=True):
        if joint.prescribed:
            continue
        own = joint.edge.joint
        X = joint_motion(own.kind, tree.q[..., joint.q], own.pitch)
        if joint.reversed:  # on the parent, about F's origin
            force = -wrench[..., :3]
            moment = -wrench[..., 3:] - cross(X.p, force)
        else:
            force, moment = apply(X.R, wrench[..., :3]), apply(X.R, wrench[..., 3:])
        found.append(np.concatenate(np.broadcast_arrays(force, moment), axis=-1))
    return found
