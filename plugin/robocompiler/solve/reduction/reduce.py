"""The lift: how every speed follows from the independent ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.elimination import carried
from robocompiler.compiler.rows import linearize
from robocompiler.errors import BadValueError, MechanismError, NotClosedError, UnknownNameError
from robocompiler.solve.closure import length_scale, row_scales, widest_gap
from robocompiler.solve.continuation.constants import MISFIT
from robocompiler.solve.reduction.blocks import Block, module_rows
from robocompiler.solve.reduction.checks import check_numbers, first_of, read_names, read_q
from robocompiler.solve.reduction.partition import (
    NamedBlock,
    Partition,
    choose_partition,
    named_blocks,
    speed_names,
)
from robocompiler.solve.state import evaluate
from robocompiler.spatial import Array, apply

DEGRADED = 1e-3
"""Condition of the dependent block below which another choice of independent speeds is sought."""
CLOSED = 1e-12
"""Rows [m or rad] that are closed whatever the mechanism's size: none is that small."""
# What another choice must win to be worth a change, and how free a joint must be to be in it.
BETTER, FREE = 10.0, 0.02


class RankChangedError(MechanismError):
    """The mechanism stands where its loops hold fewer motions than they did: it is singular."""

    def __init__(self, before: int, now: int, gained: Sequence[str]) -> None:
        self.before, self.now, self.gained = before, now, tuple(gained)
        shown = ", ".join(f"'{name}'" for name in self.gained) or "none alone"
        super().__init__(
            f"The loops hold {now} motions here and held {before} before: the configuration is "
            f"singular. With the independent joints at rest these can still move: {shown}. "
            "Step over it, or drive one of them."
        )


@dataclass(frozen=True, slots=True, eq=False)
class Reduction:
    """The lift v = E u at a configuration, or at each of a batch of them."""

    compiled: CompiledMechanism
    q: Array
    """Where it was taken, shape (…, nq)."""
    partition: Partition
    E: Array
    """v = E u, shape (…, nv, m)."""
    jacobian: Array
    """K of all rows, shape (…, rows, nv)."""
    inverse: Array
    """How the speeds follow where the rows are not zero, v = E u + K⁺ φ̇, shape (…, nv, rows)."""
    condition: Array
    """Least over greatest singular value of the dependent block, angles and lengths made one
    unit; the worst block's. Shape (…)."""

    @property
    def independent(self) -> tuple[int, ...]:
        """Speeds that make up u, in its order."""
        return self.partition.independent

    @property
    def dependent(self) -> tuple[int, ...]:
        """Speeds that follow."""
        return self.partition.dependent

    @property
    def names(self) -> tuple[str, ...]:
        """What the entries of u are called."""
        names = speed_names(self.compiled)
        return tuple(names[i] for i in self.independent)

    @property
    def modules(self) -> tuple[NamedBlock, ...]:
        """What is solved together, by names: closures that share a dependent speed."""
        return named_blocks(self.compiled, self.partition)

    @property
    def rank(self) -> int:
        """How many speeds the loops determine."""
        return len(self.dependent)

    def speeds(self, u: Array, places: Mapping[str, Array] | None = None) -> Array:
        """v of independent speeds u (…, m) where the places of tasks move, shape (…, nv).

        Linear, so that accelerations of places are carried over as well. Rates that the loops
        cannot follow are followed as nearly as they can; `assemble` refuses such speeds.

        Args:
            u: of the independent joints.
            places: how the place of a task moves [m/s], with its angular velocity [rad/s] in the
                turned frame where it is a whole frame, by its name; others stand still.

        Raises:
            UnknownNameError: no task is called so.
            BadValueError: u or a rate has another length, or is not finite.
        """
        check_numbers(u, self.names, "Speeds", "u")
        rates, tasks = places or {}, [task.name for task in self.compiled.tasks]
        names, own = speed_names(self.compiled), dict[str, slice]()
        for name, rate in rates.items():
            if name not in tasks:
                raise UnknownNameError("Speeds of places", "task", name, tasks)
            own[name] = self.compiled.tree_joint(name).v
            check_numbers(rate, names[own[name]], "Speeds of places", name)
        batches = (np.shape(x)[:-1] for x in (u, self.q, *rates.values()))
        moved = np.zeros((*np.broadcast_shapes(*batches), self.compiled.nv))
        for name, rate in rates.items():
            moved[..., own[name]] = rate
        follows = apply(self.inverse, apply(self.jacobian, moved))
        return np.asarray(apply(self.E, u) + moved - follows)

    def transfer(self, other: Reduction) -> Array:
        """F with u = F u', u' the independent speeds of another reduction at the same q.

        For Ḟ see `transfer_rate`. Shape (…, m, m).
        """
        return np.asarray(other.E[..., list(self.independent), :])


