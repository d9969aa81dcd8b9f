"""What moves the mechanism: prescribed speeds of joints.

A driven joint follows q(t) = q(0) + speed · t to rounding, under any load: it is given a rotor
inertia `HEAVY` times its own, so that nothing the mechanism does changes its speed within a step,
and is put back on q(t) after every step. What would have changed its speed is the drive's effort.

Measured on a four-bar (crank 40 mm, 1 ms, 90 to 3600 deg/s): off by 1e-12°; an equality with a
moving target was off by 0.06 to 2.4°, a stiff servo by 2e-4 to 3e-3°.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from robocompiler.errors import BadValueError, DriveError, UnknownNameError
from robocompiler.model.joint_kinds import Factor
from robocompiler.model.mechanism import OPEN, Joint
from robocompiler.model.validity import coordinate_names
from robocompiler.simulate.scene import Scene
from robocompiler.simulate.ties import weigh_ties
from robocompiler.spatial import Array
from robocompiler.units import metres, radians, shown_in

HEAVY = 1e6
# Directions this much weaker than the strongest [1] are no constraint but its rounding.
RANK_TOLERANCE = 1e-8
# A prescribed speed is missed by this fraction of the fastest where the loops do not allow it.
SPEED_TOLERANCE = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Drive:
    """A coordinate with a prescribed speed."""

    name: str
    joint: Joint
    factor: Factor
    q: int
    v: int
    start: float
    """[m or rad] at t = 0."""
    speed: float
    """[m/s or rad/s]"""
    armature: float
    """The inertia it was given [kg or kg m²]."""

    def at(self, time: float) -> float:
        """The coordinate at a time [s]."""
        return self.start + self.speed * time

    def effort(self, data: Any) -> float:
        """What the drive puts on the coordinate [N or N m], of data whose `qacc` is current."""
        return -self.armature * float(data.qacc[self.v])


def start_drives(scene: Scene, data: Any, request: Mapping[str, Any] | None) -> tuple[Drive, ...]:
    """Read the drives, make their joints heavy, and set the whole mechanism in motion with them.

    Args:
        scene: whose model is changed: the armature of the driven joints.
        data: at its first state; its speeds are set.
        request: `{joint: {"velocity": deg/s or mm/s}}`.

    Raises:
        UnknownNameError: no such joint, or no such way to drive it.
        BadValueError: a speed that is no number.
        DriveError: a joint that was cut, or speeds that the loops do not allow.
    """
    import mujoco

    speeds = _speeds(scene, request)
    mujoco.mj_forward(scene.model, data)
    M = _mass_matrix(scene, data)
    data.qvel[:] = _consistent_speeds(scene, data, speeds)
    known = coordinate_names(scene.compiled.mechanism)
    drives = []
    for name, speed in speeds.items():
        joint, factor = known[name]
        at = scene.coordinates[name]
        armature = HEAVY * float(M[at.v, at.v])
        scene.model.dof_armature[at.v] += armature
        # What MuJoCo takes for the inertia of a dof whose inertia never changes.
        scene.model.dof_M0[at.v] += armature
        start = float(data.qpos[at.q])
        kind = joint.kind.factors[factor]
        drives.append(Drive(name, joint, kind, at.q, at.v, start, speed, armature))
    mujoco.mj_forward(scene.model, data)
    if drives:
        weigh_ties(scene, _mass_matrix(scene, data))
        mujoco.mj_forward(scene.model, data)
    return tuple(drives)


def _speeds(scene: Scene, request: Mapping[str, Any] | None) -> dict[str, float]:
    """The prescribed speeds [m/s or rad/s], by coordinate.

    A coordinate of a joint that has several is `joint/turnZ`, or `joint:turnZ` as couplings say.
    """
    if request is not None and not isinstance(request, Mapping):
        raise BadValueError("pc sim", "drive", str(request), "an object {joint: {velocity: …}}")
    known = coordinate_names(scene.compiled.mechanism)
    speeds: dict[str, float] = {}
    for said, how in (request or {}).items():
        name = _known_name(str(said), known)
        _check_not_cut(scene, name, known)
        if name not in scene.coordinates:
            raise UnknownNameError("drive", "joint", name, scene.coordinates)
        joint, factor = known[name]
        speeds[name] = _speed(name, how, joint.kind.factors[factor].is_turn)
    return speeds


def _known_name(said: str, known: Container[str]) -> str:
    joint, colon, label = said.rpartition(":")
    return f"{joint}/{label}" if colon and said not in known else said


def _check_not_cut(scene: Scene, name: str, known: Mapping[str, tuple[Joint, int]]) -> None:
    """A joint that was cut has no coordinate: neither the whole of it, nor one of several."""
    driven = known[name][0].name if name in known else name
    for closure in scene.compiled.closures:
        joint = closure.chord.joint
        if joint.name == driven:
            advice = (
                "Drive another joint of the loop."
                if joint.closes_loop
                else "Drive another joint of the loop, or state `physics: {maxEffort: …}` on the "
                f"connection that makes '{driven}' and export again: the compiler does not cut "
                "what is actuated while it can cut another."
            )
            raise DriveError(
                f"drive: '{name}' is cut to open loop '{closure.name}' in the exported scene, so "
                f"it has no coordinate to drive. {advice}"
            )


def _speed(name: str, how: Any, is_turn: bool) -> float:
    where, unit = f"drive of '{name}'", "deg/s" if is_turn else "mm/s"
    if not isinstance(how, Mapping) or "velocity" not in how:
        raise BadValueError("drive", name, str(how), f"an object {{velocity: <{unit}>}}")
    if unknown := sorted(how.keys() - {"velocity"}):
        raise UnknownNameError(where, "key", str(unknown[0]), ["velocity"])
    try:
        value = float(how["velocity"])
    except (TypeError, ValueError):
        value = np.nan
    if not np.isfinite(value):
        raise BadValueError(where, "velocity", str(how["velocity"]), f"a number of {unit}")
    return radians(value) if is_turn else metres(value)


def _consistent_speeds(scene: Scene, data: Any, speeds: dict[str, float]) -> Array:
    """The speeds of every coordinate where some are prescribed and all loops stay closed.

    Of those that do, the ones of least kinetic energy: what a blow that sets the driven joints in
    motion leaves behind. Those that the scene starts with are kept as far as they can be.
    """
    start = np.asarray(data.qvel.copy())
    if not speeds:
        return start
    K = _jacobian(scene, data)
    driven = np.eye(scene.model.nv)[[scene.coordinates[name].v for name in speeds]]
    A = np.vstack([K, driven])
    wanted = np.concatenate([np.zeros(len(K)), list(speeds.values())])
    L = np.linalg.cholesky(_mass_matrix(scene, data))
    weighted = np.linalg.solve(L, A.T).T
    # Rows of other units or ratios weigh the same: none is taken for rounding beside another.
    size = np.linalg.norm(weighted, axis=1)
    size[size == 0.0] = 1.0
    missing = (wanted - A @ start) / size
    step = np.linalg.lstsq(weighted / size[:, None], missing, rcond=RANK_TOLERANCE)[0]
    found = start + np.linalg.solve(L.T, step)
    _check_speeds(scene, speeds, found)
    return np.asarray(found)


def _check_speeds(scene: Scene, speeds: dict[str, float], found: Array) -> None:
    """A speed of 0 is missed where it is not small against the others."""
    fastest = max(abs(speed) for speed in speeds.values())
    known = coordinate_names(scene.compiled.mechanism)
    for name, speed in speeds.items():
        reached = float(found[scene.coordinates[name].v])
        if abs(reached - speed) > SPEED_TOLERANCE * fastest:
            joint, factor = known[name]
            shown, unit = shown_in(joint.kind.factors[factor].is_turn)
            raise DriveError(
                f"drive: '{name}' cannot start at {shown(speed):.4g} {unit}/s with its loops "
                f"closed: they allow {shown(reached):.4g} {unit}/s. Either the mechanism stands at "
                f"a dead point, or the drives contradict each other ({', '.join(speeds)})."
            )


def _jacobian(scene: Scene, data: Any) -> Array:
    """Of all equalities, shape (rows, nv)."""
    import mujoco

    K = np.zeros((data.nefc, scene.model.nv))
    for i, unit in enumerate(np.eye(scene.model.nv)):
        column = np.zeros(data.nefc)
        mujoco.mj_mulJacVec(scene.model, data, column, unit)
        K[:, i] = column
    return K[: data.ne]


def _mass_matrix(scene: Scene, data: Any) -> Array:
    import mujoco

    M = np.zeros((scene.model.nv, scene.model.nv))
    for row, unit in zip(M, np.eye(scene.model.nv), strict=True):
        mujoco.mj_mulM(scene.model, data, row, unit)
    return M


def hold(drives: tuple[Drive, ...], data: Any, time: float) -> None:
    """Put the driven coordinates where they must be at a time [s]."""
    for drive in drives:
        data.qpos[drive.q] = drive.at(time)
        data.qvel[drive.v] = drive.speed


def drive_warnings(
    drives: tuple[Drive, ...], efforts: dict[str, float], duration: float
) -> list[str]:
    """What a drive asked of its joint beyond what the joint states.

    Args:
        drives: of the run.
        efforts: the largest effort each needed [N or N m], by name.
        duration: of the run [s].
    """
    warnings = []
    for drive in drives:
        shown, unit = shown_in(drive.factor.is_turn)
        stated, needed = drive.joint.effort, efforts[drive.name]
        if stated is not None and needed > stated:
            effort_unit = "N m" if drive.factor.is_turn else "N"
            warnings.append(
                f"Driving '{drive.name}' took up to {needed:.4g} {effort_unit}; the joint states "
                f"an effort of {stated:.4g} {effort_unit}."
            )
        if drive.joint.velocity is not None and abs(drive.speed) > drive.joint.velocity:
            warnings.append(
                f"'{drive.name}' is driven at {shown(abs(drive.speed)):.4g} {unit}/s; the joint "
                f"states at most {shown(drive.joint.velocity):.4g} {unit}/s."
            )
        index = drive.joint.kind.factors.index(drive.factor)
        low, high = drive.joint.limits[index] if drive.joint.limits else OPEN
        end = drive.at(duration)
        if not low <= end <= high:
            limit = low if end < low else high
            time = (limit - drive.start) / drive.speed
            warnings.append(
                f"'{drive.name}' is driven past its limit of {shown(limit):.4g} {unit} at "
                f"t = {time:.4g} s; from there on efforts and forces mean nothing."
            )
    return warnings
