"""What is read of a USD stage: in the world, in SI, by the names that people see."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

WORLD = ""
"""What no rigid body holds."""


@dataclass(frozen=True)
class ReadBody:
    """A rigid body where the stage has it."""

    X_WB: np.ndarray
    """Shape (4, 4) [m]."""
    mass: float
    center: np.ndarray
    """In the world [m]."""
    inertia: np.ndarray
    """About its centre, along the world's axes [kg m²]."""
    exact_inertia: np.ndarray | None
    """The same of Newton's schema, which is in double precision."""
    articulation: bool
    """Whether an articulation starts here."""
    filtered: frozenset[str]
    """Bodies it does not collide with, as stated here."""


@dataclass(frozen=True)
class ReadShape:
    """A mesh that collides."""

    body: str
    points: np.ndarray
    """Corners in the world [m], of every triangle: shape (m, 3, 3)."""
    approximation: str
    friction: float | None
    restitution: float | None
    right_handed: bool

    @property
    def volume(self) -> float:
        """What it encloses [m³]; negative where it is inside out."""
        a, b, c = (self.points[:, i] for i in range(3))
        sign = 1.0 if self.right_handed else -1.0
        return sign * float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


@dataclass(frozen=True)
class ReadJoint:
    """A joint between two bodies."""

    kind: str
    """`Revolute`, `Prismatic`, `Spherical`, `Fixed`; "" for one of six freedoms."""
    bodies: tuple[str, str]
    frames: tuple[np.ndarray, np.ndarray]
    """Its frame on either body, in the world, shape (4, 4)."""
    axis: np.ndarray
    """In the world, on the second body."""
    limits: dict[str, tuple[float, float]]
    """[m, rad] by axis: of a hinge `angular`, of a slide `linear`, of six freedoms `transX`, …"""
    excluded: bool
    """From the articulation."""
    drives: dict[str, dict[str, float]]
    """By axis: stiffness, damping, maxForce in SI, and which type."""
    mimic: tuple[str, float, float] | None
    """The joint it follows, how far off [rad or m], and how many times."""
    damping: float
    friction: float
    armature: float
    velocity: float
    """Limit of Newton's schema; infinite where there is none."""
    reference: float
    """What MuJoCo's schema adds to its coordinate [rad or m]."""

    @property
    def coordinate(self) -> float:
        """Of a hinge or a slide [rad or m], where the stage has it, reference left out."""
        motion = np.linalg.inv(self.frames[0]) @ self.frames[1]
        along = self.frames[1][:3, :3].T @ self.axis
        if self.kind == "Prismatic":
            return float(along @ motion[:3, 3])
        R = motion[:3, :3]
        twist = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2.0
        return float(np.arctan2(along @ twist, (np.trace(R) - 1.0) / 2.0))

    @property
    def gap(self) -> float:
        """How far its two frames are apart [m], along a slide not counted."""
        apart = self.frames[0][:3, 3] - self.frames[1][:3, 3]
        if self.kind == "Prismatic":
            apart = apart - (apart @ self.axis) * self.axis
        return float(np.linalg.norm(apart))


@dataclass(frozen=True)
class ReadStage:
    """A whole stage."""

    units: tuple[float, float, str]
    """Metres and kilograms per unit, and which way is up."""
    default: str
    gravity: np.ndarray
    bodies: dict[str, ReadBody]
    joints: dict[str, ReadJoint]
    shapes: dict[str, ReadShape]
    colors: dict[str, tuple[float, ...]]
    """Red, green, blue, opacity of what is seen, by its name."""
    frames: dict[str, tuple[str, np.ndarray]]
    """Of prims that are neither bodies nor shapes: the body they are on, and where in the world."""

    def closures(self) -> dict[str, ReadJoint]:
        """The joints that are no part of an articulation."""
        return {name: joint for name, joint in self.joints.items() if joint.excluded}

    def filtered(self) -> frozenset[frozenset[str]]:
        """Pairs of bodies that do not collide."""
        return frozenset(
            frozenset((name, other)) for name, b in self.bodies.items() for other in b.filtered
        )