def reduce(
    compiled: CompiledMechanism,
    q: Array,
    independent: Sequence[str] | Partition = (),
    complete: bool = True,
) -> Reduction:
    """Express every speed by independent ones, at closed configurations of shape (…, nq).

    The rows retained are the combinations that the loops hold at the tolerance of ranks, so that
    K E = 0 on all rows to rounding, or to the misfit where the geometry is rounded.

    Args:
        compiled: the mechanism.
        q: one configuration or a batch; independent speeds are chosen at the first.
        independent: the names of those wanted (see `choose_partition`), or a choice made before.
        complete: whether to add what the names leave undetermined; otherwise that is refused.

    Raises:
        BadValueError: q has another length, or is not finite.
        NotClosedError: the loops do not meet at q; open, they hold other motions than closed.
        UnknownNameError, PartitionError: a request that cannot work.
    """
    q = read_q(compiled, q, "reduce")
    first = first_of(q, "reduce")
    found = linearize(compiled, q)
    _refuse_open(compiled, q, found.residual)
    partition = independent
    if not isinstance(partition, Partition):
        partition = choose_partition(
            compiled, first, read_names(partition, "reduce", "independent"), complete
        )
    K = found.jacobian
    _refuse_foreign(compiled, partition, K.shape[-2])
    inverse = np.zeros((*q.shape[:-1], compiled.nv, K.shape[-2]))
    condition = np.ones(q.shape[:-1])
    column = {speed: at for at, speed in enumerate(partition.independent)}
    E = np.zeros((*q.shape[:-1], compiled.nv, len(column)))
    E[..., list(column), range(len(column))] = 1.0
    for block in partition.blocks:
        own, share = block_inverse(K, block)
        dependent = np.array(block.dependent, dtype=int)[:, None]
        inverse[..., dependent, list(block.rows)] = own
        E[..., dependent, [column[i] for i in block.inputs]] = _block_lift(K, block, own)
        condition = np.minimum(condition, share)
    inverse, E = carried(compiled, inverse), carried(compiled, E)
    return Reduction(compiled, q, partition, E, K, inverse, condition)


def _refuse_foreign(compiled: CompiledMechanism, partition: Partition, rows: int) -> None:
    """An error for a partition of other speeds or other rows than these."""
    follow = [coupling.follower.v for coupling in compiled.eliminated]
    speeds = {*partition.independent, *partition.dependent, *compiled.prescribed, *follow}
    held = sorted(row for block in partition.blocks for row in block.rows)
    if speeds != set(range(compiled.nv)) or held != list(range(rows)):
        given = f"a partition of {len(speeds)} speeds that {len(held)} rows hold"
        expected = f"one of this mechanism, of {compiled.nv} and {rows}: supports and cuts count"
        raise BadValueError("reduce", "independent", given, expected)


