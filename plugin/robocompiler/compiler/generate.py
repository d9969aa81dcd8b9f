"""Pass: what is to be generated for a type of block, as kernels.

`correct` closes a block from near by Newton, its independent coordinates kept, and gives the lift;
`motion` is the same and gives the speeds that follow and the curvature too; `standing` gives what
that does of a closed block, and moves nothing; `evaluate` gives rows and Jacobian as they are,
anywhere; `follow` leads the independent coordinates along a table.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

import numpy as np

from robocompiler.codegen.graph import Symbol
from robocompiler.codegen.kernels import (
    RESULTS,
    STATE,
    TARGETS,
    Continued,
    Iterated,
    Kernel,
    Straight,
)
from robocompiler.compiler.block_types import BlockPlan
from robocompiler.compiler.compiled import CompiledMechanism, coordinates_of, speeds_of
from robocompiler.compiler.elimination import carried
from robocompiler.compiler.rows import curvature_rows, linearize
from robocompiler.compiler.soundness import closes_soundly, moves_soundly, norm, pivot_shares
from robocompiler.compiler.steps import step
from robocompiler.compiler.tracing import Traced, as_symbols
from robocompiler.equations.kinematics import joint_difference
from robocompiler.spatial import Array

FEW_DIGITS = 1e-4
"""What single precision leaves of rows that are not solved: several times where Newton stops."""
KERNELS = ("correct", "motion", "standing", "evaluate", "follow")
"""Names of what can be generated.

