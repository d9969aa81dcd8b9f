"""Pass: joints that must be solved for their accelerations together, as clusters of the tree.

A cluster has every joint of a loop, of a coupling or of an actuator that moves several, and all
between them: so it hangs on one body, and what hangs on it sees one body each. Accelerations are
then found from cluster to cluster, in time linear in their number.

Source: M. Chignoli and others, Recursive Rigid-Body Dynamics Algorithms for Systems with Kinematic
Loops, arXiv 2311.13732; A. Jain, Robot and Multibody Dynamics (2011), on constraint embedding.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from robocompiler.equations.dynamics import BASE, Limb


@dataclass(frozen=True, slots=True)
class Cluster:
    """Joints that are solved together."""

    joints: tuple[int, ...]
    """Of the tree, inboard before outboard."""
    inboard: int
    """The limb that all of them hang on; `BASE` for none."""
    parent: int
    """The cluster which that limb is in, one before this; `BASE` for none."""
    depth: int
    """How many clusters there are between it and the base."""


def clusters_of(limbs: Sequence[Limb], together: Iterable[Iterable[int]]) -> tuple[Cluster, ...]:
    """The clusters of a tree, those nearer the base first.

    Args:
        limbs: a limb for each joint of the tree.
        together: sets of joints that must be in one cluster.
    """
    groups = _Groups(len(limbs))
    for joints in together:
        groups.join(list(joints))
    settled = False
    while not settled:  # closing one under the ways between its joints may join others to it
        settled = True
        for joints in groups.members():
            missing = _between(limbs, joints)
            if missing:
                groups.join([joints[0], *missing])
                settled = False
    return _in_order(limbs, groups.members())


class _Groups:
    """Joints, by which of them belong together."""

    def __init__(self, count: int) -> None:
        self._leader = list(range(count))

    def _find(self, joint: int) -> int:
        while self._leader[joint] != joint:
            self._leader[joint] = self._leader[self._leader[joint]]
            joint = self._leader[joint]
        return joint

    def join(self, joints: Sequence[int]) -> None:
        """Put the groups of some joints together."""
        for joint in joints[1:]:
            first, second = self._find(joints[0]), self._find(joint)
            self._leader[max(first, second)] = min(first, second)

    def members(self) -> list[list[int]]:
        """The joints of each group, in their order."""
        found: dict[int, list[int]] = {}
        for joint in range(len(self._leader)):
            found.setdefault(self._find(joint), []).append(joint)
        return list(found.values())


def _between(limbs: Sequence[Limb], joints: Sequence[int]) -> list[int]:
    """Joints on the ways between some others, up to the limb that carries all of them."""
    own, added = set(joints), list[int]()
    while True:
        carriers = {limbs[joint].inboard for joint in own} - own
        if len(carriers) <= 1:
            return added
        last = max(carriers)  # no limb that carries it is after it
        own.add(last)
        added.append(last)


def _in_order(limbs: Sequence[Limb], groups: Sequence[Sequence[int]]) -> tuple[Cluster, ...]:
    """Nearer the base first, and of one depth in the order of their joints."""
    group = {joint: at for at, joints in enumerate(groups) for joint in joints}
    carriers = [limbs[joints[0]].inboard for joints in groups]
    parents = [BASE if carrier == BASE else group[carrier] for carrier in carriers]
    depths: dict[int, int] = {BASE: -1}
    waiting = list(range(len(groups)))
    while waiting:
        waiting, known = [g for g in waiting if parents[g] not in depths], waiting
        depths |= {g: depths[parents[g]] + 1 for g in known if parents[g] in depths}
    order = sorted(range(len(groups)), key=lambda g: (depths[g], g))
    place = {g: at for at, g in enumerate(order)} | {BASE: BASE}
    return tuple(
        Cluster(tuple(groups[g]), carriers[g], place[parents[g]], depths[g]) for g in order
    )
