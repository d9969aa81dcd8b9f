"""Pass: a plan for each cluster, its joints numbered for themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from robocompiler.compiler.block_types import BlockPlan
from robocompiler.compiler.clusters.grouping import Cluster
from robocompiler.compiler.clusters.plans import Acts, ClusterPlan, CutJoint, Load, PortPart
from robocompiler.compiler.compiled import Closure, CompiledMechanism
from robocompiler.compiler.ports import Port
from robocompiler.equations.dynamics import BASE, Limb
from robocompiler.equations.loops import Loop
from robocompiler.spatial import Array


def cluster_plans(
    compiled: CompiledMechanism,
    limbs: Sequence[Limb],
    clusters: Sequence[Cluster],
    blocks: Sequence[BlockPlan],
    independent: Sequence[int],
    ports: Sequence[Port],
    loads: Sequence[tuple[int, Array]],
    gravity: Array,
    moved: Array,
) -> tuple[ClusterPlan, ...]:
    """A plan for each cluster.

    Args:
        compiled: the mechanism.
        limbs: of its tree.
        clusters: of them.
        blocks: of its closures and couplings.
        independent: speeds of the whole mechanism.
        ports: what drives it.
        loads: limbs on which wrenches may act, and where, seen from the limb.
        gravity: [m/s²].
        moved: what moves with each speed, shape (nv,), see `ClusterPlan.loaded`.
    """
    carriers: list[list[int]] = [[] for _ in clusters]
    for cluster in clusters:
        if cluster.parent != BASE and cluster.inboard not in carriers[cluster.parent]:
            carriers[cluster.parent].append(cluster.inboard)
    turns = _turning(clusters, {limb for limb, _ in loads})
    return tuple(
        _Cluster(compiled, limbs, cluster).plan(
            blocks=blocks,
            independent=independent,
            ports=ports,
            loads=loads,
            carriers=carriers[at],
            hangs_on=BASE
            if cluster.parent == BASE
            else carriers[cluster.parent].index(cluster.inboard),
            turns=turns[at],
            gravity=gravity,
            moved=moved,
        )
        for at, cluster in enumerate(clusters)
    )


def _turning(clusters: Sequence[Cluster], loaded: set[int]) -> list[bool]:
    """Which clusters, or what hangs on them, have a limb on which a wrench acts."""
    found = [bool(loaded & set(cluster.joints)) for cluster in clusters]
    for at in reversed(range(len(clusters))):
        if found[at] and clusters[at].parent != BASE:
            found[clusters[at].parent] = True
    return found


class _Cluster:
    """A cluster's joints, numbered for themselves."""

    def __init__(
        self, compiled: CompiledMechanism, limbs: Sequence[Limb], cluster: Cluster
    ) -> None:
        self.compiled, self.cluster = compiled, cluster
        self.limb = {joint: at for at, joint in enumerate(cluster.joints)} | {cluster.inboard: BASE}
        self.q: dict[int, int] = {}
        self.v: dict[int, int] = {}
        self.limbs: list[Limb] = []
        for joint in cluster.joints:
            own = limbs[joint]
            q, v = own.crossing.q, own.crossing.v
            crossing = replace(own.crossing, q=_entered(self.q, q), v=_entered(self.v, v))
            self.limbs.append(replace(own, crossing=crossing, inboard=self.limb[own.inboard]))

    def plan(
        self,
        *,
        blocks: Sequence[BlockPlan],
        independent: Sequence[int],
        ports: Sequence[Port],
        loads: Sequence[tuple[int, Array]],
        carriers: Sequence[int],
        hangs_on: int,
        turns: bool,
        gravity: Array,
        moved: Array,
    ) -> ClusterPlan:
        """The cluster's plan, see `cluster_plans`."""
        own = [block for block in blocks if int(block.whole[0]) in self.v]
        tree = [self.compiled.tree[joint] for joint in self.cluster.joints]
        closures = self._closures(ports)
        lift = [
            (self.v[int(block.whole[i])], self.v[int(block.whole[j])])
            for block in own
            for i in block.moving
            for j in block.inputs
        ]
        return ClusterPlan(
            name=tree[0].edge.joint.name,
            cluster=self.cluster,
            limbs=tuple(self.limbs),
            acts=tuple(Acts(0, 0, 0, 0) if t.prescribed else Acts.of(t.edge.joint) for t in tree),
            nq=len(self.q),
            nv=len(self.v),
            coordinates=np.array(list(self.q), dtype=int),
            whole=np.array(list(self.v), dtype=int),
            inputs=tuple(self.v[i] for i in independent if i in self.v),
            moving=tuple(self.v[int(block.whole[i])] for block in own for i in block.moving),
            lift=tuple(lift),
            cut=tuple(self._cut(index) for index in closures),
            ports=tuple(self._ports(ports, closures)),
            loads=tuple(
                Load(self.limb[limb], at, arm)
                for at, (limb, arm) in enumerate(loads)
                if limb in self.cluster.joints
            ),
            carriers=tuple(self.limb[limb] for limb in carriers),
            hangs_on=hangs_on,
            turns=turns,
            gravity=gravity,
            loaded=tuple(float(moved[i]) for i in independent if i in self.v and carriers),
        )

    def _closures(self, ports: Sequence[Port]) -> list[int]:
        """Closures on whose cut joints something acts."""
        driven = {closure for port in ports for closure, _, _ in port.cut}
        return [
            index
            for index, closure in enumerate(self.compiled.closures)
            if closure.path
            and closure.path[0] in self.cluster.joints
            and (index in driven or any(Acts.of(closure.chord.joint).numbers[:3]))
        ]

    def _cut(self, index: int) -> CutJoint:
        closure = self.compiled.closures[index]
        joint = closure.chord.joint
        loop = self._loop(closure)
        return CutJoint(index, joint.kind, joint.pitch, loop, joint.initial, Acts.of(joint))

    def _loop(self, closure: Closure) -> Loop:
        """Over the cluster's coordinates."""
        crossings = tuple(
            replace(c, q=_among(self.q, c.q), v=_among(self.v, c.v)) for c in closure.loop.crossings
        )
        return replace(closure.loop, crossings=crossings)

    def _ports(self, ports: Sequence[Port], closures: Sequence[int]) -> list[PortPart]:
        found = []
        for at, port in enumerate(ports):
            tree = tuple((self.v[speed], ratio) for speed, ratio in port.tree if speed in self.v)
            cut = tuple((closures.index(c), k, r) for c, k, r in port.cut if c in closures)
            if tree or cut:
                found.append(PortPart(at, tree, cut, port.armature))
        return found


def _entered(known: dict[int, int], own: slice) -> slice:
    """Indices of the whole mechanism, numbered on."""
    start = len(known)
    known |= {i: start + k for k, i in enumerate(range(own.start, own.stop))}
    return slice(start, len(known))


def _among(known: Mapping[int, int], own: slice) -> slice:
    """Where indices of the whole mechanism, which follow one another, are numbered."""
    start = known[own.start] if own.start < own.stop else 0
    return slice(start, start + own.stop - own.start)
