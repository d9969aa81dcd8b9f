"""What consumers of each example are to agree on, as our own compiler has it.

SI, by the mechanism's names: consumers' tests map what their format calls things. What does not
move is body `world`; a file may call it otherwise, and place its frame elsewhere.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import robocompiler as rc
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.model.joint_kinds import Factor
from robocompiler.model.mechanism import OPEN
from robocompiler.solve.mass import mass_matrix
from robocompiler.solve.state import evaluate
from robocompiler.spatial import Pose
from robocompiler.write.cutting import cut_for
from robocompiler.write.export import SIDECAR
from robocompiler.write.known_formats import FORMATS
from robocompiler.write.ledger import Ledger
from robocompiler.write.options import WriteOptions

Array = NDArray[np.float64]

EXPORTS = Path(os.environ.get("RC_EXPORTS", "build/exports"))
STATIC = rc.WORLD
"""The body of all that does not move."""
DRIVERS: dict[str, dict[str, tuple[float, float]]] = {
    "fourbar": {"crank-ground": (0.4, -0.7)},
    "gate": {"hinge": (0.6, -1.0)},
    "gripper": {"left-driver": (-0.3, 0.2)},
    "pendulum": {"pivot": (0.8, -1.5)},
    "slider_crank": {"crank-frame": (0.5, -0.6)},
    "stewart": {
        "slide-1": (0.03, -0.02),
        "slide-2": (0.01, 0.05),
        "slide-3": (-0.02, 0.03),
        "slide-4": (0.04, 0.01),
        "slide-5": (0.02, 0.02),
        "slide-6": (-0.03, 0.04),
    },
}
"""Each example, and by how much its drivers are moved from where it is assembled [m or rad], twice:
that makes three closed configurations of each."""
EXAMPLES = tuple(DRIVERS)
LOOPLESS = ("gate", "pendulum")
"""Those without loops: all that some consumers can move of some formats."""


@dataclass(frozen=True, eq=False)
class Meeting:
    """A cut joint: its frames on two bodies, which meet where the loop is closed."""

    name: str
    """Of the loop."""
    kind: rc.JointKind
    bodies: tuple[str, str]
    """With the joint's frame F, and with its frame M."""
    frames: tuple[Pose, Pose]
    """Of the joint, seen from these bodies."""

    def gap(self, poses: dict[str, Pose]) -> float:
        """How far apart the two origins are [m], where bodies stand as a consumer says."""
        ends = [poses[body] @ X for body, X in zip(self.bodies, self.frames, strict=True)]
        return float(np.linalg.norm(ends[0].p - ends[1].p))


@dataclass(frozen=True, eq=False)
class Standing:
    """A closed configuration."""

    coordinates: dict[str, float]
    """Of the tree's joints, each single one by its full name [m or rad]."""
    turned: dict[str, Array]
    """By ball or free joint of the tree, R of the child's body's axes seen from the parent's."""
    values: dict[str, tuple[float, ...]]
    """By joint, cut ones too [m, rad, quaternion w x y z of M seen from F]."""
    poses: dict[str, Pose]
    """X_WB by body."""
    centers: dict[str, Array]
    """Of mass, in the world [m], by body that has any."""
    mass_matrix: Array
    """Of the tree, its loops open, with armature; rows as `Truth.speeds`."""
    mobility: int


@dataclass(frozen=True, eq=False)
class Truth:
    """An example, cut as a format has it cut, in three closed configurations."""

    name: str
    compiled: CompiledMechanism
    bodies: tuple[str, ...]
    """Those that move."""
    masses: dict[str, float]
    """[kg] by body that has any."""
    speeds: tuple[str, ...]
    """A single coordinate's by its full name; a rotation's `joint/rotation.x` and so on, of the
    child against the parent, about the child's *body's* axes."""
    limits: dict[str, tuple[float, float]]
    """Of the tree's single coordinates, infinite where open [m or rad]."""
    closures: tuple[Meeting, ...]
    standings: tuple[Standing, ...]
    """As assembled, then with its drivers moved."""
    drivers: tuple[str, ...]

    @property
    def assembled(self) -> Standing:
        """Where the file has it."""
        return self.standings[0]

    @property
    def mobility(self) -> int:
        """Where it is assembled."""
        return self.assembled.mobility

    @property
    def mobility_without_couplings(self) -> int:
        """For consumers that see none: each frees a speed."""
        return self.mobility + len(self.compiled.couplings)

    def file(self, suffix: str = ".xml") -> Path:
        """The exported example in a format: `.xml`, `.urdf`, `.sdf`, `.usda`."""
        return EXPORTS / self.name / f"{self.name}{suffix}"

    def mass(self, static: bool = True) -> float:
        """In all [kg]; `static`: with what does not move."""
        return sum(m for name, m in self.masses.items() if static or name != STATIC)

    def center(self, standing: Standing, static: bool = True) -> Array:
        """Of mass of all of it [m]."""
        own = {n: m for n, m in self.masses.items() if static or n != STATIC}
        return np.sum([m * standing.centers[n] for n, m in own.items()], axis=0) / self.mass(static)


