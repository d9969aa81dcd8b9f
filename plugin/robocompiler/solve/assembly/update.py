"""A configuration that is kept up to date: only what a changed input touches is solved again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.elimination import followed
from robocompiler.errors import BadValueError, FollowsError, MechanismError, raise_all
from robocompiler.model.configuration import Configuration
from robocompiler.solve.assembly.assemble import put_loop_free
from robocompiler.solve.assembly.driven import driven_block
from robocompiler.solve.assembly.singular import singular_faults
from robocompiler.solve.assembly.still_open import TOLERANCE, unclosed
from robocompiler.solve.continuation.tracking import Place
from robocompiler.solve.describe import coordinates, describe
from robocompiler.solve.limits import followers_outside
from robocompiler.solve.reduction.partition import (
    NamedBlock,
    choose_partition,
    named_blocks,
    named_speeds,
    names_of,
    speed_names,
)
from robocompiler.solve.reduction.reduce import DEGRADED, reduce, repartition
from robocompiler.solve.values import Numbers, Values, read_values
from robocompiler.spatial import Array


@dataclass(frozen=True, slots=True, kw_only=True)
class Updated:
    """What one update did."""

    solved: tuple[str, ...]
    """Names of the modules that were solved."""
    skipped: tuple[str, ...]
    """Names of those whose inputs did not change."""


class Assembled:
    """A committed configuration of a mechanism, whose independent joints are given values.

    Modules are those of `reduce`: closures and couplings that share a dependent speed. `update`
    solves the ones an input of which changed, and commits when all of them succeed: a failure
    changes nothing. The others keep their coordinates bit for bit.
    """

    def __init__(
        self,
        compiled: CompiledMechanism,
        configuration: Configuration,
        independent: Sequence[str] = (),
    ) -> None:
        """Start from a closed configuration.

        Args:
            compiled: the mechanism.
            configuration: where it stands.
            independent: joints that will be given values, completed as `reduce` does: actuated
                joints first. To give others, start anew from the last configuration.

        Raises:
            UnknownNameError, BadValueError: a configuration of other joints or numbers.
            ClosureError, CouplingError: one that is open.
            SingularError: one where branches meet, so that none is told.
            UnknownNameError, PartitionError: a request that cannot work, with the joints that
                would.
        """
        self.compiled = compiled
        self._q = followed(compiled, coordinates(compiled, configuration))
        self._configuration: Configuration | None = configuration
        self._chords = {
            joint.name: dict(configuration.values).get(joint.name, joint.initial)
            for joint in (closure.chord.joint for closure in compiled.closures)
        }
        self._drawn = {g.closure: (g.drawn_gap, g.drawn_angle) for g in configuration.gaps}
        for module in compiled.modules:
            raise_all(unclosed(compiled, self._q, module, TOLERANCE))
        raise_all(singular_faults(compiled, self._q, compiled.joints))
        self._partition = choose_partition(compiled, self._q, independent)
        self._blocks = [
            driven_block(compiled, self._q, self._partition, block)
            for block in self._partition.blocks
        ]
        self._places = [driven.place(self._q) for driven in self._blocks]

    @property
    def configuration(self) -> Configuration:
        """As last committed, cut joints included."""
        if self._configuration is None:
            drawn = {c.name: self._drawn.get(c.name, (0.0, 0.0)) for c in self.compiled.closures}
            self._configuration = describe(self.compiled, self._q, drawn, near=self._chords)
        return self._configuration

    @property
    def q(self) -> Array:
        """Its tree coordinates, shape (nq,)."""
        return np.array(self._q)

    @property
    def independent(self) -> tuple[str, ...]:
        """The joints, or single speeds, that nothing but a value moves."""
        return names_of(self.compiled, self._partition.independent)

    @property
    def modules(self) -> tuple[NamedBlock, ...]:
        """What is solved together, and by which inputs."""
        return named_blocks(self.compiled, self._partition)

    def update(self, values: Values) -> Updated:
        """Give independent joints new values; the others keep theirs.

        Raises:
            UnknownNameError, BadValueError: other names or numbers than `assemble` takes, or a
                `Want`: an update keeps what it is given.
            FollowsError: a joint that is not independent, with those that it follows.
            UnreachableError: as `assemble`; what was committed stays.
            AssembledOutsideLimitsError: a joint that follows by an eliminated coupling would be
                outside its limits.
            PartitionError, RankChangedError: the independent joints have lost their hold where it
                stands.
        """
        chords = dict(self._chords)
        places, target = self._solved(*self._target(values), chords)
        q = target
        for driven, place in zip(self._blocks, places, strict=True):
            q = driven.into(q, place)
        q = followed(self.compiled, q)
        raise_all(followers_outside(self.compiled, q))
        did = [
            (driven.block.name, place is not before)
            for driven, place, before in zip(self._blocks, places, self._places, strict=True)
        ]
        self._q, self._places, self._chords, self._configuration = q, places, chords, None
        return Updated(
            solved=tuple(name for name, solved in did if solved),
            skipped=tuple(name for name, solved in did if not solved),
        )

    def _target(self, values: Values) -> tuple[Array, list[MechanismError]]:
        """What is committed with joints at their values, and errors of those on no loop."""
        must, want = read_values(self.compiled, values)
        if want:
            name = next(iter(want))
            raise BadValueError("Values to update", name, "a want", "a value to be met")
        raise_all(self._following(must))
        faults = list[MechanismError]()
        looped = {i for block in self._partition.blocks for i in block.module.joints}
        target = put_loop_free(self.compiled, self._q, must, {}, faults, [], looped)
        for tree_joint in (self.compiled.tree[i] for i in sorted(looped)):
            if tree_joint.edge.joint.name in must:
                target[tree_joint.q] = must[tree_joint.edge.joint.name]
        return target, faults

    def _following(self, must: Numbers) -> list[MechanismError]:
        """An error for each joint that has a dependent speed."""
        faults = list[MechanismError]()
        places = {task.name for task in self.compiled.tasks}
        for name in (name for name in must if name not in places):
            own = set(named_speeds(self.compiled, [name]))
            for driven in self._blocks:
                if own & set(driven.block.dependent):
                    inputs = names_of(self.compiled, driven.block.inputs)
                    faults.append(FollowsError(name, driven.block.name, inputs))
                    break
        return faults

    def _solved(
        self, target: Array, faults: list[MechanismError], chords: Numbers
    ) -> tuple[list[Place], Array]:
        """Where each block comes to, and the target with the inputs where they came to.

        An input that comes to a toggle stands there, a hair off its value: the other blocks it
        moves are solved once more for that. The cut joints in `chords` are brought along.
        """
        places = list(self._places)
        for _ in range(2):
            for i, driven in enumerate(self._blocks):
                if not driven.changed(places[i], target):
                    continue
                places[i], unmet = driven.drive(places[i], target, chords)
                faults += unmet
                target = target if unmet else driven.reached(places[i], target)
            if faults:
                self._raise_where_degraded()
            raise_all(faults)
        for driven, place in zip(self._blocks, places, strict=True):
            raise_all(driven.lost(place, target))
        return places, target

    def _raise_where_degraded(self) -> None:
        """What a reduction says of these independent joints where the mechanism stands."""
        here = reduce(self.compiled, self._q, self._partition)
        if float(here.condition) < DEGRADED:
            repartition(self.compiled, self._q, here)
            names = speed_names(self.compiled)
            asked = [names[i] for i in self._partition.independent]
            choose_partition(self.compiled, self._q, asked)
