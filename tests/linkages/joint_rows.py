"""Coordinates of joints as rows over the tree's speeds: its own, of cut joints, of actuators."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from linkages.world_motion import Moving, Walked, across
from robocompiler.compiler.compiled import CompiledMechanism, Edge, TreeJoint
from robocompiler.model.joint_kinds import Factor, JointKind
from robocompiler.model.mechanism import Joint
from robocompiler.spatial import Array


@dataclass(frozen=True, eq=False)
class Row:
    """A coordinate ℓ with ℓ̇ = J v and ℓ̈ = J v̇ + bias, and what the mechanism puts on it."""

    J: Array
    bias: Array
    armature: float = 0.0
    damping: float = 0.0
    stiffness: float = 0.0
    stretch: Array | float = 0.0
    """From where the spring is slack."""


def joint_rows(compiled: CompiledMechanism, walked: Walked, q: Array, v: Array) -> Iterator[Row]:
    """Every coordinate that has armature, damping or a spring, and actuators with armature."""
    for joint in compiled.tree:
        if _has_terms(joint.edge.joint):
            yield from _tree_rows(joint, q, v)
    for closure in compiled.closures:
        if _has_terms(closure.chord.joint):
            yield chord_row(closure.chord, walked, v)
    for actuator in compiled.mechanism.actuators:
        if actuator.armature:
            parts = [
                (t.ratio, coordinate_row(compiled, t.coordinate, walked, v))
                for t in actuator.transmissions
            ]
            J, bias = sum(r * row.J for r, row in parts), sum(r * row.bias for r, row in parts)
            yield Row(J, bias, armature=actuator.armature)


def coordinate_row(compiled: CompiledMechanism, name: str, walked: Walked, v: Array) -> Row:
    """The coordinate that transmissions call so: `joint`, or `joint/coordinate`."""
    for joint in compiled.tree:
        factors = zip(joint.edge.joint.full_names, joint.factors, strict=True)
        for own, (_, speeds) in factors:
            if own == name and len(speeds) == 1:
                return Row(_unit(speeds[0], v), 0.0 * v[0])
    for closure in compiled.closures:
        if closure.chord.joint.name == name:
            return chord_row(closure.chord, walked, v)
    raise KeyError(name)


def chord_row(edge: Edge, walked: Walked, v: Array) -> Row:
    """A cut revolute or prismatic joint's coordinate."""
    F = walked[edge.parent].at(edge.X_PF)
    M = walked[edge.child].at(edge.X_CM)
    z, joint = F.R[:, 2], edge.joint
    if joint.kind is JointKind.REVOLUTE:
        J = z @ (_spread(M, M.p, v, 1) - _spread(F, F.p, v, 1))
        turning = M.omega - F.omega
        bias = z @ (M.alpha - F.alpha) + across(F.omega, z) @ turning
        R = F.R.T @ M.R
        angle = np.arctan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1])
        value = angle + 2.0 * math.pi * round((joint.initial[0] - float(angle)) / (2.0 * math.pi))
    elif joint.kind is JointKind.PRISMATIC:
        J = z @ (_spread(M, M.p, v, 0) - _spread(F, M.p, v, 0))
        d, spun = M.p - F.p, across(F.omega, z)
        bias = z @ (M.a - F.a) + across(z, d) @ F.alpha
        bias = bias + across(F.omega, spun) @ d + 2.0 * (spun @ (M.v - F.v))
        value = z @ d
    else:
        raise NotImplementedError(f"the coordinates of a cut {joint.kind.value} joint")
    stretch = value - joint.spring_reference
    return Row(J, bias, joint.armature, joint.damping, joint.stiffness, stretch)


def _has_terms(joint: Joint) -> bool:
    return bool(joint.armature or joint.damping or joint.stiffness)


def _tree_rows(joint: TreeJoint, q: Array, v: Array) -> Iterator[Row]:
    own = joint.edge.joint
    for factor, (values, speeds) in zip(own.kind.factors, joint.factors, strict=True):
        single = factor is not Factor.ROTATION
        if own.stiffness and not single:
            raise NotImplementedError("a spring on a rotation")
        stretch = q[values.start] - own.spring_reference if single else 0.0
        for speed in speeds:
            J = _unit(speed, v)
            yield Row(J, 0.0 * v[0], own.armature, own.damping, own.stiffness, stretch)


def _unit(speed: int, v: Array) -> Array:
    row = 0.0 * v
    row[speed] = row[speed] + 1.0
    return row


def _spread(moving: Moving, x: Array, v: Array, which: int) -> Array:
    """Its linear (0) or angular (1) Jacobian at x over all speeds, shape (3, nv)."""
    whole = 0.0 * np.array([v, v, v])
    speeds, *parts = moving.jacobians(x)
    if speeds:
        whole[:, speeds] = parts[which]
    return whole
