"""What code for the dynamics of clusters is generated from, and which clusters one code serves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from robocompiler.compiler.alike import Alike, grouped, size_pattern, turn_pattern
from robocompiler.compiler.block_types import BlockPlan
from robocompiler.compiler.clusters import Cluster
from robocompiler.compiler.compiled import Closure, CompiledMechanism
from robocompiler.compiler.ports import Port
from robocompiler.equations.dynamics import BASE, Limb
from robocompiler.equations.inertia import Rigid
from robocompiler.equations.loops import Loop
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Joint
from robocompiler.spatial import Array, Pose


@dataclass(frozen=True, slots=True, eq=False)
class Acts:
    """What acts on each coordinate of a joint by itself, see `Joint`."""

    armature: float
    damping: float
    stiffness: float
    reference: float

    @staticmethod
    def of(joint: Joint) -> Acts:
        """Of a joint."""
        k = joint.stiffness
        return Acts(joint.armature, joint.damping, k, joint.spring_reference if k else 0.0)

    @property
    def numbers(self) -> tuple[float, ...]:
        """All of them."""
        return self.armature, self.damping, self.stiffness, self.reference


@dataclass(frozen=True, slots=True, eq=False)
class CutJoint:
    """A cut joint of a cluster on whose coordinates something acts."""

    closure: int
    kind: JointKind
    pitch: float
    loop: Loop
    """Over the cluster's coordinates."""
    start: tuple[float, ...]
    acts: Acts


@dataclass(frozen=True, slots=True, eq=False)
class PortPart:
    """What a port does in a cluster."""

    port: int
    """Among all."""
    tree: tuple[tuple[int, float], ...]
    """Speeds of the cluster, and their ratios."""
    cut: tuple[tuple[int, int, float], ...]
    """Which of its cut joints, which speed of it, and the ratio."""
    armature: float


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """A limb on which a wrench may act."""

    limb: int
    wrench: int
    """Among all wrenches."""
    arm: Array
    """Where it acts, seen from the limb [m], shape (3,)."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ClusterPlan:
    """A cluster over its own coordinates and speeds, with all that acts on it."""

    name: str
    cluster: Cluster
    limbs: tuple[Limb, ...]
    acts: tuple[Acts, ...]
    """Of each limb's joint."""
    nq: int
    nv: int
    coordinates: Array
    """Where its coordinates are in those of the whole mechanism."""
    whole: Array
    """Where its speeds are."""
    inputs: tuple[int, ...]
    """Independent speeds."""
    moving: tuple[int, ...]
    """Speeds that follow them."""
    lift: tuple[tuple[int, int], ...]
    """Which speed follows which independent one."""
    cut: tuple[CutJoint, ...]
    ports: tuple[PortPart, ...]
    loads: tuple[Load, ...]
    carriers: tuple[int, ...]
    """Limbs that other clusters hang on."""
    hangs_on: int
    """Which of its parent's carriers it hangs on; `BASE` where it has no parent."""
    turns: bool
    """Whether it must know how it is turned in the world."""
    gravity: Array
    """[m/s²], shape (3,)."""
    loaded: tuple[float, ...]
    """What moves with each independent speed as the mechanism is drawn, its loops open [kg, kg m²]:
    what hangs on it may take all of it away but rounding. () where nothing does."""

    @cached_property
    def has_parent(self) -> bool:
        """Whether it hangs on another cluster."""
        return self.hangs_on != BASE


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