def _refuse_open(compiled: CompiledMechanism, q: Array, residual: Array) -> None:
    """An error for the worst of the loops that are further open than rounded geometry leaves them.

    A module's size is asked only where rounding of arithmetic would not explain what is left.
    """
    if float(np.max(np.abs(residual), initial=0.0)) <= CLOSED:
        return
    phi = np.abs(residual.reshape(-1, residual.shape[-1]))
    for module in compiled.modules:
        rows = list(module_rows(compiled, module))
        worst = int(np.argmax(np.max(phi[:, rows], axis=-1, initial=0.0)))
        state = evaluate(compiled, q.reshape(-1, compiled.nq)[worst])
        size = length_scale(compiled, state, module)
        scales = row_scales(compiled, module, size)
        if float(np.max(phi[:, rows] * scales, initial=0.0)) <= MISFIT:
            continue
        raise NotClosedError(*widest_gap(compiled, module, state, size))


def block_inverse(K: Array, block: Block) -> tuple[Array, Array]:
    """K⁺ of a block's dependent speeds, shape (…, dependent, rows), and its condition."""
    rank = len(block.dependent)
    rows, speeds = block.row_scales, block.speed_scales
    every = [*block.dependent, *block.inputs]
    scaled = K[..., list(block.rows), :][..., every] * rows[:, None] / speeds[every]
    if not rank:
        return np.zeros((*K.shape[:-2], 0, len(rows))), np.ones(K.shape[:-2])
    retained = np.swapaxes(np.linalg.svd(scaled, full_matrices=False)[0][..., :rank], -1, -2)
    A = retained @ scaled[..., :rank]
    U, s, Vt = np.linalg.svd(A)
    largest = np.where(s[..., :1] > 0.0, s[..., :1], 1.0)
    # What is below rounding of the largest is no number to divide by: the condition tells of it.
    spread = np.maximum(s, np.finfo(float).eps * largest)[..., None, :]
    inverse = (np.swapaxes(Vt, -1, -2) / spread) @ np.swapaxes(U, -1, -2)
    inverse = inverse @ retained
    condition = s[..., -1] / largest[..., 0]
    return inverse * rows / speeds[list(block.dependent)][:, None], condition


def _block_lift(K: Array, block: Block, inverse: Array) -> Array:
    """How a block's dependent speeds follow its inputs, shape (…, dependent, inputs)."""
    rows = K[..., list(block.rows), :]
    driven, follow = rows[..., list(block.inputs)], rows[..., list(block.dependent)]
    lift = -inverse @ driven
    # Once more, to take back what the first leaves of rounding.
    return np.asarray(lift - inverse @ (driven + follow @ lift))


def repartition(compiled: CompiledMechanism, q: Array, reduction: Reduction) -> Reduction:
    """The reduction at q by the same independent speeds, or by others where those degrade.

    Others are chosen where the dependent block's condition falls below `DEGRADED`, and only if
    that wins a factor of `BETTER`: near a true singularity every choice is as bad. Carry u over by
    `transfer`, and its rate by `transfer_rate`. For a batch the choice is made at its worst.

    Raises:
        RankChangedError: the rank at q is another, so that no choice of as many speeds works.
    """
    kept = reduce(compiled, q, reduction.partition)
    if float(np.min(kept.condition)) >= DEGRADED:
        return kept
    worst = np.unravel_index(np.argmin(kept.condition), kept.condition.shape)
    chosen = choose_partition(compiled, kept.q[worst], least=FREE)
    fresh = reduce(compiled, kept.q, chosen)
    if fresh.rank != kept.rank:
        raise RankChangedError(kept.rank, fresh.rank, _gained(kept, worst))
    better = float(np.min(fresh.condition)) > BETTER * float(np.min(kept.condition))
    return fresh if better else kept


def _gained(reduction: Reduction, at: tuple[np.intp, ...]) -> list[str]:
    """Names of the dependent speeds that move though the independent ones stand still."""
    names, gained = speed_names(reduction.compiled), []
    for block in reduction.partition.blocks:
        dependent = list(block.dependent)
        K = reduction.jacobian[at][list(block.rows)][:, dependent]
        scaled = K * block.row_scales[:, None] / block.speed_scales[dependent]
        _, s, Vt = np.linalg.svd(scaled)
        if s.size and s[-1] < DEGRADED * s[0]:
            gained += [names[i] for i, x in zip(dependent, Vt[-1], strict=True) if abs(x) > 0.01]
    return gained
