"""What acts on coordinates of a cluster by themselves: springs, dampers, rotors, and its ports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from robocompiler.codegen.graph import Graph, Symbol
from robocompiler.compiler.clusters.plans import Acts, ClusterPlan, CutJoint
from robocompiler.compiler.tracing import as_symbols
from robocompiler.equations.free_motion import free_displacement, free_speeds
from robocompiler.equations.kinematics import joint_difference
from robocompiler.equations.loops import around
from robocompiler.model.joint_kinds import Factor, JointKind
from robocompiler.spatial import Array

Speeds = tuple[Array, Array]
"""How a cut joint's speeds follow from its cluster's (dof, nv), and their rates at v̇ = 0 (dof,)."""


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A coordinate on which something acts, as a row of speeds."""

    row: Array
    bias: Symbol | float = 0.0
    armature: Symbol | float = 0.0
    damping: Symbol | float = 0.0
    spring: Symbol | float = 0.0
    port: int | None = None
    """Which of the cluster's ports acts along it."""


def rows_of(plain: ClusterPlan, plan: ClusterPlan, graph: Graph, q: Array, v: Array) -> list[Row]:
    """What acts on the coordinates of a cluster's joints, and its ports.

    Args:
        plain: the cluster in numbers, which say what is there.
        plan: the cluster in symbols.
        graph: of these.
        q: its coordinates.
        v: its speeds.
    """
    unit = as_symbols(graph, np.eye(plan.nv))
    found, cut_speeds = list(_of_tree(plain, plan, unit, q)), list[Speeds]()
    for there, cut in zip(plain.cut, plan.cut, strict=True):
        at = around(cut.loop, q)
        speeds = free_speeds(cut.kind, at, v)
        away = np.zeros(len(speeds[0]))
        if there.acts.stiffness:
            away = free_displacement(cut.kind, at.X_FM, cut.start, cut.acts.reference, cut.pitch)
        cut_speeds.append(speeds)
        found += _of_cut(there, cut, speeds, away)
    return [*found, *_of_ports(plan, graph, unit, cut_speeds)]


def _of_tree(plain: ClusterPlan, plan: ClusterPlan, unit: Array, q: Array) -> Iterator[Row]:
    for there, limb, acts in zip(plain.acts, plan.limbs, plan.acts, strict=True):
        crossing = limb.crossing
        away = np.zeros(crossing.kind.dof)
        if there.stiffness:
            slack = _slack(crossing.kind, acts.reference)
            away = joint_difference(crossing.kind, slack, q[crossing.q])
        if not _acts(there):
            continue
        for row, far in zip(unit[crossing.v], away, strict=True):
            yield Row(row, 0.0, acts.armature, acts.damping, acts.stiffness * far)


def _of_cut(there: CutJoint, cut: CutJoint, speeds: Speeds, away: Array) -> Iterator[Row]:
    acts = cut.acts
    for row, bias, far in zip(*speeds, away, strict=True):
        if _acts(there.acts):
            yield Row(row, bias, acts.armature, acts.damping, acts.stiffness * far)


def _acts(there: Acts) -> bool:
    return any((there.armature, there.damping, there.stiffness))


def _of_ports(
    plan: ClusterPlan, graph: Graph, unit: Array, cut_speeds: Sequence[Speeds]
) -> Iterator[Row]:
    for number, port in enumerate(plan.ports):
        row, along = np.full(plan.nv, graph.constant(0.0), dtype=object), 0.0
        for speed, ratio in port.tree:
            row = row + ratio * unit[speed]
        for closure, k, ratio in port.cut:
            rows, bias = cut_speeds[closure]
            row, along = row + ratio * rows[k], along + ratio * bias[k]
        yield Row(row, along, port.armature, port=number)


def _slack(kind: JointKind, reference: Symbol | float) -> Array:
    """Where a joint's springs are slack: its rotation at zero, all others at the reference."""
    parts = [
        [1.0, 0.0, 0.0, 0.0] if factor is Factor.ROTATION else [reference]
        for factor in kind.factors
    ]
    return np.array([value for part in parts for value in part], dtype=object)


def dot(row: Array, values: Array) -> Symbol:
    """Their product, in the order of the entries."""
    total: Symbol = reduce(lambda a, b: a + b, row * values)
    return total
