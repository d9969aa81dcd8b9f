"""Freedoms that move nothing else: bodies that spin about a line of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism, Edge
from robocompiler.equations.kinematics import joint_columns
from robocompiler.model.actuation import actuated_joints
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.joint_motion import joint_coordinates
from robocompiler.solve.mobility.figures import IdleFreedom
from robocompiler.solve.state import State, evaluate, joint_pose
from robocompiler.spatial import Array, Pose, cross


@dataclass(frozen=True, slots=True, eq=False)
class _Chain:
    """Bodies in a row, each with two joints, and the joints at the ends of the row."""

    bodies: frozenset[int]
    ends: tuple[Edge, Edge]


def idle_motions(
    compiled: CompiledMechanism, q: Array, size: float, tolerance: float
) -> list[tuple[IdleFreedom, Array]]:
    """Every spin of a rigid chain of two-jointed bodies that both its end joints let pass.

    Candidates, the shortest chains first: a chain's spin may be that of others together, and
    couplings may hold it.

    Args:
        compiled: the mechanism.
        q: where it stands, shape (nq,).
        size: of the mechanism [m].
        tolerance: by how much the two joints' axes may miss each other [rad, or m over the size].

    Returns:
        What spins, and how it moves the speeds, shape (nv,).
    """
    state = evaluate(compiled, q)
    found: list[tuple[IdleFreedom, Array]] = []
    for chain in _chains(compiled):
        anchor = (state.poses[chain.ends[0].parent] @ chain.ends[0].X_PF).p
        first, last = (_freed_twists(state, edge, anchor, size) for edge in chain.ends)
        for spin in _common_spins(first, last, tolerance):
            named = IdleFreedom(
                bodies=tuple(sorted(compiled.bodies[i].name for i in chain.bodies)),
                joints=(chain.ends[0].joint.name, chain.ends[1].joint.name),
            )
            spatial = np.concatenate([spin[:3] * size + cross(anchor, spin[3:]), spin[3:]])
            found.append((named, _speeds_of(compiled, state, chain, spatial)))
    return found


def _chains(compiled: CompiledMechanism) -> list[_Chain]:
    """Every chain, once. What floats freely is held by no joint, so a free joint is none."""
    near: dict[int, list[Edge]] = {}
    for edge in (*(t.edge for t in compiled.tree), *(c.chord for c in compiled.closures)):
        if edge.joint.kind is not JointKind.FREE:
            near.setdefault(edge.parent, []).append(edge)
            near.setdefault(edge.child, []).append(edge)
    two_jointed = {body for body, edges in near.items() if body != 0 and len(edges) == 2}
    chains: dict[frozenset[int], _Chain] = {}
    for body in sorted(two_jointed):
        for first in near[body]:
            for chain in _chains_from(body, first, near, two_jointed):
                chains.setdefault(chain.bodies, chain)
    driven = actuated_joints(compiled.mechanism)
    passive = [c for c in chains.values() if all(e.joint.name not in driven for e in c.ends)]
    return sorted(passive, key=lambda c: (len(c.bodies), sorted(c.bodies)))


def _chains_from(
    body: int, first: Edge, near: dict[int, list[Edge]], two_jointed: set[int]
) -> Iterator[_Chain]:
    """Chains that begin behind a joint, each one body longer."""
    bodies: set[int] = set()
    entered = first
    while body in two_jointed and body not in bodies:
        bodies.add(body)
        last = near[body][1] if near[body][0] is entered else near[body][0]
        if last is first:
            return  # a ring of its own, with nothing to spin against
        yield _Chain(frozenset(bodies), (first, last))
        body = last.child if last.parent == body else last.parent
        entered = last


def _freed_twists(state: State, edge: Edge, anchor: Array, size: float) -> Array:
    """Unit twists that a joint leaves free, seen from the anchor, lengths over the size: (6, k)."""
    joint = edge.joint
    X_FM = joint_pose(state, edge)
    own = joint_coordinates(joint.kind, X_FM, joint.initial, joint.pitch)
    X_WF = state.poses[edge.parent] @ edge.X_PF
    X_AF = Pose(X_WF.R, X_WF.p - anchor)
    columns = joint_columns(joint.kind, own, joint.pitch, X_AF)[1]
    columns = np.concatenate([columns[:3] / size, columns[3:]])
    return np.asarray(columns / np.linalg.norm(columns, axis=0))


def _common_spins(A: Array, B: Array, tolerance: float) -> list[Array]:
    """A basis of the turns about lines that are in the span of both."""
    _, s, Vt = np.linalg.svd(np.hstack([A, -B]))
    shared = Vt[int(np.sum(s > tolerance)) :, : A.shape[1]]
    twists = A @ shared.T
    _, s, Vt = np.linalg.svd(twists[3:])
    turns = int(np.sum(s > 1e-3))
    slides = twists[:3] @ Vt[turns:].T
    slides = slides / np.maximum(np.linalg.norm(slides, axis=0), 1e-9)
    return _without_advance(twists @ Vt[:turns].T / s[:turns], slides, tolerance)


def _without_advance(turns: Array, slides: Array, tolerance: float) -> list[Array]:
    """Of twists (6, k) with turning parts of length 1, those that do not advance as they turn."""
    spins = []
    for twist in turns.T:
        linear = twist[:3] - slides @ (np.linalg.pinv(slides) @ twist[:3])
        if abs(float(linear @ twist[3:])) <= tolerance:
            spins.append(np.concatenate([linear, twist[3:]]))
    return spins


def _speeds_of(compiled: CompiledMechanism, state: State, chain: _Chain, spatial: Array) -> Array:
    """The speeds at which a chain has a spatial twist in the world while all else stands still."""
    v = np.zeros(compiled.nv)
    for tree_joint in compiled.tree:
        inboard, outboard = (b in chain.bodies for b in (tree_joint.inboard, tree_joint.outboard))
        if inboard != outboard:
            columns = state.columns[:, tree_joint.v]
            twist = spatial if outboard else -spatial
            v[tree_joint.v] = np.linalg.lstsq(columns, twist, rcond=None)[0]
    return v