def sidecar(name: str) -> Path:
    """An example as its export's mechanism has it."""
    return EXPORTS / name / f"{name}{SIDECAR}"


@cache
def truth(name: str, form: str = "mjcf", **options: object) -> Truth:
    """An example cut as a format has it, written with these options."""
    known = FORMATS[form]
    whole = rc.compile(rc.read(sidecar(name)))
    compiled = cut_for(known.title, known.cuttable(WriteOptions(**options)), whole, Ledger())
    singles = [(joint, i) for joint in _tree(compiled) for i in _single_factors(joint)]
    configurations = _configurations(compiled, DRIVERS[name])
    return Truth(
        name=name,
        compiled=compiled,
        bodies=tuple(body.name for body in compiled.bodies[1:]),
        masses={b.name: b.inertia.mass for b in compiled.bodies if b.inertia is not None},
        speeds=_speeds(compiled),
        limits={j.full_names[i]: j.limits[i] if j.limits else OPEN for j, i in singles},
        closures=tuple(_meeting(compiled, closure) for closure in compiled.closures),
        standings=tuple(_standing(compiled, own) for own in configurations),
        drivers=tuple(DRIVERS[name]),
    )


def _meeting(compiled, closure):
    chord = closure.chord
    bodies = (compiled.bodies[chord.parent].name, compiled.bodies[chord.child].name)
    return Meeting(closure.name, closure.kind, bodies, (chord.X_PF, chord.X_CM))


def _configurations(compiled, moves):
    """As assembled, and with each driver moved by each of its moves: all on one branch."""
    start = rc.assemble(compiled)
    values = dict(start.values)
    path = {name: values[name][0] + np.array([0.0, *by]) for name, by in moves.items()}
    motion = rc.follow(compiled, path, start=start)
    return [motion.configuration(sample) for sample in range(len(motion))]


def _standing(compiled, configuration):
    q = rc.coordinates(compiled, configuration)
    state = evaluate(compiled, q)
    poses = {b.name: X for b, X in zip(compiled.bodies, state.poses, strict=True)}
    values = dict(configuration.values)
    return Standing(
        coordinates={
            joint.full_names[i]: values[joint.name][i]
            for joint in _tree(compiled)
            for i in _single_factors(joint)
        },
        turned={
            t.edge.joint.name: state.poses[t.edge.parent].R.T @ state.poses[t.edge.child].R
            for t in compiled.tree
            if _spins(t.edge.joint)
        },
        values=values,
        poses=poses,
        centers={
            b.name: poses[b.name].R @ np.array(b.inertia.center) + poses[b.name].p
            for b in compiled.bodies
            if b.inertia is not None
        },
        mass_matrix=_mass_matrix(compiled, state),
        mobility=int(rc.mobility(compiled, q)),
    )


def _mass_matrix(compiled, state):
    """With armature and rotors, and spins about the axes of the child's body."""
    M = mass_matrix(compiled, state)
    unit = dict(zip(_speeds(compiled), np.eye(compiled.nv), strict=True))
    for t in compiled.tree:
        M[t.v, t.v] += t.edge.joint.armature * np.eye(t.v.stop - t.v.start)
    for own in compiled.mechanism.actuators:
        row = sum(t.ratio * unit[t.coordinate] for t in own.transmissions)
        M += own.armature * np.outer(row, row)
    T = np.eye(compiled.nv)
    for t in compiled.tree:
        if _spins(t.edge.joint):
            own = slice(t.v.stop - 3, t.v.stop)
            T[own, own] = t.edge.X_CM.R.T
    return T.T @ M @ T


def _tree(compiled):
    return [t.edge.joint for t in compiled.tree]


def _speeds(compiled):
    return tuple(speed for joint in _tree(compiled) for speed in joint.speed_names)


def _spins(joint):
    return Factor.ROTATION in joint.kind.factors


def _single_factors(joint):
    """Indices of those of one coordinate; a rotation comes last."""
    return [i for i, factor in enumerate(joint.kind.factors) if factor.nv == 1]
