"""What code for the dynamics of a cluster is generated from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from robocompiler.compiler.clusters.grouping import Cluster
from robocompiler.equations.dynamics import BASE, Limb
from robocompiler.equations.loops import Loop
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Joint
from robocompiler.spatial import Array


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
