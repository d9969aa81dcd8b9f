"""The mechanism graph: bodies, the frames on them, and the joints between frames.

Everything here is a name, a number or a tuple: it compares, hashes and prints as it is.
SI units; frames and joints refer to each other by name until the graph is compiled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from robocompiler.model.joint_kinds import JointKind
from robocompiler.spatial import IDENTITY_ROTATION, Pose, Quaternion, Vec3

WORLD = "world"
"""The name of the body that does not move. Every mechanism has it; none declares it."""

OPEN = (-math.inf, math.inf)
"""Limits that stop nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inertia:
    """Mass, centre of mass and inertia of a body."""

    mass: float
    """[kg]"""
    center: Vec3 = (0.0, 0.0, 0.0)
    """Centre of mass [m], in the body's frame."""
    moments: Vec3 = (0.0, 0.0, 0.0)
    """ixx, iyy, izz [kg m²] about the centre of mass, along the body's axes."""
    products: Vec3 = (0.0, 0.0, 0.0)
    """ixy, ixz, iyz [kg m²]: the entries of the tensor, not their negatives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """How a shape's material behaves in contact."""

    friction: float | None = None
    """Sliding friction coefficient; None where nobody stated one."""
    torsional_friction: float | None = None
    """[m]: torque per normal force, against spinning about the normal."""
    rolling_friction: float | None = None
    """[m]: torque per normal force, against rolling."""
    restitution: float | None = None
    """Speed after over speed before a bounce."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mesh:
    """The geometry of a distinct solid; bodies place it by `Shape`s."""

    name: str
    file: str | None = None
    """An OBJ or STL file in metres, beside the description it was read from; None where the
    geometry comes from somewhere else (`read_geometry`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A mesh placed on a body, to be seen and to collide."""

    name: str
    mesh: str
    """Name of a `Mesh`."""
    position: Vec3 = (0.0, 0.0, 0.0)
    """[m], in the body's frame."""
    rotation: Quaternion = IDENTITY_ROTATION
    color: tuple[float, float, float, float] | None = None
    """Red, green, blue, opacity, each from 0 to 1."""
    surface: Surface = Surface()

    def pose(self) -> Pose:
        """The mesh's frame seen from the body's."""
        return Pose.of(self.position, self.rotation)


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A rigid body: a node of the graph."""

    name: str
    inertia: Inertia | None = None
    """None for a body that weighs nothing: allowed only where it is welded to another."""
    shapes: tuple[Shape, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A coordinate frame fixed to a body."""

    name: str
    body: str
    position: Vec3 = (0.0, 0.0, 0.0)
    """Origin p_BF [m], in the body's frame."""
    rotation: Quaternion = IDENTITY_ROTATION
    """Of R_BF."""

    def pose(self) -> Pose:
        """X_BF."""
        return Pose.of(self.position, self.rotation)


@dataclass(frozen=True, slots=True, kw_only=True)
class Joint:
    """An edge of the graph: what stays free between two frames.

    `parent` and `child` settle only the sign of the coordinate. Which side is nearer the
    world is the spanning tree's business, and may be the other way round.
    """

    name: str
    kind: JointKind
    parent: str
    """Name of frame F, on one body."""
    child: str
    """Name of frame M, on the other; M coincides with F where the coordinate is 0."""
    closes_loop: bool = False
    """Whether the description declares it as the joint that closes a loop."""
    start: tuple[float, ...] = ()
    """Coordinates as drawn [m, rad, quaternion]; () where they are the kind's zero."""
    limits: tuple[tuple[float, float], ...] = ()
    """Lowest and highest value of each single coordinate [m or rad], infinite where open;
    () where nothing stops the joint."""
    swing_limit: float | None = None
    """How far a ball joint turns from its zero [rad]."""
    pitch: float = 0.0
    """What a screw advances [m/rad]."""
    damping: float = 0.0
    """Along each coordinate [N s/m or N m s/rad]."""
    friction: float = 0.0
    """Dry friction along each coordinate [N or N m]."""
    stiffness: float = 0.0
    """Of a spring along each coordinate [N/m or N m/rad]."""
    spring_reference: float = 0.0
    """Coordinate at which the spring is slack [m or rad]."""
    armature: float = 0.0
    """Inertia of what turns or moves with each coordinate and is no body's: a rotor seen through
    its gear [kg or kg m²]."""
    effort: float | None = None
    """The largest effort that drives the joint [N or N m]; a joint that states it is actuated (see
    `actuated_joints`)."""
    velocity: float | None = None
    """The largest speed [m/s or rad/s]."""
    labels: tuple[str, ...] = ()
    """What the description calls each coordinate; () for the kind's own names."""
    closure_tolerance: tuple[float, float] | None = None
    """How far apart [m, rad] its two frames may be drawn; None for the caller's default."""
    source: str = ""
    """Where the description says so, such as `fourbar: rc:loop C`. Quoted in errors."""

    @property
    def initial(self) -> tuple[float, ...]:
        """The coordinates as drawn: `start`, or the kind's zero where none is stated."""
        return self.start or self.kind.zero

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each of the joint's factors, in their order."""
        return self.labels or tuple(factor.value for factor in self.kind.factors)

    @property
    def full_names(self) -> tuple[str, ...]:
        """What each factor is called among other joints: `joint/label`, or `joint` if alone."""
        count = len(self.kind.factors)
        if count == 1:
            return (self.name,)
        return tuple(f"{self.name}/{label}" for label in self.names[:count])

    @property
    def speed_names(self) -> tuple[str, ...]:
        """The name of each of its speeds: of a single coordinate as in `full_names`, of a rotation
        `joint/rotation.x` and so on, about the axes of the turned frame.
        """
        names: list[str] = []
        factors = zip(self.kind.factors, self.names, self.full_names, strict=False)
        for factor, label, name in factors:
            turned = [f"{self.name}/{label}.{axis}" for axis in "xyz"]
            names += turned if factor.nv == 3 else [name]
        return tuple(names)

    @property
    def limited(self) -> bool:
        """Whether anything stops it."""
        return self.swing_limit is not None or any(limits != OPEN for limits in self.limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leader:
    """A coordinate that another follows, and how far."""

    coordinate: str
    """Name of a joint of one coordinate, or `joint/coordinate` of a joint with several."""
    ratio: float
    """[follower's unit per leader's unit]: m or rad each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coupling:
    """A coordinate that follows others: follower = Σ ratio · leader + offset."""

    name: str
    follower: str
    """A coordinate, named as a leader's."""
    leaders: tuple[Leader, ...]
    """One for a gear, two for a differential or a planetary gear."""
    offset: float = 0.0
    """[m or rad] of the follower where every leader is 0."""
    source: str = ""

    @classmethod
    def gear(
        cls,
        *,
        name: str,
        leader: str,
        follower: str,
        ratio: float,
        offset: float = 0.0,
        source: str = "",
    ) -> Coupling:
        """A coupling of one leader: follower = ratio · leader + offset."""
        leaders = (Leader(coordinate=leader, ratio=ratio),)
        return cls(name=name, follower=follower, leaders=leaders, offset=offset, source=source)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """All that it ties: the follower, then the leaders."""
        return (self.follower, *(leader.coordinate for leader in self.leaders))


@dataclass(frozen=True, slots=True, kw_only=True)
class Transmission:
    """A coordinate that an actuator moves, and how the two go together."""

    coordinate: str
    """Name of a joint of one coordinate, or `joint/coordinate` of a joint with several."""
    ratio: float = 1.0
    """[actuator's unit per coordinate's unit]: a motor behind a gear of 50 turns 50 times as far,
    and its torque counts 50 times at the joint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Actuator:
    """What drives coordinates: its own coordinate is ℓ = Σ ratio · coordinate, and its effort f
    acts on each of them as ratio · f.
    """

    name: str
    """No other actuator's; a coordinate's only where it moves that coordinate alone."""
    transmissions: tuple[Transmission, ...]
    """One for a motor on a joint; ½ and ½ for a gripper whose fingers share the way."""
    effort: float | None = None
    """The largest effort [N or N m], on the actuator's side of the gear; None where not stated."""
    velocity: float | None = None
    """The largest speed ℓ̇ [m/s or rad/s]."""
    armature: float = 0.0
    """Inertia that moves as ℓ does [kg or kg m²]: of the rotor, on its side of the gear."""
    source: str = ""
    """Where the description says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """What surrounds the mechanism."""

    gravity: Vec3 | None = None
    """[m/s²], in the world's frame; None where nobody stated it."""
    density: float = 0.0
    """Of the medium [kg/m³]; 0 for none."""
    viscosity: float = 0.0
    """Of the medium [Pa s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanism:
    """A whole mechanism, as the CAD states it: loops and all."""

    name: str
    bodies: tuple[Body, ...] = ()
    """All bodies but the world, which is always there and named `world`."""
    frames: tuple[Frame, ...] = ()
    joints: tuple[Joint, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    actuators: tuple[Actuator, ...] = ()
    """What is declared to drive it, in addition to joints that state an effort."""
    meshes: tuple[Mesh, ...] = ()
    environment: Environment = Environment()
    warnings: tuple[str, ...] = ()
    """What the reader could not carry over, or had to decide."""
