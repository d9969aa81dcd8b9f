"""Whether joints stand within their limits, and what is said where they do not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import (
    AssembledOutsideLimitsError,
    MechanismError,
    StoppedError,
    UnreachableError,
)
from robocompiler.model.joint_motion import held_swing, joint_coordinates, swing_of
from robocompiler.model.mechanism import OPEN, Joint
from robocompiler.model.shown import show_coordinates
from robocompiler.solve.state import evaluate, joint_pose
from robocompiler.spatial import Array
from robocompiler.units import degrees, shown_in

# What the loops may take a joint past its limit [m or rad] before that is a fault: rounded
# geometry, whose other joints have no freedom to give way.
GIVES = 1e-5


def outside_limits(compiled: CompiledMechanism, q: Array) -> list[MechanismError]:
    """A fault for every joint, in the tree or cut, that closing the loops puts outside."""
    state = evaluate(compiled, q)
    stands = [(t.edge.joint, tuple(q[t.q].tolist())) for t in compiled.tree]
    for edge in (closure.chord for closure in compiled.closures):
        joint = edge.joint
        X_FM = joint_pose(state, edge)
        stands.append((joint, joint_coordinates(joint.kind, X_FM, joint.initial, joint.pitch)))
    return [_fault(joint, values) for joint, values in stands if excess(joint, values) > GIVES]


def followers_outside(compiled: CompiledMechanism, q: Array) -> list[MechanismError]:
    """A fault for every joint that eliminated couplings put outside its limits."""
    indices = dict.fromkeys(c.follower.tree_joint for c in compiled.eliminated)
    own = [compiled.tree[i] for i in indices]
    stands = [(t.edge.joint, tuple(q[t.q].tolist())) for t in own]
    return [_fault(joint, values) for joint, values in stands if excess(joint, values) > GIVES]


def single_limits(joint: Joint) -> Iterator[tuple[int, tuple[float, float]]]:
    """Index into its coordinates, and limits, of each single coordinate."""
    at = 0
    for index, factor in enumerate(joint.kind.factors):
        if factor.nq == 1:
            yield at, joint.limits[index] if joint.limits else OPEN
        at += factor.nq


def excess(joint: Joint, values: Sequence[float] | Array) -> float:
    """How far [m or rad] past its limits a joint stands at these coordinates; 0 within."""
    q = np.asarray(values)
    past = [max(low - q[at], q[at] - high) for at, (low, high) in single_limits(joint)]
    if joint.swing_limit is not None:
        past.append(float(swing_of(q[-4:])) - joint.swing_limit)
    return max(0.0, *map(float, past)) if past else 0.0


def within_limits(joint: Joint, values: Sequence[float] | Array) -> Array:
    """The coordinates nearest to these that the joint's own limits allow, shape (nq,)."""
    nearest = np.array(values, dtype=float)
    for at, (low, high) in single_limits(joint):
        nearest[at] = np.clip(nearest[at], low, high)
    if joint.swing_limit is not None:
        nearest[-4:] = held_swing(nearest[-4:], joint.swing_limit)
    return nearest


def unreachable(
    joint: Joint, wanted: Sequence[float], nearest: Sequence[float], stop: str | None = None
) -> UnreachableError:
    """A value of a joint that is out of reach; `stop` names the joint whose limit is in the way."""
    said = (show_coordinates(joint, wanted), show_coordinates(joint, nearest))
    if stop is not None:
        return StoppedError(joint.name, wanted, nearest, said, stop)
    return UnreachableError(joint.name, wanted, nearest, said)


def _fault(joint: Joint, values: tuple[float, ...]) -> MechanismError:
    if joint.swing_limit is not None:
        swing = degrees(float(swing_of(np.array(values[-4:]))))
        return AssembledOutsideLimitsError(
            joint.name, swing, (0.0, degrees(joint.swing_limit)), "deg"
        )
    at, (low, high) = max(
        single_limits(joint),
        key=lambda item: max(item[1][0] - values[item[0]], values[item[0]] - item[1][1]),
    )
    turns = [factor.is_turn for factor in joint.kind.factors for _ in range(factor.nq)][at]
    shown, unit = shown_in(turns)
    return AssembledOutsideLimitsError(
        joint.name, shown(values[at]), (shown(low), shown(high)), unit
    )
