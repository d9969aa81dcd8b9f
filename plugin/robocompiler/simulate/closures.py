"""How well the loops hold while the mechanism runs: gaps, and what holds them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robocompiler.compiler.compiled import Closure
from robocompiler.model.joint_motion import closure_gap, joint_coordinates
from robocompiler.simulate.scene import Scene
from robocompiler.spatial import Array, cross
from robocompiler.write.mjcf.names import closure_equalities

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Equality:
    """One of the elements a closure is written as."""

    number: int
    """Of the equality in MuJoCo's model."""
    tendon: bool
    """A tendon of fixed length; otherwise a `connect`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosureState:
    """One closure at one time."""

    gap: float
    """[m]"""
    angle: float
    """[rad]"""
    force: float
    """That holds it [N]."""
    torque: float
    """That holds it, about the joint's origin [N m]."""
    coordinates: tuple[float, ...]
    """Of the cut joint [m, rad, quaternion], its turns counted."""


class ClosureMonitor:
    """Reads the closures of a run; keeps count of turns and of what was largest."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.closures = scene.compiled.closures
        self._equalities = [tuple(_equalities(scene, closure)) for closure in self.closures]
        self._near = [closure.chord.joint.initial for closure in self.closures]
        self._rows: dict[int, Rows] = {}
        self._rows_seen: Rows = np.zeros(0, dtype=np.int64)
        self.largest = np.zeros((len(self.closures), 4))
        """Gap [m], angle [rad], force [N] and torque [N m] over all that was observed."""

    def observe(self, data: Any) -> Array:
        """Count what the data show in; returns what there is now, as in `largest`.

        To be called at every step: a cut joint's turns are counted from one to the next.
        """
        states = self.read(data)
        self._near = [state.coordinates for state in states]
        now = np.array([[s.gap, s.angle, s.force, s.torque] for s in states]).reshape(-1, 4)
        np.maximum(self.largest, now, out=self.largest)
        return now

    def read(self, data: Any) -> list[ClosureState]:
        """The closures as the data show them: poses, and the constraint forces found for these."""
        return [self._state(data, index) for index in range(len(self.closures))]

    def _state(self, data: Any, index: int) -> ClosureState:
        chord = self.closures[index].chord
        joint = chord.joint
        X_FM = self.scene.joint_pose(data, chord)
        q = joint_coordinates(joint.kind, X_FM, self._near[index], joint.pitch)
        gap, angle = closure_gap(joint.kind, X_FM, joint.pitch, q[0] if q else 0.0)
        force, torque = self._wrench(data, index)
        return ClosureState(
            gap=float(gap), angle=float(angle), force=force, torque=torque, coordinates=q
        )

    def _wrench(self, data: Any, index: int) -> tuple[float, float]:
        """Size of the force and of the torque about F's origin on the chord's parent body."""
        chord = self.closures[index].chord
        origin = (self.scene.pose(data, chord.parent) @ chord.X_PF).p
        force, torque = np.zeros(3), np.zeros(3)
        for equality in self._equalities[index]:
            pull = data.efc_force[self._rows_of(data, equality.number)]
            at, own = self._applied(data, equality, pull)
            force += own
            torque += cross(at - origin, own)
        return float(np.linalg.norm(force)), float(np.linalg.norm(torque))

    def _applied(self, data: Any, equality: Equality, pull: Array) -> tuple[Array, Array]:
        """Where an equality pulls on the chord's parent body, and how, in the world."""
        model = self.scene.model
        if not equality.tendon:
            body = model.eq_obj1id[equality.number]
            turned = data.xmat[body].reshape(3, 3) @ model.eq_data[equality.number, :3]
            return data.xpos[body] + turned, np.asarray(pull)
        first = model.tendon_adr[model.eq_obj1id[equality.number]]
        near, far = (data.site_xpos[model.wrap_objid[first + i]] for i in range(2))
        direction = (near - far) / np.linalg.norm(near - far)
        return near, np.asarray(float(pull.sum()) * direction)

    def _rows_of(self, data: Any, equality: int) -> Rows:
        """Rows of an equality among all constraints: the same while as many are active."""
        if len(self._rows_seen) != data.ne:
            self._rows_seen = data.efc_id[: data.ne].astype(np.int64)
            self._rows = {}
        if equality not in self._rows:
            self._rows[equality] = np.flatnonzero(self._rows_seen == equality)
        return self._rows[equality]


def _equalities(scene: Scene, closure: Closure) -> Iterator[Equality]:
    import mujoco

    for name in closure_equalities(closure):
        number = mujoco.mj_name2id(scene.model, mujoco.mjtObj.mjOBJ_EQUALITY, name)
        if number >= 0:
            tendon = scene.model.eq_type[number] == mujoco.mjtEq.mjEQ_TENDON
            yield Equality(int(number), bool(tendon))
