"""Which speeds drive and which follow: chosen once, kept until the followers lose their hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism, Module
from robocompiler.errors import MechanismError, UnknownNameError
from robocompiler.model.joint_kinds import Factor
from robocompiler.model.mechanism import Joint
from robocompiler.solve.closure import (
    count_above,
    length_scale,
    linearize,
    row_scales,
    speed_scales,
)
from robocompiler.solve.continuation.corrector import module_speeds
from robocompiler.solve.state import State, evaluate
from robocompiler.spatial import Array

INDEPENDENCE = 1e-4
"""How much of a speed's own motion, of 1, must be left when those chosen before it stand still."""
# Speeds this near the freest are its equals, so that the order of the tree decides.
ALIKE = 0.99


class PartitionError(MechanismError):
    """Joints that cannot be the independent ones, or not together."""

    def __init__(self, refused: Sequence[str], reason: str, would_work: Sequence[str]) -> None:
        self.refused, self.reason, self.would_work = tuple(refused), reason, tuple(would_work)
        names = ", ".join(f"'{name}'" for name in self.refused)
        others = ", ".join(f"'{name}'" for name in self.would_work) or "none"
        super().__init__(f"{names} cannot be independent: {reason}. What would work: {others}.")


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The share of one module."""

    rows: tuple[int, ...]
    """Among all rows, in the order of `linearize`."""
    independent: tuple[int, ...]
    dependent: tuple[int, ...]
    """As many as the module's rank."""
    row_scales: Array
    """What makes rows of lengths and angles one unit."""
    speed_scales: Array
    """Likewise speeds, shape (nv,)."""


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """Independent and dependent speeds of a mechanism."""

    independent: tuple[int, ...]
    """The requested ones first, as requested; then actuated ones, then the others."""
    blocks: tuple[Block, ...]

    @property
    def dependent(self) -> tuple[int, ...]:
        """All speeds that follow, in their order."""
        return tuple(sorted(i for block in self.blocks for i in block.dependent))


def speed_names(compiled: CompiledMechanism) -> tuple[str, ...]:
    """The name of every speed: the joint's, `joint/label` where it has several factors.

    A rotation has three: `joint/rotation.x` and so on, about the axes of the turned frame.
    """
    return tuple(name for t in compiled.tree for name in joint_speed_names(t.edge.joint))


def joint_speed_names(joint: Joint) -> Iterator[str]:
    """The names of one joint's speeds, as in `speed_names`."""
    for factor, label, name in zip(joint.kind.factors, joint.names, joint.full_names, strict=False):
        if factor is Factor.ROTATION:
            yield from (f"{joint.name}/{label}.{axis}" for axis in "xyz")
        else:
            yield name


def named_speeds(compiled: CompiledMechanism, names: Sequence[str]) -> list[int]:
    """The speeds of names: of a joint, which means all of its speeds, or of a single speed.

    Raises:
        UnknownNameError: a name of nothing.
        PartitionError: of a joint that was cut, or a speed named twice.
    """
    known: dict[str, list[int]] = {}
    prescribed: set[str] = set()
    for tree_joint in compiled.tree:
        own = list(range(tree_joint.v.start, tree_joint.v.stop))
        joint = tree_joint.edge.joint
        prescribed |= {joint.name} if tree_joint.prescribed else set()
        known[joint.name] = own
        if len(own) > 1:
            named = zip(joint_speed_names(joint), own, strict=True)
            known.update({name: [speed] for name, speed in named})
    cut = {closure.chord.joint.name: closure for closure in compiled.closures}
    speeds: list[int] = []
    for name in names:
        if name in cut:
            path = [compiled.tree[i].edge.joint.name for i in cut[name].path]
            raise PartitionError([name], "it was cut, since nothing drives it", path)
        if name not in known:
            raise UnknownNameError("Independent joints", "joint or speed", name, known)
        if name.partition("/")[0] in prescribed:
            others = [n for n in known if n.partition("/")[0] not in prescribed]
            raise PartitionError([name], "it is the place of a task, prescribed", others)
        if set(known[name]) & set(speeds):
            others = [n for n in known if n not in names]
            raise PartitionError([name], "it is asked for twice", others)
        speeds += known[name]
    return speeds


def choose_partition(
    compiled: CompiledMechanism,
    q: Array,
    independent: Sequence[str] = (),
    complete: bool = True,
    least: float = INDEPENDENCE,
) -> Partition:
    """Choose independent speeds at a closed q, shape (nq,), on which all others depend well.

    By module. The requested ones are taken as they come, then actuated joints and then the others,
    always the one with the most motion of its own left while those taken stand still; on equal
    terms, the one nearer the world. So a floating base, joints on no loop and idle freedoms, which
    no actuator moves, end among the independent ones.

    Args:
        compiled: the mechanism, closed at `q`.
        q: where it stands.
        independent: names of joints, or of single speeds (see `speed_names`).
        complete: whether to add what these leave undetermined; otherwise that is refused.
        least: how much motion of its own an actuated joint must have left to be preferred.

    Raises:
        UnknownNameError, PartitionError: a request that cannot work, with the joints that would.
    """
    requested = named_speeds(compiled, independent)
    free, taken, blocks = set(compiled.movable), list[int](), list[Block]()
    state, K = evaluate(compiled, q), linearize(compiled, q).jacobian
    for module in compiled.modules:
        freedom = _Freedom(compiled, state, K, module)
        free -= set(freedom.own)
        freedom.take_requested([i for i in requested if i in freedom.own])
        freedom.complete(least, complete)
        taken += freedom.taken
        blocks.append(freedom.block())
    if not complete and (left := sorted(free - set(requested))):
        names = [speed_names(compiled)[i] for i in left]
        raise PartitionError(names, "no loop holds them, so they must be independent", names)
    rank, driven = {speed: at for at, speed in enumerate(requested)}, _actuated(compiled)
    order = sorted({*taken, *free}, key=lambda i: (rank.get(i, len(rank)), i not in driven, i))
    return Partition(tuple(order), tuple(blocks))


