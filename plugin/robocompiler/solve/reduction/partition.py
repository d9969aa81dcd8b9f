"""Which speeds drive and which follow: chosen once, kept until the followers lose their hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism, Module
from robocompiler.compiler.rows import linearize
from robocompiler.errors import MechanismError, UnknownNameError
from robocompiler.solve.closure import count_above, length_scale, row_scales, speed_scales
from robocompiler.solve.continuation.corrector import module_speeds
from robocompiler.solve.reduction.blocks import Block, blocks_of, module_rows
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
class Partition:
    """Independent and dependent speeds of a mechanism."""

    independent: tuple[int, ...]
    """The requested ones first, as requested; then actuated ones, then the others."""
    blocks: tuple[Block, ...]
    """What is solved together, by what follows: they share no dependent speed."""

    @property
    def dependent(self) -> tuple[int, ...]:
        """All speeds that follow, in their order."""
        return tuple(sorted(i for block in self.blocks for i in block.dependent))


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedBlock:
    """A block as a person reads it."""

    name: str
    """Of its first closure or coupling."""
    closures: tuple[str, ...]
    couplings: tuple[str, ...]
    inputs: tuple[str, ...]
    """Independent joints or speeds that it follows; others may follow them too."""
    dependent: tuple[str, ...]
    """Those that follow, and are this block's alone."""

    def __str__(self) -> str:
        """Such as `C: B, D follow A`, with its loops and couplings where they are more than one."""
        if not self.dependent:
            said = "nothing follows"
        elif not self.inputs:
            said = f"{', '.join(self.dependent)} stand still"
        else:
            said = f"{', '.join(self.dependent)} follow {', '.join(self.inputs)}"
        held = [*self.closures, *self.couplings]
        return f"{self.name}: {said}" + (f" (by {', '.join(held)})" if len(held) > 1 else "")


def named_blocks(compiled: CompiledMechanism, partition: Partition) -> tuple[NamedBlock, ...]:
    """The blocks of a partition by the names of what they hold (see `names_of`)."""
    return tuple(
        NamedBlock(
            name=block.name,
            closures=tuple(compiled.closures[i].name for i in block.module.closures),
            couplings=tuple(compiled.couplings[i].name for i in block.module.couplings),
            inputs=names_of(compiled, block.inputs),
            dependent=names_of(compiled, block.dependent),
        )
        for block in partition.blocks
    )


def speed_names(compiled: CompiledMechanism) -> tuple[str, ...]:
    """The name of every speed: the joint's, `joint/label` where it has several factors.

    A rotation has three, see `Joint.speed_names`.
    """
    return tuple(name for t in compiled.tree for name in t.edge.joint.speed_names)


def names_of(compiled: CompiledMechanism, speeds: Sequence[int]) -> tuple[str, ...]:
    """Names of speeds in their order, a joint's instead where all of its speeds are among them."""
    names = list(speed_names(compiled))
    for tree_joint in compiled.tree:
        own = range(tree_joint.v.start, tree_joint.v.stop)
        if set(own) <= set(speeds):
            names[own.start : own.stop] = [tree_joint.edge.joint.name] * len(own)
    return tuple(dict.fromkeys(names[i] for i in speeds))


def named_speeds(compiled: CompiledMechanism, names: Sequence[str]) -> list[int]:
    """The speeds of names: of a joint, which means all of its speeds, or of a single speed.

    Raises:
        UnknownNameError: a name of nothing.
        PartitionError: of a joint that was cut, or a speed named twice.
    """
    known: dict[str, list[int]] = {}
    prescribed: set[str] = set()
    follow = {coupling.follower.name: coupling for coupling in compiled.eliminated}
    for tree_joint in compiled.tree:
        own = list(range(tree_joint.v.start, tree_joint.v.stop))
        joint = tree_joint.edge.joint
        prescribed |= {joint.name} if tree_joint.prescribed else set()
        known[joint.name] = own
        if len(own) > 1:
            named = zip(joint.speed_names, own, strict=True)
            known.update({name: [speed] for name, speed in named})
    cut = {closure.chord.joint.name: closure for closure in compiled.closures}
    speeds: list[int] = []
    for name in names:
        if name in cut:
            path = [compiled.tree[i].edge.joint.name for i in cut[name].path]
            raise PartitionError([name], "it was cut, since nothing drives it", path)
        if name in follow:
            coupling = follow[name]
            leaders = [leader.name for leader in coupling.leaders]
            reason = f"it follows by coupling '{coupling.name}', which is eliminated"
            raise PartitionError([name], reason, leaders)
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
        blocks += freedom.blocks()
    if not complete and (left := sorted(free - set(requested))):
        names = [speed_names(compiled)[i] for i in left]
        raise PartitionError(names, "no loop holds them, so they must be independent", names)
    rank, driven = {speed: at for at, speed in enumerate(requested)}, compiled.actuated
    order = sorted({*taken, *free}, key=lambda i: (rank.get(i, len(rank)), i not in driven, i))
    return Partition(tuple(order), tuple(blocks))


def _incomplete(freedom: _Freedom) -> PartitionError:
    asked = [freedom.names[i] for i in freedom.taken] or [freedom.module.name]
    reason = f"they leave {freedom.left} freedoms of loop '{freedom.module.name}' undetermined"
    freedom.complete(INDEPENDENCE)
    added = [freedom.names[i] for i in freedom.taken if freedom.names[i] not in asked]
    return PartitionError(asked, reason, [*(n for n in asked if n in freedom.names), *added])


class _Freedom:
    """The motions a module's loops leave, and which speeds were chosen to prescribe them."""

    def __init__(self, compiled: CompiledMechanism, state: State, K: Array, module: Module) -> None:
        self.compiled, self.state, self.K, self.module = compiled, state, K, module
        self.own = module_speeds(compiled, module)
        length = length_scale(compiled, state, module)
        scaled = K[np.ix_(module_rows(compiled, module), self.own)]
        scaled = scaled / speed_scales(compiled, length)[self.own]
        _, s, Vt = np.linalg.svd(row_scales(compiled, module, length)[:, None] * scaled)
        self.rank = count_above(s)
        self.motions = {speed: Vt[self.rank :, at] for at, speed in enumerate(self.own)}
        self.taken: list[int] = []
        self._basis = np.zeros((0, len(self.own) - self.rank))

    @property
    def names(self) -> tuple[str, ...]:
        """Of all speeds, for errors."""
        return speed_names(self.compiled)

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
        driven = self.compiled.actuated
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

    def blocks(self) -> tuple[Block, ...]:
        """The module, split where its parts share no speed that follows."""
        return blocks_of(self.compiled, self.state, self.K, self.module, self.taken)
