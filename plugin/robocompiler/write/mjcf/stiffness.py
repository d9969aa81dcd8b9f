"""How stiff MuJoCo must hold closures, from the masses at the cuts.

MuJoCo softens a constraint: at rest it gives by r = (1 - d)/d · a₀ · T², with a₀ the acceleration
at which the cut would open if nothing held it, T the time constant (`solref`) and d the impedance
(`solimp`). The impedance is fixed near 1 and T chosen so that r stays below `REST_GAP`; the
timestep follows, since T must be twice as long at least.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.closure import path_columns, seen_at_chord
from robocompiler.solve.mass import gravity_effort, mass_matrix
from robocompiler.solve.state import State
from robocompiler.spatial import Array
from robocompiler.write.mjcf.actuators import motor_rows
from robocompiler.write.mjcf.ties import Tie, opened, ties

IMPEDANCE = 0.9999
# What a closure may give at rest [m]. A tenth of the 0.1 mm promised: MuJoCo estimates the
# inertia at the cut by the diagonal of its inverse, which is off by several times in long chains.
REST_GAP = 1e-5
# Likewise of what is coupled to turn [rad]: a tenth of 0.1°.
REST_ANGLE = 1.7e-4
LONGEST_TIMESTEP = 1e-3
SHORTEST_TIMESTEP = 2e-5
STANDARD_GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True, slots=True)
class Stiffness:
    """Timestep of the simulation and time constant of its closures [s]."""

    timestep: float
    time_constant: float
    meets_rest_gap: bool
    """Whether the timestep is short enough for `REST_GAP` and `REST_ANGLE`."""
    wanted_timestep: float
    """The longest that is."""


def closure_stiffness(
    compiled: CompiledMechanism, state: State, timestep: float | None
) -> Stiffness:
    """The longest timestep, and its time constant, that keep closures within `REST_GAP` and ties
    within `REST_GAP` or `REST_ANGLE`; none below `SHORTEST_TIMESTEP` unless the user asks.

    Args:
        compiled: the mechanism.
        state: where it stands.
        timestep: what the user asked for [s]; None to have it derived.
    """
    tied = ties(compiled)  # couplings number speeds as they are before screws are opened
    compiled, state = opened(compiled, state)
    openings = [opening / REST_GAP for opening in opening_accelerations(compiled, state)]
    openings += tie_openings(compiled, state, tied)
    largest = max(openings, default=0.0) * (1.0 - IMPEDANCE) / IMPEDANCE
    longest = LONGEST_TIMESTEP
    if largest > 0.0:
        longest = _rounded_down(min(LONGEST_TIMESTEP, 0.5 / np.sqrt(largest)))
    used = max(longest, SHORTEST_TIMESTEP) if timestep is None else timestep
    return Stiffness(used, 2.0 * used, used <= longest, longest)


def _rounded_down(value: float) -> float:
    """1, 2 or 5 times a power of ten, none longer."""
    power = 10.0 ** np.floor(np.log10(value) + 1e-9)
    step = max(step for step in (1.0, 2.0, 5.0) if step * power <= value * (1.0 + 1e-9))
    return float(f"{step * power:.1e}")


def opening_accelerations(compiled: CompiledMechanism, state: State) -> list[float]:
    """How fast each cut would open [m/s²] under gravity and all declared efforts, none held."""
    if not compiled.closures:
        return []
    M, loads = _inertia(compiled, state), _loads(compiled, state)
    moves = np.linalg.lstsq(M, loads, rcond=None)[0]
    openings: list[float] = []
    for closure in compiled.closures:
        spatial = path_columns(compiled, state, closure)
        rows = seen_at_chord(state, closure, spatial)[:3]
        openings.append(float(np.sum(np.linalg.norm(rows @ moves, axis=0))))
    return openings


def tie_openings(compiled: CompiledMechanism, state: State, tied: Sequence[Tie]) -> list[float]:
    """How fast each tie would open [1/s²], over `REST_GAP` or `REST_ANGLE`.

    Either under the loads with nothing held, or with all that it ties held but one and all the load
    of that on the tie, whichever is more; the weight pulling any way, since what it pulls turns.

    Args:
        compiled: with the speeds that MJCF gives it (`opened`).
        state: likewise.
        tied: the ties of the mechanism with its own speeds.
    """
    found: list[float] = []
    for tie in tied:
        if not found:
            M, loads = _inertia(compiled, state), _loads(compiled, state, np.eye(3))
            total = np.abs(loads).sum(axis=1)
        row = np.zeros(compiled.nv)
        for speed, coefficient in tie.row:
            row[speed] = coefficient
        response = np.linalg.lstsq(M, row, rcond=None)[0]
        free = float(np.sum(np.abs(response @ loads)))
        carried = max(float(total[speed]) / abs(c) for speed, c in tie.row)
        opening = max(free, float(row @ response) * carried)
        found.append(opening / (REST_ANGLE if tie.turns else REST_GAP))
    return found


def _inertia(compiled: CompiledMechanism, state: State) -> Array:
    """The mass matrix as MuJoCo has it, with what turns or moves and is no body's.

    A screw's armature is of its turn alone.
    """
    M = mass_matrix(compiled, state)
    for tree_joint in compiled.tree:
        kind, v = tree_joint.edge.joint.kind, tree_joint.v
        last = v.start + 1 if kind is JointKind.SCREW else v.stop
        own = range(v.start, v.start if kind is JointKind.FREE else last)
        M[own, own] += tree_joint.edge.joint.armature
    for motor, row in motor_rows(compiled):
        if motor.has_armature:
            M += motor.actuator.armature * np.outer(row, row)
    return M


def _loads(compiled: CompiledMechanism, state: State, ways: Array | None = None) -> Array:
    """Gravity, and the largest effort of each joint's coordinate that states one, and actuator.

    Shape (nv, loads). A screw's effort acts on its turn alone.

    Args:
        compiled: with the speeds that MJCF gives it.
        state: likewise.
        ways: directions for gravity to pull in, shape (n, 3); None for its own.
    """
    gravity = np.array(compiled.mechanism.environment.gravity or STANDARD_GRAVITY)
    pulls = gravity[None, :] if ways is None else ways * np.linalg.norm(gravity)
    loads: list[Array] = [gravity_effort(compiled, state, pull) for pull in pulls]
    for tree_joint in compiled.tree:
        joint, v = tree_joint.edge.joint, tree_joint.v
        for speed in range(v.start, v.stop if joint.effort else v.start):
            own = np.zeros(compiled.nv)
            own[speed] = joint.effort or 0.0
            if joint.kind is not JointKind.SCREW or speed == v.start:
                loads.append(own)
    loads += [row * m.actuator.effort for m, row in motor_rows(compiled) if m.actuator.effort]
    return np.stack(loads, axis=1)