def _actuated(compiled: CompiledMechanism) -> set[int]:
    driven = [t for t in compiled.tree if t.edge.joint.effort is not None]
    return {i for t in driven for i in range(t.v.start, t.v.stop)}


def _incomplete(freedom: _Freedom) -> PartitionError:
    asked = [freedom.names[i] for i in freedom.taken] or [freedom.module.name]
    reason = f"they leave {freedom.left} freedoms of loop '{freedom.module.name}' undetermined"
    freedom.complete(INDEPENDENCE)
    added = [freedom.names[i] for i in freedom.taken if freedom.names[i] not in asked]
    return PartitionError(asked, reason, [*(n for n in asked if n in freedom.names), *added])


class _Freedom:
    """The motions a module's loops leave, and which speeds were chosen to prescribe them."""

    def __init__(self, compiled: CompiledMechanism, state: State, K: Array, module: Module) -> None:
        self.compiled, self.module = compiled, module
        self.names = speed_names(compiled)
        self.own = module_speeds(compiled, module)
        self.rows = module_rows(compiled, module)
        length = length_scale(compiled, state, module)
        self.row_scales = row_scales(compiled, module, length)
        self.speed_scales = speed_scales(compiled, length)
        scaled = K[np.ix_(self.rows, self.own)] / self.speed_scales[self.own]
        _, s, Vt = np.linalg.svd(self.row_scales[:, None] * scaled)
        self.rank = count_above(s)
        self.motions = {speed: Vt[self.rank :, at] for at, speed in enumerate(self.own)}
        self.taken: list[int] = []
        self._basis = np.zeros((0, len(self.own) - self.rank))

    @property
    def left(self) -> int:
        """How many freedoms the speeds taken leave undetermined."""
        return len(self.own) - self.rank - len(self.taken)

    def own_motion(self, speed: int) -> Array:
        """What is left of a speed's motion while those taken stand still."""
        row = self.motions[speed]
        for _ in range(2):
            row = row - self._basis.T @ (self._basis @ row)
        return row

    def take(self, speed: int) -> None:
        row = self.own_motion(speed)
        self.taken.append(speed)
        self._basis = np.vstack([self._basis, row / np.linalg.norm(row)])

    def take_requested(self, speeds: Sequence[int]) -> None:
        for speed in speeds:
            if float(np.linalg.norm(self.own_motion(speed))) <= INDEPENDENCE:
                raise self._refusal(speed, len(speeds))
            self.take(speed)

    def take_freest(self, candidates: Sequence[int], least: float) -> None:
        while self.left:
            sizes = np.array([np.linalg.norm(self.own_motion(i)) for i in candidates])
            if not sizes.size or sizes.max() <= least:
                return
            self.take(candidates[int(np.flatnonzero(sizes >= ALIKE * sizes.max())[0])])

    def complete(self, least: float, allowed: bool = True) -> None:
        """Take actuated speeds as far as they go, then the others."""
        if self.left and not allowed:
            raise _incomplete(self)
        driven = _actuated(self.compiled)
        self.take_freest([i for i in self.own if i in driven], least)
        self.take_freest(self.own, 0.0)

    def _refusal(self, speed: int, asked: int) -> PartitionError:
        mobility, loop = len(self.own) - self.rank, self.module.name
        moving = [i for i in self.own if np.linalg.norm(self.own_motion(i)) > INDEPENDENCE]
        would_work = [i for i in moving if i not in self.taken]
        if float(np.linalg.norm(self.motions[speed])) <= INDEPENDENCE:
            reason = f"loop '{loop}' does not let it move here"
        elif asked > mobility:
            reason = f"{asked} are asked for, and loop '{loop}' has {mobility} freedoms"
            would_work = would_work or self.taken
        else:
            held = ", ".join(f"'{self.names[i]}'" for i in self.taken)
            reason = f"it follows from {held}, which the request takes before it"
        return PartitionError([self.names[speed]], reason, [self.names[i] for i in would_work])

    def block(self) -> Block:
        dependent = tuple(i for i in self.own if i not in set(self.taken))
        return Block(
            rows=self.rows,
            independent=tuple(self.taken),
            dependent=dependent,
            row_scales=self.row_scales,
            speed_scales=self.speed_scales,
        )


def module_rows(compiled: CompiledMechanism, module: Module) -> tuple[int, ...]:
    """The rows of a module among those of all closures and couplings, as `linearize` has them."""
    starts = np.cumsum([0, *(closure.rows for closure in compiled.closures)]).tolist()
    rows = [i for c in module.closures for i in range(starts[c], starts[c + 1])]
    return (*rows, *(starts[-1] + i for i in module.couplings))
