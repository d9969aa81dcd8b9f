"""What compiling a mechanism yields: indices where the mechanism has names.

Body 0 is the world. A coordinate is an index into q, a speed an index into v.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from robocompiler.equations.loops import Loop
from robocompiler.model.actuation import actuated_joints
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Body, Joint, Mechanism
from robocompiler.model.tasks import Task
from robocompiler.spatial import Array, Pose


@dataclass(frozen=True, slots=True, eq=False)
class Welded:
    """A body of the mechanism that is part of a compiled one."""

    name: str
    host: int
    """Index of the compiled body it is part of."""
    pose: Pose
    """Its frame seen from the host's."""


@dataclass(frozen=True, slots=True, eq=False)
class Edge:
    """A joint between compiled bodies, with its frames on them."""

    joint: Joint
    parent: int
    child: int
    X_PF: Pose
    """Frame F seen from the parent body."""
    X_CM: Pose
    """Frame M seen from the child body."""


@dataclass(frozen=True, slots=True, eq=False)
class TreeJoint:
    """A joint of the spanning tree, seen from the world."""

    edge: Edge
    inboard: int
    """Body nearer the world."""
    outboard: int
    """Body this joint leads to."""
    q: slice
    """Its coordinates."""
    v: slice
    """Its speeds."""
    prescribed: bool = False
    """Whether it is moved from outside, as the place of a task is: no freedom of the mechanism."""

    @property
    def reversed(self) -> bool:
        """Whether outboard is the joint's parent side, so that the joint is crossed backwards."""
        return self.outboard == self.edge.parent

    @property
    def factors(self) -> tuple[tuple[range, range], ...]:
        """Coordinates and speeds of each of its elementary motions, in the order of its kind."""
        found = []
        q, v = self.q.start, self.v.start
        for factor in self.edge.joint.kind.factors:
            found.append((range(q, q + factor.nq), range(v, v + factor.nv)))
            q, v = q + factor.nq, v + factor.nv
        return tuple(found)


def coordinates_of(joints: Iterable[TreeJoint]) -> list[int]:
    """Indices of their coordinates, joint by joint."""
    return [i for joint in joints for i in range(joint.q.start, joint.q.stop)]


def speeds_of(joints: Iterable[TreeJoint]) -> list[int]:
    """Indices of their speeds, joint by joint."""
    return [i for joint in joints for i in range(joint.v.start, joint.v.stop)]


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """The constraint a cut joint makes: its two frames must meet as its kind says."""

    name: str
    """Of the loop: the joint declared as closing it, or the cut joint where none was."""
    chord: Edge
    """The joint that was cut."""
    to_parent: tuple[int, ...]
    """Tree joints from the lowest common ancestor to the chord's parent body, in this order."""
    to_child: tuple[int, ...]
    """Likewise to its child body."""
    loop: Loop
    """The same joints as they are met on the way from F to M: back along `to_parent`, then along
    `to_child`."""
    reason: str
    """Why this joint was cut and no other of the loop."""

    @property
    def kind(self) -> JointKind:
        """What the chord leaves free."""
        return self.chord.joint.kind

    @property
    def rows(self) -> int:
        """Constraint rows: six less the chord's degrees of freedom."""
        return self.kind.rows

    @property
    def path(self) -> tuple[int, ...]:
        """Every tree joint of the loop."""
        return (*self.to_parent, *self.to_child)


@dataclass(frozen=True, slots=True, eq=False)
class CoordinateRef:
    """One single coordinate of a tree joint."""

    name: str
    """As couplings call it."""
    tree_joint: int
    q: int
    v: int
    turns: bool
    """Whether it is an angle [rad]; otherwise a length [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class CompiledCoupling:
    """follower = Σ ratio · leader + offset, on coordinates."""

    name: str
    follower: CoordinateRef
    leaders: tuple[CoordinateRef, ...]
    ratios: tuple[float, ...]
    """Of each leader [follower's unit per leader's unit]: m or rad each."""
    offset: float

    @property
    def follower_turns(self) -> bool:
        """Whether the follower is an angle [rad]; otherwise a length [m]."""
        return self.follower.turns

    @property
    def terms(self) -> tuple[tuple[CoordinateRef, float], ...]:
        """Σ coefficient · coordinate = offset: the follower first, whose coefficient is 1."""
        led = ((ref, -ratio) for ref, ratio in zip(self.leaders, self.ratios, strict=True))
        return ((self.follower, 1.0), *led)

    def residual(self, q: Array) -> Array:
        """By how much [m or rad] the follower is ahead of where its leaders put it, shape (…)."""
        said = sum(coefficient * q[..., ref.q] for ref, coefficient in self.terms)
        return np.asarray(said - self.offset)

    def off(self, q: Array) -> float:
        """The residual at one q."""
        return float(self.residual(q))


@dataclass(frozen=True, slots=True, eq=False)
class Module:
    """Closures and couplings that must be solved together: they share coordinates."""

    name: str
    closures: tuple[int, ...]
    couplings: tuple[int, ...]
    joints: tuple[int, ...]
    """Tree joints on any of their paths."""


@dataclass(frozen=True, slots=True, eq=False)
class CompiledMechanism:
    """A mechanism with a spanning tree chosen and every other joint made a closure."""

    mechanism: Mechanism
    """As it was read."""
    bodies: tuple[Body, ...]
    """Bodies after merging what is welded, the world first. Poses are of the host's frame."""
    welded: tuple[Welded, ...]
    """Where each body of the mechanism is, itself among its host's bodies."""
    tree: tuple[TreeJoint, ...]
    """Inboard before outboard."""
    closures: tuple[Closure, ...]
    couplings: tuple[CompiledCoupling, ...]
    modules: tuple[Module, ...]
    nq: int
    nv: int
    tasks: tuple[Task, ...] = ()
    """Points and frames held at a place, in addition to what the mechanism says."""
    eliminated: tuple[CompiledCoupling, ...] = ()
    """Couplings whose followers are no unknowns, leaders before what follows them; the others are
    rows."""

    def tree_joint(self, name: str) -> TreeJoint:
        """The joint of that name, which is one of the tree."""
        return next(own for own in self.tree if own.edge.joint.name == name)

    @property
    def movable(self) -> tuple[int, ...]:
        """Speeds that are unknowns: neither prescribed from outside nor a follower's."""
        own = speeds_of(joint for joint in self.tree if not joint.prescribed)
        follow = {coupling.follower.v for coupling in self.eliminated}
        return tuple(i for i in own if i not in follow)

    @property
    def prescribed(self) -> tuple[int, ...]:
        """Speeds that are prescribed from outside: of the places of tasks."""
        return tuple(speeds_of(joint for joint in self.tree if joint.prescribed))

    @property
    def actuated(self) -> frozenset[int]:
        """Speeds that something drives (see `actuated_joints`)."""
        driven = actuated_joints(self.mechanism)
        own = ((t, driven.get(t.edge.joint.name, ())) for t in self.tree)
        return frozenset(v for t, factors in own for i in factors for v in t.factors[i][1])

    @property
    def joints(self) -> dict[str, Joint]:
        """Every joint that moves, by name: those of the tree, then those that were cut."""
        edges = [*(t.edge for t in self.tree), *(c.chord for c in self.closures)]
        return {edge.joint.name: edge.joint for edge in edges}
