"""Ties: one MJCF coordinate that follows others, as couplings ask and threads of screws do.

Each is a `<fixed>` tendon, of coefficient 1 for the follower and -ratio for each leader, and an
equality that keeps its length as it is in `qpos0`, where the tie holds. An equality between two
joints would be softer, and knows one leader only: MuJoCo estimates its inertia without the ratio,
so that a load of 10 kg falls through a screw.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism, CoordinateRef
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.state import State
from robocompiler.spatial import Array
from robocompiler.write.mjcf.names import (
    CLOSURE_CLASS,
    coordinate_name,
    coupling_tie,
    joint_names,
    screw_tie,
)
from robocompiler.write.numbers import exact


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """Σ coefficient · joint = offset, on joints of the MJCF."""

    name: str
    """Of the tendon and of the equality."""
    source: str
    """Of the coupling or the screw joint."""
    is_screw: bool
    joints: tuple[tuple[str, float], ...]
    """MJCF joints and their coefficients: the follower and 1, then each leader and its -ratio."""
    offset: float
    """[m or rad]"""
    turns: bool
    """Whether the follower is an angle."""
    row: tuple[tuple[int, float], ...]
    """Speeds it ties, as `opened` numbers them, and their coefficients."""


def ties(compiled: CompiledMechanism) -> tuple[Tie, ...]:
    """Couplings in their order, then screws in that of the tree."""
    return (*_coupling_ties(compiled), *_screw_ties(compiled))


def _coupling_ties(compiled: CompiledMechanism) -> Iterator[Tie]:
    speeds = _opened_speeds(compiled)

    def speed(ref: CoordinateRef) -> int:
        within = ref.v - int(compiled.tree[ref.tree_joint].v.start)
        return int(speeds[ref.tree_joint].start) + within

    for coupling in compiled.couplings:
        yield Tie(
            name=coupling_tie(coupling.name),
            source=coupling.name,
            is_screw=False,
            joints=tuple((coordinate_name(compiled, ref), c) for ref, c in coupling.terms),
            offset=coupling.offset,
            turns=coupling.follower_turns,
            row=tuple((speed(ref), c) for ref, c in coupling.terms),
        )


def _screw_ties(compiled: CompiledMechanism) -> Iterator[Tie]:
    speeds = _opened_speeds(compiled)
    for index, joint in enumerate(tree_joint.edge.joint for tree_joint in compiled.tree):
        if joint.kind is JointKind.SCREW:
            hinge, slide = joint_names(joint)
            turn = speeds[index].start
            yield Tie(
                name=screw_tie(joint),
                source=joint.name,
                is_screw=True,
                joints=((slide, 1.0), (hinge, -joint.pitch)),
                offset=0.0,
                turns=False,
                row=((turn + 1, 1.0), (turn, -joint.pitch)),
            )


def _opened_speeds(compiled: CompiledMechanism) -> list[slice]:
    """The speeds of each tree joint where a screw has two: its turn and its advance."""
    speeds: list[slice] = []
    at = 0
    for tree_joint in compiled.tree:
        kind = tree_joint.edge.joint.kind
        speeds.append(slice(at, at + (2 if kind is JointKind.SCREW else kind.dof)))
        at = speeds[-1].stop
    return speeds


def opened(compiled: CompiledMechanism, state: State) -> tuple[CompiledMechanism, State]:
    """The mechanism with the speeds that MJCF gives it, for its mass matrix and the like.

    Only the speeds are other than before: its coordinates are the same.
    """
    speeds = _opened_speeds(compiled)
    tree = tuple(replace(t, v=v) for t, v in zip(compiled.tree, speeds, strict=True))
    columns: list[Array] = [np.zeros((6, 0))]
    for tree_joint in compiled.tree:
        own = state.columns[:, tree_joint.v]
        if tree_joint.edge.joint.kind is JointKind.SCREW:
            slide = np.concatenate([own[3:], np.zeros((3, 1))])
            own = np.hstack([own - tree_joint.edge.joint.pitch * slide, slide])
        columns.append(own)
    nv = speeds[-1].stop if speeds else 0
    return replace(compiled, tree=tree, nv=nv), State(state.poses, np.hstack(columns))


def tie_tendons(compiled: CompiledMechanism) -> Iterator[Element]:
    """The tendon of each tie."""
    for tie in ties(compiled):
        tendon = Element("fixed", name=tie.name)
        for joint, coefficient in tie.joints:
            SubElement(tendon, "joint", joint=joint, coef=exact([coefficient]))
        yield tendon


def tie_equalities(compiled: CompiledMechanism) -> Iterator[Element]:
    """What keeps each tie's tendon as long as it is in `qpos0`."""
    for tie in ties(compiled):
        yield Element("tendon", {"class": CLOSURE_CLASS}, name=tie.name, tendon1=tie.name)
