"""Draw a mechanism by where its parts stand: what is drawn is closed, to rounding."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from robocompiler.equations.kinematics import joint_motion
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import (
    OPEN,
    WORLD,
    Body,
    Coupling,
    Frame,
    Inertia,
    Joint,
    Leader,
    Mechanism,
)
from robocompiler.spatial import Array, Pose, exp_rotation, quaternion_of

WIDE = (-1e6, 1e6)
"""Limits that stop nothing, and yet keep a joint from being cut while others have none."""


def spared(kind: JointKind) -> dict[str, object]:
    """Limits that stop nothing, for a joint of that kind that is not to be cut."""
    if kind is JointKind.BALL:
        return {"swing_limit": math.pi}
    singles = tuple(WIDE if factor.nq == 1 else OPEN for factor in kind.factors)
    return {"limits": singles}


def solid(mass: float = 1.0, size: float = 0.1) -> Inertia:
    """A body of about that size [m], its centre off the origin, no two moments alike."""
    square = mass * size * size
    return Inertia(
        mass=mass,
        center=(0.3 * size, 0.1 * size, -0.05 * size),
        moments=(0.10 * square, 0.13 * square, 0.16 * square),
        products=(0.005 * square, -0.004 * square, 0.003 * square),
    )


def at(*point: float) -> Pose:
    """A frame with the drawing's axes at a point [m]; coordinates left out are 0."""
    return Pose(np.eye(3), np.array([*point, *(0.0 for _ in range(3 - len(point)))]))


def planar(x: float, y: float, angle: float, z: float = 0.0) -> Pose:
    """A frame in the xy plane [m], its x axis in a direction [rad]."""
    c, s = math.cos(angle), math.sin(angle)
    return Pose(np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), np.array([x, y, z]))


def axis(point: Sequence[float], z: Sequence[float], x: Sequence[float] | None = None) -> Pose:
    """A frame at a point with its z along a direction, its x as near as can be to another."""
    e = np.array(z, dtype=float)
    e /= np.linalg.norm(e)
    near = np.eye(3)[np.argmin(np.abs(e))] if x is None else np.array(x, dtype=float)
    across = near - (near @ e) * e
    across /= np.linalg.norm(across)
    return Pose(np.stack([across, np.cross(e, across), e], axis=1), np.array(point, dtype=float))


def turn(rotation: Sequence[float], point: Sequence[float] = (0.0, 0.0, 0.0)) -> Pose:
    """A frame turned by a rotation vector [rad], at a point [m]."""
    return Pose(exp_rotation(np.array(rotation, dtype=float)), np.array(point, dtype=float))