Input slots are the coordinates of a block, then its parameters, then, for `correct` and `motion`, a
sign that stands at 0 (`_kept`), then, for `motion` and `standing`, its speeds. Results of `correct`
are E, row by row of `moving`, then the coordinates of followers, then that sign; of `motion` also v
of `moving`, then their curvature c, and of `standing` the same without a sign; of `evaluate` φ,
then what of K is not zero everywhere (`jacobian`). `follow` has those of `correct`, and in both one
over each pivot, of the last knot and of this one. Its targets are `target_coordinates`.
"""


def generate(own: Traced, name: str, rounded: bool = False) -> Kernel:
    """One of the kernels of a type of block.

    Args:
        own: the type, traced.
        name: one of `KERNELS`.
        rounded: whether rows that are not solved may be left with what numbers of fewer digits
            leave.

    Raises:
        GenerationError: `follow`, where a joint of a block is only partly independent.
    """
    if name == "evaluate":
        return _evaluate(own)
    lift = _lift(own)
    if name == "standing":
        return _standing(own, lift)
    correct = _correct(own, lift, _allowed(own, rounded))
    if name != "follow":
        correct = _kept(own, correct)
    if name == "motion":
        return _motion(own, lift, correct)
    return correct if name == "correct" else _follow(own, _watched(own, correct))


def jacobian(own: Traced) -> tuple[tuple[tuple[int, int], ...], tuple[Symbol, ...]]:
    """Row and speed of what of K is not zero everywhere, and what it is, closed or not."""
    K = as_symbols(own.graph, linearize(own.compiled, own.q).jacobian)
    found = [(at, entry) for at, entry in np.ndenumerate(K) if entry.constant != 0.0]
    return tuple((at[0], at[1]) for at, _ in found), tuple(entry for _, entry in found)


def _evaluate(own: Traced) -> Straight:
    return Straight(
        name="evaluate",
        graph=own.graph,
        inputs=own.plan.compiled.nq + len(own.type.varying),
        results=(*own.phi, *jacobian(own)[1]),
    )


def _lift(own: Traced) -> Array:
    """How every speed of the block follows from those known beforehand, (nv, columns)."""
    plan, columns = own.plan, own.plan.known
    E = _zeros(own, (plan.compiled.nv, len(columns)))
    for at, speed in enumerate(columns):
        E[speed, at] = own.graph.constant(1.0)
        E[list(plan.dependent), at] = own.solved(-own.K[list(own.retained), speed])
    return carried(own.compiled, E)


def _zeros(own: Traced, shape: tuple[int, ...]) -> Array:
    return np.full(shape, own.graph.constant(0.0), dtype=object)


def _newton(own: Traced) -> tuple[Symbol, Symbol, Array]:
    """How far it is from closed, and a step: how far it goes in one unit, and all speeds of it.

    Followers do not count: what is geared up is no further away.
    """
    plan, rows = own.plan, list(own.retained)
    delta = _zeros(own, (plan.compiled.nv,))
    delta[list(plan.dependent)] = own.solved(-own.phi[rows])
    size = norm(own, own.phi[rows] * own.row_scales[rows])
    moved = norm(own, delta * own.speed_scales)
    return size, moved, carried(own.compiled, delta[:, None])[:, 0]


def _allowed(own: Traced, rounded: bool) -> float:
    """What the rows that are not solved may be left with."""
    return FEW_DIGITS if rounded else max(plan.allowed for plan in own.type.plans)


def _correct(own: Traced, lift: Array, misfit: float) -> Iterated:
    plan, count = own.plan, len(own.plan.inputs)
    size, moved, delta = _newton(own)
    after = step(own.compiled, own.q, delta)
    parameters = own.graph.inputs("x", plan.compiled.nq + len(own.type.varying))[plan.compiled.nq :]
    followers = _follower_coordinates(own.compiled)
    following = [*own.slots, *parameters]
    for i in _moving_coordinates(plan):
        following[i] = after[i]
    return Iterated(
        name="correct",
        graph=own.graph,
        inputs=len(following),
        size=size,
        moved=moved,
        following=tuple(following),
        sound=closes_soundly(own, misfit),
        results=(*lift[list(plan.moving), :count].ravel(), *own.q[followers]),
    )


def _motion(own: Traced, lift: Array, correct: Iterated) -> Iterated:
    """As `correct`, with the speeds known beforehand as inputs."""
    plan = own.plan
    slots = own.graph.inputs(STATE, correct.inputs + plan.compiled.nv)[correct.inputs :]
    known, moving = slots[list(plan.known)], list(plan.moving)
    speeds, bend = _moved(own, lift, known)
    return Iterated(
        name="motion",
        graph=own.graph,
        inputs=correct.inputs + plan.compiled.nv,
        size=correct.size,
        moved=correct.moved,
        following=(*correct.following, *slots),
        sound=correct.sound.both(moves_soundly(own, known, speeds)),
        results=(*correct.results, *speeds[moving], *bend[moving]),
    )


def _moved(own: Traced, lift: Array, known: Array) -> tuple[Array, Array]:
    """All speeds by those known beforehand, and what they accelerate by at constant ones."""
    plan, speeds = own.plan, _zeros(own, (own.plan.compiled.nv,))
    speeds[list(plan.known)] = known
    moving, rows = list(plan.moving), list(own.retained)
    speeds[moving] = [
        reduce(lambda a, b: a + b, row * known, own.graph.constant(0.0)) for row in lift[moving]
    ]
    speeds = _refined(own, speeds, _zeros(own, (len(rows),)))
    gamma = curvature_rows(own.compiled, own.q, speeds)[rows]
    gamma = gamma + _zeros(own, gamma.shape)
    bend = _zeros(own, (plan.compiled.nv,))
    bend[list(plan.dependent)] = own.solved(-gamma)
    return speeds, _refined(own, carried(own.compiled, bend[:, None])[:, 0], gamma)


def _standing(own: Traced, lift: Array) -> Straight:
    """What `motion` gives where it is closed, with no test of that: to be differentiated."""
    plan, count = own.plan, len(own.plan.inputs)
    first = plan.compiled.nq + len(own.type.varying)
    slots = own.graph.inputs(STATE, first + plan.compiled.nv)[first:]
    speeds, bend = _moved(own, lift, slots[list(plan.known)])
    moving = list(plan.moving)
    followers = own.q[_follower_coordinates(own.compiled)]
    return Straight(
        name="standing",
        graph=own.graph,
        inputs=first + plan.compiled.nv,
        results=(*lift[moving, :count].ravel(), *followers, *speeds[moving], *bend[moving]),
    )


def _refined(own: Traced, motion: Array, right: Array) -> Array:
    """Speeds or accelerations with K motion + right = 0, less what rounding leaves of that."""
    rows, refined = list(own.retained), np.array(motion)
    known = [*own.plan.known, *own.plan.dependent]
    left = own.K[rows][:, known] @ motion[known] + right
    refined[list(own.plan.dependent)] = motion[list(own.plan.dependent)] - own.solved(left)
    return carried(own.compiled, refined[:, None])[:, 0]


def _moving_coordinates(plan: BlockPlan) -> list[int]:
    """Coordinates of joints of which a speed is dependent."""
    dependent = set(plan.dependent)
    return coordinates_of(t for t in plan.compiled.tree if dependent & set(speeds_of([t])))


def _follower_coordinates(compiled: CompiledMechanism) -> list[int]:
    return [coupling.follower.q for coupling in compiled.eliminated]


def target_coordinates(plan: BlockPlan) -> tuple[int, ...]:
    """Coordinates of the joints all of whose speeds are independent: others stand still."""
    inputs = set(plan.inputs)
    return tuple(coordinates_of(t for t in plan.compiled.tree if set(speeds_of([t])) <= inputs))


def _kept(own: Traced, correct: Iterated) -> Iterated:
    """The same, sound only where the dependent block's determinant has the sign that it started
    with: Newton may leap over a singularity, and what it finds behind it is another branch.

    A slot holds that sign from the first step on; a result puts it back to 0 at the end.
    """
    graph, zero = own.graph, own.graph.constant(0.0)
    now = reduce(lambda a, b: a * b, pivot_shares(own), graph.constant(1.0))
    slot = graph.input(STATE, correct.inputs)
    then = (slot * slot > 0.0).select(slot, zero)  # NaN is what a call that failed has left
    return replace(
        correct,
        inputs=correct.inputs + 1,
        following=(*correct.following, (then * then > 0.0).select(then, now)),
        sound=correct.sound.both(then * now >= 0.0),
        results=(*correct.results, zero),
    )


def _watched(own: Traced, correct: Iterated) -> Iterated:
    """The same, sound only where no pivot has another sign than last time, where that is known.

    So a step over a singularity, behind which the loops close without having been able to get
    there, is not taken for a path.
    """
    shares = pivot_shares(own)
    slots = own.graph.inputs(STATE, correct.inputs + len(shares))
    before, sound = slots[correct.inputs :], correct.sound
    for now, then in zip(shares, before, strict=True):
        sound = sound.both(now * then >= 0.0)
    return replace(
        correct,
        inputs=len(slots),
        following=(*correct.following, *before),
        sound=sound,
        results=(*correct.results, *shares),
    )


def _follow(own: Traced, correct: Iterated) -> Continued:
    """Prediction by the lift of the last state: E times how far its inputs are from the targets."""
    plan, graph, targets = own.plan, own.graph, target_coordinates(own.plan)
    aims = dict(zip(targets, graph.inputs(TARGETS, len(targets)), strict=True))
    known, at = graph.inputs(RESULTS, len(correct.results)), own.slots
    ahead = _zeros(own, (plan.compiled.nv,))
    for joint in plan.compiled.tree:
        if joint.q.start in aims:
            goal = np.array([aims[i] for i in range(joint.q.start, joint.q.stop)], dtype=object)
            ahead[joint.v] = joint_difference(joint.edge.joint.kind, at[joint.q], goal)
    drive = ahead[list(plan.inputs)]
    lifts, pivots = len(plan.moving) * len(plan.inputs), len(plan.dependent)
    lift = known[:lifts].reshape(len(plan.moving), len(plan.inputs))
    follows = [reduce(lambda a, b: a + b, row * drive, graph.constant(0.0)) for row in lift]
    ahead[list(plan.dependent)] = follows[: len(plan.dependent)]
    ahead[list(plan.followers)] = graph.constant(0.0)
    moved = step(own.compiled, at, ahead)
    predicted = list(correct.following)
    for i in range(plan.compiled.nq):
        predicted[i] = aims.get(i, moved[i] if i in _moving_coordinates(plan) else at[i])
    predicted[len(predicted) - pivots :] = known[len(known) - pivots :]
    return Continued(
        iterated=correct,
        targets=len(targets),
        predicted=tuple(predicted),
        ahead=norm(own, ahead * own.speed_scales * float(bool(plan.dependent))),
    )
