"""Pass: which clusters one code serves, and what of them are its constants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from robocompiler.compiler.alike import Alike, grouped, size_pattern, turn_pattern
from robocompiler.compiler.clusters.plans import Acts, ClusterPlan, PortPart
from robocompiler.equations.inertia import Rigid
from robocompiler.equations.loops import Loop
from robocompiler.spatial import Array, Pose

ClusterType = Alike[ClusterPlan]
"""Clusters that one code serves."""


def cluster_types(plans: Sequence[ClusterPlan]) -> tuple[ClusterType, ...]:
    """The types of some clusters, in the order of their first ones."""
    return grouped(plans, constants_of, structure_of)


def _poses(plan: ClusterPlan) -> list[Pose]:
    """Of its joints, then of the loops of its cut joints."""
    poses = [limb.crossing.before for limb in plan.limbs]
    for cut in plan.cut:
        poses += [*(crossing.before for crossing in cut.loop.crossings), cut.loop.after]
    return poses


def _inertias(plan: ClusterPlan) -> list[Array]:
    """The ten numbers of each limb that weighs something."""
    found = []
    for limb in plan.limbs:
        if isinstance(limb.inertia, Rigid):
            tensor = limb.inertia.tensor[np.triu_indices(3)]
            found.append(np.concatenate([limb.inertia.mass, limb.inertia.moment, tensor]))
    return found


def _numbers(plan: ClusterPlan) -> Array:
    """What acts on its coordinates, its ports' ratios and armatures, what it is loaded with, and
    where loads act.
    """
    own = [number for acts in plan.acts for number in acts.numbers]
    for cut in plan.cut:
        own += [*cut.acts.numbers, *cut.start]
    for port in plan.ports:
        own += [ratio for _, ratio in port.tree] + [ratio for _, _, ratio in port.cut]
        own.append(port.armature)
    own += plan.loaded
    return np.concatenate([own, *(load.arm for load in plan.loads)])


def constants_of(plan: ClusterPlan) -> Array:
    """All numbers that a cluster is made of, in the order of `with_constants`."""
    poses = [np.concatenate([X.R.ravel(), X.p]) for X in _poses(plan)]
    return np.concatenate([*poses, *_inertias(plan), _numbers(plan)])


def structure_of(plan: ClusterPlan, constants: Array) -> object:
    """What clusters of one type have in common, which constants are nothing or one with it."""
    return (
        tuple(
            (limb.crossing.kind, limb.crossing.pitch, limb.crossing.backwards, limb.inboard)
            for limb in plan.limbs
        ),
        tuple(limb.inertia is None for limb in plan.limbs),
        plan.inputs,
        plan.moving,
        plan.lift,
        tuple((cut.kind, cut.pitch, _way(cut.loop)) for cut in plan.cut),
        tuple(_acting(port) for port in plan.ports),
        tuple(load.limb for load in plan.loads),
        plan.carriers,
        plan.has_parent,
        plan.turns,
        tuple(plan.gravity.tolist()),
        _pattern(plan, constants),
    )


def _acting(port: PortPart) -> object:
    return tuple(i for i, _ in port.tree), tuple((c, k) for c, k, _ in port.cut)


def _way(loop: Loop) -> object:
    return tuple((c.kind, c.pitch, c.backwards, c.q.start, c.v.start) for c in loop.crossings)


def _pattern(plan: ClusterPlan, constants: Array) -> bytes:
    count = 12 * len(_poses(plan))
    poses, rest = constants[:count].reshape(-1, 12), constants[count:]
    inertias = rest[: len(rest) - len(_numbers(plan))].reshape(-1, 10)
    parts = [inertias[:, :1], inertias[:, 1:4], inertias[:, 4:]]
    numbers = rest[inertias.size :] == 0.0
    return b"".join(
        [
            turn_pattern(poses[:, :9]),
            size_pattern(poses[:, 9:]),
            *(size_pattern(part) for part in parts),
            numbers.tobytes(),
        ]
    )


def with_constants(plan: ClusterPlan, constants: Array) -> ClusterPlan:
    """A cluster of other numbers, symbols among them."""
    given = _Given(constants)
    before = [given.pose() for _ in plan.limbs]
    cut = [
        replace(
            own,
            loop=Loop(
                tuple(replace(c, before=given.pose()) for c in own.loop.crossings), given.pose()
            ),
        )
        for own in plan.cut
    ]
    limbs = [
        replace(
            limb,
            crossing=replace(limb.crossing, before=X),
            inertia=None if limb.inertia is None else given.inertia(),
        )
        for limb, X in zip(plan.limbs, before, strict=True)
    ]
    acts = [Acts(*given.take(4)) for _ in plan.acts]
    cut = [
        replace(own, acts=Acts(*given.take(4)), start=(*given.take(len(own.start)),)) for own in cut
    ]
    ports = [
        replace(
            port,
            tree=tuple((i, *given.take(1)) for i, _ in port.tree),
            cut=tuple((c, k, *given.take(1)) for c, k, _ in port.cut),
            armature=given.take(1)[0],
        )
        for port in plan.ports
    ]
    loaded = (*given.take(len(plan.loaded)),)
    loads = [replace(load, arm=given.take(3)) for load in plan.loads]
    return replace(
        plan,
        limbs=tuple(limbs),
        acts=tuple(acts),
        cut=tuple(cut),
        ports=tuple(ports),
        loads=tuple(loads),
        loaded=loaded,
    )


class _Given:
    """Numbers taken one after the other."""

    def __init__(self, numbers: Array) -> None:
        self._numbers, self._at = numbers, 0

    def take(self, count: int) -> Array:
        """The next ones, floats where all of them are."""
        own = self._numbers[self._at : self._at + count]
        self._at += count
        return own.astype(float) if all(isinstance(x, float) for x in own) else own

    def pose(self) -> Pose:
        """Twelve numbers."""
        return Pose(self.take(9).reshape(3, 3), self.take(3))

    def inertia(self) -> Rigid:
        """Ten numbers."""
        mass, moment, upper = self.take(1), self.take(3), self.take(6)
        xx, xy, xz, yy, yz, zz = upper
        return Rigid(mass, moment, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