class Drawing:
    """A mechanism under construction: bodies where they stand, joints where they are."""

    def __init__(self, name: str, ground: Pose | None = None) -> None:
        """`ground` is where the whole drawing stands in the world; on its origin by default."""
        self.name = name
        self.poses = {WORLD: (ground or Pose.identity()).inverse()}
        self._bodies: list[Body] = []
        self._frames: list[Frame] = []
        self._joints: list[Joint] = []
        self._couplings: list[Coupling] = []

    def body(self, name: str, pose: Pose | None = None, inertia: Inertia | None = None) -> str:
        """Add a body whose frame stands at `pose` in the drawing; returns its name."""
        self.poses[name] = pose or Pose.identity()
        self._bodies.append(Body(name=name, inertia=inertia or solid()))
        return name

    def joint(
        self,
        name: str,
        kind: JointKind,
        between: tuple[str, str],
        where: Pose,
        *value: float,
        **fields: object,
    ) -> None:
        """Add a joint that stands at `value`, its frame F (on the first body) at `where`."""
        coordinates = value or kind.zero
        X_FM = joint_motion(kind, coordinates, float(fields.get("pitch", 0.0)))  # type: ignore[arg-type]
        for body, side, X in ((between[0], "F", where), (between[1], "M", where @ X_FM)):
            on = self.poses[body].inverse() @ X
            frame = Frame(
                name=f"{name}.{side}", body=body, position=on.position, rotation=on.quaternion
            )
            self._frames.append(frame)
        self._joints.append(
            Joint(
                name=name,
                kind=kind,
                parent=f"{name}.F",
                child=f"{name}.M",
                start=tuple(float(x) for x in coordinates),
                **fields,  # type: ignore[arg-type]
            )
        )

    def revolute(
        self, name: str, between: tuple[str, str], where: Pose, value: float = 0.0, **fields: object
    ) -> None:
        """A revolute joint at an angle [rad], about `where`'s z."""
        self.joint(name, JointKind.REVOLUTE, between, where, value, **fields)

    def prismatic(
        self, name: str, between: tuple[str, str], where: Pose, value: float = 0.0, **fields: object
    ) -> None:
        """A prismatic joint at a distance [m], along `where`'s z."""
        self.joint(name, JointKind.PRISMATIC, between, where, value, **fields)

    def ball(
        self, name: str, between: tuple[str, str], point: Sequence[float] | Array, **fields: object
    ) -> None:
        """A ball joint at a point; its coordinates are how the second body is turned."""
        R, S = (self.poses[body].R for body in between)
        where = Pose(R, np.array(point, dtype=float))
        self.joint(name, JointKind.BALL, between, where, *quaternion_of(R.T @ S), **fields)

    def gear(
        self, name: str, leader: str, follower: str, ratio: float, offset: float = 0.0
    ) -> None:
        """follower = ratio · leader + offset."""
        self.couple(name, follower, {leader: ratio}, offset)

    def couple(
        self, name: str, follower: str, ratios: Mapping[str, float], offset: float = 0.0
    ) -> None:
        """follower = Σ ratio · leader + offset, the ratios by their leaders."""
        leaders = tuple(Leader(coordinate=leader, ratio=ratio) for leader, ratio in ratios.items())
        self._couplings.append(
            Coupling(name=name, follower=follower, leaders=leaders, offset=offset)
        )

    def mechanism(self) -> Mechanism:
        """What was drawn."""
        return Mechanism(
            name=self.name,
            bodies=tuple(self._bodies),
            frames=tuple(self._frames),
            joints=tuple(self._joints),
            couplings=tuple(self._couplings),
        )


def rounded(mechanism: Mechanism, decimals: int = 6) -> Mechanism:
    """With its frames as a file states them: positions [m] and quaternions to a few decimals."""
    frames = tuple(
        replace(
            frame,
            position=tuple(round(x, decimals) for x in frame.position),
            rotation=tuple(round(x, decimals) for x in frame.rotation),
        )
        for frame in mechanism.frames
    )
    return replace(mechanism, name=f"{mechanism.name} rounded", frames=frames)


def drawn_values(mechanism: Mechanism) -> dict[str, tuple[float, ...]]:
    """The coordinates of every joint as drawn, by name.

    Builders place the zero of every joint on its bodies, whatever configuration they are drawn at.
    So the values of the same mechanism drawn elsewhere are the closed form there.
    """
    return {joint.name: joint.initial for joint in mechanism.joints}


def starting_at(mechanism: Mechanism, **starts: float | Sequence[float]) -> Mechanism:
    """With other starting values, by the joints' names."""
    joints = tuple(
        replace(joint, start=_numbers(starts[joint.name])) if joint.name in starts else joint
        for joint in mechanism.joints
    )
    return replace(mechanism, joints=joints)


def _numbers(value: float | Sequence[float]) -> tuple[float, ...]:
    return (float(value),) if isinstance(value, (int, float)) else tuple(map(float, value))


def cut_at(mechanism: Mechanism, cut: Iterable[str]) -> Mechanism:
    """The same mechanism, of which the compiler will cut the named joints.

    The others are given limits that stop nothing, which the cut rule spares; the named ones lose
    their limits and their drive, since a driven joint is never cut while another can be.
    """
    names = set(cut)

    def told(joint: Joint) -> Joint:
        if joint.name in names:
            return replace(joint, closes_loop=True, limits=(), swing_limit=None, effort=None)
        return replace(
            joint, closes_loop=False, **(spared(joint.kind) if not joint.limited else {})
        )

    return replace(mechanism, joints=tuple(told(joint) for joint in mechanism.joints))


def driven_by(mechanism: Mechanism, drivers: Iterable[str]) -> Mechanism:
    """The same mechanism, actuated at the named joints and nowhere else."""
    names = set(drivers)
    joints = tuple(
        replace(joint, effort=100.0 if joint.name in names else None) for joint in mechanism.joints
    )
    return replace(mechanism, joints=joints)
