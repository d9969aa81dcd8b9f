"""One block of a reduction as a system of its own, moved by its inputs alone."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import MechanismError
from robocompiler.model.mechanism import Joint
from robocompiler.solve.assembly.bringing import MET, at_toggle, unreached
from robocompiler.solve.closure import length_scale
from robocompiler.solve.continuation.homotopy import hold_speeds
from robocompiler.solve.continuation.tracking import Bar, Place, place_at, travel
from robocompiler.solve.describe import distance
from robocompiler.solve.limits import unreachable
from robocompiler.solve.reduction.blocks import Block
from robocompiler.solve.reduction.partition import Partition
from robocompiler.solve.state import evaluate
from robocompiler.solve.system import System, system_of
from robocompiler.solve.values import Numbers
from robocompiler.spatial import Array


@dataclass(frozen=True, slots=True, eq=False)
class Input:
    """A joint that a block is given: all of its speeds are independent, or prescribed."""

    joint: Joint
    whole: slice
    """Its coordinates in those of the mechanism."""
    own: slice
    """In those of the block's system."""
    speeds: tuple[int, ...]
    """Its speeds in those of the system."""


@dataclass(frozen=True, slots=True, eq=False)
class DrivenBlock:
    """A block with its system; it stands at a `Place`, and a `q` is of the whole mechanism."""

    block: Block
    system: System
    inputs: tuple[Input, ...]
    follow: tuple[int, ...]
    """Coordinates of the system that the block determines."""

    def place(self, q: Array) -> Place:
        """Where it stands at a closed q: what is not its own to move is held."""
        own, dependent = self.system.of(q), set(self.block.dependent)
        held = [i for i, speed in enumerate(self.system.whole) if speed not in dependent]
        return place_at(self.system, hold_speeds(self.system, own, held), own)

    def changed(self, place: Place, q: Array) -> list[Input]:
        """Inputs that are not the same at q, bit for bit."""
        at = place.point.q
        return [own for own in self.inputs if not np.array_equal(at[own.own], q[own.whole])]

    def drive(
        self, place: Place, target: Array, chords: Numbers
    ) -> tuple[Place, tuple[MechanismError, ...]]:
        """Move its inputs to where they are at a target, what follows staying on its branch.

        All of them at once and straight; at a toggle they stop on it. The coordinates of the cut
        joints in `chords` are brought along, their turns counted on the way.
        """
        changed, goal = self.changed(place, target), self.system.of(target)
        drivers = [speed for own in changed for speed in own.speeds]
        seen = self.system.turn_counter(chords)
        went = travel(self.system, replace(place, bends=()), drivers, goal, seen)
        place = went.place
        if went.refusal is not None and went.refusal.bar is not Bar.LIMIT:
            place = at_toggle(self.system, place, drivers, goal) or place
        wanted = {own.joint.name: tuple(target[own.whole].tolist()) for own in changed}
        return place, unreached(self.system, place.point.q, wanted, went.refusal)

    def reached(self, place: Place, target: Array) -> Array:
        """The target with the inputs where they came to, which at a toggle is a hair off."""
        reached = np.array(target)
        for own in self.inputs:
            reached[own.whole] = place.point.q[own.own]
        return reached

    def lost(self, place: Place, q: Array) -> list[MechanismError]:
        """An error for each input that other blocks left where this one cannot follow.

        Two that stand at their toggles stop a hair apart.
        """
        at = place.point.q
        return [
            unreachable(own.joint, q[own.whole].tolist(), at[own.own].tolist())
            for own in self.changed(place, q)
            if distance(own.joint, at[own.own], q[own.whole]) > MET
        ]

    def into(self, q: Array, place: Place) -> Array:
        """q with what follows put in."""
        moved, own = np.array(q), list(self.follow)
        moved[self.system.coordinates[own]] = place.point.q[own]
        return moved


def driven_block(
    compiled: CompiledMechanism, q: Array, partition: Partition, block: Block
) -> DrivenBlock:
    """A block of a partition that was chosen at q."""
    length = length_scale(compiled, evaluate(compiled, q, block.module.joints), block.module)
    system = system_of(compiled, block.module, length)
    given = {*partition.independent, *compiled.prescribed}
    dependent = set(block.dependent)
    inputs, follow = list[Input](), list[int]()
    for joint, own in zip(block.module.joints, system.compiled.tree, strict=True):
        speeds = tuple(range(own.v.start, own.v.stop))
        if given.issuperset(system.whole[list(speeds)].tolist()):
            inputs.append(Input(own.edge.joint, compiled.tree[joint].q, own.q, speeds))
            continue
        for coordinates, moving in own.factors:
            if not dependent.isdisjoint(system.whole[list(moving)].tolist()):
                follow += coordinates
    return DrivenBlock(block, system, tuple(inputs), tuple(follow))
